/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Every rule of the loop-level verifier has a case here that breaks it alone. Cases are built from
 * raw nodes, since the typed constructors refuse most of them. */
#include "tn_test.h"

#include "tir_make.h"

static const tn_attr no_attr = {0};

static const tn_node *raw(tn_ir *ir, tn_op op, tn_dtype dtype, uint32_t n,
                          const tn_node *const *in) {
  return tn_node_new(ir, op, dtype, no_attr, n, in);
}
#define RAW(ir, op, dtype, ...) raw((ir), (op), (dtype), MK_LEN(__VA_ARGS__), MK_LIST(__VA_ARGS__))

/* What cases are made of: a function f(A: float32[4, 4], B: int32[4], n: int32, x: float32). */
typedef struct parts {
  tn_ir *ir;
  const tn_node *A;
  const tn_node *B;
  const tn_node *n;
  const tn_node *x;
  const tn_node *zero;
  const tn_node *yes;
} parts;

static const tn_node *eval(const parts *p, const tn_node *value) {
  return MK_NODE(p->ir, TN_OP_EVAL, 0, value);
}
static const tn_node *nothing(const parts *p) { return eval(p, p->zero); }

static const tn_node *mixed_sum(const parts *p) {
  return eval(p, RAW(p->ir, TN_OP_ADD, TN_DT_I32, p->n, p->x));
}
static const tn_node *wrong_result(const parts *p) {
  return eval(p, RAW(p->ir, TN_OP_ADD, TN_DT_I64, p->n, p->n));
}
static const tn_node *test_is_int(const parts *p) {
  return eval(p, RAW(p->ir, TN_OP_LT, TN_DT_I32, p->n, p->n));
}
static const tn_node *and_of_ints(const parts *p) {
  return eval(p, RAW(p->ir, TN_OP_AND, TN_DT_BOOL, p->n, p->n));
}
static const tn_node *float_modulo(const parts *p) {
  return eval(p, RAW(p->ir, TN_OP_FLOORMOD, TN_DT_F32, p->x, p->x));
}
static const tn_node *float_or(const parts *p) {
  return eval(p, RAW(p->ir, TN_OP_BOR, TN_DT_F32, p->x, p->x));
}
static const tn_node *bool_sum(const parts *p) {
  return eval(p, RAW(p->ir, TN_OP_ADD, TN_DT_BOOL, p->yes, p->yes));
}
static const tn_node *handle_less(const parts *p) {
  const tn_node *data = p->A->in[TN_BUFFER_DATA];
  return eval(p, RAW(p->ir, TN_OP_LT, TN_DT_BOOL, data, data));
}
static const tn_node *intrin(const parts *p, tn_intrin_id id, tn_dtype dtype, uint32_t n,
                             const tn_node *const *args) {
  return eval(p, tn_node_new(p->ir, TN_OP_INTRIN, dtype, (tn_attr){.def = &tn_intrin_get(id)->def},
                             n, args));
}
static const tn_node *many(const parts *p, const tn_node *value, uint32_t lanes) {
  return RAW(p->ir, TN_OP_BROADCAST, tn_dtype_with_lanes(value->dtype, lanes), value);
}
static const tn_node *storage_sum(const parts *p) {
  const tn_node *small = RAW(p->ir, TN_OP_CAST, TN_DT_F8E5M2, p->x);
  return eval(p, RAW(p->ir, TN_OP_ADD, TN_DT_F8E5M2, small, small));
}
static const tn_node *half_of_another_type(const parts *p) {
  const tn_node *args[] = {many(p, p->x, 4)};
  return intrin(p, TN_INTRIN_VECTORLOW, tn_dtype_with_lanes(TN_DT_I32, 2), 1, args);
}
static const tn_node *half_of_all_lanes(const parts *p) {
  const tn_node *args[] = {many(p, p->x, 4)};
  return intrin(p, TN_INTRIN_VECTORHIGH, tn_dtype_with_lanes(TN_DT_F32, 4), 1, args);
}
static const tn_node *combined_of_two_types(const parts *p) {
  const tn_node *args[] = {many(p, p->x, 4), many(p, p->n, 4)};
  return intrin(p, TN_INTRIN_VECTORCOMBINE, tn_dtype_with_lanes(TN_DT_F32, 8), 2, args);
}
static const tn_node *mask_of_floats(const parts *p) {
  const tn_node *args[] = {p->x, p->x};
  return intrin(p, TN_INTRIN_GET_ACTIVE_LANE_MASK, tn_dtype_with_lanes(TN_DT_BOOL, 4), 2, args);
}
static const tn_node *dot_of_int32(const parts *p) {
  const tn_node *args[] = {many(p, p->n, 4), many(p, p->n, 4)};
  return intrin(p, TN_INTRIN_DP4A, TN_DT_I32, 2, args);
}
static const tn_node *exp_of_buffer(const parts *p) {
  return intrin(p, TN_INTRIN_EXP, TN_DT_F32, 1, &p->A);
}
static const tn_node *not_of_int(const parts *p) {
  return eval(p, RAW(p->ir, TN_OP_NOT, TN_DT_I32, p->n));
}
static const tn_node *cast_of_handle(const parts *p) {
  return eval(p, RAW(p->ir, TN_OP_CAST, TN_DT_I32, p->A->in[TN_BUFFER_DATA]));
}
static const tn_node *wide_reinterpret(const parts *p) {
  return eval(p, RAW(p->ir, TN_OP_REINTERPRET, TN_DT_I64, p->x));
}
static const tn_node *select_by_int(const parts *p) {
  return eval(p, RAW(p->ir, TN_OP_SELECT, TN_DT_F32, p->n, p->x, p->x));
}
static const tn_node *float_ramp(const parts *p) {
  return eval(p, RAW(p->ir, TN_OP_RAMP, tn_dtype_with_lanes(TN_DT_F32, 4), p->x, p->x));
}
static const tn_node *let_of_two_types(const parts *p) {
  return eval(p, RAW(p->ir, TN_OP_LET, TN_DT_I32, mk_var(p->ir, "y"), p->x, p->n));
}
static const tn_node *exp_of_int(const parts *p) {
  return eval(p, tn_node_new(p->ir, TN_OP_INTRIN, TN_DT_I32,
                             (tn_attr){.def = &tn_intrin_get(TN_INTRIN_EXP)->def}, 1, &p->n));
}
static const tn_node *exp_of_two(const parts *p) {
  const tn_node *args[] = {p->x, p->x};
  return eval(p, tn_node_new(p->ir, TN_OP_INTRIN, TN_DT_F32,
                             (tn_attr){.def = &tn_intrin_get(TN_INTRIN_EXP)->def}, 2, args));
}
static const tn_node *address_of_value(const parts *p) {
  tn_attr attr = {.def = &tn_intrin_get(TN_INTRIN_ADDRESS_OF)->def};
  return eval(p, tn_node_new(p->ir, TN_OP_INTRIN, TN_DT_HANDLE, attr, 1, &p->x));
}
static const tn_node *shuffle_past_end(const parts *p) {
  const tn_node *indices[] = {p->zero, mk_i32(p->ir, 2)};
  const tn_node *vectors[] = {p->n, p->n};
  return eval(p, RAW(p->ir, TN_OP_SHUFFLE, tn_dtype_with_lanes(TN_DT_I32, 2),
                     tn_list(p->ir, 2, vectors), tn_list(p->ir, 2, indices)));
}
static const tn_node *one_index_of_two(const parts *p) {
  return eval(p, RAW(p->ir, TN_OP_LOAD, TN_DT_F32, p->A, tn_none(p->ir), p->zero));
}
static const tn_node *float_index(const parts *p) {
  return eval(p, RAW(p->ir, TN_OP_LOAD, TN_DT_I32, p->B, tn_none(p->ir), p->x));
}
static const tn_node *store_of_other_type(const parts *p) {
  return RAW(p->ir, TN_OP_STORE, TN_DT_NONE, p->B, p->x, tn_none(p->ir), p->zero);
}
static const tn_node *integer_predicate(const parts *p) {
  return RAW(p->ir, TN_OP_STORE, TN_DT_NONE, p->B, p->zero, p->zero, p->zero);
}
static const tn_node *bind_of_other_type(const parts *p) {
  return MK_NODE(p->ir, TN_OP_BIND, 0, mk_var(p->ir, "y"), p->x);
}
static const tn_node *loop_of_two_types(const parts *p) {
  return tn_for_new(p->ir, TN_FOR_SERIAL, mk_var(p->ir, "i"), NULL, mk_i64(p->ir, 4), nothing(p),
                    NULL, NULL);
}
static const tn_node *loop_of_no_kind(const parts *p) {
  return tn_for_new(p->ir, (tn_for_kind)77, mk_var(p->ir, "i"), NULL, p->n, nothing(p), NULL, NULL);
}
static const tn_node *binding_without_thread(const parts *p) {
  return tn_for_new(p->ir, TN_FOR_THREAD_BINDING, mk_var(p->ir, "i"), NULL, p->n, nothing(p), NULL,
                    NULL);
}
static const tn_node *launch_of_float(const parts *p) {
  const tn_node *in[] = {mk_var(p->ir, "tx"), p->x, nothing(p)};
  return tn_node_new(p->ir, TN_OP_LAUNCH, TN_DT_NONE, (tn_attr){.text = "threadIdx.x"}, 3, in);
}
static const tn_node *if_of_int(const parts *p) {
  return MK_NODE(p->ir, TN_OP_IF, 0, p->n, nothing(p), tn_none(p->ir));
}
static const tn_node *while_of_float(const parts *p) {
  return MK_NODE(p->ir, TN_OP_WHILE, 0, p->x, nothing(p));
}
static const tn_node *assert_without_text(const parts *p) {
  return MK_NODE(p->ir, TN_OP_ASSERT, 0, p->yes, p->zero);
}
static const tn_node *return_of_value(const parts *p) {
  return MK_NODE(p->ir, TN_OP_RETURN, 0, p->n);
}
static const tn_node *graph_statement(const parts *p) {
  return MK_NODE(p->ir, TN_OP_YIELD, 0, p->n);
}
static const tn_node *graph_value(const parts *p) {
  return eval(p, RAW(p->ir, TN_OP_PRIM, TN_DT_NONE, p->n));
}

