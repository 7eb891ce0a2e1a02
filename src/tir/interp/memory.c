/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The interpreter's compiler for memory: buffers, their elements, allocations and matched views. */
#include "tir/interp/interp_priv.h"

/* ---- buffers ---- */

static tn_status check_buffer(const tn_icomp *c, const tn_node *buffer) {
  uint32_t most = tn_dtype_lanes(buffer->dtype) == 1 ? TN_MAX_NDIM : TN_MAX_NDIM - 1;
  if (tn_buffer_ndim(buffer) > most) {
    return tn_icomp_error(c, TN_UNSUPPORTED, "buffer '%s' has %u dimensions: at most %u",
                          buffer->attr.text, tn_buffer_ndim(buffer), most);
  }
  return NULL;
}

static int32_t new_buffer(tn_icomp *c, const tn_node *buffer) {
  TN_VEC_PUSH(&c->prog->buffers, buffer);
  int32_t at = (int32_t)c->prog->buffers.len - 1;
  /* a buffer's memo holds its number, disguised as a value of one slot */
  tn_icomp_bind_slot(c, buffer, at);
  return at;
}

static int32_t buffer_number(const tn_icomp *c, const tn_node *buffer) {
  return tn_icomp_lane(c, c->vals.data[c->memo[buffer->id] - 1], 0);
}

/* Slots of a LIST's items (none for NONE). */
static tn_status item_slots(tn_icomp *c, const tn_node *list, int32_t *slots) {
  for (uint32_t i = 0; i < list->n_in; ++i) {
    TN_TRY(tn_icomp_scalar(c, list->in[i], &slots[i]));
  }
  return NULL;
}

tn_status tn_icomp_set_buffer(tn_icomp *c, const tn_node *buffer) {
  const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
  const tn_node *strides = buffer->in[TN_BUFFER_STRIDES];
  int32_t data = 0;
  int32_t elem_offset = 0;
  int32_t slots[2 * TN_MAX_NDIM];
  TN_TRY(check_buffer(c, buffer));
  if (!tn_is_none(strides) && strides->n_in != 0 && strides->n_in != shape->n_in) {
    return tn_icomp_error(c, TN_INVALID, "buffer '%s' has %u dimensions and %u strides",
                          buffer->attr.text, shape->n_in, strides->n_in);
  }
  TN_TRY(tn_icomp_scalar(c, buffer->in[TN_BUFFER_DATA], &data));
  TN_TRY(tn_icomp_scalar(c, buffer->in[TN_BUFFER_ELEM_OFFSET], &elem_offset));
  TN_TRY(item_slots(c, shape, slots));
  TN_TRY(item_slots(c, strides, slots + shape->n_in));
  int32_t list = (int32_t)c->prog->lists.len;
  for (uint32_t i = 0; i < shape->n_in + strides->n_in; ++i) {
    TN_VEC_PUSH(&c->prog->lists, slots[i]);
  }
  tn_icomp_emit(c, TN_IOP_SET_BUFFER, strides->n_in != 0, new_buffer(c, buffer), data, elem_offset,
                list);
  return NULL;
}

bool tn_icomp_vars_are_bound(const tn_icomp *c, const tn_node *n) {
  if (tn_is(n, TN_OP_VAR) && !tn_icomp_is_bound(c, n)) {
    return false;
  }
  for (uint32_t i = 0; i < n->n_in; ++i) {
    if (!tn_icomp_vars_are_bound(c, n->in[i])) {
      return false;
    }
  }
  return true;
}

tn_status tn_icomp_set_loose(tn_icomp *c, const tn_node *data) {
  for (size_t i = 0; i < c->loose.len; ++i) {
    const tn_node *buffer = c->loose.data[i];
    if (buffer->in[TN_BUFFER_DATA] == data && !tn_icomp_is_bound(c, buffer) &&
        tn_icomp_vars_are_bound(c, buffer)) {
      TN_TRY(tn_icomp_set_buffer(c, buffer));
    }
  }
  return NULL;
}

/* A buffer that nothing declares and whose memory is known later than its sizes is set where it is
 * used. */
