/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Random schedules: see sched_gen.h. An argument is made by its type; where that would seldom fit
 * (a loop of a consumer, the number of axes), by its name. */
#include "sched_gen.h"

#include "base/file.h"

/* ---- seed programs ---- */

uint32_t sched_seeds_load(const char *path, sched_seed out[SCHED_GEN_MAX_SEEDS]) {
  tn_buf file = TN_BUF_INIT;
  uint32_t n = 0;
  expect_ok(tn_file_read(path, (size_t)1 << 20, &file));
  for (const char *at = strstr(tn_buf_text(&file), "# ---- "); at != NULL;) {
    const char *next = strstr(at + 1, "\n# ---- ");
    size_t len = next == NULL ? strlen(at) : (size_t)(next + 1 - at);
    assert_true(n < SCHED_GEN_MAX_SEEDS);
    (void)snprintf(out[n].name, sizeof out[n].name, "%.*s", (int)strcspn(at + 7, "\n"), at + 7);
    out[n++].text = strndup(at, len);
    at = next == NULL ? NULL : next + 1;
  }
  tn_buf_deinit(&file);
  return n;
}

void sched_seeds_free(uint32_t n, sched_seed *seeds) {
  for (uint32_t i = 0; i < n; ++i) {
    free(seeds[i].text);
  }
}

bool sched_seed_lies(const sched_seed *seed) { return strncmp(seed->name, "lie", 3) == 0; }

/* ---- what is there ---- */

static uint32_t below(sched_gen *g, size_t n) { return (uint32_t)tn_rng_below(&g->rng, n); }

static bool one_in(sched_gen *g, uint32_t n) { return below(g, n) == 0; }

static const tn_tree *tree_of(sched_case *c) { return tn_sched_tree_of(c->s, SCHED_GEN_FUNC); }

static const tn_node *i32(sched_gen *g, int64_t value) {
  return tn_int(g->c->before.ir, TN_DT_I32, value);
}

static const tn_node *list(sched_gen *g, uint32_t n, const tn_node *const *items) {
  return tn_list(g->c->before.ir, n, items);
}

static const tn_node *str(sched_gen *g, const char *text) { return tn_str(g->c->before.ir, text); }

/* NULL when there is none. */
static const tn_node *any_loop(sched_gen *g) {
  const tn_tree *tree = tree_of(g->c);
  return tree->loops.len == 0 ? NULL : tree->loops.data[below(g, tree->loops.len)]->in[TN_FOR_VAR];
}

/* The root seldom. */
static const tn_node *any_block(sched_gen *g) {
  const tn_tree *tree = tree_of(g->c);
  const tn_node *block = NULL;
  for (uint32_t i = 0; i < 4 && tree->blocks.len > 0; ++i) {
    block = tree->blocks.data[below(g, tree->blocks.len)];
    if (block != tree->root) {
      break;
    }
  }
  return block == NULL ? NULL : block->in[TN_BLOCK_LABEL];
}

static const tn_node *site(sched_gen *g, const tn_node *handle) {
  return handle == NULL ? NULL : tn_tree_site(tree_of(g->c), handle);
}

/* A loop around a block or, seldom, any. */
static const tn_node *loop_around(sched_gen *g, const tn_node *label) {
  const tn_node *loops[TN_SCHED_MAX_LOOPS];
  const tn_node *block = site(g, label);
  uint32_t n = block == NULL ? 0 : tn_tree_loops(tree_of(g->c), block, loops);
  return n == 0 || one_in(g, 20) ? any_loop(g) : loops[below(g, n)]->in[TN_FOR_VAR];
}

static const tn_node *block_with_init(sched_gen *g) {
  for (uint32_t i = 0; i < 8; ++i) {
    const tn_node *block = site(g, any_block(g));
    if (block != NULL && tn_is(block, TN_OP_BLOCK) && !tn_is_none(block->in[TN_BLOCK_INIT])) {
      return block->in[TN_BLOCK_LABEL];
    }
  }
  return any_block(g);
}

