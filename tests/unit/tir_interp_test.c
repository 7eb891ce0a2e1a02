/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Statements in the interpreter: loops, blocks, memory, arguments and errors, against results
 * computed by hand. */
#include "tn_test.h"

#include "tir_make.h"

static int set_up(void **state) {
  *state = tn_ir_new(0);
  return 0;
}

static int tear_down(void **state) {
  tn_ir_free(*state);
  return 0;
}

static tn_array view(void *data, tn_dtype dtype, int32_t ndim, const int64_t *shape) {
  tn_array array = {.data = data, .dtype = dtype, .ndim = ndim, .is_view = true};
  for (int32_t i = 0; i < ndim; ++i) {
    array.shape[i] = shape[i];
  }
  return array;
}
#define I32(data, ...)                                                                   \
  view((data), TN_DT_I32, (int32_t)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), \
       (const int64_t[]){__VA_ARGS__})

static tn_status run_hooks(tn_ir *ir, const tn_node *func, const tn_tir_hooks *hooks, uint32_t n,
                           tn_array *arrays) {
  tn_tir_arg args[8] = {{0}};
  tn_module module;
  tn_module_init(&module, ir, "M");
  tn_module_set(&module, func->attr.text, func);
  for (uint32_t i = 0; i < n; ++i) {
    args[i].array = &arrays[i];
  }
  tn_diags diags = {0};
  tn_tir_verify(ir, func, &diags);
  tn_status st = tn_diags_to_status(&diags, ir);
  if (st == NULL) {
    st = tn_tir_interp(&module, func->attr.text, args, (int32_t)n, hooks, NULL);
  }
  tn_module_deinit(&module);
  return st;
}

static tn_status run(tn_ir *ir, const tn_node *func, uint32_t n, tn_array *arrays) {
  return run_hooks(ir, func, NULL, n, arrays);
}

static void expect_i32(const int32_t *got, const int32_t *want, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    expect_true(got[i] == want[i], "element %zu: got %d, want %d", i, got[i], want[i]);
  }
}

/* ---- loops and branches ---- */

static void loops_start_where_they_say_and_skip_empty_ranges(void **state) {
  tn_ir *ir = *state;
  const tn_node *A = MK_BUFFER(ir, "A", TN_DT_I32, 6);
  const tn_node *i = mk_var(ir, "i");
  const tn_node *j = mk_var(ir, "j");
  const tn_node *first = tn_for_new(ir, TN_FOR_PARALLEL, i, mk_i32(ir, 2), mk_i32(ir, 3),
                                    MK_STORE(ir, A, mk_add(ir, i, mk_i32(ir, 10)), i), NULL, NULL);
  const tn_node *never = tn_for_new(ir, TN_FOR_SERIAL, j, mk_i32(ir, 0), mk_i32(ir, -5),
                                    MK_STORE(ir, A, j, j), NULL, NULL);
  int32_t a[6] = {0};
  tn_array arrays[] = {I32(a, 6)};
  expect_ok(run(ir, MK_FUNC(ir, "f", MK_SEQ(ir, first, never), A), 1, arrays));
  expect_i32(a, (int32_t[]){0, 0, 12, 13, 14, 0}, 6);
}

static void while_and_if_follow_memory(void **state) {
  tn_ir *ir = *state;
  const tn_node *A = MK_BUFFER(ir, "A", TN_DT_I32, 3);
  const tn_node *zero = mk_i32(ir, 0);
  const tn_node *one = mk_i32(ir, 1);
  const tn_node *n = MK_LOAD(ir, A, zero);
  /* counts the halvings of A[0] in A[1], odd values in A[2] */
  const tn_node *is_odd = mk_op(ir, TN_OP_EQ, mk_op(ir, TN_OP_FLOORMOD, n, mk_i32(ir, 2)), one);
  const tn_node *two = mk_i32(ir, 2);
  const tn_node *odd = MK_STORE(ir, A, mk_add(ir, MK_LOAD(ir, A, two), one), two);
  const tn_node *even = MK_STORE(ir, A, mk_add(ir, MK_LOAD(ir, A, one), mk_i32(ir, 100)), one);
  const tn_node *body = MK_SEQ(ir, MK_NODE(ir, TN_OP_IF, 0, is_odd, odd, even),
                               MK_STORE(ir, A, mk_add(ir, MK_LOAD(ir, A, one), one), one),
                               MK_STORE(ir, A, mk_op(ir, TN_OP_FLOORDIV, n, two), zero));
  const tn_node *loop = MK_NODE(ir, TN_OP_WHILE, 0, mk_op(ir, TN_OP_GT, n, zero), body);
  int32_t a[3] = {13, 0, 0};
  tn_array arrays[] = {I32(a, 3)};
  expect_ok(run(ir, MK_FUNC(ir, "f", loop, A), 1, arrays));
  expect_i32(a, (int32_t[]){0, 104, 3}, 3);
}

static void a_value_bound_before_a_store_stays(void **state) {
  tn_ir *ir = *state;
  const tn_node *A = MK_BUFFER(ir, "A", TN_DT_I32, 4);
  const tn_node *zero = mk_i32(ir, 0);
  const tn_node *x = mk_var(ir, "x");
  const tn_node *load = MK_LOAD(ir, A, zero);
  const tn_node *body =
      MK_SEQ(ir, MK_NODE(ir, TN_OP_BIND, 0, x, load), MK_STORE(ir, A, mk_i32(ir, 7), zero),
             MK_STORE(ir, A, x, mk_i32(ir, 1)), MK_STORE(ir, A, load, mk_i32(ir, 2)));
  int32_t a[4] = {5, 0, 0, 0};
  tn_array arrays[] = {I32(a, 4)};
  expect_ok(run(ir, MK_FUNC(ir, "f", body, A), 1, arrays));
  expect_i32(a, (int32_t[]){7, 5, 7, 0}, 4); /* load, store, load: two values of one node */
}

