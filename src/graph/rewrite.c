/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Runs rewrite rules; see rewrite.h. One sweep goes over the statements in order, so that a rule
 * sees operands in their last form; what a rule makes is looked at at once. Uses are counted before
 * a sweep and kept up to date, what lost its last use goes after it. Sweeps end when one changes
 * nothing. */
#include "graph/rewrite.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "graph/graph_priv.h"

enum {
  MAX_SWEEPS = 12,
  MAX_DEPTH = 24,        /* rules on what rules made, in one place */
  MAX_FIRED_A_STMT = 32, /* in all: no set of rules runs for ever */
  MAX_STEPS = 1 << 27    /* about a second */
};

struct tn_rewrite_run {
  tn_ir *ir;
  tn_module *module;
  const tn_rewrite_rule *const *rules;
  uint32_t n_rules;
  int64_t *n_fired; /* NULL or one a rule */
  bool is_strict;
  tn_strmap by_root; /* name -> the first rule's place + 1 */
  tn_map defs;       /* GVAR id -> what made it */
  tn_map uses;       /* GVAR id -> how many */
  tn_map became;     /* GVAR id -> the value that took its place */
  tn_stmts made;     /* bindings of the attempt that is going on */
  bool is_failed;
  int64_t budget;
  int64_t n_steps;   /* of arithmetic that rules may still do */
  int64_t n_changes; /* of this sweep */
  tn_status st;
};

tn_ir *tn_rewrite_ir(const tn_rewrite_run *r) { return r->ir; }

/* ---- uses ---- */

static uint64_t word_of(const tn_node *n) { return (uint64_t)(uintptr_t)n; }

static int64_t n_uses(const tn_rewrite_run *r, const tn_node *var) {
  uint64_t n = 0;
  return tn_map_find(&r->uses, var->id, &n) ? (int64_t)n : 0;
}

static void add_uses(tn_rewrite_run *r, const tn_node *var, int64_t n) {
  tn_map_set(&r->uses, var->id, (uint64_t)(n_uses(r, var) + n));
}

/* Every occurrence counts; types and sizes mention no GVAR. */
static void count_in(tn_rewrite_run *r, const tn_node *n) {
  switch ((int)n->op) {
    case TN_OP_GVAR:
      add_uses(r, n, 1);
      return;
    case TN_OP_CALL:
      count_in(r, n->in[TN_CALL_ARGS]);
      return;
    case TN_OP_GBIND:
    case TN_OP_MATCH_CAST:
      count_in(r, n->in[TN_BIND_VALUE]);
      return;
    case TN_OP_GIF:
      count_in(r, n->in[TN_GIF_COND]);
      count_in(r, n->in[TN_GIF_THEN]);
      count_in(r, n->in[TN_GIF_ELSE]);
      return;
    default:
      for (uint32_t i = 0; i < n->n_in; ++i) {
        count_in(r, n->in[i]);
      }
  }
}

/* The variables of an expression, one for each occurrence. */
static void push_vars(const tn_node *expr, tn_stmts *out) {
  const tn_node *list = expr->op == TN_OP_CALL ? expr->in[TN_CALL_ARGS] : expr;
  if (expr->op == TN_OP_GVAR) {
    TN_VEC_PUSH(out, expr);
    return;
  }
  for (uint32_t i = 0; i < list->n_in; ++i) {
    push_vars(list->in[i], out);
  }
}

/* The expression is gone, and with it what only it used. */
static void release(tn_rewrite_run *r, const tn_node *expr) {
  tn_stmts vars = {0};
  push_vars(expr, &vars);
  while (vars.len > 0) {
    const tn_node *var = TN_VEC_POP(&vars);
    const tn_node *def = tn_rewrite_def(r, var);
    add_uses(r, var, -1);
    if (n_uses(r, var) == 0 && def != NULL && tn_expr_is_pure(r->module, def)) {
      push_vars(def, &vars);
    }
  }
  TN_VEC_DEINIT(&vars);
}

/* ---- what is there ---- */

