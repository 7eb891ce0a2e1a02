/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The rules of the loop level that a PRIM_FUNC keeps after every reader, builder and pass: what has
 * which type, how many indices an access has, what a block is made of. Structure and scopes are
 * checked before, by the node engine; only a function that passes there is looked at here. */
#include <string.h>

#include "tir/tir.h"
#include "tir/tir_priv.h"

typedef struct checker {
  const tn_ir *ir;
  tn_diags *diags;
  const tn_node *func;
  tn_pos pos;                 /* of the nearest statement that has one */
  const tn_node *around;      /* the innermost loop, block or launch; NULL: none */
  const tn_node *many_around; /* the innermost loop whose iterations run at once; NULL: none */
  tn_map seen;                /* ids of expressions and buffers that were checked */
  tn_map consts;              /* ids of pointers to constants */
} checker;

typedef struct names {
  char a[TN_DTYPE_TEXT_BYTES];
  char b[TN_DTYPE_TEXT_BYTES];
  char c[TN_DTYPE_TEXT_BYTES];
} names;

static bool is_integer(tn_dtype dt) {
  return (tn_dtype_is_int(dt) || tn_dtype_is_uint(dt)) && !tn_dtype_is_packed(dt);
}
static bool is_scalar_integer(tn_dtype dt) { return is_integer(dt) && tn_dtype_lanes(dt) == 1; }
static tn_dtype bool_like(tn_dtype dt) {
  return tn_dtype_with_lanes(TN_DT_BOOL, tn_dtype_lanes(dt));
}

/* ---- expressions ---- */

static void bad_types(checker *c, const tn_node *n, const char *rule) {
  names text;
  const char *name =
      tn_is(n, TN_OP_INTRIN) ? n->attr.def->name : tn_op_info_get((tn_op)n->op)->text;
  const char *a = n->n_in > 0 ? tn_dtype_print(n->in[0]->dtype, text.a) : "nothing";
  const char *b = n->n_in > 1 ? tn_dtype_print(n->in[1]->dtype, text.b) : "nothing";
  tn_diags_add(c->diags, "type-mismatch", c->pos, NULL, "'%s' of %s and %s with result %s: %s",
               name, a, b, tn_dtype_print(n->dtype, text.c), rule);
}

static void check_binary(checker *c, const tn_node *n) {
  tn_dtype dt = n->in[TN_A]->dtype;
  bool is_test = n->op >= TN_OP_EQ && n->op <= TN_OP_OR;
  bool is_logic = n->op == TN_OP_AND || n->op == TN_OP_OR;
  bool wants_int = n->op == TN_OP_MOD || n->op == TN_OP_FLOORDIV || n->op == TN_OP_FLOORMOD ||
                   n->op == TN_OP_SHL || n->op == TN_OP_SHR;
  bool is_bitwise = n->op == TN_OP_BAND || n->op == TN_OP_BOR || n->op == TN_OP_BXOR;
  if (n->in[TN_B]->dtype != dt || n->dtype != (is_test ? bool_like(dt) : dt)) {
    bad_types(c, n, "both sides and the result have one type (the result of a test is bool)");
  } else if (is_logic && !tn_dtype_is_bool(dt)) {
    bad_types(c, n, "both sides are bools");
  } else if (wants_int && !is_integer(dt)) {
    bad_types(c, n, "both sides are integers");
  } else if (is_bitwise && !is_integer(dt) && !tn_dtype_is_bool(dt)) {
    bad_types(c, n, "both sides are integers or bools");
  } else if (!is_logic && !is_bitwise && tn_dtype_is_bool(dt) && n->op != TN_OP_EQ &&
             n->op != TN_OP_NE) {
    bad_types(c, n, "no arithmetic on bools");
  } else if (tn_dtype_is_storage(dt)) {
    bad_types(c, n, "nothing is computed in storage types");
  } else if (tn_dtype_is_handle(dt) && n->op != TN_OP_EQ && n->op != TN_OP_NE) {
    bad_types(c, n, "no arithmetic on handles");
  }
}

static void check_unary(checker *c, const tn_node *n) {
  tn_dtype dt = n->in[0]->dtype;
  bool fits = n->op == TN_OP_NOT    ? tn_dtype_is_bool(dt)
              : n->op == TN_OP_BNOT ? is_integer(dt)
                                    : is_integer(dt) || tn_dtype_is_float(dt);
  if (n->dtype != dt || !fits) {
    bad_types(c, n, "not takes bools, ~ integers, - numbers, and gives the same type");
  }
}