static const tn_node *alloc_of_float_size(const parts *p) {
  const tn_node *in[] = {tn_var_new(p->ir, "data", TN_DT_HANDLE), tn_list(p->ir, 1, &p->x), p->yes,
                         tn_str(p->ir, "global"), tn_none(p->ir)};
  return tn_node_new(p->ir, TN_OP_ALLOC, TN_DT_F32, no_attr, 5, in);
}
static const tn_node *alloc_into_number(const parts *p) {
  const tn_node *in[] = {mk_var(p->ir, "data"), tn_list(p->ir, 1, &p->n), p->yes,
                         tn_str(p->ir, "global"), tn_none(p->ir)};
  return tn_node_new(p->ir, TN_OP_ALLOC, TN_DT_F32, no_attr, 5, in);
}

static const tn_node *constant_into_number(const parts *p) {
  const int64_t shape[] = {2};
  tn_array array;
  mk_ok(tn_array_init(&array, TN_DT_F32, 1, shape));
  return MK_NODE(p->ir, TN_OP_CONST_ALLOC, 0, mk_var(p->ir, "data"), tn_const_new(p->ir, &array));
}
static const tn_node *buffer_over_number(const parts *p) {
  tn_buffer_spec spec = {.name = "V", .dtype = TN_DT_F32, .ndim = 1, .shape = &p->n, .data = p->n};
  return MK_NODE(p->ir, TN_OP_DECL, 0, tn_buffer_new(p->ir, &spec));
}

