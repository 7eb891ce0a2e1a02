/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Steps of a small program, listed and judged: see sched_oracle.h. Values are numbers mixed from the
 * step and what it reads, so that two orders give the same memory only where no access that matters
 * changed its place. */
#include "sched_oracle.h"

#include "base/hash.h"

/* ---- listing ---- */

static void set_var(oracle *o, const tn_node *var, int64_t value) {
  for (uint32_t i = 0; i < o->n_vars; ++i) {
    if (o->vars[i] == var) {
      o->values[i] = value;
      return;
    }
  }
  assert_true(o->n_vars < ORACLE_MAX_VARS);
  o->vars[o->n_vars] = var;
  o->values[o->n_vars++] = value;
}

static int64_t floor_div(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static int64_t eval(const oracle *o, const tn_node *n) {
  if (tn_is(n, TN_OP_INT)) {
    return n->attr.i64;
  }
  if (tn_is(n, TN_OP_VAR)) {
    for (uint32_t i = 0; i < o->n_vars; ++i) {
      if (o->vars[i] == n) {
        return o->values[i];
      }
    }
    fail_msg("'%s' has no value", n->attr.text);
  }
  int64_t a = eval(o, n->in[0]);
  int64_t b = n->n_in > 1 ? eval(o, n->in[1]) : 0;
  switch ((tn_op)n->op) {
    case TN_OP_ADD:
      return a + b;
    case TN_OP_SUB:
      return a - b;
    case TN_OP_MUL:
      return a * b;
    case TN_OP_FLOORDIV:
      return floor_div(a, b);
    case TN_OP_FLOORMOD:
      return a - b * floor_div(a, b);
    case TN_OP_LT:
      return a < b;
    case TN_OP_LE:
      return a <= b;
    case TN_OP_AND:
      return a != 0 && b != 0;
    case TN_OP_CAST:
      return a;
    default:
      fail_msg("an index with '%s'", tn_op_info_get((tn_op)n->op)->text);
      return 0;
  }
}

static void add_touch(const oracle *o, oracle_step *step, const tn_node *buffer, uint32_t n,
                      const tn_node *const *indices, bool is_write) {
  int64_t element = 0;
  for (uint32_t d = 0; d < n; ++d) {
    element = element * 64 + eval(o, indices[d]);
  }
  assert_true(step->n_touches < ORACLE_MAX_TOUCHES);
  step->touches[step->n_touches++] =
      (oracle_touch){.buffer = buffer->id, .element = element, .is_write = is_write};
}

static void add_touches(const oracle *o, oracle_step *step, const tn_node *n) {
  bool is_load = tn_is(n, TN_OP_LOAD);
  if (is_load || tn_is(n, TN_OP_STORE)) {
    uint32_t first = is_load ? TN_LOAD_INDICES : TN_STORE_INDICES;
    add_touch(o, step, n->in[is_load ? TN_LOAD_BUFFER : TN_STORE_BUFFER], n->n_in - first,
              (const tn_node *const *)n->in + first, !is_load);
  }
  for (uint32_t i = 0; i < n->n_in; ++i) {
    if (!tn_is(n->in[i], TN_OP_BUFFER)) {
      add_touches(o, step, n->in[i]);
    }
  }
}

static oracle_step *add_step(oracle *o, const tn_node *stmt) {
  assert_true(o->n_steps < ORACLE_MAX_STEPS);
  oracle_step *step = &o->steps[o->n_steps++];
  *step = (oracle_step){.stmt = stmt, .n_loops = o->n_loops};
  for (uint32_t i = 0; i < o->n_loops; ++i) {
    step->loops[i] = o->loops[i];
    step->rounds[i] = eval(o, o->loops[i]);
  }
  return step;
}

static void list_block(oracle *o, const tn_node *block) {
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  bool is_first = true;
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    int64_t value = eval(o, iters->in[i]->in[TN_ITER_BINDING]);
    set_var(o, iters->in[i]->in[TN_ITER_VAR], value);
    is_first = is_first && (iters->in[i]->attr.i64 != TN_ITER_REDUCE ||
                            value == eval(o, iters->in[i]->in[TN_ITER_MIN]));
  }
  if (eval(o, block->in[TN_BLOCK_PREDICATE]) == 0) {
    return;
  }
  oracle_step *step = add_step(o, block);
  step->is_update = !tn_is_none(block->in[TN_BLOCK_INIT]);
  step->is_first = step->is_update && is_first;
  add_touches(o, step, block->in[TN_BLOCK_BODY]);
}

