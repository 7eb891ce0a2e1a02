/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Recognises how a reduction block combines.
 *
 *   C[i] = C[i] + rest                    one value: + * min max and or & | ^, and min and max that
 *                                         give NaN where either is (tn_tir_extremum)
 *   V[i] = Select(V[i] >= v, V[i], v)     several, chosen together by one comparison of one part;
 *   I[i] = Select(V[i] >= v, I[i], j)     bindings in between are put in their place
 *
 * A choice that keeps the old value on a tie depends on the order of the steps, and may be split
 * into parts that are combined in that order; one that breaks ties by an index does not. A choice
 * that prefers the later step on a tie is refused: each part begins with the first value anew, which
 * would then win over what came before it. */
#include "sched/reducer.h"

#include <string.h>

#include "sched/loops.h"
#include "sched/rewrite.h"

typedef struct matcher {
  tn_sched *s;
  const tn_node *block;
  tn_reducer *out;
} matcher;

static tn_status unknown(const matcher *m, const char *what) {
  return TN_ERR(TN_INVALID,
                "block '%s' is no reduction that can be done in parts: %s; known are +, *, min, "
                "max, and, or, &, |, ^, and choices as argmax makes them",
                tn_block_name(m->block), what);
}

/* ---- statements ---- */

static tn_status add_init_store(const matcher *m, const tn_node *store) {
  if (!tn_is(store, TN_OP_STORE)) {
    return unknown(m, "its T.init() is more than stores");
  }
  for (uint32_t k = 0; k < m->out->n; ++k) {
    const tn_node *mine = m->out->stores[k];
    if (mine->in[TN_STORE_BUFFER] != store->in[TN_STORE_BUFFER] || mine->n_in != store->n_in) {
      continue;
    }
    bool is_same = tn_is_none(store->in[TN_STORE_PREDICATE]);
    for (uint32_t i = TN_STORE_INDICES; i < store->n_in; ++i) {
      is_same = is_same && mine->in[i] == store->in[i];
    }
    if (is_same && m->out->firsts[k] == NULL) {
      m->out->firsts[k] = store->in[TN_STORE_VALUE];
      return NULL;
    }
  }
  return unknown(m, "its T.init() stores elsewhere than its body");
}

static tn_status read_init(const matcher *m) {
  const tn_node *init = m->block->in[TN_BLOCK_INIT];
  if (!tn_is(init, TN_OP_SEQ)) {
    TN_TRY(add_init_store(m, init));
  } else {
    for (uint32_t i = 0; i < init->n_in; ++i) {
      TN_TRY(add_init_store(m, init->in[i]));
    }
  }
  for (uint32_t k = 0; k < m->out->n; ++k) {
    if (m->out->firsts[k] == NULL) {
      return unknown(m, "its T.init() stores less than its body");
    }
  }
  return NULL;
}

static tn_status add_store(const matcher *m, const tn_node *store, const tn_map *lets) {
  tn_ir *ir = m->s->ir;
  tn_reducer *r = m->out;
  if (r->n == TN_REDUCER_MAX_PARTS || !tn_is_none(store->in[TN_STORE_PREDICATE])) {
    return unknown(m, "it has other stores than one a value");
  }
  for (uint32_t k = 0; k < r->n; ++k) {
    if (r->buffers[k]->in[TN_BUFFER_DATA] == store->in[TN_STORE_BUFFER]->in[TN_BUFFER_DATA]) {
      return unknown(m, "it stores twice into one buffer");
    }
  }
  r->buffers[r->n] = store->in[TN_STORE_BUFFER];
  r->stores[r->n] = store;
  r->values[r->n] = tn_subst(ir, store->in[TN_STORE_VALUE], lets);
  r->loads[r->n] = tn_load_new(ir, store->in[TN_STORE_BUFFER], store->n_in - TN_STORE_INDICES,
                               store->in + TN_STORE_INDICES);
  ++r->n;
  return NULL;
}