tn_status tn_icomp_use_buffer(tn_icomp *c, const tn_node *buffer, int32_t *out) {
  if (!tn_icomp_is_bound(c, buffer)) {
    if (!tn_icomp_is_bound(c, buffer->in[TN_BUFFER_DATA])) {
      return tn_icomp_error(c, TN_INVALID, "buffer '%s' has no memory here", buffer->attr.text);
    }
    TN_TRY(tn_icomp_set_buffer(c, buffer));
  }
  *out = buffer_number(c, buffer);
  return NULL;
}

/* ---- accesses ---- */

typedef struct access {
  int32_t buffer;
  uint32_t ndim;       /* with the lanes of a vector element as the last */
  uint32_t lanes;      /* of the whole access */
  uint32_t elem_lanes; /* of one element */
  tn_ival indices[TN_MAX_NDIM];
  tn_ival predicate;
  bool has_predicate;
  tn_icheck check;
} access;

static tn_status prepare(tn_icomp *c, const tn_node *n, uint32_t first, const tn_node *predicate,
                         access *out) {
  const tn_node *buffer = n->in[0];
  out->ndim = n->n_in - first;
  out->lanes = 1;
  out->elem_lanes = tn_dtype_lanes(buffer->dtype);
  if (out->ndim != tn_buffer_ndim(buffer)) {
    return tn_icomp_error(c, TN_INVALID,
                          "buffer '%s' has %u dimensions and is accessed with %u indices",
                          buffer->attr.text, tn_buffer_ndim(buffer), out->ndim);
  }
  TN_TRY(tn_icomp_use_buffer(c, buffer, &out->buffer));
  for (uint32_t i = 0; i < out->ndim; ++i) {
    TN_TRY(tn_icomp_expr(c, n->in[first + i], &out->indices[i]));
    TN_TRY(tn_icheck_index(c, n->in[first + i], out->buffer));
    uint32_t lanes = tn_dtype_lanes(n->in[first + i]->dtype);
    out->lanes = lanes > out->lanes ? lanes : out->lanes;
  }
  out->lanes *= out->elem_lanes;
  out->ndim += out->elem_lanes > 1 ? 1 : 0;
  out->has_predicate = !tn_is_none(predicate);
  return out->has_predicate ? tn_icomp_expr(c, predicate, &out->predicate) : NULL;
}

static void emit_access(tn_icomp *c, tn_iop op, const access *a, uint32_t lane, int32_t d) {
  int32_t index[TN_MAX_NDIM] = {0};
  int32_t skip = -1;
  uint32_t elem = lane / a->elem_lanes;
  uint32_t n_given = a->elem_lanes > 1 ? a->ndim - 1 : a->ndim;
  for (uint32_t i = 0; i < n_given; ++i) {
    index[i] = tn_icomp_lane(c, a->indices[i], elem);
  }
  if (n_given < a->ndim) {
    index[n_given] = tn_icomp_const_i(c, lane % a->elem_lanes);
  }
  if (a->has_predicate) {
    skip = tn_icomp_emit(c, TN_IOP_JZ, 0, 0, tn_icomp_lane(c, a->predicate, elem), 0, 0);
  }
  if (a->ndim > 2) {
    int32_t list = (int32_t)c->prog->lists.len;
    for (uint32_t i = 0; i < a->ndim; ++i) {
      TN_VEC_PUSH(&c->prog->lists, index[i]);
    }
    index[0] = list;
    index[1] = 0;
  }
  if (c->prog->is_checked && a->check != TN_ICHECK_NONE) {
    tn_icomp_emit(c, TN_IOP_CHECK, (uint32_t)a->check, d, a->buffer, index[0], index[1]);
  }
  tn_icomp_emit(c, op, a->ndim, d, a->buffer, index[0], index[1]);
  if (skip >= 0) {
    tn_icomp_land(c, skip);
  }
}

typedef struct memory_row {
  tn_dtype elem;
  tn_iop load;
  tn_iop store;
} memory_row;

