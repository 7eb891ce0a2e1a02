/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Loops as functions that call themselves; see bodies.h. The body is imported with the states' own
 * types; where a round changes an extent, that extent becomes a variable and the body is imported
 * anew, until a round gives what it takes. */
#include <inttypes.h>
#include <string.h>

#include "front/onnx/bodies.h"

/* A try to build the loop. */
typedef struct attempt {
  tn_onnx_loop *loop;
  const tn_node *self;
  const tn_node *i;           /* the size that counts */
  const tn_onnx_form **takes; /* of the states; open extents differ from round to round */
  const tn_node **params;     /* i, states, [cond], lists */
  const tn_node **next;       /* arguments of the call of itself, as the parameters */
  const tn_node **scans;
  uint32_t n_params;
  bool has_cond; /* the condition is one that rounds change */
} attempt;

static uint32_t cond_at(const attempt *a) { return 1 + a->loop->n_states; }
static uint32_t lists_at(const attempt *a) { return cond_at(a) + (a->has_cond ? 1 : 0); }

static void *array(tn_onnx_call *c, uint32_t n) {
  return TN_ARENA_ARRAY(c->imp->arena, const void *, n + 1);
}

/* A type with a variable for each open extent. */
static const tn_node *param_type(tn_onnx_call *c, const tn_onnx_form *form) {
  const tn_node *dims[TN_MAX_NDIM];
  if (form->kind != TN_ONNX_TENSOR) {
    return tn_ty_object(c->ir);
  }
  const tn_node *shape = form->type->in[TN_TY_TENSOR_SHAPE];
  for (uint32_t i = 0; i < shape->n_in; ++i) {
    dims[i] = tn_is_none(shape->in[i]) ? tn_onnx_new_size(c) : shape->in[i];
  }
  return tn_ty_tensor(c->ir, form->type->dtype, -1, tn_list(c->ir, shape->n_in, dims));
}

static void make_params(tn_onnx_call *c, attempt *a) {
  const tn_onnx_loop *loop = a->loop;
  const tn_node *scalar = tn_ty_tensor(c->ir, TN_DT_BOOL, 0, tn_list(c->ir, 0, NULL));
  a->i = tn_var_new(c->ir, "i", TN_DT_I64);
  a->params[0] = tn_onnx_var(c, "i", tn_ty_shape(c->ir, 1, tn_list(c->ir, 1, &a->i)));
  for (uint32_t k = 0; k < loop->n_states; ++k) {
    a->params[1 + k] = tn_onnx_var(c, "state", param_type(c, a->takes[k]));
    if (a->takes[k]->kind != TN_ONNX_TENSOR) {
      (void)tn_onnx_note_form(c, a->params[1 + k], a->takes[k]);
    }
  }
  if (a->has_cond) {
    a->params[cond_at(a)] = tn_onnx_var(c, "cond", scalar);
  }
  for (uint32_t k = 0; k < loop->n_scans; ++k) {
    a->params[lists_at(a) + k] = tn_onnx_var(c, "list", tn_ty_object(c->ir));
  }
  a->n_params = lists_at(a) + loop->n_scans;
}

static bool is_true(const tn_node *value) {
  const tn_array *constant = tn_onnx_array(value);
  return constant != NULL && tn_array_n_elems(constant) == 1 && tn_array_get_i64(constant, 0) != 0;
}

static bool is_same_form(const tn_onnx_form *a, const tn_onnx_form *b) {
  if (a == b || a == NULL || b == NULL) {
    return a == b;
  }
  return a->kind == b->kind && a->type == b->type && is_same_form(a->item, b->item);
}

/* What each state is at the begin of any round, from what it is at the begin of this one and at its
 * end. True when that is nothing new. */
