/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* From a lowered program to something that runs: in memory (object code added to this process), or
 * a file (.tnx, .so, .o, .s, .ll, .py). Every kernel becomes object code by the same path. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "codegen/codegen.h"
#include "driver/driver_priv.h"
#include "runtime/cpu_count.h"

static const tn_compile_opts defaults = TN_COMPILE_DEFAULTS;

static tn_codegen_opts codegen_opts(const tn_compile_opts *opts, const tn_target *target) {
  return (tn_codegen_opts){
      .target = target,
      .opt_level = opts->opt_level,
      .is_strict_math = opts->is_strict_math,
      .exports_tvm_ffi = opts->exports_tvm_ffi,
  };
}

/* ---- in memory ---- */

/* What an in-memory executable stands on. */
typedef struct holder {
  tn_jit *jit;
  tn_exec_bytes image;
} holder;

static void free_holder(void *ctx) {
  holder *h = ctx;
  tn_jit_free(h->jit);
  free(h->image.data);
  free(h);
}

static tn_kernel_fn find_kernel(void *ctx, const char *name) {
  holder *h = ctx;
  union {
    void *object;
    tn_kernel_fn kernel;
  } address = {h->jit != NULL ? tn_jit_find(h->jit, name) : NULL};
  return address.kernel;
}

static tn_status jit_kernels(const tn_lowered *lowered, const tn_compile_opts *opts, holder *h) {
  tn_objects objects = {0};
  tn_codegen_opts cg = codegen_opts(opts, lowered->target);
  tn_status st = tn_llvm_emit_objects(&lowered->module, &cg, tn_cpu_count(), &objects);
  if (st == NULL) {
    st = tn_jit_new(&objects, &h->jit);
  }
  tn_objects_deinit(&objects);
  return st;
}

tn_status tn_program_compile(const tn_program *program, const tn_compile_opts *opts,
                             tn_exec **out_exec) {
  tn_status st = NULL;
  tn_lowered lowered = {0};
  holder *h = NULL;
  opts = opts != NULL ? opts : &defaults;
  TN_GOTO(st, tn_driver_lower(program, opts, &lowered), done);
  if (!tn_target_runs_here(lowered.target)) {
    st = TN_ERR(TN_UNSUPPORTED, "this machine cannot run code for target '%s', which needs %s",
                lowered.target->name, lowered.target->required);
    goto done;
  }
  h = calloc(1, sizeof *h);
  if (h == NULL) {
    st = TN_ERR(TN_NO_MEMORY, "no memory for an executable");
    goto done;
  }
  if (tn_module_has_kernels(&lowered.module)) {
    TN_GOTO(st, jit_kernels(&lowered, opts, h), done);
  }
  TN_GOTO(st, tn_vm_emit(&lowered.module, lowered.target, NULL, 0, &h->image), done);
  TN_GOTO(
      st,
      tn_exec_from_memory(h->image.data, h->image.n_bytes, find_kernel, h, free_holder, out_exec),
      done);
  h = NULL; /* the executable's now */
done:
  if (h != NULL) {
    free_holder(h);
  }
  tn_lowered_deinit(&lowered);
  return st;
}

/* ---- to files ---- */

/* What a library is linked from. */
typedef struct kernel_file {
  char *dir;      /* private folder; owned */
  tn_buf library; /* path to link to */
  size_t n_objects;
  char *objects[TN_MAX_OBJECTS + 2]; /* paths; owned */
} kernel_file;

static tn_status kernel_file_init(kernel_file *f) {
  *f = (kernel_file){0};
  TN_TRY(tn_dir_make_temp(&f->dir));
  tn_buf_printf(&f->library, "%s/kernels.so", f->dir);
  return NULL;
}

static void kernel_file_deinit(kernel_file *f) {
  if (f->dir != NULL) {
    tn_dir_remove_temp(f->dir);
  }
  free(f->dir);
  for (size_t i = 0; i < f->n_objects; ++i) {
    free(f->objects[i]);
  }
  tn_buf_deinit(&f->library);
}

