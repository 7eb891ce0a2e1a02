/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Arithmetic on sizes while reading: of each call that makes a few integers of known ones, what they
 * are as expressions. So Shape -> Gather -> Mul -> Concat -> Reshape gives extents that the type
 * rules can compare, and what nobody asks for as a tensor is not computed when the model runs.
 *
 * An operator that only moves elements is run by its reference on the elements' numbers. Booleans
 * are 0 and 1. */
#include <string.h>

#include "front/onnx/known.h"
#include "ops/kernel.h"

enum { MAX_ELEMS = 64, MAX_ARGS = 16 };

typedef struct known_call {
  tn_onnx_call *c;
  const tn_node *call;
  const tn_node *items[MAX_ELEMS]; /* of the result */
  int64_t n;
} known_call;

const tn_node *tn_onnx_pick(tn_ir *ir, const tn_node *cond, const tn_node *a, const tn_node *b) {
  const tn_node *in[] = {cond, a, b};
  if (cond->op == TN_OP_INT) {
    return cond->attr.i64 != 0 ? a : b;
  }
  return a == b ? a : tn_node_new(ir, TN_OP_SELECT, TN_DT_I64, (tn_attr){0}, 3, in);
}

/* ---- elements one by one ---- */

static const tn_node *number_of(tn_ir *ir, const tn_node *truth) {
  const tn_node *one = tn_int(ir, TN_DT_I64, 1);
  const tn_node *zero = tn_int(ir, TN_DT_I64, 0);
  return tn_onnx_pick(ir, tn_op_simplify(ir, truth), one, zero);
}

static const tn_node *truth_of(tn_ir *ir, const tn_node *number) {
  return number->op == TN_OP_INT
             ? number
             : tn_op_simplify(ir, tn_binary(ir, TN_OP_NE, number, tn_int(ir, TN_DT_I64, 0)));
}

static const tn_node *compared(tn_ir *ir, tn_op op, const tn_node *a, const tn_node *b) {
  tn_dim_rel rel = tn_dim_compare(ir, a, b);
  bool is_eq = op == TN_OP_EQ;
  if ((is_eq || op == TN_OP_NE) && rel != TN_DIM_UNSURE) {
    return tn_int(ir, TN_DT_I64, (rel == TN_DIM_EQUAL) == is_eq);
  }
  return number_of(ir, tn_binary(ir, op, a, b));
}

static const tn_node *divided(tn_ir *ir, tn_op op, const tn_node *a, const tn_node *b) {
  bool is_safe = tn_arith_is_size(a) && b->op == TN_OP_INT && b->attr.i64 > 0;
  bool is_size = tn_arith_is_size(a) && tn_arith_is_size(b) && b->op != TN_OP_INT;
  return is_safe || is_size ? tn_op_simplify(ir, tn_binary(ir, op, a, b)) : NULL;
}

static const tn_node *logical(tn_ir *ir, bool is_and, const tn_node *a, const tn_node *b) {
  const tn_node *zero = tn_int(ir, TN_DT_I64, 0);
  const tn_node *one = tn_int(ir, TN_DT_I64, 1);
  const tn_node *rest = tn_onnx_pick(ir, truth_of(ir, b), one, zero);
  return is_and ? tn_onnx_pick(ir, truth_of(ir, a), rest, zero)
                : tn_onnx_pick(ir, truth_of(ir, a), one, rest);
}

typedef enum kind { ARITHMETIC, DIVISION, COMPARISON, AND, OR } kind;
static const struct {
  const char *name;
  kind kind;
  tn_op op;
} binaries[] = {
    {"add", ARITHMETIC, TN_OP_ADD},
    {"subtract", ARITHMETIC, TN_OP_SUB},
    {"multiply", ARITHMETIC, TN_OP_MUL},
    {"minimum", ARITHMETIC, TN_OP_MIN},
    {"maximum", ARITHMETIC, TN_OP_MAX},
    {"divide", DIVISION, TN_OP_FLOORDIV},
    {"floor_divide", DIVISION, TN_OP_FLOORDIV},
    {"mod", DIVISION, TN_OP_FLOORMOD},
    {"floor_mod", DIVISION, TN_OP_FLOORMOD},
    {"equal", COMPARISON, TN_OP_EQ},
    {"not_equal", COMPARISON, TN_OP_NE},
    {"less", COMPARISON, TN_OP_LT},
    {"less_equal", COMPARISON, TN_OP_LE},
    {"greater", COMPARISON, TN_OP_GT},
    {"greater_equal", COMPARISON, TN_OP_GE},
    {"logical_and", AND, TN_OP_AND},
    {"logical_or", OR, TN_OP_OR},
};