/* A neighbour along values: a consumer, or a producer; NULL when there is none. */
static const tn_node *neighbour(sched_gen *g, const tn_node *label, bool is_consumer) {
  const tn_node *out[TN_SCHED_MAX_BLOCKS];
  const tn_node *block = site(g, label);
  if (block == NULL) {
    return NULL;
  }
  uint32_t n = is_consumer ? tn_block_consumers(tree_of(g->c), block, TN_SCHED_MAX_BLOCKS, out)
                           : tn_block_producers(tree_of(g->c), block, TN_SCHED_MAX_BLOCKS, out);
  return n == 0 ? NULL : out[below(g, n)]->in[TN_BLOCK_LABEL];
}

static const tn_node *block_with_neighbour(sched_gen *g, bool is_consumer) {
  const tn_node *block = NULL;
  for (uint32_t i = 0; i < 8; ++i) {
    block = any_block(g);
    if (neighbour(g, block, is_consumer) != NULL) {
      break;
    }
  }
  return block;
}

/* ---- arguments ---- */

static const tn_node *any_factors(sched_gen *g) {
  const tn_node *items[4];
  uint32_t n = 2 + below(g, one_in(g, 4) ? 3 : 1);
  uint32_t open = one_in(g, 6) ? n : below(g, n);
  for (uint32_t i = 0; i < n; ++i) {
    items[i] = i == open ? tn_none(g->c->before.ir) : i32(g, tn_rng_range(&g->rng, 1, 6));
    if (g->n_sampled > 0 && one_in(g, 8)) {
      items[i] = g->sampled[below(g, g->n_sampled)];
    }
  }
  return list(g, n, items);
}

/* A loop and some of those inside of it, in the order that is there or another. */
static const tn_node *any_chain(sched_gen *g, bool shuffles) {
  const tn_node *items[5];
  uint32_t n = 0;
  const tn_node *at = site(g, any_loop(g));
  while (n < 5 && tn_is(at, TN_OP_FOR)) {
    items[n++] = at->in[TN_FOR_VAR];
    at = at->in[TN_FOR_BODY];
    n -= shuffles && n > 1 && one_in(g, 4);
  }
  n = n == 0 ? 0 : 1 + below(g, n);
  for (uint32_t i = n; shuffles && i > 1; --i) {
    uint32_t k = below(g, i);
    const tn_node *swap = items[i - 1];
    items[i - 1] = items[k];
    items[k] = swap;
  }
  return list(g, n, items);
}

/* Two loops, mostly at the heads of neighbouring nests. */
static const tn_node *any_pair(sched_gen *g) {
  const tn_node *first = any_loop(g);
  const tn_node *second = any_loop(g);
  const tn_node *around = first == NULL ? NULL : tn_tree_parent(tree_of(g->c), site(g, first));
  for (uint32_t i = 0; tn_is(around, TN_OP_SEQ) && i + 1 < around->n_in; ++i) {
    if (around->in[i] == site(g, first) && tn_is(around->in[i + 1], TN_OP_FOR)) {
      second = around->in[i + 1]->in[TN_FOR_VAR];
    }
  }
  return first == NULL ? list(g, 0, NULL) : list(g, 2, (const tn_node *[]){first, second});
}

static uint32_t n_axes(sched_gen *g, const tn_node *label) {
  const tn_node *block = site(g, label);
  uint32_t n = block != NULL && tn_is(block, TN_OP_BLOCK) ? block->in[TN_BLOCK_ITERS]->n_in : 0;
  return n > 8 ? 8 : n;
}

static const tn_node *any_order(sched_gen *g, const tn_node *label) {
  const tn_node *items[8];
  uint32_t n = n_axes(g, label);
  for (uint32_t i = 0; i < n; ++i) {
    uint32_t k = below(g, i + 1);
    items[i] = items[k];
    items[k] = i32(g, i);
  }
  return list(g, one_in(g, 30) && n > 0 ? n - 1 : n, items);
}

static const tn_node *any_padding(sched_gen *g, const tn_node *label) {
  const tn_node *items[8];
  uint32_t n = n_axes(g, label);
  for (uint32_t i = 0; i < n; ++i) {
    items[i] = i32(g, one_in(g, 3) ? 1 : tn_rng_range(&g->rng, 1, 5));
  }
  return list(g, n, items);
}

