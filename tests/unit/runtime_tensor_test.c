/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Tensors, views, copies, DLPack in both forms, and counted values. */
#include "base/array.h"
#include "tenon/runtime.h"
#include "tn_test.h"

static const DLDevice cpu = {kDLCPU, 0};

static tn_tensor *iota(int32_t ndim, const int64_t *shape) {
  tn_tensor *t = NULL;
  expect_ok(tn_tensor_create(TN_DT_I32, ndim, shape, NULL, &t));
  int64_t n = 1;
  for (int32_t i = 0; i < ndim; ++i) {
    n *= shape[i];
  }
  for (int64_t i = 0; i < n; ++i) {
    ((int32_t *)tn_tensor_data(t))[i] = (int32_t)i;
  }
  return t;
}

static void tensors_are_aligned_and_compact(void **state) {
  (void)state;
  const int64_t shape[] = {3, 5};
  tn_tensor *t = NULL;
  expect_ok(tn_tensor_empty(NULL, cpu, TN_DT_F32, 2, shape, &t));
  const DLTensor *dl = tn_tensor_dl(t);
  assert_int_equal((uintptr_t)dl->data % 64, 0);
  assert_null(dl->strides);
  assert_int_equal(dl->ndim, 2);
  assert_int_equal(dl->shape[1], 5);
  assert_int_equal(dl->byte_offset, 0);
  tn_tensor_release(t);
}

static void bad_shapes_are_refused(void **state) {
  (void)state;
  const int64_t big = INT64_C(1) << 40;
  const struct {
    tn_dtype dtype;
    int32_t ndim;
    int64_t shape[17];
    tn_code code;
    const char *part;
  } rows[] = {
      {TN_DT_F32, 2, {3, -1}, TN_INVALID, "extent 1 of a tensor is -1"},
      {TN_DT_F32, 2, {big, big}, TN_NO_MEMORY, "larger than the address space"},
      {TN_DT_F32, 1, {INT64_MAX}, TN_NO_MEMORY, "larger than the address space"},
      {TN_DT_F64, 2, {INT64_MAX, 0}, TN_OK, ""},
      {TN_DT_F32, -1, {0}, TN_INVALID, "-1 dimensions"},
      {TN_DT_F32,
       17,
       {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
       TN_INVALID,
       "at most 16"},
      {0x10405, 1, {4}, TN_UNSUPPORTED, "type code 5"},
      {0x10400, 1, {4}, TN_OK, NULL},
      {0x10200, 1, {4}, TN_UNSUPPORTED, "2 bits"},
      {0x1060a, 1, {4}, TN_UNSUPPORTED, "type code 10"},
      {0x2002, 1, {4}, TN_INVALID, "without lanes"},
  };
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    tn_tensor *t = NULL;
    tn_status st = tn_tensor_empty(NULL, cpu, rows[i].dtype, rows[i].ndim, rows[i].shape, &t);
    if (rows[i].code == TN_OK) {
      expect_ok(st);
      tn_tensor_release(t);
    } else {
      expect_error(st, rows[i].code, rows[i].part);
      assert_null(t);
    }
  }
}

static void views_share_memory_and_stay_inside(void **state) {
  (void)state;
  tn_tensor *t = iota(2, (const int64_t[]){4, 6});
  tn_tensor *view = NULL;
  tn_tensor *copy = NULL;
  /* every second column, rows backwards */
  expect_ok(tn_tensor_view(t, TN_DT_I32, 2, (const int64_t[]){4, 3}, (const int64_t[]){-6, 2},
                           18 * 4, &view));
  tn_tensor_release(t); /* the view keeps the memory */
  expect_ok(tn_tensor_copy(NULL, view, cpu, &copy));
  const int32_t want[] = {18, 20, 22, 12, 14, 16, 6, 8, 10, 0, 2, 4};
  assert_memory_equal(tn_tensor_data(copy), want, sizeof want);
  tn_tensor *wider = NULL;
  const struct {
    int64_t shape;
    int64_t stride;
    int64_t offset;
  } rows[] = {{25, 1, -18 * 4},          {2, 6, 4},        {1, 1, 24}, {2, -19, 0},
              {INT64_MAX, INT64_MAX, 0}, {1, 1, INT64_MAX}};
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    tn_status st =
        tn_tensor_view(view, TN_DT_I32, 1, &rows[i].shape, &rows[i].stride, rows[i].offset, &wider);
    expect_true(st != NULL, "row %zu", i);
    tn_status_free(st);
  }
  tn_tensor_release(copy);
  tn_tensor_release(view);
}