static void what_one_branch_computed_is_not_known_in_the_other(void **state) {
  tn_ir *ir = *state;
  const tn_node *A = MK_BUFFER(ir, "A", TN_DT_I32, 3);
  const tn_node *load = MK_LOAD(ir, A, mk_i32(ir, 0));
  const tn_node *sum = mk_add(ir, load, mk_i32(ir, 3));
  const tn_node *x = mk_var(ir, "x");
  const tn_node *then = MK_NODE(ir, TN_OP_BIND, 0, x, sum);
  const tn_node *other = MK_STORE(ir, A, sum, mk_i32(ir, 1));
  const tn_node *cond = mk_op(ir, TN_OP_GT, load, mk_i32(ir, 100));
  const tn_node *after = MK_STORE(ir, A, mk_mul(ir, sum, mk_i32(ir, 2)), mk_i32(ir, 2));
  int32_t a[3] = {5, 0, 0};
  tn_array arrays[] = {I32(a, 3)};
  const tn_node *body = MK_SEQ(ir, MK_NODE(ir, TN_OP_IF, 0, cond, then, other), after);
  expect_ok(run(ir, MK_FUNC(ir, "f", body, A), 1, arrays));
  expect_i32(a, (int32_t[]){5, 8, 16}, 3);
}

static void threads_run_one_after_another(void **state) {
  tn_ir *ir = *state;
  const tn_node *A = MK_BUFFER(ir, "A", TN_DT_I32, 6);
  const tn_node *bx = mk_var(ir, "bx");
  const tn_node *tx = mk_var(ir, "tx");
  const tn_node *index = mk_add(ir, mk_mul(ir, bx, mk_i32(ir, 3)), tx);
  const tn_node *inner = tn_for_new(ir, TN_FOR_THREAD_BINDING, tx, NULL, mk_i32(ir, 3),
                                    MK_STORE(ir, A, index, index), tn_str(ir, "threadIdx.x"), NULL);
  const tn_node *in[] = {bx, mk_i32(ir, 2), inner};
  const tn_node *launch =
      tn_node_new(ir, TN_OP_LAUNCH, TN_DT_NONE, (tn_attr){.text = "blockIdx.x"}, 3, in);
  int32_t a[6] = {0};
  tn_array arrays[] = {I32(a, 6)};
  expect_ok(run(ir, MK_FUNC(ir, "f", launch, A), 1, arrays));
  expect_i32(a, (int32_t[]){0, 1, 2, 3, 4, 5}, 6);
}

/* ---- blocks ---- */

static void a_block_sums_with_init_and_predicate(void **state) {
  tn_ir *ir = *state;
  const tn_node *A = MK_BUFFER(ir, "A", TN_DT_I32, 3, 5);
  const tn_node *B = MK_BUFFER(ir, "B", TN_DT_I32, 3);
  const tn_node *i = mk_var(ir, "i");
  const tn_node *ko = mk_var(ir, "ko");
  const tn_node *ki = mk_var(ir, "ki");
  const tn_node *vi = mk_var(ir, "vi");
  const tn_node *vk = mk_var(ir, "vk");
  const tn_node *k = mk_add(ir, mk_mul(ir, ko, mk_i32(ir, 2)), ki);
  const tn_node *iters = tn_list(
      ir, 2,
      MK_LIST(mk_iter(ir, TN_ITER_SPATIAL, vi, 3, i), mk_iter(ir, TN_ITER_REDUCE, vk, 5, k)));
  const tn_node *update =
      MK_STORE(ir, B, mk_add(ir, MK_LOAD(ir, B, vi), MK_LOAD(ir, A, vi, vk)), vi);
  const tn_node *block =
      mk_block(ir, &(mk_block_spec){.name = "B",
                                    .iters = iters,
                                    .predicate = mk_op(ir, TN_OP_LT, k, mk_i32(ir, 5)),
                                    .init = MK_STORE(ir, B, mk_i32(ir, 0), vi),
                                    .body = update});
  const tn_node *f =
      MK_FUNC(ir, "f", mk_for(ir, i, 3, mk_for(ir, ko, 3, mk_for(ir, ki, 2, block))), A, B);
  int32_t a[15];
  int32_t b[3] = {99, 99, 99};
  for (int32_t n = 0; n < 15; ++n) {
    a[n] = n;
  }
  tn_array arrays[] = {I32(a, 3, 5), I32(b, 3)};
  expect_ok(run(ir, f, 2, arrays));
  expect_i32(b, (int32_t[]){10, 35, 60}, 3);
}

static void an_axis_outside_its_domain_is_an_error(void **state) {
  tn_ir *ir = *state;
  const tn_node *B = MK_BUFFER(ir, "B", TN_DT_I32, 8);
  const tn_node *i = mk_var(ir, "i");
  const tn_node *vi = mk_var(ir, "vi");
  const tn_node *iters = tn_list(ir, 1, MK_LIST(mk_iter(ir, TN_ITER_SPATIAL, vi, 3, i)));
  const tn_node *block =
      mk_block(ir, &(mk_block_spec){.name = "B", .iters = iters, .body = MK_STORE(ir, B, vi, vi)});
  int32_t b[8] = {0};
  tn_array arrays[] = {I32(b, 8)};
  expect_error(run(ir, MK_FUNC(ir, "f", mk_for(ir, i, 4, block), B), 1, arrays), TN_INVALID,
               "f: axis 'vi' is 3, outside its domain [0, 3) [axis-out-of-domain]");
}

