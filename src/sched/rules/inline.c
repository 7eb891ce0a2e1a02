/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Before other rules: what is computed element by element goes to where it is read, when all that read
 * it are element-wise too and computing it there costs no more than memory would:
 *
 *   T[i] = S[i] + bias[i]
 *   B[i] = max(T[i], 0)       ->      B[i] = max(S[i] + bias[i], 0) */
#include "sched/rules/rules.h"

#include "sched/rewrite.h"
#include "sched/starts.h"

enum {
  MAX_READERS = 4,
  MAX_WORK = 400, /* of a body that grows by it */
  CHEAP = 8       /* operations that may be done more than once */
};

static bool may_inline(tn_rules *r, const tn_node *label) {
  const tn_tree *tree = tn_sched_tree(r->s, label);
  const tn_node *block = tree == NULL ? NULL : tn_tree_site(tree, label);
  const tn_node *readers[MAX_READERS + 1];
  tn_rule_nest own;
  if (block == NULL || !tn_rule_is_spatial(block) || tn_block_is_output(tree, block)) {
    return false;
  }
  uint32_t n = tn_block_consumers(tree, block, MAX_READERS + 1, readers);
  tn_status st = tn_rule_look(r, label, &own);
  const tn_rule_access *store = st == NULL ? tn_rule_store(&own) : NULL;
  bool is_fit = store != NULL && n > 0 && n <= MAX_READERS;
  uint32_t n_reads = 0;
  tn_status_free(st);
  for (uint32_t i = 0; is_fit && i < n; ++i) {
    tn_rule_nest reader;
    st = tn_rule_look(r, readers[i]->in[TN_BLOCK_LABEL], &reader);
    is_fit = st == NULL && tn_rule_is_spatial(readers[i]) && reader.work + own.work <= MAX_WORK &&
             reader.n_accesses + own.n_accesses <= TN_RULE_MAX_ACCESSES / 2;
    for (uint32_t a = 0; is_fit && a < reader.n_accesses; ++a) {
      n_reads += reader.accesses[a].buffer == store->buffer;
    }
    tn_status_free(st);
  }
  return is_fit && (n_reads == 1 || own.work <= CHEAP);
}

void tn_rule_inline(tn_rules *r, uint32_t n_blocks, const tn_node *const *labels) {
  for (uint32_t i = 0; i < n_blocks; ++i) {
    if (may_inline(r, labels[i])) {
      tn_status_free(tn_sched_compute_inline(r->s, labels[i]));
    }
  }
}