static const tn_node *decl_of(const parts *p, const tn_node *shape, const tn_node *strides,
                              const tn_node *offset) {
  tn_buffer_spec spec = {.name = "V",
                         .dtype = TN_DT_F32,
                         .ndim = 1,
                         .shape = &shape,
                         .data = p->A->in[TN_BUFFER_DATA]};
  spec.strides = strides;
  spec.elem_offset = offset;
  return MK_NODE(p->ir, TN_OP_DECL, 0, tn_buffer_new(p->ir, &spec));
}
static const tn_node *float_extent(const parts *p) { return decl_of(p, p->x, NULL, NULL); }
static const tn_node *too_many_strides(const parts *p) {
  return decl_of(p, p->n, tn_list(p->ir, 2, MK_LIST(p->n, p->n)), NULL);
}
static const tn_node *float_offset(const parts *p) { return decl_of(p, p->n, NULL, p->x); }

static const tn_node *float_axis(const parts *p) {
  const tn_node *iter =
      MK_NODE(p->ir, TN_OP_ITER, TN_ITER_SPATIAL, mk_var(p->ir, "vi"), p->zero, p->n, p->x);
  return mk_block(
      p->ir, &(mk_block_spec){.name = "b", .iters = tn_list(p->ir, 1, &iter), .body = nothing(p)});
}
static const tn_node *axis_of_no_kind(const parts *p) {
  const tn_node *iter = mk_iter(p->ir, (tn_iter_kind)9, mk_var(p->ir, "vi"), 4, p->n);
  return mk_block(
      p->ir, &(mk_block_spec){.name = "b", .iters = tn_list(p->ir, 1, &iter), .body = nothing(p)});
}
static const tn_node *init_without_sum(const parts *p) {
  return mk_block(p->ir, &(mk_block_spec){.name = "b", .init = nothing(p), .body = nothing(p)});
}
static const tn_node *integer_block_predicate(const parts *p) {
  return mk_block(p->ir, &(mk_block_spec){.name = "b", .predicate = p->n, .body = nothing(p)});
}
static const tn_node *region_of_one_range(const parts *p) {
  const tn_node *range = mk_range(p->ir, p->zero, p->n);
  const tn_node *region = tn_region_new(p->ir, p->A, 1, &range);
  return mk_block(p->ir, &(mk_block_spec){
                             .name = "b", .reads = tn_list(p->ir, 1, &region), .body = nothing(p)});
}
static const tn_node *region_of_floats(const parts *p) {
  const tn_node *range = mk_range(p->ir, p->zero, p->x);
  const tn_node *region = tn_region_new(p->ir, p->B, 1, &range);
  return mk_block(
      p->ir,
      &(mk_block_spec){.name = "b", .writes = tn_list(p->ir, 1, &region), .body = nothing(p)});
}
static const tn_node *match_of_other_type(const parts *p) {
  const tn_node *range = mk_range(p->ir, p->zero, p->n);
  const tn_node *view = MK_BUFFER(p->ir, "V", TN_DT_F32, 4);
  const tn_node *match =
      MK_NODE(p->ir, TN_OP_MATCH, 0, view, tn_region_new(p->ir, p->B, 1, &range));
  return mk_block(
      p->ir,
      &(mk_block_spec){.name = "b", .matches = tn_list(p->ir, 1, &match), .body = nothing(p)});
}
static const tn_node *match_of_more_dimensions(const parts *p) {
  const tn_node *range = mk_range(p->ir, p->zero, p->n);
  const tn_node *view = MK_BUFFER(p->ir, "V", TN_DT_I32, 2, 2);
  const tn_node *match =
      MK_NODE(p->ir, TN_OP_MATCH, 0, view, tn_region_new(p->ir, p->B, 1, &range));
  return mk_block(
      p->ir,
      &(mk_block_spec){.name = "b", .matches = tn_list(p->ir, 1, &match), .body = nothing(p)});
}
static const tn_node *call_of_value(const parts *p) {
  const tn_node *in[] = {p->zero, tn_list(p->ir, 0, NULL), tn_none(p->ir)};
  return eval(p, tn_node_new(p->ir, TN_OP_INVOKE, TN_DT_I32, no_attr, 3, in));
}
static const tn_node *call(const parts *p, const tn_node *arg, tn_dtype dtype) {
  const tn_node *in[] = {tn_node_new(p->ir, TN_OP_GLOBAL, TN_DT_NONE,
                                     (tn_attr){.text = tn_ir_text(p->ir, "g")}, 0, NULL),
                         tn_list(p->ir, 1, &arg), tn_none(p->ir)};
  return tn_node_new(p->ir, TN_OP_INVOKE, dtype, no_attr, 3, in);
}
static const tn_node *a_call(const parts *p) { return eval(p, call(p, p->A, TN_DT_NONE)); }
static const tn_node *call_of_nothing_as_value(const parts *p) {
  return MK_NODE(p->ir, TN_OP_BIND, 0, tn_var_new(p->ir, "y", TN_DT_NONE),
                 call(p, p->n, TN_DT_NONE));
}
static const tn_node *call_with_list(const parts *p) {
  return eval(p, call(p, tn_list(p->ir, 1, &p->n), TN_DT_I32));
}
static const tn_node *break_in_no_loop(const parts *p) {
  return tn_node_new(p->ir, TN_OP_BREAK, TN_DT_NONE, no_attr, 0, NULL);
}
static const tn_node *break_in_loop_of(const parts *p, tn_for_kind kind) {
  return tn_for_new(p->ir, kind, mk_var(p->ir, "i"), NULL, p->n, break_in_no_loop(p),
                    kind == TN_FOR_THREAD_BINDING ? tn_str(p->ir, "threadIdx.x") : NULL, NULL);
}
static const tn_node *break_in_serial(const parts *p) { return break_in_loop_of(p, TN_FOR_SERIAL); }
static const tn_node *break_in_unrolled(const parts *p) {
  return break_in_loop_of(p, TN_FOR_UNROLLED);
}
static const tn_node *break_in_vectorized(const parts *p) {
  return break_in_loop_of(p, TN_FOR_VECTORIZED);
}
static const tn_node *break_in_thread(const parts *p) {
  return break_in_loop_of(p, TN_FOR_THREAD_BINDING);
}
static const tn_node *break_in_launch(const parts *p) {
  const tn_node *in[] = {mk_var(p->ir, "tx"), p->n, break_in_no_loop(p)};
  return tn_for_new(
      p->ir, TN_FOR_SERIAL, mk_var(p->ir, "i"), NULL, p->n,
      tn_node_new(p->ir, TN_OP_LAUNCH, TN_DT_NONE, (tn_attr){.text = "threadIdx.x"}, 3, in), NULL,
      NULL);
}
static const tn_node *undefined_variable(const parts *p) { return eval(p, mk_var(p->ir, "z")); }