/* A map of n axes: another order, one cut in two, two made one. */
static const tn_node *any_map(sched_gen *g, uint32_t n) {
  tn_buf text = TN_BUF_INIT;
  uint32_t order[8];
  n = n == 0 ? 1 : n;
  n = n > 8 ? 8 : n;
  tn_buf_puts(&text, "lambda ");
  for (uint32_t i = 0; i < n; ++i) {
    uint32_t k = below(g, i + 1);
    order[i] = order[k];
    order[k] = i;
    tn_buf_printf(&text, "%si%u", i == 0 ? "" : ", ", i);
  }
  tn_buf_puts(&text, ": (");
  uint32_t how = below(g, 5);
  for (uint32_t i = 0; i < n; ++i) {
    if (how == 1 && i == 0) {
      uint32_t factor = 2 + below(g, 3);
      tn_buf_printf(&text, "i%u // %u, i%u %% %u, ", order[i], factor, order[i], factor);
    } else if (how == 2 && i + 1 < n) {
      tn_buf_printf(&text, "i%u * %u + i%u, ", order[i], 4 + below(g, 6), order[i + 1]);
      ++i;
    } else if (how == 3 && i == 0) {
      tn_buf_printf(&text, "i%u + %u, ", order[i], below(g, 3));
    } else {
      tn_buf_printf(&text, "i%u, ", order[i]);
    }
  }
  tn_buf_puts(&text, ")");
  const char *at = tn_buf_text(&text);
  const tn_node *map = sched_lambda(g->c, &at);
  tn_buf_deinit(&text);
  return map;
}

/* One that the block touches, in one of the three ways to name it. */
static const tn_node *any_buffer(sched_gen *g, const tn_node *label) {
  const tn_node *block = site(g, label);
  if (one_in(g, 2) || block == NULL || !tn_is(block, TN_OP_BLOCK)) {
    return i32(g, below(g, 10) / 4);
  }
  bool is_write = one_in(g, 2);
  const tn_node *regions = block->in[is_write ? TN_BLOCK_WRITES : TN_BLOCK_READS];
  uint32_t i = below(g, regions->n_in + 1);
  if (one_in(g, 2) && i < regions->n_in) {
    return str(g, regions->in[i]->in[TN_REGION_BUFFER]->attr.text);
  }
  return list(g, 2, (const tn_node *[]){str(g, is_write ? "write" : "read"), i32(g, i)});
}

static uint32_t ndim_of(sched_gen *g, const tn_node *label, const tn_node *arg) {
  const tn_node *region = NULL;
  bool is_write = false;
  const tn_node *block = site(g, label);
  if (block == NULL || !tn_is(block, TN_OP_BLOCK)) {
    return 2;
  }
  tn_status st = tn_block_buffer_arg(g->c->s, block, arg, true, &region, &is_write);
  tn_status_free(st);
  return st == NULL ? tn_buffer_ndim(region->in[TN_REGION_BUFFER]) : 2;
}

static const tn_node *any_text(sched_gen *g, const char *name) {
  static const char *const scopes[] = {"global", "local", "global", "shared"};
  static const char *const keys[] = {"note", "pragma_unroll_explicit",
                                     "pragma_auto_unroll_max_step"};
  static const char *const threads[] = {"threadIdx.x", "threadIdx.y", "blockIdx.x", "vthread"};
  if (strcmp(name, "storage_scope") == 0) {
    return str(g, scopes[below(g, TN_N_ROWS(scopes))]);
  }
  if (strcmp(name, "ann_key") == 0) {
    return str(g, keys[below(g, TN_N_ROWS(keys))]);
  }
  if (strcmp(name, "thread_axis") == 0) {
    return str(g, threads[below(g, TN_N_ROWS(threads))]);
  }
  if (strcmp(name, "tensor_intrin") == 0) {
    return str(g, one_in(g, 10) ? "dot" : "dot:fast");
  }
  const tn_node *label = any_block(g);
  return str(g, label == NULL ? "root" : label->attr.text);
}

static const tn_node *any_int(sched_gen *g, const char *name) {
  if (strcmp(name, "n") == 0) {
    return i32(g, tn_rng_range(&g->rng, 1, 4));
  }
  if (strcmp(name, "factor_axis") == 0) {
    return i32(g, tn_rng_range(&g->rng, -2, 2));
  }
  if (strcmp(name, "index") == 0) {
    return i32(g, one_in(g, 2) ? -1 : tn_rng_range(&g->rng, -3, 3));
  }
  if (strcmp(name, "ann_val") == 0 || strcmp(name, "distance") == 0 ||
      strcmp(name, "factor") == 0) {
    return i32(g, tn_rng_range(&g->rng, one_in(g, 20) ? -1 : 1, 9));
  }
  return i32(g, one_in(g, 4) ? tn_rng_range(&g->rng, -1, 3) : 0);
}