static const tn_node *binary(tn_ir *ir, size_t row, const tn_node *a, const tn_node *b) {
  switch (binaries[row].kind) {
    case ARITHMETIC:
      return tn_op_simplify(ir, tn_binary(ir, binaries[row].op, a, b));
    case DIVISION:
      return divided(ir, binaries[row].op, a, b);
    case COMPARISON:
      return compared(ir, binaries[row].op, a, b);
    case AND:
    case OR:
      break;
  }
  return logical(ir, binaries[row].kind == AND, a, b);
}

/* Element i of a vector or of one number for all. */
static const tn_node *at(const tn_node *list, int64_t i) {
  return list->in[list->n_in == 1 ? 0 : i];
}

static bool do_binary(known_call *k, const char *op, const tn_node *const *args) {
  size_t row = 0;
  while (row < sizeof binaries / sizeof binaries[0] && strcmp(binaries[row].name, op) != 0) {
    ++row;
  }
  bool is_known = row < sizeof binaries / sizeof binaries[0];
  for (int64_t i = 0; is_known && i < k->n; ++i) {
    k->items[i] = binary(k->c->ir, row, at(args[0], i), at(args[1], i));
    is_known = k->items[i] != NULL;
  }
  return is_known;
}

static bool do_unary(known_call *k, const char *op, const tn_node *list, tn_dtype to) {
  tn_ir *ir = k->c->ir;
  bool is_cast = strcmp(op, "astype") == 0;
  bool is_not = strcmp(op, "logical_not") == 0;
  bool is_negative = strcmp(op, "negative") == 0;
  for (int64_t i = 0; i < k->n; ++i) {
    const tn_node *x = at(list, i);
    const tn_node *zero = tn_int(ir, TN_DT_I64, 0);
    if (is_not || (is_cast && to == TN_DT_BOOL)) {
      const tn_node *one = tn_int(ir, TN_DT_I64, 1);
      k->items[i] = tn_onnx_pick(ir, truth_of(ir, x), is_not ? zero : one, is_not ? one : zero);
    } else if (is_negative) {
      k->items[i] = tn_op_simplify(ir, tn_binary(ir, TN_OP_SUB, zero, x));
    } else {
      k->items[i] = x;
    }
  }
  return is_cast || is_not || is_negative;
}

static bool do_where(known_call *k, const tn_node *const *args) {
  for (int64_t i = 0; i < k->n; ++i) {
    k->items[i] =
        tn_onnx_pick(k->c->ir, truth_of(k->c->ir, at(args[0], i)), at(args[1], i), at(args[2], i));
  }
  return true;
}

/* Of all elements: the result has one. */
static bool do_reduce(known_call *k, const char *op, const tn_node *list) {
  static const struct {
    const char *name;
    tn_op op;
  } rows[] = {{"sum", TN_OP_ADD}, {"prod", TN_OP_MUL}, {"max", TN_OP_MAX}, {"min", TN_OP_MIN}};
  tn_ir *ir = k->c->ir;
  for (size_t r = 0; r < sizeof rows / sizeof rows[0]; ++r) {
    if (strcmp(rows[r].name, op) != 0 || k->n != 1) {
      continue;
    }
    bool is_empty = list->n_in == 0;
    const tn_node *all = is_empty ? tn_int(ir, TN_DT_I64, rows[r].op == TN_OP_MUL) : list->in[0];
    for (uint32_t i = 1; i < list->n_in; ++i) {
      all = tn_op_simplify(ir, tn_binary(ir, rows[r].op, all, list->in[i]));
    }
    k->items[0] = all;
    return !is_empty || rows[r].op == TN_OP_ADD || rows[r].op == TN_OP_MUL;
  }
  return false;
}

/* ---- elements that move ---- */

/* The argument with numbers of elements in the place of elements; new ones are added to `table`. */
static tn_status numbered(tn_onnx_call *c, const tn_node *arg, const tn_node **table, int64_t *n,
                          tn_array *out) {
  const tn_node *list = tn_onnx_known(c, arg);
  int64_t extent = list->n_in;
  bool is_scalar = tn_onnx_ndim(c, arg) == 0;
  TN_TRY(tn_array_init(out, TN_DT_I64, is_scalar ? 0 : 1, &extent));
  for (uint32_t i = 0; i < list->n_in; ++i) {
    tn_array_set_i64(out, i, *n);
    table[(*n)++] = list->in[i];
  }
  return NULL;
}

