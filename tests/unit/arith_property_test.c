/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Random expressions, evaluated before and after: the simplifier changes no value, is idempotent,
 * and bounds hold. The evaluator is the language's rules once more, written for exactness: 128-bit
 * results, then wrapped. Index expressions are promised not to wrap, so samples that break the
 * promise are skipped; data wraps freely. */
#include <inttypes.h>

#include "arith/arith.h"
#include "base/rng.h"
#include "tn_test.h"

enum { N_VARS = 6, MAX_LANES = 4, N_DATA = 8 };

typedef struct world {
  tn_ir *ir;
  tn_rng rng;
  tn_arith *arith;
  const tn_node
      *vars[N_VARS]; /* i in [0,8), j in [0,5), k in [-4,4), n >= 1, u: uint8 data, p in [0, n) */
  const tn_node *data32;
  int64_t values[N_VARS];
  int64_t mem[N_DATA];
  bool is_broken; /* the sample divides by zero or breaks the promise */
} world;

typedef struct lanes {
  int64_t v[MAX_LANES];
} lanes;

static bool is_data(const tn_node *n) {
  if (n->flags & TN_NF_READS) {
    return true;
  }
  tn_dtype elem = tn_dtype_elem(n->dtype);
  if (elem != TN_DT_I32 && elem != TN_DT_I64 && elem != TN_DT_BOOL) {
    return true;
  }
  for (uint32_t i = 0; i < n->n_in; ++i) {
    if (is_data(n->in[i])) {
      return true;
    }
  }
  return false;
}

static int64_t wrap(tn_dtype dtype, __int128 v) {
  uint32_t bits = tn_dtype_bits(dtype);
  if (tn_dtype_is_bool(dtype)) {
    return v != 0;
  }
  uint64_t low = (uint64_t)v;
  if (bits == 64) {
    return (int64_t)low;
  }
  low &= ((uint64_t)1 << bits) - 1;
  uint64_t sign = (uint64_t)1 << (bits - 1);
  return tn_dtype_is_uint(dtype) ? (int64_t)low : (int64_t)((low ^ sign) - sign);
}

static int64_t settle(world *w, const tn_node *n, __int128 v) {
  int64_t r = wrap(n->dtype, v);
  w->is_broken = w->is_broken || (r != v && !is_data(n));
  return r;
}

