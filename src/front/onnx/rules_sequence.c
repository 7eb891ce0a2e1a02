/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Sequences and optionals. A sequence is a list of the graph level (R.list.*), an optional the value
 * itself or the absent object; what ONNX knows of them stands in forms (bodies.h). */
#include <inttypes.h>
#include <stdio.h>

#include "front/onnx/bodies.h"
#include "front/onnx/known.h"
#include "front/onnx/rules.h"

static const tn_onnx_form *sequence_form(tn_onnx_call *c, const tn_onnx_form *item) {
  return tn_onnx_form_new(c->imp, TN_ONNX_SEQUENCE, NULL, item);
}

static const tn_node *list_op(tn_onnx_call *c, const char *op, uint32_t n,
                              const tn_node *const *args, const tn_onnx_form *form) {
  tn_onnx_build b = tn_onnx_begin(c, op);
  const tn_node *value = tn_onnx_end(&b, n, args);
  return form == NULL ? value : tn_onnx_note_form(c, value, form);
}

/* ---- sequences ---- */

void tn_onnx_rule_sequence_empty(tn_onnx_call *c) {
  tn_dtype dtype = TN_DT_F32;
  if (tn_onnx_attr_find(c, "dtype") != NULL) {
    tn_onnx_fail(c, tn_onnx_dtype(tn_onnx_attr_int(c, "dtype", 1), &dtype));
  }
  const tn_onnx_form *item = tn_onnx_form_new(c->imp, TN_ONNX_TENSOR, NULL, NULL);
  tn_onnx_give(c, 0, list_op(c, "list.make", 0, NULL, sequence_form(c, item)));
}

void tn_onnx_rule_sequence_construct(tn_onnx_call *c) {
  const tn_onnx_form *item = NULL;
  for (uint32_t i = 0; i < c->n_in; ++i) {
    item = tn_onnx_form_join(c, item, tn_onnx_form_of(c, tn_onnx_in(c, i)), UINT32_MAX,
                             "the item of the sequence");
  }
  if (c->st == NULL) {
    tn_onnx_give(c, 0, list_op(c, "list.make", c->n_in, c->in, sequence_form(c, item)));
  }
}

void tn_onnx_rule_sequence_insert(tn_onnx_call *c) {
  const tn_node *args[] = {tn_onnx_in(c, 0), tn_onnx_in(c, 1), tn_onnx_maybe(c, 2)};
  const tn_onnx_form *form = tn_onnx_sequence_of(c, args[0]);
  const tn_onnx_form *item = tn_onnx_form_of(c, args[1]);
  if (c->st == NULL) {
    item = tn_onnx_form_join(c, form->item, item, UINT32_MAX, "the item of the sequence");
    tn_onnx_give(c, 0,
                 list_op(c, "list.insert", args[2] == NULL ? 2 : 3, args, sequence_form(c, item)));
  }
}

void tn_onnx_rule_sequence_erase(tn_onnx_call *c) {
  const tn_node *args[] = {tn_onnx_in(c, 0), tn_onnx_maybe(c, 1)};
  const tn_onnx_form *form = tn_onnx_sequence_of(c, args[0]);
  tn_onnx_give(c, 0, list_op(c, "list.erase", args[1] == NULL ? 1 : 2, args, form));
}

/* The model may say more of the result than we know, and less. */
static const tn_onnx_form *better(tn_onnx_call *c, const tn_onnx_form *form) {
  bool is_open = form == NULL ||
                 (form->kind == TN_ONNX_TENSOR && (form->type == NULL || form->type->attr.i64 < 0));
  const tn_onnx_form *declared = is_open ? tn_onnx_declared(c) : NULL;
  return declared != NULL ? declared : form;
}

static const tn_node *item_at(tn_onnx_call *c, const tn_node *list, const tn_node *at,
                              const tn_onnx_form *form) {
  const tn_node *args[] = {list, at};
  if (form == NULL) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "what the sequence holds is known only at run time");
    return NULL;
  }
  return tn_onnx_claim(c, list_op(c, "list.at", 2, args, NULL), form);
}

void tn_onnx_rule_sequence_at(tn_onnx_call *c) {
  const tn_onnx_form *form = tn_onnx_sequence_of(c, tn_onnx_in(c, 0));
  if (form != NULL) {
    tn_onnx_give(c, 0, item_at(c, c->in[0], tn_onnx_in(c, 1), better(c, form->item)));
  }
}

static const tn_node *length_of(tn_onnx_call *c, const tn_node *list) {
  return list_op(c, "list.length", 1, &list, NULL);
}

void tn_onnx_rule_sequence_length(tn_onnx_call *c) {
  if (tn_onnx_sequence_of(c, tn_onnx_in(c, 0)) != NULL) {
    tn_onnx_give(c, 0, length_of(c, c->in[0]));
  }
}

