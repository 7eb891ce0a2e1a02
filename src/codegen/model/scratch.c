/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* How much scratch memory a lowered loop function may ask its host for, as an expression over its
 * variables. Memory lives to the end of its sequence, so what sequences hold one inside the other
 * counts together and what follows each other counts once. What code generation then puts on the
 * stack is counted too: an upper bound. */
#include <string.h>

#include "codegen/model/model.h"
#include "tir/tir.h"

enum { ALIGN = 64 };

static const tn_node *number(tn_ir *ir, int64_t value) { return tn_int(ir, TN_DT_I64, value); }

const tn_node *tn_model_add(tn_ir *ir, const tn_node *a, const tn_node *b) {
  int64_t sum = 0;
  if (tn_is_int(a, 0) || tn_is_int(b, 0)) {
    return tn_is_int(a, 0) ? b : a;
  }
  if (tn_is(a, TN_OP_INT) && tn_is(b, TN_OP_INT) &&
      !__builtin_add_overflow(a->attr.i64, b->attr.i64, &sum)) {
    return number(ir, sum);
  }
  return tn_binary(ir, TN_OP_ADD, a, b);
}

const tn_node *tn_model_max(tn_ir *ir, const tn_node *a, const tn_node *b) {
  if (a == b || tn_is_int(b, 0)) { /* no size is below 0 */
    return a;
  }
  if (tn_is_int(a, 0)) {
    return b;
  }
  if (tn_is(a, TN_OP_INT) && tn_is(b, TN_OP_INT)) {
    return a->attr.i64 > b->attr.i64 ? a : b;
  }
  return tn_binary(ir, TN_OP_MAX, a, b);
}

/* ---- expressions of sizes ---- */

typedef struct widener {
  tn_ir *ir;
  const tn_map *vars;
  tn_map memo;
} widener;

static const tn_node *widen(widener *w, const tn_node *n);

static const tn_node *widen_select(widener *w, const tn_node *n) {
  const tn_node *in[3];
  for (uint32_t i = 0; i < 3; ++i) {
    in[i] = widen(w, n->in[i]);
    if (in[i] == NULL) {
      return NULL;
    }
  }
  return tn_node_new(w->ir, TN_OP_SELECT, TN_DT_I64, (tn_attr){0}, 3, in);
}

static const tn_node *widen_new(widener *w, const tn_node *n) {
  uint64_t found = 0;
  switch ((int)n->op) {
    case TN_OP_INT:
      return tn_dtype_is_bool(n->dtype) ? n : number(w->ir, n->attr.i64);
    case TN_OP_VAR:
      return tn_map_find(w->vars, n->id, &found) ? (const tn_node *)(uintptr_t)found : NULL;
    case TN_OP_CAST:
      return tn_dtype_is_int(n->dtype) && tn_dtype_is_int(n->in[0]->dtype) ? widen(w, n->in[0])
                                                                           : NULL;
    case TN_OP_SELECT:
    case TN_OP_IF_THEN_ELSE:
      return widen_select(w, n);
    case TN_OP_ADD:
    case TN_OP_SUB:
    case TN_OP_MUL:
    case TN_OP_FLOORDIV:
    case TN_OP_FLOORMOD:
    case TN_OP_MIN:
    case TN_OP_MAX:
    case TN_OP_EQ:
    case TN_OP_NE:
    case TN_OP_LT:
    case TN_OP_LE:
    case TN_OP_GT:
    case TN_OP_GE:
    case TN_OP_AND:
    case TN_OP_OR: {
      const tn_node *a = widen(w, n->in[TN_A]);
      const tn_node *b = widen(w, n->in[TN_B]);
      return a == NULL || b == NULL || a->dtype != b->dtype ? NULL
                                                            : tn_binary(w->ir, (tn_op)n->op, a, b);
    }
    case TN_OP_NEG:
      return widen(w, n->in[0]) == NULL
                 ? NULL
                 : tn_binary(w->ir, TN_OP_SUB, number(w->ir, 0), widen(w, n->in[0]));
    default:
      return NULL;
  }
}

static const tn_node *widen(widener *w, const tn_node *n) {
  uint64_t found = 0;
  if (tn_map_find(&w->memo, n->id, &found)) {
    return (const tn_node *)(uintptr_t)found;
  }
  const tn_node *wide = widen_new(w, n);
  tn_map_set(&w->memo, n->id, (uint64_t)(uintptr_t)wide);
  return wide;
}

const tn_node *tn_model_widen(tn_ir *ir, const tn_node *expr, const tn_map *vars) {
  widener w = {.ir = ir, .vars = vars};
  const tn_node *wide = widen(&w, expr);
  tn_map_deinit(&w.memo);
  return wide;
}

/* ---- statements ---- */

typedef struct counter {
  tn_ir *ir;
  tn_map vars;           /* what a size may mention: the function's variables, as themselves */
  const tn_node *thread; /* the largest parallel loop outside of others */
  tn_status st;          /* the first error */
} counter;

static const tn_node *held(counter *c, const tn_node *n, bool is_parallel);