static void a_block_has_memory_of_its_own_zeroed_each_time(void **state) {
  tn_ir *ir = *state;
  const tn_node *B = MK_BUFFER(ir, "B", TN_DT_I32, 3);
  const tn_node *S = MK_BUFFER(ir, "S", TN_DT_I32, 2);
  const tn_node *i = mk_var(ir, "i");
  const tn_node *vi = mk_var(ir, "vi");
  const tn_node *one = mk_i32(ir, 1);
  const tn_node *iters = tn_list(ir, 1, MK_LIST(mk_iter(ir, TN_ITER_SPATIAL, vi, 3, i)));
  const tn_node *body =
      MK_SEQ(ir, MK_STORE(ir, S, mk_add(ir, MK_LOAD(ir, S, one), mk_add(ir, vi, one)), one),
             MK_STORE(ir, B, MK_LOAD(ir, S, one), vi));
  const tn_node *block = mk_block(
      ir,
      &(mk_block_spec){.name = "B", .iters = iters, .allocs = tn_list(ir, 1, &S), .body = body});
  int32_t b[3] = {0};
  tn_array arrays[] = {I32(b, 3)};
  expect_ok(run(ir, MK_FUNC(ir, "f", mk_for(ir, i, 3, block), B), 1, arrays));
  expect_i32(b, (int32_t[]){1, 2, 3}, 3);
}

/* B[1:3, 2:4] as V with symbolic strides and offset. */
static const tn_node *matched(tn_ir *ir, const tn_node *B, int64_t extent, const tn_node **out_view,
                              const tn_node **out_symbols) {
  const tn_node *shape[] = {mk_i32(ir, 2), mk_i32(ir, extent)};
  out_symbols[0] = mk_var(ir, "s0");
  out_symbols[1] = mk_var(ir, "s1");
  out_symbols[2] = mk_var(ir, "off");
  const tn_node *view_buffer =
      tn_buffer_new(ir, &(tn_buffer_spec){.name = "V",
                                          .dtype = TN_DT_I32,
                                          .ndim = 2,
                                          .shape = shape,
                                          .strides = tn_list(ir, 2, out_symbols),
                                          .elem_offset = out_symbols[2]});
  const tn_node *ranges[] = {mk_range(ir, mk_i32(ir, 1), mk_i32(ir, 2)),
                             mk_range(ir, mk_i32(ir, 2), mk_i32(ir, extent))};
  *out_view = view_buffer;
  return MK_NODE(ir, TN_OP_MATCH, 0, view_buffer, tn_region_new(ir, B, 2, ranges));
}

static void a_matched_view_shares_memory_and_binds_its_symbols(void **state) {
  tn_ir *ir = *state;
  const tn_node *B = MK_BUFFER(ir, "B", TN_DT_I32, 4, 5);
  const tn_node *symbols[3];
  const tn_node *V = NULL;
  const tn_node *match = matched(ir, B, 2, &V, symbols);
  const tn_node *zero = mk_i32(ir, 0);
  const tn_node *one = mk_i32(ir, 1);
  const tn_node *body =
      MK_SEQ(ir, MK_STORE(ir, V, symbols[0], zero, zero), MK_STORE(ir, V, symbols[1], zero, one),
             MK_STORE(ir, V, symbols[2], one, zero),
             MK_STORE(ir, V, MK_LOAD(ir, B, one, mk_i32(ir, 2)), one, one));
  const tn_node *block =
      mk_block(ir, &(mk_block_spec){.name = "m", .matches = tn_list(ir, 1, &match), .body = body});
  int32_t b[20] = {0};
  tn_array arrays[] = {I32(b, 4, 5)};
  expect_ok(run(ir, MK_FUNC(ir, "f", block, B), 1, arrays));
  expect_i32(b, (int32_t[]){0, 0, 0, 0, 0, 0, 0, 5, 1, 0, 0, 0, 7, 5, 0, 0, 0, 0, 0, 0}, 20);
  match = matched(ir, B, 4, &V, symbols);
  block = mk_block(ir, &(mk_block_spec){.name = "m",
                                        .matches = tn_list(ir, 1, &match),
                                        .body = MK_STORE(ir, V, zero, zero, zero)});
  expect_error(run(ir, MK_FUNC(ir, "f", block, B), 1, arrays), TN_INVALID,
               "the region [2, 6) in dimension 1 of buffer 'B' is outside [0, 5)");
}

/* ---- memory ---- */

