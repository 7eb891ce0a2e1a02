/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Loops: the functions that stand after `in`, their arguments, the variables. A loop with a step is
 * one over the number of its rounds, in whose body the variable has a value:
 *
 *   for i in range(1, n, 3): ...   ->   for k in range((n + 1) // 3): i = 1 + k * 3; ... */
#include <inttypes.h>
#include <string.h>

#include "script/reader.h"

typedef struct loop_head {
  tn_for_kind kind;
  const tn_node *min;
  const tn_node *extent;
  const tn_node *thread;
  const tn_node *annotations;
  const tn_node *step;  /* NULL: 1; then min is 0 and extent the number of rounds */
  const tn_node *start; /* with a step */
} loop_head;

static const tn_node *range_of(tn_reader *r, const loop_head *head) {
  const tn_node *in[2] = {[TN_RANGE_MIN] = head->min, [TN_RANGE_EXTENT] = head->extent};
  return tn_node_new(r->ir, TN_OP_RANGE, TN_DT_NONE, (tn_attr){0}, 2, in);
}

/* stop, or start and stop. */
static bool read_bounds(tn_reader *r, const tn_ast *start, const tn_ast *stop, loop_head *head) {
  if (stop == NULL) {
    head->extent = tn_read_index(r, start);
    head->min = head->extent == NULL ? NULL : tn_int(r->ir, head->extent->dtype, 0);
    return head->extent != NULL;
  }
  tn_val lo = tn_read_val(r, start);
  return tn_to_interval(r, start, lo, tn_read_val(r, stop), &head->min, &head->extent);
}

bool tn_read_annotations(tn_reader *r, const tn_ast *ast, const tn_node **out) {
  *out = tn_none(r->ir);
  if (ast == NULL || ast->kind == TN_AST_NONE) {
    return true;
  }
  const tn_node *dict = tn_to_attr(r, ast, tn_read_val(r, ast));
  if (dict != NULL && dict->op != TN_OP_DICT) {
    tn_read_fail(r, ast, "bad-attribute", NULL, "expected a dictionary of annotations");
    return false;
  }
  if (dict != NULL && dict->n_in > 0) {
    *out = dict;
  }
  return dict != NULL;
}

typedef struct loop_row {
  const char *name;
  tn_for_kind kind;
} loop_row;

static const loop_row loop_rows[] = {
    {"range", TN_FOR_SERIAL},        {"T.serial", TN_FOR_SERIAL},
    {"T.parallel", TN_FOR_PARALLEL}, {"T.vectorized", TN_FOR_VECTORIZED},
    {"T.unroll", TN_FOR_UNROLLED},   {"T.thread_binding", TN_FOR_THREAD_BINDING},
    {"T.grid", TN_FOR_SERIAL},
};

/* The loop function's name: "range" or T.*; NULL, reported, when the iterable is none. */
static const char *loop_name(tn_reader *r, const tn_ast *iter, tn_for_kind *out_kind) {
  const char *names[sizeof loop_rows / sizeof loop_rows[0]];
  size_t n = sizeof loop_rows / sizeof loop_rows[0];
  const char *name = NULL;
  if (iter->kind == TN_AST_CALL) {
    name = iter->in[0]->kind == TN_AST_NAME ? iter->in[0]->text : tn_dotted(r, iter->in[0]);
  }
  for (size_t i = 0; i < n; ++i) {
    names[i] = loop_rows[i].name;
    if (name != NULL && strcmp(name, loop_rows[i].name) == 0) {
      *out_kind = loop_rows[i].kind;
      return loop_rows[i].name;
    }
  }
  char *hint = name == NULL ? NULL : tn_near_of(name, names, n);
  tn_read_fail(r, iter->kind == TN_AST_CALL ? iter->in[0] : iter, "unknown-loop", hint,
               "expected range, T.serial, T.parallel, T.vectorized, T.unroll, T.thread_binding or "
               "T.grid after 'in'");
  free(hint);
  return NULL;
}

/* Arguments of the loop functions, in the order of the parameters of each. */
typedef struct loop_args {
  const tn_ast *start;
  const tn_ast *stop;
  const tn_ast *thread;
  const tn_ast *annotations;
  const tn_ast *step;
  const tn_ast *dtype;
  const tn_ast *unroll;
} loop_args;

static bool bind_loop_args(tn_reader *r, const tn_ast *iter, const char *name, tn_for_kind kind,
                           loop_args *out) {
  const tn_ast *args[7] = {NULL};
  bool is_range = strcmp(name, "range") == 0;
  bool is_binding = kind == TN_FOR_THREAD_BINDING;
  const char *params = is_range     ? "start stop? step?"
                       : is_binding ? "start stop? thread? annotations? step? dtype? unroll?"
                                    : "start stop? annotations? step? dtype? unroll?";
  if (!tn_bind_args(r, iter, params, args)) {
    return false;
  }
  int next = 2;
  *out = (loop_args){.start = args[0], .stop = args[1]};
  out->thread = is_binding ? args[next++] : NULL;
  out->annotations = is_range ? NULL : args[next++];
  out->step = args[next++];
  out->dtype = is_range ? NULL : args[next++];
  out->unroll = is_range ? NULL : args[next];
  if (is_binding && out->thread == NULL && out->stop != NULL && out->stop->kind == TN_AST_STR) {
    out->thread = out->stop;
    out->stop = NULL;
  }
  return true;
}

static bool read_thread(tn_reader *r, const tn_ast *iter, const tn_ast *thread, loop_head *head) {
  head->thread = tn_none(r->ir);
  if (head->kind != TN_FOR_THREAD_BINDING) {
    return true;
  }
  if (thread == NULL) {
    tn_read_fail(r, iter, "missing-argument", NULL, "T.thread_binding needs the argument 'thread'");
    return false;
  }
  const char *tag = tn_to_str(r, thread, tn_read_val(r, thread));
  head->thread = tag == NULL ? NULL : tn_str(r->ir, tag);
  return tag != NULL;
}

/* unroll=True is T.unroll; a number says how far, which is kept for who can use it. */
static bool read_unroll(tn_reader *r, const tn_ast *ast, loop_head *head) {
  tn_val v = ast == NULL ? (tn_val){.kind = TN_VAL_NONE} : tn_read_val(r, ast);
  if (v.kind == TN_VAL_NONE) {
    return true;
  }
  int64_t factor = 0;
  if (v.kind == TN_VAL_BOOL) {
    head->kind = v.i64 != 0 && head->kind == TN_FOR_SERIAL ? TN_FOR_UNROLLED : head->kind;
    return true;
  }
  if (!tn_to_int(r, ast, v, &factor)) {
    return false;
  }
  const tn_node *dict = tn_is_none(head->annotations)
                            ? tn_node_new(r->ir, TN_OP_DICT, TN_DT_NONE, (tn_attr){0}, 0, NULL)
                            : head->annotations;
  head->annotations = tn_dict_set(r->ir, dict, "unroll", tn_int(r->ir, TN_DT_I32, factor));
  return true;
}

static bool cast_bounds(tn_reader *r, const tn_ast *ast, loop_head *head) {
  tn_dtype dtype = TN_DT_NONE;
  if (ast == NULL || ast->kind == TN_AST_NONE) {
    return true;
  }
  if (!tn_read_dtype(r, ast, &dtype)) {
    return false;
  }
  if (!tn_dtype_is_int(dtype) && !tn_dtype_is_uint(dtype)) {
    tn_read_fail(r, ast, "not-an-integer", NULL, "the variable of a loop is an integer");
    return false;
  }
  return tn_read_ok(r, ast, "type-mismatch", tn_tir_cast(r->ir, dtype, head->min, &head->min)) &&
         tn_read_ok(r, ast, "type-mismatch",
                    tn_tir_cast(r->ir, dtype, head->extent, &head->extent));
}

/* a op b for index expressions; NULL, reported. */
static const tn_node *index_op(tn_reader *r, const tn_ast *at, tn_tok tok, const tn_node *a,
                               const tn_node *b) {
  tn_val v = tn_apply_binary(r, at, tok, tn_val_node(a), tn_val_node(b));
  return tn_val_is_error(v) ? NULL : v.node;
}

/* Rounds of a loop with an extent and a step that are known: in 64 bits without a sign, which every
 * length of every type fits. NULL, reported, when the variable's type does not count so far. */
static const tn_node *count_known_rounds(tn_reader *r, const tn_ast *at, const loop_head *head,
                                         int64_t step, bool is_down) {
  const tn_node *extent = head->extent;
  bool is_uint = tn_dtype_is_uint(extent->dtype);
  int64_t n = extent->attr.i64;
  bool is_empty = n == 0 || (!is_uint && (n < 0) != is_down);
  uint64_t length = is_down ? 0 - (uint64_t)n : (uint64_t)n;
  uint64_t stride = is_down ? 0 - (uint64_t)step : (uint64_t)step;
  uint64_t n_rounds = is_empty ? 0 : (length - 1) / stride + 1;
  const tn_node *rounds = tn_int(r->ir, extent->dtype, (int64_t)n_rounds);
  if ((uint64_t)rounds->attr.i64 != n_rounds || (!is_uint && rounds->attr.i64 < 0)) {
    tn_read_fail(r, at, "integer-too-large", NULL,
                 "the loop's %" PRIu64 " rounds do not fit its variable's type", n_rounds);
    return NULL;
  }
  return rounds;
}

/* Rounds of a loop with a step: as many as there are multiples of it before the end. */
static const tn_node *count_rounds(tn_reader *r, const tn_ast *at, const loop_head *head,
                                   const tn_node *step) {
  const tn_node *extent = head->extent;
  bool is_down = step->op == TN_OP_INT && step->attr.i64 < 0 && !tn_dtype_is_uint(step->dtype);
  if (extent->op == TN_OP_INT && step->op == TN_OP_INT) {
    return count_known_rounds(r, at, head, step->attr.i64, is_down);
  }
  if (is_down) {
    extent = tn_extent_between(r, extent, tn_int(r->ir, extent->dtype, 0));
    step = tn_int(r->ir, step->dtype, (int64_t)(0 - (uint64_t)step->attr.i64));
    if (step->attr.i64 < 0) {
      tn_read_fail(r, at, "integer-too-large", NULL,
                   "a step of %" PRId64 " back is too far for its type", step->attr.i64);
      return NULL;
    }
  }
  const tn_node *one = tn_int(r->ir, step->dtype, 1);
  const tn_node *more = step->op == TN_OP_INT
                            ? tn_int(r->ir, step->dtype, (int64_t)((uint64_t)step->attr.i64 - 1))
                            : index_op(r, at, TN_TOK_MINUS, step, one);
  const tn_node *top = more == NULL ? NULL : index_op(r, at, TN_TOK_PLUS, extent, more);
  return top == NULL ? NULL : index_op(r, at, TN_TOK_FLOORDIV, top, step);
}

/* A loop whose step is known at run time runs forward: how often it runs is counted before, and a
 * count by a step of 0 or below says nothing. */
static void demand_positive(tn_reader *r, const tn_ast *at, const tn_node *step) {
  const tn_node *zero = tn_int(r->ir, step->dtype, 0);
  const tn_node *in[2] = {[TN_ASSERT_COND] = tn_binary(r->ir, TN_OP_LT, zero, step),
                          [TN_ASSERT_MESSAGE] =
                              tn_str(r->ir, "the step of a loop is not positive")};
  tn_add_stmt(r, at, tn_node_new(r->ir, TN_OP_ASSERT, TN_DT_NONE, (tn_attr){0}, 2, in));
}

static bool read_step(tn_reader *r, const tn_ast *ast, loop_head *head) {
  tn_val v = ast == NULL ? (tn_val){.kind = TN_VAL_NONE} : tn_read_val(r, ast);
  if (v.kind == TN_VAL_NONE || (v.kind == TN_VAL_INT && v.i64 == 1)) {
    return true;
  }
  const tn_node *step =
      v.kind == TN_VAL_INT ? tn_to_expr(r, ast, v, head->extent->dtype) : tn_to_index(r, ast, v);
  const tn_node *cast = NULL;
  if (step == NULL ||
      !tn_read_ok(r, ast, "type-mismatch", tn_tir_cast(r->ir, head->extent->dtype, step, &cast))) {
    return false;
  }
  if (cast->op == TN_OP_INT && step->op == TN_OP_INT && cast->attr.i64 != step->attr.i64) {
    tn_read_fail(r, ast, "integer-too-large", NULL, "the step does not fit its variable's type");
    return false;
  }
  step = cast;
  if (tn_is_int(step, 0)) {
    tn_read_fail(r, ast, "bad-step", NULL, "a loop with a step of 0 makes no progress");
    return false;
  }
  if (step->op != TN_OP_INT) {
    demand_positive(r, ast, step);
  }
  const tn_node *rounds = count_rounds(r, ast, head, step);
  head->start = head->min;
  head->step = step;
  head->min = tn_int(r->ir, step->dtype, 0);
  head->extent = rounds;
  return rounds != NULL;
}

static bool read_loop_head(tn_reader *r, const tn_ast *iter, const char *name, loop_head *head) {
  loop_args args;
  return bind_loop_args(r, iter, name, head->kind, &args) &&
         read_bounds(r, args.start, args.stop, head) &&
         tn_read_annotations(r, args.annotations, &head->annotations) &&
         read_thread(r, iter, args.thread, head) && read_unroll(r, args.unroll, head) &&
         cast_bounds(r, args.dtype, head) && read_step(r, args.step, head);
}

/* Loop variable `name` over head, in the open scope; with a step it is not yet what the text calls
 * so. */
static const tn_node *define_loop_var(tn_reader *r, const tn_ast *name, const loop_head *head) {
  const tn_node *var = tn_var_new(r->ir, name->text, head->extent->dtype);
  tn_map_set(&r->loop_domains, var->id, (uint64_t)(uintptr_t)range_of(r, head));
  if (head->step == NULL) {
    tn_define(r, name, tn_val_node(var));
  }
  return var;
}

/* i = start + round * step, as the first statement of the body. */
static void define_stepped(tn_reader *r, const tn_ast *name, const loop_head *head,
                           const tn_node *round) {
  const tn_node *offset = index_op(r, name, TN_TOK_STAR, round, head->step);
  const tn_node *value = offset == NULL || tn_is_int(head->start, 0)
                             ? offset
                             : index_op(r, name, TN_TOK_PLUS, head->start, offset);
  if (value == NULL) {
    tn_scopes_set(&r->scopes, name->text, tn_val_error());
    return;
  }
  const tn_node *var = tn_var_new(r->ir, name->text, value->dtype);
  const tn_node *in[2] = {[TN_BIND_VAR] = var, [TN_BIND_VALUE] = value};
  tn_define(r, name, tn_val_node(var));
  tn_add_stmt(r, name, tn_node_new(r->ir, TN_OP_BIND, TN_DT_NONE, (tn_attr){0}, 2, in));
}

static const tn_node *read_loop_body(tn_reader *r, const tn_ast *stmt, const tn_ast *name,
                                     const loop_head *head, const tn_node *var) {
  if (head->step == NULL) {
    return tn_read_suite(r, stmt->in[TN_AST_FOR_BODY]);
  }
  tn_body body = {0};
  tn_body *outer = r->body;
  r->body = &body;
  define_stepped(r, name, head, var);
  tn_read_stmts(r, stmt->in[TN_AST_FOR_BODY]);
  r->body = outer;
  const tn_node *node = tn_finish_body(r, &body);
  tn_body_deinit(&body);
  return node;
}

/* Reads the body for the diagnostics in it when the head is wrong. */
static void read_orphan_body(tn_reader *r, const tn_ast *stmt) {
  const tn_ast *target = stmt->in[TN_AST_FOR_TARGET];
  bool is_tuple = target->kind == TN_AST_TUPLE;
  tn_scopes_push(&r->scopes, TN_FRAME_PLAIN);
  for (uint32_t i = 0; i < (is_tuple ? target->n : 1); ++i) {
    const tn_ast *name = is_tuple ? target->in[i] : target;
    if (name->kind == TN_AST_NAME) {
      tn_scopes_set(&r->scopes, name->text, tn_val_error());
    }
  }
  (void)tn_read_suite(r, stmt->in[TN_AST_FOR_BODY]);
  tn_scopes_pop(&r->scopes);
}

static bool check_targets(tn_reader *r, const tn_ast *target, const tn_ast *const *names,
                          uint32_t n, uint32_t n_want) {
  for (uint32_t i = 0; i < n; ++i) {
    if (names[i]->kind != TN_AST_NAME) {
      tn_read_fail(r, names[i], "bad-target", NULL, "expected the name of a loop variable");
      return false;
    }
  }
  if (n != n_want) {
    tn_read_fail(r, target, "wrong-target-count", NULL, "%u loop variables for %u extents", n,
                 n_want);
    return false;
  }
  return true;
}

static bool read_grid_heads(tn_reader *r, const tn_ast *iter, loop_head *heads, uint32_t n) {
  if (!tn_check_keywords(r, iter, "")) {
    return false;
  }
  bool is_ok = true;
  for (uint32_t i = 0; i < n; ++i) {
    heads[i] =
        (loop_head){.kind = TN_FOR_SERIAL, .thread = tn_none(r->ir), .annotations = tn_none(r->ir)};
    const tn_ast *arg = iter->in[1 + i];
    if (arg->kind == TN_AST_TUPLE && arg->n == 2) {
      is_ok = read_bounds(r, arg->in[0], arg->in[1], &heads[i]) && is_ok;
    } else {
      is_ok = read_bounds(r, arg, NULL, &heads[i]) && is_ok;
    }
  }
  return is_ok;
}

void tn_read_for(tn_reader *r, const tn_ast *stmt) {
  const tn_ast *iter = stmt->in[TN_AST_FOR_ITER];
  const tn_ast *target = stmt->in[TN_AST_FOR_TARGET];
  bool is_tuple = target->kind == TN_AST_TUPLE;
  uint32_t n = is_tuple ? target->n : 1;
  const tn_ast *const *names = is_tuple ? target->in : &target;
  tn_for_kind kind = TN_FOR_SERIAL;
  const char *name = loop_name(r, iter, &kind);
  bool is_grid = name != NULL && strcmp(name, "T.grid") == 0;
  uint32_t n_want = is_grid ? tn_n_positional(iter) : 1;
  loop_head *heads = TN_ARENA_ARRAY(&r->arena, loop_head, n_want + 1);
  heads[0] = (loop_head){.kind = kind};
  if (name == NULL || !check_targets(r, target, names, n, n_want) ||
      !(is_grid ? read_grid_heads(r, iter, heads, n) : read_loop_head(r, iter, name, &heads[0]))) {
    read_orphan_body(r, stmt);
    return;
  }
  const tn_node **vars = TN_ARENA_ARRAY(&r->arena, const tn_node *, n + 1);
  tn_scopes_push(&r->scopes, TN_FRAME_PLAIN);
  for (uint32_t i = 0; i < n; ++i) {
    vars[i] = define_loop_var(r, names[i], &heads[i]);
  }
  const tn_node *body = read_loop_body(r, stmt, names[0], &heads[0], vars[0]);
  tn_scopes_pop(&r->scopes);
  if (n > 1 && (tn_loop_exits(body) & TN_EXIT_BREAK) != 0) {
    tn_read_fail(r, stmt, "misplaced-break", "write a loop in a loop: 'break' leaves the inner one",
                 "'break' in T.grid, which stands for %u loops", n);
  }
  for (uint32_t i = n; i > 0; --i) {
    const loop_head *head = &heads[i - 1];
    body = tn_for_new(r->ir, head->kind, vars[i - 1], head->min, head->extent, body, head->thread,
                      head->annotations);
    tn_mark(r, body, stmt);
  }
  TN_VEC_PUSH(&r->body->stmts, body);
}