static void strided_tensors_copy_both_ways(void **state) {
  (void)state;
  tn_tensor *t = iota(3, (const int64_t[]){2, 3, 4});
  tn_tensor *transposed = NULL;
  tn_tensor *dense = NULL;
  tn_tensor *back = NULL;
  tn_tensor *target = NULL;
  expect_ok(tn_tensor_view(t, TN_DT_I32, 3, (const int64_t[]){4, 2, 3}, (const int64_t[]){1, 12, 4},
                           0, &transposed));
  expect_ok(tn_tensor_copy(NULL, transposed, cpu, &dense));
  assert_int_equal(((int32_t *)tn_tensor_data(dense))[1 * 6 + 1 * 3 + 2], 1 * 12 + 2 * 4 + 1);
  expect_ok(tn_tensor_create(TN_DT_I32, 3, (const int64_t[]){2, 3, 4}, NULL, &back));
  expect_ok(tn_tensor_view(back, TN_DT_I32, 3, (const int64_t[]){4, 2, 3},
                           (const int64_t[]){1, 12, 4}, 0, &target));
  expect_ok(tn_tensor_copy_to(dense, target));
  assert_memory_equal(tn_tensor_data(back), tn_tensor_data(t), 24 * 4);
  expect_error(tn_tensor_copy_to(t, dense), TN_INVALID, "Tensor((2, 3, 4), int32)");
  tn_tensor_release(target);
  tn_tensor_release(back);
  tn_tensor_release(dense);
  tn_tensor_release(transposed);
  tn_tensor_release(t);
}

static void empty_and_scalar_tensors_copy(void **state) {
  (void)state;
  tn_tensor *empty = iota(2, (const int64_t[]){0, 7});
  tn_tensor *scalar = iota(0, NULL);
  tn_tensor *copy = NULL;
  expect_ok(tn_tensor_copy(NULL, empty, cpu, &copy));
  tn_tensor_release(copy);
  *(int32_t *)tn_tensor_data(scalar) = 9;
  expect_ok(tn_tensor_copy(NULL, scalar, cpu, &copy));
  assert_int_equal(*(int32_t *)tn_tensor_data(copy), 9);
  tn_tensor_release(copy);
  tn_tensor_release(empty);
  tn_tensor_release(scalar);
}

/* ---- DLPack ---- */

typedef struct foreign {
  DLManagedTensor plain;
  DLManagedTensorVersioned versioned;
  int64_t shape[2];
  float values[6];
  int n_deleted;
} foreign;

static void delete_plain(DLManagedTensor *self) { ++((foreign *)self->manager_ctx)->n_deleted; }

static void delete_versioned(DLManagedTensorVersioned *self) {
  ++((foreign *)self->manager_ctx)->n_deleted;
}

static void foreign_init(foreign *f) {
  *f = (foreign){.shape = {2, 3}, .values = {0, 1, 2, 3, 4, 5}};
  DLTensor dl = {
      .data = f->values, .device = {kDLCPU, 0}, .ndim = 2, .dtype = {2, 32, 1}, .shape = f->shape};
  f->plain = (DLManagedTensor){.dl_tensor = dl, .manager_ctx = f, .deleter = delete_plain};
  f->versioned = (DLManagedTensorVersioned){
      .version = {1, 0}, .manager_ctx = f, .deleter = delete_versioned, .dl_tensor = dl};
}

