/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Shorthands for building loop-level functions in tests. Every helper takes the tn_ir first and
 * aborts when the typed constructors of tir/tir.h refuse: a test that wants a refusal calls those
 * itself.
 *
 *   const tn_node *A = MK_BUFFER(ir, "A", TN_DT_F32, 4);
 *   const tn_node *i = mk_var(ir, "i");
 *   const tn_node *next = mk_add(ir, MK_LOAD(ir, A, i), mk_f32(ir, 1));
 *   const tn_node *f = MK_FUNC(ir, "inc", mk_for(ir, i, 4, MK_STORE(ir, A, next, i)), A); */
#ifndef TN_TESTS_TIR_MAKE_H
#define TN_TESTS_TIR_MAKE_H

#include "base/check.h"
#include "tir/tir.h"

#define MK_LIST(...) \
  (const tn_node *const[]) { __VA_ARGS__ }
#define MK_LEN(...) ((uint32_t)(sizeof(MK_LIST(__VA_ARGS__)) / sizeof(const tn_node *)))

static inline void mk_ok(tn_status st) { TN_CHECK(st == NULL, "%s", tn_status_message(st)); }

static inline const tn_node *mk_i32(tn_ir *ir, int64_t value) {
  return tn_int(ir, TN_DT_I32, value);
}
static inline const tn_node *mk_i64(tn_ir *ir, int64_t value) {
  return tn_int(ir, TN_DT_I64, value);
}
static inline const tn_node *mk_f32(tn_ir *ir, double value) {
  return tn_float(ir, TN_DT_F32, value);
}
static inline const tn_node *mk_f64(tn_ir *ir, double value) {
  return tn_float(ir, TN_DT_F64, value);
}
static inline const tn_node *mk_var(tn_ir *ir, const char *name) {
  return tn_var_new(ir, name, TN_DT_I32);
}

static inline const tn_node *mk_op(tn_ir *ir, tn_op op, const tn_node *a, const tn_node *b) {
  const tn_node *n = NULL;
  mk_ok(tn_tir_binary(ir, op, a, b, &n));
  return n;
}
static inline const tn_node *mk_add(tn_ir *ir, const tn_node *a, const tn_node *b) {
  return mk_op(ir, TN_OP_ADD, a, b);
}
static inline const tn_node *mk_mul(tn_ir *ir, const tn_node *a, const tn_node *b) {
  return mk_op(ir, TN_OP_MUL, a, b);
}
static inline const tn_node *mk_unary(tn_ir *ir, tn_op op, const tn_node *a) {
  const tn_node *n = NULL;
  mk_ok(tn_tir_unary(ir, op, a, &n));
  return n;
}
static inline const tn_node *mk_cast(tn_ir *ir, tn_dtype dtype, const tn_node *a) {
  const tn_node *n = NULL;
  mk_ok(tn_tir_cast(ir, dtype, a, &n));
  return n;
}
static inline const tn_node *mk_select(tn_ir *ir, tn_op op, const tn_node *cond, const tn_node *a,
                                       const tn_node *b) {
  const tn_node *n = NULL;
  mk_ok(tn_tir_select(ir, op, cond, a, b, &n));
  return n;
}
static inline const tn_node *mk_ramp(tn_ir *ir, const tn_node *base, int64_t stride,
                                     int64_t lanes) {
  const tn_node *n = NULL;
  mk_ok(tn_tir_ramp(ir, base, mk_i32(ir, stride), lanes, &n));
  return n;
}
static inline const tn_node *mk_broadcast(tn_ir *ir, const tn_node *value, int64_t lanes) {
  const tn_node *n = NULL;
  mk_ok(tn_tir_broadcast(ir, value, lanes, &n));
  return n;
}
static inline const tn_node *mk_intrin(tn_ir *ir, tn_intrin_id id, tn_dtype dtype, uint32_t n_args,
                                       const tn_node *const *args) {
  const tn_node *n = NULL;
  mk_ok(tn_tir_intrin(ir, tn_intrin_get(id), dtype, n_args, args, &n));
  return n;
}
#define MK_CALL(ir, id, ...) \
  mk_intrin((ir), (id), TN_DT_NONE, MK_LEN(__VA_ARGS__), MK_LIST(__VA_ARGS__))

static inline const tn_node *mk_load(tn_ir *ir, const tn_node *buffer, const tn_node *predicate,
                                     uint32_t n, const tn_node *const *indices) {
  const tn_node *load = NULL;
  mk_ok(tn_tir_load(ir, buffer, n, indices, predicate, &load));
  return load;
}
static inline const tn_node *mk_store(tn_ir *ir, const tn_node *buffer, const tn_node *value,
                                      const tn_node *predicate, uint32_t n,
                                      const tn_node *const *indices) {
  const tn_node *store = NULL;
  mk_ok(tn_tir_store(ir, buffer, value, n, indices, predicate, &store));
  return store;
}
#define MK_LOAD(ir, buffer, ...) \
  mk_load((ir), (buffer), NULL, MK_LEN(__VA_ARGS__), MK_LIST(__VA_ARGS__))
#define MK_STORE(ir, buffer, value, ...) \
  mk_store((ir), (buffer), (value), NULL, MK_LEN(__VA_ARGS__), MK_LIST(__VA_ARGS__))

