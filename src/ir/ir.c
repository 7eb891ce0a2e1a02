/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* tn_ir: owns nodes, texts, constants and source positions. Interning is one open-addressing table
 * of node pointers; a child tn_ir asks the tables of its parents too, but only for keys that can be
 * there (all children of the node older than the child tn_ir itself). */
#include "ir/ir.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "ir/ir_priv.h"

/* A text with its hash before it, so that a node's key costs no second pass over the bytes. */
typedef struct tn_text {
  uint32_t hash;
  uint32_t len;
  char bytes[];
} tn_text;

typedef struct tn_source {
  const char *name;
  const char *text;
  size_t len;
} tn_source;

struct tn_ir {
  tn_arena arena;
  tn_ir *parent; /* borrowed, frozen while this lives; or NULL */
  _Atomic int32_t n_children;
  uint32_t first_id; /* smaller ids are the parents' */
  uint32_t next_id;
  bool is_exhausted;     /* sticky, see tn_ir_set_exhausted */
  const tn_node **nodes; /* intern table; owned */
  size_t nodes_cap;      /* a power of two, or 0 */
  size_t n_nodes;
  const tn_text **texts; /* the same for texts; owned */
  size_t texts_cap;
  size_t n_texts;
  TN_VEC(tn_array *) arrays; /* in the arena; their data is owned */
  TN_VEC(tn_source) sources;
  uint32_t n_parent_sources;
  TN_VEC(uint32_t) pos_at; /* id - first_id -> 1 + index into poses, 0: none */
  TN_VEC(tn_pos) poses;
  const tn_node *none;
};

tn_ir *tn_ir_new(size_t limit_bytes) {
  tn_ir *ir = calloc(1, sizeof *ir);
  TN_CHECK(ir != NULL, "out of memory: tn_ir");
  tn_arena_init(&ir->arena, limit_bytes);
  ir->none = tn_node_new(ir, TN_OP_NONE, TN_DT_NONE, (tn_attr){0}, 0, NULL);
  return ir;
}

tn_ir *tn_ir_new_child(tn_ir *parent, size_t limit_bytes) {
  tn_ir *ir = calloc(1, sizeof *ir);
  TN_CHECK(ir != NULL, "out of memory: tn_ir");
  atomic_fetch_add(&parent->n_children, 1);
  tn_arena_init(&ir->arena, limit_bytes);
  ir->parent = parent;
  ir->first_id = parent->next_id;
  ir->next_id = parent->next_id;
  ir->n_parent_sources = parent->n_parent_sources + (uint32_t)parent->sources.len;
  ir->none = parent->none;
  return ir;
}

void tn_ir_free(tn_ir *ir) {
  if (ir == NULL) {
    return;
  }
  TN_CHECK(atomic_load(&ir->n_children) == 0, "tn_ir freed before its children");
  for (size_t i = 0; i < ir->arrays.len; ++i) {
    tn_array_deinit(ir->arrays.data[i]);
  }
  TN_VEC_DEINIT(&ir->arrays);
  TN_VEC_DEINIT(&ir->sources);
  TN_VEC_DEINIT(&ir->poses);
  TN_VEC_DEINIT(&ir->pos_at);
  free(ir->nodes);
  free(ir->texts);
  tn_arena_deinit(&ir->arena);
  if (ir->parent != NULL) {
    atomic_fetch_sub(&ir->parent->n_children, 1);
  }
  free(ir);
}

tn_status tn_ir_status(const tn_ir *ir) {
  TN_TRY(tn_arena_status(&ir->arena));
  return ir->is_exhausted ? TN_ERR(TN_NO_MEMORY, "no memory for a constant's elements") : NULL;
}

void tn_ir_set_exhausted(tn_ir *ir) { ir->is_exhausted = true; }

uint32_t tn_ir_n_ids(const tn_ir *ir) { return ir->next_id; }

const tn_node *tn_none(tn_ir *ir) { return ir->none; }

static void assert_writable(const tn_ir *ir) {
  TN_ASSERT(atomic_load_explicit(&ir->n_children, memory_order_relaxed) == 0,
            "a tn_ir with children is frozen");
  (void)ir;
}

/* ---- texts ---- */

static const tn_text *text_of(const char *bytes) {
  return (const tn_text *)(const void *)(bytes - offsetof(tn_text, bytes));
}

static const tn_text *find_text(const tn_ir *ir, uint32_t hash, const char *bytes, size_t len) {
  if (ir->n_texts == 0) {
    return NULL;
  }
  size_t mask = ir->texts_cap - 1;
  for (size_t i = hash & mask; ir->texts[i] != NULL; i = (i + 1) & mask) {
    const tn_text *text = ir->texts[i];
    if (text->hash == hash && text->len == len &&
        (len == 0 || memcmp(text->bytes, bytes, len) == 0)) {
      return text;
    }
  }
  return NULL;
}