static void memory_is_seen_through_buffers_of_other_types(void **state) {
  tn_ir *ir = *state;
  const tn_node *O = MK_BUFFER(ir, "O", TN_DT_I32, 4);
  const tn_node *data = tn_var_new(ir, "data", TN_DT_HANDLE);
  const tn_node *four = mk_i32(ir, 4);
  const tn_node *sixteen = mk_i32(ir, 16);
  const tn_node *W = tn_buffer_new(
      ir,
      &(tn_buffer_spec){.name = "W", .dtype = TN_DT_I32, .ndim = 1, .shape = &four, .data = data});
  const tn_node *Y = tn_buffer_new(
      ir, &(tn_buffer_spec){
              .name = "Y", .dtype = TN_DT_U8, .ndim = 1, .shape = &sixteen, .data = data});
  const tn_node *in[] = {data, tn_list(ir, 1, &four), tn_bool(ir, true), tn_str(ir, "local"),
                         tn_none(ir)};
  const tn_node *alloc = tn_node_new(ir, TN_OP_ALLOC, TN_DT_I32, (tn_attr){0}, 5, in);
  const tn_node *zero = mk_i32(ir, 0);
  const tn_node *one = mk_i32(ir, 1);
  const tn_node *body =
      MK_SEQ(ir, alloc, MK_NODE(ir, TN_OP_DECL, 0, W), MK_NODE(ir, TN_OP_DECL, 0, Y),
             MK_STORE(ir, O, MK_LOAD(ir, W, one), zero), /* allocations start as 0 */
             MK_STORE(ir, W, mk_i32(ir, 0x01020304), one),
             MK_STORE(ir, O, MK_LOAD(ir, Y, mk_i32(ir, 6)), one),
             MK_STORE(ir, Y, mk_i32(ir, 255), mk_i32(ir, 7)),
             MK_STORE(ir, O, MK_LOAD(ir, W, one), mk_i32(ir, 2)));
  int32_t o[4] = {9, 9, 9, 9};
  tn_array arrays[] = {I32(o, 4)};
  expect_ok(run(ir, MK_FUNC(ir, "f", body, O), 1, arrays));
  expect_i32(o, (int32_t[]){0, 2, (int32_t)0xff020304, 9}, 4);
}

static const tn_node *view_past_end(tn_ir *ir, const tn_node *O, int64_t index) {
  const tn_node *data = tn_var_new(ir, "data", TN_DT_HANDLE);
  const tn_node *four = mk_i32(ir, 4);
  const tn_node *in[] = {data, tn_list(ir, 1, &four), tn_bool(ir, true), tn_str(ir, "global"),
                         tn_none(ir)};
  const tn_node *alloc = tn_node_new(ir, TN_OP_ALLOC, TN_DT_I32, (tn_attr){0}, 5, in);
  tn_buffer_spec spec = {.name = "W", .dtype = TN_DT_I32, .ndim = 1, .shape = &four, .data = data};
  spec.elem_offset = mk_i32(ir, 2);
  const tn_node *W = tn_buffer_new(ir, &spec);
  return MK_FUNC(ir, "f",
                 MK_SEQ(ir, alloc, MK_NODE(ir, TN_OP_DECL, 0, W),
                        MK_STORE(ir, O, MK_LOAD(ir, W, mk_i32(ir, index)), mk_i32(ir, 0))),
                 O);
}

static void views_cannot_leave_the_memory_behind_them(void **state) {
  tn_ir *ir = *state;
  const tn_node *O = MK_BUFFER(ir, "O", TN_DT_I32, 1);
  int32_t o = 0;
  tn_array arrays[] = {I32(&o, 1)};
  expect_ok(run(ir, view_past_end(ir, O, 1), 1, arrays));
  expect_error(run(ir, view_past_end(ir, O, 2), 1, arrays), TN_INVALID,
               "buffer 'W' reaches outside the memory behind it [outside-memory]");
}

static void constants_are_read_and_not_written(void **state) {
  tn_ir *ir = *state;
  const tn_node *O = MK_BUFFER(ir, "O", TN_DT_I32, 1);
  const tn_node *data = tn_var_new(ir, "data", TN_DT_HANDLE);
  tn_array array = {0};
  expect_ok(tn_array_init(&array, TN_DT_I32, 1, (int64_t[]){3}));
  for (int64_t i = 0; i < 3; ++i) {
    tn_array_set_i64(&array, i, 10 + i);
  }
  const tn_node *constant = tn_const_new(ir, &array);
  const tn_node *three = mk_i32(ir, 3);
  const tn_node *K = tn_buffer_new(
      ir,
      &(tn_buffer_spec){.name = "K", .dtype = TN_DT_I32, .ndim = 1, .shape = &three, .data = data});
  const tn_node *zero = mk_i32(ir, 0);
  for (int is_write = 0; is_write < 2; ++is_write) {
    const tn_node *last = is_write ? MK_STORE(ir, K, zero, zero)
                                   : MK_STORE(ir, O, MK_LOAD(ir, K, mk_i32(ir, 2)), zero);
    const tn_node *body = MK_SEQ(ir, MK_NODE(ir, TN_OP_CONST_ALLOC, 0, data, constant),
                                 MK_NODE(ir, TN_OP_DECL, 0, K), last);
    int32_t o = 0;
    tn_array arrays[] = {I32(&o, 1)};
    tn_status st = run(ir, MK_FUNC(ir, "f", body, O), 1, arrays);
    if (is_write) {
      expect_error(st, TN_INVALID, "buffer 'K' is constant and cannot be stored to");
    } else {
      expect_ok(st);
      assert_int_equal(o, 12);
    }
  }
}