static bool loads_old(const tn_reducer *r, const tn_node *expr) {
  bool is_found = false;
  for (uint32_t k = 0; k < r->n; ++k) {
    is_found = is_found || tn_loads_data(expr, r->buffers[k]->in[TN_BUFFER_DATA]);
  }
  return is_found;
}

/* Bindings, then stores. A store may not read what one before it stored: all values are of the old
 * elements. */
static tn_status read_body(const matcher *m) {
  const tn_node *body = m->block->in[TN_BLOCK_BODY];
  bool is_seq = tn_is(body, TN_OP_SEQ);
  tn_map lets = {0};
  tn_status st = NULL;
  for (uint32_t i = 0; st == NULL && i < (is_seq ? body->n_in : 1); ++i) {
    const tn_node *stmt = is_seq ? body->in[i] : body;
    if (tn_is(stmt, TN_OP_BIND)) {
      const tn_node *value = tn_subst(m->s->ir, stmt->in[TN_BIND_VALUE], &lets);
      st = m->out->n > 0 && (value->flags & TN_NF_READS) != 0
               ? unknown(m, "it reads after it stores")
               : NULL;
      tn_map_set(&lets, stmt->in[TN_BIND_VAR]->id, (uint64_t)(uintptr_t)value);
    } else if (tn_is(stmt, TN_OP_STORE)) {
      st = loads_old(m->out, stmt->in[TN_STORE_VALUE]) ? unknown(m, "it reads what it just stored")
                                                       : add_store(m, stmt, &lets);
    } else {
      st = unknown(m, "its body is more than stores");
    }
  }
  tn_map_deinit(&lets);
  if (st == NULL && m->out->n == 0) {
    st = unknown(m, "it stores nothing");
  }
  return st;
}

/* ---- one value ---- */

static const tn_node *number(tn_sched *s, tn_dtype dtype, int64_t value) {
  return tn_dtype_is_float(dtype) ? tn_float(s->ir, dtype, (double)value)
                                  : tn_int(s->ir, dtype, value);
}

/* The neutral element; where a first value may be taken in twice (min, max, and, or) that itself. */
static const tn_node *identity_of(const matcher *m, tn_op op, const tn_node *first) {
  if (op == TN_OP_ADD || op == TN_OP_BXOR) {
    return number(m->s, first->dtype, 0);
  }
  return op == TN_OP_MUL ? number(m->s, first->dtype, 1) : first;
}

static tn_status match_one(const matcher *m) {
  static const tn_op known[] = {TN_OP_ADD, TN_OP_MUL,  TN_OP_MIN, TN_OP_MAX, TN_OP_AND,
                                TN_OP_OR,  TN_OP_BAND, TN_OP_BOR, TN_OP_BXOR};
  tn_reducer *r = m->out;
  const tn_node *extremum = tn_tir_find_extremum(r->values[0]);
  const tn_node *value = extremum != NULL ? extremum : r->values[0];
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
    for (uint32_t side = 0; value->op == known[i] && side < 2; ++side) {
      if (value->in[side] == r->loads[0] && !loads_old(r, value->in[1 - side])) {
        r->rests[0] = value->in[1 - side];
        r->identities[0] = identity_of(m, known[i], r->firsts[0]);
        r->is_neutral = known[i] == TN_OP_ADD || known[i] == TN_OP_MUL || known[i] == TN_OP_BXOR;
        return NULL;
      }
    }
  }
  return unknown(m, "its value is no combination of the old one and one that is free of it");
}

/* ---- a choice ---- */

static uint32_t part_loaded(const tn_reducer *r, const tn_node *expr) {
  uint32_t k = 0;
  while (k < r->n && r->loads[k] != expr) {
    ++k;
  }
  return k;
}

/* old op new, either way round: the op as if the old value stood on the left. False: no comparison of
 * a part with what comes in for it. */
