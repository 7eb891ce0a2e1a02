/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Values, attributes and calls of graph operators for the importer's rules; see build.h. */
#include "front/onnx/build.h"

#include <inttypes.h>
#include <string.h>

#include "front/onnx/known.h"
#include "ops/kernel.h"
#include "ops/ops.h"

void tn_onnx_fail(tn_onnx_call *c, tn_status st) {
  if (c->st == NULL) {
    c->st = st;
  } else {
    tn_status_free(st);
  }
}

/* ---- inputs, outputs ---- */

const tn_node *tn_onnx_maybe(const tn_onnx_call *c, uint32_t i) {
  return i < c->n_in ? c->in[i] : NULL;
}

const tn_node *tn_onnx_in(tn_onnx_call *c, uint32_t i) {
  const tn_node *value = tn_onnx_maybe(c, i);
  if (value == NULL) {
    TN_ONNX_FAIL(c, TN_INVALID, "input %u is missing", i);
  }
  return value;
}

bool tn_onnx_wants(const tn_onnx_call *c, uint32_t i) {
  return i < c->n_out && c->node->outputs.data[i].len > 0;
}

void tn_onnx_give(tn_onnx_call *c, uint32_t i, const tn_node *value) {
  if (i < c->n_out) {
    c->out[i] = value;
  }
}

void tn_onnx_no_outputs_from(tn_onnx_call *c, uint32_t i) {
  for (; i < c->n_out; ++i) {
    if (tn_onnx_wants(c, i)) {
      TN_ONNX_FAIL(c, TN_UNSUPPORTED, "output %u ('%s')", i, c->node->outputs.data[i].data);
    }
  }
}

/* ---- attributes ---- */

static const tn_onnx_attr *find_in(const tn_onnx_attrs *attrs, const char *name) {
  for (size_t i = 0; i < attrs->len; ++i) {
    if (tn_onnx_is(attrs->data[i]->name, name)) {
      return attrs->data[i];
    }
  }
  return NULL;
}

static const tn_onnx_attr *resolve(const tn_onnx_scope *scope, const tn_onnx_attr *attr) {
  while (attr != NULL && attr->ref.len > 0) {
    while (scope != NULL && scope->func == NULL) {
      scope = scope->outer;
    }
    if (scope == NULL) {
      return NULL;
    }
    const tn_onnx_attr *given = find_in(&scope->caller->attrs, attr->ref.data);
    attr = given != NULL ? given : find_in(&scope->func->attr_defaults, attr->ref.data);
    scope = given != NULL ? scope->caller_scope : NULL;
  }
  return attr;
}

const tn_onnx_attr *tn_onnx_attr_find(const tn_onnx_call *c, const char *name) {
  return resolve(c->scope, find_in(&c->node->attrs, name));
}

static const tn_onnx_attr *typed(tn_onnx_call *c, const char *name, int64_t type, bool looks_so,
                                 const char *expected) {
  const tn_onnx_attr *attr = tn_onnx_attr_find(c, name);
  if (attr != NULL && (attr->type != type && (attr->type != 0 || !looks_so))) {
    TN_ONNX_FAIL(c, TN_INVALID, "attribute '%s' has type %" PRId64 ", expected %s", name,
                 attr->type, expected);
    return NULL;
  }
  return attr;
}

int64_t tn_onnx_attr_int(tn_onnx_call *c, const char *name, int64_t otherwise) {
  const tn_onnx_attr *attr = typed(c, name, TN_ONNX_ATTR_INT, true, "an integer");
  return attr == NULL ? otherwise : attr->i;
}

double tn_onnx_attr_float(tn_onnx_call *c, const char *name, double otherwise) {
  const tn_onnx_attr *attr = typed(c, name, TN_ONNX_ATTR_FLOAT, true, "a float");
  return attr == NULL ? otherwise : (double)attr->f;
}

const char *tn_onnx_attr_text(tn_onnx_call *c, const char *name, const char *otherwise) {
  const tn_onnx_attr *attr = typed(c, name, TN_ONNX_ATTR_STRING, true, "a text");
  if (attr == NULL) {
    return otherwise;
  }
  return tn_arena_strndup(c->imp->arena, attr->s.data == NULL ? "" : attr->s.data, attr->s.len);
}

