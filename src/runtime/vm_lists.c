/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Lists of tensors as functions that the machine calls: R.list.make, insert, erase, at, length,
 * concat, split, and R.is_null. A list is a tuple, and never changes; where it grows at its end, the
 * old and the new one share their items (tn_tuple_append). Texts are those of the graph
 * interpreter. */
#include <inttypes.h>
#include <string.h>

#include "base/array.h"
#include "runtime/mem.h"
#include "runtime/tensor.h"
#include "runtime/vm_builtins.h"
#include "runtime/vm_priv.h"

/* ---- arguments ---- */

static tn_status list_arg(const tn_arg *args, int32_t n_args, const tn_tuple **out) {
  *out = n_args > 0 ? tn_arg_tuple(&args[0]) : NULL;
  return *out == NULL ? TN_ERR(TN_INVALID, "expected a list") : NULL;
}

/* A compact tensor in the machine's memory: a view of the argument, or a copy. */
static tn_status compact(const tn_arg *arg, tn_tensor **out) {
  const DLDevice cpu = {kDLCPU, 0};
  tn_tensor *tensor = tn_arg_tensor(arg);
  if (tensor == NULL) {
    return TN_ERR(TN_INVALID, "expected a tensor, got a %s", tn_arg_kind_name(arg->kind));
  }
  if (tn_dl_is_cpu(&tensor->dl) && tn_dl_is_compact(&tensor->dl)) {
    tn_object_retain(&tensor->obj);
    *out = tensor;
    return NULL;
  }
  return tn_tensor_copy(NULL, tensor, cpu, out);
}

/* The integers of a tensor of one dimension or none. */
static tn_status int_at(const tn_tensor *tensor, int64_t i, int64_t *out) {
  const DLTensor *dl = &tensor->dl;
  const char *data = (const char *)dl->data + dl->byte_offset;
  int32_t half = 0;
  if (tn_dl_dtype(dl) == TN_DT_I32) {
    memcpy(&half, data + i * (int64_t)sizeof half, sizeof half);
    *out = half;
  } else if (tn_dl_dtype(dl) == TN_DT_I64) {
    memcpy(out, data + i * (int64_t)sizeof *out, sizeof *out);
  } else {
    return TN_ERR(TN_INVALID, "expected numbers of type int32 or int64");
  }
  return NULL;
}

static int64_t n_elems(const DLTensor *dl) {
  int64_t n = 1;
  for (int32_t d = 0; d < dl->ndim; ++d) {
    n *= dl->shape[d];
  }
  return n;
}

/* The place that an int or a tensor of one integer names; below 0 it counts from the end. There are
 * n places. */
static tn_status place_arg(const tn_arg *arg, int64_t n_items, int64_t n, int64_t *out) {
  int64_t at = arg->u.i64;
  if (arg->kind != TN_ARG_INT) {
    tn_tensor *tensor = NULL;
    TN_TRY_MSG(compact(arg, &tensor), "the position");
    tn_status st = n_elems(&tensor->dl) == 1 ? int_at(tensor, 0, &at)
                                             : TN_ERR(TN_INVALID, "the position is no one number");
    tn_tensor_release(tensor);
    TN_TRY(st);
  }
  int64_t place = at < 0 ? at + n_items : at;
  if (place < 0 || place >= n) {
    return TN_ERR(TN_INVALID, "position %" PRId64 " of a list of %" PRId64, at, n_items);
  }
  *out = place;
  return NULL;
}

static tn_status give_tuple(int64_t n, const tn_arg *items, tn_arg *out_ret) {
  tn_tuple *tuple = NULL;
  TN_TRY(tn_tuple_create((int32_t)n, items, &tuple));
  *out_ret = tn_arg_of_tuple(tuple);
  return NULL;
}

/* ---- lists ---- */

static tn_status call_make(void *ctx, const tn_arg *args, int32_t n_args, tn_arg *out_ret) {
  (void)ctx;
  return give_tuple(n_args, args, out_ret);
}

/* list, value, position (left out: at the end) */
static tn_status call_insert(void *ctx, const tn_arg *args, int32_t n_args, tn_arg *out_ret) {
  (void)ctx;
  const tn_tuple *list = NULL;
  int64_t at = 0;
  TN_TRY(list_arg(args, n_args, &list));
  if (n_args != 2 && n_args != 3) {
    return TN_ERR(TN_INVALID, "expected a list, a value and a position");
  }
  if (n_args == 2) {
    tn_tuple *longer = NULL;
    TN_TRY(tn_tuple_append(tn_arg_tuple(&args[0]), &args[1], &longer));
    *out_ret = tn_arg_of_tuple(longer);
    return NULL;
  }
  TN_TRY(place_arg(&args[2], list->n, (int64_t)list->n + 1, &at));
  tn_arg *items = tn_mem_alloc(sizeof(tn_arg) * ((size_t)list->n + 1));
  if (items == NULL) {
    return tn_mem_error("a list", sizeof(tn_arg) * ((size_t)list->n + 1));
  }
  for (int64_t i = 0; i <= list->n; ++i) {
    items[i] = i == at ? args[1] : list->items[i < at ? i : i - 1];
  }
  tn_status st = give_tuple((int64_t)list->n + 1, items, out_ret);
  tn_mem_free(items);
  return st;
}