static void put_text(tn_ir *ir, const tn_text *text) {
  size_t mask = ir->texts_cap - 1;
  size_t i = text->hash & mask;
  while (ir->texts[i] != NULL) {
    i = (i + 1) & mask;
  }
  ir->texts[i] = text;
}

static void grow_texts(tn_ir *ir) {
  const tn_text **old = ir->texts;
  size_t old_cap = ir->texts_cap;
  ir->texts_cap = old_cap == 0 ? 256 : 2 * old_cap;
  ir->texts = calloc(ir->texts_cap, sizeof(*ir->texts));
  TN_CHECK(ir->texts != NULL, "out of memory: %zu texts", ir->texts_cap);
  for (size_t i = 0; i < old_cap; ++i) {
    if (old[i] != NULL) {
      put_text(ir, old[i]);
    }
  }
  free(old);
}

void *tn_ir_alloc(tn_ir *ir, size_t n_bytes, size_t align) {
  return tn_arena_alloc(&ir->arena, n_bytes, align);
}

const char *tn_ir_text_n(tn_ir *ir, const char *text, size_t len) {
  TN_CHECK(len < UINT32_MAX, "text of %zu bytes", len);
  uint32_t hash = (uint32_t)tn_hash_bytes(0, text, len);
  for (const tn_ir *at = ir; at != NULL; at = at->parent) {
    const tn_text *found = find_text(at, hash, text, len);
    if (found != NULL) {
      return found->bytes;
    }
  }
  assert_writable(ir);
  if (2 * (ir->n_texts + 1) > ir->texts_cap) {
    grow_texts(ir);
  }
  tn_text *added = tn_arena_alloc(&ir->arena, sizeof *added + len + 1, _Alignof(tn_text));
  added->hash = hash;
  added->len = (uint32_t)len;
  if (len != 0) {
    memcpy(added->bytes, text, len);
  }
  put_text(ir, added);
  ++ir->n_texts;
  return added->bytes;
}

const char *tn_ir_text(tn_ir *ir, const char *text) { return tn_ir_text_n(ir, text, strlen(text)); }

/* ---- nodes ---- */

static uint64_t attr_key(tn_attr_kind kind, tn_attr attr) {
  switch (kind) {
    case TN_ATTR_NONE:
    case TN_ATTR_ARRAY: /* only CONST, which is never interned */
      return 0;
    case TN_ATTR_I64:
    case TN_ATTR_F64:
      return (uint64_t)attr.i64;
    case TN_ATTR_TEXT:
      return text_of(attr.text)->hash;
    case TN_ATTR_DEF:
      return tn_hash_bytes(0, attr.def->name, strlen(attr.def->name));
  }
  TN_UNREACHABLE();
}

static bool attr_is_same(tn_attr_kind kind, tn_attr a, tn_attr b) {
  switch (kind) {
    case TN_ATTR_NONE:
      return true;
    case TN_ATTR_I64:
    case TN_ATTR_F64:
      return a.i64 == b.i64;
    case TN_ATTR_TEXT:
      return a.text == b.text;
    case TN_ATTR_DEF:
      return a.def == b.def || strcmp(a.def->name, b.def->name) == 0;
    case TN_ATTR_ARRAY:
      return a.array == b.array;
  }
  TN_UNREACHABLE();
}

static int64_t wrap_int(tn_dtype dtype, int64_t value) {
  if (tn_dtype_is_bool(dtype)) {
    return value != 0;
  }
  uint32_t bits = tn_dtype_bits(dtype);
  if (bits >= 64) {
    return value;
  }
  uint64_t kept = (uint64_t)value & ((UINT64_C(1) << bits) - 1);
  if (tn_dtype_is_int(dtype) && (kept >> (bits - 1) & 1) != 0) {
    kept |= ~UINT64_C(0) << bits;
  }
  return (int64_t)kept;
}

static double round_float(tn_dtype dtype, double value) {
  uint64_t word = 0;
  tn_array one = {.data = &word, .dtype = dtype, .is_view = true};
  tn_array_set_f64(&one, 0, value);
  double rounded = tn_array_get_f64(&one, 0);
  tn_attr nan = {.i64 = INT64_C(0x7ff8000000000000)}; /* one NaN, whatever its payload was */
  return rounded != rounded ? nan.f64 : rounded;
}

