/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The tables of an executable while it is made: texts, types, constants (equal ones once, tensors
 * aligned to 64 bytes), functions; and the bytes they become (abi/exec.h). */
#include <stdlib.h>
#include <string.h>

#include "abi/exec_layout.h"
#include "base/hash.h"
#include "codegen/vm/vm_emit.h"

void tn_vm_tables_deinit(tn_vm_tables *t) {
  tn_buf_deinit(&t->strings);
  tn_strmap_deinit(&t->string_at);
  TN_VEC_DEINIT(&t->funcs);
  TN_VEC_DEINIT(&t->types);
  TN_VEC_DEINIT(&t->dims);
  TN_VEC_DEINIT(&t->code);
  TN_VEC_DEINIT(&t->consts);
  TN_VEC_DEINIT(&t->const_arrays);
  tn_map_deinit(&t->const_at);
  tn_strmap_deinit(&t->vm_funcs);
  tn_strmap_deinit(&t->kernels);
  tn_strmap_deinit(&t->packed);
}

uint32_t tn_vm_string(tn_vm_tables *t, const char *text) {
  if (t->strings.len == 0) {
    tn_buf_putc(&t->strings, 0);
  }
  if (text[0] == '\0') {
    return 0;
  }
  uint32_t known = (uint32_t)(uintptr_t)tn_strmap_find(&t->string_at, text);
  if (known != 0) {
    return known;
  }
  uint32_t offset = (uint32_t)t->strings.len;
  tn_buf_append(&t->strings, text, strlen(text) + 1);
  tn_strmap_set(&t->string_at, text, (void *)(uintptr_t)offset);
  return offset;
}

/* ---- constants ---- */

static int64_t push_const(tn_vm_tables *t, const tn_exec_const *c, const tn_array *array) {
  TN_VEC_PUSH(&t->consts, *c);
  TN_VEC_PUSH(&t->const_arrays, array);
  return (int64_t)t->consts.len - 1;
}

static int64_t find_or_push_bits(tn_vm_tables *t, uint32_t kind, int64_t bits) {
  uint64_t hash = tn_hash_mix(kind, (uint64_t)bits);
  uint64_t at = 0;
  if (tn_map_find(&t->const_at, hash, &at) && t->consts.data[at].kind == kind &&
      t->consts.data[at].bits == bits) {
    return (int64_t)at;
  }
  tn_exec_const c = {.kind = kind, .bits = bits};
  int64_t index = push_const(t, &c, NULL);
  tn_map_set(&t->const_at, hash, (uint64_t)index);
  return index;
}

int64_t tn_vm_const_str(tn_vm_tables *t, const char *text) {
  return find_or_push_bits(t, TN_EXEC_C_STR, tn_vm_string(t, text));
}

int64_t tn_vm_const_int(tn_vm_tables *t, int64_t value) {
  return find_or_push_bits(t, TN_EXEC_C_INT, value);
}

int64_t tn_vm_const_float(tn_vm_tables *t, double value) {
  int64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return find_or_push_bits(t, TN_EXEC_C_FLOAT, bits);
}

static uint32_t push_dims(tn_vm_tables *t, uint32_t n, const int64_t *dims) {
  uint32_t first = (uint32_t)t->dims.len;
  for (uint32_t i = 0; i < n; ++i) {
    TN_VEC_PUSH(&t->dims, dims[i]);
  }
  return first;
}

int64_t tn_vm_const_shape(tn_vm_tables *t, uint32_t n, const int64_t *dims) {
  uint64_t hash = tn_hash_bytes(TN_EXEC_C_SHAPE, dims, n * sizeof *dims);
  uint64_t at = 0;
  if (tn_map_find(&t->const_at, hash, &at)) {
    const tn_exec_const *c = &t->consts.data[at];
    if (c->kind == TN_EXEC_C_SHAPE && c->type.ndim == (int32_t)n &&
        (n == 0 || memcmp(t->dims.data + c->type.dims, dims, n * sizeof *dims) == 0)) {
      return (int64_t)at;
    }
  }
  tn_exec_const c = {.kind = TN_EXEC_C_SHAPE};
  c.type =
      (tn_exec_type){.kind = TN_EXEC_TY_SHAPE, .ndim = (int32_t)n, .dims = push_dims(t, n, dims)};
  int64_t index = push_const(t, &c, NULL);
  tn_map_set(&t->const_at, hash, (uint64_t)index);
  return index;
}