/* list, position (left out: the last) */
static tn_status call_erase(void *ctx, const tn_arg *args, int32_t n_args, tn_arg *out_ret) {
  (void)ctx;
  const tn_tuple *list = NULL;
  const tn_arg last = tn_arg_of_int(-1);
  int64_t at = 0;
  TN_TRY(list_arg(args, n_args, &list));
  TN_TRY(place_arg(n_args > 1 ? &args[1] : &last, list->n, list->n, &at));
  tn_arg *items = tn_mem_alloc(sizeof(tn_arg) * (size_t)list->n);
  if (items == NULL) {
    return tn_mem_error("a list", sizeof(tn_arg) * (size_t)list->n);
  }
  for (int64_t i = 0; i + 1 < list->n; ++i) {
    items[i] = list->items[i < at ? i : i + 1];
  }
  tn_status st = give_tuple((int64_t)list->n - 1, items, out_ret);
  tn_mem_free(items);
  return st;
}

static tn_status call_at(void *ctx, const tn_arg *args, int32_t n_args, tn_arg *out_ret) {
  (void)ctx;
  const tn_tuple *list = NULL;
  int64_t at = 0;
  TN_TRY(list_arg(args, n_args, &list));
  if (n_args != 2) {
    return TN_ERR(TN_INVALID, "expected a list and a position");
  }
  TN_TRY(place_arg(&args[1], list->n, list->n, &at));
  *out_ret = list->items[at];
  tn_arg_retain(out_ret);
  return NULL;
}

static tn_status give_scalar(tn_dtype dtype, const void *value, tn_arg *out_ret) {
  tn_tensor *tensor = NULL;
  TN_TRY(tn_tensor_create(dtype, 0, NULL, value, &tensor));
  *out_ret = tn_arg_of_tensor(tensor);
  return NULL;
}

static tn_status call_length(void *ctx, const tn_arg *args, int32_t n_args, tn_arg *out_ret) {
  (void)ctx;
  const tn_tuple *list = NULL;
  TN_TRY(list_arg(args, n_args, &list));
  int64_t n = list->n;
  return give_scalar(TN_DT_I64, &n, out_ret);
}

static tn_status call_is_null(void *ctx, const tn_arg *args, int32_t n_args, tn_arg *out_ret) {
  (void)ctx;
  bool is_null = n_args != 1 || args[0].kind == TN_ARG_NONE;
  return give_scalar(TN_DT_BOOL, &is_null, out_ret);
}

/* ---- joining and parting ---- */

/* A tensor as rows: `outer` of them, each of so many bytes along the axis. */
typedef struct rows {
  int64_t outer;
  int64_t n_bytes;
} rows;

static rows rows_of(const DLTensor *dl, int32_t axis) {
  rows r = {.outer = 1, .n_bytes = (int64_t)tn_dtype_bytes(tn_dl_dtype(dl))};
  for (int32_t d = 0; d < dl->ndim; ++d) {
    *(d < axis ? &r.outer : &r.n_bytes) *= dl->shape[d];
  }
  return r;
}

/* Two elements to a byte: parts may begin inside of one. */
static tn_status check_whole_bytes(tn_dtype dtype) {
  return tn_dtype_is_packed(dtype)
             ? TN_ERR(TN_UNSUPPORTED, "tensors of elements of 4 bits joined to one, or in parts")
             : NULL;
}

static char *bytes_of(const tn_tensor *t) { return (char *)t->dl.data + t->dl.byte_offset; }

static void copy_rows(const char *from, int64_t from_stride, char *to, int64_t to_stride,
                      int64_t outer, int64_t n_bytes) {
  for (int64_t i = 0; i < outer && n_bytes > 0; ++i) {
    memcpy(to + i * to_stride, from + i * from_stride, (size_t)n_bytes);
  }
}

/* What the items of a list become together: type, rank and extents of the result. */
typedef struct joint {
  tn_dtype dtype;
  int32_t ndim;
  int32_t axis;
  bool is_new; /* the axis is a new one */
  int64_t shape[TN_MAX_NDIM];
} joint;

