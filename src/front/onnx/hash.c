/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A number for all that a model is made of: its own bytes and those of the files that its tensors
 * name. */
#include <string.h>

#include "front/front.h"
#include "front/onnx/model.h"

typedef struct hasher {
  const char *folder;
  tn_hash128 hash;
  const char *last; /* file of external data, the newest: tensors of one file stand together */
  size_t last_len;
} hasher;

static tn_status add_graph(hasher *h, const tn_onnx_graph *graph);

static tn_status add_tensor(hasher *h, const tn_onnx_tensor *tensor) {
  tn_onnx_bytes path = {0};
  tn_mapped_file file = {0};
  for (size_t i = 0; i < tensor->external.len; ++i) {
    if (tn_onnx_is(tensor->external.data[i]->key, "location")) {
      path = tensor->external.data[i]->value;
    }
  }
  bool is_seen = h->last != NULL && path.len == h->last_len && path.len > 0 &&
                 memcmp(path.data, h->last, path.len) == 0;
  if (tensor->location != 1 || path.len == 0 || is_seen) {
    return NULL; /* what is wrong with it, its reader says */
  }
  TN_TRY(tn_onnx_map_external(h->folder, path, &file));
  h->hash = tn_hash128_bytes(h->hash, file.data, file.n_bytes);
  tn_mapped_file_deinit(&file);
  h->last = path.data;
  h->last_len = path.len;
  return NULL;
}

static tn_status add_attr(hasher *h, const tn_onnx_attr *attr) {
  if (attr->t != NULL) {
    TN_TRY(add_tensor(h, attr->t));
  }
  for (size_t i = 0; i < attr->tensors.len; ++i) {
    TN_TRY(add_tensor(h, attr->tensors.data[i]));
  }
  if (attr->g != NULL) {
    TN_TRY(add_graph(h, attr->g));
  }
  for (size_t i = 0; i < attr->graphs.len; ++i) {
    TN_TRY(add_graph(h, attr->graphs.data[i]));
  }
  return NULL;
}

static tn_status add_nodes(hasher *h, const tn_onnx_nodes *nodes) {
  for (size_t i = 0; i < nodes->len; ++i) {
    for (size_t j = 0; j < nodes->data[i]->attrs.len; ++j) {
      TN_TRY(add_attr(h, nodes->data[i]->attrs.data[j]));
    }
  }
  return NULL;
}

static tn_status add_graph(hasher *h, const tn_onnx_graph *graph) {
  for (size_t i = 0; i < graph->initializers.len; ++i) {
    TN_TRY(add_tensor(h, graph->initializers.data[i]));
  }
  for (size_t i = 0; i < graph->sparse_initializers.len; ++i) {
    const tn_onnx_sparse *sparse = graph->sparse_initializers.data[i];
    const tn_onnx_tensor *parts[] = {sparse->values, sparse->indices};
    for (int k = 0; k < 2; ++k) {
      if (parts[k] != NULL) {
        TN_TRY(add_tensor(h, parts[k]));
      }
    }
  }
  return add_nodes(h, &graph->nodes);
}

tn_status tn_onnx_hash(const char *path, tn_hash128 *hash) {
  tn_status st = NULL;
  tn_onnx_opened o = {0};
  tn_onnx_model *model = NULL;
  TN_TRY(tn_onnx_open(&o, path));
  hasher h = {.folder = tn_onnx_folder(&o.arena, path)};
  h.hash = tn_hash128_bytes(*hash, o.file.data, o.file.n_bytes);
  TN_GOTO(st, tn_onnx_model_read(&o.arena, o.file.data, o.file.n_bytes, &model), done);
  if (model->graph != NULL) {
    TN_GOTO(st, add_graph(&h, model->graph), done);
  }
  for (size_t i = 0; i < model->functions.len; ++i) {
    TN_GOTO(st, add_nodes(&h, &model->functions.data[i]->nodes), done);
  }
  *hash = h.hash;
done:
  tn_onnx_close(&o);
  return tn_status_wrap(st, "%s", path);
}