tn_onnx_i64s tn_onnx_attr_ints(tn_onnx_call *c, const char *name) {
  const tn_onnx_attr *attr = typed(c, name, TN_ONNX_ATTR_INTS, true, "a list of integers");
  if (attr == NULL) {
    return (tn_onnx_i64s){0};
  }
  return attr->ints.len == 0 ? tn_onnx_i64s_alloc(c, 0) : attr->ints;
}

/* ---- values ---- */

static const tn_node *type_node(tn_onnx_call *c, const tn_node *value) {
  const tn_node *type = NULL;
  const tn_infer_ctx ctx = {.ir = c->ir, .module = c->imp->module};
  if (c->st != NULL || value == NULL) {
    return NULL;
  }
  tn_status st = tn_graph_infer(&ctx, value, &type);
  if (st == NULL && type->op != TN_OP_TY_TENSOR) {
    st = TN_ERR(TN_INVALID, "expected a tensor");
  }
  if (st != NULL) {
    tn_onnx_fail(c, st);
    return NULL;
  }
  return type;
}

tn_dtype tn_onnx_type_of(tn_onnx_call *c, const tn_node *value) {
  const tn_node *type = type_node(c, value);
  return type == NULL ? TN_DT_NONE : type->dtype;
}

tn_onnx_elem tn_onnx_elem_of(tn_onnx_call *c, const tn_node *value) {
  uint64_t is_two_bits = 0;
  tn_onnx_elem type = {tn_onnx_type_of(c, value), false};
  if (value != NULL && tn_map_find(&c->imp->narrow, value->id, &is_two_bits)) {
    type.is_two_bits = is_two_bits != 0;
  }
  return type;
}

const tn_node *tn_onnx_mark(tn_onnx_call *c, const tn_node *value, tn_onnx_elem type) {
  if (value != NULL && (type.dtype == TN_DT_I4 || type.dtype == TN_DT_U4)) {
    tn_map_set(&c->imp->narrow, value->id, type.is_two_bits ? 1 : 0);
  }
  return value;
}

int32_t tn_onnx_ndim(tn_onnx_call *c, const tn_node *value) {
  const tn_node *type = type_node(c, value);
  if (type != NULL && type->attr.i64 < 0) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "a tensor of unknown rank; --shape fixes an input's shape");
    return 0;
  }
  return type == NULL ? 0 : (int32_t)type->attr.i64;
}

const tn_node *tn_onnx_dims(tn_onnx_call *c, const tn_node *value) {
  const tn_node *type = type_node(c, value);
  if (type != NULL && tn_is_none(type->in[TN_TY_TENSOR_SHAPE])) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "a tensor of unknown shape; --shape fixes an input's shape");
    return NULL;
  }
  return type == NULL ? NULL : type->in[TN_TY_TENSOR_SHAPE];
}

int32_t tn_onnx_axis(tn_onnx_call *c, int64_t axis, int32_t ndim) {
  if (c->st == NULL && (axis < -ndim || axis >= ndim)) {
    TN_ONNX_FAIL(c, TN_INVALID, "axis %" PRId64 " of a tensor of %d dimensions", axis, ndim);
  }
  return c->st != NULL ? 0 : (int32_t)(axis < 0 ? axis + ndim : axis);
}

/* More elements than a shape has, or than arithmetic on shapes makes of it. */
enum { MAX_KNOWN = 64 };

void tn_onnx_note_known(tn_onnx_importer *imp, const tn_node *value, const tn_node *list) {
  union {
    uint64_t bits;
    const tn_node *list;
  } u = {.list = list};
  if (!tn_map_find(&imp->known, value->id, NULL)) {
    TN_VEC_PUSH(&imp->known_log, value->id);
  }
  tn_map_set(&imp->known, value->id, u.bits);
}

const tn_node *tn_onnx_known(tn_onnx_call *c, const tn_node *value) {
  const tn_array *array = tn_onnx_array(value);
  const tn_node *items[MAX_KNOWN];
  union {
    uint64_t bits;
    const tn_node *list;
  } found = {0};
  if (c->st != NULL || value == NULL) {
    return NULL;
  }
  if (array == NULL) {
    return tn_map_find(&c->imp->known, value->id, &found.bits) ? found.list : NULL;
  }
  int64_t n = tn_array_n_elems(array);
  if (n > MAX_KNOWN || array->ndim > 1 || tn_dtype_is_any_float(array->dtype)) {
    return NULL;
  }
  for (int64_t i = 0; i < n; ++i) {
    items[i] = tn_int(c->ir, TN_DT_I64, tn_array_get_i64(array, i));
  }
  return tn_list(c->ir, (uint32_t)n, items);
}

