/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Messages to structs: one table a message with the numbers of the fields that are needed, one loop
 * that fills structs by them. Fields that no table has are passed over. */
#include "front/onnx/model.h"

#include <string.h>

#include "front/onnx/wire.h"

/* Deeper than any graph within graphs, far less than the stack holds. */
enum { MAX_DEPTH = 64 };

typedef enum field_kind {
  INT,    /* int64_t */
  FLOAT,  /* float */
  TEXT,   /* tn_onnx_bytes, copied; no NUL inside */
  BYTES,  /* tn_onnx_bytes, a slice of the file */
  INTS,   /* tn_onnx_i64s, packed or one by one */
  FLOATS, /* tn_onnx_f32s */
  TEXTS,  /* tn_onnx_texts of TEXT */
  RUNS,   /* tn_onnx_texts of BYTES: the elements stay as they lie */
  ONE,    /* pointer to a struct; given again: the later fields are added to it */
  MANY    /* list of pointers to structs */
} field_kind;

typedef struct message message;
typedef struct field {
  uint32_t number;
  field_kind kind;
  size_t offset;
  const message *of; /* ONE, MANY */
  size_t flag;       /* INT, FLOAT: offset of a bool that says "given"; 0: none */
} field;
struct message {
  const char *name;
  size_t n_bytes;
  const field *fields;
  size_t n_fields;
};

#define AT(type, member) offsetof(type, member)
#define MESSAGE(id, text, type, table) \
  static const message id = {text, sizeof(type), table, sizeof(table) / sizeof((table)[0])}

static const message graph_message; /* an attribute holds graphs */
static const message type_message;

static const field entry_fields[] = {{1, TEXT, AT(tn_onnx_entry, key), NULL, 0},
                                     {2, TEXT, AT(tn_onnx_entry, value), NULL, 0}};
MESSAGE(entry_message, "external data", tn_onnx_entry, entry_fields);

static const field tensor_fields[] = {{1, INTS, AT(tn_onnx_tensor, dims), NULL, 0},
                                      {2, INT, AT(tn_onnx_tensor, data_type), NULL, 0},
                                      {4, RUNS, AT(tn_onnx_tensor, float_data), NULL, 0},
                                      {5, RUNS, AT(tn_onnx_tensor, int32_data), NULL, 0},
                                      {6, RUNS, AT(tn_onnx_tensor, string_data), NULL, 0},
                                      {7, RUNS, AT(tn_onnx_tensor, int64_data), NULL, 0},
                                      {8, TEXT, AT(tn_onnx_tensor, name), NULL, 0},
                                      {9, BYTES, AT(tn_onnx_tensor, raw), NULL, 0},
                                      {10, RUNS, AT(tn_onnx_tensor, double_data), NULL, 0},
                                      {11, RUNS, AT(tn_onnx_tensor, uint64_data), NULL, 0},
                                      {13, MANY, AT(tn_onnx_tensor, external), &entry_message, 0},
                                      {14, INT, AT(tn_onnx_tensor, location), NULL, 0}};
MESSAGE(tensor_message, "tensor", tn_onnx_tensor, tensor_fields);

static const field dim_fields[] = {
    {1, INT, AT(tn_onnx_dim, value), NULL, AT(tn_onnx_dim, has_value)},
    {2, TEXT, AT(tn_onnx_dim, param), NULL, 0}};
MESSAGE(dim_message, "dimension", tn_onnx_dim, dim_fields);
static const field shape_fields[] = {{1, MANY, AT(tn_onnx_shape, dims), &dim_message, 0}};
MESSAGE(shape_message, "shape", tn_onnx_shape, shape_fields);
static const field tensor_type_fields[] = {
    {1, INT, AT(tn_onnx_tensor_type, elem), NULL, 0},
    {2, ONE, AT(tn_onnx_tensor_type, shape), &shape_message, 0}};
MESSAGE(tensor_type_message, "tensor type", tn_onnx_tensor_type, tensor_type_fields);
static const field item_type_fields[] = {{1, ONE, AT(tn_onnx_item_type, elem), &type_message, 0}};
MESSAGE(item_type_message, "type of items", tn_onnx_item_type, item_type_fields);
static const field type_fields[] = {{1, ONE, AT(tn_onnx_type, tensor), &tensor_type_message, 0},
                                    {4, ONE, AT(tn_onnx_type, sequence), &item_type_message, 0},
                                    {9, ONE, AT(tn_onnx_type, optional), &item_type_message, 0}};
MESSAGE(type_message, "type", tn_onnx_type, type_fields);
static const field value_info_fields[] = {{1, TEXT, AT(tn_onnx_value_info, name), NULL, 0},
                                          {2, ONE, AT(tn_onnx_value_info, type), &type_message, 0}};
