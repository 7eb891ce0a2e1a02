/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* An ONNX model as structs in an arena. Texts and lists are copied, the elements of tensors are
 * slices of the mapped file. Everything that the importer may rely on is checked while reading:
 * kinds of fields, depth, sizes of tensors against the bytes that are there (onnx/tensor.c). */
#ifndef TN_FRONT_ONNX_MODEL_H
#define TN_FRONT_ONNX_MODEL_H

#include "base/arena.h"
#include "base/array.h"
#include "base/file.h"

/// A run of bytes; text also has a NUL after it, which is not counted.
typedef struct tn_onnx_bytes {
  const char *data; /* NULL: not given */
  size_t len;
} tn_onnx_bytes;

typedef struct tn_onnx_i64s {
  int64_t *data;
  size_t len;
} tn_onnx_i64s;
typedef struct tn_onnx_f32s {
  float *data;
  size_t len;
} tn_onnx_f32s;
typedef struct tn_onnx_texts {
  tn_onnx_bytes *data;
  size_t len;
} tn_onnx_texts;

typedef struct tn_onnx_tensor tn_onnx_tensor;
typedef struct tn_onnx_node tn_onnx_node;
typedef struct tn_onnx_graph tn_onnx_graph;
typedef struct tn_onnx_attr tn_onnx_attr;
typedef struct tn_onnx_type tn_onnx_type;

#define TN_ONNX_LIST(name, type) \
  typedef struct name {          \
    type **data;                 \
    size_t len;                  \
  } name

typedef struct tn_onnx_entry { /* key and value of external data */
  tn_onnx_bytes key;
  tn_onnx_bytes value;
} tn_onnx_entry;
TN_ONNX_LIST(tn_onnx_entries, tn_onnx_entry);

struct tn_onnx_tensor {
  tn_onnx_i64s dims;
  int64_t data_type; /* TN_ONNX_* */
  tn_onnx_bytes name;
  tn_onnx_bytes raw;        /* slices of the file */
  tn_onnx_texts float_data; /* slices, a run of elements each */
  tn_onnx_texts int32_data;
  tn_onnx_texts string_data;
  tn_onnx_texts int64_data;
  tn_onnx_texts double_data;
  tn_onnx_texts uint64_data;
  tn_onnx_entries external;
  int64_t location; /* 1: in another file */
};
TN_ONNX_LIST(tn_onnx_tensors, tn_onnx_tensor);

typedef struct tn_onnx_dim {
  tn_onnx_bytes param;
  int64_t value;
  bool has_value;
} tn_onnx_dim;
TN_ONNX_LIST(tn_onnx_dim_list, tn_onnx_dim);
typedef struct tn_onnx_shape {
  tn_onnx_dim_list dims;
} tn_onnx_shape;
typedef struct tn_onnx_tensor_type {
  int64_t elem;
  tn_onnx_shape *shape; /* NULL: unknown rank */
} tn_onnx_tensor_type;
typedef struct tn_onnx_item_type { /* of a sequence or an optional */
  tn_onnx_type *elem;
} tn_onnx_item_type;
struct tn_onnx_type { /* one of them, the others NULL */
  tn_onnx_tensor_type *tensor;
  tn_onnx_item_type *sequence;
  tn_onnx_item_type *optional;
};
typedef struct tn_onnx_value_info {
  tn_onnx_bytes name;
  tn_onnx_type *type;
} tn_onnx_value_info;
TN_ONNX_LIST(tn_onnx_value_infos, tn_onnx_value_info);

TN_ONNX_LIST(tn_onnx_graphs, tn_onnx_graph);
struct tn_onnx_attr {
  tn_onnx_bytes name;
  int64_t type; /* TN_ONNX_ATTR_*; 0: as old files leave it out */
  float f;
  int64_t i;
  bool has_f;
  bool has_i;
  tn_onnx_bytes s;
  tn_onnx_tensor *t;
  tn_onnx_graph *g;
  tn_onnx_type *tp;
  tn_onnx_f32s floats;
  tn_onnx_i64s ints;
  tn_onnx_texts strings;
  tn_onnx_tensors tensors;
  tn_onnx_graphs graphs;
  tn_onnx_bytes ref; /* in a function: the function's attribute of this name */
};
TN_ONNX_LIST(tn_onnx_attrs, tn_onnx_attr);

struct tn_onnx_node {
  tn_onnx_texts inputs; /* "": left out */
  tn_onnx_texts outputs;
  tn_onnx_bytes name;
  tn_onnx_bytes op;
  tn_onnx_bytes domain;
  tn_onnx_bytes overload; /* which of several functions of that name */
  tn_onnx_attrs attrs;
};
TN_ONNX_LIST(tn_onnx_nodes, tn_onnx_node);

typedef struct tn_onnx_sparse {
  tn_onnx_tensor *values;
  tn_onnx_tensor *indices;
  tn_onnx_i64s dims;
} tn_onnx_sparse;
TN_ONNX_LIST(tn_onnx_sparses, tn_onnx_sparse);

struct tn_onnx_graph {
  tn_onnx_bytes name;
  tn_onnx_nodes nodes;
  tn_onnx_tensors initializers;
  tn_onnx_sparses sparse_initializers;
  tn_onnx_value_infos inputs;
  tn_onnx_value_infos outputs;
  tn_onnx_value_infos values;
};