/* Small floats are their bits; those of a byte each have the last row. */
static const memory_row memory_rows[] = {
    /* clang-format off */
    {TN_DT_F32,      TN_IOP_LOAD_F32,  TN_IOP_STORE_F32},
    {TN_DT_I32,      TN_IOP_LOAD_I32,  TN_IOP_STORE_32},
    {TN_DT_I64,      TN_IOP_LOAD_64,   TN_IOP_STORE_64},
    {TN_DT_F64,      TN_IOP_LOAD_64,   TN_IOP_STORE_64},
    {TN_DT_U64,      TN_IOP_LOAD_64,   TN_IOP_STORE_64},
    {TN_DT_HANDLE,   TN_IOP_LOAD_64,   TN_IOP_STORE_64},
    {TN_DT_BOOL,     TN_IOP_LOAD_BOOL, TN_IOP_STORE_8},
    {TN_DT_I8,       TN_IOP_LOAD_I8,   TN_IOP_STORE_8},
    {TN_DT_U8,       TN_IOP_LOAD_U8,   TN_IOP_STORE_8},
    {TN_DT_I16,      TN_IOP_LOAD_I16,  TN_IOP_STORE_16},
    {TN_DT_U16,      TN_IOP_LOAD_U16,  TN_IOP_STORE_16},
    {TN_DT_U32,      TN_IOP_LOAD_U32,  TN_IOP_STORE_32},
    {TN_DT_F16,      TN_IOP_LOAD_F16,  TN_IOP_STORE_F16},
    {TN_DT_BF16,     TN_IOP_LOAD_BF16, TN_IOP_STORE_BF16},
    {TN_DT_I4,       TN_IOP_LOAD_I4,   TN_IOP_STORE_4},
    {TN_DT_U4,       TN_IOP_LOAD_U4,   TN_IOP_STORE_4},
    {TN_DT_F4E2M1FN, TN_IOP_LOAD_U4,   TN_IOP_STORE_4},
    {TN_DT_NONE,     TN_IOP_LOAD_U8,   TN_IOP_STORE_8},
    /* clang-format on */
};

/* NULL: elements of this type cannot be accessed. */
static const memory_row *memory_row_of(tn_dtype elem) {
  const memory_row *row = memory_rows;
  while (row->elem != elem && row->elem != TN_DT_NONE) {
    ++row;
  }
  return row->elem != TN_DT_NONE || tn_dtype_is_small_float(elem) ? row : NULL;
}

static tn_status find_ops(const tn_icomp *c, const tn_node *buffer, tn_iop *load, tn_iop *store) {
  const memory_row *row = memory_row_of(tn_dtype_elem(buffer->dtype));
  if (row != NULL) {
    *load = row->load;
    *store = row->store;
    return NULL;
  }
  char text[TN_DTYPE_TEXT_BYTES];
  return tn_icomp_error(c, TN_UNSUPPORTED, "buffer '%s' has elements of type %s", buffer->attr.text,
                        tn_dtype_print(buffer->dtype, text));
}

tn_status tn_icomp_load(tn_icomp *c, const tn_node *n, tn_ival *out) {
  tn_iop load = TN_IOP_MOV;
  tn_iop store = TN_IOP_MOV;
  access a = {0};
  TN_TRY(find_ops(c, n->in[TN_LOAD_BUFFER], &load, &store));
  TN_TRY(prepare(c, n, TN_LOAD_INDICES, n->in[TN_LOAD_PREDICATE], &a));
  a.check = TN_ICHECK_LOAD;
  *out = tn_icomp_new_value(c, a.lanes);
  for (uint32_t l = 0; l < a.lanes; ++l) {
    int32_t d = tn_icomp_lane(c, *out, l);
    if (a.has_predicate) { /* lanes that are off read 0 */
      tn_icomp_emit(c, TN_IOP_MOV, 0, d, tn_icomp_const_i(c, 0), 0, 0);
    }
    emit_access(c, load, &a, l, d);
  }
  return NULL;
}