static const struct {
  const char *name;
  const tn_node *(*body)(const parts *p);
  const char *id; /* NULL: well formed */
} cases[] = {
    {"nothing", nothing, NULL},
    {"mixed_sum", mixed_sum, "type-mismatch"},
    {"wrong_result", wrong_result, "type-mismatch"},
    {"test_is_int", test_is_int, "type-mismatch"},
    {"and_of_ints", and_of_ints, "type-mismatch"},
    {"float_modulo", float_modulo, "type-mismatch"},
    {"float_or", float_or, "type-mismatch"},
    {"bool_sum", bool_sum, "type-mismatch"},
    {"handle_less", handle_less, "type-mismatch"},
    {"storage_sum", storage_sum, "type-mismatch"},
    {"half_of_another_type", half_of_another_type, "type-mismatch"},
    {"half_of_all_lanes", half_of_all_lanes, "type-mismatch"},
    {"combined_of_two_types", combined_of_two_types, "type-mismatch"},
    {"mask_of_floats", mask_of_floats, "type-mismatch"},
    {"dot_of_int32", dot_of_int32, "type-mismatch"},
    {"exp_of_buffer", exp_of_buffer, "intrinsic-args"},
    {"not_of_int", not_of_int, "type-mismatch"},
    {"cast_of_handle", cast_of_handle, "type-mismatch"},
    {"wide_reinterpret", wide_reinterpret, "type-mismatch"},
    {"select_by_int", select_by_int, "type-mismatch"},
    {"float_ramp", float_ramp, "type-mismatch"},
    {"let_of_two_types", let_of_two_types, "type-mismatch"},
    {"exp_of_int", exp_of_int, "type-mismatch"},
    {"exp_of_two", exp_of_two, "intrinsic-args"},
    {"address_of_value", address_of_value, "intrinsic-args"},
    {"shuffle_past_end", shuffle_past_end, "bad-shuffle"},
    {"one_index_of_two", one_index_of_two, "index-count"},
    {"float_index", float_index, "index-type"},
    {"store_of_other_type", store_of_other_type, "access-type"},
    {"integer_predicate", integer_predicate, "predicate-type"},
    {"bind_of_other_type", bind_of_other_type, "bind-type"},
    {"loop_of_two_types", loop_of_two_types, "loop-type"},
    {"launch_of_float", launch_of_float, "loop-type"},
    {"loop_of_no_kind", loop_of_no_kind, "wrong-attr"},
    {"binding_without_thread", binding_without_thread, "loop-kind"},
    {"if_of_int", if_of_int, "condition-type"},
    {"while_of_float", while_of_float, "condition-type"},
    {"integer_block_predicate", integer_block_predicate, "condition-type"},
    {"assert_without_text", assert_without_text, "assert-message"},
    {"return_of_value", return_of_value, "return-type"},
    {"graph_statement", graph_statement, "graph-node"},
    {"graph_value", graph_value, "graph-node"},
    {"alloc_of_float_size", alloc_of_float_size, "alloc-type"},
    {"alloc_into_number", alloc_into_number, "alloc-type"},
    {"constant_into_number", constant_into_number, "alloc-type"},
    {"buffer_over_number", buffer_over_number, "buffer-type"},
    {"float_extent", float_extent, "buffer-shape"},
    {"too_many_strides", too_many_strides, "buffer-strides"},
    {"float_offset", float_offset, "buffer-type"},
    {"float_axis", float_axis, "axis-type"},
    {"axis_of_no_kind", axis_of_no_kind, "wrong-attr"},
    {"init_without_sum", init_without_sum, "init-without-reduce"},
    {"region_of_one_range", region_of_one_range, "region-rank"},
    {"region_of_floats", region_of_floats, "region-type"},
    {"match_of_other_type", match_of_other_type, "match-type"},
    {"match_of_more_dimensions", match_of_more_dimensions, "match-type"},
    {"a_call", a_call, NULL},
    {"call_of_value", call_of_value, "graph-node"},
    {"call_of_nothing_as_value", call_of_nothing_as_value, "call-without-value"},
    {"call_with_list", call_with_list, "call-argument"},
    {"break_in_no_loop", break_in_no_loop, "misplaced-break"},
    {"break_in_serial", break_in_serial, NULL},
    {"break_in_unrolled", break_in_unrolled, "misplaced-break"},
    {"break_in_vectorized", break_in_vectorized, "misplaced-break"},
    {"break_in_thread", break_in_thread, "misplaced-break"},
    {"break_in_launch", break_in_launch, "misplaced-break"},
    {"undefined_variable", undefined_variable,
     "undefined-variable"}, /* the node engine's, as wrong-attr */
};