static bool settle_states(tn_onnx_call *c, attempt *a, uint32_t mark) {
  bool is_settled = true;
  for (uint32_t k = 0; k < a->loop->n_states && c->st == NULL; ++k) {
    char what[48];
    (void)snprintf(what, sizeof what, "state %u of the loop", k);
    const tn_onnx_form *end = tn_onnx_form_of(c, a->next[1 + k]);
    const tn_onnx_form *now = a->takes[k];
    if (now->kind == TN_ONNX_TENSOR) { /* open extents as the variables that they are */
      now = tn_onnx_form_new(c->imp, TN_ONNX_TENSOR, a->params[1 + k]->in[0], NULL);
    }
    const tn_onnx_form *both = tn_onnx_form_join(c, now, end, mark, what);
    if (c->st == NULL && both->kind == TN_ONNX_TENSOR &&
        (both->type == NULL || both->type->attr.i64 < 0)) {
      TN_ONNX_FAIL(c, TN_UNSUPPORTED, "%s changes its number of dimensions from round to round",
                   what);
    }
    if (c->st == NULL && !is_same_form(both, a->takes[k])) {
      is_settled = false;
      a->takes[k] = both;
    }
  }
  return is_settled;
}

/* The round's statements go to the body at hand. */
static void run_round(tn_onnx_call *c, attempt *a) {
  const tn_onnx_loop *loop = a->loop;
  const tn_node *cond = a->has_cond ? a->params[cond_at(a)] : NULL;
  const tn_node *next_cond = NULL;
  const tn_node *one = tn_int(c->ir, TN_DT_I64, 1);
  const tn_node *after = tn_binary(c->ir, TN_OP_ADD, a->i, one);
  loop->round(c, loop, a->i, cond, a->params + 1, a->next + 1, a->scans, &next_cond);
  if (c->st != NULL) {
    return;
  }
  a->next[0] = tn_onnx_shape_value(c, tn_list(c->ir, 1, &after));
  if (a->has_cond) {
    a->next[cond_at(a)] = next_cond;
  }
}

/* list.insert(list, value) for all that a round gives. */
static void add_to_lists(tn_onnx_call *c, attempt *a) {
  for (uint32_t k = 0; k < a->loop->n_scans; ++k) {
    uint32_t at = lists_at(a) + k;
    a->next[at] = tn_onnx_op2(c, "list.insert", a->params[at], a->scans[k]);
  }
}

static const tn_node *gif(tn_onnx_call *c, const tn_node *var, const tn_node *cond,
                          const tn_node *then, const tn_node *otherwise) {
  const tn_node *in[] = {
      [TN_GIF_VAR] = var, [TN_GIF_COND] = cond, [TN_GIF_THEN] = then, [TN_GIF_ELSE] = otherwise};
  return tn_node_new(c->ir, TN_OP_GIF, TN_DT_NONE, (tn_attr){0}, 4, in);
}

/* The states and the lists as they are when no round follows. */
static const tn_node *stop(tn_onnx_call *c, attempt *a) {
  const tn_onnx_body body = tn_onnx_body_begin(c);
  const tn_node **values = array(c, a->n_params);
  uint32_t n = 0;
  for (uint32_t k = 1; k < a->n_params; ++k) {
    if (!a->has_cond || k != cond_at(a)) {
      values[n++] = a->params[k];
    }
  }
  return tn_onnx_body_end(c, &body, n, values);
}

static const tn_node *under(tn_onnx_call *c, attempt *a, const tn_node *cond, const tn_node *then,
                            const tn_node *ret) {
  const tn_onnx_body body = tn_onnx_body_begin(c);
  const tn_node *var = tn_onnx_var(c, "last", ret);
  tn_onnx_push(c, gif(c, var, cond, then, stop(c, a)));
  return tn_onnx_body_end(c, &body, 1, &var);
}

/* if i < limit: if cond: the round; else what there is */
static const tn_node *func_body(tn_onnx_call *c, attempt *a, const tn_node *round,
                                const tn_node *ret) {
  const tn_node *limit = a->loop->limit;
  const tn_onnx_body body = tn_onnx_body_begin(c);
  const tn_node *goes_on =
      limit == NULL ? tn_bool(c->ir, true) : tn_binary(c->ir, TN_OP_LT, a->i, limit);
  if (a->has_cond && limit != NULL) {
    round = under(c, a, a->params[cond_at(a)], round, ret);
  }
  const tn_node *last = tn_onnx_var(c, "last", ret);
  bool is_cond_alone = a->has_cond && limit == NULL;
  const tn_node *cond = is_cond_alone ? a->params[cond_at(a)] : tn_onnx_prim(c, goes_on);
  const tn_node *stmts[] = {gif(c, last, cond, round, stop(c, a)),
                            tn_node_new(c->ir, TN_OP_RETURN, TN_DT_NONE, (tn_attr){0}, 1, &last)};
  tn_onnx_body_drop(c, &body);
  return tn_seq(c->ir, 2, stmts);
}