static tn_status add_object(kernel_file *f, const void *bytes, size_t n_bytes) {
  tn_buf path = TN_BUF_INIT;
  tn_buf_printf(&path, "%s/%zu.o", f->dir, f->n_objects);
  f->objects[f->n_objects] = tn_buf_take(&path);
  return tn_file_write(f->objects[f->n_objects++], bytes, n_bytes);
}

static tn_status add_kernels(kernel_file *f, const tn_lowered *lowered,
                             const tn_compile_opts *opts) {
  tn_objects objects = {0};
  tn_codegen_opts cg = codegen_opts(opts, lowered->target);
  tn_status st = tn_llvm_emit_objects(&lowered->module, &cg, tn_cpu_count(), &objects);
  for (size_t i = 0; st == NULL && i < objects.n; ++i) {
    st = add_object(f, objects.all[i].data, objects.all[i].len);
  }
  tn_objects_deinit(&objects);
  return st;
}

/* Links what was added; *out: the library's bytes. */
static tn_status link_library(const kernel_file *f, const tn_target *target, tn_buf *out) {
  TN_TRY(tn_driver_link((const char *const *)f->objects, f->n_objects, target, false,
                        f->library.data));
  return tn_file_read(f->library.data, 0, out);
}

static tn_status write_object(const tn_lowered *lowered, const tn_compile_opts *opts,
                              const char *path) {
  tn_buf object = TN_BUF_INIT;
  tn_codegen_opts cg = codegen_opts(opts, lowered->target);
  tn_status st = tn_llvm_emit(&lowered->module, &cg, TN_EMIT_OBJ, &object);
  if (st == NULL) {
    st = tn_file_write(path, object.data, object.len);
  }
  tn_buf_deinit(&object);
  return st;
}

static tn_status write_tnx(const tn_lowered *lowered, const tn_compile_opts *opts,
                           const char *path) {
  tn_status st = NULL;
  kernel_file f = {0};
  tn_buf kernels = TN_BUF_INIT;
  tn_exec_bytes image = {0};
  if (tn_module_has_kernels(&lowered->module)) {
    TN_GOTO(st, kernel_file_init(&f), done);
    TN_GOTO(st, add_kernels(&f, lowered, opts), done);
    TN_GOTO(st, link_library(&f, lowered->target, &kernels), done);
  }
  TN_GOTO(st, tn_vm_emit(&lowered->module, lowered->target, kernels.data, kernels.len, &image),
          done);
  TN_GOTO(st, tn_file_write(path, image.data, image.n_bytes), done);
done:
  tn_buf_deinit(&kernels);
  free(image.data);
  kernel_file_deinit(&f);
  return st;
}

static bool has_public_kernel(const tn_module *module) {
  bool has_one = false;
  for (uint32_t i = 0; i < module->n_funcs && !has_one; ++i) {
    const tn_node *func = module->funcs[i].func;
    has_one = tn_is(func, TN_OP_PRIM_FUNC) &&
              tn_dict_find(func->in[TN_PRIM_FUNC_ATTRS], "global_symbol") != NULL;
  }
  return has_one;
}

/* Linked in a private folder and moved in one step, so that no half-written library is ever seen at
 * `path`. */