static void each_rule_is_found_where_it_is_broken(void **state) {
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(cases); ++i) {
    tn_ir *ir = tn_ir_new(0);
    parts p = {.ir = ir, .zero = mk_i32(ir, 0), .yes = tn_bool(ir, true)};
    p.A = MK_BUFFER(ir, "A", TN_DT_F32, 4, 4);
    p.B = MK_BUFFER(ir, "B", TN_DT_I32, 4);
    p.n = mk_var(ir, "n");
    p.x = tn_var_new(ir, "x", TN_DT_F32);
    const tn_node *body = cases[i].body(&p);
    uint32_t source = tn_ir_add_source(ir, "case.py", "x\n", 2);
    tn_ir_set_pos(ir, body, (tn_pos){.source = source, .line = 1, .col = 1, .n_cols = 1});
    tn_diags diags = {0};
    tn_tir_verify(ir, MK_FUNC(ir, "f", body, p.A, p.B, p.n, p.x), &diags);
    if (cases[i].id == NULL) {
      expect_true(diags.n == 0, "%s: [%s] %s", cases[i].name, diags.items[0].id,
                  diags.items[0].message);
    } else {
      expect_true(diags.n >= 1, "%s is not found", cases[i].name);
      expect_true(strcmp(diags.items[0].id, cases[i].id) == 0, "%s: [%s] %s", cases[i].name,
                  diags.items[0].id, diags.items[0].message);
      expect_true(diags.items[0].pos.line == 1, "%s has no place", cases[i].name);
    }
    tn_diags_deinit(&diags);
    tn_ir_free(ir);
  }
}

