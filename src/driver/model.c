/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A program's graph functions as a library of plain C functions and the header that declares them
 * (docs/decisions/009-plain-c-models.md). */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "codegen/codegen.h"
#include "codegen/model/model.h"
#include "driver/driver_priv.h"

static const tn_compile_opts defaults = TN_COMPILE_DEFAULTS;

/* "lib/libnet.so" -> "net" */
static void stem_of(const char *path, tn_buf *out) {
  const char *slash = strrchr(path, '/');
  const char *name = slash != NULL ? slash + 1 : path;
  const char *dot = strrchr(name, '.');
  name += strncmp(name, "lib", 3) == 0 && name[3] != '.' ? 3 : 0;
  tn_buf_append(out, name, dot != NULL && dot > name ? (size_t)(dot - name) : strlen(name));
}

static tn_status link_library(const tn_lowered *lowered, const tn_buf *code, const char *path) {
  tn_status st = NULL;
  char *dir = NULL;
  tn_buf kernels = TN_BUF_INIT;
  tn_buf embed = TN_BUF_INIT;
  tn_buf library = TN_BUF_INIT;
  tn_buf bytes = TN_BUF_INIT;
  size_t n_bytes = 0;
  const void *object = tn_embedded_object(TN_EMBEDDED_MODEL, &n_bytes);
  TN_GOTO(st, tn_dir_make_temp(&dir), done);
  tn_buf_printf(&kernels, "%s/model.o", dir);
  tn_buf_printf(&embed, "%s/embed.o", dir);
  tn_buf_printf(&library, "%s/model.so", dir);
  TN_GOTO(st, tn_file_write(kernels.data, code->data, code->len), done);
  TN_GOTO(st, tn_file_write(embed.data, object, n_bytes), done);
  const char *objects[] = {kernels.data, embed.data};
  TN_GOTO(st, tn_driver_link(objects, 2, lowered->target, true, library.data), done);
  TN_GOTO(st, tn_file_read(library.data, 0, &bytes), done);
  TN_GOTO(st, tn_file_write(path, bytes.data, bytes.len), done);
done:
  if (dir != NULL) {
    tn_dir_remove_temp(dir);
  }
  free(dir);
  tn_buf_deinit(&kernels);
  tn_buf_deinit(&embed);
  tn_buf_deinit(&library);
  tn_buf_deinit(&bytes);
  return st;
}

static tn_status write_both(const tn_lowered *lowered, const tn_compile_opts *opts,
                            const char *path, const char *header_path) {
  tn_status st = NULL;
  tn_model model = {0};
  tn_buf stem = TN_BUF_INIT;
  tn_buf code = TN_BUF_INIT;
  tn_buf header = TN_BUF_INIT;
  stem_of(path, &stem);
  TN_GOTO(st, tn_model_make(&lowered->module, tn_buf_text(&stem), &model), done);
  const tn_codegen_opts cg = {.target = lowered->target,
                              .opt_level = opts->opt_level,
                              .is_strict_math = opts->is_strict_math,
                              .model = &model};
  TN_GOTO(st, tn_llvm_emit(&lowered->module, &cg, TN_EMIT_OBJ, &code), done);
  tn_model_header(&model, lowered->target, &header);
  TN_GOTO(st, link_library(lowered, &code, path), done);
  st = tn_file_write(header_path, header.data, header.len);
  if (st != NULL) {
    (void)unlink(path); /* one is of no use without the other */
  }
done:
  tn_model_deinit(&model);
  tn_buf_deinit(&stem);
  tn_buf_deinit(&code);
  tn_buf_deinit(&header);
  return st;
}

tn_status tn_program_write_c(const tn_program *program, const tn_compile_opts *opts,
                             const char *path, const char *header_path) {
  tn_lowered lowered = {0};
  const char *dot = strrchr(path, '.');
  opts = opts != NULL ? opts : &defaults;
  if (dot == NULL || strcmp(dot, ".so") != 0) {
    return TN_ERR(TN_INVALID, "%s: the header declares the functions of a library (.so)", path);
  }
  if (opts->exports_tvm_ffi) {
    return TN_ERR(TN_INVALID, "--header and --export are two kinds of library");
  }
  TN_TRY(tn_driver_lower(program, opts, &lowered));
  tn_status st =
      tn_target_is_native(lowered.target)
          ? write_both(&lowered, opts, path, header_path)
          : TN_ERR(TN_UNSUPPORTED, "--header for target '%s': only for this architecture",
                   lowered.target->name);
  tn_lowered_deinit(&lowered);
  return st;
}