static bool moves(const char *op) {
  static const char *const names[] = {"take",    "strided_slice", "concat",       "reshape",
                                      "squeeze", "expand_dims",   "flip",         "tile",
                                      "repeat",  "broadcast_to",  "permute_dims", "flatten"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    if (strcmp(names[i], op) == 0) {
      return true;
    }
  }
  return false;
}

/* Data is the first argument, of concat all items of its tuple; the others say where it goes. */
static bool do_move(known_call *k) {
  const tn_node *table[MAX_ARGS * MAX_ELEMS];
  const tn_array *arrays[MAX_ARGS];
  tn_array room[MAX_ARGS] = {{0}};
  tn_array out = {0};
  const tn_node *args = k->call->in[TN_CALL_ARGS];
  const tn_node *first = args->in[0];
  uint32_t n_data = first->op == TN_OP_TUPLE ? first->n_in : 1;
  uint32_t n = n_data + args->n_in - 1;
  int64_t n_elems = 0;
  tn_status st = NULL;
  bool is_known = n <= MAX_ARGS;
  for (uint32_t i = 0; is_known && st == NULL && i < n; ++i) {
    const tn_node *arg = i >= n_data                ? args->in[1 + i - n_data]
                         : first->op == TN_OP_TUPLE ? first->in[i]
                                                    : first;
    arrays[i] = &room[i];
    if (i < n_data) {
      is_known = tn_onnx_known(k->c, arg) != NULL;
      st = is_known ? numbered(k->c, arg, table, &n_elems, &room[i]) : NULL;
    } else {
      is_known = tn_onnx_plain_arg(arg, &room[i], &arrays[i]);
    }
  }
  if (is_known && st == NULL) {
    st = tn_op_of(k->call)->eval(k->call, arrays, (int32_t)n, &out);
    is_known = st == NULL && tn_array_n_elems(&out) == k->n;
  }
  for (int64_t i = 0; is_known && st == NULL && i < k->n; ++i) {
    k->items[i] = table[tn_array_get_i64(&out, i)];
  }
  is_known = is_known && st == NULL;
  tn_status_free(st);
  tn_array_deinit(&out);
  for (uint32_t i = 0; i < MAX_ARGS; ++i) {
    tn_array_deinit(&room[i]);
  }
  return is_known;
}

/* ---- all ---- */

static bool is_small_vector(const tn_node *type, int64_t *out_n) {
  if (type->op != TN_OP_TY_TENSOR || type->attr.i64 < 0 || type->attr.i64 > 1 ||
      tn_is_none(type->in[TN_TY_TENSOR_SHAPE]) ||
      !(tn_dtype_is_int(type->dtype) || type->dtype == TN_DT_BOOL)) {
    return false;
  }
  const tn_node *dims = type->in[TN_TY_TENSOR_SHAPE];
  *out_n = dims->n_in == 0 ? 1 : dims->in[0]->op == TN_OP_INT ? dims->in[0]->attr.i64 : -1;
  return *out_n >= 0 && *out_n <= MAX_ELEMS;
}

static bool compute(known_call *k, tn_dtype dtype) {
  const char *op = tn_op_of(k->call)->def.name;
  const tn_node *args = k->call->in[TN_CALL_ARGS];
  const tn_node *lists[3] = {NULL, NULL, NULL};
  if (args->n_in == 0 || tn_op_of(k->call)->eval == NULL) {
    return false;
  }
  if (moves(op)) {
    return do_move(k);
  }
  for (uint32_t i = 0; i < args->n_in; ++i) {
    bool is_value = args->in[i]->op == TN_OP_GVAR || args->in[i]->op == TN_OP_CONST;
    lists[i] = i < 3 && is_value ? tn_onnx_known(k->c, args->in[i]) : NULL;
    if (i >= 3 || lists[i] == NULL ||
        (lists[i]->n_in != 1 && lists[i]->n_in != k->n && args->n_in > 1)) {
      return false;
    }
  }
  if (args->n_in == 1) {
    return do_reduce(k, op, lists[0]) ||
           ((int64_t)lists[0]->n_in == k->n && do_unary(k, op, lists[0], dtype));
  }
  if (args->n_in == 3) {
    return strcmp(op, "where") == 0 && do_where(k, lists);
  }
  return do_binary(k, op, lists);
}

void tn_onnx_know_call(tn_onnx_call *c, const tn_node *var, const tn_node *call,
                       const tn_node *type) {
  known_call k = {.c = c, .call = call};
  if (c->st == NULL && is_small_vector(type, &k.n) && compute(&k, type->dtype)) {
    tn_onnx_note_known(c->imp, var, tn_list(c->ir, (uint32_t)k.n, k.items));
  }
}
