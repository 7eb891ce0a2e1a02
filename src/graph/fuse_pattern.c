/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What the blocks of a loop function say about fusing its calls. Understood is what the operators'
 * loop forms are made of: serial loops from 0, each around one block, whose axes are those loops and
 * whose body is one store of one element. Anything else makes the function opaque, which is always
 * right: it is then called as it is. */
#include "arith/arith.h"
#include "graph/fuse.h"

enum { MAX_BLOCKS = 64, MAX_LOOPS = 2 * TN_MAX_NDIM, MAX_CHEAP_NODES = 32 };

typedef struct block_facts {
  const tn_node *iters;
  const tn_node *init; /* NONE or a STORE */
  const tn_node *store;
  bool is_reducing;
  bool is_map; /* its stores are all of the buffer, each element once */
} block_facts;

typedef struct looker {
  tn_fuse_func *out;
  uint32_t n_blocks;
  block_facts blocks[MAX_BLOCKS];
} looker;

/* ---- structure ---- */

static tn_visit look_for_odd(const tn_node *n, void *ctx) {
  bool *is_odd = ctx;
  bool is_bad_call = tn_is(n, TN_OP_INTRIN) && tn_intrin_of(n)->kind != TN_IK_MATH &&
                     tn_intrin_of(n)->kind != TN_IK_HINT;
  bool is_bad_load = tn_is(n, TN_OP_LOAD) && !tn_is_none(n->in[TN_LOAD_PREDICATE]);
  bool is_bad = is_bad_call || is_bad_load || tn_is(n, TN_OP_INVOKE) ||
                (n->flags & TN_NF_EFFECT) != 0 ||
                (n->dtype != TN_DT_NONE && tn_dtype_lanes(n->dtype) != 1);
  *is_odd = *is_odd || is_bad;
  return is_bad ? TN_STOP : TN_DESCEND;
}

static bool is_plain_store(const tn_node *n) {
  bool is_odd = !tn_is(n, TN_OP_STORE) || !tn_is_none(n->in[TN_STORE_PREDICATE]);
  for (uint32_t i = TN_STORE_VALUE; !is_odd && i < n->n_in; ++i) {
    tn_walk_distinct(n->in[i], look_for_odd, &is_odd);
  }
  return !is_odd;
}

bool tn_fuse_is_index_of(const tn_node *store, const tn_node *var) {
  for (uint32_t i = TN_STORE_INDICES; i < store->n_in; ++i) {
    if (store->in[i] == var) {
      return true;
    }
  }
  return false;
}

/* Each index is an axis over the whole dimension, and each spatial axis one index. */
static bool is_map(const tn_node *store, const tn_node *iters) {
  const tn_node *shape = store->in[TN_STORE_BUFFER]->in[TN_BUFFER_SHAPE];
  for (uint32_t d = 0; d < shape->n_in; ++d) {
    const tn_node *index = store->in[TN_STORE_INDICES + d];
    bool is_found = tn_is_int(index, 0) && tn_is_int(shape->in[d], 1);
    for (uint32_t i = 0; i < iters->n_in && !is_found; ++i) {
      const tn_node *iter = iters->in[i];
      is_found = iter->in[TN_ITER_VAR] == index && iter->attr.i64 == TN_ITER_SPATIAL &&
                 tn_fuse_same_extent(iter->in[TN_ITER_EXTENT], shape->in[d]);
    }
    for (uint32_t e = 0; e < d && !tn_is(index, TN_OP_INT); ++e) {
      is_found = is_found && store->in[TN_STORE_INDICES + e] != index;
    }
    if (!is_found) {
      return false;
    }
  }
  uint32_t n_idle = 0;
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    n_idle += iters->in[i]->attr.i64 == TN_ITER_SPATIAL &&
              !tn_fuse_is_index_of(store, iters->in[i]->in[TN_ITER_VAR]) &&
              !tn_is_int(iters->in[i]->in[TN_ITER_EXTENT], 1);
  }
  return n_idle == 0;
}