tn_onnx_i64s tn_onnx_i64s_alloc(tn_onnx_call *c, size_t n) {
  return (tn_onnx_i64s){TN_ARENA_ARRAY(c->imp->arena, int64_t, n + 1), n};
}

const tn_array *tn_onnx_need_array(tn_onnx_call *c, const tn_node *value) {
  uint64_t at = 0;
  if (value == NULL || value->op == TN_OP_CONST || !tn_map_find(&c->imp->offered, value->id, &at)) {
    return tn_onnx_array(value);
  }
  c->imp->are_taken[at] = true;
  return c->imp->values[at];
}

tn_onnx_i64s tn_onnx_numbers(tn_onnx_call *c, const tn_node *value, const char *what) {
  const tn_node *list = tn_onnx_known(c, value);
  const tn_array *array = list == NULL ? tn_onnx_need_array(c, value) : tn_onnx_array(value);
  bool is_known = array != NULL && !tn_dtype_is_any_float(array->dtype);
  size_t n = is_known ? (size_t)tn_array_n_elems(array) : list != NULL ? list->n_in : 0;
  is_known = is_known || list != NULL;
  for (size_t i = 0; array == NULL && list != NULL && i < n; ++i) {
    is_known = is_known && list->in[i]->op == TN_OP_INT;
  }
  if (c->st != NULL || !is_known) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "%s must be numbers that are known while compiling", what);
    return (tn_onnx_i64s){0};
  }
  tn_onnx_i64s out = tn_onnx_i64s_alloc(c, n);
  for (size_t i = 0; i < n; ++i) {
    out.data[i] = array != NULL ? tn_array_get_i64(array, (int64_t)i) : list->in[i]->attr.i64;
  }
  return out;
}

const tn_node *tn_onnx_const(tn_onnx_call *c, tn_array *array) {
  if (c->st != NULL) {
    tn_array_deinit(array);
    return NULL;
  }
  return tn_const_new(c->ir, array);
}

const tn_node *tn_onnx_scalar(tn_onnx_call *c, tn_dtype dtype, double value) {
  tn_array array = {0};
  if (c->st != NULL) {
    return NULL;
  }
  tn_onnx_fail(c, tn_array_init(&array, dtype, 0, NULL));
  if (c->st != NULL) {
    return NULL;
  }
  tn_array_set_f64(&array, 0, value);
  return tn_const_new(c->ir, &array);
}

const tn_node *tn_onnx_vector(tn_onnx_call *c, tn_onnx_i64s values) {
  tn_array array = {0};
  int64_t n = (int64_t)values.len;
  if (c->st != NULL) {
    return NULL;
  }
  tn_onnx_fail(c, tn_array_init(&array, TN_DT_I64, 1, &n));
  for (int64_t i = 0; c->st == NULL && i < n; ++i) {
    tn_array_set_i64(&array, i, values.data[i]);
  }
  return tn_onnx_const(c, &array);
}

const tn_node *tn_onnx_size_op(tn_onnx_call *c, tn_op op, const tn_node *a, const tn_node *b) {
  return a == NULL || b == NULL ? NULL : tn_op_simplify(c->ir, tn_binary(c->ir, op, a, b));
}

const tn_node *tn_onnx_from_known(tn_onnx_call *c, const tn_node *list, bool is_scalar) {
  bool is_const = true;
  if (c->st != NULL || list == NULL) {
    return NULL;
  }
  for (uint32_t i = 0; i < list->n_in; ++i) {
    is_const = is_const && list->in[i]->op == TN_OP_INT;
  }
  const tn_node *value = NULL;
  if (is_const) {
    tn_onnx_i64s numbers = tn_onnx_i64s_alloc(c, list->n_in);
    for (uint32_t i = 0; i < list->n_in; ++i) {
      numbers.data[i] = list->in[i]->attr.i64;
    }
    value = tn_onnx_vector(c, numbers);
  } else {
    value = tn_onnx_op1(c, "shape_to_tensor", tn_onnx_shape_value(c, list));
  }
  if (is_scalar) {
    value = tn_onnx_reshape(c, value, tn_list(c->ir, 0, NULL));
  }
  if (value != NULL && !is_const) {
    tn_onnx_note_known(c->imp, value, list);
  }
  return value;
}

