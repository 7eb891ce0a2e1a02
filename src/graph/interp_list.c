/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Lists in the graph interpreter: R.list.* and R.is_null. A list is a tuple. One that grew at its
 * end shares its items with what it grew from: whoever grows the same list a second time gets a
 * copy. */
#include <inttypes.h>
#include <string.h>

#include "graph/interp_priv.h"

/* Items of lists that are prefixes of each other. */
struct tn_list_store {
  int32_t n;
  int32_t cap;
  tn_value *items;
};

typedef struct list_call {
  tn_interp *in;
  const tn_value *args;
  int32_t n_args;
} list_call;

static tn_status int_of(const tn_array *array, int64_t i, int64_t *out) {
  if (array->dtype != TN_DT_I32 && array->dtype != TN_DT_I64) {
    return TN_ERR(TN_INVALID, "expected numbers of type int32 or int64");
  }
  *out = tn_array_get_i64(array, i);
  return NULL;
}

/* As in runtime/vm_lists.c: a place of n, counted from the end where it is below 0. */
static tn_status place_of(const tn_value *value, int64_t n_items, int64_t n, int64_t *out) {
  int64_t at = value->i64;
  if (value->kind == TN_V_ARRAY && tn_array_n_elems(value->array) == 1) {
    TN_TRY(int_of(value->array, 0, &at));
  } else if (value->kind != TN_V_INT) {
    return TN_ERR(TN_INVALID, "the position is no one number");
  }
  int64_t place = at < 0 ? at + n_items : at;
  if (place < 0 || place >= n) {
    return TN_ERR(TN_INVALID, "position %" PRId64 " of a list of %" PRId64, at, n_items);
  }
  *out = place;
  return NULL;
}

static tn_value list_of(tn_interp *in, int32_t n, const tn_value *items) {
  tn_value *own = TN_ARENA_ARRAY(&in->arena, tn_value, n);
  for (int32_t i = 0; i < n; ++i) {
    own[i] = items[i];
  }
  return (tn_value){.kind = TN_V_TUPLE, .n = n, .items = own};
}

static void append(tn_interp *in, const tn_value *list, const tn_value *item, tn_value *out) {
  struct tn_list_store *store = list->store;
  if (store == NULL || store->n != list->n || store->n == store->cap) {
    store = TN_ARENA_NEW(&in->arena, struct tn_list_store);
    store->cap = 2 * list->n + 8;
    store->n = list->n;
    store->items = TN_ARENA_ARRAY(&in->arena, tn_value, store->cap);
    for (int32_t i = 0; i < list->n; ++i) {
      store->items[i] = list->items[i];
    }
  }
  store->items[store->n++] = *item;
  *out = (tn_value){.kind = TN_V_TUPLE, .n = store->n, .items = store->items, .store = store};
}

static tn_status run_insert(const list_call *c, tn_value *out) {
  const tn_value *list = &c->args[0];
  int64_t at = 0;
  if (c->n_args == 2) {
    append(c->in, list, &c->args[1], out);
    return NULL;
  }
  TN_TRY(place_of(&c->args[2], list->n, (int64_t)list->n + 1, &at));
  tn_value *items = TN_ARENA_ARRAY(&c->in->arena, tn_value, list->n + 1);
  for (int32_t i = 0; i <= list->n; ++i) {
    items[i] = i == at ? c->args[1] : list->items[i < at ? i : i - 1];
  }
  *out = (tn_value){.kind = TN_V_TUPLE, .n = list->n + 1, .items = items};
  return NULL;
}

static tn_status run_erase(const list_call *c, tn_value *out) {
  const tn_value *list = &c->args[0];
  const tn_value last = {.kind = TN_V_INT, .i64 = -1};
  int64_t at = 0;
  TN_TRY(place_of(c->n_args > 1 ? &c->args[1] : &last, list->n, list->n, &at));
  tn_value *items = TN_ARENA_ARRAY(&c->in->arena, tn_value, list->n);
  for (int32_t i = 0; i + 1 < list->n; ++i) {
    items[i] = list->items[i < at ? i : i + 1];
  }
  *out = (tn_value){.kind = TN_V_TUPLE, .n = list->n - 1, .items = items};
  return NULL;
}

static tn_status run_at(const list_call *c, tn_value *out) {
  int64_t at = 0;
  TN_TRY(place_of(&c->args[1], c->args[0].n, c->args[0].n, &at));
  *out = c->args[0].items[at];
  return NULL;
}

/* ---- joining and parting ---- */