static void an_imported_tensor_is_deleted_once_after_its_last_view(void **state) {
  (void)state;
  foreign f;
  tn_tensor *t = NULL;
  tn_tensor *view = NULL;
  foreign_init(&f);
  expect_ok(tn_tensor_from_dlpack(&f.plain, &t));
  assert_ptr_equal(tn_tensor_data(t), f.values);
  expect_ok(tn_tensor_view(t, TN_DT_F32, 1, (const int64_t[]){3}, NULL, 12, &view));
  tn_tensor_release(t);
  assert_int_equal(f.n_deleted, 0);
  assert_true(*(float *)tn_tensor_data(view) == 3.0F);
  tn_tensor_release(view);
  assert_int_equal(f.n_deleted, 1);
}

static void a_refused_import_stays_the_callers(void **state) {
  (void)state;
  foreign f;
  tn_tensor *t = NULL;
  foreign_init(&f);
  f.plain.dl_tensor.data = NULL;
  expect_error(tn_tensor_from_dlpack(&f.plain, &t), TN_INVALID, "without data");
  f.versioned.version.major = 2;
  expect_error(tn_tensor_from_dlpack_versioned(&f.versioned, &t), TN_UNSUPPORTED, "version 2.0");
  assert_int_equal(f.n_deleted, 0);
  assert_null(t);
}

static void byte_offsets_and_compact_strides_are_understood(void **state) {
  (void)state;
  foreign f;
  tn_tensor *t = NULL;
  int64_t strides[] = {3, 1};
  foreign_init(&f);
  f.plain.dl_tensor.byte_offset = 12;
  f.plain.dl_tensor.shape[0] = 1;
  f.plain.dl_tensor.strides = strides;
  f.plain.deleter = NULL;
  expect_ok(tn_tensor_from_dlpack(&f.plain, &t));
  assert_ptr_equal(tn_tensor_data(t), &f.values[3]);
  assert_null(tn_tensor_dl(t)->strides);
  tn_tensor_release(t);
}