static const tn_node *any_list(sched_gen *g, const tn_prim *prim, const char *name,
                               const tn_node *block) {
  const tn_node *items[4];
  if (strcmp(name, "factors") == 0) {
    return any_factors(g);
  }
  if (strcmp(name, "new_order") == 0) {
    return any_order(g, block);
  }
  if (strcmp(name, "padding") == 0) {
    return any_padding(g, block);
  }
  if (strcmp(name, "candidates") == 0 || strcmp(name, "probs") == 0) {
    for (uint32_t i = 0; i < 2; ++i) {
      items[i] = name[0] == 'c' ? i32(g, 2 + 2 * i) : tn_float(g->c->before.ir, TN_DT_F32, 0.5);
    }
    return list(g, 2, items);
  }
  if (strcmp(name, "consumer_blocks") == 0) {
    uint32_t n = block == NULL ? 0 : 1 + below(g, 2);
    for (uint32_t i = 0; i < n; ++i) {
      items[i] = neighbour(g, block, true);
      items[i] = items[i] == NULL ? block : items[i];
    }
    return list(g, n, items);
  }
  return strcmp(prim->name, "merge") == 0 ? any_pair(g)
                                          : any_chain(g, strcmp(prim->name, "reorder") == 0);
}

static bool is_one(const char *name, const char *const *names) {
  while (*names != NULL && strcmp(*names, name) != 0) {
    ++names;
  }
  return *names != NULL;
}

/* The block that a primitive is likely to take. */
static const tn_node *likely_block(sched_gen *g, const char *prim) {
  static const char *const for_init[] = {"decompose_reduction", "rfactor", "pad_einsum",
                                         "fuse_reduction_epilogue", NULL};
  static const char *const producers[] = {"compute_at", "compute_inline", "rolling_buffer", NULL};
  static const char *const consumers[] = {"reverse_compute_at", "reverse_compute_inline", NULL};
  if (is_one(prim, for_init)) {
    return block_with_init(g);
  }
  if (is_one(prim, producers)) {
    return block_with_neighbour(g, true);
  }
  return is_one(prim, consumers) ? block_with_neighbour(g, false) : any_block(g);
}

static const tn_node *likely_loop(sched_gen *g, const char *prim, const tn_node *block) {
  static const char *const elsewhere[] = {"compute_at", "reverse_compute_at", NULL};
  if (is_one(prim, elsewhere)) {
    const tn_node *other = neighbour(g, block, strcmp(prim, "compute_at") == 0);
    return loop_around(g, other == NULL ? block : other);
  }
  if (strcmp(prim, "rfactor") == 0) {
    return loop_around(g, block_with_init(g));
  }
  return block == NULL ? any_loop(g) : loop_around(g, block);
}

/* The consecutive blocks of a body. */
static const tn_node *any_blocks(sched_gen *g) {
  const tn_node *found[16];
  const tn_node *at = site(g, any_loop(g));
  uint32_t n = at == NULL ? 0 : tn_tree_child_blocks(at, 16, found);
  n = n > 16 ? 16 : n;
  for (uint32_t i = 0; i < n; ++i) {
    found[i] = found[i]->in[TN_BLOCK_LABEL];
  }
  return list(g, n, found);
}