/* shape = tensor_to_shape(value); match_cast(shape, R.Shape([s0, s1 ...])) */
static const tn_node *sizes_at_run_time(tn_onnx_call *c, const tn_node *value, uint32_t n) {
  const tn_node *dims[TN_MAX_NDIM];
  char name[32];
  const tn_node *shape = tn_onnx_op1(c, "tensor_to_shape", tn_onnx_cast(c, value, TN_DT_I64));
  for (uint32_t i = 0; i < n; ++i) {
    (void)snprintf(name, sizeof name, "s%u_%u", tn_ir_n_ids(c->ir), i);
    dims[i] = tn_var_new(c->ir, name, TN_DT_I64);
  }
  if (shape == NULL) {
    return NULL;
  }
  const tn_node *list = tn_list(c->ir, n, dims);
  const tn_node *type = tn_ty_shape(c->ir, n, list);
  tn_attr attr = {.text = tn_ir_text(c->ir, "sizes")};
  const tn_node *var = tn_node_new(c->ir, TN_OP_GVAR, TN_DT_NONE, attr, 1, &type);
  const tn_node *in[] = {var, shape, type};
  TN_VEC_PUSH(&c->imp->stmts,
              tn_node_new(c->ir, TN_OP_MATCH_CAST, TN_DT_NONE, (tn_attr){0}, 3, in));
  tn_onnx_note_known(c->imp, value, list);
  return list;
}

const tn_node *tn_onnx_sizes(tn_onnx_call *c, const tn_node *value, const char *what) {
  const tn_node *list = tn_onnx_known(c, value);
  const tn_node *type = type_node(c, value);
  if (type == NULL) {
    return NULL;
  }
  if (list == NULL) {
    const tn_node *dims = type->in[TN_TY_TENSOR_SHAPE];
    bool is_vector = !tn_is_none(dims) && dims->n_in == 1 && dims->in[0]->op == TN_OP_INT &&
                     dims->in[0]->attr.i64 <= TN_MAX_NDIM;
    if (!is_vector) {
      TN_ONNX_FAIL(c, TN_UNSUPPORTED, "%s must be a vector of known length, at most %d", what,
                   (int)TN_MAX_NDIM);
      return NULL;
    }
    list = sizes_at_run_time(c, value, (uint32_t)dims->in[0]->attr.i64);
  }
  if (list != NULL && list->n_in > TN_MAX_NDIM) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "%s has %u numbers, there may be %d", what, list->n_in,
                 (int)TN_MAX_NDIM);
    return NULL;
  }
  return list;
}

/* ---- calls ---- */

tn_onnx_build tn_onnx_begin(tn_onnx_call *c, const char *op) {
  tn_onnx_build b = {.c = c};
  if (c->st != NULL) {
    return b;
  }
  b.op = tn_op_table_find(tn_ops_table(), op);
  if (b.op == NULL) {
    b.op = tn_graph_builtin_find(op);
  }
  if (b.op == NULL) {
    TN_ONNX_FAIL(c, TN_UNSUPPORTED, "the graph level has no operator '%s' yet", op);
    return b;
  }
  for (int32_t i = 0; i < b.op->n_fields && i < TN_ONNX_MAX_FIELDS; ++i) {
    b.fields[i] = tn_none(c->ir);
  }
  return b;
}

static void set_field(tn_onnx_build *b, const char *field, const tn_node *value) {
  for (int32_t i = 0; b->op != NULL && i < b->op->n_fields; ++i) {
    if (strcmp(b->op->fields[i].name, field) == 0) {
      b->fields[i] = value;
      return;
    }
  }
  if (b->op != NULL) {
    TN_ONNX_FAIL(b->c, TN_UNSUPPORTED, "the operator '%s' has no '%s' yet", b->op->def.name, field);
    b->op = NULL;
  }
}