/* Copies `n` elements of the axis, from place `from` of x to place `to` of out. */
static void copy_part(const tn_array *x, int32_t x_axis, int64_t from, tn_array *out,
                      int32_t out_axis, int64_t to, int64_t n) {
  int64_t outer = 1;
  int64_t inner = (int64_t)tn_dtype_bytes(x->dtype);
  int64_t x_extent = x_axis < x->ndim ? x->shape[x_axis] : 1;
  int64_t out_extent = out_axis < out->ndim ? out->shape[out_axis] : 1;
  for (int32_t d = 0; d < out->ndim; ++d) {
    if (d != out_axis) {
      *(d < out_axis ? &outer : &inner) *= out->shape[d];
    }
  }
  for (int64_t i = 0; i < outer && n * inner > 0; ++i) {
    memcpy((char *)out->data + (i * out_extent + to) * inner,
           (const char *)x->data + (i * x_extent + from) * inner, (size_t)(n * inner));
  }
}

/* Two elements to a byte: parts may begin inside of one. */
static tn_status check_whole_bytes(tn_dtype dtype) {
  return tn_dtype_is_packed(dtype)
             ? TN_ERR(TN_UNSUPPORTED, "tensors of elements of 4 bits joined to one, or in parts")
             : NULL;
}

static bool fits(const tn_array *item, const int64_t *shape, int32_t ndim, int32_t axis,
                 bool is_new) {
  bool is_ok = item->ndim + (is_new ? 1 : 0) == ndim;
  for (int32_t d = 0; is_ok && d < ndim; ++d) {
    is_ok = d == axis || item->shape[is_new && d > axis ? d - 1 : d] == shape[d];
  }
  return is_ok;
}

static tn_status find_joint(const tn_value *list, tn_dtype dtype, int32_t axis, bool is_new,
                            int32_t ndim, int64_t *shape) {
  shape[axis] = 0;
  for (int32_t i = 0; i < list->n; ++i) {
    const tn_value *item = &list->items[i];
    if (item->kind != TN_V_ARRAY) {
      return TN_ERR(TN_INVALID, "expected a list of tensors");
    }
    if (item->array->dtype != dtype || !fits(item->array, shape, ndim, axis, is_new)) {
      return TN_ERR(TN_INVALID, "the tensors of the list differ in type or extents");
    }
    shape[axis] += is_new ? 1 : item->array->shape[axis];
  }
  return NULL;
}

static tn_status run_concat(const list_call *c, tn_value *out) {
  const tn_value *list = &c->args[0];
  bool is_ok = c->args[1].kind == TN_V_INT && c->args[2].kind == TN_V_INT &&
               c->args[3].kind == TN_V_STR && c->args[4].kind == TN_V_SHAPE;
  tn_dtype dtype = TN_DT_NONE;
  int64_t shape[TN_MAX_NDIM];
  if (!is_ok || !tn_dtype_parse(c->args[3].str, strlen(c->args[3].str), &dtype)) {
    return TN_ERR(TN_INVALID, "expected a list, an axis and the type of an item");
  }
  TN_TRY(check_whole_bytes(dtype));
  const tn_array *first = list->n > 0 ? list->items[0].array : NULL;
  bool is_new = c->args[2].i64 != 0;
  int32_t ndim = (first != NULL ? first->ndim : c->args[4].n) + (is_new ? 1 : 0);
  int64_t axis = c->args[1].i64 < 0 ? c->args[1].i64 + ndim : c->args[1].i64;
  if (ndim > TN_MAX_NDIM || axis < 0 || axis >= ndim) {
    return TN_ERR(TN_INVALID, "axis %" PRId64 " of a list of tensors of %d dimensions",
                  c->args[1].i64, ndim - (is_new ? 1 : 0));
  }
  for (int32_t d = 0; d < ndim; ++d) {
    int32_t of = is_new && d > axis ? d - 1 : d;
    shape[d] = d == axis ? 0 : first != NULL ? first->shape[of] : c->args[4].dims[of];
  }
  TN_TRY(find_joint(list, dtype, (int32_t)axis, is_new, ndim, shape));
  TN_TRY(tn_interp_array(c->in, dtype, ndim, shape, out));
  int64_t at = 0;
  for (int32_t i = 0; i < list->n; ++i) {
    const tn_array *item = list->items[i].array;
    int64_t n = is_new ? 1 : item->shape[axis];
    copy_part(item, is_new ? item->ndim : (int32_t)axis, 0, out->array, (int32_t)axis, at, n);
    at += n;
  }
  return NULL;
}