const tn_node *tn_rewrite_def(const tn_rewrite_run *r, const tn_node *value) {
  uint64_t word = 0;
  bool is_known =
      value != NULL && value->op == TN_OP_GVAR && tn_map_find(&r->defs, value->id, &word);
  return is_known ? (const tn_node *)(uintptr_t)word : NULL;
}

const tn_node *tn_rewrite_call(const tn_rewrite_run *r, const tn_node *value, const char *name) {
  const tn_node *def = tn_rewrite_def(r, value);
  bool is_it = def != NULL && def->op == TN_OP_CALL && strcmp(def->attr.def->name, name) == 0;
  return is_it ? def : NULL;
}

bool tn_rewrite_is_used_once(const tn_rewrite_run *r, const tn_node *value) {
  return value->op == TN_OP_GVAR && n_uses(r, value) == 1;
}

const tn_node *tn_rewrite_own_call(const tn_rewrite_run *r, const tn_node *value,
                                   const char *name) {
  const tn_node *call = tn_rewrite_call(r, value, name);
  return call != NULL && tn_rewrite_is_used_once(r, value) ? call : NULL;
}

const tn_node *tn_rewrite_any_type(tn_rewrite_run *r, const tn_node *expr) {
  const tn_node *type = NULL;
  const tn_infer_ctx ctx = {.ir = r->ir, .module = r->module};
  tn_status st = tn_graph_infer(&ctx, expr, &type);
  if (st == NULL) {
    return type;
  }
  tn_status_free(st);
  r->is_failed = true;
  return NULL;
}

const tn_node *tn_rewrite_type(tn_rewrite_run *r, const tn_node *value) {
  bool is_value = value != NULL &&
                  (value->op == TN_OP_GVAR || value->op == TN_OP_CONST || value->op == TN_OP_CALL);
  const tn_node *type = is_value ? tn_rewrite_any_type(r, value) : NULL;
  return type != NULL && type->op == TN_OP_TY_TENSOR ? type : NULL;
}

tn_dtype tn_rewrite_dtype(tn_rewrite_run *r, const tn_node *value) {
  const tn_node *type = tn_rewrite_type(r, value);
  return type == NULL ? TN_DT_NONE : type->dtype;
}

const tn_node *tn_rewrite_shape(tn_rewrite_run *r, const tn_node *value) {
  const tn_node *type = tn_rewrite_type(r, value);
  return type == NULL || tn_is_none(type->in[TN_TY_TENSOR_SHAPE]) ? NULL
                                                                  : type->in[TN_TY_TENSOR_SHAPE];
}

int64_t tn_rewrite_ndim(tn_rewrite_run *r, const tn_node *value) {
  const tn_node *type = tn_rewrite_type(r, value);
  return type == NULL ? -1 : type->attr.i64;
}

bool tn_rewrite_same_shape(tn_rewrite_run *r, const tn_node *a, const tn_node *b) {
  const tn_node *x = tn_rewrite_shape(r, a);
  const tn_node *y = tn_rewrite_shape(r, b);
  bool is_same = x != NULL && y != NULL && x->n_in == y->n_in;
  for (uint32_t i = 0; is_same && i < x->n_in; ++i) {
    is_same = tn_dim_compare(r->ir, x->in[i], y->in[i]) == TN_DIM_EQUAL;
  }
  return is_same;
}

const tn_array *tn_rewrite_array(const tn_node *value) {
  return value != NULL && value->op == TN_OP_CONST ? value->attr.array : NULL;
}

/* More elements than a number that is written out has. */
enum { MAX_NUMBER_ELEMS = 1 << 12 };

bool tn_rewrite_is_number(const tn_node *value, double *out) {
  const tn_array *array = tn_rewrite_array(value);
  int64_t n = array == NULL ? 0 : tn_array_n_elems(array);
  if (n < 1 || n > MAX_NUMBER_ELEMS || tn_dtype_lanes(array->dtype) != 1) {
    return false;
  }
  double first = tn_array_get_f64(array, 0);
  for (int64_t i = 1; i < n; ++i) {
    double other = tn_array_get_f64(array, i);
    if (memcmp(&first, &other, sizeof first) != 0) {
      return false;
    }
  }
  *out = first;
  return !isnan(first);
}