static void read_only_tensors_are_guarded(void **state) {
  (void)state;
  foreign f;
  tn_tensor *t = NULL;
  DLManagedTensor *plain = NULL;
  DLManagedTensorVersioned *versioned = NULL;
  foreign_init(&f);
  f.versioned.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  expect_ok(tn_tensor_from_dlpack_versioned(&f.versioned, &t));
  assert_true(tn_tensor_is_read_only(t));
  expect_error(tn_tensor_copy_to(t, t), TN_INVALID, "read-only");
  expect_error(tn_tensor_to_dlpack(t, &plain), TN_UNSUPPORTED, "read-only");
  expect_ok(tn_tensor_to_dlpack_versioned(t, &versioned));
  assert_true((versioned->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0);
  tn_tensor_release(t);
  assert_int_equal(f.n_deleted, 0);
  versioned->deleter(versioned);
  assert_int_equal(f.n_deleted, 1);
}

static void exports_share_memory_with_explicit_strides(void **state) {
  (void)state;
  tn_tensor *t = iota(2, (const int64_t[]){2, 3});
  DLManagedTensor *plain = NULL;
  DLManagedTensorVersioned *versioned = NULL;
  tn_tensor *again = NULL;
  expect_ok(tn_tensor_to_dlpack(t, &plain));
  expect_ok(tn_tensor_to_dlpack_versioned(t, &versioned));
  assert_ptr_equal(plain->dl_tensor.data, tn_tensor_data(t));
  assert_int_equal(plain->dl_tensor.strides[0], 3);
  assert_int_equal(versioned->version.major, 1);
  tn_tensor_release(t);
  versioned->deleter(versioned);
  expect_ok(tn_tensor_from_dlpack(plain, &again)); /* our own, back in */
  assert_int_equal(((int32_t *)tn_tensor_data(again))[5], 5);
  tn_tensor_release(again);
}

/* Beside an extent of 0 the others may be any: their product passes 64 bits. */
static void empty_tensors_of_huge_extents_go_out_and_come_back(void **state) {
  (void)state;
  const int64_t huge = (int64_t)1 << 40;
  const int64_t shape[] = {huge, 0, huge, huge};
  const int64_t strides[] = {0, huge * 8, huge, 1};
  DLTensor dl = {.device = cpu, .ndim = 4, .dtype = {TN_TC_FLOAT, 32, 1}};
  tn_tensor *empty = NULL;
  tn_tensor *copy = NULL;
  DLManagedTensor *plain = NULL;
  dl.shape = (int64_t *)(uintptr_t)shape;
  dl.strides = (int64_t *)(uintptr_t)strides;
  expect_ok(tn_tensor_from_dl(&dl, &empty));
  assert_null(tn_tensor_dl(empty)->strides);
  assert_int_equal(tn_dl_n_elems(tn_tensor_dl(empty)), 0);
  expect_ok(tn_tensor_copy(NULL, empty, cpu, &copy));
  expect_ok(tn_tensor_to_dlpack(copy, &plain));
  plain->deleter(plain);
  tn_tensor_release(copy);
  tn_tensor_release(empty);
}

/* ---- values ---- */

static void tuples_hold_their_items(void **state) {
  (void)state;
  tn_tensor *t = iota(1, (const int64_t[]){2});
  tn_string *str = NULL;
  tn_shape *shape = NULL;
  tn_tuple *tuple = NULL;
  expect_ok(tn_string_create("hello", &str));
  expect_ok(tn_shape_create(2, (const int64_t[]){3, 4}, &shape));
  tn_arg items[] = {tn_arg_of_tensor(t), tn_arg_of_string(str), tn_arg_of_shape(shape),
                    tn_arg_of_int(7)};
  expect_ok(tn_tuple_create(4, items, &tuple));
  for (size_t i = 0; i < TN_N_ROWS(items); ++i) {
    tn_arg_release(&items[i]);
  }
  assert_int_equal(tn_tuple_size(tuple), 4);
  assert_non_null(tn_arg_dl(tn_tuple_at(tuple, 0)));
  assert_string_equal(tn_arg_text(tn_tuple_at(tuple, 1)), "hello");
  assert_int_equal(tn_shape_dims(tn_arg_shape(tn_tuple_at(tuple, 2)))[1], 4);
  assert_int_equal(tn_tuple_at(tuple, 3)->u.i64, 7);
  assert_null(tn_tuple_at(tuple, 4));
  assert_null(tn_arg_func(tn_tuple_at(tuple, 0)));
  tn_arg value = tn_arg_of_tuple(tuple);
  tn_arg_release(&value);
  assert_int_equal(value.kind, TN_ARG_NONE);
  tn_arg text = tn_arg_of_text("borrowed");
  expect_error(tn_tuple_create(1, &text, &tuple), TN_INVALID, "borrowed text");
}

static void nesting_has_a_limit(void **state) {
  (void)state;
  tn_arg value = tn_arg_of_int(0);
  tn_status st = NULL;
  int depth = 0;
  while (st == NULL && depth < 100000) {
    tn_tuple *tuple = NULL;
    st = tn_tuple_create(1, &value, &tuple);
    if (st == NULL) {
      tn_arg_release(&value);
      value = tn_arg_of_tuple(tuple);
      ++depth;
    }
  }
  expect_error(st, TN_INVALID, "nested more than");
  assert_int_equal(depth, 1000);
  tn_arg_release(&value);
}

static void packed_tensors_hold_two_elements_to_a_byte(void **state) {
  (void)state;
  const uint8_t bytes[] = {0x21, 0xf3, 0x07};
  const int64_t shape[] = {5};
  const int64_t rows[] = {1, 5};
  const int64_t two = 2;
  const int64_t gaps[] = {2};
  tn_tensor *t = NULL;
  tn_tensor *copy = NULL;
  tn_tensor *view = NULL;
  expect_ok(tn_tensor_create(TN_DT_I4, 1, shape, bytes, &t));
  const double want[] = {1, 2, 3, -1, 7};
  for (int64_t i = 0; i < 5; ++i) {
    assert_true(tn_tensor_get_f64(t, i) == want[i]);
  }
  expect_ok(tn_tensor_copy(NULL, t, (DLDevice){kDLCPU, 0}, &copy));
  assert_memory_equal(tn_tensor_data(copy), bytes, 3);
  expect_ok(tn_tensor_view(t, TN_DT_U4, 2, rows, NULL, 0, &view));
  assert_true(tn_tensor_get_f64(view, 3) == 15);
  tn_tensor_release(view);
  expect_error(tn_tensor_view(t, TN_DT_I4, 1, shape, NULL, 1, &view), TN_INVALID, "leaves");
  expect_error(tn_tensor_view(t, TN_DT_I4, 1, &two, gaps, 0, &view), TN_UNSUPPORTED, "strides");
  tn_tensor_release(t);
  tn_tensor_release(copy);
}

static void dlpack_says_whether_small_elements_have_a_byte_each(void **state) {
  (void)state;
  const int64_t shape[] = {4};
  tn_tensor *packed = NULL;
  tn_tensor *padded = NULL;
  tn_tensor *again = NULL;
  DLManagedTensor *plain = NULL;
  DLManagedTensorVersioned *versioned = NULL;
  expect_ok(tn_tensor_create(TN_DT_F4E2M1FN, 1, shape, NULL, &packed));
  expect_ok(tn_tensor_create(TN_DT_F6E3M2FN, 1, shape, NULL, &padded));
  expect_error(tn_tensor_to_dlpack(padded, &plain), TN_UNSUPPORTED, "versioned form");
  expect_ok(tn_tensor_to_dlpack_versioned(padded, &versioned));
  assert_int_equal(versioned->flags, DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED);
  versioned->flags = 0;
  expect_error(tn_tensor_from_dlpack_versioned(versioned, &again), TN_UNSUPPORTED, "without gaps");
  versioned->deleter(versioned);
  expect_ok(tn_tensor_to_dlpack_versioned(packed, &versioned));
  assert_int_equal(versioned->flags, 0);
  versioned->flags = DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED;
  expect_error(tn_tensor_from_dlpack_versioned(versioned, &again), TN_UNSUPPORTED, "two to a byte");
  versioned->deleter(versioned);
  tn_tensor_release(packed);
  tn_tensor_release(padded);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tensors_are_aligned_and_compact),
      cmocka_unit_test(bad_shapes_are_refused),
      cmocka_unit_test(views_share_memory_and_stay_inside),
      cmocka_unit_test(strided_tensors_copy_both_ways),
      cmocka_unit_test(empty_and_scalar_tensors_copy),
      cmocka_unit_test(an_imported_tensor_is_deleted_once_after_its_last_view),
      cmocka_unit_test(a_refused_import_stays_the_callers),
      cmocka_unit_test(byte_offsets_and_compact_strides_are_understood),
      cmocka_unit_test(read_only_tensors_are_guarded),
      cmocka_unit_test(exports_share_memory_with_explicit_strides),
      cmocka_unit_test(empty_tensors_of_huge_extents_go_out_and_come_back),
      cmocka_unit_test(tuples_hold_their_items),
      cmocka_unit_test(nesting_has_a_limit),
      cmocka_unit_test(packed_tensors_hold_two_elements_to_a_byte),
      cmocka_unit_test(dlpack_says_whether_small_elements_have_a_byte_each),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