static void check_select(checker *c, const tn_node *n) {
  tn_dtype cond = n->in[TN_SELECT_COND]->dtype;
  bool has_lanes = tn_is(n, TN_OP_SELECT) && cond == bool_like(n->dtype);
  if (n->in[TN_SELECT_A]->dtype != n->dtype || n->in[TN_SELECT_B]->dtype != n->dtype ||
      (cond != TN_DT_BOOL && !has_lanes)) {
    bad_types(c, n, "the condition is bool, both values have the result's type");
  }
}

static void check_shuffle(checker *c, const tn_node *n) {
  const tn_node *vectors = n->in[TN_SHUFFLE_VECTORS];
  const tn_node *indices = n->in[TN_SHUFFLE_INDICES];
  int64_t lanes = 0;
  bool fits = tn_dtype_lanes(n->dtype) == indices->n_in;
  for (uint32_t i = 0; i < vectors->n_in; ++i) {
    lanes += tn_dtype_lanes(vectors->in[i]->dtype);
    fits = fits && tn_dtype_elem(vectors->in[i]->dtype) == tn_dtype_elem(n->dtype);
  }
  for (uint32_t i = 0; i < indices->n_in; ++i) {
    const tn_node *index = indices->in[i];
    fits = fits && tn_is(index, TN_OP_INT) && index->attr.i64 >= 0 && index->attr.i64 < lanes;
  }
  if (!fits) {
    tn_diags_add(c->diags, "bad-shuffle", c->pos, NULL,
                 "'Shuffle' takes vectors of one type and literal indices below their %lld lanes",
                 (long long)lanes);
  }
}

static void check_vector(checker *c, const tn_node *n) {
  tn_dtype elem = tn_dtype_elem(n->dtype);
  bool fits = tn_dtype_lanes(n->dtype) > 1 && n->in[0]->dtype == elem;
  if (tn_is(n, TN_OP_RAMP)) {
    fits = fits && n->in[TN_RAMP_STRIDE]->dtype == elem && is_integer(elem);
  }
  if (!fits) {
    bad_types(c, n, "a vector is made of one-lane values of its type");
  }
}

static void check_cast(checker *c, const tn_node *n) {
  tn_dtype from = n->in[0]->dtype;
  bool is_cast = tn_is(n, TN_OP_CAST);
  bool fits = is_cast ? tn_dtype_lanes(from) == tn_dtype_lanes(n->dtype) &&
                            !tn_dtype_is_handle(from) && !tn_dtype_is_handle(n->dtype)
                      : tn_dtype_all_bits(from) == tn_dtype_all_bits(n->dtype);
  if (!fits) {
    bad_types(c, n,
              is_cast ? "a cast keeps the lanes and takes numbers"
                      : "a reinterpretation keeps the width");
  }
}

/* Lanes in, lanes out. */
static void check_vector_intrin(checker *c, const tn_node *n) {
  tn_dtype a = n->in[0]->dtype;
  tn_dtype b = n->n_in > 1 ? n->in[1]->dtype : a;
  uint32_t lanes = tn_dtype_lanes(n->dtype);
  bool is_same = a == b && tn_dtype_elem(a) == tn_dtype_elem(n->dtype);
  switch ((int)tn_intrin_of(n)->id) {
    case TN_INTRIN_VECTORLOW:
    case TN_INTRIN_VECTORHIGH:
      if (!is_same || tn_dtype_lanes(a) != 2 * lanes) {
        bad_types(c, n, "half of a vector has half its lanes, of its type");
      }
      return;
    case TN_INTRIN_VECTORCOMBINE:
      if (!is_same || 2 * tn_dtype_lanes(a) != lanes) {
        bad_types(c, n, "two vectors of one type give one of twice their lanes");
      }
      return;
    case TN_INTRIN_GET_ACTIVE_LANE_MASK:
      if (a != b || !is_scalar_integer(a) || !tn_dtype_is_bool(n->dtype)) {
        bad_types(c, n, "base and limit are integers of one type, the result is of bools");
      }
      return;
    default: /* DP4A */
      if (tn_dtype_lanes(a) != 4 || tn_dtype_lanes(b) != 4 || tn_dtype_bits(a) != 8 ||
          tn_dtype_bits(b) != 8 || !is_integer(a) || !is_integer(b) ||
          (n->n_in > 2 && n->in[2]->dtype != TN_DT_I32)) {
        bad_types(c, n, "two vectors of 4 integers of 8 bits, then an int32");
      }
  }
}

