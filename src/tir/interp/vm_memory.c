/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What running instructions do with memory: allocations, buffers over handles, slices, bit
 * patterns. */
#include <stdlib.h>
#include <string.h>

#include "tir/interp/check_priv.h"
#include "tir/interp/num.h"

static const uint64_t offset_mask = (UINT64_C(1) << TN_HANDLE_SHIFT) - 1;

/* ---- handles ---- */

bool tn_ivm_decode(const tn_ivm *vm, uint64_t handle, uint32_t *out_mem, uint64_t *out_offset) {
  uint64_t mem = handle >> TN_HANDLE_SHIFT;
  if (mem == 0 || mem > vm->prog->mems.len) {
    return false;
  }
  *out_mem = (uint32_t)mem - 1;
  *out_offset = handle & offset_mask;
  return true;
}

uint64_t tn_ivm_handle(const tn_ivm *vm, const tn_ins *in, const char *at) {
  const tn_ibuf *buf = &vm->bufs[in->a];
  return ((uint64_t)buf->mem + 1) << TN_HANDLE_SHIFT | (uint64_t)(at - buf->data);
}

tn_status tn_ivm_offset(tn_ivm *vm, const tn_ins *in) {
  uint32_t mem = 0;
  uint64_t offset = 0;
  if (!tn_ivm_decode(vm, vm->slots[in->a].u, &mem, &offset)) {
    return tn_ivm_error(vm, in, "outside-memory",
                        "a pointer that is to no memory of this call is offset");
  }
  uint64_t moved = offset + vm->slots[in->b].u * in->x;
  if (moved > vm->mems[mem].n_bytes) {
    return tn_ivm_error(vm, in, "outside-memory",
                        "a pointer is moved outside the memory it points to");
  }
  vm->slots[in->d].u = ((uint64_t)mem + 1) << TN_HANDLE_SHIFT | moved;
  return NULL;
}

/* ---- allocations ---- */

tn_status tn_ivm_alloc(tn_ivm *vm, const tn_ins *in) {
  const int32_t *list = &vm->lists[in->c];
  int64_t sizes[TN_MAX_NDIM];
  size_t n_bytes = 0;
  for (int32_t i = 0; i < list[0]; ++i) {
    sizes[i] = vm->slots[list[1 + i]].i;
    if (sizes[i] < 0) {
      return tn_ivm_error(vm, in, "negative-extent", "extent %lld of an allocation is negative",
                          (long long)sizes[i]);
    }
  }
  size_t n_elems = 0;
  bool fits = tn_shape_bytes(list[0], sizes, TN_DT_U8, &n_elems) &&
              tn_mul_size(n_elems, in->x, &n_bytes) && n_bytes < offset_mask;
  tn_imem *mem = &vm->mems[in->a];
  if (fits && n_bytes <= mem->cap && mem->cap != 0) {
    memset(mem->data, 0, n_bytes);
  } else if (fits) {
    free(mem->data);
    mem->data = calloc(n_bytes == 0 ? 1 : n_bytes, 1);
    mem->cap = mem->data == NULL ? 0 : (n_bytes == 0 ? 1 : n_bytes);
  }
  if (!fits || mem->data == NULL) {
    return TN_ERR(TN_NO_MEMORY, "%s: no memory for an allocation of %lld x ... elements",
                  vm->prog->func->attr.text, (long long)(list[0] == 0 ? 1 : sizes[0]));
  }
  mem->n_bytes = n_bytes;
  vm->slots[in->d].u = ((uint64_t)in->a + 1) << TN_HANDLE_SHIFT;
  return vm->check == NULL ? NULL : tn_check_alloc(vm, (uint32_t)in->a, in->x, in->b != 0);
}

/* ---- buffers ---- */

static tn_status set_dims(tn_ivm *vm, const tn_ins *in, tn_ibuf *buf, uint64_t unit) {
  if (buf->ndim == 0) { /* a program of scalars alone has no lists */
    return NULL;
  }
  const int32_t *list = &vm->lists[in->c];
  const char *name = vm->prog->buffers.data[in->d]->attr.text;
  uint64_t stride = unit;
  for (uint32_t i = buf->ndim; i-- > 0;) {
    int64_t extent = vm->slots[list[i]].i;
    if (extent < 0) {
      return tn_ivm_error(vm, in, "negative-extent",
                          "extent %lld of dimension %u of buffer '%s' is negative",
                          (long long)extent, i, name);
    }
    buf->dims[i].extent = extent;
    if (in->x != 0) {
      buf->dims[i].stride = (int64_t)(vm->slots[list[buf->ndim + i]].u * unit);
    } else {
      buf->dims[i].stride = (int64_t)stride;
      stride *= (uint64_t)extent;
    }
  }
  return NULL;
}

