/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Every operator, cast and function on every type, one lane and four, compiled and interpreted:
 * each pair of values from a list of awkward ones. Levels 0 and 2 (nothing here can be contracted;
 * functions under strict mathematics), targets with and without AVX2. */
#include <math.h>

#include "codegen_util.h"

enum { N = 196, LANES = 4 }; /* 14 awkward values a side, all pairs */

static const tn_dtype all_types[] = {TN_DT_I8,  TN_DT_I16,  TN_DT_I32, TN_DT_I64, TN_DT_U8,
                                     TN_DT_U16, TN_DT_U32,  TN_DT_U64, TN_DT_F32, TN_DT_F64,
                                     TN_DT_F16, TN_DT_BF16, TN_DT_BOOL};

static bool is_float(tn_dtype dtype) { return tn_dtype_is_float(dtype); }

static double awkward_float(int64_t i) {
  static const double values[14] = {0.0,   -0.0, 1.0,  -1.0,    0.5,      -2.5,      3.0,
                                    1e-40, 1e30, -1e5, 70000.0, INFINITY, -INFINITY, NAN};
  return values[i];
}

static int64_t awkward_int(tn_dtype dtype, int64_t i) {
  static const int64_t small[10] = {0, 1, 2, 3, -1, -2, 7, 31, 64, 100};
  uint32_t bits = tn_dtype_bits(dtype);
  bool is_signed = tn_dtype_is_int(dtype);
  int64_t lo = is_signed ? INT64_MIN >> (64 - bits) : 0;
  int64_t hi = is_signed ? ~lo : (int64_t)(UINT64_MAX >> (64 - bits));
  return i < 10 ? small[i] : i == 10 ? lo : i == 11 ? hi : i == 12 ? lo + 1 : hi - 1;
}

static void fill(tn_array *array, tn_dtype dtype, bool is_inner) {
  int64_t n = N;
  expect_ok(tn_array_init(array, dtype, 1, &n));
  for (int64_t i = 0; i < N; ++i) {
    int64_t k = is_inner ? i % 14 : i / 14;
    if (is_float(dtype)) {
      tn_array_set_f64(array, i, awkward_float(k));
    } else {
      tn_array_set_i64(array, i, tn_dtype_is_bool(dtype) ? k % 2 : awkward_int(dtype, k));
    }
  }
}

/* for i in range(N / lanes): C[i * lanes ...] = f(A[...], B[...]) */
typedef const tn_node *(*make_fn)(cgt *t, const void *ctx, const tn_node *a, const tn_node *b);

static void add_map(cgt *t, const char *name, tn_dtype in, tn_dtype out, uint32_t lanes,
                    make_fn make, const void *ctx) {
  const tn_node *buffers[] = {cgt_buffer(t, "A", in, N), cgt_buffer(t, "B", in, N),
                              cgt_buffer(t, "C", out, N)};
  const tn_node *i = tn_var_new(t->ir, "i", TN_DT_I32);
  const tn_node *index = i;
  if (lanes > 1) {
    const tn_node *base = cgt_binary(t, TN_OP_MUL, i, tn_int(t->ir, TN_DT_I32, lanes));
    expect_ok(tn_tir_ramp(t->ir, base, tn_int(t->ir, TN_DT_I32, 1), lanes, &index));
  }
  const tn_node *value =
      make(t, ctx, cgt_load(t, buffers[0], index), cgt_load(t, buffers[1], index));
  const tn_node *body =
      cgt_for(t, TN_FOR_SERIAL, i, N / lanes, cgt_store(t, buffers[2], index, value));
  cgt_add(t, name, 3, buffers, body);
}

/* Runs all functions of the module, named by their types "name__in__out". */
static void run_map(cgt *t, const char *name, tn_dtype in, tn_dtype out, bool no_zero_b) {
  tn_array a;
  tn_array b;
  tn_array c;
  int64_t n = N;
  fill(&a, in, true);
  fill(&b, in, false);
  for (int64_t i = 0; i < N && no_zero_b; ++i) { /* the interpreter refuses to divide by zero */
    if (tn_array_get_i64(&b, i) == 0) {
      tn_array_set_i64(&b, i, 1);
    }
  }
  expect_ok(tn_array_init(&c, out, 1, &n));
  tn_tir_arg args[] = {{.array = &a}, {.array = &b}, {.array = &c}};
  cgt_expect_agrees(t, name, args, 3);
  tn_array_deinit(&a);
  tn_array_deinit(&b);
  tn_array_deinit(&c);
}

/* ---- operators ---- */