static void check_intrin(checker *c, const tn_node *n) {
  const tn_intrin *intrin = tn_intrin_of(n);
  if (n->n_in < (uint32_t)intrin->min_args ||
      (intrin->max_args >= 0 && n->n_in > (uint32_t)intrin->max_args)) {
    tn_diags_add(c->diags, "intrinsic-args", c->pos, NULL, "'%s' has %u arguments",
                 intrin->def.name, n->n_in);
    return;
  }
  for (uint32_t i = 0; i < n->n_in; ++i) {
    if (tn_is(n->in[i], TN_OP_BUFFER) && tn_tir_call_args(n) == NULL) {
      tn_diags_add(c->diags, "intrinsic-args", c->pos, NULL, "'%s' takes no buffer",
                   intrin->def.name);
    }
  }
  if (intrin->kind == TN_IK_VECTOR) {
    check_vector_intrin(c, n);
    return;
  }
  bool is_uniform = intrin->kind == TN_IK_MATH && intrin->type != TN_IT_MIXED;
  tn_dtype dt = n->n_in > 0 ? n->in[0]->dtype : TN_DT_NONE;
  bool fits = !is_uniform || !tn_dtype_is_storage(dt);
  for (uint32_t i = 0; is_uniform && i < n->n_in; ++i) {
    fits = fits && n->in[i]->dtype == dt;
  }
  if (intrin->type == TN_IT_TEST) {
    fits = fits && n->dtype == bool_like(dt);
  } else if (is_uniform || intrin->id == TN_INTRIN_LDEXP) {
    fits = fits && n->dtype == dt;
  }
  bool wants_float =
      intrin->type == TN_IT_FLOAT || intrin->type == TN_IT_TEST || intrin->id == TN_INTRIN_LDEXP;
  fits = fits && (!wants_float || tn_dtype_is_float(dt)) &&
         (intrin->type != TN_IT_INT || is_integer(dt));
  if (!fits) {
    bad_types(c, n, "not the types that the intrinsic takes");
  }
  if (intrin->id == TN_INTRIN_ADDRESS_OF && !tn_is(n->in[0], TN_OP_LOAD)) {
    tn_diags_add(c->diags, "intrinsic-args", c->pos, NULL,
                 "'address_of' takes an element of a buffer");
  }
}

/* Indices, predicate and the type of one access. */
static void check_access(checker *c, const tn_node *n, uint32_t first, const tn_node *predicate,
                         tn_dtype value) {
  const tn_node *buffer = n->in[0];
  const char *name = buffer->attr.text;
  uint32_t ndim = tn_buffer_ndim(buffer);
  names text;
  if (n->n_in - first != ndim) {
    tn_diags_add(c->diags, "index-count", c->pos, NULL,
                 "buffer '%s' has %u dimensions and is accessed with %u indices", name, ndim,
                 n->n_in - first);
    return;
  }
  uint32_t lanes = 1;
  for (uint32_t i = 0; i < ndim; ++i) {
    tn_dtype dt = n->in[first + i]->dtype;
    bool may_be_vector = i + 1 == ndim;
    if (!is_integer(dt) || (tn_dtype_lanes(dt) != 1 && !may_be_vector)) {
      tn_diags_add(c->diags, "index-type", c->pos, NULL, "index %u of buffer '%s' is %s", i, name,
                   tn_dtype_print(dt, text.a));
      return;
    }
    lanes = may_be_vector ? tn_dtype_lanes(dt) : 1;
  }
  tn_dtype access = tn_dtype_with_lanes(buffer->dtype, tn_dtype_lanes(buffer->dtype) * lanes);
  if (value != access) {
    tn_diags_add(c->diags, "access-type", c->pos, NULL,
                 "an access of type %s to buffer '%s', where its indices give %s",
                 tn_dtype_print(value, text.a), name, tn_dtype_print(access, text.b));
  }
  if (!tn_is_none(predicate) && predicate->dtype != tn_dtype_with_lanes(TN_DT_BOOL, lanes)) {
    tn_diags_add(c->diags, "predicate-type", c->pos, NULL,
                 "the predicate of an access to buffer '%s' is %s, not %u bools", name,
                 tn_dtype_print(predicate->dtype, text.a), lanes);
  }
}

static void check_expr(checker *c, const tn_node *n);
static void check_buffer(checker *c, const tn_node *buffer);

/* What a call has to be by itself; whether it fits its callee is asked in calls.c. */
static void check_invoke(checker *c, const tn_node *n) {
  const tn_node *args = n->in[TN_INVOKE_ARGS];
  if (!tn_is(n->in[TN_INVOKE_CALLEE], TN_OP_GLOBAL) || !tn_is_none(n->in[TN_INVOKE_TYPES])) {
    tn_diags_add(c->diags, "graph-node", c->pos, NULL,
                 "a call in a loop function names a function of the module, without types");
    return;
  }
  for (uint32_t i = 0; i < args->n_in; ++i) {
    const tn_node *arg = args->in[i];
    bool is_value = tn_is(arg, TN_OP_VAR) || tn_op_info_get((tn_op)arg->op)->cls == TN_CLASS_EXPR;
    check_expr(c, arg);
    if (!tn_is(arg, TN_OP_BUFFER) && (!is_value || tn_dtype_lanes(arg->dtype) != 1)) {
      tn_diags_add(c->diags, "call-argument", c->pos, NULL,
                   "argument %u of '%s' is no buffer, handle or number of one lane", i,
                   n->in[TN_INVOKE_CALLEE]->attr.text);
    }
  }
}