static void parameters_are_values_of_one_lane_or_handles(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  const tn_node *A = MK_BUFFER(ir, "A", TN_DT_F32, 4);
  const tn_node *zero = mk_i32(ir, 0);
  const tn_node *body = MK_NODE(ir, TN_OP_EVAL, 0, zero);
  const struct {
    const tn_node *params;
    const tn_node *buffers;
  } bad[] = {
      {tn_list(ir, 1, MK_LIST(mk_var(ir, "a"))), tn_list(ir, 1, &A)},
      {tn_list(ir, 1, MK_LIST(tn_var_new(ir, "v", tn_dtype_with_lanes(TN_DT_F32, 4)))), NULL},
      {tn_list(ir, 1, MK_LIST(mk_var(ir, "a"))), tn_list(ir, 0, NULL)},
  };
  const tn_node *small = tn_list(ir, 1, MK_LIST(tn_var_new(ir, "v", TN_DT_F8E5M2)));
  for (size_t i = 0; i < TN_N_ROWS(bad); ++i) {
    tn_diags diags = {0};
    tn_tir_verify(ir, tn_prim_func_new(ir, "f", bad[i].params, bad[i].buffers, NULL, NULL, body),
                  &diags);
    expect_true(diags.n == 1 && strcmp(diags.items[0].id, "parameter-type") == 0, "case %zu", i);
    tn_diags_deinit(&diags);
  }
  tn_diags diags = {0};
  tn_tir_verify(ir, tn_prim_func_new(ir, "f", small, NULL, NULL, NULL, body), &diags);
  expect_true(diags.n == 1 && strcmp(diags.items[0].id, "unsupported") == 0, "a float8 by itself");
  tn_diags_deinit(&diags);
  tn_tir_verify(ir, zero, &diags);
  assert_int_equal(diags.n, 1);
  tn_diags_deinit(&diags);
  tn_ir_free(ir);
}