/* The one form that a value has: texts interned, numbers in the range of their type. */
static tn_attr canonical_attr(tn_ir *ir, tn_op op, tn_dtype dtype, tn_attr attr) {
  const tn_op_info *info = tn_op_info_get(op);
  if (info->attr == TN_ATTR_NONE) {
    return (tn_attr){0};
  }
  if (info->attr == TN_ATTR_TEXT) {
    return (tn_attr){.text = tn_ir_text(ir, attr.text == NULL ? "" : attr.text)};
  }
  if (op == TN_OP_INT) {
    TN_ASSERT(!tn_dtype_is_any_float(dtype) && tn_dtype_lanes(dtype) == 1, "INT of type %#x",
              dtype);
    return (tn_attr){.i64 = wrap_int(dtype, attr.i64)};
  }
  if (op == TN_OP_FLOAT) {
    TN_ASSERT(tn_dtype_is_any_float(dtype) && tn_dtype_lanes(dtype) == 1, "FLOAT of type %#x",
              dtype);
    return (tn_attr){.f64 = round_float(dtype, attr.f64)};
  }
  return attr;
}

static uint32_t hash_key(tn_op op, tn_dtype dtype, uint64_t attr, uint32_t n_in,
                         const tn_node *const *in) {
  uint64_t hash = tn_hash_mix((uint64_t)op << 32 | dtype, attr);
  uint32_t i = 0;
  for (; i + 2 <= n_in; i += 2) {
    hash = tn_hash_mix(hash, (uint64_t)in[i]->id << 32 | in[i + 1]->id);
  }
  if (i < n_in) {
    hash = tn_hash_mix(hash, (uint64_t)in[i]->id << 32 | UINT32_MAX);
  }
  return (uint32_t)(hash ^ hash >> 32);
}

static bool children_are_same(const tn_node *n, const tn_node *const *in) {
  for (uint32_t i = 0; i < n->n_in; ++i) {
    if (n->in[i] != in[i]) {
      return false;
    }
  }
  return true;
}

static const tn_node *find_node(const tn_ir *ir, const tn_node *key, const tn_node *const *in) {
  if (ir->n_nodes == 0) {
    return NULL;
  }
  tn_attr_kind kind = tn_op_info_get((tn_op)key->op)->attr;
  size_t mask = ir->nodes_cap - 1;
  for (size_t i = key->hash & mask; ir->nodes[i] != NULL; i = (i + 1) & mask) {
    const tn_node *n = ir->nodes[i];
    if (n->hash == key->hash && n->op == key->op && n->dtype == key->dtype &&
        n->n_in == key->n_in && attr_is_same(kind, n->attr, key->attr) &&
        children_are_same(n, in)) {
      return n;
    }
  }
  return NULL;
}

static void put_node(tn_ir *ir, const tn_node *n) {
  size_t mask = ir->nodes_cap - 1;
  size_t i = n->hash & mask;
  while (ir->nodes[i] != NULL) {
    i = (i + 1) & mask;
  }
  ir->nodes[i] = n;
}

static void grow_nodes(tn_ir *ir) {
  const tn_node **old = ir->nodes;
  size_t old_cap = ir->nodes_cap;
  ir->nodes_cap = old_cap == 0 ? 256 : 2 * old_cap;
  ir->nodes = calloc(ir->nodes_cap, sizeof(*ir->nodes));
  TN_CHECK(ir->nodes != NULL, "out of memory: %zu interned nodes", ir->nodes_cap);
  for (size_t i = 0; i < old_cap; ++i) {
    if (old[i] != NULL) {
      put_node(ir, old[i]);
    }
  }
  free(old);
}

static const tn_node *find_interned(const tn_ir *ir, const tn_node *key, const tn_node *const *in) {
  uint32_t newest = 0;
  for (uint32_t i = 0; i < key->n_in; ++i) {
    newest = in[i]->id > newest ? in[i]->id : newest;
  }
  for (const tn_ir *at = ir; at != NULL; at = at->parent) {
    const tn_node *found = find_node(at, key, in);
    if (found != NULL || (key->n_in != 0 && newest >= at->first_id)) {
      return found;
    }
  }
  return NULL;
}

/* EFFECT and READS climb through values and what they are made of, not into statements. */
static uint16_t compute_flags(tn_op op, tn_attr attr, uint32_t n_in, const tn_node *const *in) {
  const tn_op_info *info = tn_op_info_get(op);
  if (info->cls == TN_CLASS_STMT || info->cls == TN_CLASS_FUNC) {
    return 0;
  }
  uint16_t flags = 0;
  if (op == TN_OP_INVOKE || (info->attr == TN_ATTR_DEF && !attr.def->is_pure)) {
    flags |= TN_NF_EFFECT;
  }
  if (op == TN_OP_LOAD) {
    flags |= TN_NF_READS;
  }
  for (uint32_t i = 0; i < n_in; ++i) {
    flags |= in[i]->flags;
  }
  return flags;
}