static void check_expr_node(checker *c, const tn_node *n) {
  switch ((tn_op)n->op) {
    case TN_OP_NOT:
    case TN_OP_NEG:
    case TN_OP_BNOT:
      check_unary(c, n);
      return;
    case TN_OP_CAST:
    case TN_OP_REINTERPRET:
      check_cast(c, n);
      return;
    case TN_OP_SELECT:
    case TN_OP_IF_THEN_ELSE:
      check_select(c, n);
      return;
    case TN_OP_RAMP:
    case TN_OP_BROADCAST:
      check_vector(c, n);
      return;
    case TN_OP_SHUFFLE:
      check_shuffle(c, n);
      return;
    case TN_OP_LET:
      if (n->in[TN_LET_VAR]->dtype != n->in[TN_LET_VALUE]->dtype ||
          n->in[TN_LET_BODY]->dtype != n->dtype) {
        bad_types(c, n, "the variable has its value's type, the result the body's");
      }
      return;
    case TN_OP_LOAD:
      check_access(c, n, TN_LOAD_INDICES, n->in[TN_LOAD_PREDICATE], n->dtype);
      return;
    case TN_OP_INTRIN:
      check_intrin(c, n);
      return;
    default:
      break;
  }
  if (n->op >= TN_OP_ADD && n->op <= TN_OP_SHR) {
    check_binary(c, n);
  } else if (n->op > TN_OP_REDUCER && tn_op_info_get((tn_op)n->op)->cls == TN_CLASS_EXPR) {
    tn_diags_add(c->diags, "graph-node", c->pos, NULL, "'%s' belongs to the graph level",
                 tn_op_info_get((tn_op)n->op)->text);
  }
}

static void check_expr(checker *c, const tn_node *n) {
  if (tn_map_find(&c->seen, n->id, NULL)) {
    return;
  }
  tn_map_set(&c->seen, n->id, 0);
  if (tn_is(n, TN_OP_BUFFER)) {
    check_buffer(c, n);
    return;
  }
  if (tn_is(n, TN_OP_INVOKE)) {
    check_invoke(c, n);
    if (n->dtype == TN_DT_NONE) {
      tn_diags_add(c->diags, "call-without-value", c->pos, NULL,
                   "'%s' has no result: the call is a statement",
                   n->in[TN_INVOKE_CALLEE]->attr.text);
    }
    return;
  }
  for (uint32_t i = 0; i < n->n_in; ++i) {
    check_expr(c, n->in[i]);
  }
  check_expr_node(c, n);
}

/* ---- buffers ---- */

static void check_integers(checker *c, const tn_node *list, const char *id, const char *what,
                           const char *name) {
  for (uint32_t i = 0; i < list->n_in; ++i) {
    if (!is_scalar_integer(list->in[i]->dtype)) {
      tn_diags_add(c->diags, id, c->pos, NULL, "%s %u of '%s' is not an integer", what, i, name);
    }
    check_expr(c, list->in[i]);
  }
}

static void check_buffer(checker *c, const tn_node *buffer) {
  const char *name = buffer->attr.text;
  const tn_node *strides = buffer->in[TN_BUFFER_STRIDES];
  const tn_node *elem_offset = buffer->in[TN_BUFFER_ELEM_OFFSET];
  bool has_text = tn_is(buffer->in[TN_BUFFER_SCOPE], TN_OP_STR);
  bool has_counts = tn_is(buffer->in[TN_BUFFER_ALIGN], TN_OP_INT) &&
                    tn_is(buffer->in[TN_BUFFER_OFFSET_FACTOR], TN_OP_INT);
  if (buffer->dtype == TN_DT_NONE || !tn_dtype_is_handle(buffer->in[TN_BUFFER_DATA]->dtype) ||
      !has_text || !has_counts) {
    tn_diags_add(c->diags, "buffer-type", c->pos, NULL,
                 "buffer '%s' needs an element type, a handle as data, a text as scope and literal "
                 "alignment",
                 name);
  }
  check_integers(c, buffer->in[TN_BUFFER_SHAPE], "buffer-shape", "extent", name);
  check_integers(c, strides, "buffer-strides", "stride", name);
  if (!tn_is_none(strides) && strides->n_in != 0 && strides->n_in != tn_buffer_ndim(buffer)) {
    tn_diags_add(c->diags, "buffer-strides", c->pos, NULL,
                 "buffer '%s' has %u dimensions and %u strides", name, tn_buffer_ndim(buffer),
                 strides->n_in);
  }
  if (!is_scalar_integer(elem_offset->dtype)) {
    tn_diags_add(c->diags, "buffer-type", c->pos, NULL,
                 "the element offset of buffer '%s' is not an integer", name);
  }
  check_expr(c, elem_offset);
}