static const tn_node *any_arg(sched_gen *g, const tn_prim *prim, const tn_prim_param *param,
                              const tn_node *const *args, const tn_node *block) {
  const char *type = param->type;
  if (param->default_text[0] != '\0' && !one_in(g, 5)) {
    return NULL;
  }
  if (strcmp(param->name, "decision") == 0 || strcmp(param->name, "disable_predication") == 0 ||
      strcmp(param->name, "func_name") == 0) {
    return NULL;
  }
  if (strncmp(type, "list", 4) == 0) {
    return any_list(g, prim, param->name, block);
  }
  if (strncmp(type, "loop|list", 9) == 0 && one_in(g, 4)) {
    return any_blocks(g);
  }
  if (strncmp(type, "loop", 4) == 0) {
    return likely_loop(g, prim->name, block);
  }
  if (strcmp(type, "block|loop") == 0 && !one_in(g, 3)) {
    return any_loop(g);
  }
  if (strncmp(type, "block", 5) == 0) {
    return likely_block(g, prim->name);
  }
  if (strncmp(type, "str", 3) == 0) {
    return any_text(g, param->name);
  }
  if (strncmp(type, "bool", 4) == 0) {
    return tn_bool(g->c->before.ir, one_in(g, 2));
  }
  if (strcmp(type, "buffer") == 0) {
    return any_buffer(g, block);
  }
  if (strcmp(type, "index_map") == 0) {
    bool is_buffer = strcmp(prim->name, "transform_layout") == 0;
    return any_map(g, is_buffer ? ndim_of(g, block, args[1]) : n_axes(g, block));
  }
  return strcmp(type, "value|None") == 0 ? tn_int(g->c->before.ir, TN_DT_I32, below(g, 2))
                                         : any_int(g, param->name);
}

/* Anything at all. */
static const tn_node *nonsense(sched_gen *g) {
  switch (below(g, 8)) {
    case 0:
      return any_block(g);
    case 1:
      return any_loop(g);
    case 2:
      return i32(g, tn_rng_range(&g->rng, -1000, INT32_MAX));
    case 3:
      return list(g, 0, NULL);
    case 4:
      return any_map(g, 1 + below(g, 3));
    case 5:
      return str(g, "");
    case 6:
      return tn_none(g->c->before.ir);
    default:
      return any_blocks(g);
  }
}

/* ---- doing ---- */

static const char *name_of(sched_case *c, const tn_node *handle, char out[64]) {
  const tn_tree *tree = tree_of(c);
  const tn_node *where = tn_tree_site(tree, handle);
  (void)snprintf(out, 64, "%s", handle->attr.text);
  for (size_t i = 0; tn_is(handle, TN_OP_VAR) && i < tree->blocks.len; ++i) {
    if (sched_find(c, out) == handle) {
      return out;
    }
    if (where != NULL && tn_tree_is_around(tree, where, tree->blocks.data[i])) {
      (void)snprintf(out, 64, "%s:%s", tree->blocks.data[i]->in[TN_BLOCK_LABEL]->attr.text,
                     handle->attr.text);
    }
  }
  return out;
}

static void note_handles(sched_case *c, sched_gen_step *step, const tn_node *v) {
  if (tn_is(v, TN_OP_LIST)) {
    for (uint32_t i = 0; i < v->n_in; ++i) {
      note_handles(c, step, v->in[i]);
    }
  } else if ((tn_is(v, TN_OP_VAR) || tn_is(v, TN_OP_LABEL)) &&
             step->n_handles < SCHED_GEN_MAX_HANDLES) {
    sched_gen_handle *handle = &step->handles[step->n_handles++];
    handle->node = v;
    (void)name_of(c, v, handle->name);
  }
}

/* Sampled VARs as numbers. */
static const tn_node *with_numbers(sched_case *c, const tn_node *v) {
  int64_t value = 0;
  if (v != NULL && tn_is(v, TN_OP_VAR) && tn_sched_value(c->s, v, &value)) {
    return tn_int(c->before.ir, TN_DT_I32, value);
  }
  for (uint32_t i = 0; v != NULL && tn_is(v, TN_OP_LIST) && i < v->n_in; ++i) {
    v = tn_with_child(c->before.ir, v, i, with_numbers(c, v->in[i]));
  }
  return v;
}

static bool is_as_before(const tn_module *before, const tn_module *now) {
  bool is_same = before->n_funcs == now->n_funcs;
  for (uint32_t i = 0; is_same && i < now->n_funcs; ++i) {
    is_same = before->funcs[i].func == now->funcs[i].func;
  }
  return is_same;
}

static bool verifies(const tn_module *module) {
  tn_diags diags = {0};
  for (uint32_t i = 0; i < module->n_funcs; ++i) {
    tn_tir_verify(module->ir, module->funcs[i].func, &diags);
  }
  bool is_ok = diags.n == 0;
  tn_status_free(tn_diags_to_status(&diags, module->ir));
  return is_ok;
}