static tn_status write_library(const tn_lowered *lowered, const tn_compile_opts *opts,
                               const char *path) {
  tn_status st = NULL;
  kernel_file f = {0};
  tn_exec_bytes image = {0};
  tn_buf bytes = TN_BUF_INIT;
  TN_GOTO(st, kernel_file_init(&f), done);
  if (tn_module_has_kernels(&lowered->module)) {
    TN_GOTO(st, add_kernels(&f, lowered, opts), done);
  }
  if (opts->exports_tvm_ffi) {
    if (!has_public_kernel(&lowered->module)) {
      st =
          TN_ERR(TN_INVALID, "--export=tvm-ffi: the program has no public loop function to export");
      goto done;
    }
    if (!tn_target_is_native(lowered->target)) {
      st = TN_ERR(TN_UNSUPPORTED, "--export=tvm-ffi for target '%s': only for this architecture",
                  lowered->target->name);
      goto done;
    }
    size_t n_bytes = 0;
    const void *object = tn_embedded_object(TN_EMBEDDED_TVM_FFI, &n_bytes);
    TN_GOTO(st, add_object(&f, object, n_bytes), done);
  }
  TN_GOTO(st, tn_vm_emit(&lowered->module, lowered->target, NULL, 0, &image), done);
  TN_GOTO(
      st,
      tn_llvm_emit_blob(TN_EXEC_IMAGE_SYMBOL, image.data, image.n_bytes, lowered->target, &bytes),
      done);
  TN_GOTO(st, add_object(&f, bytes.data, bytes.len), done);
  tn_buf_clear(&bytes);
  TN_GOTO(st, link_library(&f, lowered->target, &bytes), done);
  TN_GOTO(st, tn_file_write(path, bytes.data, bytes.len), done);
done:
  free(image.data);
  tn_buf_deinit(&bytes);
  kernel_file_deinit(&f);
  return st;
}

static tn_status write_text(const tn_lowered *lowered, const tn_compile_opts *opts, tn_emit kind,
                            const char *path) {
  tn_buf text = TN_BUF_INIT;
  tn_codegen_opts cg = codegen_opts(opts, lowered->target);
  tn_status st = tn_llvm_emit(&lowered->module, &cg, kind, &text);
  if (st == NULL) {
    st = tn_file_write(path, text.data, text.len);
  }
  tn_buf_deinit(&text);
  return st;
}

static tn_status write_lowered(const tn_lowered *lowered, const tn_compile_opts *opts,
                               const char *ending, const char *path) {
  if (strcmp(ending, ".tnx") == 0) {
    return write_tnx(lowered, opts, path);
  }
  if (strcmp(ending, ".so") == 0) {
    return write_library(lowered, opts, path);
  }
  if (!tn_module_has_kernels(&lowered->module)) {
    return TN_ERR(TN_INVALID, "%s: the program has no loop function to write", path);
  }
  if (strcmp(ending, ".o") == 0) {
    return write_object(lowered, opts, path);
  }
  return write_text(lowered, opts, strcmp(ending, ".s") == 0 ? TN_EMIT_ASM : TN_EMIT_LL, path);
}

static tn_status save_text(const tn_program *program, const tn_compile_opts *opts,
                           const char *path) {
  if (opts->func == NULL) {
    return tn_program_save(program, path);
  }
  tn_program part = {.ir = program->ir};
  tn_module_init_copy(&part.module, &program->module);
  tn_status st = tn_driver_keep_only(&part.module, opts->func);
  st = st == NULL ? tn_program_save(&part, path) : st;
  tn_module_deinit(&part.module);
  return st;
}

tn_status tn_program_write(const tn_program *program, const tn_compile_opts *opts,
                           const char *path) {
  static const char *const endings[] = {".tnx", ".so", ".o", ".s", ".ll"};
  const char *slash = strrchr(path, '/');
  const char *dot = strrchr(slash != NULL ? slash : path, '.');
  opts = opts != NULL ? opts : &defaults;
  if (opts->exports_tvm_ffi && (dot == NULL || strcmp(dot, ".so") != 0)) {
    return TN_ERR(TN_INVALID, "%s: only a library (.so) can export the functions of tvm-ffi", path);
  }
  if (dot != NULL && strcmp(dot, ".py") == 0) {
    return save_text(program, opts, path);
  }
  for (size_t i = 0; i < sizeof endings / sizeof *endings; ++i) {
    if (dot != NULL && strcmp(dot, endings[i]) == 0) {
      tn_lowered lowered = {0};
      TN_TRY(tn_driver_lower(program, opts, &lowered));
      tn_status st = write_lowered(&lowered, opts, endings[i], path);
      tn_lowered_deinit(&lowered);
      return st;
    }
  }
  return TN_ERR(TN_INVALID, "%s: the ending says what to write: .tnx, .so, .o, .s, .ll or .py",
                path);
}