static const tn_node *result_type(tn_onnx_call *c, const attempt *a) {
  uint32_t n = a->loop->n_states + a->loop->n_scans;
  const tn_node **types = array(c, n);
  for (uint32_t k = 0; k < n; ++k) {
    types[k] = k < a->loop->n_states ? tn_onnx_form_type(c, a->takes[k]) : tn_ty_object(c->ir);
  }
  return n == 1 ? types[0] : tn_ty_tuple(c->ir, n, types);
}

static void take_forms(tn_onnx_call *c, attempt *a, uint32_t mark) {
  for (uint32_t k = 0; k < a->loop->n_scans && c->st == NULL; ++k) {
    const tn_onnx_form *form = tn_onnx_form_of(c, a->scans[k]);
    a->loop->forms[k] = tn_onnx_form_join(c, form, form, mark, "an output of the loop");
  }
}

/* The first call; its results become those of the loop. */
static void call_loop(tn_onnx_call *c, attempt *a, const tn_node *body) {
  tn_onnx_loop *loop = a->loop;
  const tn_node **args = array(c, a->n_params);
  const tn_node *zero = tn_int(c->ir, TN_DT_I64, 0);
  args[0] = tn_onnx_shape_value(c, tn_list(c->ir, 1, &zero));
  for (uint32_t k = 0; k < loop->n_states; ++k) {
    args[1 + k] = loop->states[k];
  }
  if (a->has_cond) {
    args[cond_at(a)] = loop->cond;
  }
  for (uint32_t k = 0; k < loop->n_scans; ++k) {
    tn_onnx_build b = tn_onnx_begin(c, "list.make");
    args[lists_at(a) + k] = tn_onnx_end(&b, 0, NULL);
  }
  const tn_node *all =
      tn_onnx_call_made(c, a->self, a->n_params, a->params, body, a->n_params, args);
  uint32_t n = loop->n_states + loop->n_scans;
  for (uint32_t k = 0; k < n && c->st == NULL; ++k) {
    const tn_node *item = n == 1 ? all : tn_onnx_item(c, all, k);
    if (k >= loop->n_states) {
      loop->lists[k - loop->n_states] = item;
    } else if (tn_onnx_form_type(c, a->takes[k]) == a->takes[k]->type) {
      loop->states[k] = item;
    } else {
      loop->states[k] = tn_onnx_claim(c, item, a->takes[k]);
    }
  }
}

/* False: what the states or the condition are has become clearer; it has to be tried anew. */
static bool try_loop(tn_onnx_call *c, attempt *a) {
  tn_onnx_loop *loop = a->loop;
  const tn_onnx_body body = tn_onnx_body_begin(c);
  make_params(c, a);
  run_round(c, a);
  bool is_settled = settle_states(c, a, body.mark);
  if (c->st == NULL && a->has_cond && is_true(loop->cond)) {
    const tn_node *next = a->next[cond_at(a)];
    bool changes = !is_true(next) && next != a->params[cond_at(a)];
    a->has_cond = changes;
    is_settled = is_settled && changes;
  }
  if (c->st != NULL || !is_settled) {
    tn_onnx_body_drop(c, &body);
    return c->st != NULL;
  }
  add_to_lists(c, a);
  take_forms(c, a, body.mark);
  const tn_node *ret = result_type(c, a);
  const tn_node **types = array(c, a->n_params);
  for (uint32_t k = 0; k < a->n_params; ++k) {
    types[k] = a->params[k]->in[0];
  }
  a->self =
      tn_onnx_var(c, loop->name, tn_ty_func(c->ir, tn_list(c->ir, a->n_params, types), ret, true));
  const tn_node *again = tn_onnx_var(c, "again", ret);
  if (c->st != NULL) {
    tn_onnx_body_drop(c, &body);
    return true;
  }
  const tn_node *invoke[] = {a->self, tn_list(c->ir, a->n_params, a->next), tn_none(c->ir)};
  const tn_node *bind[] = {again,
                           tn_node_new(c->ir, TN_OP_INVOKE, TN_DT_NONE, (tn_attr){0}, 3, invoke)};
  tn_onnx_push(c, tn_node_new(c->ir, TN_OP_GBIND, TN_DT_NONE, (tn_attr){0}, 2, bind));
  const tn_node *round = tn_onnx_body_end(c, &body, 1, &again);
  call_loop(c, a, func_body(c, a, round, ret));
  return true;
}