typedef struct tn_onnx_opset {
  tn_onnx_bytes domain;
  int64_t version;
} tn_onnx_opset;
TN_ONNX_LIST(tn_onnx_opsets, tn_onnx_opset);

typedef struct tn_onnx_function {
  tn_onnx_bytes name;
  tn_onnx_bytes domain;
  tn_onnx_bytes overload;
  tn_onnx_texts inputs;
  tn_onnx_texts outputs;
  tn_onnx_texts attr_names;
  tn_onnx_attrs attr_defaults;
  tn_onnx_nodes nodes;
  tn_onnx_opsets opsets;
} tn_onnx_function;
TN_ONNX_LIST(tn_onnx_functions, tn_onnx_function);

typedef struct tn_onnx_model {
  int64_t ir_version;
  tn_onnx_bytes producer;
  tn_onnx_graph *graph;
  tn_onnx_opsets opsets;
  tn_onnx_functions functions;
} tn_onnx_model;

/* Numbers of the attribute and element types, from the ONNX specification. */
enum {
  TN_ONNX_ATTR_FLOAT = 1,
  TN_ONNX_ATTR_INT = 2,
  TN_ONNX_ATTR_STRING = 3,
  TN_ONNX_ATTR_TENSOR = 4,
  TN_ONNX_ATTR_GRAPH = 5,
  TN_ONNX_ATTR_FLOATS = 6,
  TN_ONNX_ATTR_INTS = 7,
  TN_ONNX_ATTR_STRINGS = 8
};

/// A file mapped, and an arena for the structs that are read from it.
typedef struct tn_onnx_opened {
  tn_arena arena;
  tn_mapped_file file;
} tn_onnx_opened;
TN_MUST_USE tn_status tn_onnx_open(tn_onnx_opened *o, const char *path);
void tn_onnx_close(tn_onnx_opened *o);
/// The folder that a file lies in.
const char *tn_onnx_folder(tn_arena *arena, const char *path);
/// Maps a file of external data. Errors: it must lie in the folder, links followed, and be named
/// without "..".
TN_MUST_USE tn_status tn_onnx_map_external(const char *folder, tn_onnx_bytes path,
                                           tn_mapped_file *out_file);

/// Reads a ModelProto. out: in `arena`; slices point into `bytes`. CORRUPT says where the file is
/// broken; NO_MEMORY past the arena's limit.
TN_MUST_USE tn_status tn_onnx_model_read(tn_arena *arena, const uint8_t *bytes, size_t n_bytes,
                                         tn_onnx_model **out_model);
/// A SequenceProto or an OptionalProto, the forms of the backend tests' other values.
typedef struct tn_onnx_sequence_data {
  tn_onnx_tensors tensors;
  int64_t elem; /* what it holds: 1 tensors */
} tn_onnx_sequence_data;
typedef struct tn_onnx_optional_data {
  int64_t elem; /* 0: nothing; 1 a tensor, 3 a sequence */
  tn_onnx_tensor *tensor;
  tn_onnx_sequence_data *sequence;
} tn_onnx_optional_data;
TN_MUST_USE tn_status tn_onnx_sequence_read(tn_arena *arena, const uint8_t *bytes, size_t n_bytes,
                                            tn_onnx_sequence_data **out);
TN_MUST_USE tn_status tn_onnx_optional_read(tn_arena *arena, const uint8_t *bytes, size_t n_bytes,
                                            tn_onnx_optional_data **out);
/// Reads a TensorProto, the form of the backend tests' arrays.
TN_MUST_USE tn_status tn_onnx_tensor_read(tn_arena *arena, const uint8_t *bytes, size_t n_bytes,
                                          tn_onnx_tensor **out_tensor);
/// The element type of a number of the specification. UNSUPPORTED for strings and complex numbers;
/// INVALID for a number that there is not.
TN_MUST_USE tn_status tn_onnx_dtype(int64_t data_type, tn_dtype *out_dtype);
/// The same, and whether its elements have 2 bits: int2 is held as int4, uint2 as uint4.
typedef struct tn_onnx_elem {
  tn_dtype dtype;
  bool is_two_bits;
} tn_onnx_elem;
TN_MUST_USE tn_status tn_onnx_elem_find(int64_t data_type, tn_onnx_elem *out_elem);
/// The tensor's elements as an array of its own. folder: where external data may lie (nowhere else),
/// NULL: nowhere. Errors: INVALID, CORRUPT when the sizes and the bytes there disagree, NOT_FOUND.
TN_MUST_USE tn_status tn_onnx_tensor_to_array(const tn_onnx_tensor *tensor, const char *folder,
                                              tn_array *out_array);
/// What a message calls the node: its name, else its first output's.
const char *tn_onnx_node_label(const tn_onnx_node *node);
static inline bool tn_onnx_is(tn_onnx_bytes text, const char *other) {
  size_t i = 0;
  while (i < text.len && other[i] != '\0' && text.data[i] == other[i]) {
    ++i;
  }
  return i == text.len && other[i] == '\0';
}

#endif