bool tn_rewrite_equals(const tn_node *value, double number) {
  double have = 0;
  return tn_rewrite_is_number(value, &have) && have == number && signbit(have) == signbit(number);
}

/* ---- what is made ---- */

static const tn_node *bind_made(tn_rewrite_run *r, const tn_node *expr) {
  const tn_node *type = tn_rewrite_any_type(r, expr);
  if (type == NULL) {
    return NULL;
  }
  const tn_node *var = tn_gvar_new(r->ir, "lv", type);
  tn_map_set(&r->defs, var->id, word_of(expr));
  TN_VEC_PUSH(&r->made, tn_gbind_new(r->ir, var, expr, NULL));
  return var;
}

const tn_node *tn_rewrite_make(tn_rewrite_run *r, const tn_op_def *op, uint32_t n,
                               const tn_node *const *args, const tn_node *fields) {
  for (uint32_t i = 0; i < n; ++i) {
    r->is_failed = r->is_failed || args[i] == NULL;
  }
  if (r->is_failed || op == NULL) {
    r->is_failed = true;
    return NULL;
  }
  return bind_made(r, tn_call_new(r->ir, op, n, args, fields, NULL));
}

const tn_node *tn_rewrite_again(tn_rewrite_run *r, const tn_node *call, uint32_t n,
                                const tn_node *const *args) {
  return tn_rewrite_make(r, tn_op_of(call), n, args, call->in[TN_CALL_FIELDS]);
}

const tn_node *tn_rewrite_const(tn_rewrite_run *r, tn_array *array) {
  return tn_const_new(r->ir, array);
}

const tn_node *tn_rewrite_tuple(tn_rewrite_run *r, uint32_t n, const tn_node *const *items) {
  return bind_made(r, tn_node_new(r->ir, TN_OP_TUPLE, TN_DT_NONE, (tn_attr){0}, n, items));
}

bool tn_rewrite_spend(tn_rewrite_run *r, int64_t n) {
  bool is_there = n <= r->n_steps;
  r->n_steps -= is_there ? n : 0;
  return is_there;
}

/* ---- one binding ---- */

static void visit(tn_rewrite_run *r, const tn_node *bind, int depth, tn_stmts *out);

static const tn_node *resolve_rule(tn_rewriter *rw, const tn_node *n) {
  const tn_rewrite_run *r = rw->ctx;
  return n->op == TN_OP_GVAR ? tn_value_now(&r->became, n) : NULL;
}

static const tn_node *resolve_all(tn_rewrite_run *r, const tn_node *n) {
  return r->became.len == 0 ? n : tn_rewrite(r->ir, n, resolve_rule, r);
}

static bool fits(const tn_rewrite_run *r, const tn_node *type, const tn_node *want) {
  bool is_unsure = false;
  return type == want || tn_ty_is_subtype(r->ir, type, want, &is_unsure);
}

/* Takes back what the attempt made from `first` on. */
static void forget(tn_rewrite_run *r, size_t first) {
  while (r->made.len > first) {
    const tn_node *bind = TN_VEC_POP(&r->made);
    tn_map_remove(&r->defs, bind->in[TN_BIND_VAR]->id);
  }
}

/* The new bindings go out, the last one under the old one's name where that holds its type. */
static void replace(tn_rewrite_run *r, const tn_node *bind, const tn_node *value, size_t first,
                    int depth, tn_stmts *out) {
  const tn_node *var = bind->in[TN_BIND_VAR];
  tn_stmts made = {0};
  for (size_t i = first; i < r->made.len; ++i) {
    TN_VEC_PUSH(&made, r->made.data[i]);
    count_in(r, r->made.data[i]);
  }
  r->made.len = first;
  const tn_node *last = made.len > 0 ? TN_VEC_LAST(&made) : NULL;
  bool is_renamed = last != NULL && last->in[TN_BIND_VAR] == value && value->in[0] == var->in[0] &&
                    n_uses(r, value) == 0;
  if (is_renamed) {
    TN_VEC_LAST(&made) = tn_gbind_new(r->ir, var, last->in[TN_BIND_VALUE], bind);
    tn_map_set(&r->defs, var->id, word_of(last->in[TN_BIND_VALUE]));
  } else if (value->op == TN_OP_GVAR) {
    add_uses(r, value, n_uses(r, var));
  }
  if (!is_renamed) {
    tn_map_set(&r->became, var->id, word_of(value));
  }
  release(r, bind->in[TN_BIND_VALUE]);
  for (size_t i = 0; i < made.len; ++i) {
    visit(r, made.data[i], depth + 1, out);
  }
  TN_VEC_DEINIT(&made);
}

