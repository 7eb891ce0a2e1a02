/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The short constructors over tn_node_new, and small questions about nodes. */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "ir/ir.h"
#include "ir/ir_priv.h"

static const tn_attr no_attr = {0};

void tn_children_init(tn_children *children, uint32_t n) {
  children->in = children->few;
  if (n > TN_FEW) {
    children->in = malloc(n * sizeof *children->in);
    TN_CHECK(children->in != NULL, "out of memory: %u children", n);
  }
}

void tn_children_deinit(tn_children *children) {
  if (children->in != children->few) {
    free(children->in);
  }
}

const tn_node *tn_node_copy(tn_ir *ir, const tn_node *n, uint32_t n_in, const tn_node *const *in) {
  const tn_node *made = tn_node_new(ir, (tn_op)n->op, n->dtype, n->attr, n_in, in);
  if (!tn_is_interned(made)) {
    tn_ir_set_pos(ir, made, tn_ir_pos(ir, n));
  }
  return made;
}

const tn_node *tn_node_with(tn_ir *ir, const tn_node *n, const tn_node *const *in) {
  return tn_node_with_n(ir, n, n->n_in, in);
}

const tn_node *tn_with_child(tn_ir *ir, const tn_node *n, uint32_t slot, const tn_node *child) {
  TN_VEC(const tn_node *) in = {0};
  for (uint32_t i = 0; i < n->n_in; ++i) {
    TN_VEC_PUSH(&in, i == slot ? child : n->in[i]);
  }
  const tn_node *out = tn_node_with(ir, n, in.data);
  TN_VEC_DEINIT(&in);
  return out;
}

const tn_node *tn_node_with_n(tn_ir *ir, const tn_node *n, uint32_t n_in,
                              const tn_node *const *in) {
  if (n_in == n->n_in && (n_in == 0 || memcmp(in, n->in, n_in * sizeof(*in)) == 0)) {
    return n;
  }
  return tn_node_copy(ir, n, n_in, in);
}

static const tn_node *broadcast(tn_ir *ir, tn_dtype dtype, const tn_node *value) {
  if (tn_dtype_lanes(dtype) == 1) {
    return value;
  }
  return tn_node_new(ir, TN_OP_BROADCAST, dtype, no_attr, 1, &value);
}

const tn_node *tn_int(tn_ir *ir, tn_dtype dtype, int64_t value) {
  tn_attr attr = {.i64 = value};
  return broadcast(ir, dtype, tn_node_new(ir, TN_OP_INT, tn_dtype_elem(dtype), attr, 0, NULL));
}

const tn_node *tn_float(tn_ir *ir, tn_dtype dtype, double value) {
  tn_attr attr = {.f64 = value};
  return broadcast(ir, dtype, tn_node_new(ir, TN_OP_FLOAT, tn_dtype_elem(dtype), attr, 0, NULL));
}

const tn_node *tn_bool(tn_ir *ir, bool value) { return tn_int(ir, TN_DT_BOOL, value); }

const tn_node *tn_str(tn_ir *ir, const char *text) {
  return tn_node_new(ir, TN_OP_STR, TN_DT_HANDLE, (tn_attr){.text = text}, 0, NULL);
}

const tn_node *tn_var_new(tn_ir *ir, const char *name, tn_dtype dtype) {
  return tn_node_new(ir, TN_OP_VAR, dtype, (tn_attr){.text = name}, 0, NULL);
}

const tn_node *tn_label_new(tn_ir *ir, const char *name) {
  return tn_node_new(ir, TN_OP_LABEL, TN_DT_NONE, (tn_attr){.text = name}, 0, NULL);
}

const tn_node *tn_list(tn_ir *ir, uint32_t n, const tn_node *const *items) {
  return tn_node_new(ir, TN_OP_LIST, TN_DT_NONE, no_attr, n, items);
}

const tn_node *tn_binary(tn_ir *ir, tn_op op, const tn_node *a, const tn_node *b) {
  TN_ASSERT(a->dtype == b->dtype, "%s of types %#x and %#x", tn_op_info_get(op)->name, a->dtype,
            b->dtype);
  bool is_test = op >= TN_OP_EQ && op <= TN_OP_OR;
  tn_dtype dtype = is_test ? tn_dtype_with_lanes(TN_DT_BOOL, tn_dtype_lanes(a->dtype)) : a->dtype;
  const tn_node *in[] = {[TN_A] = a, [TN_B] = b};
  return tn_node_new(ir, op, dtype, no_attr, 2, in);
}

/* Statements of `n` after flattening; out may be NULL to count only. SEQs never hold SEQs. */
static uint32_t flatten(uint32_t n, const tn_node *const *stmts, const tn_node **out) {
  uint32_t len = 0;
  for (uint32_t i = 0; i < n; ++i) {
    bool is_seq = tn_is(stmts[i], TN_OP_SEQ);
    uint32_t n_items = is_seq ? stmts[i]->n_in : tn_is_none(stmts[i]) ? 0 : 1;
    const tn_node *const *items = is_seq ? stmts[i]->in : &stmts[i];
    for (uint32_t k = 0; k < n_items && out != NULL; ++k) {
      out[len + k] = items[k];
    }
    len += n_items;
  }
  return len;
}

const tn_node *tn_seq(tn_ir *ir, uint32_t n, const tn_node *const *stmts) {
  uint32_t len = flatten(n, stmts, NULL);
  if (n == 1 && tn_is(stmts[0], TN_OP_SEQ) && len != 1) {
    return stmts[0];
  }
  tn_children flat;
  tn_children_init(&flat, len);
  flatten(n, stmts, flat.in);
  const tn_node *seq =
      len == 1 ? flat.in[0] : tn_node_new(ir, TN_OP_SEQ, TN_DT_NONE, no_attr, len, flat.in);
  tn_children_deinit(&flat);
  return seq;
}

bool tn_is_int(const tn_node *n, int64_t value) {
  if (tn_is(n, TN_OP_BROADCAST)) {
    n = n->in[0];
  }
  return tn_is(n, TN_OP_INT) && n->attr.i64 == value;
}

/* The slot of the key, or the end of the dict. */
static uint32_t dict_slot(const tn_node *dict, const char *key) {
  uint32_t n = tn_is(dict, TN_OP_DICT) ? dict->n_in : 0;
  for (uint32_t i = 0; i + 1 < n; i += 2) {
    if (tn_is(dict->in[i], TN_OP_STR) && strcmp(dict->in[i]->attr.text, key) == 0) {
      return i;
    }
  }
  return n;
}

const tn_node *tn_dict_find(const tn_node *dict, const char *key) {
  uint32_t at = dict_slot(dict, key);
  return tn_is(dict, TN_OP_DICT) && at < dict->n_in ? dict->in[at + 1] : NULL;
}

const tn_node *tn_dict_set(tn_ir *ir, const tn_node *dict, const char *key, const tn_node *value) {
  uint32_t n = tn_is(dict, TN_OP_DICT) ? dict->n_in : 0;
  uint32_t at = dict_slot(dict, key);
  tn_children items;
  tn_children_init(&items, n + 2);
  for (uint32_t i = 0; i < n; ++i) {
    items.in[i] = dict->in[i];
  }
  items.in[at] = tn_str(ir, key);
  items.in[at + 1] = value;
  uint32_t n_items = at == n ? n + 2 : n;
  const tn_node *made = tn_node_new(ir, TN_OP_DICT, TN_DT_NONE, no_attr, n_items, items.in);
  tn_children_deinit(&items);
  return made;
}
