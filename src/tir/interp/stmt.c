/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The interpreter's compiler for statements. A leaf statement gives its temporaries back when it
 * ends; what a BIND, an ALLOC or a DECL names stays until its sequence ends. */
#include "tir/interp/interp_priv.h"

/* A nested statement in a scope of its own: nothing it computed is known to what follows, since it
 * may not have run. */
static tn_status nested(tn_icomp *c, const tn_node *n) {
  tn_iscope scope = tn_icomp_enter(c);
  TN_TRY(tn_icomp_stmt(c, n));
  tn_icomp_leave(c, scope);
  return NULL;
}

/* Statements that one turn of a body runs, roughly: what a step limit counts. */
static uint32_t count_stmts(const tn_node *n) {
  if (!tn_is(n, TN_OP_SEQ)) {
    return 1;
  }
  return n->n_in < UINT16_MAX ? n->n_in : UINT16_MAX;
}

/* ---- loops ---- */

/* Jumps of the loop whose exits begin at `mark` that leave it, or that go on with it, land here. */
static void land_exits(tn_icomp *c, size_t mark, bool is_break) {
  for (size_t i = mark; i < c->exits.len; ++i) {
    if (c->exits.data[i].is_break == is_break) {
      tn_icomp_land(c, c->exits.data[i].ins);
    }
  }
}

static tn_status exit_stmt(tn_icomp *c, const tn_node *n) {
  tn_iexit out = {tn_icomp_emit(c, TN_IOP_JMP, 0, 0, 0, 0, 0), tn_is(n, TN_OP_BREAK)};
  TN_VEC_PUSH(&c->exits, out);
  return NULL;
}

typedef struct loop {
  int32_t var;
  int32_t end;
  int32_t exit; /* the jump taken when there is nothing to do */
  int32_t start;
  size_t exits;
} loop;

static tn_status loop_begin(tn_icomp *c, const tn_node *min, const tn_node *extent, loop *out) {
  int32_t first = tn_icomp_const_i(c, 0);
  int32_t n = 0;
  if (min != NULL) {
    TN_TRY(tn_icomp_scalar(c, min, &first));
  }
  TN_TRY(tn_icomp_scalar(c, extent, &n));
  out->var = tn_icomp_temp(c);
  out->end = tn_icomp_temp(c);
  tn_icomp_emit(c, TN_IOP_MOV, 0, out->var, first, 0, 0);
  tn_icomp_emit(c, TN_IOP_ADD, 0, out->end, first, n, 0);
  out->exit = tn_icomp_emit(c, TN_IOP_JGE, 0, 0, out->var, out->end, 0);
  out->start = (int32_t)c->prog->code.len;
  out->exits = c->exits.len;
  ++c->epoch; /* an earlier turn may have stored */
  return NULL;
}

static void loop_end(tn_icomp *c, const loop *l, uint32_t n_stmts) {
  land_exits(c, l->exits, false);
  tn_icomp_emit(c, TN_IOP_NEXT, n_stmts, l->var, l->end, 0, l->start);
  tn_icomp_land(c, l->exit);
  land_exits(c, l->exits, true);
  c->exits.len = l->exits;
  ++c->epoch;
}

/* n: a FOR, or what runs its body once a thread. */
static tn_status loop_over(tn_icomp *c, const tn_node *n, const tn_node *min, const tn_node *extent,
                           const tn_node *body) {
  loop l = {0};
  const tn_node *var = n->in[0];
  tn_icheck_loop(c, n);
  TN_TRY(loop_begin(c, min, extent, &l));
  tn_icomp_bind_slot(c, var, l.var);
  if (tn_is(n, TN_OP_FOR)) {
    tn_map_set(&c->domain_of, var->id, (uint64_t)(uintptr_t)n);
  }
  int32_t outer = tn_icheck_enter_loop(c, n, l.var);
  TN_TRY(nested(c, body));
  tn_icheck_leave(c, outer);
  loop_end(c, &l, count_stmts(body));
  return NULL;
}