static tn_status begin_joint(tn_dtype dtype, int32_t ndim, const int64_t *shape, int64_t axis,
                             bool is_new, joint *j) {
  *j = (joint){.dtype = dtype, .ndim = ndim + (is_new ? 1 : 0), .is_new = is_new};
  if (j->ndim > TN_MAX_NDIM || axis < -j->ndim || axis >= j->ndim) {
    return TN_ERR(TN_INVALID, "axis %" PRId64 " of a list of tensors of %d dimensions", axis, ndim);
  }
  j->axis = (int32_t)(axis < 0 ? axis + j->ndim : axis);
  for (int32_t d = 0; d < j->ndim; ++d) {
    bool is_axis = d == j->axis;
    j->shape[d] = is_axis ? 0 : shape[is_new && d > j->axis ? d - 1 : d];
  }
  return NULL;
}

static tn_status add_to_joint(joint *j, const DLTensor *dl) {
  bool fits = tn_dl_dtype(dl) == j->dtype && dl->ndim + (j->is_new ? 1 : 0) == j->ndim;
  for (int32_t d = 0; fits && d < j->ndim; ++d) {
    bool is_axis = d == j->axis;
    fits = is_axis || j->shape[d] == dl->shape[j->is_new && d > j->axis ? d - 1 : d];
  }
  if (!fits) {
    return TN_ERR(TN_INVALID, "the tensors of the list differ in type or extents");
  }
  if (__builtin_add_overflow(j->shape[j->axis], j->is_new ? 1 : dl->shape[j->axis],
                             &j->shape[j->axis])) {
    return TN_ERR(TN_INVALID, "the tensors of the list have more elements together than there are");
  }
  return NULL;
}

static tn_status join_items(const tn_tuple *list, const joint *j, tn_tensor *out) {
  const DLTensor *dl = tn_tensor_dl(out);
  int64_t stride = rows_of(dl, j->axis).n_bytes;
  char *to = bytes_of(out);
  for (int32_t i = 0; i < list->n; ++i) {
    tn_tensor *item = NULL;
    TN_TRY(compact(&list->items[i], &item));
    rows r = rows_of(&item->dl, j->axis);
    copy_rows(bytes_of(item), r.n_bytes, to, stride, r.outer, r.n_bytes);
    to += r.n_bytes;
    tn_tensor_release(item);
  }
  return NULL;
}

/* list, axis, whether it is a new one, dtype and shape of an item where there are none. */
static tn_status call_concat(void *ctx, const tn_arg *args, int32_t n_args, tn_arg *out_ret) {
  (void)ctx;
  const tn_tuple *list = NULL;
  tn_dtype dtype = TN_DT_NONE;
  joint j = {0};
  TN_TRY(list_arg(args, n_args, &list));
  bool is_ok = n_args == 5 && args[1].kind == TN_ARG_INT && args[2].kind == TN_ARG_INT &&
               tn_arg_text(&args[3]) != NULL && tn_arg_shape(&args[4]) != NULL &&
               tn_arg_shape(&args[4])->ndim <= TN_MAX_NDIM;
  const char *text = is_ok ? tn_arg_text(&args[3]) : "";
  if (!is_ok || !tn_dtype_parse(text, strlen(text), &dtype)) {
    return TN_ERR(TN_INVALID, "expected a list, an axis and the type of an item");
  }
  TN_TRY(check_whole_bytes(dtype));
  const tn_shape *shape = tn_arg_shape(&args[4]);
  const DLTensor *first = list->n > 0 ? tn_arg_dl(&list->items[0]) : NULL;
  TN_TRY(begin_joint(dtype, first != NULL ? first->ndim : shape->ndim,
                     first != NULL ? first->shape : shape->dims, args[1].u.i64, args[2].u.i64 != 0,
                     &j));
  for (int32_t i = 0; i < list->n; ++i) {
    const DLTensor *item = tn_arg_dl(&list->items[i]);
    TN_TRY(item == NULL ? TN_ERR(TN_INVALID, "expected a list of tensors")
                        : add_to_joint(&j, item));
  }
  tn_tensor *out = NULL;
  TN_TRY(tn_tensor_create(j.dtype, j.ndim, j.shape, NULL, &out));
  tn_status st = join_items(list, &j, out);
  if (st != NULL) {
    tn_tensor_release(out);
    return st;
  }
  *out_ret = tn_arg_of_tensor(out);
  return NULL;
}