/* The axes are the loops, in any order, over all of their rounds. */
static bool axes_are_loops(const tn_node *iters, uint32_t n_loops, const tn_node *const *loops) {
  uint32_t n_bound = 0;
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    const tn_node *iter = iters->in[i];
    bool is_found =
        tn_is_int(iter->in[TN_ITER_BINDING], 0) && tn_is_int(iter->in[TN_ITER_EXTENT], 1);
    for (uint32_t l = 0; l < n_loops && !is_found; ++l) {
      is_found = loops[l]->in[TN_FOR_VAR] == iter->in[TN_ITER_BINDING] &&
                 tn_fuse_same_extent(loops[l]->in[TN_FOR_EXTENT], iter->in[TN_ITER_EXTENT]);
      n_bound += is_found;
    }
    bool is_known = iter->attr.i64 == TN_ITER_SPATIAL || iter->attr.i64 == TN_ITER_REDUCE;
    if (!is_found || !is_known || !tn_is_int(iter->in[TN_ITER_MIN], 0)) {
      return false;
    }
  }
  return n_bound == n_loops;
}

static bool add_block(looker *l, const tn_node *block, uint32_t n_loops,
                      const tn_node *const *loops) {
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  const tn_node *init = block->in[TN_BLOCK_INIT];
  const tn_node *store = block->in[TN_BLOCK_BODY];
  if (!tn_is_int(block->in[TN_BLOCK_PREDICATE], 1) || block->in[TN_BLOCK_ALLOCS]->n_in > 0 ||
      block->in[TN_BLOCK_MATCHES]->n_in > 0 || !is_plain_store(store) ||
      (!tn_is_none(init) && !is_plain_store(init)) || !axes_are_loops(iters, n_loops, loops) ||
      l->n_blocks == MAX_BLOCKS || iters->n_in > MAX_LOOPS) {
    return false;
  }
  bool is_reducing = false;
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    is_reducing = is_reducing || iters->in[i]->attr.i64 == TN_ITER_REDUCE;
  }
  l->blocks[l->n_blocks++] = (block_facts){iters, init, store, is_reducing, is_map(store, iters)};
  return true;
}

static bool add_nest(looker *l, const tn_node *stmt) {
  const tn_node *loops[MAX_LOOPS];
  uint32_t n = 0;
  for (; tn_is(stmt, TN_OP_FOR); stmt = stmt->in[TN_FOR_BODY]) {
    if (n == MAX_LOOPS || stmt->attr.i64 != TN_FOR_SERIAL || !tn_is_int(stmt->in[TN_FOR_MIN], 0) ||
        !tn_is_none(stmt->in[TN_FOR_ANNOTATIONS])) {
      return false;
    }
    loops[n++] = stmt;
  }
  return tn_is(stmt, TN_OP_BLOCK) && add_block(l, stmt, n, loops);
}

static bool find_blocks(looker *l, const tn_node *func) {
  const tn_node *body = func->in[TN_PRIM_FUNC_BODY];
  bool is_root = tn_is(body, TN_OP_BLOCK) && body->in[TN_BLOCK_ITERS]->n_in == 0 &&
                 !tn_is(body->in[TN_BLOCK_BODY], TN_OP_STORE);
  if (is_root) {
    if (body->in[TN_BLOCK_MATCHES]->n_in > 0 || !tn_is_none(body->in[TN_BLOCK_INIT])) {
      return false;
    }
    for (uint32_t i = 0; i < body->in[TN_BLOCK_ALLOCS]->n_in; ++i) {
      if (!tn_buffer_is_plain(body->in[TN_BLOCK_ALLOCS]->in[i])) {
        return false;
      }
    }
    body = body->in[TN_BLOCK_BODY];
  }
  for (uint32_t i = 0; i < tn_body_n(body); ++i) {
    if (!add_nest(l, tn_body_at(body, i))) {
      return false;
    }
  }
  return l->n_blocks > 0;
}

