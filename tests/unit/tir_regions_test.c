/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Regions that blocks read and write, as found from their bodies. */
#include "tn_test.h"

#include "tir_make.h"

static void print_regions(const tn_node *list, tn_buf *out) {
  for (uint32_t i = 0; i < list->n_in; ++i) {
    const tn_node *region = list->in[i];
    tn_buf_printf(out, "%s%s[", i == 0 ? "" : ", ", region->in[TN_REGION_BUFFER]->attr.text);
    for (uint32_t k = TN_REGION_RANGES; k < region->n_in; ++k) {
      tn_buf_puts(out, k == TN_REGION_RANGES ? "" : ", ");
      tn_tir_print_expr(region->in[k]->in[TN_RANGE_MIN], out);
      if (!tn_is_int(region->in[k]->in[TN_RANGE_EXTENT], 1)) {
        tn_buf_puts(out, " +");
        tn_tir_print_expr(region->in[k]->in[TN_RANGE_EXTENT], out);
      }
    }
    tn_buf_putc(out, ']');
  }
}

static void expect_regions(tn_ir *ir, const tn_node *block, const char *want) {
  const tn_node *reads = NULL;
  const tn_node *writes = NULL;
  tn_buf text = TN_BUF_INIT;
  expect_ok(tn_tir_infer_regions(ir, block, NULL, NULL, &reads, &writes));
  print_regions(reads, &text);
  tn_buf_puts(&text, " -> ");
  print_regions(writes, &text);
  expect_text(tn_buf_text(&text), want);
  tn_buf_deinit(&text);
}

typedef struct parts {
  tn_ir *ir;
  const tn_node *A;  /* [16, 16] */
  const tn_node *B;  /* [16] */
  const tn_node *I;  /* int32 [16] */
  const tn_node *vi; /* axis 0..4 */
  const tn_node *k;
} parts;

static parts set(void) {
  tn_ir *ir = tn_ir_new(0);
  return (parts){ir,
                 MK_BUFFER(ir, "A", TN_DT_F32, 16, 16),
                 MK_BUFFER(ir, "B", TN_DT_F32, 16),
                 MK_BUFFER(ir, "I", TN_DT_I32, 16),
                 mk_var(ir, "vi"),
                 mk_var(ir, "k")};
}

static const tn_node *block_of(const parts *p, const tn_node *init, const tn_node *body) {
  const tn_node *iter =
      mk_iter(p->ir, init != NULL ? TN_ITER_REDUCE : TN_ITER_SPATIAL, p->vi, 4, mk_i32(p->ir, 0));
  return mk_block(
      p->ir,
      &(mk_block_spec){.name = "b", .iters = tn_list(p->ir, 1, &iter), .init = init, .body = body});
}

static void single_elements_and_whole_loops(void **state) {
  (void)state;
  parts p = set();
  tn_ir *ir = p.ir;
  const tn_node *value =
      mk_add(ir, MK_LOAD(ir, p.A, p.vi, p.k), MK_LOAD(ir, p.B, mk_add(ir, p.vi, mk_i32(ir, 1))));
  const tn_node *body = mk_for(ir, p.k, 8, MK_STORE(ir, p.A, value, p.k, p.vi));
  expect_regions(ir, block_of(&p, NULL, body), "A[vi, 0 +8], B[vi + 1] -> A[0 +8, vi]");
  tn_ir_free(ir);
}

static void two_accesses_join_into_one_box(void **state) {
  (void)state;
  parts p = set();
  tn_ir *ir = p.ir;
  const tn_node *at = mk_mul(ir, p.vi, mk_i32(ir, 2));
  const tn_node *value =
      mk_add(ir, MK_LOAD(ir, p.B, at), MK_LOAD(ir, p.B, mk_add(ir, at, mk_i32(ir, 3))));
  expect_regions(ir, block_of(&p, NULL, MK_STORE(ir, p.A, value, p.vi, p.vi)),
                 "B[vi * 2 +4] -> A[vi, vi]");
  tn_ir_free(ir);
}

static void a_reduction_does_not_list_what_it_updates(void **state) {
  (void)state;
  parts p = set();
  tn_ir *ir = p.ir;
  const tn_node *zero = mk_i32(ir, 0);
  const tn_node *update =
      MK_STORE(ir, p.B, mk_add(ir, MK_LOAD(ir, p.B, zero), MK_LOAD(ir, p.A, zero, p.vi)), zero);
  const tn_node *init = MK_STORE(ir, p.B, mk_f32(ir, 0), zero);
  expect_regions(ir, block_of(&p, init, update), "A[0, vi] -> B[0]");
  tn_ir_free(ir);
}

