/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Writes ONNX models for tests: messages of the wire format, one inside the other.
 *
 *   onnx_model m = onnx_model_make(13);
 *   onnx_input(&m, "x", 1, 2, (const int64_t[]){2, 3});
 *   onnx_node(&m, "Relu", "x", "y", NULL);
 *   onnx_output(&m, "y");
 *   tn_buf bytes = onnx_bytes(&m); */
#ifndef TN_TESTS_ONNX_WRITER_H
#define TN_TESTS_ONNX_WRITER_H

#include <stdint.h>
#include <string.h>

#include "base/buf.h"

static inline void wire_varint(tn_buf *b, uint64_t value) {
  for (; value >= 0x80; value >>= 7) {
    tn_buf_putc(b, (char)((value & 0x7f) | 0x80));
  }
  tn_buf_putc(b, (char)value);
}

static inline void wire_int(tn_buf *b, uint32_t field, int64_t value) {
  wire_varint(b, (uint64_t)field << 3);
  wire_varint(b, (uint64_t)value);
}

static inline void wire_bytes(tn_buf *b, uint32_t field, const void *bytes, size_t n_bytes) {
  wire_varint(b, (uint64_t)field << 3 | 2);
  wire_varint(b, n_bytes);
  tn_buf_append(b, bytes, n_bytes);
}

static inline void wire_text(tn_buf *b, uint32_t field, const char *text) {
  wire_bytes(b, field, text, strlen(text));
}

static inline void wire_float(tn_buf *b, uint32_t field, float value) {
  wire_varint(b, (uint64_t)field << 3 | 5);
  tn_buf_append(b, &value, sizeof value);
}

/// Puts `inner` into `b` and empties it.
static inline void wire_message(tn_buf *b, uint32_t field, tn_buf *inner) {
  wire_bytes(b, field, tn_buf_text(inner), inner->len);
  tn_buf_deinit(inner);
  *inner = (tn_buf)TN_BUF_INIT;
}

typedef struct onnx_model {
  tn_buf graph;
  int64_t opset;
  const char *domain; /* of onnx_node from now on; NULL: the default one */
  int64_t domain_version;
} onnx_model;

static inline onnx_model onnx_model_make(int64_t opset) {
  return (onnx_model){.graph = TN_BUF_INIT, .opset = opset};
}

/* A ValueInfoProto; a dimension below 0 has the name "n". */
static inline void onnx_value(onnx_model *m, uint32_t field, const char *name, int64_t type,
                              int32_t ndim, const int64_t *dims) {
  tn_buf shape = TN_BUF_INIT;
  tn_buf tensor = TN_BUF_INIT;
  tn_buf any = TN_BUF_INIT;
  tn_buf info = TN_BUF_INIT;
  for (int32_t i = 0; i < ndim; ++i) {
    tn_buf dim = TN_BUF_INIT;
    if (dims[i] < 0) {
      wire_text(&dim, 2, "n");
    } else {
      wire_int(&dim, 1, dims[i]);
    }
    wire_message(&shape, 1, &dim);
  }
  wire_int(&tensor, 1, type);
  wire_message(&tensor, 2, &shape);
  wire_message(&any, 1, &tensor);
  wire_text(&info, 1, name);
  wire_message(&info, 2, &any);
  wire_message(&m->graph, field, &info);
}

static inline void onnx_input(onnx_model *m, const char *name, int64_t type, int32_t ndim,
                              const int64_t *dims) {
  onnx_value(m, 11, name, type, ndim, dims);
}

static inline void onnx_output(onnx_model *m, const char *name) {
  tn_buf info = TN_BUF_INIT;
  wire_text(&info, 1, name);
  wire_message(&m->graph, 12, &info);
}

/// Attributes for onnx_node are put together here.
static inline void onnx_attr_int(tn_buf *attrs, const char *name, int64_t value) {
  tn_buf attr = TN_BUF_INIT;
  wire_text(&attr, 1, name);
  wire_int(&attr, 3, value);
  wire_int(&attr, 20, 2);
  wire_message(attrs, 5, &attr);
}

static inline void onnx_attr_float(tn_buf *attrs, const char *name, float value) {
  tn_buf attr = TN_BUF_INIT;
  wire_text(&attr, 1, name);
  wire_float(&attr, 2, value);
  wire_int(&attr, 20, 1);
  wire_message(attrs, 5, &attr);
}

static inline void onnx_attr_text(tn_buf *attrs, const char *name, const char *value) {
  tn_buf attr = TN_BUF_INIT;
  wire_text(&attr, 1, name);
  wire_text(&attr, 4, value);
  wire_int(&attr, 20, 3);
  wire_message(attrs, 5, &attr);
}