tn_status tn_icomp_store(tn_icomp *c, const tn_node *n) {
  tn_iop load = TN_IOP_MOV;
  tn_iop store = TN_IOP_MOV;
  access a = {0};
  tn_ival value = {0};
  TN_TRY(find_ops(c, n->in[TN_STORE_BUFFER], &load, &store));
  TN_TRY(tn_icomp_expr(c, n->in[TN_STORE_VALUE], &value));
  TN_TRY(prepare(c, n, TN_STORE_INDICES, n->in[TN_STORE_PREDICATE], &a));
  a.check = TN_ICHECK_STORE;
  for (uint32_t l = 0; l < a.lanes; ++l) {
    emit_access(c, store, &a, l, tn_icomp_lane(c, value, l));
  }
  ++c->epoch;
  return NULL;
}

tn_status tn_icomp_address_of(tn_icomp *c, const tn_node *load, tn_ival *out) {
  access a = {0};
  if (!tn_is(load, TN_OP_LOAD)) {
    return tn_icomp_error(c, TN_INVALID, "T.address_of takes an element of a buffer");
  }
  if (tn_dtype_is_packed(load->dtype)) {
    return tn_icomp_error(c, TN_UNSUPPORTED,
                          "the address of an element of 4 bits: two of them share a byte");
  }
  TN_TRY(prepare(c, load, TN_LOAD_INDICES, load->in[TN_LOAD_PREDICATE], &a));
  a.has_predicate = false;
  *out = tn_icomp_new_value(c, 1);
  emit_access(c, TN_IOP_ADDRESS_OF, &a, 0, tn_icomp_lane(c, *out, 0));
  return NULL;
}

/* ---- allocations ---- */

/* Memory for the product of n sizes (slots) of elements of n_bytes; the handle goes to a new slot.
 */
static int32_t emit_alloc(tn_icomp *c, size_t n_bytes, uint32_t n, const int32_t *sizes,
                          bool is_scratch) {
  int32_t handle = tn_icomp_temp(c);
  int32_t list = (int32_t)c->prog->lists.len;
  TN_VEC_PUSH(&c->prog->lists, (int32_t)n);
  for (uint32_t i = 0; i < n; ++i) {
    TN_VEC_PUSH(&c->prog->lists, sizes[i]);
  }
  TN_VEC_PUSH(&c->prog->mems, NULL);
  tn_icomp_emit(c, TN_IOP_ALLOC, (uint32_t)n_bytes, handle, (int32_t)c->prog->mems.len - 1,
                is_scratch, list);
  ++c->epoch;
  return handle;
}

tn_status tn_icomp_alloc(tn_icomp *c, const tn_node *n) {
  const tn_node *extents = n->in[TN_ALLOC_EXTENTS];
  const tn_node *var = n->in[TN_ALLOC_VAR];
  int32_t sizes[TN_MAX_NDIM];
  if (extents->n_in > TN_MAX_NDIM || tn_dtype_bytes(n->dtype) > UINT16_MAX) {
    return tn_icomp_error(c, TN_UNSUPPORTED, "allocation '%s' has %u extents", var->attr.text,
                          extents->n_in);
  }
  for (uint32_t i = 0; i < extents->n_in; ++i) {
    TN_TRY(tn_icomp_scalar(c, extents->in[i], &sizes[i]));
  }
  tn_icomp_bind_slot(c, var, emit_alloc(c, tn_dtype_bytes(n->dtype), extents->n_in, sizes, false));
  return tn_icomp_set_loose(c, var);
}

tn_status tn_icomp_const_alloc(tn_icomp *c, const tn_node *n) {
  const tn_node *var = n->in[TN_CONST_ALLOC_VAR];
  TN_VEC_PUSH(&c->prog->mems, n->in[TN_CONST_ALLOC_ARRAY]->attr.array);
  int64_t handle = (int64_t)((uint64_t)c->prog->mems.len << TN_HANDLE_SHIFT);
  tn_icomp_bind_slot(c, var, tn_icomp_const_i(c, handle));
  return tn_icomp_set_loose(c, var);
}

/* Elements that a strided buffer reaches: elem_offset + 1 + sum((extent - 1) * stride); where it is
 * empty that may be negative: none. */