static const tn_node *alloc_node(tn_ir *ir, const tn_node *key, const tn_node *const *in) {
  assert_writable(ir);
  TN_CHECK(ir->next_id != UINT32_MAX, "node ids are used up");
  tn_node *n = tn_arena_alloc(&ir->arena, sizeof *n + key->n_in * sizeof *in, _Alignof(tn_node));
  *n = *key;
  n->id = ir->next_id++;
  uint32_t depth = 0;
  for (uint32_t i = 0; i < key->n_in; ++i) {
    n->in[i] = in[i];
    depth = in[i]->depth > depth ? in[i]->depth : depth;
  }
  n->depth = depth + 1;
  n->flags = compute_flags((tn_op)key->op, key->attr, key->n_in, in);
  return n;
}

const tn_node *tn_node_new(tn_ir *ir, tn_op op, tn_dtype dtype, tn_attr attr, uint32_t n_in,
                           const tn_node *const *in) {
  const tn_op_info *info = tn_op_info_get(op);
  TN_ASSERT(info->is_variadic ? n_in >= (uint32_t)info->n_in : n_in == (uint32_t)info->n_in,
            "%s with %u children", info->name, n_in);
  tn_node key = {.op = (uint16_t)op, .dtype = dtype, .n_in = n_in};
  key.attr = canonical_attr(ir, op, dtype, attr);
  key.hash = hash_key(op, dtype, attr_key(info->attr, key.attr), n_in, in);
  if (!tn_is_interned(&key)) {
    return alloc_node(ir, &key, in);
  }
  const tn_node *found = find_interned(ir, &key, in);
  if (found != NULL) {
    return found;
  }
  if (2 * (ir->n_nodes + 1) > ir->nodes_cap) {
    grow_nodes(ir);
  }
  const tn_node *n = alloc_node(ir, &key, in);
  put_node(ir, n);
  ++ir->n_nodes;
  return n;
}

const tn_node *tn_const_new(tn_ir *ir, tn_array *src) {
  tn_array *array = TN_ARENA_NEW(&ir->arena, tn_array);
  *array = *src;
  TN_VEC_PUSH(&ir->arrays, array);
  *src = (tn_array){0};
  return tn_node_new(ir, TN_OP_CONST, TN_DT_NONE, (tn_attr){.array = array}, 0, NULL);
}

/* ---- source positions ---- */

uint32_t tn_ir_add_source(tn_ir *ir, const char *name, const char *text, size_t len) {
  assert_writable(ir);
  tn_source source = {tn_ir_text(ir, name), tn_arena_strndup(&ir->arena, text, len), len};
  TN_VEC_PUSH(&ir->sources, source);
  return ir->n_parent_sources + (uint32_t)ir->sources.len;
}

static const tn_source *find_source(const tn_ir *ir, uint32_t source) {
  while (ir != NULL && source <= ir->n_parent_sources) {
    ir = ir->parent;
  }
  if (ir == NULL || source - ir->n_parent_sources > ir->sources.len) {
    return NULL;
  }
  return &ir->sources.data[source - ir->n_parent_sources - 1];
}

const char *tn_ir_source_name(const tn_ir *ir, uint32_t source) {
  const tn_source *found = find_source(ir, source);
  return found == NULL ? NULL : found->name;
}

const char *tn_ir_source_text(const tn_ir *ir, uint32_t source, size_t *out_len) {
  const tn_source *found = find_source(ir, source);
  if (found == NULL) {
    return NULL;
  }
  *out_len = found->len;
  return found->text;
}

void tn_ir_set_pos(tn_ir *ir, const tn_node *n, tn_pos pos) {
  if (pos.source == 0 || tn_is_interned(n) || n->id < ir->first_id) {
    return; /* a parent's node has the position that its parent knows */
  }
  assert_writable(ir);
  size_t at = n->id - ir->first_id;
  while (ir->pos_at.len <= at) {
    TN_VEC_PUSH(&ir->pos_at, 0);
  }
  if (ir->pos_at.data[at] != 0) {
    ir->poses.data[ir->pos_at.data[at] - 1] = pos;
    return;
  }
  TN_VEC_PUSH(&ir->poses, pos);
  ir->pos_at.data[at] = (uint32_t)ir->poses.len;
}

tn_pos tn_ir_pos(const tn_ir *ir, const tn_node *n) {
  while (ir->parent != NULL && n->id < ir->first_id) {
    ir = ir->parent;
  }
  size_t at = n->id - ir->first_id;
  bool is_known = n->id >= ir->first_id && at < ir->pos_at.len && ir->pos_at.data[at] != 0;
  return is_known ? ir->poses.data[ir->pos_at.data[at] - 1] : (tn_pos){0};
}