static inline const tn_node *mk_buffer_nd(tn_ir *ir, const char *name, tn_dtype dtype,
                                          uint32_t ndim, const int64_t *dims) {
  const tn_node *shape[TN_MAX_NDIM];
  for (uint32_t i = 0; i < ndim; ++i) {
    shape[i] = mk_i32(ir, dims[i]);
  }
  return tn_buffer_new(
      ir, &(tn_buffer_spec){.name = name, .dtype = dtype, .ndim = ndim, .shape = shape});
}
#define MK_BUFFER(ir, name, dtype, ...)                                        \
  mk_buffer_nd((ir), (name), (dtype),                                          \
               (uint32_t)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), \
               (const int64_t[]){__VA_ARGS__})

/* A node of a kind without attribute. */
static inline const tn_node *mk_node(tn_ir *ir, tn_op op, int64_t attr, uint32_t n,
                                     const tn_node *const *in) {
  return tn_node_new(ir, op, TN_DT_NONE, (tn_attr){.i64 = attr}, n, in);
}
#define MK_NODE(ir, op, attr, ...) \
  mk_node((ir), (op), (attr), MK_LEN(__VA_ARGS__), MK_LIST(__VA_ARGS__))
#define MK_SEQ(ir, ...) tn_seq((ir), MK_LEN(__VA_ARGS__), MK_LIST(__VA_ARGS__))

static inline const tn_node *mk_for_n(tn_ir *ir, const tn_node *var, const tn_node *extent,
                                      const tn_node *body) {
  return tn_for_new(ir, TN_FOR_SERIAL, var, NULL, extent, body, NULL, NULL);
}
static inline const tn_node *mk_for(tn_ir *ir, const tn_node *var, int64_t extent,
                                    const tn_node *body) {
  return mk_for_n(ir, var, tn_int(ir, var->dtype, extent), body);
}
static inline const tn_node *mk_range(tn_ir *ir, const tn_node *min, const tn_node *extent) {
  return MK_NODE(ir, TN_OP_RANGE, 0, min, extent);
}
static inline const tn_node *mk_iter(tn_ir *ir, tn_iter_kind kind, const tn_node *var,
                                     int64_t extent, const tn_node *binding) {
  return MK_NODE(ir, TN_OP_ITER, kind, var, tn_int(ir, var->dtype, 0),
                 tn_int(ir, var->dtype, extent), binding);
}

/* What a block is made of; NULL members are empty. */
typedef struct mk_block_spec {
  const char *name;
  const tn_node *iters;
  const tn_node *predicate;
  const tn_node *reads;
  const tn_node *writes;
  const tn_node *allocs;
  const tn_node *matches;
  const tn_node *init;
  const tn_node *body;
} mk_block_spec;
static inline const tn_node *mk_block(tn_ir *ir, const mk_block_spec *s) {
  const tn_node *empty = tn_list(ir, 0, NULL);
  const tn_node *in[] = {
      [TN_BLOCK_LABEL] = tn_label_new(ir, s->name),
      [TN_BLOCK_ITERS] = s->iters != NULL ? s->iters : empty,
      [TN_BLOCK_PREDICATE] = s->predicate != NULL ? s->predicate : tn_bool(ir, true),
      [TN_BLOCK_READS] = s->reads != NULL ? s->reads : empty,
      [TN_BLOCK_WRITES] = s->writes != NULL ? s->writes : empty,
      [TN_BLOCK_ALLOCS] = s->allocs != NULL ? s->allocs : empty,
      [TN_BLOCK_MATCHES] = s->matches != NULL ? s->matches : empty,
      [TN_BLOCK_INIT] = s->init != NULL ? s->init : tn_none(ir),
      [TN_BLOCK_ANNOTATIONS] = tn_none(ir),
      [TN_BLOCK_BODY] = s->body,
  };
  return mk_node(ir, TN_OP_BLOCK, 0, sizeof in / sizeof in[0], in);
}

/* A public function whose parameters are buffers or scalar variables, in order. */
static inline const tn_node *mk_func(tn_ir *ir, const char *name, const tn_node *body,
                                     const tn_node *ret, uint32_t n, const tn_node *const *params) {
  const tn_node *vars[TN_MAX_NDIM];
  const tn_node *buffers[TN_MAX_NDIM];
  TN_CHECK(n <= TN_MAX_NDIM, "%u parameters", n);
  for (uint32_t i = 0; i < n; ++i) {
    bool is_buffer = tn_is(params[i], TN_OP_BUFFER);
    vars[i] = is_buffer ? tn_var_new(ir, params[i]->attr.text, TN_DT_HANDLE) : params[i];
    buffers[i] = is_buffer ? params[i] : tn_none(ir);
  }
  const tn_node *attrs = tn_dict_set(ir, tn_none(ir), "global_symbol", tn_str(ir, name));
  return tn_prim_func_new(ir, name, tn_list(ir, n, vars), tn_list(ir, n, buffers), ret, attrs,
                          body);
}
#define MK_FUNC(ir, name, body, ...) \
  mk_func((ir), (name), (body), NULL, MK_LEN(__VA_ARGS__), MK_LIST(__VA_ARGS__))

#endif
