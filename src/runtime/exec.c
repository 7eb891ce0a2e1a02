/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Loads executables: from a .tnx file (mapped; kernels through an anonymous file and the dynamic
 * linker), from a .so (the linker maps it, the image is one of its symbols), from memory (kernels
 * found by the caller, the JIT's case). Once loaded, an exec never changes and may be shared by any
 * number of machines and threads. */
#include "runtime/exec.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "runtime/exec_image.h"
#include "runtime/mem.h"
#include "runtime/tensor.h"

/* ---- where the bytes come from ---- */

static void unload_mapped(tn_image_owner *owner) {
  tn_mapped_file file = {.data = owner->mapped, .n_bytes = owner->n_mapped};
  tn_mapped_file_deinit(&file);
}

static void unload_copy(tn_image_owner *owner) { tn_mem_free((void *)(uintptr_t)owner->mapped); }

static void destroy_owner(tn_object *obj) {
  tn_image_owner *owner = (tn_image_owner *)obj;
  if (owner->library != NULL) {
    dlclose(owner->library);
  }
  if (owner->fd >= 0) {
    close(owner->fd);
  }
  if (owner->unload != NULL) {
    owner->unload(owner);
  }
  if (owner->free_ctx != NULL) {
    owner->free_ctx(owner->ctx);
  }
  tn_mem_free(owner);
}

static const tn_object_type owner_type = {destroy_owner, "executable image"};

static tn_status owner_new(tn_image_owner **out_owner) {
  tn_image_owner *owner = tn_mem_alloc(sizeof *owner);
  if (owner == NULL) {
    return tn_mem_error("an executable", sizeof *owner);
  }
  tn_object_init(&owner->obj, &owner_type);
  owner->fd = -1;
  *out_owner = owner;
  return NULL;
}

/* The linker knows libraries by name, and this name is unique only as long as the file is open: so
 * the owner keeps it open as long as the library is there. */
static tn_status open_library(tn_image_owner *owner) {
  char name[64];
  snprintf(name, sizeof name, "/proc/self/fd/%d", owner->fd);
  owner->library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (owner->library == NULL) {
    return TN_ERR(TN_CORRUPT, "the dynamic linker refuses the kernels: %s", dlerror());
  }
  return NULL;
}

static tn_status open_blob(tn_image_owner *owner, const uint8_t *bytes, size_t n_bytes) {
  owner->fd = memfd_create("tenon-kernels", MFD_CLOEXEC);
  if (owner->fd < 0) {
    return TN_ERR(TN_IO, "no anonymous file for the kernels can be made");
  }
  for (size_t at = 0; at < n_bytes;) {
    ssize_t n = write(owner->fd, bytes + at, n_bytes - at);
    if (n <= 0) {
      return TN_ERR(TN_IO, "the kernels cannot be written to an anonymous file (%zu bytes)",
                    n_bytes);
    }
    at += (size_t)n;
  }
  return open_library(owner);
}

/* ---- making an exec of a checked view ---- */

static void destroy_exec(tn_object *obj) {
  tn_exec *exec = (tn_exec *)obj;
  for (size_t i = 0; exec->consts != NULL && i < exec->view.n_consts; ++i) {
    tn_arg_release(&exec->consts[i]);
  }
  tn_mem_free(exec->consts);
  tn_mem_free(exec->kernels);
  tn_mem_free(exec->publics);
  if (exec->owner != NULL) {
    tn_object_release(&exec->owner->obj);
  }
  tn_mem_free(exec);
}

static const tn_object_type exec_type = {destroy_exec, "executable"};

static tn_status make_const_tensor(tn_exec *exec, const tn_exec_const *c, tn_arg *out) {
  tn_tensor *tensor = NULL;
  TN_TRY(tn_tensor_new_blank(c->type.ndim, &tensor));
  DLTensor dl = {
      .data = (void *)(uintptr_t)(exec->view.data + c->offset), /* marked read-only below */
      .device = {kDLCPU, 0},
      .ndim = c->type.ndim,
      .dtype = tn_dtype_to_dl(c->type.dtype),
      .shape = (int64_t *)(uintptr_t)(exec->view.dims + c->type.dims),
  };
  tn_status st = tn_tensor_set_borrowed(tensor, NULL, &dl);
  if (st != NULL) {
    tn_tensor_release(tensor);
    return st;
  }
  tensor->is_read_only = true;
  tensor->owner = &exec->owner->obj;
  tn_object_retain(tensor->owner);
  *out = tn_arg_of_tensor(tensor);
  return NULL;
}

static tn_status make_const(tn_exec *exec, size_t index) {
  const tn_exec_const *c = &exec->view.consts[index];
  tn_arg *out = &exec->consts[index];
  switch (c->kind) {
    case TN_EXEC_C_TENSOR:
      return make_const_tensor(exec, c, out);
    case TN_EXEC_C_SHAPE: {
      tn_shape *shape = NULL;
      TN_TRY(tn_shape_create(c->type.ndim, exec->view.dims + c->type.dims, &shape));
      *out = tn_arg_of_shape(shape);
      return NULL;
    }
    case TN_EXEC_C_STR: {
      tn_string *str = NULL;
      TN_TRY(tn_string_create(tn_exec_str(&exec->view, (uint32_t)c->bits), &str));
      *out = tn_arg_of_string(str);
      return NULL;
    }
    case TN_EXEC_C_INT:
      *out = tn_arg_of_int(c->bits);
      return NULL;
    default: { /* FLOAT, as checked */
      double value;
      memcpy(&value, &c->bits, sizeof value);
      *out = tn_arg_of_float(value);
      return NULL;
    }
  }
}

typedef struct kernel_source {
  tn_kernel_fn (*find)(void *ctx, const char *name); /* NULL: the owner's library */
  void *ctx;
} kernel_source;

static tn_status find_kernel(tn_exec *exec, const kernel_source *source, size_t index) {
  const char *name = tn_exec_str(&exec->view, exec->view.funcs[index].name);
  void *symbol = NULL;
  if (source->find != NULL) {
    exec->kernels[index] = source->find(source->ctx, name);
  } else if (exec->owner->library != NULL) {
    symbol = dlsym(exec->owner->library, name);
    memcpy(&exec->kernels[index], &symbol,
           sizeof symbol); /* data to function pointer: POSIX's blessing, not C's */
  }
  if (exec->kernels[index] == NULL) {
    return TN_ERR(TN_CORRUPT, "the executable has no code for its kernel '%s'", name);
  }
  return NULL;
}

static void *alloc_array(size_t n, size_t elem_bytes) {
  size_t n_bytes = 0;
  return tn_mul_size(n, elem_bytes, &n_bytes) ? tn_mem_alloc(n_bytes) : NULL;
}

/* owner: retained by the new exec. */
static tn_status exec_new(tn_image_owner *owner, const tn_exec_view *view,
                          const kernel_source *source, tn_exec **out_exec) {
  tn_exec *exec = tn_mem_alloc(sizeof *exec);
  if (exec == NULL) {
    return tn_mem_error("an executable", sizeof *exec);
  }
  tn_status st = NULL;
  tn_object_init(&exec->obj, &exec_type);
  exec->view = *view;
  exec->owner = owner;
  tn_object_retain(&owner->obj);
  exec->kernels = alloc_array(view->n_funcs, sizeof(tn_kernel_fn));
  exec->consts = alloc_array(view->n_consts, sizeof(tn_arg));
  exec->publics = alloc_array(view->n_funcs, sizeof(int32_t));
  if (exec->kernels == NULL || exec->consts == NULL || exec->publics == NULL) {
    TN_GOTO(st, tn_mem_error("an executable's tables", view->n_funcs + view->n_consts), done);
  }
  for (size_t i = 0; i < view->n_consts; ++i) {
    TN_GOTO(st, make_const(exec, i), done);
  }
  for (size_t i = 0; i < view->n_funcs; ++i) {
    const tn_exec_func *f = &view->funcs[i];
    if (f->kind == TN_EXEC_FN_KERNEL) {
      TN_GOTO(st, find_kernel(exec, source, i), done);
    }
    if (f->kind != TN_EXEC_FN_PACKED && f->is_public == 1) {
      exec->publics[exec->n_publics++] = (int32_t)i;
    }
  }
  *out_exec = exec;
  exec = NULL;
done:
  tn_exec_release(exec);
  return st;
}

static bool has_kernels(const tn_exec_view *view) {
  for (size_t i = 0; i < view->n_funcs; ++i) {
    if (view->funcs[i].kind == TN_EXEC_FN_KERNEL) {
      return true;
    }
  }
  return false;
}

/* ---- the three ways in ---- */

static tn_status open_image(tn_image_owner *owner, const uint8_t *bytes, size_t n_bytes,
                            const kernel_source *source, tn_exec **out_exec) {
  tn_exec_view view = {0};
  TN_TRY(tn_exec_view_init(&view, bytes, n_bytes));
  TN_TRY(tn_exec_check_machine(&view));
  if (source->find == NULL && owner->library == NULL && view.n_kernel_bytes > 0 &&
      has_kernels(&view)) {
    TN_TRY(tn_elf_check(view.kernels, view.n_kernel_bytes, view.header->arch));
    TN_TRY(open_blob(owner, view.kernels, view.n_kernel_bytes));
  }
  return exec_new(owner, &view, source, out_exec);
}

/* The image inside a loaded library, as large as its symbol says. */
static tn_status find_image(void *library, const uint8_t **out_bytes, size_t *out_n_bytes) {
  const uint8_t *bytes = dlsym(library, TN_EXEC_IMAGE_SYMBOL);
  Dl_info info;
  void *extra = NULL;
  if (bytes == NULL || dladdr1(bytes, &info, &extra, RTLD_DL_SYMENT) == 0 || extra == NULL) {
    return TN_ERR(TN_CORRUPT, "a shared library that holds no executable (symbol %s)",
                  TN_EXEC_IMAGE_SYMBOL);
  }
  size_t n_symbol = ((const ElfW(Sym) *)extra)->st_size;
  tn_exec_header header;
  if (n_symbol < sizeof header || (uintptr_t)bytes % TN_IMAGE_ALIGN_BYTES != 0) {
    return TN_ERR(TN_CORRUPT, "the image in the library is cut short or not aligned");
  }
  memcpy(&header, bytes, sizeof header);
  if (header.magic == TN_EXEC_MAGIC && header.n_bytes > n_symbol) {
    return TN_ERR(TN_CORRUPT,
                  "the image in the library is cut short: it says %llu bytes, there are %zu",
                  (unsigned long long)header.n_bytes, n_symbol);
  }
  *out_bytes = bytes;
  *out_n_bytes = header.magic == TN_EXEC_MAGIC ? header.n_bytes : n_symbol;
  return NULL;
}

static tn_status load_library(tn_image_owner *owner, const char *path, tn_exec **out_exec) {
  const uint8_t *bytes = NULL;
  size_t n_bytes = 0;
  TN_TRY(tn_elf_check(owner->mapped, owner->n_mapped, 0));
  owner->fd = open(path, O_RDONLY | O_CLOEXEC);
  if (owner->fd < 0) {
    return TN_ERR(TN_IO, "the file cannot be opened a second time");
  }
  TN_TRY(open_library(owner));
  TN_TRY(find_image(owner->library, &bytes, &n_bytes));
  return open_image(owner, bytes, n_bytes, &(kernel_source){0}, out_exec);
}

tn_status tn_exec_load(const char *path, tn_exec **out_exec) {
  tn_status st = NULL;
  tn_image_owner *owner = NULL;
  tn_mapped_file file = {0};
  TN_GOTO(st, owner_new(&owner), done);
  TN_GOTO(st, tn_mapped_file_init(&file, path), done);
  owner->mapped = file.data;
  owner->n_mapped = file.n_bytes;
  owner->unload = unload_mapped;
  if (tn_elf_is(file.data, file.n_bytes)) {
    TN_GOTO(st, load_library(owner, path, out_exec), done);
  } else {
    TN_GOTO(st, open_image(owner, file.data, file.n_bytes, &(kernel_source){0}, out_exec), done);
  }
done:
  if (owner != NULL) {
    tn_object_release(&owner->obj);
  }
  return tn_status_wrap(st, "loading %s", path);
}

tn_status tn_exec_from_memory(const void *bytes, size_t n_bytes,
                              tn_kernel_fn (*find)(void *ctx, const char *name), void *ctx,
                              void (*free_ctx)(void *ctx), tn_exec **out_exec) {
  tn_status st = NULL;
  tn_image_owner *owner = NULL;
  const uint8_t *image = bytes;
  TN_GOTO(st, owner_new(&owner), done);
  if ((uintptr_t)bytes % TN_IMAGE_ALIGN_BYTES != 0) {
    uint8_t *copy = tn_mem_alloc_aligned(n_bytes, TN_IMAGE_PAGE_BYTES);
    if (copy == NULL) {
      TN_GOTO(st, tn_mem_error("an executable", n_bytes), done);
    }
    memcpy(copy, bytes, n_bytes);
    owner->mapped = copy;
    owner->unload = unload_copy;
    image = copy;
  }
  TN_GOTO(st,
          open_image(owner, image, n_bytes, &(kernel_source){.find = find, .ctx = ctx}, out_exec),
          done);
  /* Attached last: on failure ctx stays the caller's. */
  owner->ctx = ctx;
  owner->free_ctx = free_ctx;
done:
  if (owner != NULL) {
    tn_object_release(&owner->obj);
  }
  return st;
}

void tn_exec_retain(tn_exec *exec) {
  if (exec != NULL) {
    tn_object_retain(&exec->obj);
  }
}

void tn_exec_release(tn_exec *exec) {
  if (exec != NULL) {
    tn_object_release(&exec->obj);
  }
}

/* ---- listing ---- */

static const tn_exec_func *public_func(const tn_exec *exec, int32_t i) {
  return i >= 0 && i < exec->n_publics ? &exec->view.funcs[exec->publics[i]] : NULL;
}

int32_t tn_exec_n_functions(const tn_exec *exec) { return exec->n_publics; }

const char *tn_exec_function_name(const tn_exec *exec, int32_t i) {
  const tn_exec_func *f = public_func(exec, i);
  return f == NULL ? "" : tn_exec_str(&exec->view, f->name);
}

int64_t tn_exec_constant_bytes(const tn_exec *exec) {
  int64_t n_bytes = 0;
  for (size_t i = 0; i < exec->view.n_consts; ++i) {
    const tn_exec_const *c = &exec->view.consts[i];
    n_bytes += c->kind == TN_EXEC_C_TENSOR ? (int64_t)c->n_bytes : 0;
  }
  return n_bytes;
}

const char *tn_exec_function_doc(const tn_exec *exec, int32_t i) {
  const tn_exec_func *f = public_func(exec, i);
  return f == NULL ? "" : tn_exec_str(&exec->view, f->doc);
}

int32_t tn_exec_n_params(const tn_exec *exec, int32_t i) {
  const tn_exec_func *f = public_func(exec, i);
  return f == NULL ? -1 : (int32_t)f->n_params;
}

tn_status tn_exec_param(const tn_exec *exec, int32_t i, int32_t j, tn_param_info *out_info) {
  const tn_exec_func *f = public_func(exec, i);
  if (f == NULL || j < 0 || j > (int32_t)f->n_params) {
    return TN_ERR(TN_INVALID, "no parameter %d of function %d", j, i);
  }
  const tn_exec_type *t = &exec->view.types[f->params + (uint32_t)j];
  if (j == (int32_t)f->n_params && f->kind == TN_EXEC_FN_KERNEL && t->kind != TN_EXEC_TY_SCALAR) {
    return TN_ERR(TN_INVALID,
                  "function %d is a kernel: it writes into its arguments and returns nothing", i);
  }
  *out_info = (tn_param_info){
      .name = tn_exec_str(&exec->view, t->name),
      .text = tn_exec_str(&exec->view, t->text),
      .kind = (int32_t)t->kind,
      .dtype = t->dtype,
      .ndim = t->ndim,
      .dims = t->ndim > 0 ? exec->view.dims + t->dims : NULL,
      .is_output = (t->flags & TN_EXEC_TYPE_WRITTEN) != 0,
      .is_read = (t->flags & TN_EXEC_TYPE_READ) != 0,
  };
  return NULL;
}

int32_t tn_exec_find_function(const tn_exec *exec, const char *name) {
  for (int32_t i = 0; i < exec->n_publics; ++i) {
    if (strcmp(tn_exec_function_name(exec, i), name) == 0) {
      return i;
    }
  }
  return -1;
}