typedef struct op_case {
  const char *name;
  tn_op op;
  bool has_int;
  bool has_float;
  bool has_bool;
  bool is_compare;
  bool is_division;
} op_case;

static const op_case op_cases[] = {
    {"add", TN_OP_ADD, true, true, false, false, false},
    {"sub", TN_OP_SUB, true, true, false, false, false},
    {"mul", TN_OP_MUL, true, true, false, false, false},
    {"div", TN_OP_DIV, true, true, false, false, true},
    {"mod", TN_OP_MOD, true, false, false, false, true},
    {"floordiv", TN_OP_FLOORDIV, true, false, false, false, true},
    {"floormod", TN_OP_FLOORMOD, true, false, false, false, true},
    {"min", TN_OP_MIN, true, true, false, false, false},
    {"max", TN_OP_MAX, true, true, false, false, false},
    {"eq", TN_OP_EQ, true, true, true, true, false},
    {"ne", TN_OP_NE, true, true, true, true, false},
    {"lt", TN_OP_LT, true, true, false, true, false},
    {"le", TN_OP_LE, true, true, false, true, false},
    {"gt", TN_OP_GT, true, true, false, true, false},
    {"ge", TN_OP_GE, true, true, false, true, false},
    {"and", TN_OP_AND, false, false, true, false, false},
    {"or", TN_OP_OR, false, false, true, false, false},
    {"band", TN_OP_BAND, true, false, true, false, false},
    {"bor", TN_OP_BOR, true, false, true, false, false},
    {"bxor", TN_OP_BXOR, true, false, true, false, false},
    {"shl", TN_OP_SHL, true, false, false, false, false},
    {"shr", TN_OP_SHR, true, false, false, false, false},
};

static bool op_fits(const op_case *c, tn_dtype dtype) {
  return is_float(dtype) ? c->has_float : tn_dtype_is_bool(dtype) ? c->has_bool : c->has_int;
}

static const tn_node *make_op(cgt *t, const void *ctx, const tn_node *a, const tn_node *b) {
  return tn_binary(t->ir, ((const op_case *)ctx)->op, a, b);
}

static void op_name(char out[64], const op_case *c, tn_dtype dtype, uint32_t lanes) {
  char text[TN_DTYPE_TEXT_BYTES];
  (void)snprintf(out, 64, "%s_%s_%u", c->name, tn_dtype_print(dtype, text), lanes);
}

static void check_ops(const char *target, int32_t level) {
  cgt t;
  cgt_init(&t);
  char name[64];
  for (int32_t is_run = 0; is_run < 2; ++is_run) {
    for (size_t k = 0; k < TN_N_ROWS(op_cases); ++k) {
      for (size_t d = 0; d < TN_N_ROWS(all_types); ++d) {
        const op_case *c = &op_cases[k];
        tn_dtype out = c->is_compare ? TN_DT_BOOL : all_types[d];
        for (uint32_t lanes = 1; lanes <= LANES && op_fits(c, all_types[d]); lanes += LANES - 1) {
          op_name(name, c, all_types[d], lanes);
          if (is_run == 0) {
            add_map(&t, name, all_types[d], out, lanes, make_op, c);
          } else {
            run_map(&t, name, all_types[d], out, c->is_division && !is_float(all_types[d]));
          }
        }
      }
    }
    if (is_run == 0) {
      cgt_compile(&t, target, level);
    }
  }
  cgt_deinit(&t);
}

static void operators_agree_with_the_interpreter(void **state) {
  (void)state;
  check_ops("x86-64-v2", 0);
  check_ops("host", 2);
}

static void integer_division_by_zero_gives_zero_and_never_traps(void **state) {
  (void)state;
  cgt t;
  cgt_init(&t);
  char name[64];
  for (size_t k = 0; k < TN_N_ROWS(op_cases); ++k) {
    for (size_t d = 0; d < 8 && op_cases[k].is_division; ++d) {
      for (uint32_t lanes = 1; lanes <= LANES; lanes += LANES - 1) {
        op_name(name, &op_cases[k], all_types[d], lanes);
        add_map(&t, name, all_types[d], all_types[d], lanes, make_op, &op_cases[k]);
      }
    }
  }
  for (int32_t level = 0; level <= 2; level += 2) {
    cgt_compile(&t, "host", level);
    for (uint32_t f = 0; f < t.module.n_funcs; ++f) {
      const tn_node *buffers = t.module.funcs[f].func->in[TN_PRIM_FUNC_BUFFERS];
      tn_array a;
      tn_array b;
      tn_array c;
      fill(&a, buffers->in[0]->dtype, true);
      fill(&b, buffers->in[0]->dtype, false);
      fill(&c, buffers->in[0]->dtype, false);
      tn_tir_arg args[] = {{.array = &a}, {.array = &b}, {.array = &c}};
      cgt_host host;
      cgt_host_init(&host);
      assert_int_equal(cgt_run(&t, &host, t.module.funcs[f].name, args, 3), 0);
      for (int64_t i = 0; i < N; ++i) {
        expect_true(tn_array_get_i64(&b, i) != 0 || tn_array_get_i64(&c, i) == 0, "%s",
                    t.module.funcs[f].name);
      }
      tn_array_deinit(&a);
      tn_array_deinit(&b);
      tn_array_deinit(&c);
    }
  }
  cgt_deinit(&t);
}