static void note_sampled(sched_gen *g, const tn_node *out) {
  for (uint32_t i = 0; tn_is(out, TN_OP_LIST) && i < out->n_in; ++i) {
    note_sampled(g, out->in[i]);
  }
  if (tn_is(out, TN_OP_VAR) && tn_sched_value(g->c->s, out, NULL)) {
    g->sampled[g->n_sampled < 8 ? g->n_sampled++ : below(g, 8)] = out;
  }
}

static bool apply(sched_gen *g, const tn_prim *prim, uint32_t n, const tn_node *const *args) {
  uint32_t n_prims = 0;
  const tn_prim *prims = tn_prim_all(&n_prims);
  sched_gen_step *step = &g->steps[g->n_steps];
  const tn_node *out = NULL;
  tn_module before;
  if (g->n_steps + 1 >= SCHED_GEN_MAX_STEPS || g->problem != NULL) {
    return false;
  }
  *step = (sched_gen_step){.prim = prim, .n_args = n};
  for (uint32_t i = 0; i < n; ++i) {
    step->args[i] = with_numbers(g->c, args[i]);
    if (args[i] != NULL) {
      note_handles(g->c, step, step->args[i]);
    }
  }
  tn_module_init_copy(&before, tn_sched_module(g->c->s));
  tn_status st = tn_sched_apply(g->c->s, prim, n, args, &out);
  bool is_same = is_as_before(&before, tn_sched_module(g->c->s));
  tn_module_deinit(&before);
  if (g->counts != NULL) {
    sched_gen_counts *counts = &g->counts[prim - prims];
    counts->accepted += st == NULL;
    counts->refused += st != NULL;
  }
  if (st == NULL) {
    ++g->n_steps;
    note_sampled(g, out);
  }
  if ((st != NULL || prim->kind != TN_PRIM_STEP) && !is_same) {
    g->problem = "a step that was refused, or only looks, changed the program";
  } else if (st == NULL && !verifies(tn_sched_module(g->c->s))) {
    g->problem = "does not verify";
  }
  if (prim->kind == TN_PRIM_SAMPLE && st == NULL) { /* as it was decided */
    const tn_sched_step *last = tn_sched_step_at(g->c->s, tn_sched_n_steps(g->c->s) - 1);
    step->n_args = last->args->n_in;
    step->args[step->n_args - 1] = last->args->in[step->n_args - 1];
    note_handles(g->c, step, step->args[step->n_args - 1]);
  }
  tn_status_free(st);
  return st == NULL;
}

static bool do_prim(sched_gen *g, const char *name) {
  tn_prim_param params[TN_PRIM_MAX_PARAMS];
  const tn_node *args[TN_PRIM_MAX_PARAMS] = {0};
  const tn_prim *prim = tn_prim_find(name);
  uint32_t n = tn_prim_params(prim, params);
  const tn_node *block = NULL;
  for (uint32_t i = 0; i < n; ++i) { /* loops are chosen by their block */
    block = strcmp(params[i].type, "block") == 0 ? likely_block(g, name) : block;
    if (strcmp(params[i].type, "block") == 0) {
      args[i] = block;
    }
  }
  for (uint32_t i = 0; i < n; ++i) {
    args[i] = args[i] != NULL ? args[i] : any_arg(g, prim, &params[i], args, block);
  }
  if (n > 0 && one_in(g, 25)) {
    args[below(g, n)] = nonsense(g);
  }
  if (strcmp(name, "fuse_reduction_epilogue") == 0 && args[0] != NULL) {
    const tn_node *next = neighbour(g, args[0], true);
    args[1] = next == NULL ? args[1] : next;
  }
  return apply(g, prim, n, args);
}

/* ---- steps that need others before them ---- */

static const tn_node *split_of(sched_gen *g, const tn_node *loop, int64_t factor) {
  const tn_node *factors =
      list(g, 2, (const tn_node *[]){tn_none(g->c->before.ir), i32(g, factor)});
  if (loop == NULL || !apply(g, tn_prim_find("split"), 2, (const tn_node *[]){loop, factors})) {
    return NULL;
  }
  const tn_sched_step *last = tn_sched_step_at(g->c->s, tn_sched_n_steps(g->c->s) - 1);
  return last->out->in[1];
}