void tn_onnx_rule_concat_from_sequence(tn_onnx_call *c) {
  const tn_onnx_form *form = tn_onnx_sequence_of(c, tn_onnx_in(c, 0));
  bool is_new = tn_onnx_attr_int(c, "new_axis", 0) != 0;
  const tn_node *dims[TN_MAX_NDIM];
  const tn_node *zeros[TN_MAX_NDIM];
  if (tn_onnx_attr_find(c, "axis") == NULL) {
    TN_ONNX_FAIL(c, TN_INVALID, "the attribute 'axis' is missing");
  }
  const tn_onnx_form *item = form == NULL ? NULL : form->item;
  if (c->st != NULL || item == NULL || item->type == NULL || item->type->attr.i64 < 0 ||
      item->type->attr.i64 >= TN_MAX_NDIM) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "a sequence of tensors whose rank is known only at run time");
    return;
  }
  int64_t axis = tn_onnx_attr_int(c, "axis", 0);
  if (is_new) {
    tn_onnx_give(c, 0, tn_onnx_stacked(c, c->in[0], item, axis, NULL));
    return;
  }
  const tn_node *shape = item->type->in[TN_TY_TENSOR_SHAPE];
  int32_t at = tn_onnx_axis(c, axis, (int32_t)shape->n_in);
  for (uint32_t i = 0; i < shape->n_in; ++i) {
    zeros[i] = tn_is_none(shape->in[i]) ? tn_int(c->ir, TN_DT_I64, 0) : shape->in[i];
    dims[i] = i == (uint32_t)at ? tn_none(c->ir) : shape->in[i];
  }
  tn_attr dtype = {.i64 = item->type->dtype};
  const tn_node *args[] = {c->in[0], tn_onnx_prim(c, tn_int(c->ir, TN_DT_I64, at)),
                           tn_onnx_prim(c, tn_int(c->ir, TN_DT_I64, 0)),
                           tn_node_new(c->ir, TN_OP_DTYPE, TN_DT_NONE, dtype, 0, NULL),
                           tn_onnx_shape_value(c, tn_list(c->ir, shape->n_in, zeros))};
  const tn_node *type =
      tn_ty_tensor(c->ir, item->type->dtype, -1, tn_list(c->ir, shape->n_in, dims));
  tn_onnx_give(c, 0,
               tn_onnx_claim(c, list_op(c, "list.concat", 5, args, NULL),
                             tn_onnx_form_new(c->imp, TN_ONNX_TENSOR, type, NULL)));
}

void tn_onnx_rule_split_to_sequence(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_node *sizes = tn_onnx_maybe(c, 1);
  const tn_node *dims = tn_onnx_dims(c, x);
  const tn_node *out[TN_MAX_NDIM];
  bool keeps = sizes != NULL || tn_onnx_attr_int(c, "keepdims", 1) != 0;
  int32_t axis = tn_onnx_axis(c, tn_onnx_attr_int(c, "axis", 0), tn_onnx_ndim(c, x));
  uint32_t n = 0;
  if (dims == NULL || c->st != NULL) {
    return;
  }
  for (uint32_t i = 0; i < dims->n_in; ++i) {
    bool is_axis = i == (uint32_t)axis;
    if (!is_axis || keeps) {
      const tn_node *part = sizes == NULL ? tn_int(c->ir, TN_DT_I64, 1) : tn_none(c->ir);
      out[n++] = is_axis ? part : dims->in[i];
    }
  }
  const tn_node *type = tn_ty_tensor(c->ir, tn_onnx_type_of(c, x), -1, tn_list(c->ir, n, out));
  const tn_onnx_form *item = tn_onnx_form_new(c->imp, TN_ONNX_TENSOR, type, NULL);
  const tn_node *lengths = NULL;
  if (sizes == NULL) {
    tn_onnx_build none = tn_onnx_begin(c, "null_value");
    lengths = tn_onnx_end(&none, 0, NULL);
  } else {
    lengths = tn_onnx_cast(c, sizes, TN_DT_I64);
  }
  const tn_node *args[] = {x, lengths, tn_onnx_prim(c, tn_int(c->ir, TN_DT_I64, axis)),
                           tn_onnx_prim(c, tn_int(c->ir, TN_DT_I64, keeps ? 1 : 0))};
  tn_onnx_give(c, 0, list_op(c, "list.split", 4, args, sequence_form(c, item)));
}

/* ---- SequenceMap ---- */

typedef struct mapping {
  const tn_onnx_graph *graph;
} mapping;