/* The tensor's part of `n` elements of the axis from `begin` on, without the axis where !keeps. */
static tn_status part(const tn_tensor *x, int32_t axis, bool keeps, int64_t begin, int64_t n,
                      tn_arg *out) {
  int64_t shape[TN_MAX_NDIM];
  const DLTensor *dl = &x->dl;
  int32_t ndim = 0;
  tn_tensor *tensor = NULL;
  for (int32_t d = 0; d < dl->ndim; ++d) {
    if (d != axis || keeps) {
      shape[ndim++] = d == axis ? n : dl->shape[d];
    }
  }
  TN_TRY(tn_tensor_create(tn_dl_dtype(dl), ndim, shape, NULL, &tensor));
  rows r = rows_of(dl, axis);
  int64_t extent = dl->shape[axis];
  int64_t step = extent == 0 ? 0 : r.n_bytes / extent;
  copy_rows(bytes_of(x) + begin * step, r.n_bytes, bytes_of(tensor), n * step, r.outer, n * step);
  *out = tn_arg_of_tensor(tensor);
  return NULL;
}

/* How many parts there are, and how long part `i` is: sizes holds one length for all, or each. */
static tn_status part_length(const tn_tensor *sizes, int64_t i, int64_t begin, int64_t extent,
                             int64_t *out) {
  bool is_one = sizes == NULL || sizes->dl.ndim == 0;
  int64_t n = 1;
  if (sizes != NULL) {
    TN_TRY(int_at(sizes, is_one ? 0 : i, &n));
  }
  if (n < 0 || (is_one && n == 0) || (!is_one && n > extent - begin)) {
    return TN_ERR(TN_INVALID, "a part of %" PRId64 " of an axis of extent %" PRId64, n, extent);
  }
  *out = n > extent - begin ? extent - begin : n;
  return NULL;
}

static tn_status split(const tn_tensor *x, const tn_tensor *sizes, int32_t axis, bool keeps,
                       tn_arg *out_ret) {
  tn_tuple *list = NULL;
  int64_t begin = 0;
  int64_t extent = x->dl.shape[axis];
  int64_t n_parts = sizes != NULL && sizes->dl.ndim == 1 ? sizes->dl.shape[0] : INT64_MAX;
  TN_TRY(check_whole_bytes(tn_dl_dtype(&x->dl)));
  TN_TRY(tn_tuple_create(0, NULL, &list));
  for (int64_t i = 0; i < n_parts && (n_parts != INT64_MAX || begin < extent); ++i) {
    int64_t n = 0;
    tn_arg item = {0};
    tn_tuple *longer = NULL;
    tn_status st = part_length(sizes, i, begin, extent, &n);
    st = st != NULL ? st : part(x, axis, keeps, begin, n, &item);
    st = st != NULL ? st : tn_tuple_append(list, &item, &longer);
    tn_arg_release(&item);
    tn_tuple_release(list);
    TN_TRY(st);
    list = longer;
    begin += n;
  }
  if (begin != extent) {
    tn_tuple_release(list);
    return TN_ERR(TN_INVALID, "the parts have %" PRId64 " elements, the axis %" PRId64, begin,
                  extent);
  }
  *out_ret = tn_arg_of_tuple(list);
  return NULL;
}

/* tensor, sizes (nothing: parts of one element, whose axis goes unless `keeps`), axis, keeps */
static tn_status call_split(void *ctx, const tn_arg *args, int32_t n_args, tn_arg *out_ret) {
  (void)ctx;
  tn_tensor *x = NULL;
  tn_tensor *sizes = NULL;
  tn_status st = NULL;
  if (n_args != 4 || args[2].kind != TN_ARG_INT || args[3].kind != TN_ARG_INT) {
    return TN_ERR(TN_INVALID, "expected a tensor, lengths and an axis");
  }
  TN_TRY(compact(&args[0], &x));
  int64_t axis = args[2].u.i64;
  int64_t ndim = x->dl.ndim;
  axis = axis < 0 ? axis + ndim : axis;
  if (args[1].kind != TN_ARG_NONE) {
    TN_GOTO(st, compact(&args[1], &sizes), done);
  }
  if (axis < 0 || axis >= ndim || (sizes != NULL && sizes->dl.ndim > 1)) {
    st = TN_ERR(TN_INVALID, "axis %" PRId64 " of a tensor of %" PRId64 " dimensions", args[2].u.i64,
                ndim);
    goto done;
  }
  TN_GOTO(st, split(x, sizes, (int32_t)axis, args[3].u.i64 != 0, out_ret), done);
done:
  tn_tensor_release(sizes);
  tn_tensor_release(x);
  return st;
}

tn_callback tn_vm_list_find(const char *name) {
  static const struct {
    const char *name;
    tn_callback callback;
  } table[] = {
      {"vm.builtin.is_null", call_is_null},    {"vm.builtin.list.at", call_at},
      {"vm.builtin.list.concat", call_concat}, {"vm.builtin.list.erase", call_erase},
      {"vm.builtin.list.insert", call_insert}, {"vm.builtin.list.length", call_length},
      {"vm.builtin.list.make", call_make},     {"vm.builtin.list.split", call_split},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i) {
    if (strcmp(table[i].name, name) == 0) {
      return table[i].callback;
    }
  }
  return NULL;
}