/* A loop within loops is imported as often as they are: this many rounds are enough for any model. */
enum { MAX_TRIES = 20000 };

void tn_onnx_run_loop(tn_onnx_call *c, tn_onnx_loop *loop) {
  uint32_t n_most = 2 + loop->n_states + loop->n_scans;
  attempt a = {.loop = loop, .has_cond = loop->cond != NULL};
  bool is_done = c->st != NULL || n_most == 2;
  a.takes = array(c, n_most);
  a.params = array(c, n_most);
  a.next = array(c, n_most);
  a.scans = array(c, n_most);
  for (uint32_t k = 0; k < loop->n_states && c->st == NULL; ++k) {
    a.takes[k] = tn_onnx_form_of(c, loop->states[k]);
  }
  while (!is_done && c->st == NULL) {
    if (++c->imp->n_tries > MAX_TRIES) {
      TN_ONNX_FAIL(c, TN_UNSUPPORTED, "loops within loops that change what they carry too often");
      return;
    }
    is_done = try_loop(c, &a);
  }
}

const tn_node *tn_onnx_stacked(tn_onnx_call *c, const tn_node *list, const tn_onnx_form *form,
                               int64_t axis, const tn_node *n_items) {
  const tn_node *dims[TN_MAX_NDIM];
  const tn_node *zeros[TN_MAX_NDIM];
  if (c->st != NULL || form == NULL || form->kind != TN_ONNX_TENSOR || form->type == NULL ||
      form->type->attr.i64 < 0 || form->type->attr.i64 >= TN_MAX_NDIM) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "an output of a loop whose rank is not known or too large");
    return NULL;
  }
  uint32_t n = (uint32_t)form->type->attr.i64;
  int32_t at = tn_onnx_axis(c, axis, (int32_t)n + 1);
  const tn_node *item = form->type->in[TN_TY_TENSOR_SHAPE];
  for (uint32_t i = 0; i < n; ++i) {
    zeros[i] = tn_is_none(item->in[i]) ? tn_int(c->ir, TN_DT_I64, 0) : item->in[i];
  }
  for (uint32_t i = 0; i <= n; ++i) {
    bool is_axis = i == (uint32_t)at;
    dims[i] = is_axis ? (n_items == NULL ? tn_none(c->ir) : n_items)
                      : item->in[i > (uint32_t)at ? i - 1 : i];
  }
  tn_attr dtype = {.i64 = form->type->dtype};
  const tn_node *args[] = {list, tn_onnx_prim(c, tn_int(c->ir, TN_DT_I64, at)),
                           tn_onnx_prim(c, tn_int(c->ir, TN_DT_I64, 1)),
                           tn_node_new(c->ir, TN_OP_DTYPE, TN_DT_NONE, dtype, 0, NULL),
                           tn_onnx_shape_value(c, tn_list(c->ir, n, zeros))};
  tn_onnx_build b = tn_onnx_begin(c, "list.concat");
  const tn_node *all = tn_onnx_end(&b, 5, args);
  const tn_node *type = tn_ty_tensor(c->ir, form->type->dtype, -1, tn_list(c->ir, n + 1, dims));
  return tn_onnx_claim(c, all, tn_onnx_form_new(c->imp, TN_ONNX_TENSOR, type, NULL));
}