static void map_round(tn_onnx_call *c, const tn_onnx_loop *loop, const tn_node *i,
                      const tn_node *cond, const tn_node *const *states, const tn_node **next,
                      const tn_node **scans, const tn_node **next_cond) {
  const mapping *m = loop->ctx;
  const tn_node **in = TN_ARENA_ARRAY(c->imp->arena, const tn_node *, c->n_in + 1);
  (void)cond;
  (void)states;
  (void)next;
  *next_cond = NULL;
  for (uint32_t k = 0; k < c->n_in && c->st == NULL; ++k) {
    const tn_onnx_form *form = tn_onnx_form_of(c, tn_onnx_in(c, k));
    bool is_list = form != NULL && form->kind == TN_ONNX_SEQUENCE;
    in[k] = is_list ? item_at(c, c->in[k], tn_onnx_prim(c, i), form->item) : c->in[k];
  }
  tn_onnx_run_graph(c, m->graph, c->n_in, in, scans);
}

void tn_onnx_rule_sequence_map(tn_onnx_call *c) {
  mapping m = {.graph = tn_onnx_graph_attr(c, "body", c->n_in, c->n_out)};
  tn_onnx_loop loop = {.name = "map", .round = map_round, .ctx = &m, .n_scans = c->n_out};
  if (tn_onnx_sequence_of(c, tn_onnx_in(c, 0)) == NULL || m.graph == NULL) {
    return;
  }
  loop.limit = tn_onnx_count(c, length_of(c, c->in[0]));
  loop.lists = TN_ARENA_ARRAY(c->imp->arena, const tn_node *, c->n_out + 1);
  loop.forms = TN_ARENA_ARRAY(c->imp->arena, const tn_onnx_form *, c->n_out + 1);
  tn_onnx_run_loop(c, &loop);
  for (uint32_t k = 0; k < c->n_out && c->st == NULL; ++k) {
    tn_onnx_give(c, k, tn_onnx_note_form(c, loop.lists[k], sequence_form(c, loop.forms[k])));
  }
}

/* ---- optionals ---- */

void tn_onnx_rule_optional(tn_onnx_call *c) {
  const tn_onnx_form *item = NULL;
  if (tn_onnx_maybe(c, 0) != NULL) { /* the value itself, under another name */
    tn_onnx_build b = tn_onnx_begin(c, "list.make");
    const tn_node *list = tn_onnx_end1(&b, c->in[0]);
    const tn_node *at[] = {list, tn_onnx_prim(c, tn_int(c->ir, TN_DT_I64, 0))};
    item = tn_onnx_form_of(c, c->in[0]);
    tn_onnx_give(
        c, 0, list_op(c, "list.at", 2, at, tn_onnx_form_new(c->imp, TN_ONNX_OPTIONAL, NULL, item)));
    return;
  }
  const tn_onnx_attr *attr = tn_onnx_attr_find(c, "type");
  if (attr != NULL && attr->tp != NULL) {
    tn_onnx_fail(c, tn_onnx_form_read(c->imp, attr->tp, &item));
  }
  tn_onnx_give(
      c, 0,
      list_op(c, "null_value", 0, NULL, tn_onnx_form_new(c->imp, TN_ONNX_OPTIONAL, NULL, item)));
}

void tn_onnx_rule_optional_get(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_in(c, 0);
  const tn_onnx_form *form = tn_onnx_form_of(c, x);
  if (form == NULL) {
    return;
  }
  if (form->kind != TN_ONNX_OPTIONAL) {
    tn_onnx_give(c, 0, x);
    return;
  }
  const tn_onnx_form *item = better(c, form->item);
  if (item == NULL) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "what the optional holds is known only at run time");
    return;
  }
  if (item->kind == TN_ONNX_TENSOR) {
    tn_onnx_give(c, 0, tn_onnx_claim(c, x, item));
    return;
  }
  tn_onnx_build b = tn_onnx_begin(c, "list.make"); /* a name with a form of its own */
  const tn_node *at[] = {tn_onnx_end1(&b, x), tn_onnx_prim(c, tn_int(c->ir, TN_DT_I64, 0))};
  tn_onnx_give(c, 0, list_op(c, "list.at", 2, at, item));
}

static const tn_node *bool_scalar(tn_onnx_call *c, bool value) {
  return tn_onnx_scalar(c, TN_DT_BOOL, value ? 1 : 0);
}

void tn_onnx_rule_optional_has(tn_onnx_call *c) {
  const tn_node *x = tn_onnx_maybe(c, 0);
  const tn_onnx_form *form = x == NULL ? NULL : tn_onnx_form_of(c, x);
  if (form == NULL || form->kind != TN_ONNX_OPTIONAL) {
    tn_onnx_give(c, 0, c->st != NULL ? NULL : bool_scalar(c, x != NULL));
    return;
  }
  tn_onnx_give(c, 0, tn_onnx_op1(c, "logical_not", tn_onnx_op1(c, "is_null", x)));
}