static bool try_rule(tn_rewrite_run *r, uint32_t i, const tn_node *bind, int depth, tn_stmts *out) {
  const tn_rewrite_rule *rule = r->rules[i];
  size_t first = r->made.len;
  if (r->is_strict && !rule->is_exact) {
    return false;
  }
  r->is_failed = false;
  const tn_node *value = rule->apply(r, bind->in[TN_BIND_VALUE]);
  const tn_node *type = value == NULL || r->is_failed ? NULL : tn_rewrite_any_type(r, value);
  if (type == NULL || !fits(r, type, bind->in[TN_BIND_VAR]->in[0])) {
    forget(r, first);
    return false;
  }
  if (r->n_fired != NULL) {
    ++r->n_fired[i];
  }
  ++r->n_changes;
  --r->budget;
  replace(r, bind, value, first, depth, out);
  return true;
}

static const char *root_of(const tn_node *expr) {
  return expr->op == TN_OP_CALL ? expr->attr.def->name : expr->op == TN_OP_GET ? "[]" : NULL;
}

static bool is_normal(const tn_node *expr) {
  const tn_node *list = expr->op == TN_OP_CALL ? expr->in[TN_CALL_ARGS] : expr;
  for (uint32_t i = 0; i < list->n_in; ++i) {
    if (!tn_is_atom(list->in[i]) && list->in[i]->op != TN_OP_TUPLE) {
      return false;
    }
  }
  return true;
}

/* Rules of one root lie one after another in the table. */
static bool try_root(tn_rewrite_run *r, const char *root, const tn_node *bind, int depth,
                     tn_stmts *out) {
  uint32_t first = (uint32_t)(uintptr_t)tn_strmap_find(&r->by_root, root);
  for (uint32_t i = first; i > 0 && i <= r->n_rules; ++i) {
    const char *its = r->rules[i - 1]->root;
    bool is_any = its == NULL;
    if (strcmp(is_any ? "" : its, root) == 0 && try_rule(r, i - 1, bind, depth, out)) {
      return true;
    }
  }
  return false;
}

static void visit(tn_rewrite_run *r, const tn_node *bind, int depth, tn_stmts *out) {
  const tn_node *value = resolve_all(r, bind->in[TN_BIND_VALUE]);
  if (value != bind->in[TN_BIND_VALUE]) {
    bind = tn_gbind_new(r->ir, bind->in[TN_BIND_VAR], value, bind);
  }
  const tn_node *var = bind->in[TN_BIND_VAR];
  if (value->op == TN_OP_CONST || value->op == TN_OP_GVAR) { /* another name of it */
    const tn_node *type = tn_rewrite_any_type(r, value);
    if (type != NULL && fits(r, type, var->in[0])) {
      if (value->op == TN_OP_GVAR) {
        add_uses(r, value, n_uses(r, var) - 1);
      }
      tn_map_set(&r->became, var->id, word_of(value));
      ++r->n_changes;
      return;
    }
  }
  tn_map_set(&r->defs, var->id, word_of(value));
  const char *root = root_of(value);
  bool is_open = root != NULL && depth < MAX_DEPTH && r->budget > 0 && is_normal(value) &&
                 !tn_is_none(var->in[0]);
  bool is_call = value->op == TN_OP_CALL;
  if (is_open &&
      (try_root(r, root, bind, depth, out) || (is_call && try_root(r, "", bind, depth, out)))) {
    return;
  }
  TN_VEC_PUSH(out, bind);
}

/* ---- statements ---- */

static tn_status leaf(tn_gpass *pass, const tn_node *stmt, tn_stmts *out) {
  tn_rewrite_run *r = pass->ctx;
  if (stmt->op == TN_OP_GBIND) {
    visit(r, stmt, 0, out);
    return NULL;
  }
  TN_VEC_PUSH(out, resolve_all(r, stmt));
  return NULL;
}

