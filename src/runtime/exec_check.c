/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Checks an executable image as hostile input: from the header inwards, nothing is used before it
 * is known to lie in bounds. What passes can be indexed freely by loader, printer and machine.
 * Native code cannot be checked; the checksum guards it against accidents only. */
#include <string.h>

#include "base/array.h"
#include "base/vec.h"
#include "runtime/exec.h"
#include "runtime/exec_image.h"
#include "runtime/tensor.h"

static tn_status check_header(const uint8_t *bytes, size_t n_bytes) {
  tn_exec_header header;
  if (n_bytes < sizeof header) {
    return TN_ERR(TN_CORRUPT, "not an executable: %zu bytes are less than its header", n_bytes);
  }
  memcpy(&header, bytes, sizeof header);
  if (header.magic != TN_EXEC_MAGIC) {
    return TN_ERR(TN_CORRUPT, "not an executable: it starts with other bytes");
  }
  if (header.version != TN_EXEC_VERSION) {
    return TN_ERR(TN_UNSUPPORTED, "executable of format version %u; this runtime reads version %d",
                  header.version, (int)TN_EXEC_VERSION);
  }
  if (header.n_bytes != n_bytes) {
    return TN_ERR(TN_CORRUPT,
                  "the executable is cut short or grown: it says %llu bytes, there are %zu",
                  (unsigned long long)header.n_bytes, n_bytes);
  }
  uint64_t checksum = tn_exec_checksum(bytes, n_bytes);
  if (header.checksum != checksum) {
    return TN_ERR(TN_CORRUPT,
                  "the executable is damaged: its checksum is %016llx, its bytes give %016llx",
                  (unsigned long long)header.checksum, (unsigned long long)checksum);
  }
  if (header.reserved != 0) {
    return TN_ERR(TN_CORRUPT, "a reserved word of the executable's header is not 0");
  }
  if (header.n_sections > TN_EXEC_KERNELS) {
    return TN_ERR(TN_CORRUPT, "the executable has %u sections; there are %d kinds",
                  header.n_sections, (int)TN_EXEC_KERNELS);
  }
  if (header.n_sections * sizeof(tn_exec_section) > n_bytes - sizeof header) {
    return TN_ERR(TN_CORRUPT, "the section table leaves the executable");
  }
  return NULL;
}

/* What one section holds: size of an element, and where its window goes. */
typedef struct window {
  size_t elem_bytes;
  const void **start;
  size_t *n_elems;
} window;

static tn_status check_section(const uint8_t *bytes, size_t n_bytes, const tn_exec_section *s,
                               const window *w) {
  size_t align = s->kind == TN_EXEC_DATA ? TN_IMAGE_PAGE_BYTES : TN_IMAGE_ALIGN_BYTES;
  if (s->reserved != 0 || s->offset % align != 0 || s->offset > n_bytes ||
      s->n_bytes > n_bytes - s->offset) {
    return TN_ERR(TN_CORRUPT, "section %u leaves the executable or is not aligned", s->kind);
  }
  if (s->n_bytes % w->elem_bytes != 0) {
    return TN_ERR(TN_CORRUPT, "section %u has a broken last entry", s->kind);
  }
  if (*w->start != NULL) {
    return TN_ERR(TN_CORRUPT, "section %u is there twice", s->kind);
  }
  *w->start = bytes + s->offset;
  *w->n_elems = s->n_bytes / w->elem_bytes;
  return NULL;
}

static tn_status find_sections(tn_exec_view *v, const uint8_t *bytes, size_t n_bytes) {
  const void *starts[TN_EXEC_KERNELS + 1] = {0};
  window windows[TN_EXEC_KERNELS + 1] = {
      [TN_EXEC_STRINGS] = {1, &starts[TN_EXEC_STRINGS], &v->n_string_bytes},
      [TN_EXEC_FUNCS] = {sizeof(tn_exec_func), &starts[TN_EXEC_FUNCS], &v->n_funcs},
      [TN_EXEC_PARAMS] = {sizeof(tn_exec_type), &starts[TN_EXEC_PARAMS], &v->n_types},
      [TN_EXEC_DIMS] = {sizeof(int64_t), &starts[TN_EXEC_DIMS], &v->n_dims},
      [TN_EXEC_CODE] = {sizeof(int64_t), &starts[TN_EXEC_CODE], &v->n_code},
      [TN_EXEC_CONSTS] = {sizeof(tn_exec_const), &starts[TN_EXEC_CONSTS], &v->n_consts},
      [TN_EXEC_DATA] = {1, &starts[TN_EXEC_DATA], &v->n_data_bytes},
      [TN_EXEC_KERNELS] = {1, &starts[TN_EXEC_KERNELS], &v->n_kernel_bytes},
  };
  v->bytes = bytes;
  v->header = (const tn_exec_header *)(const void *)bytes;
  const tn_exec_section *table =
      (const tn_exec_section *)(const void *)(bytes + sizeof(tn_exec_header));
  for (uint32_t i = 0; i < v->header->n_sections; ++i) {
    if (table[i].kind < TN_EXEC_STRINGS || table[i].kind > TN_EXEC_KERNELS) {
      return TN_ERR(TN_CORRUPT, "section %u has unknown kind %u", i, table[i].kind);
    }
    TN_TRY(check_section(bytes, n_bytes, &table[i], &windows[table[i].kind]));
  }
  v->strings = starts[TN_EXEC_STRINGS];
  v->funcs = starts[TN_EXEC_FUNCS];
  v->types = starts[TN_EXEC_PARAMS];
  v->dims = starts[TN_EXEC_DIMS];
  v->code = starts[TN_EXEC_CODE];
  v->consts = starts[TN_EXEC_CONSTS];
  v->data = starts[TN_EXEC_DATA];
  v->kernels = starts[TN_EXEC_KERNELS];
  return NULL;
}