static void unknown_indices_take_the_whole_dimension(void **state) {
  (void)state;
  parts p = set();
  tn_ir *ir = p.ir;
  const tn_node *gathered = MK_LOAD(ir, p.A, p.vi, MK_LOAD(ir, p.I, p.vi));
  expect_regions(ir, block_of(&p, NULL, MK_STORE(ir, p.B, gathered, p.vi)),
                 "I[vi], A[vi, 0 +16] -> B[vi]");
  const tn_node *inner = mk_op(ir, TN_OP_FLOORMOD, mk_mul(ir, p.k, p.k), mk_i32(ir, 5));
  const tn_node *body = mk_for(ir, p.k, 8, MK_STORE(ir, p.B, mk_f32(ir, 0), inner));
  expect_regions(ir, block_of(&p, NULL, body), " -> B[0 +16]");
  tn_ir_free(ir);
}

static void vectors_divisions_and_limits_have_intervals(void **state) {
  (void)state;
  parts p = set();
  tn_ir *ir = p.ir;
  const tn_node *ramp = mk_ramp(ir, mk_mul(ir, p.vi, mk_i32(ir, 4)), 1, 4);
  expect_regions(ir, block_of(&p, NULL, MK_STORE(ir, p.B, mk_f32(ir, 0), ramp)),
                 " -> B[vi * 4 +4]");
  const tn_node *down = mk_ramp(ir, mk_i32(ir, 9), -2, 4);
  expect_regions(ir, block_of(&p, NULL, MK_STORE(ir, p.B, mk_f32(ir, 0), down)), " -> B[3 +7]");
  const tn_node *halves = mk_op(ir, TN_OP_FLOORDIV, mk_add(ir, p.k, mk_i32(ir, 1)), mk_i32(ir, 2));
  const tn_node *body =
      mk_for(ir, p.k, 8,
             MK_STORE(ir, p.A, mk_f32(ir, 0), halves, mk_op(ir, TN_OP_MIN, p.k, mk_i32(ir, 5))));
  expect_regions(ir, block_of(&p, NULL, body), " -> A[0 +5, 0 +6]");
  const tn_node *k2 = mk_var(ir, "k2");
  const tn_node *mod = mk_op(ir, TN_OP_FLOORMOD, k2, mk_i32(ir, 3));
  body = mk_for(ir, k2, 8, MK_STORE(ir, p.B, mk_f32(ir, 0), mod));
  expect_regions(ir, block_of(&p, NULL, body), " -> B[0 +3]");
  tn_ir_free(ir);
}

static void what_lives_inside_is_not_listed(void **state) {
  (void)state;
  parts p = set();
  tn_ir *ir = p.ir;
  const tn_node *S = MK_BUFFER(ir, "S", TN_DT_F32, 4);
  const tn_node *zero = mk_i32(ir, 0);
  const tn_node *body = MK_SEQ(ir, MK_STORE(ir, S, MK_LOAD(ir, p.B, p.vi), zero),
                               MK_STORE(ir, p.A, MK_LOAD(ir, S, zero), zero, p.vi));
  const tn_node *iter = mk_iter(ir, TN_ITER_SPATIAL, p.vi, 4, zero);
  mk_block_spec spec = {
      .name = "b", .iters = tn_list(ir, 1, &iter), .allocs = tn_list(ir, 1, &S), .body = body};
  expect_regions(ir, mk_block(ir, &spec), "B[vi] -> A[0, vi]");
  tn_ir_free(ir);
}

static void nested_blocks_and_views_count_with_their_regions(void **state) {
  (void)state;
  parts p = set();
  tn_ir *ir = p.ir;
  const tn_node *V = MK_BUFFER(ir, "V", TN_DT_F32, 4, 4);
  const tn_node *ranges[] = {mk_range(ir, mk_mul(ir, p.vi, mk_i32(ir, 4)), mk_i32(ir, 4)),
                             mk_range(ir, mk_i32(ir, 8), mk_i32(ir, 4))};
  const tn_node *match = MK_NODE(ir, TN_OP_MATCH, 0, V, tn_region_new(ir, p.A, 2, ranges));
  const tn_node *vj = mk_var(ir, "vj");
  const tn_node *iters[] = {
      mk_iter(ir, TN_ITER_SPATIAL, vj, 16, mk_add(ir, mk_mul(ir, p.vi, mk_i32(ir, 4)), p.k))};
  const tn_node *point = mk_range(ir, vj, mk_i32(ir, 1));
  const tn_node *region = tn_region_new(ir, p.B, 1, &point);
  mk_block_spec inner = {
      .name = "inner", .iters = tn_list(ir, 1, iters), .writes = tn_list(ir, 1, &region)};
  inner.body = MK_STORE(ir, p.B, mk_f32(ir, 0), vj);
  const tn_node *zero = mk_i32(ir, 0);
  const tn_node *iter = mk_iter(ir, TN_ITER_SPATIAL, p.vi, 4, zero);
  mk_block_spec outer = {
      .name = "b", .iters = tn_list(ir, 1, &iter), .matches = tn_list(ir, 1, &match)};
  outer.body = MK_SEQ(ir, MK_STORE(ir, V, MK_LOAD(ir, V, zero, zero), zero, zero),
                      mk_for(ir, p.k, 4, mk_block(ir, &inner)));
  expect_regions(ir, mk_block(ir, &outer),
                 "A[vi * 4 +4, 8 +4] -> A[vi * 4 +4, 8 +4], B[vi * 4 +4]");
  tn_ir_free(ir);
}