static tn_status while_loop(tn_icomp *c, const tn_node *n) {
  int32_t cond = 0;
  int32_t start = (int32_t)c->prog->code.len;
  size_t exits = c->exits.len;
  ++c->epoch;
  TN_TRY(tn_icomp_scalar(c, n->in[TN_WHILE_COND], &cond));
  int32_t to_end = tn_icomp_emit(c, TN_IOP_JZ, 0, 0, cond, 0, 0);
  tn_icomp_emit(c, TN_IOP_STEPS, count_stmts(n->in[TN_WHILE_BODY]), 0, 0, 0, 0);
  TN_TRY(nested(c, n->in[TN_WHILE_BODY]));
  land_exits(c, exits, false);
  tn_icomp_emit(c, TN_IOP_JMP, 0, 0, 0, 0, start);
  tn_icomp_land(c, to_end);
  land_exits(c, exits, true);
  c->exits.len = exits;
  ++c->epoch;
  return NULL;
}

static tn_status if_stmt(tn_icomp *c, const tn_node *n) {
  int32_t cond = 0;
  TN_TRY(tn_icomp_scalar(c, n->in[TN_IF_COND], &cond));
  int32_t to_else = tn_icomp_emit(c, TN_IOP_JZ, 0, 0, cond, 0, 0);
  TN_TRY(nested(c, n->in[TN_IF_THEN]));
  if (tn_is_none(n->in[TN_IF_ELSE])) {
    tn_icomp_land(c, to_else);
    return NULL;
  }
  int32_t to_end = tn_icomp_emit(c, TN_IOP_JMP, 0, 0, 0, 0, 0);
  tn_icomp_land(c, to_else);
  TN_TRY(nested(c, n->in[TN_IF_ELSE]));
  tn_icomp_land(c, to_end);
  return NULL;
}

/* T.attr(tx, "thread_extent", n) runs its body once a thread, one after another; other keys say
 * nothing to us. */
static tn_status attr_stmt(tn_icomp *c, const tn_node *n) {
  const tn_node *node = n->in[TN_ATTR_NODE];
  if (tn_is(node, TN_OP_VAR) && !tn_icomp_is_bound(c, node) && !tn_dtype_is_handle(node->dtype)) {
    return loop_over(c, n, NULL, n->in[TN_ATTR_VALUE], n->in[TN_ATTR_BODY]);
  }
  return nested(c, n->in[TN_ATTR_BODY]);
}

/* ---- blocks ---- */

/* True when the binding is a loop or axis variable that runs over exactly the axis' domain. */
static bool covers_domain(const tn_icomp *c, const tn_node *iter) {
  uint64_t at = 0;
  const tn_node *binding = iter->in[TN_ITER_BINDING];
  if (!tn_is(binding, TN_OP_VAR) || !tn_map_find(&c->domain_of, binding->id, &at)) {
    return false;
  }
  const tn_node *domain = (const tn_node *)(uintptr_t)at;
  bool is_for = tn_is(domain, TN_OP_FOR);
  return domain->in[is_for ? TN_FOR_MIN : TN_ITER_MIN] == iter->in[TN_ITER_MIN] &&
         domain->in[is_for ? TN_FOR_EXTENT : TN_ITER_EXTENT] == iter->in[TN_ITER_EXTENT];
}

static tn_status bind_iters(tn_icomp *c, const tn_node *iters, int32_t *mins) {
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    const tn_node *iter = iters->in[i];
    if (tn_is_none(iter->in[TN_ITER_BINDING])) {
      return tn_icomp_error(c, TN_UNSUPPORTED, "axis '%s' has no binding",
                            iter->in[TN_ITER_VAR]->attr.text);
    }
    int32_t value = 0;
    TN_TRY(tn_icomp_scalar(c, iter->in[TN_ITER_BINDING], &value));
    TN_TRY(tn_icomp_scalar(c, iter->in[TN_ITER_MIN], &mins[i]));
    tn_icomp_bind_slot(c, iter->in[TN_ITER_VAR], value);
    tn_map_set(&c->domain_of, iter->in[TN_ITER_VAR]->id, (uint64_t)(uintptr_t)iter);
  }
  return NULL;
}

/* Bindings outside their axis' domain are errors of the program; checked where the predicate holds.
 */