MESSAGE(value_info_message, "value", tn_onnx_value_info, value_info_fields);

static const field attr_fields[] = {{1, TEXT, AT(tn_onnx_attr, name), NULL, 0},
                                    {2, FLOAT, AT(tn_onnx_attr, f), NULL, AT(tn_onnx_attr, has_f)},
                                    {3, INT, AT(tn_onnx_attr, i), NULL, AT(tn_onnx_attr, has_i)},
                                    {4, BYTES, AT(tn_onnx_attr, s), NULL, 0},
                                    {5, ONE, AT(tn_onnx_attr, t), &tensor_message, 0},
                                    {6, ONE, AT(tn_onnx_attr, g), &graph_message, 0},
                                    {7, FLOATS, AT(tn_onnx_attr, floats), NULL, 0},
                                    {8, INTS, AT(tn_onnx_attr, ints), NULL, 0},
                                    {9, RUNS, AT(tn_onnx_attr, strings), NULL, 0},
                                    {10, MANY, AT(tn_onnx_attr, tensors), &tensor_message, 0},
                                    {11, MANY, AT(tn_onnx_attr, graphs), &graph_message, 0},
                                    {14, ONE, AT(tn_onnx_attr, tp), &type_message, 0},
                                    {20, INT, AT(tn_onnx_attr, type), NULL, 0},
                                    {21, TEXT, AT(tn_onnx_attr, ref), NULL, 0}};
MESSAGE(attr_message, "attribute", tn_onnx_attr, attr_fields);

static const field node_fields[] = {{1, TEXTS, AT(tn_onnx_node, inputs), NULL, 0},
                                    {2, TEXTS, AT(tn_onnx_node, outputs), NULL, 0},
                                    {3, TEXT, AT(tn_onnx_node, name), NULL, 0},
                                    {4, TEXT, AT(tn_onnx_node, op), NULL, 0},
                                    {5, MANY, AT(tn_onnx_node, attrs), &attr_message, 0},
                                    {7, TEXT, AT(tn_onnx_node, domain), NULL, 0},
                                    {8, TEXT, AT(tn_onnx_node, overload), NULL, 0}};
MESSAGE(node_message, "node", tn_onnx_node, node_fields);

static const field sparse_fields[] = {{1, ONE, AT(tn_onnx_sparse, values), &tensor_message, 0},
                                      {2, ONE, AT(tn_onnx_sparse, indices), &tensor_message, 0},
                                      {3, INTS, AT(tn_onnx_sparse, dims), NULL, 0}};
MESSAGE(sparse_message, "sparse tensor", tn_onnx_sparse, sparse_fields);

static const field graph_fields[] = {
    {1, MANY, AT(tn_onnx_graph, nodes), &node_message, 0},
    {2, TEXT, AT(tn_onnx_graph, name), NULL, 0},
    {5, MANY, AT(tn_onnx_graph, initializers), &tensor_message, 0},
    {11, MANY, AT(tn_onnx_graph, inputs), &value_info_message, 0},
    {12, MANY, AT(tn_onnx_graph, outputs), &value_info_message, 0},
    {13, MANY, AT(tn_onnx_graph, values), &value_info_message, 0},
    {15, MANY, AT(tn_onnx_graph, sparse_initializers), &sparse_message, 0}};
MESSAGE(graph_message, "graph", tn_onnx_graph, graph_fields);

static const field opset_fields[] = {{1, TEXT, AT(tn_onnx_opset, domain), NULL, 0},
                                     {2, INT, AT(tn_onnx_opset, version), NULL, 0}};
MESSAGE(opset_message, "operator set", tn_onnx_opset, opset_fields);

static const field function_fields[] = {
    {1, TEXT, AT(tn_onnx_function, name), NULL, 0},
    {4, TEXTS, AT(tn_onnx_function, inputs), NULL, 0},
    {5, TEXTS, AT(tn_onnx_function, outputs), NULL, 0},
    {6, TEXTS, AT(tn_onnx_function, attr_names), NULL, 0},
    {7, MANY, AT(tn_onnx_function, nodes), &node_message, 0},
    {9, MANY, AT(tn_onnx_function, opsets), &opset_message, 0},
    {10, TEXT, AT(tn_onnx_function, domain), NULL, 0},
    {11, MANY, AT(tn_onnx_function, attr_defaults), &attr_message, 0},
    {13, TEXT, AT(tn_onnx_function, overload), NULL, 0}};
MESSAGE(function_message, "function", tn_onnx_function, function_fields);

static const field model_fields[] = {
    {1, INT, AT(tn_onnx_model, ir_version), NULL, 0},
    {2, TEXT, AT(tn_onnx_model, producer), NULL, 0},
    {7, ONE, AT(tn_onnx_model, graph), &graph_message, 0},
    {8, MANY, AT(tn_onnx_model, opsets), &opset_message, 0},
    {25, MANY, AT(tn_onnx_model, functions), &function_message, 0}};