tn_status tn_ivm_set_buffer(tn_ivm *vm, const tn_ins *in) {
  const tn_node *node = vm->prog->buffers.data[in->d];
  tn_ibuf *buf = &vm->bufs[in->d];
  uint64_t unit = tn_unit_of_elem(node->dtype);
  uint64_t lane = tn_unit_of_lane(node->dtype);
  uint64_t byte = 0;
  if (!tn_ivm_decode(vm, vm->slots[in->a].u, &buf->mem, &byte) || vm->mems[buf->mem].is_foreign) {
    return tn_ivm_error(vm, in, "unknown-memory",
                        "buffer '%s' is over a pointer whose memory is not known here",
                        node->attr.text);
  }
  const tn_imem *mem = &vm->mems[buf->mem];
  uint64_t in_byte = tn_dtype_is_packed(node->dtype) ? 2 : 1; /* units in a byte */
  uint64_t n_units = mem->n_bytes * in_byte;
  TN_TRY(set_dims(vm, in, buf, unit));
  if (tn_dtype_lanes(node->dtype) > 1) {
    buf->dims[buf->ndim] = (tn_idim){tn_dtype_lanes(node->dtype), (int64_t)lane};
  }
  buf->data = mem->data;
  buf->n_ok = n_units >= lane ? n_units - lane + 1 : 0;
  buf->elem_offset = vm->slots[in->b].i;
  buf->offset = (int64_t)(byte * in_byte + (uint64_t)buf->elem_offset * unit);
  buf->is_const = mem->is_const;
  if (vm->check == NULL) {
    return NULL;
  }
  uint64_t halves = 2 / in_byte; /* in a unit */
  return tn_check_refine(vm, buf->mem, (uint64_t)buf->offset * halves, (size_t)(lane * halves));
}

tn_status tn_ivm_slice(tn_ivm *vm, const tn_ins *in) {
  const tn_ibuf *buf = &vm->bufs[in->a];
  const int32_t *list = &vm->lists[in->c];
  const tn_node *node = vm->prog->buffers.data[in->a];
  int64_t unit = (int64_t)tn_unit_of_elem(node->dtype);
  uint64_t offset = (uint64_t)buf->elem_offset;
  for (uint32_t i = 0; i < buf->ndim; ++i) {
    int64_t min = vm->slots[list[i]].i;
    int64_t extent = vm->slots[list[buf->ndim + i]].i;
    if (min < 0 || extent < 0 || min > buf->dims[i].extent || extent > buf->dims[i].extent - min) {
      return tn_ivm_error(
          vm, in, "index-out-of-bounds",
          "the region [%lld, %lld) in dimension %u of buffer '%s' is outside [0, %lld)",
          (long long)min, (long long)((uint64_t)min + (uint64_t)extent), i, node->attr.text,
          (long long)buf->dims[i].extent);
    }
    offset += (uint64_t)min * (uint64_t)(buf->dims[i].stride / unit);
  }
  vm->slots[in->d].u = offset;
  return NULL;
}

int64_t tn_ivm_stride(const tn_ivm *vm, int32_t buffer, int32_t dim) {
  return vm->bufs[buffer].dims[dim].stride /
         (int64_t)tn_unit_of_elem(vm->prog->buffers.data[buffer]->dtype);
}

int64_t tn_ivm_arg_stride(const tn_ivm *vm, int32_t arg, int32_t dim) {
  const tn_array *array = vm->args[arg].array;
  uint64_t stride = 1;
  if (vm->given != NULL) {
    return vm->given[arg].strides[dim];
  }
  for (int32_t i = dim + 1; i < array->ndim; ++i) {
    stride *= (uint64_t)array->shape[i];
  }
  return (int64_t)stride;
}

/* ---- bit patterns ---- */

/* The bytes of a lane as memory would hold them. */
uint64_t tn_ivm_lane_bits(tn_dtype elem, tn_ireg value) {
  uint64_t bits = 0;
  if (elem == TN_DT_F16) {
    return tn_f32_to_f16(value.f);
  }
  if (elem == TN_DT_BF16) {
    return tn_f32_to_bf16(value.f);
  }
  if (elem == TN_DT_F32) {
    memcpy(&bits, &value.f, sizeof value.f);
    return bits;
  }
  return value.u;
}

static tn_ireg lane_value(tn_dtype elem, uint64_t bits) {
  tn_ireg value = {.u = bits};
  uint32_t n_bits = tn_dtype_bits(elem);
  if (elem == TN_DT_F16) {
    value.f = tn_f16_to_f32((uint16_t)bits);
  } else if (elem == TN_DT_BF16) {
    value.f = tn_bf16_to_f32((uint16_t)bits);
  } else if (tn_dtype_is_bool(elem)) {
    value.i = bits != 0;
  } else if (tn_dtype_is_int(elem)) {
    value.i = (int64_t)(bits << (64 - n_bits)) >> (64 - n_bits);
  }
  return value;
}

void tn_ivm_bitcast(tn_ivm *vm, const tn_ins *in) {
  const int32_t *list = &vm->lists[in->c];
  tn_dtype to = (tn_dtype)list[0];
  tn_dtype from = (tn_dtype)list[1];
  uint32_t from_bits = tn_dtype_bits(from);
  uint32_t to_bits = tn_dtype_bits(to);
  /* the lanes pass through a window of 64 bits: sizes are powers of two, or 6 and 6, and the totals
   * agree */
  uint32_t n = 0;
  uint64_t window = 0;
  uint32_t next = 0;
  for (uint32_t l = 0; l < tn_dtype_lanes(from); ++l) {
    uint64_t bits =
        tn_ivm_lane_bits(tn_dtype_elem(from), vm->slots[list[2 + l]]) & tn_num_mask(from_bits);
    window |= bits << n;
    n += from_bits;
    for (; n >= to_bits; n -= to_bits) {
      uint64_t part = window & tn_num_mask(to_bits);
      vm->slots[in->d + (int32_t)next++] = lane_value(tn_dtype_elem(to), part);
      window = to_bits >= 64 ? 0 : window >> to_bits;
    }
  }
}