int64_t tn_vm_const_tensor(tn_vm_tables *t, const tn_array *array) {
  size_t n_bytes = tn_array_n_bytes(array);
  uint64_t hash = tn_hash_bytes(array->dtype, array->data, n_bytes);
  uint64_t at = 0;
  if (tn_map_find(&t->const_at, hash, &at) && t->const_arrays.data[at] != NULL &&
      tn_array_equal(t->const_arrays.data[at], array)) {
    return (int64_t)at;
  }
  size_t rest = t->n_data % TN_IMAGE_ALIGN_BYTES;
  t->n_data += rest != 0 ? TN_IMAGE_ALIGN_BYTES - rest : 0;
  tn_exec_const c = {.kind = TN_EXEC_C_TENSOR, .offset = t->n_data, .n_bytes = n_bytes};
  c.type = (tn_exec_type){.kind = TN_EXEC_TY_TENSOR,
                          .dtype = array->dtype,
                          .ndim = array->ndim,
                          .dims = push_dims(t, (uint32_t)array->ndim, array->shape)};
  t->n_data += n_bytes;
  int64_t index = push_const(t, &c, array);
  tn_map_set(&t->const_at, hash, (uint64_t)index);
  return index;
}

/* ---- types and functions ---- */

static uint32_t type_kind(const tn_node *type) {
  switch ((int)type->op) {
    case TN_OP_TY_TENSOR:
      return TN_EXEC_TY_TENSOR;
    case TN_OP_TY_SHAPE:
      return TN_EXEC_TY_SHAPE;
    case TN_OP_TY_PRIM:
      return TN_EXEC_TY_SCALAR;
    case TN_OP_TY_TUPLE:
      return TN_EXEC_TY_TUPLE;
    case TN_OP_TY_FUNC:
      return TN_EXEC_TY_FUNC;
    default:
      return TN_EXEC_TY_ANY;
  }
}

void tn_vm_push_type(tn_vm_tables *t, const char *name, const tn_node *type) {
  tn_buf text = TN_BUF_INIT;
  bool is_shaped = type->op == TN_OP_TY_TENSOR || type->op == TN_OP_TY_SHAPE;
  tn_exec_type row = {
      .name = tn_vm_string(t, name), .kind = type_kind(type), .dtype = type->dtype, .ndim = -1};
  if (is_shaped) {
    const tn_node *dims = type->in[0];
    bool is_known = !tn_is_none(dims);
    row.ndim = (int32_t)type->attr.i64;
    row.dims = (uint32_t)t->dims.len;
    for (int32_t d = 0; d < row.ndim; ++d) {
      bool is_fixed = is_known && dims->in[d]->op == TN_OP_INT;
      TN_VEC_PUSH(&t->dims, is_fixed ? dims->in[d]->attr.i64 : -1);
    }
  }
  tn_ty_print(type, &text);
  row.text = tn_vm_string(t, tn_is_none(type) ? "R.Object" : tn_buf_text(&text));
  tn_buf_deinit(&text);
  TN_VEC_PUSH(&t->types, row);
}

int64_t tn_vm_func_find(const tn_strmap *map, const char *name) {
  return (int64_t)(uintptr_t)tn_strmap_find(map, name) - 1;
}

int64_t tn_vm_packed(tn_vm_tables *t, const char *name) {
  int64_t known = tn_vm_func_find(&t->packed, name);
  if (known >= 0) {
    return known;
  }
  tn_exec_func f = {.name = tn_vm_string(t, name), .kind = TN_EXEC_FN_PACKED};
  TN_VEC_PUSH(&t->funcs, f);
  tn_strmap_set(&t->packed, name, (void *)(uintptr_t)t->funcs.len);
  return (int64_t)t->funcs.len - 1;
}

/* ---- the image ---- */

