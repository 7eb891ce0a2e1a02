/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The table of ONNX operators (onnx/rules.def) and how a row is found: of an operator's rows the one
 * with the greatest `since` that the model's operator set reaches. */
#include "front/onnx/rules.h"

#include <string.h>

#include "front/front.h"

static const tn_onnx_rule rows[] = {
#define RULE(domain, op, since, fn, word) {domain, op, since, tn_onnx_rule_##fn, word},
#include "front/onnx/rules.def"
#undef RULE
};
enum { N_ROWS = sizeof rows / sizeof rows[0] };

const tn_onnx_rule *tn_onnx_rule_find(const char *domain, const char *op, int64_t version) {
  const tn_onnx_rule *best = NULL;
  for (int32_t i = 0; i < N_ROWS; ++i) {
    if (strcmp(rows[i].op, op) == 0 && strcmp(rows[i].domain, domain) == 0 &&
        rows[i].since <= version && (best == NULL || rows[i].since > best->since)) {
      best = &rows[i];
    }
  }
  return best;
}

bool tn_onnx_rule_describe(int32_t i, const char **out_domain, const char **out_op,
                           int64_t *out_since) {
  if (i < 0 || i >= N_ROWS) {
    return false;
  }
  *out_domain = rows[i].domain;
  *out_op = rows[i].op;
  *out_since = rows[i].since;
  return true;
}