static void tensorize_inner(sched_gen *g) {
  const tn_node *block = block_with_init(g);
  const tn_node *loops[TN_SCHED_MAX_LOOPS];
  uint32_t n = block == NULL ? 0 : tn_tree_loops(tree_of(g->c), site(g, block), loops);
  const tn_node *inner = n == 0 ? NULL : split_of(g, loops[n - 1]->in[TN_FOR_VAR], 4);
  if (inner != NULL) {
    (void)apply(g, tn_prim_find("tensorize"), 2, (const tn_node *[]){inner, str(g, "dot:fast")});
  }
}

static void roll(sched_gen *g) {
  const tn_node *block = block_with_neighbour(g, true);
  const tn_node *loop = likely_loop(g, "compute_at", block);
  if (block != NULL && loop != NULL &&
      apply(g, tn_prim_find("compute_at"), 2, (const tn_node *[]){block, loop})) {
    (void)apply(g, tn_prim_find("rolling_buffer"), 2, (const tn_node *[]){block, i32(g, 0)});
  }
}

static void cut_and_bind(sched_gen *g) {
  static const char *const next[] = {"vectorize", "unroll", "parallel", "bind"};
  if (split_of(g, any_loop(g), 4) != NULL) {
    (void)do_prim(g, "reorder");
    (void)do_prim(g, next[below(g, 4)]);
  }
}

static void annotate_both(sched_gen *g) {
  (void)do_prim(g, "annotate");
  (void)do_prim(g, "unannotate");
}

static void write_tile(sched_gen *g) {
  const tn_node *block = block_with_init(g);
  if (block == NULL || !apply(g, tn_prim_find("cache_write"), 3,
                              (const tn_node *[]){block, i32(g, 0), str(g, "local")})) {
    return;
  }
  const tn_sched_step *last = tn_sched_step_at(g->c->s, tn_sched_n_steps(g->c->s) - 1);
  const tn_node *loop = loop_around(g, block);
  (void)apply(g, tn_prim_find("reverse_compute_at"), 2, (const tn_node *[]){last->out, loop});
  if (one_in(g, 2)) {
    (void)apply(g, tn_prim_find("decompose_reduction"), 2,
                (const tn_node *[]){block, loop_around(g, block)});
  }
}

/* Those that seldom fit are tried more often. */
static void do_rare(sched_gen *g) {
  static const char *const rare[] = {"pad_einsum",
                                     "decompose_padding",
                                     "fuse_reduction_epilogue",
                                     "rolling_buffer",
                                     "rfactor",
                                     "merge",
                                     "loop_partition",
                                     "cache_inplace",
                                     "cache_index",
                                     "reverse_compute_inline",
                                     "compute_inline",
                                     "storage_align",
                                     "read_at",
                                     "write_at",
                                     "reindex_cache_read",
                                     "reindex_cache_write",
                                     "transform_layout",
                                     "transform_block_layout",
                                     "set_scope",
                                     "blockize"};
  (void)do_prim(g, rare[below(g, TN_N_ROWS(rare))]);
}

/* A block that chooses between a value and a constant, or any. */
static const tn_node *padding_block(sched_gen *g) {
  for (uint32_t i = 0; i < 8; ++i) {
    const tn_node *block = site(g, any_block(g));
    const tn_node *body = block == NULL ? NULL : block->in[TN_BLOCK_BODY];
    if (body != NULL && tn_is(body, TN_OP_STORE) &&
        (tn_is(body->in[TN_STORE_VALUE], TN_OP_IF_THEN_ELSE) ||
         tn_is(body->in[TN_STORE_VALUE], TN_OP_SELECT))) {
      return block->in[TN_BLOCK_LABEL];
    }
  }
  return NULL;
}

/* Steps that need a program as it was written: only the first can be one. */
static void do_opener(sched_gen *g) {
  const tn_node *padding = padding_block(g);
  if (one_in(g, 3)) {
    (void)do_prim(g, "fuse_reduction_epilogue");
  } else if (tn_module_find(tn_sched_module(g->c->s), "dot") != NULL) {
    tensorize_inner(g);
  } else if (padding != NULL) {
    if (one_in(g, 2)) {
      (void)split_of(g, loop_around(g, padding), 1 + below(g, 4));
    }
    (void)apply(g, tn_prim_find("decompose_padding"), 2,
                (const tn_node *[]){padding, loop_around(g, padding)});
  } else {
    do_rare(g);
  }
}