/* Inputs are read alone, outputs come last. */
static bool find_params(looker *l, const tn_module *module, const tn_node *func) {
  const tn_node *buffers = func->in[TN_PRIM_FUNC_BUFFERS];
  if (buffers->n_in == 0 || !tn_is_none(func->in[TN_PRIM_FUNC_RET])) {
    return false;
  }
  for (uint32_t i = 0; i < buffers->n_in; ++i) {
    if (tn_is_none(buffers->in[i]) || !tn_buffer_is_plain(buffers->in[i])) {
      return false;
    }
  }
  uint8_t *uses = tn_ir_alloc(module->ir, buffers->n_in, 1);
  tn_tir_param_uses(module, func, uses);
  uint32_t n = buffers->n_in;
  while (n > 0 && (uses[n - 1] & TN_PARAM_WRITTEN) != 0) {
    --n;
  }
  for (uint32_t i = 0; i < n; ++i) {
    if ((uses[i] & TN_PARAM_WRITTEN) != 0) {
      return false;
    }
  }
  l->out->n_inputs = n;
  l->out->n_outputs = buffers->n_in - n;
  return l->out->n_outputs > 0;
}

/* ---- how a load reads ---- */

typedef struct load_list {
  const tn_node *of; /* the BUFFER; NULL: all */
  TN_VEC(const tn_node *) loads;
} load_list;

static tn_visit add_load(const tn_node *n, void *ctx) {
  load_list *list = ctx;
  if (tn_is(n, TN_OP_LOAD) && (list->of == NULL || list->of == n->in[TN_LOAD_BUFFER])) {
    TN_VEC_PUSH(&list->loads, n);
  }
  return TN_DESCEND;
}

static void list_loads(const block_facts *b, const tn_node *of, load_list *out) {
  out->of = of;
  tn_walk_distinct(b->store, add_load, out);
  tn_walk_distinct(b->init, add_load, out);
}

/* At the place that is written, and the buffers are of one shape. */
static bool reads_in_place(const tn_node *load, const tn_node *store) {
  const tn_node *shape = load->in[TN_LOAD_BUFFER]->in[TN_BUFFER_SHAPE];
  const tn_node *out = store->in[TN_STORE_BUFFER]->in[TN_BUFFER_SHAPE];
  bool is_same = shape->n_in == out->n_in;
  for (uint32_t d = 0; is_same && d < shape->n_in; ++d) {
    is_same = tn_fuse_same_extent(shape->in[d], out->in[d]) &&
              (load->in[TN_LOAD_INDICES + d] == store->in[TN_STORE_INDICES + d] ||
               tn_is_int(shape->in[d], 1));
  }
  return is_same;
}

/* Its indices are some of those that are written, in their order, and zeros. */
static bool reads_broadcast(const tn_node *load, const tn_node *store) {
  uint32_t at = TN_STORE_INDICES;
  for (uint32_t i = TN_LOAD_INDICES; i < load->n_in; ++i) {
    if (tn_is_int(load->in[i], 0)) {
      continue;
    }
    while (at < store->n_in && store->in[at] != load->in[i]) {
      ++at;
    }
    if (at++ >= store->n_in) {
      return false;
    }
  }
  return true;
}

typedef struct index_facts {
  const tn_node *iters;
  uint64_t used; /* axes, a bit each */
  bool has_load;
} index_facts;

static tn_visit look_at_index(const tn_node *n, void *ctx) {
  index_facts *f = ctx;
  f->has_load = f->has_load || tn_is(n, TN_OP_LOAD);
  for (uint32_t i = 0; tn_is(n, TN_OP_VAR) && i < f->iters->n_in; ++i) {
    if (f->iters->in[i]->in[TN_ITER_VAR] == n) {
      f->used |= UINT64_C(1) << i;
    }
  }
  return TN_DESCEND;
}

/* Does every axis move the place that is read? And (windows) no two of them the same way? */
static bool reads_once(const tn_node *load, const block_facts *b, bool asks_windows) {
  uint64_t reduce = 0;
  uint64_t needed = 0;
  for (uint32_t i = 0; i < b->iters->n_in; ++i) {
    uint64_t bit = UINT64_C(1) << i;
    bool is_reduce = b->iters->in[i]->attr.i64 == TN_ITER_REDUCE;
    bool is_one = tn_is_int(b->iters->in[i]->in[TN_ITER_EXTENT], 1);
    reduce |= is_reduce ? bit : 0;
    needed |= is_one || (is_reduce && !asks_windows) ? 0 : bit;
  }
  uint64_t used = 0;
  for (uint32_t i = TN_LOAD_INDICES; i < load->n_in; ++i) {
    index_facts f = {.iters = b->iters};
    tn_walk_distinct(load->in[i], look_at_index, &f);
    bool is_window = (f.used & reduce) != 0 && (f.used & ~reduce) != 0;
    if (f.has_load || (asks_windows && is_window)) {
      return false;
    }
    used |= f.used;
  }
  return (used & needed) == needed;
}