static tn_status strided_size(tn_icomp *c, const tn_node *buffer, int32_t *out) {
  const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
  int32_t one = tn_icomp_const_i(c, 1);
  int32_t offset = 0;
  int32_t sum = tn_icomp_temp(c);
  TN_TRY(tn_icomp_scalar(c, buffer->in[TN_BUFFER_ELEM_OFFSET], &offset));
  tn_icomp_emit(c, TN_IOP_ADD, 0, sum, offset, one, 0);
  for (uint32_t i = 0; i < shape->n_in; ++i) {
    int32_t extent = 0;
    int32_t stride = 0;
    int32_t last = tn_icomp_temp(c);
    TN_TRY(tn_icomp_scalar(c, shape->in[i], &extent));
    TN_TRY(tn_icomp_scalar(c, buffer->in[TN_BUFFER_STRIDES]->in[i], &stride));
    tn_icomp_emit(c, TN_IOP_SUB, 0, last, extent, one, 0);
    tn_icomp_emit(c, TN_IOP_MUL, 0, last, last, stride, 0);
    tn_icomp_emit(c, TN_IOP_ADD, 0, sum, sum, last, 0);
  }
  tn_icomp_emit(c, TN_IOP_MAX, 0, sum, sum, tn_icomp_const_i(c, 0), 0);
  *out = sum;
  return NULL;
}

tn_status tn_icomp_alloc_buffer(tn_icomp *c, const tn_node *buffer) {
  const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
  const tn_node *strides = buffer->in[TN_BUFFER_STRIDES];
  int32_t sizes[TN_MAX_NDIM];
  uint32_t n_sizes = shape->n_in;
  TN_TRY(check_buffer(c, buffer));
  if (strides->n_in == shape->n_in && shape->n_in != 0) {
    TN_TRY(strided_size(c, buffer, &sizes[0]));
    n_sizes = 1;
  } else {
    for (uint32_t i = 0; i < n_sizes; ++i) {
      TN_TRY(tn_icomp_scalar(c, shape->in[i], &sizes[i]));
    }
  }
  tn_icomp_bind_slot(c, buffer->in[TN_BUFFER_DATA],
                     emit_alloc(c, tn_dtype_bytes(buffer->dtype), n_sizes, sizes, true));
  TN_TRY(tn_icomp_set_buffer(c, buffer));
  return tn_icomp_set_loose(c, buffer->in[TN_BUFFER_DATA]);
}

/* ---- matched views ---- */

/* A symbol met first takes `got`; anything else must equal it. */
static tn_status bind_or_check(tn_icomp *c, const tn_node *n, int32_t got, const tn_node *view,
                               const char *what) {
  if (tn_is(n, TN_OP_VAR) && !tn_icomp_is_bound(c, n)) {
    tn_icomp_bind_slot(c, n, got);
    return NULL;
  }
  int32_t expected = 0;
  TN_TRY(tn_icomp_scalar(c, n, &expected));
  tn_buf text = TN_BUF_INIT;
  tn_buf_printf(&text, "%s of matched buffer '%s'", what, view->attr.text);
  tn_icomp_emit(c, TN_IOP_CHECK_EQ, 0, 0, expected, got, tn_icomp_text(c, tn_buf_text(&text)));
  tn_buf_deinit(&text);
  return NULL;
}

/* The region's mins and extents as slots; out holds 2 * ndim. */
static tn_status region_slots(tn_icomp *c, const tn_node *region, uint32_t ndim, int32_t *out) {
  for (uint32_t i = 0; i < ndim; ++i) {
    const tn_node *range = region->in[TN_REGION_RANGES + i];
    TN_TRY(tn_icomp_scalar(c, range->in[TN_RANGE_MIN], &out[i]));
    TN_TRY(tn_icomp_scalar(c, range->in[TN_RANGE_EXTENT], &out[ndim + i]));
  }
  return NULL;
}