/* ---- statements ---- */

static void check_stmt(checker *c, const tn_node *n);

/* A statement that a BREAK inside it would meet first. */
static void check_inside(checker *c, const tn_node *body, const tn_node *around) {
  const tn_node *outer = c->around;
  c->around = around;
  check_stmt(c, body);
  c->around = outer;
}

static void check_condition(checker *c, const tn_node *cond, const char *of) {
  names text;
  check_expr(c, cond);
  if (cond->dtype != TN_DT_BOOL) {
    tn_diags_add(c->diags, "condition-type", c->pos, NULL, "the condition of %s is %s, not bool",
                 of, tn_dtype_print(cond->dtype, text.a));
  }
}

static void check_loop(checker *c, const tn_node *n) {
  tn_dtype dt = n->in[TN_FOR_VAR]->dtype;
  const char *name = n->in[TN_FOR_VAR]->attr.text;
  check_expr(c, n->in[TN_FOR_MIN]);
  check_expr(c, n->in[TN_FOR_EXTENT]);
  if (!is_scalar_integer(dt) || n->in[TN_FOR_MIN]->dtype != dt ||
      n->in[TN_FOR_EXTENT]->dtype != dt) {
    names text;
    tn_diags_add(c->diags, "loop-type", c->pos, NULL,
                 "loop variable '%s' is %s, from %s, over %s: one integer type is needed", name,
                 tn_dtype_print(dt, text.a), tn_dtype_print(n->in[TN_FOR_MIN]->dtype, text.b),
                 tn_dtype_print(n->in[TN_FOR_EXTENT]->dtype, text.c));
  }
  if ((n->attr.i64 == TN_FOR_THREAD_BINDING) != tn_is(n->in[TN_FOR_THREAD], TN_OP_STR)) {
    tn_diags_add(c->diags, "loop-kind", c->pos, NULL,
                 "loop '%s': a thread binding names its thread, other loops do not", name);
  }
  const tn_node *outer = c->many_around;
  bool is_many = n->attr.i64 == TN_FOR_PARALLEL || n->attr.i64 == TN_FOR_THREAD_BINDING;
  c->many_around = is_many ? n : outer;
  check_inside(c, n->in[TN_FOR_BODY], n);
  c->many_around = outer;
}

static void check_exit(checker *c, const tn_node *n) {
  const char *what = tn_op_info_get((tn_op)n->op)->text;
  const tn_node *around = c->around;
  bool is_loop = around != NULL && tn_is(around, TN_OP_FOR);
  if (around == NULL) {
    tn_diags_add(c->diags, "misplaced-break", c->pos, NULL, "'%s' stands in no loop", what);
  } else if (tn_is(around, TN_OP_BLOCK)) {
    tn_diags_add(c->diags, "misplaced-break", c->pos, NULL,
                 "'%s' in block '%s' cannot reach the loops around the block", what,
                 around->in[TN_BLOCK_LABEL]->attr.text);
  } else if (tn_is(around, TN_OP_LAUNCH)) {
    tn_diags_add(c->diags, "misplaced-break", c->pos, NULL,
                 "'%s' cannot leave what runs on the threads '%s'", what, around->attr.text);
  } else if (is_loop && around->attr.i64 != TN_FOR_SERIAL) {
    tn_diags_add(c->diags, "misplaced-break", c->pos, NULL,
                 "'%s' in loop '%s': only serial loops and while can be left", what,
                 around->in[TN_FOR_VAR]->attr.text);
  }
}

static void check_iter(checker *c, const tn_node *iter, const char *block) {
  tn_dtype dt = iter->in[TN_ITER_VAR]->dtype;
  for (uint32_t i = TN_ITER_MIN; i <= TN_ITER_BINDING; ++i) {
    check_expr(c, iter->in[i]);
    if (iter->in[i]->dtype != dt || !is_scalar_integer(dt)) {
      tn_diags_add(c->diags, "axis-type", c->pos, NULL,
                   "axis '%s' of block '%s': variable, domain and binding have one integer type",
                   iter->in[TN_ITER_VAR]->attr.text, block);
      return;
    }
  }
}