/* ---- the pattern ---- */

static tn_fuse_pattern pattern_of_reduction(const looker *l) {
  tn_fuse_pattern pattern = TN_FUSE_REDUCTION;
  for (uint32_t i = 0; i < l->n_blocks; ++i) {
    const block_facts *b = &l->blocks[i];
    load_list list = {0};
    list_loads(b, NULL, &list);
    for (size_t k = 0; k < list.loads.len && b->is_reducing; ++k) {
      if (!reads_once(list.loads.data[k], b, false)) {
        pattern = TN_FUSE_ANCHOR;
      }
    }
    TN_VEC_DEINIT(&list.loads);
  }
  return pattern;
}

static tn_fuse_pattern pattern_of_map(const block_facts *b) {
  tn_fuse_pattern pattern = TN_FUSE_ELEMENTWISE;
  load_list list = {0};
  list_loads(b, NULL, &list);
  for (size_t k = 0; k < list.loads.len; ++k) {
    const tn_node *load = list.loads.data[k];
    tn_fuse_pattern one = reads_in_place(load, b->store)    ? TN_FUSE_ELEMENTWISE
                          : reads_broadcast(load, b->store) ? TN_FUSE_BROADCAST
                                                            : TN_FUSE_INJECTIVE;
    pattern = one > pattern ? one : pattern;
  }
  TN_VEC_DEINIT(&list.loads);
  return pattern;
}

static tn_fuse_pattern pattern_of(const looker *l) {
  bool is_reducing = false;
  for (uint32_t i = 0; i < l->n_blocks; ++i) {
    is_reducing = is_reducing || l->blocks[i].is_reducing;
  }
  if (is_reducing) {
    return pattern_of_reduction(l);
  }
  return l->n_blocks == 1 && l->blocks[0].is_map ? pattern_of_map(&l->blocks[0])
                                                 : TN_FUSE_INJECTIVE;
}

typedef struct cost {
  uint32_t n_nodes;
  bool is_dear;
} cost;

static tn_visit add_cost(const tn_node *n, void *ctx) {
  cost *c = ctx;
  bool is_float_div = (tn_is(n, TN_OP_DIV) || tn_is(n, TN_OP_MOD));
  c->is_dear = c->is_dear || is_float_div || tn_is(n, TN_OP_INTRIN);
  ++c->n_nodes;
  return TN_DESCEND;
}

static bool is_cheap(const looker *l) {
  cost c = {0};
  for (uint32_t i = 0; i < l->n_blocks; ++i) {
    tn_walk_distinct(l->blocks[i].store->in[TN_STORE_VALUE], add_cost, &c);
  }
  return !c.is_dear && c.n_nodes <= MAX_CHEAP_NODES;
}

/* ---- inputs ---- */

static tn_fuse_input look_at_input(const looker *l, const tn_node *buffer,
                                   const tn_node *first_output) {
  tn_fuse_input in = {.is_whole = l->n_blocks == 1 && !l->blocks[0].is_reducing, .is_once = true};
  uint32_t n_loads = 0;
  for (uint32_t i = 0; i < l->n_blocks; ++i) {
    const block_facts *b = &l->blocks[i];
    load_list list = {0};
    list_loads(b, buffer, &list);
    bool is_direct =
        b->is_reducing || b->store->in[TN_STORE_BUFFER] == first_output || l->out->n_outputs > 1;
    for (size_t k = 0; k < list.loads.len; ++k) {
      in.is_whole = in.is_whole && reads_in_place(list.loads.data[k], b->store);
      in.is_once = in.is_once && is_direct && reads_once(list.loads.data[k], b, true);
      ++n_loads;
    }
    TN_VEC_DEINIT(&list.loads);
  }
  in.is_once = in.is_once && n_loads <= 1;
  return in;
}

static bool output_is_whole(const looker *l, const tn_node *output) {
  bool is_whole = l->out->n_outputs == 1;
  for (uint32_t i = 0; i < l->n_blocks; ++i) {
    const block_facts *b = &l->blocks[i];
    is_whole = is_whole && (b->store->in[TN_STORE_BUFFER] != output || b->is_map);
  }
  return is_whole;
}