static tn_status part(tn_interp *in, const tn_array *x, int32_t axis, bool keeps, int64_t begin,
                      int64_t n, tn_value *out) {
  int64_t shape[TN_MAX_NDIM];
  tn_array whole = *x;
  int32_t ndim = 0;
  whole.shape[axis] = n;
  for (int32_t d = 0; d < x->ndim; ++d) {
    if (d != axis || keeps) {
      shape[ndim++] = whole.shape[d];
    }
  }
  TN_TRY(tn_interp_array(in, x->dtype, ndim, shape, out));
  whole.data = out->array->data;
  copy_part(x, axis, begin, &whole, axis, 0, n);
  return NULL;
}

static tn_status part_length(const tn_array *sizes, int64_t i, int64_t begin, int64_t extent,
                             int64_t *out) {
  bool is_one = sizes == NULL || sizes->ndim == 0;
  int64_t n = 1;
  if (sizes != NULL) {
    TN_TRY(int_of(sizes, is_one ? 0 : i, &n));
  }
  if (n < 0 || (is_one && n == 0) || (!is_one && n > extent - begin)) {
    return TN_ERR(TN_INVALID, "a part of %" PRId64 " of an axis of extent %" PRId64, n, extent);
  }
  *out = n > extent - begin ? extent - begin : n;
  return NULL;
}

static tn_status run_split(const list_call *c, tn_value *out) {
  const tn_array *x = c->args[0].kind == TN_V_ARRAY ? c->args[0].array : NULL;
  const tn_array *sizes = c->args[1].kind == TN_V_ARRAY ? c->args[1].array : NULL;
  if (x == NULL || c->args[2].kind != TN_V_INT || c->args[3].kind != TN_V_INT) {
    return TN_ERR(TN_INVALID, "expected a tensor, lengths and an axis");
  }
  int64_t axis = c->args[2].i64 < 0 ? c->args[2].i64 + x->ndim : c->args[2].i64;
  if (axis < 0 || axis >= x->ndim || (sizes != NULL && sizes->ndim > 1)) {
    return TN_ERR(TN_INVALID, "axis %" PRId64 " of a tensor of %d dimensions", c->args[2].i64,
                  x->ndim);
  }
  TN_TRY(check_whole_bytes(x->dtype));
  int64_t begin = 0;
  int64_t extent = x->shape[axis];
  bool is_each = sizes != NULL && sizes->ndim == 1;
  tn_value list = list_of(c->in, 0, NULL);
  for (int64_t i = 0; is_each ? i < sizes->shape[0] : begin < extent; ++i) {
    int64_t n = 0;
    tn_value item = {0};
    TN_TRY(part_length(sizes, i, begin, extent, &n));
    TN_TRY(part(c->in, x, (int32_t)axis, c->args[3].i64 != 0, begin, n, &item));
    append(c->in, &list, &item, &list);
    begin += n;
  }
  if (begin != extent) {
    return TN_ERR(TN_INVALID, "the parts have %" PRId64 " elements, the axis %" PRId64, begin,
                  extent);
  }
  *out = list;
  return NULL;
}

/* ---- all ---- */

static tn_status run_length(const list_call *c, tn_value *out) {
  TN_TRY(tn_interp_array(c->in, TN_DT_I64, 0, NULL, out));
  tn_array_set_i64(out->array, 0, c->args[0].n);
  return NULL;
}

tn_status tn_interp_list(tn_interp *in, tn_builtin_id id, const tn_value *args, int32_t n_args,
                         tn_value *out) {
  const list_call c = {.in = in, .args = args, .n_args = n_args};
  bool takes_list =
      id != TN_BUILTIN_LIST_MAKE && id != TN_BUILTIN_LIST_SPLIT && id != TN_BUILTIN_IS_NULL;
  if (takes_list && args[0].kind != TN_V_TUPLE) {
    return TN_ERR(TN_INVALID, "expected a list");
  }
  switch ((int)id) {
    case TN_BUILTIN_LIST_MAKE:
      *out = list_of(in, n_args, args);
      return NULL;
    case TN_BUILTIN_LIST_INSERT:
      return run_insert(&c, out);
    case TN_BUILTIN_LIST_ERASE:
      return run_erase(&c, out);
    case TN_BUILTIN_LIST_AT:
      return run_at(&c, out);
    case TN_BUILTIN_LIST_LENGTH:
      return run_length(&c, out);
    case TN_BUILTIN_LIST_CONCAT:
      return run_concat(&c, out);
    case TN_BUILTIN_LIST_SPLIT:
      return run_split(&c, out);
    default:
      break;
  }
  TN_TRY(tn_interp_array(in, TN_DT_BOOL, 0, NULL, out));
  tn_array_set_i64(out->array, 0, args[0].kind == TN_V_NONE);
  return NULL;
}