void tn_onnx_set_int(tn_onnx_build *b, const char *field, int64_t value) {
  set_field(b, field, tn_int(b->c->ir, TN_DT_I64, value));
}
void tn_onnx_set_float(tn_onnx_build *b, const char *field, double value) {
  set_field(b, field, tn_float(b->c->ir, TN_DT_F64, value));
}
void tn_onnx_set_bool(tn_onnx_build *b, const char *field, bool value) {
  set_field(b, field, tn_bool(b->c->ir, value));
}
void tn_onnx_set_text(tn_onnx_build *b, const char *field, const char *value) {
  set_field(b, field, tn_str(b->c->ir, value));
}
void tn_onnx_set_dtype(tn_onnx_build *b, const char *field, tn_dtype value) {
  set_field(b, field,
            tn_node_new(b->c->ir, TN_OP_DTYPE, TN_DT_NONE, (tn_attr){.i64 = value}, 0, NULL));
}
void tn_onnx_set_ints(tn_onnx_build *b, const char *field, size_t n, const int64_t *values) {
  if (b->op == NULL || b->c->st != NULL) { /* then n may be anything */
    return;
  }
  const tn_node **items = TN_ARENA_ARRAY(b->c->imp->arena, const tn_node *, n + 1);
  for (size_t i = 0; i < n; ++i) {
    items[i] = tn_int(b->c->ir, TN_DT_I64, values[i]);
  }
  set_field(b, field, tn_list(b->c->ir, (uint32_t)n, items));
}

/* Larger ones are left to the compiler. */
enum { MAX_FOLDED_ELEMS = 1 << 12, MAX_FOLDED_ARGS = 64 };

bool tn_onnx_plain_arg(const tn_node *arg, tn_array *room, const tn_array **out) {
  int64_t n = (int64_t)arg->n_in;
  if (arg->op == TN_OP_CONST) {
    *out = arg->attr.array;
    return true;
  }
  bool is_fixed = arg->op == TN_OP_SHAPE;
  for (uint32_t i = 0; is_fixed && i < arg->n_in; ++i) {
    is_fixed = arg->in[i]->op == TN_OP_INT;
  }
  if (!is_fixed) {
    return false;
  }
  tn_status st = tn_array_init(room, TN_DT_I64, 1, &n);
  for (int64_t i = 0; st == NULL && i < n; ++i) {
    tn_array_set_i64(room, i, arg->in[i]->attr.i64);
  }
  *out = room;
  tn_status_free(st);
  return st == NULL;
}

/* Large constants are left to the compiler. */
static bool fold_arg(const tn_node *arg, tn_array *room, const tn_array **out) {
  return tn_onnx_plain_arg(arg, room, out) &&
         (arg->op != TN_OP_CONST || tn_array_n_elems(*out) <= MAX_FOLDED_ELEMS);
}

/* A small tensor type whose extents are numbers. */
static bool is_small(const tn_node *type) {
  int64_t n = 1;
  if (type->op != TN_OP_TY_TENSOR || tn_is_none(type->in[TN_TY_TENSOR_SHAPE])) {
    return false;
  }
  const tn_node *dims = type->in[TN_TY_TENSOR_SHAPE];
  for (uint32_t i = 0; i < dims->n_in; ++i) {
    if (dims->in[i]->op != TN_OP_INT || dims->in[i]->attr.i64 < 0 ||
        dims->in[i]->attr.i64 > MAX_FOLDED_ELEMS) {
      return false;
    }
    n *= dims->in[i]->attr.i64;
    if (n > MAX_FOLDED_ELEMS) {
      return false;
    }
  }
  return true;
}

/* The value of the call when all arguments are known; NULL otherwise. */
static const tn_node *fold(tn_onnx_call *c, const tn_node *call, const tn_node *type) {
  const tn_array *args[MAX_FOLDED_ARGS];
  tn_array room[MAX_FOLDED_ARGS] = {{0}};
  tn_array out = {0};
  const tn_node *value = NULL;
  const tn_op_def *op = tn_op_of(call);
  int32_t n = 0;
  bool is_known = op->eval != NULL && op->def.is_pure && is_small(type);
  for (uint32_t i = 0; is_known && i < call->in[TN_CALL_ARGS]->n_in; ++i) {
    const tn_node *arg = tn_call_arg(call, i);
    uint32_t n_items = arg->op == TN_OP_TUPLE ? arg->n_in : 1;
    for (uint32_t j = 0; is_known && j < n_items; ++j) {
      const tn_node *item = arg->op == TN_OP_TUPLE ? arg->in[j] : arg;
      is_known = n < MAX_FOLDED_ARGS && fold_arg(item, &room[n], &args[n]);
      n += is_known ? 1 : 0;
    }
  }
  if (is_known) {
    tn_status st = op->eval(call, args, n, &out);
    if (st == NULL) {
      value = tn_const_new(c->ir, &out);
    }
    tn_status_free(st); /* it is left to run time, which says what is wrong */
  }
  for (int32_t i = 0; i < MAX_FOLDED_ARGS; ++i) {
    if (room[i].data != NULL) {
      tn_array_deinit(&room[i]);
    }
  }
  return value;
}