static void hide(tn_rewrite_run *r, const tn_node *body) {
  for (uint32_t i = 0; i < tn_body_n(body); ++i) {
    const tn_node *stmt = tn_body_at(body, i);
    if (stmt->op == TN_OP_GBIND) {
      tn_map_remove(&r->defs, stmt->in[TN_BIND_VAR]->id);
    }
  }
}

static tn_status nested(tn_gpass *pass, const tn_node *stmt, tn_stmts *out) {
  tn_rewrite_run *r = pass->ctx;
  if (stmt->op == TN_OP_DATAFLOW) {
    const tn_node *body = stmt->in[TN_DATAFLOW_BODY];
    const tn_node *in[] = {
        body, tn_dataflow_outputs(r->ir, stmt->in[TN_DATAFLOW_OUTPUTS], body, &r->became)};
    hide(r, body);
    TN_VEC_PUSH(out, tn_node_with(r->ir, stmt, in));
    return NULL;
  }
  const tn_node *in[] = {stmt->in[TN_GIF_VAR], resolve_all(r, stmt->in[TN_GIF_COND]),
                         stmt->in[TN_GIF_THEN], stmt->in[TN_GIF_ELSE]};
  TN_VEC_PUSH(out, tn_node_with(r->ir, stmt, in));
  return NULL;
}

/* ---- functions ---- */

static void n_stmts(const tn_node *n, void *ctx) {
  *(int64_t *)ctx += n->op == TN_OP_GBIND ? 1 : 0;
}

static tn_status sweep(tn_rewrite_run *r, const tn_node *func, const tn_node **out) {
  tn_gpass pass = {.ir = r->ir, .module = r->module, .leaf = leaf, .nested = nested, .ctx = r};
  const tn_node *body = NULL;
  tn_map_clear(&r->defs);
  tn_map_clear(&r->uses);
  tn_map_clear(&r->became);
  r->n_changes = 0;
  count_in(r, func->in[TN_GFUNC_BODY]);
  TN_TRY(tn_gpass_body(&pass, func->in[TN_GFUNC_BODY], &body));
  TN_TRY(tn_ir_status(r->ir));
  *out = r->n_changes == 0 ? func : tn_gfunc_with_body(r->ir, func, body);
  return NULL;
}

static tn_status one(tn_module *module, const tn_node *func, void *ctx, const tn_node **out) {
  tn_rewrite_run *r = ctx;
  int64_t n = 1;
  *out = func;
  if (!tn_gfunc_has_values(func)) {
    return NULL;
  }
  tn_walk_once(module->ir, func, n_stmts, &n);
  r->budget = n * MAX_FIRED_A_STMT;
  r->n_steps = MAX_STEPS;
  for (int i = 0; i < MAX_SWEEPS; ++i) {
    const tn_node *done = NULL;
    TN_TRY(sweep(r, func, &done));
    if (r->n_changes == 0) {
      break;
    }
    func = tn_gfunc_without_dead_code(module, done);
  }
  *out = func;
  return NULL;
}

tn_status tn_rewrite_graphs(tn_module *module, const tn_pass_opts *opts,
                            const tn_rewrite_rule *const *rules, uint32_t n, int64_t *n_fired) {
  tn_rewrite_run r = {.ir = module->ir,
                      .module = module,
                      .rules = rules,
                      .n_rules = n,
                      .n_fired = n_fired,
                      .is_strict = opts != NULL && opts->is_strict_math};
  for (uint32_t i = n; i-- > 0;) {
    tn_strmap_set(&r.by_root, rules[i]->root == NULL ? "" : rules[i]->root,
                  (void *)(uintptr_t)(i + 1));
  }
  tn_status st = tn_each_gfunc(module, &r, one);
  tn_strmap_deinit(&r.by_root);
  tn_map_deinit(&r.defs);
  tn_map_deinit(&r.uses);
  tn_map_deinit(&r.became);
  TN_VEC_DEINIT(&r.made);
  return st;
}