static bool compares(const tn_reducer *r, const tn_node *cond, tn_op *out_op, uint32_t *out_part) {
  static const struct {
    tn_op op;
    tn_op swapped;
  } ops[] = {{TN_OP_GT, TN_OP_LT},
             {TN_OP_GE, TN_OP_LE},
             {TN_OP_LT, TN_OP_GT},
             {TN_OP_LE, TN_OP_GE},
             {TN_OP_EQ, TN_OP_EQ}};
  for (size_t i = 0; i < sizeof ops / sizeof *ops; ++i) {
    for (uint32_t side = 0; cond->op == ops[i].op && side < 2; ++side) {
      uint32_t part = part_loaded(r, cond->in[side]);
      if (part < r->n && cond->in[1 - side] == r->rests[part]) {
        *out_op = side == 0 ? ops[i].op : ops[i].swapped;
        *out_part = part;
        return true;
      }
    }
  }
  return false;
}

static bool is_strict(tn_op op) { return op == TN_OP_GT || op == TN_OP_LT; }

/* old > new or (old == new and old index < new index): an order of pairs without ties. */
static bool breaks_ties(const tn_reducer *r, const tn_node *cond) {
  tn_op op = TN_OP_EQ;
  tn_op tie = TN_OP_EQ;
  tn_op second = TN_OP_EQ;
  uint32_t key = 0;
  uint32_t tied = 0;
  uint32_t index = 0;
  return tn_is(cond, TN_OP_OR) && compares(r, cond->in[TN_A], &op, &key) && is_strict(op) &&
         tn_is(cond->in[TN_B], TN_OP_AND) && compares(r, cond->in[TN_B]->in[TN_A], &tie, &tied) &&
         tie == TN_OP_EQ && tied == key && compares(r, cond->in[TN_B]->in[TN_B], &second, &index) &&
         second != TN_OP_EQ && index != key && r->n == 2;
}

static tn_status match_choice(const matcher *m) {
  tn_reducer *r = m->out;
  const tn_node *cond = NULL;
  bool keeps_old = false; /* when cond is true */
  for (uint32_t k = 0; k < r->n; ++k) {
    const tn_node *value = r->values[k];
    if (!tn_is(value, TN_OP_SELECT) && !tn_is(value, TN_OP_IF_THEN_ELSE)) {
      return unknown(m, "its values are not chosen together");
    }
    bool is_old_first = value->in[TN_SELECT_A] == r->loads[k];
    bool is_old_last = value->in[TN_SELECT_B] == r->loads[k];
    r->rests[k] = value->in[is_old_first ? TN_SELECT_B : TN_SELECT_A];
    if (is_old_first == is_old_last || loads_old(r, r->rests[k]) ||
        (k > 0 && (cond != value->in[TN_SELECT_COND] || keeps_old != is_old_first))) {
      return unknown(m, "its values are not chosen together");
    }
    cond = value->in[TN_SELECT_COND];
    keeps_old = is_old_first;
    r->identities[k] = r->firsts[k];
  }
  tn_op op = TN_OP_EQ;
  uint32_t part = 0;
  if (breaks_ties(r, cond)) {
    return NULL;
  }
  if (!compares(r, cond, &op, &part) || op == TN_OP_EQ) {
    return unknown(m, "it does not choose by one comparison of an old value with what comes in");
  }
  if (keeps_old == is_strict(op)) {
    return unknown(m, "on a tie it prefers the later step");
  }
  r->is_ordered = true;
  return NULL;
}

tn_status tn_reducer_find(tn_sched *s, const tn_node *block, tn_reducer *out) {
  matcher m = {.s = s, .block = block, .out = out};
  *out = (tn_reducer){0};
  if (block->in[TN_BLOCK_MATCHES]->n_in > 0 || block->in[TN_BLOCK_ALLOCS]->n_in > 0) {
    return unknown(&m, "it has views or memory of its own");
  }
  TN_TRY(read_body(&m));
  TN_TRY(read_init(&m));
  bool is_choice =
      tn_tir_find_extremum(out->values[0]) == NULL &&
      (tn_is(out->values[0], TN_OP_SELECT) || tn_is(out->values[0], TN_OP_IF_THEN_ELSE));
  return out->n == 1 && !is_choice ? match_one(&m) : match_choice(&m);
}