/* What the constants' offsets tell is room for their elements; gaps are zero. */
static void write_data(const tn_vm_tables *t, uint8_t *to) {
  size_t at = 0;
  for (size_t i = 0; i < t->consts.len; ++i) {
    const tn_exec_const *c = &t->consts.data[i];
    if (t->const_arrays.data[i] != NULL) {
      memset(to + at, 0, c->offset - at);
      if (c->n_bytes > 0) {
        memcpy(to + c->offset, t->const_arrays.data[i]->data, c->n_bytes);
      }
      at = c->offset + c->n_bytes;
    }
  }
}

static tn_status image_init(tn_exec_bytes *image, size_t n_bytes) {
  size_t n = (n_bytes + TN_IMAGE_ALIGN_BYTES - 1) / TN_IMAGE_ALIGN_BYTES * TN_IMAGE_ALIGN_BYTES;
  image->data = aligned_alloc(TN_IMAGE_ALIGN_BYTES, n);
  image->n_bytes = n_bytes;
  return image->data != NULL
             ? NULL
             : TN_ERR(TN_NO_MEMORY, "no memory for an executable of %zu bytes", n_bytes);
}

tn_status tn_vm_tables_write(const tn_vm_tables *t, uint32_t arch, const char *cpu_features,
                             const void *kernels, size_t n_kernel_bytes, tn_exec_bytes *out_image) {
  tn_buf strings = TN_BUF_INIT; /* with the header's own at the end */
  tn_buf_append(&strings, t->strings.data, t->strings.len);
  uint32_t features = (uint32_t)strings.len;
  tn_buf_append(&strings, cpu_features, strlen(cpu_features) + 1);
  uint32_t producer = (uint32_t)strings.len;
  static const char producer_text[] = "tenon 0.1.0";
  tn_buf_append(&strings, producer_text, sizeof producer_text);
  const struct {
    uint32_t kind;
    const void *bytes;
    size_t n_bytes;
  } all[] = {
      {TN_EXEC_STRINGS, strings.data, strings.len},
      {TN_EXEC_FUNCS, t->funcs.data, t->funcs.len * sizeof *t->funcs.data},
      {TN_EXEC_PARAMS, t->types.data, t->types.len * sizeof *t->types.data},
      {TN_EXEC_DIMS, t->dims.data, t->dims.len * sizeof *t->dims.data},
      {TN_EXEC_CODE, t->code.data, t->code.len * sizeof *t->code.data},
      {TN_EXEC_CONSTS, t->consts.data, t->consts.len * sizeof *t->consts.data},
      {TN_EXEC_DATA, NULL, t->n_data},
      {TN_EXEC_KERNELS, kernels, n_kernel_bytes},
  };
  enum { N_SECTIONS = sizeof all / sizeof all[0] };
  tn_exec_section rows[N_SECTIONS] = {{0}};
  for (uint32_t i = 0; i < N_SECTIONS; ++i) {
    rows[i].kind = all[i].kind;
    rows[i].n_bytes = all[i].n_bytes;
  }
  uint64_t n_bytes = tn_exec_layout(rows, N_SECTIONS);
  tn_exec_header header = {.magic = TN_EXEC_MAGIC,
                           .version = TN_EXEC_VERSION,
                           .arch = arch,
                           .n_bytes = n_bytes,
                           .n_sections = N_SECTIONS,
                           .cpu_features = features,
                           .producer = producer};
  tn_status st = image_init(out_image, n_bytes);
  if (st == NULL) {
    uint8_t *to = out_image->data;
    size_t at = sizeof header + sizeof rows;
    memcpy(to + sizeof header, rows, sizeof rows);
    for (uint32_t i = 0; i < N_SECTIONS; ++i) {
      memset(to + at, 0, rows[i].offset - at);
      if (all[i].kind == TN_EXEC_DATA) {
        write_data(t, to + rows[i].offset);
      } else if (all[i].n_bytes > 0) {
        memcpy(to + rows[i].offset, all[i].bytes, all[i].n_bytes);
      }
      at = rows[i].offset + all[i].n_bytes;
    }
    memset(to + at, 0, n_bytes - at);
    memcpy(to, &header, sizeof header);
    header.checksum = tn_exec_checksum(to, n_bytes);
    memcpy(to, &header, sizeof header);
  }
  tn_buf_deinit(&strings);
  return st;
}
