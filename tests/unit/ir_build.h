/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Small raw builders for the tests of the node engine; the real ones (tir, graph) stand above it.
 */
#ifndef TN_TESTS_IR_BUILD_H
#define TN_TESTS_IR_BUILD_H

#include "tn_test.h"

#include "ir/ir.h"

static const tn_attr no_attr = {0};
static const tn_def impure_def = {"read_clock", false};
static const tn_def pure_def = {"exp", true};

#define NODE(ir, op, dtype, attr, ...)                                            \
  tn_node_new((ir), (op), (dtype), (attr),                                        \
              sizeof((const tn_node *[]){__VA_ARGS__}) / sizeof(const tn_node *), \
              (const tn_node *[]){__VA_ARGS__})
#define STMT(ir, op, ...) NODE(ir, op, TN_DT_NONE, no_attr, __VA_ARGS__)

static inline const tn_node *i32(tn_ir *ir, int64_t value) { return tn_int(ir, TN_DT_I32, value); }

static inline const tn_node *i64(tn_ir *ir, int64_t value) { return tn_int(ir, TN_DT_I64, value); }

static inline const tn_node *call_of(tn_ir *ir, const tn_def *def, const tn_node *arg) {
  return NODE(ir, TN_OP_INTRIN, TN_DT_I32, (tn_attr){.def = def}, arg);
}

static inline const tn_node *buffer_on(tn_ir *ir, const char *name, const tn_node *data,
                                       const tn_node *extent) {
  return NODE(ir, TN_OP_BUFFER, TN_DT_I32, (tn_attr){.text = name}, data, tn_list(ir, 1, &extent),
              tn_none(ir), i32(ir, 0), tn_str(ir, "global"), i32(ir, 64), i32(ir, 1), tn_none(ir));
}

/* A buffer of `extent` int32 with a data variable of its own. */
static inline const tn_node *buffer_of(tn_ir *ir, const char *name, const tn_node *extent) {
  return buffer_on(ir, name, tn_var_new(ir, name, TN_DT_HANDLE), extent);
}

static inline const tn_node *load_of(tn_ir *ir, const tn_node *buffer, const tn_node *index) {
  return NODE(ir, TN_OP_LOAD, TN_DT_I32, no_attr, buffer, tn_none(ir), index);
}

static inline const tn_node *store_to(tn_ir *ir, const tn_node *buffer, const tn_node *index,
                                      const tn_node *value) {
  return STMT(ir, TN_OP_STORE, buffer, value, tn_none(ir), index);
}

static inline const tn_node *for_of(tn_ir *ir, const tn_node *var, const tn_node *extent,
                                    const tn_node *body) {
  return NODE(ir, TN_OP_FOR, TN_DT_NONE, (tn_attr){.i64 = TN_FOR_SERIAL}, var,
              tn_int(ir, var->dtype, 0), extent, body, tn_none(ir), tn_none(ir));
}

/* Two statements in a SEQ. */
static inline const tn_node *seq2(tn_ir *ir, const tn_node *a, const tn_node *b) {
  const tn_node *stmts[] = {a, b};
  return tn_seq(ir, 2, stmts);
}

/* def name(param: T.handle ...): one handle parameter a buffer. */
static inline const tn_node *func_of(tn_ir *ir, const char *name, uint32_t n,
                                     const tn_node *const *buffers, const tn_node *body) {
  const tn_node *params[8];
  for (uint32_t i = 0; i < n; ++i) {
    params[i] = tn_var_new(ir, buffers[i]->attr.text, TN_DT_HANDLE);
  }
  return NODE(ir, TN_OP_PRIM_FUNC, TN_DT_NONE, (tn_attr){.text = name}, tn_list(ir, n, params),
              tn_list(ir, n, buffers), tn_none(ir), tn_none(ir), body);
}

/* for i in range(n): A[i] = A[i] + addend. */
static inline const tn_node *add_func(tn_ir *ir, const char *var_name, const char *buffer_name,
                                      int64_t n, int64_t addend) {
  const tn_node *i = tn_var_new(ir, var_name, TN_DT_I32);
  const tn_node *a = buffer_of(ir, buffer_name, i32(ir, n));
  const tn_node *sum = tn_binary(ir, TN_OP_ADD, load_of(ir, a, i), i32(ir, addend));
  const tn_node *loop = for_of(ir, i, i32(ir, n), store_to(ir, a, i, sum));
  return func_of(ir, "add", 1, &a, loop);
}

/* A block with one spatial axis over `extent`, bound to `binding`. */
typedef struct block_parts {
  const tn_node *label;
  const tn_node *var;
  const tn_node *extent;
  const tn_node *binding;
  const tn_node *allocs;
  const tn_node *matches;
  const tn_node *body;
} block_parts;
static inline const tn_node *block_of(tn_ir *ir, const block_parts *p) {
  const tn_node *iter = NODE(ir, TN_OP_ITER, TN_DT_NONE, (tn_attr){.i64 = TN_ITER_SPATIAL}, p->var,
                             i32(ir, 0), p->extent, p->binding);
  const tn_node *none = tn_list(ir, 0, NULL);
  return STMT(ir, TN_OP_BLOCK, p->label, tn_list(ir, 1, &iter), tn_bool(ir, true), none, none,
              p->allocs == NULL ? none : p->allocs, p->matches == NULL ? none : p->matches,
              tn_none(ir), tn_none(ir), p->body);
}

/* ---- graph level ---- */

static inline const tn_node *tensor_type(tn_ir *ir, const tn_node *dim) {
  return NODE(ir, TN_OP_TY_TENSOR, TN_DT_F32, (tn_attr){.i64 = 1}, tn_list(ir, 1, &dim),
              tn_none(ir));
}

static inline const tn_node *gvar_of(tn_ir *ir, const char *name, const tn_node *type) {
  return NODE(ir, TN_OP_GVAR, TN_DT_NONE, (tn_attr){.text = name}, type);
}

static inline const tn_node *gfunc_of(tn_ir *ir, const char *name, uint32_t n,
                                      const tn_node *const *params, const tn_node *body) {
  return NODE(ir, TN_OP_GFUNC, TN_DT_NONE, (tn_attr){.text = name}, tn_list(ir, n, params),
              tn_none(ir), tn_none(ir), tn_bool(ir, true), body);
}

static inline const tn_node *gcall_of(tn_ir *ir, const tn_def *def, const tn_node *arg) {
  return NODE(ir, TN_OP_CALL, TN_DT_NONE, (tn_attr){.def = def}, tn_list(ir, 1, &arg),
              tn_list(ir, 0, NULL), tn_none(ir));
}

/* Verifies and returns the ids of what was found, joined by spaces. Free it. */
static inline char *verify_ids(const tn_ir *ir, const tn_node *func) {
  tn_diags diags = {0};
  tn_ir_verify_func(ir, func, &diags);
  tn_buf ids = TN_BUF_INIT;
  for (int32_t i = 0; i < diags.n; ++i) {
    tn_buf_printf(&ids, "%s%s", i == 0 ? "" : " ", diags.items[i].id);
  }
  tn_diags_deinit(&diags);
  return tn_buf_take(&ids);
}

#define expect_verify(ir, func, want)       \
  do {                                      \
    char *found_ids = verify_ids(ir, func); \
    expect_text(found_ids, want);           \
    free(found_ids);                        \
  } while (0)

static inline bool is_same_hash(const tn_node *a, const tn_node *b) {
  tn_hash128 x = tn_structural_hash(a);
  tn_hash128 y = tn_structural_hash(b);
  return x.hi == y.hi && x.lo == y.lo;
}

#endif
