/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What a question is, as a hash: its structure with variables numbered as they are met, so that
 * the same question about other loops is the same question. Also finds which assumptions belong to
 * it: those that share symbols with it, and so on. */
#include <string.h>

#include "arith/sets_priv.h"

void tn_key_init(tn_key *key, const tn_sets *sets, uint64_t kind) {
  *key = (tn_key){.sets = sets};
  key->hash = tn_hash128_mix((tn_hash128){0x746e73657473, kind}, kind);
}

void tn_key_deinit(tn_key *key) {
  tn_map_deinit(&key->leaves);
  tn_map_deinit(&key->nodes);
  tn_map_deinit(&key->bound);
  tn_map_deinit(&key->symbol_at);
  TN_VEC_DEINIT(&key->symbols);
  TN_VEC_DEINIT(&key->assumed);
}

void tn_key_number(tn_key *key, uint64_t value) { key->hash = tn_hash128_mix(key->hash, value); }

static uint64_t attr_hash(const tn_node *n) {
  switch (tn_op_info_get((tn_op)n->op)->attr) {
    case TN_ATTR_NONE:
    case TN_ATTR_ARRAY:
      return 0;
    case TN_ATTR_I64:
    case TN_ATTR_F64:
      return (uint64_t)n->attr.i64;
    case TN_ATTR_TEXT:
      return tn_hash_bytes(0, n->attr.text, strlen(n->attr.text));
    case TN_ATTR_DEF:
      return tn_hash_bytes(0, n->attr.def->name, strlen(n->attr.def->name));
  }
  return 0;
}

static void add_leaf(tn_key *key, const tn_node *n) {
  uint64_t number = 0;
  if (!tn_map_find(&key->leaves, n->id, &number)) {
    number = key->leaves.len;
    tn_map_set(&key->leaves, n->id, number);
  }
  tn_key_number(key, (uint64_t)n->op << 32 | n->dtype);
  tn_key_number(key, number);
  if (tn_is(n, TN_OP_VAR) && !tn_map_find(&key->bound, n->id, NULL) &&
      !tn_map_find(&key->symbol_at, n->id, NULL)) {
    tn_map_set(&key->symbol_at, n->id, key->symbols.len);
    TN_VEC_PUSH(&key->symbols, n);
  }
}

void tn_key_expr(tn_key *key, const tn_node *n) {
  uint64_t number = 0;
  if (tn_op_info_get((tn_op)n->op)->cls == TN_CLASS_LEAF) {
    add_leaf(key, n);
    return;
  }
  if (n->n_in > 0 && tn_map_find(&key->nodes, n->id, &number)) {
    tn_key_number(key, number);
    return;
  }
  tn_key_number(key, (uint64_t)n->op << 32 | n->dtype);
  tn_key_number(key, attr_hash(n));
  tn_key_number(key, n->n_in);
  for (uint32_t i = 0; i < n->n_in; ++i) {
    tn_key_expr(key, n->in[i]);
  }
  if (n->n_in > 0) {
    tn_map_set(&key->nodes, n->id, ~(uint64_t)key->nodes.len);
  }
}

void tn_key_exprs(tn_key *key, uint32_t n, const tn_node *const *exprs) {
  tn_key_number(key, exprs == NULL ? UINT64_MAX : n);
  for (uint32_t i = 0; exprs != NULL && i < n; ++i) {
    tn_key_expr(key, exprs[i]);
  }
}

void tn_key_domain(tn_key *key, const tn_domain *domain) {
  tn_map_clear(&key->bound);
  tn_map_clear(&key->nodes);
  tn_key_number(key, domain->n);
  for (uint32_t i = 0; i < domain->n; ++i) { /* a bound may use earlier variables only */
    if (domain->mins != NULL) {
      tn_key_expr(key, domain->mins[i]);
    }
    tn_key_expr(key, domain->extents[i]);
    tn_map_set(&key->bound, domain->vars[i]->id, 1);
    tn_map_clear(&key->nodes);
    add_leaf(key, domain->vars[i]);
  }
  tn_key_number(key, domain->mins != NULL);
  tn_key_exprs(key, 1, domain->cond == NULL ? NULL : &domain->cond);
}

void tn_key_footprint(tn_key *key, const tn_footprint *f) {
  tn_key_domain(key, &f->domain);
  tn_key_exprs(key, f->access.n_dims, f->access.mins);
  tn_key_exprs(key, f->access.n_dims, f->access.extents);
}

static tn_visit uses_symbol(const tn_node *n, void *ctx) {
  const tn_key *key = ctx;
  return tn_map_find(&key->symbol_at, n->id, NULL) ? TN_STOP : TN_DESCEND;
}

void tn_key_finish(tn_key *key) {
  const tn_sets *sets = key->sets;
  tn_map taken = {0};
  bool has_changed = true;
  tn_map_clear(&key->bound);
  tn_map_clear(&key->nodes);
  while (has_changed) {
    has_changed = false;
    for (size_t i = 0; i < sets->assumed.len; ++i) {
      const tn_node *cond = sets->assumed.data[i];
      if (!tn_map_find(&taken, i, NULL) && !tn_walk_distinct(cond, uses_symbol, key)) {
        tn_map_set(&taken, i, 1);
        TN_VEC_PUSH(&key->assumed, cond);
        tn_key_expr(key, cond);
        has_changed = true;
      }
    }
  }
  tn_map_deinit(&taken);
}