static void symbols_of_a_view_stay_inside_its_block(void **state) {
  (void)state;
  parts p = set();
  tn_ir *ir = p.ir;
  const tn_node *zero = mk_i32(ir, 0);
  const tn_node *t = mk_var(ir, "t");
  const tn_node *shape[] = {mk_i32(ir, 4), p.k}; /* k is bound outside: the region names it */
  const tn_node *view =
      tn_buffer_new(ir, &(tn_buffer_spec){.name = "V",
                                          .dtype = TN_DT_F32,
                                          .ndim = 2,
                                          .shape = shape,
                                          .strides = tn_list(ir, 2, MK_LIST(t, mk_i32(ir, 1)))});
  const tn_node *ranges[] = {mk_range(ir, p.vi, mk_i32(ir, 4)), mk_range(ir, zero, p.k)};
  const tn_node *match = MK_NODE(ir, TN_OP_MATCH, 0, view, tn_region_new(ir, p.A, 2, ranges));
  const tn_node *body =
      MK_SEQ(ir, MK_STORE(ir, p.B, MK_LOAD(ir, view, zero, t), t), MK_STORE(ir, p.I, zero, p.k));
  const tn_node *iter = mk_iter(ir, TN_ITER_SPATIAL, p.vi, 4, zero);
  mk_block_spec spec = {
      .name = "b", .iters = tn_list(ir, 1, &iter), .matches = tn_list(ir, 1, &match)};
  spec.body = body;
  expect_regions(ir, mk_block(ir, &spec), "A[vi +4, 0 +k] -> B[0 +16], I[k]");
  tn_ir_free(ir);
}

static void bindings_pass_their_intervals_on(void **state) {
  (void)state;
  parts p = set();
  tn_ir *ir = p.ir;
  const tn_node *x = mk_var(ir, "x");
  const tn_node *y = mk_var(ir, "y");
  const tn_node *bind = MK_NODE(ir, TN_OP_BIND, 0, x, mk_add(ir, p.k, p.vi));
  const tn_node *let = tn_node_new(ir, TN_OP_LET, TN_DT_F32, (tn_attr){0}, 3,
                                   MK_LIST(y, mk_add(ir, x, mk_i32(ir, 2)), MK_LOAD(ir, p.B, y)));
  const tn_node *body = mk_for(ir, p.k, 4, MK_SEQ(ir, bind, MK_STORE(ir, p.A, let, p.vi, x)));
  expect_regions(ir, block_of(&p, NULL, body), "B[vi + 2 +4] -> A[vi, vi +4]");
  tn_ir_free(ir);
}

static void a_buffer_of_too_many_dimensions_is_refused(void **state) {
  (void)state;
  parts p = set();
  const tn_node *dims[TN_MAX_NDIM + 1];
  const tn_node *in[TN_LOAD_INDICES + TN_MAX_NDIM + 1];
  for (uint32_t i = 0; i <= TN_MAX_NDIM; ++i) {
    dims[i] = mk_i32(p.ir, 2);
    in[TN_LOAD_INDICES + i] = mk_i32(p.ir, 0);
  }
  in[0] = tn_buffer_new(
      p.ir,
      &(tn_buffer_spec){.name = "W", .dtype = TN_DT_F32, .ndim = TN_MAX_NDIM + 1, .shape = dims});
  in[TN_LOAD_PREDICATE] = tn_none(p.ir);
  const tn_node *load =
      tn_node_new(p.ir, TN_OP_LOAD, TN_DT_F32, (tn_attr){0}, TN_LOAD_INDICES + TN_MAX_NDIM + 1, in);
  const tn_node *block = block_of(&p, NULL, MK_STORE(p.ir, p.B, load, p.vi));
  const tn_node *reads = NULL;
  const tn_node *writes = NULL;
  expect_error(tn_tir_infer_regions(p.ir, block, NULL, NULL, &reads, &writes), TN_UNSUPPORTED,
               "an access of more than");
  tn_ir_free(p.ir);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(single_elements_and_whole_loops),
      cmocka_unit_test(two_accesses_join_into_one_box),
      cmocka_unit_test(a_reduction_does_not_list_what_it_updates),
      cmocka_unit_test(unknown_indices_take_the_whole_dimension),
      cmocka_unit_test(vectors_divisions_and_limits_have_intervals),
      cmocka_unit_test(what_lives_inside_is_not_listed),
      cmocka_unit_test(a_buffer_of_too_many_dimensions_is_refused),
      cmocka_unit_test(nested_blocks_and_views_count_with_their_regions),
      cmocka_unit_test(symbols_of_a_view_stay_inside_its_block),
      cmocka_unit_test(bindings_pass_their_intervals_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