static const tn_node *bytes_of(counter *c, const tn_node *alloc) {
  tn_ir *ir = c->ir;
  const tn_node *extents = alloc->in[TN_ALLOC_EXTENTS];
  int64_t fixed = (int64_t)tn_dtype_bytes(alloc->dtype);
  const tn_node *bytes = NULL;
  for (uint32_t i = 0; i < extents->n_in; ++i) {
    const tn_node *extent = tn_model_widen(ir, extents->in[i], &c->vars);
    if (extent == NULL) {
      if (c->st == NULL) {
        c->st = TN_ERR(TN_UNSUPPORTED, "the size of its scratch memory '%s' is known only inside",
                       alloc->in[TN_ALLOC_VAR]->attr.text);
      }
      return number(ir, 0);
    }
    if (tn_is(extent, TN_OP_INT) && !__builtin_mul_overflow(fixed, extent->attr.i64, &fixed)) {
      continue;
    }
    bytes = bytes == NULL ? extent : tn_binary(ir, TN_OP_MUL, bytes, extent);
  }
  /* Never nothing: a kernel asks for a byte where it needs none. */
  if (bytes == NULL) {
    return number(ir, fixed > INT64_MAX - ALIGN ? INT64_MAX - ALIGN + 1
                                                : fixed / ALIGN * ALIGN + ALIGN);
  }
  bytes = tn_binary(ir, TN_OP_MUL, bytes, number(ir, fixed));
  bytes = tn_binary(ir, TN_OP_FLOORDIV, bytes, number(ir, ALIGN));
  return tn_binary(ir, TN_OP_ADD, tn_binary(ir, TN_OP_MUL, bytes, number(ir, ALIGN)),
                   number(ir, ALIGN));
}

static const tn_node *held_by_seq(counter *c, const tn_node *seq, bool is_parallel) {
  const tn_node *now = number(c->ir, 0);
  const tn_node *most = now;
  for (uint32_t i = 0; i < seq->n_in; ++i) {
    if (tn_is(seq->in[i], TN_OP_ALLOC)) {
      now = tn_model_add(c->ir, now, bytes_of(c, seq->in[i]));
      most = tn_model_max(c->ir, now, most);
    } else {
      const tn_node *inside = held(c, seq->in[i], is_parallel);
      most = tn_model_max(c->ir, tn_model_add(c->ir, now, inside), most);
    }
  }
  return most;
}

static tn_visit find_call(const tn_node *n, void *ctx) {
  bool *is_found = ctx;
  *is_found = *is_found || tn_is(n, TN_OP_INVOKE);
  return *is_found ? TN_STOP : TN_DESCEND;
}

static const tn_node *held(counter *c, const tn_node *n, bool is_parallel) {
  switch ((int)n->op) {
    case TN_OP_SEQ:
      return held_by_seq(c, n, is_parallel);
    case TN_OP_ALLOC:
      return bytes_of(c, n);
    case TN_OP_FOR:
      if (n->attr.i64 == TN_FOR_PARALLEL && !is_parallel) {
        c->thread = tn_model_max(c->ir, held(c, n->in[TN_FOR_BODY], true), c->thread);
        return number(c->ir, 0);
      }
      return held(c, n->in[TN_FOR_BODY], is_parallel);
    case TN_OP_WHILE:
      return held(c, n->in[TN_WHILE_BODY], is_parallel);
    case TN_OP_IF: {
      const tn_node *other = n->in[TN_IF_ELSE];
      const tn_node *most = held(c, n->in[TN_IF_THEN], is_parallel);
      return tn_is_none(other) ? most : tn_model_max(c->ir, held(c, other, is_parallel), most);
    }
    case TN_OP_ATTR:
      return held(c, n->in[TN_ATTR_BODY], is_parallel);
    default:
      return number(c->ir, 0);
  }
}

static void note_vars(counter *c, const tn_node *n) {
  if (tn_is(n, TN_OP_VAR) && tn_dtype_is_int(n->dtype)) {
    const tn_node *wide =
        n->dtype == TN_DT_I64 ? n : tn_node_new(c->ir, TN_OP_CAST, TN_DT_I64, (tn_attr){0}, 1, &n);
    tn_map_set(&c->vars, n->id, (uint64_t)(uintptr_t)wide);
  }
}

tn_status tn_model_scratch(tn_ir *ir, const tn_node *kernel, const tn_node **out_serial,
                           const tn_node **out_thread) {
  counter c = {.ir = ir, .thread = number(ir, 0)};
  const tn_node *params = kernel->in[TN_PRIM_FUNC_PARAMS];
  const tn_node *buffers = kernel->in[TN_PRIM_FUNC_BUFFERS];
  for (uint32_t i = 0; i < params->n_in; ++i) {
    note_vars(&c, params->in[i]);
    if (!tn_is_none(buffers->in[i])) {
      const tn_node *shape = buffers->in[i]->in[TN_BUFFER_SHAPE];
      for (uint32_t d = 0; d < shape->n_in; ++d) {
        note_vars(&c, shape->in[d]);
      }
    }
  }
  bool calls_others = false;
  (void)tn_walk_distinct(kernel->in[TN_PRIM_FUNC_BODY], find_call, &calls_others);
  if (calls_others) {
    c.st = TN_ERR(TN_UNSUPPORTED, "it calls another loop function");
  }
  const tn_node *serial = held(&c, kernel->in[TN_PRIM_FUNC_BODY], false);
  tn_map_deinit(&c.vars);
  TN_TRY(c.st);
  *out_serial = serial;
  *out_thread = c.thread;
  return NULL;
}
