/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Looks at all nodes of a model for operators without a rule, before anything is imported: a user
 * wants to know everything that is missing, not the first thing. */
#include "front/onnx/missing.h"

#include <inttypes.h>
#include <string.h>

#include "front/onnx/build.h"

typedef struct gap {
  const tn_onnx_node *first;
  const char *domain;
  int64_t version;
  int64_t n_nodes;
} gap;

typedef struct gaps {
  const tn_onnx_model *model;
  tn_strmap index; /* "domain\nop\nversion" -> place + 1 */
  TN_VEC(gap) list;
} gaps;

const char *tn_onnx_domain(tn_onnx_bytes domain) {
  return domain.len == 0 || tn_onnx_is(domain, "ai.onnx") ? "" : domain.data;
}

static const char *text_of(tn_onnx_bytes bytes) { return bytes.len > 0 ? bytes.data : ""; }

const tn_onnx_function *tn_onnx_find_function(const tn_onnx_model *model,
                                              const tn_onnx_node *node) {
  for (size_t i = 0; i < model->functions.len; ++i) {
    const tn_onnx_function *f = model->functions.data[i];
    if (tn_onnx_is(f->name, text_of(node->op)) &&
        tn_onnx_is(f->overload, text_of(node->overload)) &&
        strcmp(tn_onnx_domain(f->domain), tn_onnx_domain(node->domain)) == 0) {
      return f;
    }
  }
  return NULL;
}

static void note(gaps *g, const tn_onnx_node *node, const char *domain, int64_t version) {
  tn_buf key = TN_BUF_INIT;
  tn_buf_printf(&key, "%s\n%s\n%" PRId64, domain, text_of(node->op), version);
  uintptr_t at = (uintptr_t)tn_strmap_find(&g->index, key.data);
  if (at == 0) {
    TN_VEC_PUSH(&g->list, (gap){.first = node, .domain = domain, .version = version});
    at = g->list.len;
    tn_strmap_set(&g->index, key.data, (void *)at);
  }
  g->list.data[at - 1].n_nodes++;
  tn_buf_deinit(&key);
}

static void look(gaps *g, const tn_onnx_nodes *nodes, const tn_onnx_opsets *opsets) {
  for (size_t i = 0; i < nodes->len; ++i) {
    const tn_onnx_node *node = nodes->data[i];
    const char *domain = tn_onnx_domain(node->domain);
    int64_t version = tn_onnx_opset_of(opsets, domain);
    if (tn_onnx_find_function(g->model, node) == NULL &&
        tn_onnx_rule_find(domain, text_of(node->op), version) == NULL) {
      note(g, node, domain, version);
    }
    for (size_t j = 0; j < node->attrs.len; ++j) { /* as deep as the reader lets messages be */
      if (node->attrs.data[j]->g != NULL) {
        look(g, &node->attrs.data[j]->g->nodes, opsets);
      }
    }
  }
}

tn_status tn_onnx_check_missing(const tn_onnx_model *model) {
  gaps g = {.model = model};
  tn_status st = NULL;
  tn_buf text = TN_BUF_INIT;
  look(&g, &model->graph->nodes, &model->opsets);
  for (size_t i = 0; i < model->functions.len; ++i) {
    look(&g, &model->functions.data[i]->nodes, &model->functions.data[i]->opsets);
  }
  for (size_t i = 0; i < g.list.len; ++i) {
    const gap *m = &g.list.data[i];
    const tn_onnx_node *node = m->first;
    tn_buf_printf(&text, "\n  %s (%s, opset %" PRId64 "): %" PRId64 " node%s, first '%s'",
                  text_of(node->op), *m->domain == '\0' ? "ai.onnx" : m->domain, m->version,
                  m->n_nodes, m->n_nodes == 1 ? "" : "s", tn_onnx_node_label(node));
  }
  if (g.list.len > 0) {
    st = TN_ERR(TN_UNSUPPORTED, "%zu operator%s of the model %s not supported:%s", g.list.len,
                g.list.len == 1 ? "" : "s", g.list.len == 1 ? "is" : "are", tn_buf_text(&text));
  }
  tn_buf_deinit(&text);
  tn_strmap_deinit(&g.index);
  TN_VEC_DEINIT(&g.list);
  return st;
}