static void check_region(checker *c, const tn_node *region, const char *block) {
  const tn_node *buffer = region->in[TN_REGION_BUFFER];
  check_expr(c, buffer);
  if (region->n_in - TN_REGION_RANGES != tn_buffer_ndim(buffer)) {
    tn_diags_add(c->diags, "region-rank", c->pos, NULL,
                 "block '%s': a region of buffer '%s' has %u ranges for %u dimensions", block,
                 buffer->attr.text, region->n_in - TN_REGION_RANGES, tn_buffer_ndim(buffer));
    return;
  }
  for (uint32_t i = TN_REGION_RANGES; i < region->n_in; ++i) {
    const tn_node *range = region->in[i];
    check_expr(c, range);
    if (!is_scalar_integer(range->in[TN_RANGE_MIN]->dtype) ||
        !is_scalar_integer(range->in[TN_RANGE_EXTENT]->dtype)) {
      tn_diags_add(c->diags, "region-type", c->pos, NULL,
                   "block '%s': a region of buffer '%s' has a range that is no integer", block,
                   buffer->attr.text);
    }
  }
}

static void check_match(checker *c, const tn_node *match, const char *block) {
  const tn_node *view = match->in[TN_MATCH_BUFFER];
  const tn_node *source = match->in[TN_MATCH_REGION]->in[TN_REGION_BUFFER];
  if (tn_map_find(&c->consts, source->in[TN_BUFFER_DATA]->id, NULL)) {
    tn_map_set(&c->consts, view->in[TN_BUFFER_DATA]->id, 0);
  }
  check_region(c, match->in[TN_MATCH_REGION], block);
  check_expr(c, view);
  names text;
  if (view->dtype != source->dtype) {
    tn_diags_add(c->diags, "match-type", c->pos, NULL,
                 "block '%s': buffer '%s' is of %s and '%s', which it matches, of %s", block,
                 view->attr.text, tn_dtype_print(view->dtype, text.a), source->attr.text,
                 tn_dtype_print(source->dtype, text.b));
  }
  if (tn_buffer_ndim(view) > tn_buffer_ndim(source)) {
    tn_diags_add(c->diags, "match-type", c->pos, NULL,
                 "block '%s': buffer '%s' has %u dimensions and '%s', which it matches, %u", block,
                 view->attr.text, tn_buffer_ndim(view), source->attr.text, tn_buffer_ndim(source));
  }
}

static void check_block(checker *c, const tn_node *n) {
  const char *name = n->in[TN_BLOCK_LABEL]->attr.text;
  bool has_reduce = false;
  for (uint32_t i = 0; i < n->in[TN_BLOCK_ITERS]->n_in; ++i) {
    check_iter(c, n->in[TN_BLOCK_ITERS]->in[i], name);
    has_reduce = has_reduce || n->in[TN_BLOCK_ITERS]->in[i]->attr.i64 == TN_ITER_REDUCE;
  }
  check_condition(c, n->in[TN_BLOCK_PREDICATE], "a block");
  for (uint32_t i = 0; i < n->in[TN_BLOCK_ALLOCS]->n_in; ++i) {
    check_expr(c, n->in[TN_BLOCK_ALLOCS]->in[i]);
  }
  for (uint32_t i = 0; i < n->in[TN_BLOCK_MATCHES]->n_in; ++i) {
    check_match(c, n->in[TN_BLOCK_MATCHES]->in[i], name);
  }
  for (uint32_t slot = TN_BLOCK_READS; slot <= TN_BLOCK_WRITES; ++slot) {
    for (uint32_t i = 0; i < n->in[slot]->n_in; ++i) {
      check_region(c, n->in[slot]->in[i], name);
    }
  }
  if (!tn_is_none(n->in[TN_BLOCK_INIT])) {
    if (!has_reduce) {
      tn_diags_add(c->diags, "init-without-reduce", c->pos, NULL,
                   "block '%s' has an init and no reduce axis", name);
    }
    check_inside(c, n->in[TN_BLOCK_INIT], n);
  }
  check_inside(c, n->in[TN_BLOCK_BODY], n);
}

static void check_alloc(checker *c, const tn_node *n) {
  const tn_node *var = n->in[TN_ALLOC_VAR];
  if (!tn_dtype_is_handle(var->dtype) || n->dtype == TN_DT_NONE || tn_dtype_is_handle(n->dtype)) {
    tn_diags_add(c->diags, "alloc-type", c->pos, NULL,
                 "allocation '%s' needs a handle and an element type", var->attr.text);
  }
  check_integers(c, n->in[TN_ALLOC_EXTENTS], "alloc-type", "extent", var->attr.text);
  check_condition(c, n->in[TN_ALLOC_COND], "an allocation");
}