static __int128 floor_div(__int128 a, __int128 b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static __int128 divide(world *w, tn_op op, __int128 a, __int128 b) {
  if (b == 0) {
    w->is_broken = true;
    return 0;
  }
  switch ((int)op) {
    case TN_OP_DIV:
      return a / b;
    case TN_OP_MOD:
      return a % b;
    case TN_OP_FLOORDIV:
      return floor_div(a, b);
    default:
      return a - floor_div(a, b) * b;
  }
}

static __int128 binary(world *w, tn_op op, __int128 a, __int128 b) {
  switch ((int)op) {
    case TN_OP_ADD:
      return a + b;
    case TN_OP_SUB:
      return a - b;
    case TN_OP_MUL:
      return a * b;
    case TN_OP_MIN:
      return a < b ? a : b;
    case TN_OP_MAX:
      return a > b ? a : b;
    case TN_OP_EQ:
      return a == b;
    case TN_OP_NE:
      return a != b;
    case TN_OP_LT:
      return a < b;
    case TN_OP_LE:
      return a <= b;
    case TN_OP_GT:
      return a > b;
    case TN_OP_GE:
      return a >= b;
    case TN_OP_AND:
      return a && b;
    case TN_OP_OR:
      return a || b;
    case TN_OP_BAND:
      return a & b;
    default:
      return divide(w, op, a, b);
  }
}

static lanes eval(world *w, const tn_node *n);

static lanes eval_chosen(world *w, const tn_node *n) {
  lanes cond = eval(w, n->in[TN_SELECT_COND]);
  if (tn_is(n, TN_OP_IF_THEN_ELSE)) {
    return eval(w, n->in[cond.v[0] ? TN_SELECT_A : TN_SELECT_B]);
  }
  lanes a = eval(w, n->in[TN_SELECT_A]);
  lanes b = eval(w, n->in[TN_SELECT_B]);
  for (int i = 0; i < MAX_LANES; ++i) {
    a.v[i] = cond.v[i] ? a.v[i] : b.v[i];
  }
  return a;
}

static lanes eval_binary(world *w, const tn_node *n) {
  lanes a = eval(w, n->in[0]);
  if (tn_dtype_lanes(n->dtype) == 1 &&
      ((tn_is(n, TN_OP_AND) && !a.v[0]) || (tn_is(n, TN_OP_OR) && a.v[0]))) {
    return a;
  }
  lanes b = eval(w, n->in[1]);
  for (uint32_t i = 0; i < tn_dtype_lanes(n->dtype); ++i) {
    a.v[i] = settle(w, n, binary(w, (tn_op)n->op, a.v[i], b.v[i]));
  }
  return a;
}

static lanes eval_leaf(world *w, const tn_node *n) {
  lanes r = {{0}};
  if (tn_is(n, TN_OP_INT)) {
    r.v[0] = n->attr.i64;
  }
  for (int i = 0; i < N_VARS; ++i) {
    if (n == w->vars[i]) {
      r.v[0] = w->values[i];
    }
  }
  return r;
}

static lanes eval(world *w, const tn_node *n) {
  lanes r = {{0}};
  uint32_t n_lanes = tn_dtype_lanes(n->dtype);
  switch ((int)n->op) {
    case TN_OP_INT:
    case TN_OP_VAR:
      return eval_leaf(w, n);
    case TN_OP_LOAD:
      r.v[0] = w->mem[eval(w, n->in[TN_LOAD_INDICES]).v[0] & (N_DATA - 1)];
      return r;
    case TN_OP_SELECT:
    case TN_OP_IF_THEN_ELSE:
      return eval_chosen(w, n);
    case TN_OP_BROADCAST:
      r = eval(w, n->in[0]);
      for (uint32_t i = 1; i < n_lanes; ++i) {
        r.v[i] = r.v[0];
      }
      return r;
    case TN_OP_RAMP: {
      int64_t base = eval(w, n->in[0]).v[0];
      int64_t stride = eval(w, n->in[1]).v[0];
      for (uint32_t i = 0; i < n_lanes; ++i) {
        r.v[i] = settle(w, n, base + (__int128)stride * (int)i);
      }
      return r;
    }
    case TN_OP_NOT:
      r = eval(w, n->in[0]);
      break;
    case TN_OP_NEG:
    case TN_OP_CAST:
      r = eval(w, n->in[0]);
      break;
    default:
      return eval_binary(w, n);
  }
  for (uint32_t i = 0; i < n_lanes; ++i) {
    r.v[i] = tn_is(n, TN_OP_NOT)   ? !r.v[i]
             : tn_is(n, TN_OP_NEG) ? settle(w, n, -(__int128)r.v[i])
                                   : wrap(n->dtype, r.v[i]);
  }
  return r;
}

/* ---- generator ---- */

static const tn_node *make1(world *w, tn_op op, tn_dtype dtype, const tn_node *a) {
  return tn_node_new(w->ir, op, dtype, (tn_attr){.i64 = 0}, 1, &a);
}

static uint64_t pick(world *w, uint64_t n) { return tn_rng_below(&w->rng, n); }

static const tn_node *gen_int(world *w, tn_dtype dtype, int depth);

static const tn_node *gen_leaf(world *w, tn_dtype dtype) {
  static const int64_t lits[] = {0, 1, 2, 3, 4, 5, 6, 8, 12, 16, -1, -2, -3, 7, 64};
  uint64_t roll = pick(w, 10);
  if (dtype == TN_DT_U8) {
    return roll < 6 ? w->vars[4] : tn_int(w->ir, dtype, (int64_t)pick(w, 256));
  }
  if (roll < 3) {
    return tn_int(w->ir, dtype, lits[pick(w, TN_N_ROWS(lits))]);
  }
  if (roll == 3) {
    const tn_node *in[3] = {w->data32, tn_none(w->ir), w->vars[pick(w, 2)]};
    const tn_node *load = tn_node_new(w->ir, TN_OP_LOAD, TN_DT_I32, (tn_attr){.i64 = 0}, 3, in);
    return dtype == TN_DT_I32 ? load : make1(w, TN_OP_CAST, dtype, load);
  }
  const tn_node *var = w->vars[roll == 4 ? 5 : pick(w, 4)];
  return dtype == TN_DT_I32 ? var : make1(w, TN_OP_CAST, dtype, var);
}

static const tn_node *gen_bool(world *w, int depth) {
  static const tn_op compares[] = {TN_OP_EQ, TN_OP_NE, TN_OP_LT, TN_OP_LE, TN_OP_GT, TN_OP_GE};
  uint64_t roll = depth > 2 ? pick(w, 8) : 0;
  if (roll == 6 || roll == 7) {
    return tn_binary(w->ir, roll == 6 ? TN_OP_AND : TN_OP_OR, gen_bool(w, depth - 1),
                     gen_bool(w, depth - 1));
  }
  if (roll == 5) {
    return make1(w, TN_OP_NOT, TN_DT_BOOL, gen_bool(w, depth - 1));
  }
  tn_dtype dtype = pick(w, 4) == 0 ? TN_DT_I64 : pick(w, 8) == 0 ? TN_DT_U8 : TN_DT_I32;
  return tn_binary(w->ir, compares[pick(w, TN_N_ROWS(compares))], gen_int(w, dtype, depth - 1),
                   gen_int(w, dtype, depth - 1));
}

static const tn_node *gen_int(world *w, tn_dtype dtype, int depth) {
  static const tn_op ops[] = {TN_OP_ADD,      TN_OP_ADD,      TN_OP_SUB, TN_OP_MUL,
                              TN_OP_FLOORDIV, TN_OP_FLOORMOD, TN_OP_DIV, TN_OP_MOD,
                              TN_OP_MIN,      TN_OP_MAX,      TN_OP_BAND};
  static const int64_t divisors[] = {1, 2, 3, 4, 6, 8, 12};
  if (depth <= 0 || pick(w, 8) == 0) {
    return gen_leaf(w, dtype);
  }
  uint64_t roll = pick(w, 20);
  if (roll == 0) {
    return make1(w, TN_OP_NEG, dtype, gen_int(w, dtype, depth - 1));
  }
  if (roll == 1) {
    tn_dtype from = pick(w, 2) ? TN_DT_I64 : pick(w, 3) ? TN_DT_I32 : TN_DT_U8;
    return from == dtype ? gen_int(w, dtype, depth - 1)
                         : make1(w, TN_OP_CAST, dtype, gen_int(w, from, depth - 1));
  }
  if (roll == 2) {
    const tn_node *in[3] = {gen_bool(w, depth - 1), gen_int(w, dtype, depth - 1),
                            gen_int(w, dtype, depth - 1)};
    return tn_node_new(w->ir, pick(w, 2) ? TN_OP_SELECT : TN_OP_IF_THEN_ELSE, dtype,
                       (tn_attr){.i64 = 0}, 3, in);
  }
  tn_op op = ops[pick(w, TN_N_ROWS(ops))];
  const tn_node *a = gen_int(w, dtype, depth - 1);
  bool is_division = op >= TN_OP_DIV && op <= TN_OP_FLOORMOD;
  bool is_const = (is_division && pick(w, 4) > 0) || (op == TN_OP_MUL && pick(w, 3) > 0);
  const tn_node *b = is_const ? tn_int(w->ir, dtype, divisors[pick(w, TN_N_ROWS(divisors))])
                              : gen_int(w, dtype, depth - 1);
  return tn_binary(w->ir, op, a, b);
}

/* A vector of int32: ramps and broadcasts of small expressions, combined. */
static const tn_node *gen_vector(world *w, int depth) {
  static const tn_op ops[] = {TN_OP_ADD,      TN_OP_SUB,      TN_OP_MUL,
                              TN_OP_FLOORDIV, TN_OP_FLOORMOD, TN_OP_MIN};
  tn_dtype dtype = tn_dtype_with_lanes(TN_DT_I32, MAX_LANES);
  if (depth == 0) {
    const tn_node *in[2] = {gen_int(w, TN_DT_I32, 2),
                            tn_int(w->ir, TN_DT_I32, (int64_t)pick(w, 9))};
    bool is_ramp = pick(w, 2) == 0;
    return tn_node_new(w->ir, is_ramp ? TN_OP_RAMP : TN_OP_BROADCAST, dtype, (tn_attr){.i64 = 0},
                       is_ramp ? 2 : 1, in);
  }
  tn_op op = ops[pick(w, TN_N_ROWS(ops))];
  bool is_const = op >= TN_OP_DIV && op <= TN_OP_FLOORMOD;
  const tn_node *b =
      is_const ? tn_int(w->ir, dtype, (int64_t)pick(w, 12) + 1) : gen_vector(w, depth - 1);
  return tn_binary(w->ir, op, gen_vector(w, depth - 1), b);
}

/* A comparison of two vectors, as a selection: what the evaluator gives back are numbers. */
static const tn_node *gen_vector_choice(world *w) {
  static const tn_op compares[] = {TN_OP_EQ, TN_OP_NE, TN_OP_LT, TN_OP_LE, TN_OP_GT, TN_OP_GE};
  tn_dtype dtype = tn_dtype_with_lanes(TN_DT_I32, MAX_LANES);
  const tn_node *in[3] = {tn_binary(w->ir, compares[pick(w, TN_N_ROWS(compares))], gen_vector(w, 1),
                                    gen_vector(w, (int)pick(w, 2))),
                          tn_int(w->ir, dtype, 1), gen_vector(w, 0)};
  return tn_node_new(w->ir, TN_OP_SELECT, dtype, (tn_attr){.i64 = 0}, 3, in);
}

static void sample(world *w) {
  static const int64_t extremes[] = {INT32_MIN, INT32_MAX, -1, 0, 1, 1 << 30, -5, 12345678};
  int64_t *v = w->values;
  v[0] = tn_rng_range(&w->rng, 0, 7);
  v[1] = tn_rng_range(&w->rng, 0, 4);
  v[2] = tn_rng_range(&w->rng, -4, 3);
  v[3] = tn_rng_range(&w->rng, 1, 20);
  v[4] = tn_rng_range(&w->rng, 0, 255);
  v[5] = tn_rng_range(&w->rng, 0, v[3] - 1);
  for (int i = 0; i < N_DATA; ++i) {
    w->mem[i] = extremes[pick(w, TN_N_ROWS(extremes))];
  }
}

static void setup(world *w, uint64_t seed) {
  static const char *const names[N_VARS] = {"i", "j", "k", "n", "u", "p"};
  *w = (world){.ir = tn_ir_new(0), .rng = tn_rng_make(seed)};
  for (int i = 0; i < N_VARS; ++i) {
    w->vars[i] = tn_var_new(w->ir, names[i], i == 4 ? TN_DT_U8 : TN_DT_I32);
  }
  const tn_node *none = tn_none(w->ir);
  const tn_node *in[8] = {tn_var_new(w->ir, "D", TN_DT_HANDLE),
                          tn_list(w->ir, 0, NULL),
                          none,
                          none,
                          none,
                          none,
                          none,
                          none};
  w->data32 =
      tn_node_new(w->ir, TN_OP_BUFFER, TN_DT_I32, (tn_attr){.text = tn_ir_text(w->ir, "D")}, 8, in);
  w->arith = tn_arith_new(w->ir);
  const tn_node *zero = tn_int(w->ir, TN_DT_I32, 0);
  tn_arith_bind_range(w->arith, w->vars[0], zero, tn_int(w->ir, TN_DT_I32, 8));
  tn_arith_bind_range(w->arith, w->vars[1], zero, tn_int(w->ir, TN_DT_I32, 5));
  tn_arith_bind_range(w->arith, w->vars[2], tn_int(w->ir, TN_DT_I32, -4),
                      tn_int(w->ir, TN_DT_I32, 8));
  tn_arith_bind_range(w->arith, w->vars[5], zero, w->vars[3]);
  (void)tn_arith_assume(w->arith, tn_binary(w->ir, TN_OP_GT, w->vars[3], zero));
}

static void teardown(world *w) {
  tn_arith_free(w->arith);
  tn_ir_free(w->ir);
}

static void show(const char *what, const tn_node *n) {
  tn_buf buf = TN_BUF_INIT;
  tn_dump_to(n, &buf);
  print_error("%s:\n%s\n", what, tn_buf_text(&buf));
  tn_buf_deinit(&buf);
}

static void check_values(world *w, const tn_node *before, const tn_node *after) {
  tn_interval iv = tn_arith_bounds(w->arith, before);
  for (int s = 0; s < 6; ++s) {
    sample(w);
    w->is_broken = false;
    lanes a = eval(w, before);
    if (w->is_broken) {
      continue;
    }
    lanes b = eval(w, after);
    for (uint32_t i = 0; i < tn_dtype_lanes(before->dtype); ++i) {
      bool is_in = (!iv.has_lo || a.v[i] >= iv.lo) && (!iv.has_hi || a.v[i] <= iv.hi);
      if (a.v[i] != b.v[i] || !is_in) {
        show("before", before);
        show("after", after);
        fail_msg("lane %u: %" PRId64 " became %" PRId64 ", bounds %" PRId64 " .. %" PRId64
                 " (i %d j %d k %d n %d u %d p %d)",
                 i, a.v[i], b.v[i], iv.has_lo ? iv.lo : INT64_MIN, iv.has_hi ? iv.hi : INT64_MAX,
                 (int)w->values[0], (int)w->values[1], (int)w->values[2], (int)w->values[3],
                 (int)w->values[4], (int)w->values[5]);
      }
    }
  }
}

static void check(world *w, const tn_node *before) {
  const tn_node *after = tn_arith_simplify(w->arith, before);
  check_values(w, before, after);
  const tn_node *dummy = tn_var_new(w->ir, "dummy", TN_DT_BOOL);
  tn_arith_pop(w->arith, tn_arith_assume(w->arith, dummy)); /* forget the memo, keep the facts */
  const tn_node *again = tn_arith_simplify(w->arith, after);
  if (again != after) {
    show("before", before);
    show("once", after);
    show("twice", again);
    fail_msg("not idempotent");
  }
}

static void run(int kind, int n_exprs, int depth) {
  world w;
  const char *seed = getenv("TN_SEED");
  setup(&w, seed == NULL ? 20240 + (uint64_t)kind : strtoull(seed, NULL, 10));
  for (int i = 0; i < n_exprs; ++i) {
    const tn_node *e = kind == 0   ? gen_int(&w, TN_DT_I32, depth)
                       : kind == 1 ? gen_int(&w, TN_DT_I64, depth)
                       : kind == 2 ? gen_int(&w, TN_DT_U8, depth)
                       : kind == 3 ? gen_bool(&w, depth)
                       : kind == 5 ? gen_vector_choice(&w)
                                   : gen_vector(&w, depth);
    check(&w, e);
  }
  teardown(&w);
}

static void int32_expressions_keep_their_values(void **state) {
  (void)state;
  run(0, 10000, 3);
  run(0, 2500, 5);
}
static void int64_expressions_keep_their_values(void **state) {
  (void)state;
  run(1, 8000, 4);
}
static void uint8_expressions_keep_their_values(void **state) {
  (void)state;
  run(2, 4000, 3);
}
static void conditions_keep_their_values(void **state) {
  (void)state;
  run(3, 10000, 4);
}
static void vectors_keep_their_values(void **state) {
  (void)state;
  run(4, 5000, 2);
  run(5, 5000, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(int32_expressions_keep_their_values),
      cmocka_unit_test(int64_expressions_keep_their_values),
      cmocka_unit_test(uint8_expressions_keep_their_values),
      cmocka_unit_test(conditions_keep_their_values),
      cmocka_unit_test(vectors_keep_their_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