static tn_status check_strings(const tn_exec_view *v) {
  if (v->n_string_bytes == 0 || v->strings[0] != 0 || v->strings[v->n_string_bytes - 1] != 0) {
    return TN_ERR(TN_CORRUPT, "the string table does not start and end with a NUL");
  }
  if (v->header->cpu_features >= v->n_string_bytes || v->header->producer >= v->n_string_bytes) {
    return TN_ERR(TN_CORRUPT, "a string of the header leaves the string table");
  }
  return NULL;
}

static tn_status check_type(const tn_exec_view *v, const tn_exec_type *t, const char *what,
                            size_t index) {
  bool is_good = t->name < v->n_string_bytes && t->text < v->n_string_bytes &&
                 t->kind <= TN_EXEC_TY_FUNC && t->ndim >= -1 && t->ndim <= TN_MAX_NDIM;
  if (is_good && t->ndim > 0) {
    is_good = t->dims <= v->n_dims && (size_t)t->ndim <= v->n_dims - t->dims;
  }
  if (is_good && t->dtype != TN_DT_NONE) {
    tn_status st = tn_dtype_check(t->dtype);
    is_good = st == NULL;
    tn_status_free(st);
  }
  return is_good ? NULL : TN_ERR(TN_CORRUPT, "the type of %s %zu is broken", what, index);
}

static tn_status check_func(const tn_exec_view *v, size_t index) {
  const tn_exec_func *f = &v->funcs[index];
  if (f->name >= v->n_string_bytes || f->doc >= v->n_string_bytes ||
      tn_exec_str(v, f->name)[0] == 0) {
    return TN_ERR(TN_CORRUPT, "function %zu has no name in the string table", index);
  }
  if (f->kind < TN_EXEC_FN_VM || f->kind > TN_EXEC_FN_PACKED || f->is_public > 1) {
    return TN_ERR(TN_CORRUPT, "function %zu is of unknown kind %u", index, f->kind);
  }
  if (f->kind == TN_EXEC_FN_PACKED || (f->kind == TN_EXEC_FN_KERNEL && f->is_public == 0)) {
    return NULL; /* a name is all that is used of these */
  }
  if (f->n_params > TN_EXEC_MAX_PARAMS || f->params > v->n_types ||
      f->n_params + 1 > v->n_types - f->params) {
    return TN_ERR(TN_CORRUPT, "the parameters of function '%s' leave their section",
                  tn_exec_str(v, f->name));
  }
  if (f->kind == TN_EXEC_FN_KERNEL) {
    return NULL;
  }
  if (f->code_begin >= f->code_end || f->code_end > v->n_code) {
    return TN_ERR(TN_CORRUPT, "the code of function '%s' is empty or leaves its section",
                  tn_exec_str(v, f->name));
  }
  if (f->n_regs < f->n_params || f->n_regs > TN_EXEC_MAX_REGS || f->n_slots > TN_EXEC_MAX_SLOTS) {
    return TN_ERR(
        TN_CORRUPT,
        "function '%s' has %u registers and %u slots; at most %d and %d, and one a parameter",
        tn_exec_str(v, f->name), f->n_regs, f->n_slots, (int)TN_EXEC_MAX_REGS,
        (int)TN_EXEC_MAX_SLOTS);
  }
  return NULL;
}