static tn_status check_iters(tn_icomp *c, const tn_node *iters, const int32_t *mins) {
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    const tn_node *iter = iters->in[i];
    if (covers_domain(c, iter)) {
      continue;
    }
    int32_t value = 0;
    int32_t extent = 0;
    TN_TRY(tn_icomp_scalar(c, iter->in[TN_ITER_VAR], &value));
    TN_TRY(tn_icomp_scalar(c, iter->in[TN_ITER_EXTENT], &extent));
    int32_t text = tn_icomp_text(c, iter->in[TN_ITER_VAR]->attr.text);
    tn_icomp_emit(c, TN_IOP_CHECK_ITER, 0, text, value, mins[i], extent);
  }
  return NULL;
}

/* The init runs when every reduce axis is at its first value. */
static tn_status block_init(tn_icomp *c, const tn_node *n, const int32_t *mins) {
  enum { MAX_JUMPS = 64 };
  int32_t jumps[MAX_JUMPS];
  uint32_t n_jumps = 0;
  const tn_node *iters = n->in[TN_BLOCK_ITERS];
  if (tn_is_none(n->in[TN_BLOCK_INIT])) {
    return NULL;
  }
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    if (iters->in[i]->attr.i64 == TN_ITER_REDUCE) {
      int32_t value = 0;
      int32_t differs = tn_icomp_temp(c);
      TN_TRY(tn_icomp_scalar(c, iters->in[i]->in[TN_ITER_VAR], &value));
      tn_icomp_emit(c, TN_IOP_NE, 0, differs, value, mins[i], 0);
      jumps[n_jumps++] = tn_icomp_emit(c, TN_IOP_JNZ, 0, 0, differs, 0, 0);
    }
  }
  TN_TRY(nested(c, n->in[TN_BLOCK_INIT]));
  for (uint32_t i = 0; i < n_jumps; ++i) {
    tn_icomp_land(c, jumps[i]);
  }
  return NULL;
}

static tn_status block(tn_icomp *c, const tn_node *n) {
  enum { MAX_ITERS = 64 };
  const tn_node *iters = n->in[TN_BLOCK_ITERS];
  const tn_node *predicate = n->in[TN_BLOCK_PREDICATE];
  int32_t mins[MAX_ITERS];
  int32_t skip = -1;
  if (iters->n_in > MAX_ITERS) {
    return tn_icomp_error(c, TN_UNSUPPORTED, "block '%s' has %u axes: at most %d",
                          n->in[TN_BLOCK_LABEL]->attr.text, iters->n_in, MAX_ITERS);
  }
  TN_TRY(bind_iters(c, iters, mins));
  if (!tn_is_none(predicate) && !tn_is_int(predicate, 1)) {
    int32_t cond = 0;
    TN_TRY(tn_icomp_scalar(c, predicate, &cond));
    skip = tn_icomp_emit(c, TN_IOP_JZ, 0, 0, cond, 0, 0);
  }
  TN_TRY(check_iters(c, iters, mins));
  int32_t outer = 0;
  TN_TRY(tn_icheck_enter_block(c, n, &outer));
  for (uint32_t i = 0; i < n->in[TN_BLOCK_ALLOCS]->n_in; ++i) {
    TN_TRY(tn_icomp_alloc_buffer(c, n->in[TN_BLOCK_ALLOCS]->in[i]));
  }
  for (uint32_t i = 0; i < n->in[TN_BLOCK_MATCHES]->n_in; ++i) {
    TN_TRY(tn_icomp_match(c, n->in[TN_BLOCK_MATCHES]->in[i]));
  }
  TN_TRY(block_init(c, n, mins));
  TN_TRY(nested(c, n->in[TN_BLOCK_BODY]));
  tn_icheck_leave(c, outer);
  if (skip >= 0) {
    tn_icomp_land(c, skip);
  }
  return NULL;
}

/* ---- the rest ---- */