static void a_graph_function_is_none_of_the_loop_level(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  const tn_node *zero = tn_int(ir, TN_DT_I64, 0);
  const tn_node *value = RAW(ir, TN_OP_PRIM, TN_DT_NONE, zero);
  const tn_node *in[] = {tn_list(ir, 0, NULL), tn_none(ir), tn_none(ir), tn_bool(ir, true),
                         MK_NODE(ir, TN_OP_RETURN, 0, value)};
  tn_diags diags = {0};
  tn_tir_verify(ir, tn_node_new(ir, TN_OP_GFUNC, TN_DT_NONE, (tn_attr){.text = "g"}, 5, in),
                &diags);
  expect_true(diags.n == 1 && strcmp(diags.items[0].message, "'g' is no loop-level function") == 0,
              "%s", diags.n == 0 ? "none" : diags.items[0].message);
  tn_diags_deinit(&diags);
  tn_ir_free(ir);
}

static void a_thread_binding_names_its_thread(void **state) {
  (void)state;
  tn_ir *ir = tn_ir_new(0);
  const tn_node *zero = mk_i32(ir, 0);
  const tn_node *n = mk_var(ir, "n");
  const tn_node *good =
      tn_for_new(ir, TN_FOR_THREAD_BINDING, mk_var(ir, "i"), NULL, n,
                 MK_NODE(ir, TN_OP_EVAL, 0, zero), tn_str(ir, "threadIdx.x"), NULL);
  tn_diags diags = {0};
  tn_tir_verify(ir, MK_FUNC(ir, "f", good, n), &diags);
  assert_int_equal(diags.n, 0);
  tn_ir_free(ir);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_rule_is_found_where_it_is_broken),
      cmocka_unit_test(parameters_are_values_of_one_lane_or_handles),
      cmocka_unit_test(a_graph_function_is_none_of_the_loop_level),
      cmocka_unit_test(a_thread_binding_names_its_thread),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