static void vectors_go_to_and_from_memory(void **state) {
  tn_ir *ir = *state;
  const tn_node *A = MK_BUFFER(ir, "A", TN_DT_I32, 8);
  const tn_node *B = MK_BUFFER(ir, "B", TN_DT_I32, 4);
  const tn_node *zero = mk_i32(ir, 0);
  const tn_node *at = mk_ramp(ir, zero, 1, 4);
  const tn_node *even = mk_ramp(ir, mk_i32(ir, 6), -2, 4);
  const tn_node *on = mk_op(ir, TN_OP_NE, at, mk_i32(ir, 1));
  const tn_node *load = mk_load(ir, A, on, 1, &even);
  const tn_node *body = MK_SEQ(ir, mk_store(ir, B, mk_add(ir, load, mk_i32(ir, 100)), NULL, 1, &at),
                               mk_store(ir, A, mk_i32(ir, -1), on, 1, &at));
  int32_t a[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  int32_t b[4] = {0};
  tn_array arrays[] = {I32(a, 8), I32(b, 4)};
  expect_ok(run(ir, MK_FUNC(ir, "f", body, A, B), 2, arrays));
  expect_i32(b, (int32_t[]){106, 100, 102, 100}, 4);
  expect_i32(a, (int32_t[]){-1, 1, -1, -1, 4, 5, 6, 7}, 8);
}

static void masked_lanes_touch_nothing(void **state) {
  tn_ir *ir = *state;
  const tn_node *A = MK_BUFFER(ir, "A", TN_DT_I32, 2);
  const tn_node *at = mk_ramp(ir, mk_i32(ir, 0), 1, 4);
  const tn_node *on = mk_op(ir, TN_OP_LT, at, mk_i32(ir, 2));
  const tn_node *load = mk_load(ir, A, on, 1, &at);
  int32_t a[2] = {1, 2};
  tn_array arrays[] = {I32(a, 2)};
  expect_ok(run(ir,
                MK_FUNC(ir, "f", mk_store(ir, A, mk_mul(ir, load, mk_i32(ir, 3)), on, 1, &at), A),
                1, arrays));
  expect_i32(a, (int32_t[]){3, 6}, 2);
  expect_error(run(ir, MK_FUNC(ir, "f", mk_store(ir, A, load, NULL, 1, &at), A), 1, arrays),
               TN_INVALID, "index 2 of dimension 0 of buffer 'A' is outside [0, 2)");
}

static void indices_are_checked_in_every_dimension(void **state) {
  tn_ir *ir = *state;
  const tn_node *A = MK_BUFFER(ir, "A", TN_DT_I32, 2, 3, 4);
  static const struct {
    int64_t index[3];
    const char *part; /* NULL: fine */
  } cases[] = {
      {{1, 2, 3}, NULL},
      {{2, 0, 0}, "index 2 of dimension 0 of buffer 'A' is outside [0, 2) [index-out-of-bounds]"},
      {{0, 3, 0}, "index 3 of dimension 1"},
      {{0, 0, -1}, "index -1 of dimension 2"},
  };
  for (size_t i = 0; i < TN_N_ROWS(cases); ++i) {
    const int64_t *at = cases[i].index;
    const tn_node *store =
        MK_STORE(ir, A, mk_i32(ir, 5), mk_i32(ir, at[0]), mk_i32(ir, at[1]), mk_i32(ir, at[2]));
    int32_t a[24] = {0};
    tn_array arrays[] = {I32(a, 2, 3, 4)};
    tn_status st = run(ir, MK_FUNC(ir, "f", store, A), 1, arrays);
    if (cases[i].part == NULL) {
      expect_ok(st);
      assert_int_equal(a[23], 5);
    } else {
      expect_error(st, TN_INVALID, cases[i].part);
    }
  }
}

static void lowered_buffers_need_no_declaration(void **state) {
  tn_ir *ir = *state;
  const tn_node *A = MK_BUFFER(ir, "A", TN_DT_I32, 2, 3);
  const tn_node *six = mk_i32(ir, 6);
  tn_buffer_spec spec = {
      .name = "A_1", .dtype = TN_DT_I32, .ndim = 1, .shape = &six, .data = A->in[TN_BUFFER_DATA]};
  const tn_node *flat = tn_buffer_new(ir, &spec);
  const tn_node *i = mk_var(ir, "i");
  const tn_node *f = MK_FUNC(ir, "f", mk_for(ir, i, 6, MK_STORE(ir, flat, i, i)), A);
  tn_tir_program *program = NULL;
  int32_t a[6] = {0};
  tn_array array = I32(a, 2, 3);
  expect_ok(tn_tir_program_new(ir, f, &program));
  expect_ok(tn_tir_program_run(program, &(tn_tir_arg){.array = &array}, 1, NULL, NULL));
  tn_tir_program_free(program);
  expect_i32(a, (int32_t[]){0, 1, 2, 3, 4, 5}, 6);
}

/* ---- arguments ---- */

static void arguments_are_checked_as_compiled_code_does(void **state) {
  tn_ir *ir = *state;
  const tn_node *n = mk_var(ir, "n");
  const tn_node *shape_a[] = {mk_mul(ir, n, mk_i32(ir, 2))};
  const tn_node *shape_b[] = {n, n};
  const tn_node *A = tn_buffer_new(
      ir, &(tn_buffer_spec){.name = "A", .dtype = TN_DT_I32, .ndim = 1, .shape = shape_a});
  const tn_node *B = tn_buffer_new(
      ir, &(tn_buffer_spec){.name = "B", .dtype = TN_DT_I32, .ndim = 2, .shape = shape_b});
  const tn_node *f = MK_FUNC(ir, "f", MK_STORE(ir, A, n, mk_i32(ir, 0)), A, B);
#define SIGNATURE "f(A: T.Buffer((n * 2,), \"int32\"), B: T.Buffer((n, n), \"int32\"))"
  int32_t a[8] = {0};
  int32_t b[16] = {0};
  double d[16] = {0};
  const struct {
    uint32_t n;
    tn_array arrays[3];
    const char *part; /* NULL: fine */
  } cases[] = {
      {2, {I32(a, 6), I32(b, 3, 3)}, NULL},
      {2,
       {I32(a, 6), I32(b, 2, 2)},
       "A.shape[0] of argument 0 when calling " SIGNATURE ": expected 4, got 6"},
      {2,
       {I32(a, 4), I32(b, 2, 3)},
       "B.shape[1] of argument 1 when calling " SIGNATURE ": expected 2, got 3"},
      {1, {I32(a, 4)}, "number of arguments when calling " SIGNATURE ": expected 2, got 1"},
      {2,
       {I32(a, 4), I32(b, 4)},
       "B.ndim of argument 1 when calling " SIGNATURE ": expected 2, got 1"},
      {2,
       {I32(a, 4), view(d, TN_DT_F64, 2, (int64_t[]){2, 2})},
       "B.dtype of argument 1 when calling " SIGNATURE ": expected int32, got float64"},
  };
  for (size_t i = 0; i < TN_N_ROWS(cases); ++i) {
    tn_array arrays[3] = {cases[i].arrays[0], cases[i].arrays[1], cases[i].arrays[2]};
    tn_status st = run(ir, f, cases[i].n, arrays);
    if (cases[i].part == NULL) {
      expect_ok(st);
      assert_int_equal(a[0], 3);
    } else {
      expect_error(st, TN_INVALID, cases[i].part);
    }
  }
}

static void symbolic_strides_are_those_of_a_dense_array(void **state) {
  tn_ir *ir = *state;
  const tn_node *strides[] = {mk_var(ir, "s"), mk_i32(ir, 1)};
  const tn_node *shape[] = {mk_i32(ir, 2), mk_i32(ir, 3)};
  tn_buffer_spec spec = {.name = "A",
                         .dtype = TN_DT_I32,
                         .ndim = 2,
                         .shape = shape,
                         .strides = tn_list(ir, 2, strides)};
  const tn_node *A = tn_buffer_new(ir, &spec);
  const tn_node *f = MK_FUNC(ir, "f", MK_STORE(ir, A, strides[0], mk_i32(ir, 1), mk_i32(ir, 2)), A);
  int32_t a[6] = {0};
  tn_array arrays[] = {I32(a, 2, 3)};
  expect_ok(run(ir, f, 1, arrays));
  assert_int_equal(a[5], 3);
  strides[1] = mk_i32(ir, 2);
  spec.strides = tn_list(ir, 2, strides);
  A = tn_buffer_new(ir, &spec);
  f = MK_FUNC(ir, "f", MK_STORE(ir, A, mk_i32(ir, 0), mk_i32(ir, 1), mk_i32(ir, 2)), A);
  expect_error(run(ir, f, 1, arrays), TN_INVALID, "A.strides[1] of argument 0 when calling");
}

static void scalars_take_their_parameters_type_and_results_come_back(void **state) {
  tn_ir *ir = *state;
  const tn_node *x = tn_var_new(ir, "x", TN_DT_I8);
  const tn_node *y = tn_var_new(ir, "y", TN_DT_F32);
  const tn_node *sum = mk_add(ir, x, y);
  const tn_node *none = tn_none(ir);
  const tn_node *ret = tn_node_new(ir, TN_OP_TY_PRIM, TN_DT_F32, (tn_attr){0}, 1, &none);
  const tn_node *params[] = {x, y};
  const tn_node *f = mk_func(ir, "f", MK_NODE(ir, TN_OP_RETURN, 0, sum), ret, 2, params);
  tn_tir_program *program = NULL;
  tn_tir_arg args[] = {{.i64 = 1}, {.f64 = 0.1}};
  tn_tir_arg result = {0};
  expect_ok(tn_tir_program_new(ir, f, &program));
  expect_ok(tn_tir_program_run(program, args, 2, NULL, &result));
  assert_true(result.f64 == (double)(1.0F + 0.1F));
  args[0].i64 = 257;
  expect_error(tn_tir_program_run(program, args, 2, NULL, NULL), TN_INVALID,
               "x of argument 0 when calling f(x: T.int8, y: T.float32): expected int8, got 257");
  args[0] = (tn_tir_arg){.f64 = 1, .is_float = true};
  expect_error(tn_tir_program_run(program, args, 2, NULL, NULL), TN_INVALID,
               "x of argument 0 when calling f(x: T.int8, y: T.float32): expected int, got float");
  tn_array array = I32((int32_t[]){0}, 1);
  args[0].array = &array;
  expect_error(tn_tir_program_run(program, args, 2, NULL, NULL), TN_INVALID,
               "argument 0 when calling f(x: T.int8, y: T.float32): expected a number");
  tn_tir_program_free(program);
}

/* ---- what stops a program ---- */

static void asserts_and_limits_stop_it(void **state) {
  tn_ir *ir = *state;
  const tn_node *A = MK_BUFFER(ir, "A", TN_DT_I32, 1);
  const tn_node *load = MK_LOAD(ir, A, mk_i32(ir, 0));
  const tn_node *check = MK_NODE(ir, TN_OP_ASSERT, 0, mk_op(ir, TN_OP_EQ, load, mk_i32(ir, 4)),
                                 tn_str(ir, "A is not 4"));
  int32_t a = 4;
  tn_array arrays[] = {I32(&a, 1)};
  expect_ok(run(ir, MK_FUNC(ir, "f", check, A), 1, arrays));
  a = 3;
  expect_error(run(ir, MK_FUNC(ir, "f", check, A), 1, arrays), TN_INVALID,
               "f: A is not 4 [assertion]");
  const tn_node *forever = MK_NODE(ir, TN_OP_WHILE, 0, mk_op(ir, TN_OP_GT, load, mk_i32(ir, 0)),
                                   MK_STORE(ir, A, mk_i32(ir, 1), mk_i32(ir, 0)));
  tn_tir_hooks hooks = {.max_steps = 1000};
  expect_error(run_hooks(ir, MK_FUNC(ir, "f", forever, A), &hooks, 1, arrays), TN_TIMEOUT,
               "more than 1000 statements");
}

static void huge_and_negative_allocations_are_errors(void **state) {
  tn_ir *ir = *state;
  const tn_node *A = MK_BUFFER(ir, "A", TN_DT_I64, 1);
  const tn_node *n = MK_LOAD(ir, A, mk_i32(ir, 0));
  const tn_node *data = tn_var_new(ir, "data", TN_DT_HANDLE);
  const tn_node *extents[] = {n, n};
  const tn_node *in[] = {data, tn_list(ir, 2, extents), tn_bool(ir, true), tn_str(ir, "global"),
                         tn_none(ir)};
  const tn_node *f =
      MK_FUNC(ir, "f", tn_node_new(ir, TN_OP_ALLOC, TN_DT_F32, (tn_attr){0}, 5, in), A);
  int64_t a = INT64_C(1) << 40;
  tn_array arrays[] = {view(&a, TN_DT_I64, 1, (int64_t[]){1})};
  expect_error(run(ir, f, 1, arrays), TN_NO_MEMORY, "f: no memory for an allocation");
  a = -1;
  expect_error(run(ir, f, 1, arrays), TN_INVALID, "extent -1 of an allocation is negative");
}

/* ---- calls by name ---- */

static tn_status sum_into(void *ctx, const char *name, const tn_tir_arg *args, int32_t n_args,
                          tn_tir_arg *out_ret) {
  if (strcmp(name, "sum_into") != 0) {
    return TN_ERR(TN_NOT_FOUND, "no function '%s'", name);
  }
  assert_int_equal(n_args, 5);
  assert_non_null(args[0].array);
  assert_int_equal(args[0].array->shape[0], 3);
  assert_true(args[3].is_pointer && args[3].array == NULL);
  assert_ptr_equal((void *)(intptr_t)args[3].i64, args[0].array->data);
  assert_string_equal(args[4].text, "text");
  assert_true(args[2].f64 == 0.5);
  *(int32_t *)ctx += 1;
  for (int64_t i = 0; i < 3; ++i) {
    int64_t sum = tn_array_get_i64(args[0].array, i) + args[1].i64;
    ((int32_t *)args[0].array->data)[i] = (int32_t)sum;
  }
  out_ret->i64 = 42;
  return NULL;
}

static void functions_by_name_get_buffers_and_numbers(void **state) {
  tn_ir *ir = *state;
  const tn_node *A = MK_BUFFER(ir, "A", TN_DT_I32, 3);
  const tn_node *zero = mk_i32(ir, 0);
  int32_t n_calls = 0;
  tn_tir_hooks hooks = {.call_packed = sum_into, .ctx = &n_calls};
  const tn_node *args[] = {tn_str(ir, "sum_into"), A,
                           mk_i32(ir, 5),          mk_f32(ir, 0.5),
                           A->in[TN_BUFFER_DATA],  tn_str(ir, "text")};
  const tn_node *call = mk_intrin(ir, TN_INTRIN_CALL_PACKED, TN_DT_NONE, 6, args);
  /* A[0] + call + A[0]: the call stands between the two reads */
  const tn_node *load = MK_LOAD(ir, A, zero);
  const tn_node *value = mk_add(ir, mk_mul(ir, load, mk_i32(ir, 1000)),
                                mk_add(ir, mk_mul(ir, call, mk_i32(ir, 0)), load));
  int32_t a[3] = {1, 2, 3};
  tn_array arrays[] = {I32(a, 3)};
  expect_ok(
      run_hooks(ir, MK_FUNC(ir, "f", MK_STORE(ir, A, value, mk_i32(ir, 2)), A), &hooks, 1, arrays));
  assert_int_equal(n_calls, 1);
  expect_i32(a, (int32_t[]){6, 7, 1006}, 3);
  args[0] = tn_str(ir, "other");
  const tn_node *eval =
      MK_NODE(ir, TN_OP_EVAL, 0, mk_intrin(ir, TN_INTRIN_CALL_PACKED, TN_DT_NONE, 6, args));
  expect_error(run_hooks(ir, MK_FUNC(ir, "f", eval, A), &hooks, 1, arrays), TN_NOT_FOUND,
               "f: calling 'other': no function");
  const tn_node *sync[] = {tn_str(ir, "shared")};
  eval = MK_NODE(ir, TN_OP_EVAL, 0, mk_intrin(ir, TN_INTRIN_TVM_STORAGE_SYNC, TN_DT_NONE, 1, sync));
  expect_error(run(ir, MK_FUNC(ir, "f", eval, A), 1, arrays), TN_UNSUPPORTED,
               "f: the interpreter has no T.tvm_storage_sync");
}

static void a_missing_function_is_named(void **state) {
  tn_ir *ir = *state;
  tn_module module;
  tn_module_init(&module, ir, "M");
  expect_error(tn_tir_interp(&module, "main", NULL, 0, NULL, NULL), TN_NOT_FOUND,
               "no function 'main'");
  tn_module_deinit(&module);
}

/* The interpreter stands on its own feet where nobody verified the program. */
static void what_cannot_be_run_is_named(void **state) {
  tn_ir *ir = *state;
  const tn_node *A = MK_BUFFER(ir, "A", TN_DT_I32, 4);
  const tn_node *zero = mk_i32(ir, 0);
  const tn_node *deep = mk_var(ir, "n");
  for (int32_t i = 0; i <= TN_MAX_DEPTH; ++i) {
    deep = tn_node_new(ir, TN_OP_NEG, TN_DT_I32, (tn_attr){.i64 = 0}, 1, &deep);
  }
  const tn_node *two = mk_i32(ir, 2);
  const tn_node *strided = tn_buffer_new(ir, &(tn_buffer_spec){.name = "S",
                                                               .dtype = TN_DT_I32,
                                                               .ndim = 1,
                                                               .shape = &two,
                                                               .strides = tn_list(ir, 1, &two),
                                                               .data = A->in[TN_BUFFER_DATA]});
  const tn_node *packed[] = {tn_str(ir, "sum_into"), strided};
  const tn_node *callee =
      tn_node_new(ir, TN_OP_GLOBAL, TN_DT_NONE, (tn_attr){.text = "nobody"}, 0, NULL);
  const tn_node *invoke = MK_NODE(ir, TN_OP_INVOKE, 0, callee, tn_list(ir, 0, NULL), tn_none(ir));
  const tn_node *graph[] = {tn_list(ir, 0, NULL), tn_none(ir), tn_none(ir), tn_bool(ir, true),
                            MK_NODE(ir, TN_OP_RETURN, 0, zero)};
  const struct {
    const tn_node *func;
    const char *part;
  } rows[] = {
      {tn_node_new(ir, TN_OP_GFUNC, TN_DT_NONE, (tn_attr){.text = "f"}, 5, graph),
       "'f' is not a loop-level function"},
      {MK_FUNC(ir, "f", MK_NODE(ir, TN_OP_EVAL, 0, deep), A), "f: nested 2"},
      {MK_FUNC(ir, "f",
               MK_SEQ(ir, MK_NODE(ir, TN_OP_DECL, 0, strided),
                      MK_NODE(ir, TN_OP_EVAL, 0,
                              mk_intrin(ir, TN_INTRIN_CALL_PACKED, TN_DT_NONE, 2, packed))),
               A),
       "buffer 'S' as argument 0: the interpreter gives buffers whose elements lie side by side"},
      {MK_FUNC(ir, "f", MK_NODE(ir, TN_OP_EVAL, 0, invoke), A),
       "f calls 'nobody', and there is no such loop function here"},
  };
  int32_t a[4] = {0};
  tn_array array = I32(a, 4);
  int32_t n_calls = 0;
  const tn_tir_hooks hooks = {.call_packed = sum_into, .ctx = &n_calls};
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    const tn_tir_arg arg = {.array = &array};
    tn_module module;
    tn_module_init(&module, ir, "M");
    tn_module_set(&module, "f", rows[i].func);
    tn_status st = tn_tir_interp(&module, "f", &arg, 1, &hooks, NULL);
    expect_true(strstr(tn_status_message(st), rows[i].part) != NULL, "row %zu: want %s, got %s", i,
                rows[i].part, tn_status_message(st));
    tn_status_free(st);
    tn_module_deinit(&module);
  }
  tn_module module;
  tn_module_init(&module, ir, "M");
  tn_module_set(&module, "f", MK_FUNC(ir, "f", MK_STORE(ir, A, zero, zero), A));
  expect_error(tn_tir_interp(&module, "f", &(tn_tir_arg){.i64 = 3}, 1, &hooks, NULL), TN_INVALID,
               "expected tensor, got a number");
  tn_module_deinit(&module);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loops_start_where_they_say_and_skip_empty_ranges),
      cmocka_unit_test(while_and_if_follow_memory),
      cmocka_unit_test(a_value_bound_before_a_store_stays),
      cmocka_unit_test(what_one_branch_computed_is_not_known_in_the_other),
      cmocka_unit_test(threads_run_one_after_another),
      cmocka_unit_test(a_block_sums_with_init_and_predicate),
      cmocka_unit_test(an_axis_outside_its_domain_is_an_error),
      cmocka_unit_test(a_block_has_memory_of_its_own_zeroed_each_time),
      cmocka_unit_test(a_matched_view_shares_memory_and_binds_its_symbols),
      cmocka_unit_test(memory_is_seen_through_buffers_of_other_types),
      cmocka_unit_test(views_cannot_leave_the_memory_behind_them),
      cmocka_unit_test(constants_are_read_and_not_written),
      cmocka_unit_test(vectors_go_to_and_from_memory),
      cmocka_unit_test(masked_lanes_touch_nothing),
      cmocka_unit_test(indices_are_checked_in_every_dimension),
      cmocka_unit_test(lowered_buffers_need_no_declaration),
      cmocka_unit_test(arguments_are_checked_as_compiled_code_does),
      cmocka_unit_test(symbolic_strides_are_those_of_a_dense_array),
      cmocka_unit_test(scalars_take_their_parameters_type_and_results_come_back),
      cmocka_unit_test(asserts_and_limits_stop_it),
      cmocka_unit_test(huge_and_negative_allocations_are_errors),
      cmocka_unit_test(functions_by_name_get_buffers_and_numbers),
      cmocka_unit_test(a_missing_function_is_named),
      cmocka_unit_test(what_cannot_be_run_is_named),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
