/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The 128-bit hash that agrees with tn_equal(map_free = true). Leaves are numbered in the order in
 * which a walk meets them; an occurrence hashes as its number, so that a node's hash depends on
 * nothing that was met later and one value per distinct node is enough. What a leaf is (type,
 * shape) is mixed into a running hash once, when it is numbered. The variable of a Let, which may
 * stand in several places, hashes as the number of Lets nested in it: the same in each place. */
#include "ir/ir.h"

#include <string.h>

#include "base/check.h"
#include "ir/ir_priv.h"

typedef struct hash_ctx {
  tn_map index; /* node id -> index into hashes */
  TN_VEC(tn_hash128) hashes;
  tn_map let_height; /* node id -> how deep Lets nest in it */
  tn_hash128 leaves; /* facts of the leaves, in the order of their numbers */
  uint64_t n_leaves;
} hash_ctx;

static tn_hash128 hash(hash_ctx *c, const tn_node *n);

static tn_hash128 mix128(tn_hash128 seed, tn_hash128 value) {
  return tn_hash128_mix(tn_hash128_mix(seed, value.hi), value.lo);
}

static tn_hash128 hash_array(tn_hash128 seed, const tn_array *array) {
  seed = tn_hash128_mix(seed, (uint64_t)array->dtype << 32 | (uint32_t)array->ndim);
  for (int32_t i = 0; i < array->ndim; ++i) {
    seed = tn_hash128_mix(seed, (uint64_t)array->shape[i]);
  }
  return tn_hash128_bytes(seed, array->data, tn_array_n_bytes(array));
}

static tn_hash128 hash_text(tn_hash128 seed, const char *text) {
  return tn_hash128_bytes(seed, text, strlen(text));
}

static tn_hash128 hash_attr(tn_hash128 seed, const tn_node *n) {
  const tn_op_info *info = tn_op_info_get((tn_op)n->op);
  switch (info->attr) {
    case TN_ATTR_NONE:
      return seed;
    case TN_ATTR_I64:
    case TN_ATTR_F64:
      return tn_hash128_mix(seed, (uint64_t)n->attr.i64);
    case TN_ATTR_TEXT:
      return info->cls == TN_CLASS_LEAF || tn_is(n, TN_OP_GFUNC) ? seed
                                                                 : hash_text(seed, n->attr.text);
    case TN_ATTR_DEF:
      return hash_text(seed, n->attr.def->name);
    case TN_ATTR_ARRAY:
      return hash_array(seed, n->attr.array);
  }
  TN_UNREACHABLE();
}

/* The kind's name, not its number: rows may be added to nodes.def without changing any hash. */
static tn_hash128 hash_facts(hash_ctx *c, const tn_node *n) {
  tn_hash128 h = hash_text((tn_hash128){0}, tn_op_info_get((tn_op)n->op)->name);
  h = tn_hash128_mix(h, (uint64_t)n->dtype << 32 | n->n_in);
  h = hash_attr(h, n);
  for (uint32_t i = 0; i < n->n_in; ++i) {
    h = mix128(h, hash(c, n->in[i]));
  }
  return h;
}

static void remember(hash_ctx *c, const tn_node *n, tn_hash128 h) {
  tn_map_set(&c->index, n->id, c->hashes.len);
  TN_VEC_PUSH(&c->hashes, h);
}

static uint64_t let_height(hash_ctx *c, const tn_node *n) {
  uint64_t height = 0;
  if (n->n_in == 0 || tn_map_find(&c->let_height, n->id, &height)) {
    return height;
  }
  for (uint32_t i = 0; i < n->n_in; ++i) {
    uint64_t below = let_height(c, n->in[i]);
    height = below > height ? below : height;
  }
  height += tn_is(n, TN_OP_LET) ? 1 : 0;
  tn_map_set(&c->let_height, n->id, height);
  return height;
}

static tn_hash128 hash_let(hash_ctx *c, const tn_node *n) {
  const tn_node *var = n->in[TN_LET_VAR];
  remember(c, var, hash_text(tn_hash128_mix((tn_hash128){0}, let_height(c, n)), "let"));
  return tn_hash128_mix(hash_facts(c, n), var->dtype);
}

static tn_hash128 hash(hash_ctx *c, const tn_node *n) {
  uint64_t at = 0;
  if (tn_map_find(&c->index, n->id, &at)) {
    return c->hashes.data[at];
  }
  tn_hash128 h;
  if (tn_node_class(n) == TN_CLASS_LEAF && !tn_is(n, TN_OP_CONST)) {
    h = tn_hash128_mix((tn_hash128){0}, c->n_leaves++);
    remember(c, n, h);
    tn_hash128 facts = hash_facts(c, n);
    c->leaves = mix128(c->leaves, facts);
    return h;
  }
  h = tn_is(n, TN_OP_LET) ? hash_let(c, n) : hash_facts(c, n);
  remember(c, n, h);
  return h;
}

tn_hash128 tn_structural_hash(const tn_node *root) {
  hash_ctx c = {0};
  tn_hash128 h = hash(&c, root);
  h = mix128(h, c.leaves);
  tn_map_deinit(&c.index);
  tn_map_deinit(&c.let_height);
  TN_VEC_DEINIT(&c.hashes);
  return h;
}