void sched_gen_any(sched_gen *g) {
  uint32_t n_prims = 0;
  const tn_prim *prims = tn_prim_all(&n_prims);
  if (g->n_steps == 0 && one_in(g, 2)) {
    do_opener(g);
    return;
  }
  switch (below(g, 24)) {
    case 0:
      tensorize_inner(g);
      break;
    case 1:
      roll(g);
      break;
    case 2:
      cut_and_bind(g);
      break;
    case 3:
      annotate_both(g);
      break;
    case 4:
      write_tile(g);
      break;
    case 5:
    case 6:
    case 7:
    case 8:
      do_rare(g);
      break;
    default:
      (void)do_prim(g, prims[below(g, n_prims)].name);
      break;
  }
}

/* ---- again ---- */

static const tn_node *found_again(sched_case *c, const sched_gen_step *step, const tn_node *v,
                                  bool *is_missing) {
  for (uint32_t i = 0; i < step->n_handles; ++i) {
    if (step->handles[i].node == v) {
      const tn_node *found = sched_find(c, step->handles[i].name);
      *is_missing = *is_missing || found == NULL;
      return found;
    }
  }
  for (uint32_t i = 0; tn_is(v, TN_OP_LIST) && i < v->n_in; ++i) {
    const tn_node *item = found_again(c, step, v->in[i], is_missing);
    if (*is_missing) {
      return NULL;
    }
    v = tn_with_child(c->before.ir, v, i, item);
  }
  return v;
}

bool sched_gen_redo(sched_case *c, const sched_gen_step *step) {
  const tn_node *args[TN_PRIM_MAX_PARAMS] = {0};
  bool is_missing = false;
  for (uint32_t i = 0; i < step->n_args && !is_missing; ++i) {
    args[i] = step->args[i] == NULL ? NULL : found_again(c, step, step->args[i], &is_missing);
  }
  if (is_missing) {
    return false;
  }
  tn_status st = tn_sched_apply(c->s, step->prim, step->n_args, args, NULL);
  tn_status_free(st);
  return st == NULL;
}

static void print_value(const sched_gen_step *step, const tn_node *v, tn_buf *out) {
  for (uint32_t i = 0; i < step->n_handles; ++i) {
    if (step->handles[i].node == v) {
      tn_buf_puts(out, step->handles[i].name);
      return;
    }
  }
  if (tn_is(v, TN_OP_LIST)) {
    tn_buf_puts(out, "[");
    for (uint32_t i = 0; i < v->n_in; ++i) {
      tn_buf_puts(out, i == 0 ? "" : ", ");
      print_value(step, v->in[i], out);
    }
    tn_buf_puts(out, "]");
  } else if (tn_is(v, TN_OP_INT) && v->dtype == TN_DT_BOOL) {
    tn_buf_puts(out, v->attr.i64 != 0 ? "True" : "False");
  } else if (tn_is(v, TN_OP_INT)) {
    tn_buf_printf(out, "%lld", (long long)v->attr.i64);
  } else if (tn_is(v, TN_OP_FLOAT)) {
    tn_buf_printf(out, "%.3f", v->attr.f64);
  } else if (tn_is(v, TN_OP_STR)) {
    tn_buf_printf(out, "\"%s\"", v->attr.text);
  } else if (tn_is_none(v)) {
    tn_buf_puts(out, "None");
  } else {
    tn_script_print_node(v, out);
  }
}

void sched_gen_print(const sched_gen_step *step, tn_buf *out) {
  tn_prim_param params[TN_PRIM_MAX_PARAMS];
  bool is_first = true;
  (void)tn_prim_params(step->prim, params);
  tn_buf_printf(out, "%s(", step->prim->name);
  for (uint32_t i = 0; i < step->n_args; ++i) {
    if (step->args[i] == NULL) {
      continue;
    }
    tn_buf_puts(out, is_first ? "" : ", ");
    if (params[i].is_rest && tn_is(step->args[i], TN_OP_LIST)) {
      for (uint32_t k = 0; k < step->args[i]->n_in; ++k) {
        tn_buf_puts(out, k == 0 ? "" : ", ");
        print_value(step, step->args[i]->in[k], out);
      }
    } else {
      tn_buf_printf(out, "%s=", params[i].name);
      print_value(step, step->args[i], out);
    }
    is_first = false;
  }
  tn_buf_puts(out, ")");
}