static void list_steps(oracle *o, const tn_node *n) {
  if (tn_is(n, TN_OP_SEQ)) {
    for (uint32_t i = 0; i < n->n_in; ++i) {
      list_steps(o, n->in[i]);
    }
  } else if (tn_is(n, TN_OP_FOR)) {
    int64_t begin = eval(o, n->in[TN_FOR_MIN]);
    int64_t end = begin + eval(o, n->in[TN_FOR_EXTENT]);
    assert_true(o->n_loops < ORACLE_MAX_DEPTH);
    o->loops[o->n_loops++] = n->in[TN_FOR_VAR];
    for (int64_t i = begin; i < end; ++i) {
      set_var(o, n->in[TN_FOR_VAR], i);
      list_steps(o, n->in[TN_FOR_BODY]);
    }
    --o->n_loops;
  } else if (tn_is(n, TN_OP_BLOCK) && n->in[TN_BLOCK_ITERS]->n_in > 0) {
    list_block(o, n);
  } else if (tn_is(n, TN_OP_BLOCK)) { /* the root */
    list_steps(o, n->in[TN_BLOCK_BODY]);
  } else {
    assert_true(tn_is(n, TN_OP_STORE));
    add_touches(o, add_step(o, n), n);
  }
}

void oracle_run(oracle *o, const tn_node *func) {
  memset(o, 0, sizeof *o);
  list_steps(o, func->in[TN_PRIM_FUNC_BODY]);
}

/* ---- order ---- */

static bool meet(const oracle_step *a, const oracle_step *b, bool frees_updates) {
  for (uint32_t i = 0; i < a->n_touches; ++i) {
    for (uint32_t k = 0; k < b->n_touches; ++k) {
      const oracle_touch *x = &a->touches[i];
      const oracle_touch *y = &b->touches[k];
      if (x->buffer == y->buffer && x->element == y->element && (x->is_write || y->is_write) &&
          !(frees_updates && a->stmt == b->stmt && a->is_update && !a->is_first && !b->is_first)) {
        return true;
      }
    }
  }
  return false;
}

/* Place of the loop among those around the step; n_loops when it is not. */
static uint32_t depth_of(const oracle_step *step, const tn_node *loop) {
  uint32_t d = 0;
  while (d < step->n_loops && step->loops[d] != loop) {
    ++d;
  }
  return d;
}

static bool same_rounds(const oracle_step *a, const oracle_step *b, uint32_t n) {
  bool are = a->n_loops >= n && b->n_loops >= n;
  for (uint32_t i = 0; i < n && are; ++i) {
    are = a->loops[i] == b->loops[i] && a->rounds[i] == b->rounds[i];
  }
  return are;
}

bool oracle_rounds_apart(const oracle *o, const tn_node *loop) {
  for (uint32_t i = 0; i < o->n_steps; ++i) {
    const oracle_step *a = &o->steps[i];
    uint32_t d = depth_of(a, loop);
    for (uint32_t k = i + 1; k < o->n_steps && d < a->n_loops; ++k) {
      const oracle_step *b = &o->steps[k];
      if (depth_of(b, loop) == d && d < b->n_loops && same_rounds(a, b, d) &&
          a->rounds[d] != b->rounds[d] && meet(a, b, false)) {
        return false;
      }
    }
  }
  return true;
}

/* Does a come after b in the new order? a comes first in the old one. */
static bool is_swapped(const oracle_step *a, const oracle_step *b, uint32_t n,
                       const tn_node *const *old, const tn_node *const *now) {
  for (uint32_t d = 0; d < a->n_loops && d < b->n_loops; ++d) {
    if (a->loops[d] != b->loops[d]) {
      return false;
    }
    const tn_node *loop = a->loops[d];
    for (uint32_t i = 0; i < n; ++i) {
      loop = old[i] == a->loops[d] ? now[i] : loop;
    }
    int64_t x = a->rounds[depth_of(a, loop)];
    int64_t y = b->rounds[depth_of(b, loop)];
    if (x != y) {
      return x > y;
    }
  }
  return false;
}

bool oracle_may_reorder(const oracle *o, uint32_t n, const tn_node *const *old,
                        const tn_node *const *now) {
  for (uint32_t i = 0; i < o->n_steps; ++i) {
    for (uint32_t k = i + 1; k < o->n_steps; ++k) {
      if (is_swapped(&o->steps[i], &o->steps[k], n, old, now) &&
          meet(&o->steps[i], &o->steps[k], true)) {
        return false;
      }
    }
  }
  return true;
}

/* ---- values ---- */

enum { MAX_CELLS = 1024 };

typedef struct memory {
  uint32_t n;
  struct {
    uint32_t buffer;
    int64_t element;
    uint64_t value;
  } cells[MAX_CELLS];
} memory;