static inline void onnx_attr_ints(tn_buf *attrs, const char *name, size_t n,
                                  const int64_t *values) {
  tn_buf attr = TN_BUF_INIT;
  wire_text(&attr, 1, name);
  for (size_t i = 0; i < n; ++i) {
    wire_int(&attr, 8, values[i]);
  }
  wire_int(&attr, 20, 7);
  wire_message(attrs, 5, &attr);
}

static inline void onnx_attr_floats(tn_buf *attrs, const char *name, size_t n,
                                    const float *values) {
  tn_buf attr = TN_BUF_INIT;
  wire_text(&attr, 1, name);
  for (size_t i = 0; i < n; ++i) {
    wire_float(&attr, 7, values[i]);
  }
  wire_int(&attr, 20, 6);
  wire_message(attrs, 5, &attr);
}

static inline void onnx_attr_texts(tn_buf *attrs, const char *name, size_t n,
                                   const char *const *values) {
  tn_buf attr = TN_BUF_INIT;
  wire_text(&attr, 1, name);
  for (size_t i = 0; i < n; ++i) {
    wire_text(&attr, 9, values[i]);
  }
  wire_int(&attr, 20, 8);
  wire_message(attrs, 5, &attr);
}

/// A TensorProto of `n_bytes` raw bytes; name: NULL for none.
static inline tn_buf onnx_tensor(const char *name, int64_t type, int32_t ndim, const int64_t *dims,
                                 const void *bytes, size_t n_bytes) {
  tn_buf tensor = TN_BUF_INIT;
  for (int32_t i = 0; i < ndim; ++i) {
    wire_int(&tensor, 1, dims[i]);
  }
  wire_int(&tensor, 2, type);
  if (name != NULL) {
    wire_text(&tensor, 8, name);
  }
  wire_bytes(&tensor, 9, bytes, n_bytes);
  return tensor;
}

/// tensor: emptied.
static inline void onnx_attr_tensor(tn_buf *attrs, const char *name, tn_buf *tensor) {
  tn_buf attr = TN_BUF_INIT;
  wire_text(&attr, 1, name);
  wire_message(&attr, 5, tensor);
  wire_int(&attr, 20, 4);
  wire_message(attrs, 5, &attr);
}

/// body: a graph with inputs, nodes and outputs; emptied.
static inline void onnx_attr_graph(tn_buf *attrs, const char *name, onnx_model *body) {
  tn_buf attr = TN_BUF_INIT;
  wire_text(&attr, 1, name);
  wire_message(&attr, 6, &body->graph);
  wire_int(&attr, 20, 5);
  wire_message(attrs, 5, &attr);
}

/// inputs and outputs: names with spaces between. attrs: emptied; NULL: none.
static inline void onnx_node(onnx_model *m, const char *op, const char *inputs, const char *outputs,
                             tn_buf *attrs) {
  tn_buf node = TN_BUF_INIT;
  const char *lists[] = {inputs, outputs};
  for (uint32_t i = 0; i < 2; ++i) {
    for (const char *at = lists[i]; *at != '\0';) {
      size_t len = strcspn(at, " ");
      wire_bytes(&node, i + 1, at, len);
      at += len + (at[len] == ' ' ? 1 : 0);
    }
  }
  wire_text(&node, 4, op);
  if (m->domain != NULL) {
    wire_text(&node, 7, m->domain);
  }
  if (attrs != NULL) {
    tn_buf_append(&node, tn_buf_text(attrs), attrs->len);
    tn_buf_deinit(attrs);
    *attrs = (tn_buf)TN_BUF_INIT;
  }
  wire_message(&m->graph, 1, &node);
}

/// A vector of int64 with an initial value.
static inline void onnx_ints(onnx_model *m, const char *name, int64_t n, const int64_t *values) {
  tn_buf tensor = TN_BUF_INIT;
  wire_int(&tensor, 1, n);
  wire_int(&tensor, 2, 7);
  wire_text(&tensor, 8, name);
  wire_bytes(&tensor, 9, values, sizeof *values * (size_t)n);
  wire_message(&m->graph, 5, &tensor);
}

/// The file's bytes; the model is empty then.
static inline tn_buf onnx_bytes(onnx_model *m) {
  tn_buf file = TN_BUF_INIT;
  tn_buf opset = TN_BUF_INIT;
  wire_int(&file, 1, 8);
  if (m->domain != NULL) {
    wire_text(&opset, 1, m->domain);
    wire_int(&opset, 2, m->domain_version);
    wire_message(&file, 8, &opset);
  }
  wire_message(&file, 7, &m->graph);
  wire_text(&opset, 1, "");
  wire_int(&opset, 2, m->opset);
  wire_message(&file, 8, &opset);
  return file;
}

#endif