MESSAGE(model_message, "model", tn_onnx_model, model_fields);

static const field sequence_fields[] = {
    {2, INT, AT(tn_onnx_sequence_data, elem), NULL, 0},
    {3, MANY, AT(tn_onnx_sequence_data, tensors), &tensor_message, 0}};
MESSAGE(sequence_message, "sequence", tn_onnx_sequence_data, sequence_fields);
static const field optional_fields[] = {
    {2, INT, AT(tn_onnx_optional_data, elem), NULL, 0},
    {3, ONE, AT(tn_onnx_optional_data, tensor), &tensor_message, 0},
    {5, ONE, AT(tn_onnx_optional_data, sequence), &sequence_message, 0}};
MESSAGE(optional_message, "optional", tn_onnx_optional_data, optional_fields);

/* ---- filling ---- */

static tn_status read_message(tn_arena *arena, const message *m, tn_wire wire, int32_t depth,
                              char *out);

/* All lists begin with {data, len}. Room doubles, so the arena holds at most twice the list. */
typedef struct list {
  void *data;
  size_t len;
} list;

static void *list_add(tn_arena *arena, char *at, size_t elem_bytes) {
  list *l = (list *)(void *)at;
  if ((l->len & (l->len - 1)) == 0) { /* full: it holds 1, 2, 4 ... */
    char *room = tn_arena_alloc(arena, elem_bytes * (l->len == 0 ? 1 : 2 * l->len), 8);
    if (l->len > 0) {
      memcpy(room, l->data, elem_bytes * l->len);
    }
    l->data = room;
  }
  return (char *)l->data + elem_bytes * l->len++;
}

static tn_status read_text(tn_arena *arena, const tn_wire_field *f, tn_onnx_bytes *out) {
  if (f->n_bytes > 0 && memchr(f->data, 0, f->n_bytes) != NULL) {
    return TN_ERR(TN_CORRUPT, "a name with a NUL in it");
  }
  *out = (tn_onnx_bytes){tn_arena_strndup(arena, (const char *)f->data, f->n_bytes), f->n_bytes};
  return NULL;
}

static void add_number(tn_arena *arena, field_kind kind, uint64_t bits, char *at) {
  if (kind == INTS) {
    *(int64_t *)list_add(arena, at, sizeof(int64_t)) = (int64_t)bits;
  } else {
    uint32_t low = (uint32_t)bits;
    memcpy(list_add(arena, at, sizeof(float)), &low, sizeof low);
  }
}

/* Numbers come one a field or packed in one. */
static tn_status read_numbers(tn_arena *arena, field_kind kind, const tn_wire_field *f, char *at) {
  if (f->kind != TN_WIRE_BYTES) {
    add_number(arena, kind, f->value, at);
    return NULL;
  }
  tn_wire wire = tn_wire_make(f->data, f->n_bytes);
  if (kind == FLOATS && f->n_bytes % 4 != 0) {
    return TN_ERR(TN_CORRUPT, "%zu bytes of float32", f->n_bytes);
  }
  while (wire.at != wire.end) {
    uint64_t bits = 0;
    if (kind == FLOATS) {
      bits = tn_wire_fixed(wire.at, 4);
      wire.at += 4;
    } else if (!tn_wire_varint(&wire, &bits)) {
      return TN_ERR(TN_CORRUPT, "a number of a list does not end");
    }
    add_number(arena, kind, bits, at);
    TN_TRY(tn_arena_status(arena));
  }
  return NULL;
}

static bool kind_fits(field_kind kind, tn_wire_kind wire) {
  switch (kind) {
    case INT:
      return wire == TN_WIRE_VARINT;
    case FLOAT:
      return wire == TN_WIRE_FIXED32;
    case INTS:
      return wire == TN_WIRE_VARINT || wire == TN_WIRE_BYTES;
    case FLOATS:
      return wire == TN_WIRE_FIXED32 || wire == TN_WIRE_BYTES;
    case RUNS:
      return true;
    case TEXT:
    case BYTES:
    case TEXTS:
    case ONE:
    case MANY:
      return wire == TN_WIRE_BYTES;
  }
  return false;
}

static tn_status read_sub(tn_arena *arena, const field *d, const tn_wire_field *f, int32_t depth,
                          char *at) {
  char *sub = NULL;
  if (d->kind == ONE) {
    memcpy(&sub, at, sizeof sub);
  }
  if (sub == NULL) {
    sub = tn_arena_alloc(arena, d->of->n_bytes, 8);
  }
  if (d->kind == ONE) {
    memcpy(at, &sub, sizeof sub);
  } else {
    *(void **)list_add(arena, at, sizeof(void *)) = sub;
  }
  return read_message(arena, d->of, tn_wire_make(f->data, f->n_bytes), depth + 1, sub);
}