static uint64_t *cell(memory *m, const oracle_touch *t) {
  for (uint32_t i = 0; i < m->n; ++i) {
    if (m->cells[i].buffer == t->buffer && m->cells[i].element == t->element) {
      return &m->cells[i].value;
    }
  }
  assert_true(m->n < MAX_CELLS);
  m->cells[m->n].buffer = t->buffer;
  m->cells[m->n].element = t->element;
  m->cells[m->n].value = tn_hash_mix(t->buffer, (uint64_t)t->element);
  return &m->cells[m->n++].value;
}

static void do_first(memory *m, const oracle_step *step) {
  for (uint32_t i = 0; i < step->n_touches; ++i) {
    if (step->touches[i].is_write) {
      *cell(m, &step->touches[i]) = 1;
    }
  }
}

/* Updates add, so that their order does not matter. */
static void do_step(memory *m, const oracle_step *step, bool with_first) {
  const oracle_touch *written = NULL;
  for (uint32_t i = 0; i < step->n_touches; ++i) {
    written = step->touches[i].is_write ? &step->touches[i] : written;
  }
  if (step->is_first && with_first) {
    do_first(m, step);
  }
  uint64_t value = step->stmt->id;
  for (uint32_t i = 0; i < step->n_touches; ++i) {
    const oracle_touch *t = &step->touches[i];
    bool is_sum = step->is_update && t->buffer == written->buffer && t->element == written->element;
    value = t->is_write || is_sum ? value : tn_hash_mix(value, *cell(m, t));
  }
  *cell(m, written) = step->is_update ? *cell(m, written) + value : value;
}

static void do_all(memory *m, const oracle *o) {
  m->n = 0;
  for (uint32_t i = 0; i < o->n_steps; ++i) {
    do_step(m, &o->steps[i], true);
  }
}

static bool same_memory(memory *a, memory *b, uint32_t but) {
  for (uint32_t i = 0; i < a->n; ++i) {
    oracle_touch t = {.buffer = a->cells[i].buffer, .element = a->cells[i].element};
    uint64_t value = a->cells[i].value;
    if (t.buffer != but && *cell(b, &t) != value) {
      return false;
    }
  }
  return true;
}

bool oracle_may_decompose(const oracle *o, const tn_node *block, const tn_node *loop) {
  static memory want;
  static memory got;
  do_all(&want, o);
  got.n = 0;
  for (uint32_t i = 0; i < o->n_steps; ++i) {
    const oracle_step *a = &o->steps[i];
    uint32_t d = depth_of(a, loop);
    bool begins = d < a->n_loops && (i == 0 || !same_rounds(a, &o->steps[i - 1], d) ||
                                     depth_of(&o->steps[i - 1], loop) != d);
    for (uint32_t k = i; begins && k < o->n_steps; ++k) {
      const oracle_step *b = &o->steps[k];
      if (b->stmt == block && depth_of(b, loop) == d && same_rounds(a, b, d)) {
        do_first(&got, b);
      }
    }
    do_step(&got, a, a->stmt != block);
  }
  return same_memory(&want, &got, 0);
}

static bool reads_of(const oracle_step *reader, const oracle_step *writer) {
  for (uint32_t i = 0; i < reader->n_touches; ++i) {
    for (uint32_t k = 0; k < writer->n_touches; ++k) {
      if (!reader->touches[i].is_write && writer->touches[k].is_write &&
          reader->touches[i].buffer == writer->touches[k].buffer &&
          reader->touches[i].element == writer->touches[k].element) {
        return true;
      }
    }
  }
  return false;
}

bool oracle_may_compute_at(const oracle *o, const tn_node *producer, const tn_node *loop) {
  static memory want;
  static memory got;
  uint32_t but = 0;
  do_all(&want, o);
  got.n = 0;
  for (uint32_t i = 0; i < o->n_steps; ++i) {
    const oracle_step *a = &o->steps[i];
    uint32_t d = depth_of(a, loop) + 1;
    bool begins = d <= a->n_loops && (i == 0 || !same_rounds(a, &o->steps[i - 1], d));
    for (uint32_t p = 0; begins && p < o->n_steps; ++p) {
      bool is_needed = false;
      for (uint32_t k = i; o->steps[p].stmt == producer && k < o->n_steps; ++k) {
        is_needed =
            is_needed || (same_rounds(a, &o->steps[k], d) && reads_of(&o->steps[k], &o->steps[p]));
      }
      if (is_needed) {
        do_step(&got, &o->steps[p], true);
      }
    }
    if (a->stmt != producer) {
      do_step(&got, a, true);
    } else {
      for (uint32_t k = 0; k < a->n_touches; ++k) {
        but = a->touches[k].is_write ? a->touches[k].buffer : but;
      }
    }
  }
  return same_memory(&want, &got, but);
}
