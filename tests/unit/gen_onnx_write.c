/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A random ONNX graph as the bytes of a model. Nodes that are gone, and what only they use, are left
 * out; a result of theirs that is used becomes an input. */
#include "gen_onnx_priv.h"

#include <stdlib.h>

#include "tn_test.h"

/* How each value is used in what is left: bit 0 by a node, bit 1 made by a node, bit 2 a result. */
enum { USED = 1, MADE = 2, RESULT = 4 };

static uint8_t *uses(const gx_graph *g) {
  uint8_t *use = calloc(g->values.len + 1, 1);
  for (size_t i = 0; i < g->values.len; ++i) {
    use[i] = g->is_output[i] ? RESULT : 0;
  }
  for (size_t i = g->nodes.len; i-- > 0;) { /* from the end: what nobody needs falls away */
    const gx_node *n = &g->nodes.data[i];
    bool is_needed = false;
    for (int32_t k = 0; k < n->n_out; ++k) {
      is_needed = is_needed || (n->out[k] >= 0 && (use[n->out[k]] & (USED | RESULT)) != 0);
    }
    for (int32_t k = 0; is_needed && !n->is_gone && k < n->n_out; ++k) {
      use[n->out[k] < 0 ? (int32_t)g->values.len : n->out[k]] |= MADE;
    }
    for (int32_t k = 0; is_needed && !n->is_gone && k < n->n_in; ++k) {
      use[n->in[k] < 0 ? (int32_t)g->values.len : n->in[k]] |= USED;
    }
  }
  return use;
}

static bool is_input(const gx_graph *g, const uint8_t *use, size_t i) {
  gx_place place = g->values.data[i].place;
  bool is_leaf = place == GX_INPUT || (place == GX_NODE && (use[i] & MADE) == 0);
  return is_leaf && (use[i] & (USED | RESULT)) != 0;
}

int32_t gen_onnx_inputs(const gx_graph *g, int32_t *out_ids, int32_t max) {
  uint8_t *use = uses(g);
  int32_t n = 0;
  for (size_t i = 0; i < g->values.len && n < max; ++i) {
    if (is_input(g, use, i)) {
      out_ids[n++] = (int32_t)i;
    }
  }
  free(use);
  return n;
}

int32_t gen_onnx_outputs(const gx_graph *g, int32_t *out_ids, int32_t max) {
  int32_t n = 0;
  for (size_t i = 0; i < g->values.len && n < max; ++i) {
    if (g->is_output[i]) {
      out_ids[n++] = (int32_t)i;
    }
  }
  return n;
}

static void put_name(tn_buf *b, uint32_t field, int32_t id) {
  char name[16] = "";
  if (id >= 0) {
    (void)snprintf(name, sizeof name, "v%d", id);
  }
  wire_text(b, field, name);
}

static void put_input(const gx_graph *g, onnx_model *m, size_t i) {
  char name[16];
  int64_t dims[TN_MAX_NDIM];
  const tn_array *a = &g->values.data[i].array;
  (void)snprintf(name, sizeof name, "v%d", (int)i);
  for (int32_t k = 0; k < a->ndim; ++k) {
    dims[k] = k == 0 && g->open > 0 && a->shape[0] == g->open ? -1 : a->shape[k];
  }
  onnx_input(m, name, gx_onnx_type(a->dtype), a->ndim, dims);
}

static void put_constant(const gx_graph *g, onnx_model *m, size_t i) {
  char name[16];
  const tn_array *a = &g->values.data[i].array;
  bool is_node = g->values.data[i].place == GX_CONSTANT;
  (void)snprintf(name, sizeof name, "v%d", (int)i);
  tn_buf tensor = onnx_tensor(is_node ? NULL : name, gx_onnx_type(a->dtype), a->ndim, a->shape,
                              a->data, tn_array_n_bytes(a));
  if (!is_node) {
    wire_message(&m->graph, 5, &tensor);
    return;
  }
  tn_buf attrs = TN_BUF_INIT;
  onnx_attr_tensor(&attrs, "value", &tensor);
  onnx_node(m, "Constant", "", name, &attrs);
}

static void put_node(onnx_model *m, const gx_node *n) {
  tn_buf node = TN_BUF_INIT;
  for (int32_t i = 0; i < n->n_in; ++i) {
    put_name(&node, 1, n->in[i]);
  }
  for (int32_t i = 0; i < n->n_out; ++i) {
    put_name(&node, 2, n->out[i]);
  }
  wire_text(&node, 4, n->op);
  tn_buf_append(&node, tn_buf_text(&n->attrs), n->attrs.len);
  if (*n->domain != '\0') {
    wire_text(&node, 7, n->domain);
  }
  wire_message(&m->graph, 1, &node);
}

tn_buf gen_onnx_write(const gx_graph *g) {
  onnx_model m = onnx_model_make(g->opset);
  uint8_t *use = uses(g);
  for (size_t i = 0; i < g->values.len; ++i) {
    if (is_input(g, use, i)) {
      put_input(g, &m, i);
    } else if (g->values.data[i].place == GX_INIT || g->values.data[i].place == GX_CONSTANT) {
      if ((use[i] & (USED | RESULT)) != 0) {
        put_constant(g, &m, i);
      }
    }
  }
  for (size_t i = 0; i < g->nodes.len; ++i) {
    const gx_node *n = &g->nodes.data[i];
    bool is_made = false;
    for (int32_t k = 0; k < n->n_out; ++k) {
      is_made = is_made || (n->out[k] >= 0 && (use[n->out[k]] & MADE) != 0);
    }
    if (is_made && !n->is_gone) {
      put_node(&m, n);
    }
  }
  for (size_t i = 0; i < g->values.len; ++i) {
    if (g->is_output[i]) {
      char name[16];
      (void)snprintf(name, sizeof name, "v%d", (int)i);
      onnx_output(&m, name);
    }
  }
  free(use);
  tn_buf bytes = onnx_bytes(&m);
  static const char *const domains[] = {"com.microsoft", "ai.onnx.ml"};
  for (int32_t i = 0; i < 2; ++i) {
    tn_buf opset = TN_BUF_INIT;
    wire_text(&opset, 1, domains[i]);
    wire_int(&opset, 2, i == 0 ? 1 : 5);
    wire_message(&bytes, 8, &opset);
  }
  return bytes;
}