/* ---- casts ---- */

static const tn_node *make_cast(cgt *t, const void *ctx, const tn_node *a, const tn_node *b) {
  (void)b;
  tn_dtype to = tn_dtype_with_lanes(*(const tn_dtype *)ctx, tn_dtype_lanes(a->dtype));
  const tn_node *out = NULL;
  expect_ok(tn_tir_cast(t->ir, to, a, &out));
  return out;
}

static void check_casts(const char *target, int32_t level) {
  cgt t;
  cgt_init(&t);
  char name[64];
  char from[TN_DTYPE_TEXT_BYTES];
  char to[TN_DTYPE_TEXT_BYTES];
  for (int32_t is_run = 0; is_run < 2; ++is_run) {
    for (size_t a = 0; a < TN_N_ROWS(all_types); ++a) {
      for (size_t b = 0; b < TN_N_ROWS(all_types); ++b) {
        for (uint32_t lanes = 1; lanes <= LANES; lanes += LANES - 1) {
          (void)snprintf(name, sizeof name, "%s_to_%s_%u", tn_dtype_print(all_types[a], from),
                         tn_dtype_print(all_types[b], to), lanes);
          if (is_run == 0) {
            add_map(&t, name, all_types[a], all_types[b], lanes, make_cast, &all_types[b]);
          } else {
            run_map(&t, name, all_types[a], all_types[b], false);
          }
        }
      }
    }
    if (is_run == 0) {
      cgt_compile(&t, target, level);
    }
  }
  cgt_deinit(&t);
}

static void casts_between_all_types_agree(void **state) {
  (void)state;
  check_casts("x86-64-v2", 0);
  check_casts("host", 2);
}

/* ---- functions of one and two arguments ---- */

static const tn_node *make_intrin(cgt *t, const void *ctx, const tn_node *a, const tn_node *b) {
  const tn_intrin *row = ctx;
  const tn_node *args[4] = {a, b, a, a};
  const tn_node *out = NULL;
  if (row->id == TN_INTRIN_LDEXP) {
    expect_ok(
        tn_tir_cast(t->ir, tn_dtype_with_lanes(TN_DT_I32, tn_dtype_lanes(a->dtype)), b, &args[1]));
  }
  if (row->id == TN_INTRIN_Q_MULTIPLY_SHIFT) {
    args[2] = tn_int(t->ir, a->dtype, 31);
    args[3] = tn_int(t->ir, a->dtype, 1);
  }
  expect_ok(tn_tir_intrin(t->ir, row, TN_DT_NONE, (uint32_t)row->min_args, args, &out));
  return out;
}

static bool intrin_fits(const tn_intrin *row, tn_dtype dtype) {
  if (row->kind != TN_IK_MATH || tn_dtype_is_bool(dtype)) {
    return false;
  }
  if (row->type == TN_IT_INT) {
    return !is_float(dtype) &&
           (row->id != TN_INTRIN_Q_MULTIPLY_SHIFT || dtype == TN_DT_I32 || dtype == TN_DT_I64);
  }
  return row->type == TN_IT_SAME || is_float(dtype);
}

static void check_intrins(const char *target, int32_t level) {
  cgt t;
  cgt_init(&t);
  char name[64];
  char text[TN_DTYPE_TEXT_BYTES];
  uint32_t n = 0;
  const tn_intrin *rows = tn_intrin_all(&n);
  for (int32_t is_run = 0; is_run < 2; ++is_run) {
    for (uint32_t k = 0; k < n; ++k) {
      for (size_t d = 0; d < TN_N_ROWS(all_types); ++d) {
        tn_dtype dtype = all_types[d];
        tn_dtype out = rows[k].type == TN_IT_TEST ? TN_DT_BOOL : dtype;
        for (uint32_t lanes = 1; lanes <= LANES && intrin_fits(&rows[k], dtype);
             lanes += LANES - 1) {
          (void)snprintf(name, sizeof name, "%s_%s_%u", rows[k].def.name,
                         tn_dtype_print(dtype, text), lanes);
          if (is_run == 0) {
            add_map(&t, name, dtype, out, lanes, make_intrin, &rows[k]);
          } else {
            run_map(&t, name, dtype, out, false);
          }
        }
      }
    }
    if (is_run == 0) {
      cgt_compile_strict(&t, target, level);
    }
  }
  cgt_deinit(&t);
}