/* ---- views ---- */

/* Where an access lies in a compact buffer. */
static const tn_node *place_of(tn_ir *ir, const tn_node *buffer, const tn_node *const *indices) {
  const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
  const tn_node *place = tn_int(ir, TN_DT_I64, 0);
  for (uint32_t d = 0; d < shape->n_in; ++d) {
    if (indices[d]->dtype != TN_DT_I64 ||
        (!tn_is(shape->in[d], TN_OP_INT) && shape->in[d]->dtype != TN_DT_I64)) {
      return NULL;
    }
    const tn_node *extent = tn_is(shape->in[d], TN_OP_INT)
                                ? tn_int(ir, TN_DT_I64, shape->in[d]->attr.i64)
                                : shape->in[d];
    place = tn_binary(ir, TN_OP_MUL, place, extent);
    place = tn_binary(ir, TN_OP_ADD, place, indices[d]);
  }
  return place;
}

static bool is_view(tn_ir *ir, const looker *l, const tn_node *input) {
  const block_facts *b = &l->blocks[0];
  const tn_node *load = b->store->in[TN_STORE_VALUE];
  const tn_node *output = b->store->in[TN_STORE_BUFFER];
  if (l->n_blocks != 1 || l->out->n_inputs != 1 || !b->is_map || b->is_reducing ||
      !tn_is(load, TN_OP_LOAD) || load->in[TN_LOAD_BUFFER] != input ||
      input->dtype != output->dtype || !tn_is_none(b->init)) {
    return false;
  }
  const tn_node *from = place_of(ir, input, load->in + TN_LOAD_INDICES);
  const tn_node *to = place_of(ir, output, b->store->in + TN_STORE_INDICES);
  tn_arith *arith = tn_arith_new(ir);
  for (uint32_t i = 0; i < b->iters->n_in; ++i) {
    const tn_node *iter = b->iters->in[i];
    if (tn_is_int(iter->in[TN_ITER_EXTENT], 1)) {
      tn_arith_bind_value(arith, iter->in[TN_ITER_VAR], iter->in[TN_ITER_MIN]);
    } else {
      tn_arith_bind_range(arith, iter->in[TN_ITER_VAR], iter->in[TN_ITER_MIN],
                          iter->in[TN_ITER_EXTENT]);
    }
  }
  bool is_same = from != NULL && to != NULL &&
                 tn_is_int(tn_arith_simplify(arith, tn_binary(ir, TN_OP_SUB, from, to)), 0);
  tn_arith_free(arith);
  return is_same;
}

void tn_fuse_func_init(const tn_module *module, const tn_node *func, tn_fuse_func *out) {
  looker l = {.out = out};
  *out = (tn_fuse_func){.func = func, .pattern = TN_FUSE_OPAQUE};
  if (!find_blocks(&l, func) || !find_params(&l, module, func)) {
    return;
  }
  const tn_node *buffers = func->in[TN_PRIM_FUNC_BUFFERS];
  const tn_node *given = tn_dict_find(func->in[TN_PRIM_FUNC_ATTRS], "op_pattern");
  tn_fuse_pattern pattern = pattern_of(&l);
  if (given != NULL && tn_is(given, TN_OP_INT) && given->attr.i64 > (int64_t)pattern) {
    pattern = given->attr.i64 <= TN_FUSE_ANCHOR ? (tn_fuse_pattern)given->attr.i64 : TN_FUSE_OPAQUE;
  }
  out->pattern = pattern;
  out->is_cheap = is_cheap(&l);
  out->is_view = pattern <= TN_FUSE_INJECTIVE && is_view(module->ir, &l, buffers->in[0]);
  out->is_whole_output = output_is_whole(&l, buffers->in[out->n_inputs]);
  out->inputs = tn_ir_alloc(module->ir, (out->n_inputs + 1) * sizeof *out->inputs, sizeof(void *));
  for (uint32_t i = 0; i < out->n_inputs; ++i) {
    out->inputs[i] = look_at_input(&l, buffers->in[i], buffers->in[out->n_inputs]);
  }
}