static void check_return(checker *c, const tn_node *n) {
  const tn_node *ret = c->func->in[TN_PRIM_FUNC_RET];
  const tn_node *value = n->in[0];
  names text;
  check_expr(c, value);
  if (c->many_around != NULL) {
    tn_diags_add(c->diags, "misplaced-return", c->pos, NULL,
                 "'return' in loop '%s', whose iterations run at once",
                 c->many_around->in[TN_FOR_VAR]->attr.text);
  }
  tn_dtype want = tn_is_none(ret) ? TN_DT_NONE : ret->dtype;
  if (value->dtype != want) {
    tn_diags_add(c->diags, "return-type", c->pos, NULL, "'%s' returns %s and gives %s",
                 c->func->attr.text, want == TN_DT_NONE ? "nothing" : tn_dtype_print(want, text.a),
                 value->dtype == TN_DT_NONE ? "nothing" : tn_dtype_print(value->dtype, text.b));
  }
}

static void check_bind(checker *c, const tn_node *n) {
  names text;
  check_expr(c, n->in[TN_BIND_VALUE]);
  if (n->in[TN_BIND_VAR]->dtype != n->in[TN_BIND_VALUE]->dtype) {
    tn_diags_add(c->diags, "bind-type", c->pos, NULL, "variable '%s' is %s and its value %s",
                 n->in[TN_BIND_VAR]->attr.text, tn_dtype_print(n->in[TN_BIND_VAR]->dtype, text.a),
                 tn_dtype_print(n->in[TN_BIND_VALUE]->dtype, text.b));
  }
  if (tn_map_find(&c->consts, n->in[TN_BIND_VALUE]->id, NULL)) { /* a second name */
    tn_map_set(&c->consts, n->in[TN_BIND_VAR]->id, 0);
  }
}

static void check_const_alloc(checker *c, const tn_node *n) {
  if (!tn_dtype_is_handle(n->in[TN_CONST_ALLOC_VAR]->dtype)) {
    tn_diags_add(c->diags, "alloc-type", c->pos, NULL, "constant '%s' needs a handle",
                 n->in[TN_CONST_ALLOC_VAR]->attr.text);
  }
  tn_map_set(&c->consts, n->in[TN_CONST_ALLOC_VAR]->id, 0);
}

static void check_launch(checker *c, const tn_node *n) {
  check_expr(c, n->in[TN_LAUNCH_EXTENT]);
  if (!is_scalar_integer(n->in[TN_LAUNCH_VAR]->dtype) ||
      n->in[TN_LAUNCH_EXTENT]->dtype != n->in[TN_LAUNCH_VAR]->dtype) {
    tn_diags_add(c->diags, "loop-type", c->pos, NULL,
                 "thread '%s': variable and extent have one integer type", n->attr.text);
  }
  check_inside(c, n->in[TN_LAUNCH_BODY], n);
}

/* A constant's memory cannot be written; compiled code has it in read-only pages. */
static void check_store(checker *c, const tn_node *n) {
  const tn_node *buffer = n->in[TN_STORE_BUFFER];
  if (tn_map_find(&c->consts, buffer->in[TN_BUFFER_DATA]->id, NULL)) {
    tn_diags_add(c->diags, "store-to-constant", c->pos, NULL,
                 "buffer '%s' is constant and cannot be stored to", buffer->attr.text);
  }
  for (uint32_t i = 0; i < n->n_in; ++i) {
    check_expr(c, n->in[i]);
  }
  check_access(c, n, TN_STORE_INDICES, n->in[TN_STORE_PREDICATE], n->in[TN_STORE_VALUE]->dtype);
}

static void check_if(checker *c, const tn_node *n) {
  check_condition(c, n->in[TN_IF_COND], "an if");
  check_stmt(c, n->in[TN_IF_THEN]);
  if (!tn_is_none(n->in[TN_IF_ELSE])) {
    check_stmt(c, n->in[TN_IF_ELSE]);
  }
}

static void check_assert(checker *c, const tn_node *n) {
  check_condition(c, n->in[TN_ASSERT_COND], "an assert");
  if (!tn_is(n->in[TN_ASSERT_MESSAGE], TN_OP_STR)) {
    tn_diags_add(c->diags, "assert-message", c->pos, NULL, "the message of an assert is a text");
  }
}

static void check_eval(checker *c, const tn_node *n) {
  if (tn_is(n->in[0], TN_OP_INVOKE)) {
    check_invoke(c, n->in[0]);
  } else {
    check_expr(c, n->in[0]);
  }
}