static const tn_node *bind(tn_onnx_call *c, const tn_node *value, const tn_node *type) {
  const char *name = c->node->outputs.len > 0 ? c->node->outputs.data[0].data : "_";
  tn_attr attr = {.text = tn_ir_text(c->ir, *name == '\0' ? "_" : name)};
  const tn_node *var = tn_node_new(c->ir, TN_OP_GVAR, TN_DT_NONE, attr, 1, &type);
  const tn_node *in[] = {var, value};
  TN_VEC_PUSH(&c->imp->stmts, tn_node_new(c->ir, TN_OP_GBIND, TN_DT_NONE, (tn_attr){0}, 2, in));
  return var;
}

/* An operator that broadcasts could not tell the extents of its result. out_skip: the last axes, to
 * which that does not apply. */
static bool is_open_broadcast(const tn_onnx_build *b, uint32_t n, const tn_node *type,
                              uint32_t *out_skip) {
  const tn_op_def *add = tn_op_table_find(tn_ops_table(), "add");
  const tn_op_def *where = tn_op_table_find(tn_ops_table(), "where");
  bool is_matmul = b->op == tn_op_table_find(tn_ops_table(), "matmul");
  bool broadcasts =
      (b->op->infer == add->infer && n == 2) || (b->op == where && n == 3) || is_matmul;
  *out_skip = is_matmul ? 2 : 0;
  return broadcasts && type->op == TN_OP_TY_TENSOR && type->attr.i64 > 0 &&
         tn_is_none(type->in[TN_TY_TENSOR_SHAPE]);
}

/* Sizes of a file lead where no type can: a width less than 0 after cutting. */
static tn_status check_extents(const tn_onnx_build *b, const tn_node *type) {
  for (uint32_t i = 0; i < type->n_in; ++i) {
    const tn_node *at = type->in[i];
    if (type->op == TN_OP_TY_TUPLE) {
      TN_TRY(check_extents(b, at));
    }
    for (uint32_t d = 0; type->op == TN_OP_TY_TENSOR && d < at->n_in; ++d) {
      if (tn_is(at->in[d], TN_OP_INT) && at->in[d]->attr.i64 < 0) {
        return TN_ERR(TN_INVALID, "%s: extent %u of the result would be %lld", b->op->def.name, d,
                      (long long)at->in[d]->attr.i64);
      }
    }
  }
  return NULL;
}

const tn_node *tn_onnx_end(tn_onnx_build *b, uint32_t n, const tn_node *const *args) {
  tn_onnx_call *c = b->c;
  const tn_node *type = NULL;
  const tn_infer_ctx ctx = {.ir = c->ir, .module = c->imp->module};
  for (uint32_t i = 0; i < n; ++i) {
    if (args[i] == NULL || c->st != NULL) {
      return NULL;
    }
  }
  if (b->op == NULL || c->st != NULL) {
    return NULL;
  }
  const tn_node *fields = tn_list(c->ir, (uint32_t)b->op->n_fields, b->fields);
  const tn_node *call = tn_call_new(c->ir, b->op, n, args, fields, NULL);
  tn_status st = tn_graph_infer(&ctx, call, &type);
  if (st == NULL) {
    st = tn_ir_status(c->ir);
  }
  if (st == NULL) {
    st = check_extents(b, type);
  }
  if (st != NULL) {
    tn_onnx_fail(c, st);
    return NULL;
  }
  const tn_node *aligned[3];
  uint32_t skip = 0;
  if (is_open_broadcast(b, n, type, &skip)) {
    memcpy(aligned, args, n * sizeof *args);
    if (tn_onnx_align(c, n, aligned, skip)) {
      return tn_onnx_end(b, n, aligned);
    }
  }
  const tn_node *value = fold(c, call, type);
  if (value == NULL) {
    value = bind(c, call, type);
    tn_onnx_know_call(c, value, call, type);
  }
  return value;
}