static tn_status read_field(tn_arena *arena, const field *d, const tn_wire_field *f, int32_t depth,
                            char *out) {
  char *at = out + d->offset;
  tn_onnx_bytes bytes = {(const char *)f->data, f->n_bytes};
  uint32_t low = 0;
  if (d->flag != 0) {
    out[d->flag] = 1;
  }
  switch (d->kind) {
    case INT:
      memcpy(at, &f->value, sizeof f->value);
      return NULL;
    case FLOAT:
      low = (uint32_t)f->value;
      memcpy(at, &low, sizeof low);
      return NULL;
    case TEXT:
      return read_text(arena, f, (tn_onnx_bytes *)(void *)at);
    case BYTES:
      memcpy(at, &bytes, sizeof bytes);
      return NULL;
    case INTS:
    case FLOATS:
      return read_numbers(arena, d->kind, f, at);
    case TEXTS:
      return read_text(arena, f, list_add(arena, at, sizeof(tn_onnx_bytes)));
    case RUNS:
      memcpy(list_add(arena, at, sizeof bytes), &bytes, sizeof bytes);
      return NULL;
    case ONE:
    case MANY:
      return read_sub(arena, d, f, depth, at);
  }
  return NULL;
}

static const field *find_field(const message *m, uint32_t number) {
  for (size_t i = 0; i < m->n_fields; ++i) {
    if (m->fields[i].number == number) {
      return &m->fields[i];
    }
  }
  return NULL;
}

static tn_status read_message(tn_arena *arena, const message *m, tn_wire wire, int32_t depth,
                              char *out) {
  if (depth > MAX_DEPTH) {
    return TN_ERR(TN_CORRUPT, "messages within messages, more than %d deep", (int)MAX_DEPTH);
  }
  for (;;) {
    tn_wire_field f = {0};
    bool has = false;
    TN_TRY_MSG(tn_wire_next(&wire, &f, &has), "in a %s", m->name);
    if (!has) {
      return NULL;
    }
    const field *d = find_field(m, f.number);
    if (d == NULL) {
      continue;
    }
    if (!kind_fits(d->kind, f.kind)) {
      return TN_ERR(TN_CORRUPT, "field %u of a %s has kind %d", f.number, m->name, (int)f.kind);
    }
    TN_TRY(read_field(arena, d, &f, depth, out));
    TN_TRY(tn_arena_status(arena));
  }
}

const char *tn_onnx_node_label(const tn_onnx_node *node) {
  if (node->name.len > 0) {
    return node->name.data;
  }
  for (size_t i = 0; i < node->outputs.len; ++i) {
    if (node->outputs.data[i].len > 0) {
      return node->outputs.data[i].data;
    }
  }
  return "";
}

tn_status tn_onnx_model_read(tn_arena *arena, const uint8_t *bytes, size_t n_bytes,
                             tn_onnx_model **out_model) {
  tn_onnx_model *model = TN_ARENA_NEW(arena, tn_onnx_model);
  TN_TRY(read_message(arena, &model_message, tn_wire_make(bytes, n_bytes), 0, (char *)model));
  if (model->graph == NULL) {
    return TN_ERR(TN_CORRUPT, "no graph: this is no ONNX model");
  }
  *out_model = model;
  return NULL;
}

tn_status tn_onnx_tensor_read(tn_arena *arena, const uint8_t *bytes, size_t n_bytes,
                              tn_onnx_tensor **out_tensor) {
  tn_onnx_tensor *tensor = TN_ARENA_NEW(arena, tn_onnx_tensor);
  TN_TRY(read_message(arena, &tensor_message, tn_wire_make(bytes, n_bytes), 0, (char *)tensor));
  *out_tensor = tensor;
  return NULL;
}

tn_status tn_onnx_sequence_read(tn_arena *arena, const uint8_t *bytes, size_t n_bytes,
                                tn_onnx_sequence_data **out) {
  tn_onnx_sequence_data *data = TN_ARENA_NEW(arena, tn_onnx_sequence_data);
  TN_TRY(read_message(arena, &sequence_message, tn_wire_make(bytes, n_bytes), 0, (char *)data));
  *out = data;
  return NULL;
}

tn_status tn_onnx_optional_read(tn_arena *arena, const uint8_t *bytes, size_t n_bytes,
                                tn_onnx_optional_data **out) {
  tn_onnx_optional_data *data = TN_ARENA_NEW(arena, tn_onnx_optional_data);
  TN_TRY(read_message(arena, &optional_message, tn_wire_make(bytes, n_bytes), 0, (char *)data));
  *out = data;
  return NULL;
}