static void check_stmt_node(checker *c, const tn_node *n) {
  switch ((tn_op)n->op) {
    case TN_OP_SEQ:
      for (uint32_t i = 0; i < n->n_in; ++i) {
        check_stmt(c, n->in[i]);
      }
      return;
    case TN_OP_STORE:
      check_store(c, n);
      return;
    case TN_OP_EVAL:
      check_eval(c, n);
      return;
    case TN_OP_DECL:
      check_expr(c, n->in[0]);
      return;
    case TN_OP_BIND:
      check_bind(c, n);
      return;
    case TN_OP_ALLOC:
      check_alloc(c, n);
      return;
    case TN_OP_CONST_ALLOC:
      check_const_alloc(c, n);
      return;
    case TN_OP_FOR:
      check_loop(c, n);
      return;
    case TN_OP_WHILE:
      check_condition(c, n->in[TN_WHILE_COND], "a while");
      check_inside(c, n->in[TN_WHILE_BODY], n);
      return;
    case TN_OP_IF:
      check_if(c, n);
      return;
    case TN_OP_BLOCK:
      check_block(c, n);
      return;
    case TN_OP_ATTR:
      check_expr(c, n->in[TN_ATTR_VALUE]);
      check_stmt(c, n->in[TN_ATTR_BODY]);
      return;
    case TN_OP_LAUNCH:
      check_launch(c, n);
      return;
    case TN_OP_ASSERT:
      check_assert(c, n);
      return;
    case TN_OP_BREAK:
    case TN_OP_CONTINUE:
      check_exit(c, n);
      return;
    case TN_OP_RETURN:
      check_return(c, n);
      return;
    default:
      tn_diags_add(c->diags, "graph-node", c->pos, NULL, "'%s' belongs to the graph level",
                   tn_op_info_get((tn_op)n->op)->text);
  }
}

static void check_stmt(checker *c, const tn_node *n) {
  tn_pos outer = c->pos;
  tn_pos own = tn_ir_pos(c->ir, n);
  if (own.source != 0) {
    c->pos = own;
  }
  check_stmt_node(c, n);
  c->pos = outer;
}

/* ---- functions ---- */

static void check_params(checker *c) {
  const tn_node *params = c->func->in[TN_PRIM_FUNC_PARAMS];
  const tn_node *buffers = c->func->in[TN_PRIM_FUNC_BUFFERS];
  if (buffers->n_in != params->n_in) {
    tn_diags_add(c->diags, "parameter-type", c->pos, NULL,
                 "'%s' has %u parameters and %u buffers for them", c->func->attr.text, params->n_in,
                 buffers->n_in);
    return;
  }
  for (uint32_t i = 0; i < params->n_in; ++i) {
    tn_dtype dt = params->in[i]->dtype;
    bool has_buffer = !tn_is_none(buffers->in[i]);
    if (dt == TN_DT_NONE || tn_dtype_lanes(dt) != 1 || (has_buffer && !tn_dtype_is_handle(dt))) {
      tn_diags_add(c->diags, "parameter-type", c->pos, NULL, "parameter '%s' of '%s' is no %s",
                   params->in[i]->attr.text, c->func->attr.text,
                   has_buffer ? "handle, which a buffer needs" : "value of one lane");
    }
    if (tn_dtype_is_storage(dt)) {
      char text[TN_DTYPE_TEXT_BYTES];
      tn_diags_add(c->diags, "unsupported", c->pos, NULL,
                   "parameter '%s' of '%s' is one %s: pass it in a buffer, or as a number that is "
                   "computed with",
                   params->in[i]->attr.text, c->func->attr.text, tn_dtype_print(dt, text));
    }
    if (has_buffer) {
      check_expr(c, buffers->in[i]);
    }
  }
}

void tn_tir_verify(const tn_ir *ir, const tn_node *func, tn_diags *diags) {
  int32_t n_before = diags->n + diags->n_dropped;
  tn_ir_verify_func(ir, func, diags);
  if (diags->n + diags->n_dropped != n_before) {
    return;
  }
  if (!tn_is(func, TN_OP_PRIM_FUNC)) {
    tn_diags_add(diags, "graph-node", tn_ir_pos(ir, func), NULL, "'%s' is no loop-level function",
                 func->attr.text);
    return;
  }
  checker c = {.ir = ir, .diags = diags, .func = func, .pos = tn_ir_pos(ir, func)};
  check_params(&c);
  check_stmt(&c, func->in[TN_PRIM_FUNC_BODY]);
  tn_map_deinit(&c.seen);
  tn_map_deinit(&c.consts);
}
