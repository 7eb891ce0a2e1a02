/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Memory that each round of a loop uses for itself, so that lowering gives each its own
 * (compact_buffers) and rounds that run at once do not meet in it:
 *
 *   for io in T.parallel(4):
 *       for ii, k in T.grid(8, 32):  A_local[ii, k] = ..        every round writes all of it ..
 *       for ii, j, k in ..:          .. A_local[ii, k] ..       .. before it reads it
 *
 * It is memory of the loop's scope, nothing outside of the loop touches it, and whatever a step
 * reads of it a step before it in the same round has written for certain: in the same rounds of
 * the loops that both are in and earlier in the text, or in an earlier round of one of them. */
#include "sched/deps.h"
#include "sched/loops.h"
#include "sched/rewrite.h"

typedef TN_VEC(tn_footprint) print_list;

typedef struct prover {
  tn_sched *s;
  const tn_tree *tree;
  tn_touches *touches; /* of the loop */
  print_list writes;   /* before the read in question */
} prover;

/* ---- what comes before a read ---- */

/* Loops, from the outermost, that two steps share. */
static uint32_t n_shared(const tn_touch *a, const tn_touch *b) {
  uint32_t n = 0;
  while (n < a->print.domain.n && n < b->print.domain.n &&
         a->print.domain.vars[n] == b->print.domain.vars[n]) {
    ++n;
  }
  return n;
}

static const tn_node **subst_all(prover *p, uint32_t n, const tn_node *const *exprs,
                                 const tn_map *map) {
  const tn_node **out = TN_ARENA_ARRAY(&p->touches->arena, const tn_node *, n);
  for (uint32_t i = 0; i < n; ++i) {
    out[i] = tn_subst(p->s->ir, exprs[i], map);
  }
  return out;
}

/* The write with values for the first loops: the footprint over the loops from `first` on. */
static tn_footprint write_at(prover *p, const tn_touch *write, const tn_node *cond, uint32_t first,
                             const tn_map *values) {
  const tn_domain *domain = &write->print.domain;
  const tn_access *access = &write->print.access;
  tn_footprint out = {.domain = {.n = domain->n - first}, .access = {.n_dims = access->n_dims}};
  out.domain.vars = subst_all(p, out.domain.n, domain->vars + first, values);
  out.domain.mins = subst_all(p, out.domain.n, domain->mins + first, values);
  out.domain.extents = subst_all(p, out.domain.n, domain->extents + first, values);
  out.domain.cond = cond == NULL ? NULL : tn_subst(p->s->ir, cond, values);
  out.access.mins = subst_all(p, access->n_dims, access->mins, values);
  out.access.extents =
      access->extents == NULL ? NULL : subst_all(p, access->n_dims, access->extents, values);
  return out;
}

/* In an earlier round of loop `level`, those around it in equal rounds. */
static void add_earlier_round(prover *p, const tn_touch *write, const tn_node *cond, uint32_t level,
                              uint32_t n_equal) {
  tn_ir *ir = p->s->ir;
  const tn_node *const *vars = write->print.domain.vars;
  const tn_node *loop = tn_tree_site(p->tree, vars[level]);
  if (loop->attr.i64 != TN_FOR_SERIAL && loop->attr.i64 != TN_FOR_UNROLLED) {
    return; /* no round comes first */
  }
  tn_map renamed = {0};
  for (uint32_t i = level; i < n_equal; ++i) {
    const tn_node *other = tn_var_new(ir, vars[i]->attr.text, vars[i]->dtype);
    tn_map_set(&renamed, vars[i]->id, (uint64_t)(uintptr_t)other);
  }
  tn_footprint print = write_at(p, write, cond, level, &renamed);
  const tn_node *is_earlier = tn_binary(ir, TN_OP_LT, print.domain.vars[0], vars[level]);
  print.domain.cond =
      print.domain.cond == NULL ? is_earlier : tn_sched_and(ir, print.domain.cond, is_earlier);
  TN_VEC_PUSH(&p->writes, print);
  tn_map_deinit(&renamed);
}

/* All of a write that comes before a read. */
static void add_write(prover *p, const tn_touch *write, const tn_node *cond, const tn_touch *read,
                      bool is_before) {
  uint32_t n_equal = n_shared(write, read);
  if (is_before) {
    TN_VEC_PUSH(&p->writes, write_at(p, write, cond, n_equal, &(tn_map){0}));
  }
  for (uint32_t level = n_equal; level-- > 1;) { /* the first is the loop asked about */
    add_earlier_round(p, write, cond, level, n_equal);
  }
}

/* ---- the first value of a reduction ---- */

static bool is_update_of(const tn_touch *read, const tn_touch *write) {
  const tn_access *a = &read->print.access;
  const tn_access *b = &write->print.access;
  bool is_same = read->step == write->step && !tn_is_none(read->step->in[TN_BLOCK_INIT]) &&
                 a->n_dims == b->n_dims;
  for (uint32_t d = 0; is_same && d < a->n_dims; ++d) {
    is_same = a->mins[d] == b->mins[d] && a->extents[d] == b->extents[d];
  }
  return is_same;
}

/* When the init runs, and values of the loops at which it has run for what a step updates: those of
 * reduce axes at their beginning, others as they are. */