const tn_node *tn_onnx_end1(tn_onnx_build *b, const tn_node *x) { return tn_onnx_end(b, 1, &x); }

const tn_node *tn_onnx_end2(tn_onnx_build *b, const tn_node *x, const tn_node *y) {
  const tn_node *args[] = {x, y};
  return tn_onnx_end(b, 2, args);
}

const tn_node *tn_onnx_op1(tn_onnx_call *c, const char *op, const tn_node *x) {
  tn_onnx_build b = tn_onnx_begin(c, op);
  return tn_onnx_end(&b, 1, &x);
}

const tn_node *tn_onnx_op2(tn_onnx_call *c, const char *op, const tn_node *x, const tn_node *y) {
  tn_onnx_build b = tn_onnx_begin(c, op);
  return tn_onnx_end2(&b, x, y);
}

const tn_node *tn_onnx_op3(tn_onnx_call *c, const char *op, const tn_node *x, const tn_node *y,
                           const tn_node *z) {
  const tn_node *args[] = {x, y, z};
  tn_onnx_build b = tn_onnx_begin(c, op);
  return tn_onnx_end(&b, 3, args);
}

const tn_node *tn_onnx_item(tn_onnx_call *c, const tn_node *tuple, int64_t i) {
  const tn_node *type = NULL;
  const tn_infer_ctx ctx = {.ir = c->ir, .module = c->imp->module};
  if (c->st != NULL || tuple == NULL) {
    return NULL;
  }
  if (tuple->op == TN_OP_TUPLE) {
    return tuple->in[i];
  }
  const tn_node *get = tn_node_new(c->ir, TN_OP_GET, TN_DT_NONE, (tn_attr){.i64 = i}, 1, &tuple);
  tn_onnx_fail(c, tn_graph_infer(&ctx, get, &type));
  return c->st != NULL ? NULL : bind(c, get, type);
}

const tn_node *tn_onnx_tuple(tn_onnx_call *c, uint32_t n, const tn_node *const *items) {
  for (uint32_t i = 0; i < n; ++i) {
    if (items[i] == NULL) {
      return NULL;
    }
  }
  return c->st != NULL ? NULL : tn_node_new(c->ir, TN_OP_TUPLE, TN_DT_NONE, (tn_attr){0}, n, items);
}

const tn_node *tn_onnx_cast(tn_onnx_call *c, const tn_node *x, tn_dtype dtype) {
  if (tn_onnx_type_of(c, x) == dtype) {
    return x;
  }
  tn_onnx_build b = tn_onnx_begin(c, "astype");
  tn_onnx_set_dtype(&b, "dtype", dtype);
  return tn_onnx_end1(&b, x);
}

const tn_node *tn_onnx_shape_value(tn_onnx_call *c, const tn_node *dims) {
  return c->st != NULL || dims == NULL
             ? NULL
             : tn_node_new(c->ir, TN_OP_SHAPE, TN_DT_NONE, (tn_attr){0}, dims->n_in, dims->in);
}

const tn_node *tn_onnx_reshape(tn_onnx_call *c, const tn_node *x, const tn_node *dims) {
  return tn_onnx_op2(c, "reshape", x, tn_onnx_shape_value(c, dims));
}

const tn_node *tn_onnx_permute(tn_onnx_call *c, const tn_node *x, const int64_t *axes) {
  tn_onnx_build b = tn_onnx_begin(c, "permute_dims");
  tn_onnx_set_ints(&b, "axes", (size_t)tn_onnx_ndim(c, x), axes);
  return tn_onnx_end1(&b, x);
}

const tn_node *tn_onnx_reduce(tn_onnx_call *c, const char *op, const tn_node *x, size_t n,
                              const int64_t *axes, bool keeps) {
  tn_onnx_build b = tn_onnx_begin(c, op);
  tn_onnx_set_ints(&b, "axis", n, axes);
  tn_onnx_set_bool(&b, "keepdims", keeps);
  return tn_onnx_end1(&b, x);
}