static tn_status bind_stmt(tn_icomp *c, const tn_node *n) {
  tn_ival value = {0};
  TN_TRY(tn_icomp_expr(c, n->in[TN_BIND_VALUE], &value));
  tn_icomp_bind(c, n->in[TN_BIND_VAR], value);
  tn_icheck_bind(c, n->in[TN_BIND_VAR], n->in[TN_BIND_VALUE]);
  return tn_dtype_is_handle(n->in[TN_BIND_VAR]->dtype) ? tn_icomp_set_loose(c, n->in[TN_BIND_VAR])
                                                       : NULL;
}

static tn_status assert_stmt(tn_icomp *c, const tn_node *n) {
  int32_t cond = 0;
  const tn_node *message = n->in[TN_ASSERT_MESSAGE];
  TN_TRY(tn_icomp_scalar(c, n->in[TN_ASSERT_COND], &cond));
  int32_t skip = tn_icomp_emit(c, TN_IOP_JNZ, 0, 0, cond, 0, 0);
  int32_t text = tn_icomp_text(c, tn_is(message, TN_OP_STR) ? message->attr.text : "");
  tn_icomp_emit(c, TN_IOP_FAIL_ASSERT, 0, 0, 0, 0, text);
  tn_icomp_land(c, skip);
  return NULL;
}

static tn_status return_stmt(tn_icomp *c, const tn_node *n) {
  if (tn_is_none(n->in[0])) {
    tn_icomp_emit(c, TN_IOP_HALT, 0, 0, 0, 0, 0);
    return NULL;
  }
  int32_t value = 0;
  TN_TRY(tn_icomp_scalar(c, n->in[0], &value));
  tn_icomp_emit(c, TN_IOP_RETURN, 0, 0, value, 0, 0);
  return NULL;
}

static tn_status dispatch(tn_icomp *c, const tn_node *n) {
  tn_ival ignored = {0};
  switch ((tn_op)n->op) {
    case TN_OP_SEQ:
      for (uint32_t i = 0; i < n->n_in; ++i) {
        TN_TRY(tn_icomp_stmt(c, n->in[i]));
      }
      return NULL;
    case TN_OP_STORE:
      return tn_icomp_store(c, n);
    case TN_OP_EVAL:
      return tn_icomp_expr(c, n->in[0], &ignored);
    case TN_OP_BIND:
      return bind_stmt(c, n);
    case TN_OP_ALLOC:
      return tn_icomp_alloc(c, n);
    case TN_OP_CONST_ALLOC:
      return tn_icomp_const_alloc(c, n);
    case TN_OP_DECL:
      return tn_icomp_set_buffer(c, n->in[0]);
    case TN_OP_FOR:
      return loop_over(c, n, n->in[TN_FOR_MIN], n->in[TN_FOR_EXTENT], n->in[TN_FOR_BODY]);
    case TN_OP_LAUNCH:
      return loop_over(c, n, NULL, n->in[TN_LAUNCH_EXTENT], n->in[TN_LAUNCH_BODY]);
    case TN_OP_WHILE:
      return while_loop(c, n);
    case TN_OP_IF:
      return if_stmt(c, n);
    case TN_OP_BLOCK:
      return block(c, n);
    case TN_OP_ATTR:
      return attr_stmt(c, n);
    case TN_OP_ASSERT:
      return assert_stmt(c, n);
    case TN_OP_BREAK:
    case TN_OP_CONTINUE:
      return exit_stmt(c, n);
    case TN_OP_RETURN:
      return return_stmt(c, n);
    default:
      return tn_icomp_error(c, TN_UNSUPPORTED, "the interpreter has no statement '%s'",
                            tn_op_info_get((tn_op)n->op)->text);
  }
}

static bool stays(const tn_node *n) {
  return tn_is(n, TN_OP_BIND) || tn_is(n, TN_OP_ALLOC) || tn_is(n, TN_OP_CONST_ALLOC) ||
         tn_is(n, TN_OP_DECL);
}

tn_status tn_icomp_stmt(tn_icomp *c, const tn_node *n) {
  const tn_node *outer = c->place;
  tn_iscope scope = tn_icomp_enter(c);
  c->place = n;
  TN_TRY(dispatch(c, n));
  if (!stays(n)) {
    tn_icomp_leave(c, scope);
  }
  c->place = outer;
  return NULL;
}