static void intrinsics_agree_with_the_interpreter(void **state) {
  (void)state;
  check_intrins("x86-64-v2", 0);
  check_intrins("host", 2);
}

/* 28 lanes are computed as 16 and 12. */
static void functions_of_wide_vectors_agree(void **state) {
  (void)state;
  static const tn_intrin_id ids[] = {TN_INTRIN_EXP, TN_INTRIN_SIN, TN_INTRIN_POW, TN_INTRIN_FMA};
  static const tn_dtype types[] = {TN_DT_F32, TN_DT_F64, TN_DT_F16};
  cgt t;
  cgt_init(&t);
  char name[64];
  char text[TN_DTYPE_TEXT_BYTES];
  for (int32_t round = 0; round < 3; ++round) {
    for (size_t k = 0; k < TN_N_ROWS(ids); ++k) {
      for (size_t d = 0; d < TN_N_ROWS(types); ++d) {
        const tn_intrin *row = tn_intrin_get(ids[k]);
        (void)snprintf(name, sizeof name, "%s_%s", row->def.name, tn_dtype_print(types[d], text));
        if (round == 0) {
          add_map(&t, name, types[d], types[d], 28, make_intrin, row);
        } else {
          run_map(&t, name, types[d], types[d], false);
        }
      }
    }
    cgt_compile_strict(&t, round == 0 ? "x86-64-v2" : "host", round == 0 ? 0 : 2);
  }
  cgt_deinit(&t);
}

/* ---- unary operators, reinterpretation ---- */

static const tn_node *make_unary(cgt *t, const void *ctx, const tn_node *a, const tn_node *b) {
  (void)b;
  const tn_node *out = NULL;
  expect_ok(tn_tir_unary(t->ir, *(const tn_op *)ctx, a, &out));
  return out;
}

static void unary_operators_agree(void **state) {
  (void)state;
  static const tn_op ops[] = {TN_OP_NEG, TN_OP_BNOT, TN_OP_NOT};
  cgt t;
  cgt_init(&t);
  char name[64];
  char text[TN_DTYPE_TEXT_BYTES];
  for (int32_t is_run = 0; is_run < 2; ++is_run) {
    for (size_t k = 0; k < TN_N_ROWS(ops); ++k) {
      for (size_t d = 0; d < TN_N_ROWS(all_types); ++d) {
        tn_dtype dtype = all_types[d];
        bool fits = ops[k] == TN_OP_NEG    ? !tn_dtype_is_bool(dtype)
                    : ops[k] == TN_OP_BNOT ? !is_float(dtype) && !tn_dtype_is_bool(dtype)
                                           : tn_dtype_is_bool(dtype);
        for (uint32_t lanes = 1; lanes <= LANES && fits; lanes += LANES - 1) {
          (void)snprintf(name, sizeof name, "u%zu_%s_%u", k, tn_dtype_print(dtype, text), lanes);
          if (is_run == 0) {
            add_map(&t, name, dtype, dtype, lanes, make_unary, &ops[k]);
          } else {
            run_map(&t, name, dtype, dtype, false);
          }
        }
      }
    }
    if (is_run == 0) {
      cgt_compile(&t, "host", 0);
    }
  }
  cgt_deinit(&t);
}

static const tn_node *make_reinterpret(cgt *t, const void *ctx, const tn_node *a,
                                       const tn_node *b) {
  (void)b;
  tn_dtype to = tn_dtype_with_lanes(*(const tn_dtype *)ctx, tn_dtype_lanes(a->dtype));
  return tn_node_new(t->ir, TN_OP_REINTERPRET, to, (tn_attr){0}, 1, &a);
}