static tn_status check_const_tensor(const tn_exec_view *v, size_t index) {
  const tn_exec_const *c = &v->consts[index];
  size_t n_bytes = 0;
  bool is_good = c->type.ndim >= 0 && c->type.dtype != TN_DT_NONE &&
                 tn_shape_bytes(c->type.ndim, v->dims + c->type.dims, c->type.dtype, &n_bytes) &&
                 n_bytes == c->n_bytes && c->offset % TN_IMAGE_ALIGN_BYTES == 0 &&
                 c->offset <= v->n_data_bytes && c->n_bytes <= v->n_data_bytes - c->offset;
  return is_good ? NULL
                 : TN_ERR(TN_CORRUPT, "tensor constant %zu does not fit its type or its section",
                          index);
}

static tn_status check_const(const tn_exec_view *v, size_t index) {
  const tn_exec_const *c = &v->consts[index];
  TN_TRY(check_type(v, &c->type, "constant", index));
  switch (c->kind) {
    case TN_EXEC_C_TENSOR:
      return check_const_tensor(v, index);
    case TN_EXEC_C_SHAPE:
      return c->type.ndim >= 0 ? NULL : TN_ERR(TN_CORRUPT, "shape constant %zu has no rank", index);
    case TN_EXEC_C_STR:
      if (c->bits < 0 || (uint64_t)c->bits >= v->n_string_bytes) {
        return TN_ERR(TN_CORRUPT, "text constant %zu leaves the string table", index);
      }
      return NULL;
    case TN_EXEC_C_INT:
    case TN_EXEC_C_FLOAT:
      return NULL;
    default:
      return TN_ERR(TN_CORRUPT, "constant %zu is of unknown kind %u", index, c->kind);
  }
}

static tn_status check_public_names(const tn_exec_view *v) {
  tn_status st = NULL;
  tn_strmap seen = {0};
  for (size_t i = 0; st == NULL && i < v->n_funcs; ++i) {
    const tn_exec_func *f = &v->funcs[i];
    if (f->kind == TN_EXEC_FN_PACKED || f->is_public == 0) {
      continue;
    }
    const char *name = tn_exec_str(v, f->name);
    if (tn_strmap_has(&seen, name)) {
      st = TN_ERR(TN_CORRUPT, "two public functions are called '%s'", name);
    }
    tn_strmap_set(&seen, name, NULL);
  }
  tn_strmap_deinit(&seen);
  return st;
}

/* Code of different functions may not overlap: checking takes time in proportion to the image. */
static tn_status check_all_code(const tn_exec_view *v) {
  size_t n_words = 0;
  for (size_t i = 0; i < v->n_funcs; ++i) {
    const tn_exec_func *f = &v->funcs[i];
    if (f->kind != TN_EXEC_FN_VM) {
      continue;
    }
    n_words += f->code_end - f->code_begin;
    if (n_words > v->n_code) {
      return TN_ERR(TN_CORRUPT, "the functions have more code than there is");
    }
    TN_TRY(tn_exec_check_code(v, i));
  }
  return NULL;
}

tn_status tn_exec_view_init(tn_exec_view *view, const uint8_t *bytes, size_t n_bytes) {
  tn_exec_view v = {0};
  TN_TRY(check_header(bytes, n_bytes));
  TN_TRY(find_sections(&v, bytes, n_bytes));
  TN_TRY(check_strings(&v));
  if (v.n_funcs > TN_EXEC_MAX_PARAMS || v.n_consts > INT32_MAX) {
    return TN_ERR(TN_CORRUPT, "the executable has %zu functions and %zu constants", v.n_funcs,
                  v.n_consts);
  }
  for (size_t i = 0; i < v.n_types; ++i) {
    TN_TRY(check_type(&v, &v.types[i], "parameter", i));
  }
  for (size_t i = 0; i < v.n_consts; ++i) {
    TN_TRY(check_const(&v, i));
  }
  for (size_t i = 0; i < v.n_funcs; ++i) {
    TN_TRY(check_func(&v, i));
  }
  TN_TRY(check_public_names(&v));
  TN_TRY(check_all_code(&v)); /* after all functions: calls look at their callees */
  *view = v;
  return NULL;
}

tn_status tn_exec_check_machine(const tn_exec_view *view) {
  uint32_t arch = view->header->arch;
  if (arch != 0 && arch != tn_elf_this_arch()) {
    const char *name = arch == TN_EXEC_ARCH_X86_64    ? "x86-64"
                       : arch == TN_EXEC_ARCH_AARCH64 ? "AArch64"
                       : arch == TN_EXEC_ARCH_RISCV64 ? "RISC-V"
                                                      : "unknown";
    return TN_ERR(
        TN_UNSUPPORTED,
        "the executable's kernels are for another architecture (%s, ELF machine %u); this "
        "machine is ELF machine %u",
        name, arch, tn_elf_this_arch());
  }
  return tn_cpu_check_features(tn_exec_str(view, view->header->cpu_features));
}