static const tn_node *init_cond(prover *p, const tn_touch *write, tn_map *first) {
  tn_ir *ir = p->s->ir;
  const tn_domain *domain = &write->print.domain;
  const tn_node *iters = write->step->in[TN_BLOCK_ITERS];
  const tn_node *cond = domain->cond == NULL ? tn_bool(ir, true) : domain->cond;
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    const tn_node *binding = iters->in[i]->in[TN_ITER_BINDING];
    if (iters->in[i]->attr.i64 == TN_ITER_SPATIAL) {
      continue;
    }
    cond = tn_sched_and(ir, cond,
                        tn_index_binary(ir, TN_OP_EQ, binding, iters->in[i]->in[TN_ITER_MIN]));
    for (uint32_t k = 1; k < domain->n; ++k) {
      const tn_node *loop = tn_tree_site(p->tree, domain->vars[k]);
      bool has_order = loop->attr.i64 == TN_FOR_SERIAL || loop->attr.i64 == TN_FOR_UNROLLED;
      if (has_order && tn_expr_uses(binding, 1, &domain->vars[k])) {
        tn_map_set(first, domain->vars[k]->id, (uint64_t)(uintptr_t)domain->mins[k]);
      }
    }
  }
  return cond;
}

/* ---- a read ---- */

static tn_answer ask(prover *p, const tn_touch *read) {
  tn_footprint part = {.domain = {.cond = read->print.domain.cond}, .access = read->print.access};
  size_t mark = tn_sched_assume_around(p->s, p->tree, read->step);
  tn_answer answer =
      tn_sets_is_covered(tn_sched_sets(p->s), &part, (uint32_t)p->writes.len, p->writes.data);
  tn_sets_pop(tn_sched_sets(p->s), mark);
  ++p->s->stats.n_questions;
  return answer;
}

static tn_answer prove_read(prover *p, size_t at) {
  const tn_touch *read = &p->touches->list.data[at];
  tn_answer answer = {.verdict = TN_REFUTED};
  p->writes.len = 0;
  for (size_t i = 0; i < p->touches->list.len; ++i) {
    const tn_touch *write = &p->touches->list.data[i];
    if (write->buffer != read->buffer || !write->is_write ||
        !tn_step_is_sure(p->s, p->tree, write->step)) {
      continue;
    }
    if (is_update_of(read, write)) {
      tn_map first = {0};
      const tn_node *cond = init_cond(p, write, &first);
      TN_VEC_PUSH(&p->writes, write_at(p, write, cond, write->print.domain.n, &first));
      tn_map_deinit(&first);
      answer = ask(p, read); /* most often that is all, and soon answered */
      if (answer.verdict == TN_PROVED) {
        return answer;
      }
      add_write(p, write, cond, read, true);
    } else {
      add_write(p, write, write->print.domain.cond, read, write->step != read->step && i < at);
    }
  }
  return p->writes.len == 0 ? answer : ask(p, read);
}

/* ---- the buffer ---- */

static tn_status check_users(prover *p, const tn_node *scope, const tn_node *loop,
                             const tn_node *buffer) {
  const tn_node *users[TN_SCHED_MAX_BLOCKS];
  TN_TRY(tn_scope_only_blocks_touch(p->s, p->tree, scope, buffer));
  for (int32_t are_writers = 0; are_writers < 2; ++are_writers) {
    uint32_t n = tn_scope_users(p->tree, scope, buffer, are_writers != 0, users);
    for (uint32_t i = 0; i < n; ++i) {
      if (n == TN_SCHED_MAX_BLOCKS || !tn_tree_is_around(p->tree, loop, users[i])) {
        return TN_ERR(TN_INVALID, "block '%s' outside of the loop %s it",
                      users[i]->in[TN_BLOCK_LABEL]->attr.text, are_writers ? "writes" : "reads");
      }
    }
  }
  return NULL;
}

static tn_status not_before(prover *p, const tn_touch *read, const tn_answer *answer) {
  tn_buf points = TN_BUF_INIT;
  tn_sched_print_points(answer, &points);
  if (answer->verdict == TN_UNDECIDED) {
    ++p->s->stats.n_undecided;
  }
  tn_status st = TN_ERR(TN_INVALID, "%sblock '%s' reads what its round has not written before%s",
                        answer->verdict == TN_REFUTED ? "" : "it could not be decided, so perhaps ",
                        tn_block_name(read->step), tn_buf_text(&points));
  tn_buf_deinit(&points);
  return st;
}

tn_status tn_prove_private(tn_sched *s, const tn_tree *tree, const tn_node *loop,
                           tn_touches *touches, const tn_node *buffer) {
  prover p = {.s = s, .tree = tree, .touches = touches};
  const tn_node *scope = tn_tree_scope(tree, loop);
  tn_status st = check_users(&p, scope, loop, buffer);
  for (size_t i = 0; i < touches->list.len && st == NULL; ++i) {
    const tn_touch *read = &touches->list.data[i];
    if (read->buffer == buffer && !read->is_write) {
      tn_answer answer = prove_read(&p, i);
      if (answer.verdict != TN_PROVED) {
        st = not_before(&p, read, &answer);
      }
    }
  }
  TN_VEC_DEINIT(&p.writes);
  return st;
}