static int32_t source_stride(tn_icomp *c, int32_t buffer, uint32_t dim) {
  int32_t slot = tn_icomp_temp(c);
  tn_icomp_emit(c, TN_IOP_STRIDE, 0, slot, buffer, (int32_t)dim, 0);
  return slot;
}

/* The view takes the source's strides; dimensions of the region before the view's have extent 1. */
static tn_status match_sizes(tn_icomp *c, const tn_node *view, int32_t source, uint32_t ndim,
                             const int32_t *extents, int32_t *strides) {
  uint32_t n_view = tn_buffer_ndim(view);
  const tn_node *given = view->in[TN_BUFFER_STRIDES];
  uint32_t n_extra = ndim - n_view;
  for (uint32_t i = 0; i < n_view; ++i) {
    TN_TRY(bind_or_check(c, view->in[TN_BUFFER_SHAPE]->in[i], extents[n_extra + i], view,
                         "an extent"));
    strides[i] = source_stride(c, source, n_extra + i);
    if (given->n_in == n_view) {
      TN_TRY(bind_or_check(c, given->in[i], strides[i], view, "a stride"));
    }
  }
  for (uint32_t i = 0; i < n_extra; ++i) {
    int32_t text = tn_icomp_text(c, "a dropped extent of a matched buffer");
    tn_icomp_emit(c, TN_IOP_CHECK_EQ, 0, 0, tn_icomp_const_i(c, 1), extents[i], text);
  }
  return NULL;
}

tn_status tn_icomp_match(tn_icomp *c, const tn_node *match) {
  const tn_node *view = match->in[TN_MATCH_BUFFER];
  const tn_node *region = match->in[TN_MATCH_REGION];
  const tn_node *from = region->in[TN_REGION_BUFFER];
  uint32_t ndim = region->n_in - TN_REGION_RANGES;
  uint32_t n_view = tn_buffer_ndim(view);
  int32_t ranges[2 * TN_MAX_NDIM];
  int32_t strides[TN_MAX_NDIM];
  int32_t source = 0;
  TN_TRY(check_buffer(c, view));
  TN_TRY(check_buffer(c, from));
  if (ndim != tn_buffer_ndim(from) || n_view > ndim || view->dtype != from->dtype) {
    return tn_icomp_error(c, TN_INVALID,
                          "buffer '%s' does not fit the region of '%s' that it matches",
                          view->attr.text, from->attr.text);
  }
  TN_TRY(tn_icomp_use_buffer(c, from, &source));
  TN_TRY(region_slots(c, region, ndim, ranges));
  int32_t list = (int32_t)c->prog->lists.len;
  for (uint32_t i = 0; i < 2 * ndim; ++i) {
    TN_VEC_PUSH(&c->prog->lists, ranges[i]);
  }
  int32_t offset = tn_icomp_temp(c);
  tn_icomp_emit(c, TN_IOP_SLICE, 0, offset, source, 0, list);
  TN_TRY(match_sizes(c, view, source, ndim, &ranges[ndim], strides));
  int32_t data = 0;
  TN_TRY(tn_icomp_scalar(c, from->in[TN_BUFFER_DATA], &data));
  if (!tn_icomp_is_bound(c, view->in[TN_BUFFER_DATA])) {
    tn_icomp_bind_slot(c, view->in[TN_BUFFER_DATA], data);
  }
  const tn_node *elem_offset = view->in[TN_BUFFER_ELEM_OFFSET];
  if (tn_is(elem_offset, TN_OP_VAR) && !tn_icomp_is_bound(c, elem_offset)) {
    tn_icomp_bind_slot(c, elem_offset, offset);
  }
  list = (int32_t)c->prog->lists.len;
  for (uint32_t i = 0; i < n_view; ++i) {
    TN_VEC_PUSH(&c->prog->lists, ranges[2 * ndim - n_view + i]);
  }
  for (uint32_t i = 0; i < n_view; ++i) {
    TN_VEC_PUSH(&c->prog->lists, strides[i]);
  }
  tn_icomp_emit(c, TN_IOP_SET_BUFFER, n_view != 0, new_buffer(c, view), data, offset, list);
  return NULL;
}