static void reinterpretations_keep_the_bits(void **state) {
  (void)state;
  static const tn_dtype pairs[][2] = {{TN_DT_F32, TN_DT_I32},  {TN_DT_U32, TN_DT_F32},
                                      {TN_DT_F64, TN_DT_U64},  {TN_DT_I64, TN_DT_F64},
                                      {TN_DT_F16, TN_DT_U16},  {TN_DT_I16, TN_DT_F16},
                                      {TN_DT_BF16, TN_DT_I16}, {TN_DT_U8, TN_DT_I8}};
  cgt t;
  cgt_init(&t);
  char name[64];
  for (int32_t is_run = 0; is_run < 2; ++is_run) {
    for (size_t k = 0; k < TN_N_ROWS(pairs); ++k) {
      for (uint32_t lanes = 1; lanes <= LANES; lanes += LANES - 1) {
        (void)snprintf(name, sizeof name, "r%zu_%u", k, lanes);
        if (is_run == 0) {
          add_map(&t, name, pairs[k][0], pairs[k][1], lanes, make_reinterpret, &pairs[k][1]);
        } else {
          run_map(&t, name, pairs[k][0], pairs[k][1], false);
        }
      }
    }
    if (is_run == 0) {
      cgt_compile(&t, "host", 0);
    }
  }
  cgt_deinit(&t);
}

/* i * 2^30 * 4 is 0 in int32, and far outside in 64 bits. */
static void index_arithmetic_wraps_at_its_own_type(void **state) {
  (void)state;
  cgt t;
  cgt_init(&t);
  const tn_node *buffers[] = {cgt_buffer(&t, "A", TN_DT_I32, 8), cgt_buffer(&t, "C", TN_DT_I32, 8)};
  const tn_node *i = tn_var_new(t.ir, "i", TN_DT_I32);
  const tn_node *big = cgt_binary(&t, TN_OP_MUL, i, tn_int(t.ir, TN_DT_I32, 1 << 30));
  const tn_node *zero = cgt_binary(&t, TN_OP_MUL, big, tn_int(t.ir, TN_DT_I32, 4));
  const tn_node *index = cgt_binary(&t, TN_OP_ADD, zero, i);
  const tn_node *store = cgt_store(&t, buffers[1], index, cgt_load(&t, buffers[0], i));
  cgt_add(&t, "f", 2, buffers, cgt_for(&t, TN_FOR_SERIAL, i, 8, store));
  tn_array a;
  tn_array c;
  int64_t n = 8;
  tn_rng rng = tn_rng_make(1);
  expect_ok(tn_array_init(&a, TN_DT_I32, 1, &n));
  expect_ok(tn_array_init(&c, TN_DT_I32, 1, &n));
  tn_array_fill_random(&a, &rng);
  tn_tir_arg args[] = {{.array = &a}, {.array = &c}};
  for (int32_t level = 0; level <= 2; ++level) {
    cgt_compile(&t, "host", level);
    cgt_expect_agrees(&t, "f", args, 2);
  }
  tn_array_deinit(&a);
  tn_array_deinit(&c);
  cgt_deinit(&t);
}

/* Of 20 turns only the last makes 18 - i negative: the loop's bounds have to be exact. */
static void floor_division_is_exact_up_to_the_last_turn(void **state) {
  (void)state;
  cgt t;
  cgt_init(&t);
  const tn_node *c_buffer = cgt_buffer(&t, "C", TN_DT_I32, 20);
  const tn_node *i = tn_var_new(t.ir, "i", TN_DT_I32);
  const tn_node *left = cgt_binary(&t, TN_OP_SUB, tn_int(t.ir, TN_DT_I32, 18), i);
  const tn_node *three = tn_int(t.ir, TN_DT_I32, 3);
  const tn_node *value = cgt_binary(&t, TN_OP_ADD, cgt_binary(&t, TN_OP_FLOORDIV, left, three),
                                    cgt_binary(&t, TN_OP_FLOORMOD, left, three));
  cgt_add(&t, "f", 1, &c_buffer,
          cgt_for(&t, TN_FOR_SERIAL, i, 20, cgt_store(&t, c_buffer, i, value)));
  tn_array c;
  int64_t n = 20;
  expect_ok(tn_array_init(&c, TN_DT_I32, 1, &n));
  tn_tir_arg arg = {.array = &c};
  for (int32_t level = 0; level <= 2; ++level) {
    cgt_compile(&t, "host", level);
    cgt_expect_agrees(&t, "f", &arg, 1);
  }
  tn_array_deinit(&c);
  cgt_deinit(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operators_agree_with_the_interpreter),
      cmocka_unit_test(integer_division_by_zero_gives_zero_and_never_traps),
      cmocka_unit_test(casts_between_all_types_agree),
      cmocka_unit_test(intrinsics_agree_with_the_interpreter),
      cmocka_unit_test(functions_of_wide_vectors_agree),
      cmocka_unit_test(unary_operators_agree),
      cmocka_unit_test(reinterpretations_keep_the_bits),
      cmocka_unit_test(floor_division_is_exact_up_to_the_last_turn),
      cmocka_unit_test(index_arithmetic_wraps_at_its_own_type),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
