/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What the forms of operators (gen_onnx_*.c) work with. A form fills a node: operands that there are
 * or new ones, attributes, the number of results. It returns false where it finds no fit. */
#ifndef TN_TESTS_GEN_ONNX_PRIV_H
#define TN_TESTS_GEN_ONNX_PRIV_H

#include <string.h>

#include "gen_onnx.h"
#include "onnx_writer.h"

/* Sets of element types. */
enum {
  GX_F16 = 1,
  GX_BF16 = 2,
  GX_F32 = 4,
  GX_F64 = 8,
  GX_I8 = 16,
  GX_I16 = 32,
  GX_I32 = 64,
  GX_I64 = 128,
  GX_U8 = 256,
  GX_U16 = 512,
  GX_U32 = 1024,
  GX_U64 = 2048,
  GX_BOOL = 4096,
  GX_FLOATS = GX_F16 | GX_BF16 | GX_F32 | GX_F64,
  GX_SIGNED = GX_I8 | GX_I16 | GX_I32 | GX_I64,
  GX_UNSIGNED = GX_U8 | GX_U16 | GX_U32 | GX_U64,
  GX_INTS = GX_SIGNED | GX_UNSIGNED,
  GX_NUMBERS = GX_FLOATS | GX_INTS,
  GX_ALL = GX_NUMBERS | GX_BOOL,
  GX_INDEX = GX_I32 | GX_I64
};

typedef struct gx_form gx_form;
struct gx_form {
  const char *domain;
  const char *op;
  int64_t first; /* opsets of the form; last 0: to the newest */
  int64_t last;
  bool (*make)(gx_graph *g, gx_node *n, const gx_form *form);
  uint32_t types;
  gx_kind kind;
  const char *word;
};
/// The forms of a file; the table ends with op NULL.
extern const gx_form gx_elem_forms[];
extern const gx_form gx_move_forms[];
extern const gx_form gx_index_forms[];
extern const gx_form gx_math_forms[];
extern const gx_form gx_net_forms[];
extern const gx_form gx_quant_forms[];
extern const gx_form gx_contrib_forms[];
extern const gx_form gx_more_forms[];

/* ---- chance ---- */

int64_t gx_range(gx_graph *g, int64_t lo, int64_t hi);
bool gx_chance(gx_graph *g, int32_t percent);
tn_dtype gx_dtype(gx_graph *g, uint32_t types);
uint32_t gx_type_bit(tn_dtype dtype);
bool gx_is_float(tn_dtype dtype);
/// An extent: often 1 or odd, rarely 0.
int64_t gx_extent(gx_graph *g);
void gx_shape(gx_graph *g, int32_t ndim, int64_t *out);
int32_t gx_rank(gx_graph *g, int32_t lo, int32_t hi);
/// An axis of `ndim`, from the end where the opset allows it.
int64_t gx_axis(gx_graph *g, int32_t ndim);
int64_t gx_axis_form(gx_graph *g, int64_t axis, int32_t ndim);

/* ---- operands: places in g->values ---- */

typedef enum gx_fill {
  GX_ANY,
  GX_SMALL,    /* whole numbers in [-4, 4] */
  GX_NOT_ZERO, /* 1 to 5 */
  GX_UNIT      /* (0, 1) */
} gx_fill;

static inline tn_array *gx_array(gx_graph *g, int32_t id) { return &g->values.data[id].array; }
static inline int32_t gx_ndim(gx_graph *g, int32_t id) { return gx_array(g, id)->ndim; }
static inline int64_t gx_dim(gx_graph *g, int32_t id, int32_t axis) {
  return gx_array(g, id)->shape[axis];
}
static inline tn_dtype gx_type(gx_graph *g, int32_t id) { return gx_array(g, id)->dtype; }

/// A new input or initial value.
int32_t gx_leaf(gx_graph *g, tn_dtype dtype, int32_t ndim, const int64_t *shape, gx_fill fill);
/// A constant to be filled by the caller.
int32_t gx_const(gx_graph *g, tn_dtype dtype, int32_t ndim, const int64_t *shape);
int32_t gx_const_ints(gx_graph *g, int64_t n, const int64_t *values);
int32_t gx_const_number(gx_graph *g, tn_dtype dtype, double value);
/// A value of one of the types and a rank in [lo, hi], one that there is when possible.
int32_t gx_pick(gx_graph *g, uint32_t types, int32_t lo, int32_t hi);
/// A value of that type and shape.
int32_t gx_same(gx_graph *g, tn_dtype dtype, int32_t ndim, const int64_t *shape, gx_fill fill);
int32_t gx_like(gx_graph *g, int32_t id);
/// A value that broadcasts with `id`. is_one_way: to the shape of id.
int32_t gx_partner(gx_graph *g, int32_t id, tn_dtype dtype, bool is_one_way, gx_fill fill);
/// Integers of [lo, hi] of that shape, as an input or a constant.
int32_t gx_indices(gx_graph *g, tn_dtype dtype, int32_t ndim, const int64_t *shape, int64_t lo,
                   int64_t hi);

/* ---- the node ---- */

void gx_in(gx_node *n, int32_t id);
static inline void gx_int(gx_node *n, const char *name, int64_t value) {
  onnx_attr_int(&n->attrs, name, value);
}
static inline void gx_float(gx_node *n, const char *name, double value) {
  onnx_attr_float(&n->attrs, name, (float)value);
}
static inline void gx_text(gx_node *n, const char *name, const char *value) {
  onnx_attr_text(&n->attrs, name, value);
}
static inline void gx_ints(gx_node *n, const char *name, size_t count, const int64_t *values) {
  onnx_attr_ints(&n->attrs, name, count, values);
}
/// The number of a type in ONNX.
int64_t gx_onnx_type(tn_dtype dtype);

#endif
