/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Conversions between all types, compiled against the interpreter bit for bit: alone and in
 * vectors, by instructions and by code, optimised or not, over every value of types of up to 16
 * bits and over values of the others that rounding can get wrong. Literals convert as values do.
 * TN_LONG=1 does all of it for every instruction set. */
/* needs: script lower */
#include "codegen_text.h"

#include <math.h>

static const tn_dtype types[] = {
    TN_DT_BOOL,          TN_DT_I8,        TN_DT_I16,
    TN_DT_I32,           TN_DT_I64,       TN_DT_U8,
    TN_DT_U16,           TN_DT_U32,       TN_DT_U64,
    TN_DT_F16,           TN_DT_BF16,      TN_DT_F32,
    TN_DT_F64,           TN_DT_I4,        TN_DT_U4,
    TN_DT_F8E3M4,        TN_DT_F8E4M3,    TN_DT_F8E5M2,
    TN_DT_F8E4M3B11FNUZ, TN_DT_F8E4M3FN,  TN_DT_F8E4M3FNUZ,
    TN_DT_F8E5M2FNUZ,    TN_DT_F8E8M0FNU, TN_DT_F6E2M3FN,
    TN_DT_F6E3M2FN,      TN_DT_F4E2M1FN,
};
enum { N_TYPES = sizeof types / sizeof types[0], N_VALUES = 4096 };

/* A float near where types round and end: a power of two, a middle of two values, a neighbour. */
static double tricky(tn_rng *rng) {
  double value = ldexp(1 + (double)tn_rng_below(rng, 64) / 64, (int)tn_rng_range(rng, -30, 70));
  value = tn_rng_below(rng, 4) == 0 ? ldexp(value, (int)tn_rng_range(rng, -130, 60)) : value;
  switch (tn_rng_below(rng, 6)) {
    case 0:
      value = nextafter(value, INFINITY);
      break;
    case 1:
      value = nextafter(value, 0);
      break;
    case 2:
      value = (double)nextafterf((float)value, 0);
      break;
    default:
      break;
  }
  return tn_rng_below(rng, 2) == 0 ? value : -value;
}

static void fill_float(tn_array *array, tn_rng *rng) {
  const double special[] = {0.0,   -0.0,  (double)INFINITY, -(double)INFINITY, (double)NAN, 0.5,
                            1e300, -1e300};
  for (int64_t i = 0; i < N_VALUES; ++i) {
    double value = i < (int64_t)TN_N_ROWS(special) ? special[i]
                   : i % 3 == 0                    ? (double)tn_rng_range(rng, -300, 300) / 2
                                                   : tricky(rng);
    tn_array_set_f64(array, i, value);
  }
}

/* Every bit pattern again and again, or random ones with many bits the same. */
static void fill(tn_array *array, tn_rng *rng) {
  uint32_t bits = tn_dtype_bits(array->dtype);
  if (array->dtype == TN_DT_F32 || array->dtype == TN_DT_F64) {
    fill_float(array, rng);
    return;
  }
  if (tn_dtype_is_bool(array->dtype)) {
    tn_array_fill_random(array, rng);
    return;
  }
  if (bits <= 8) {
    uint8_t *bytes = array->data;
    for (size_t i = 0; i < tn_array_n_bytes(array); ++i) {
      bytes[i] = (uint8_t)(bits == 6 ? i % 64 : i);
    }
    return;
  }
  for (int64_t i = 0; i < N_VALUES; ++i) {
    uint64_t value = tn_rng_next(rng) >> tn_rng_below(rng, 64);
    value = tn_rng_below(rng, 2) == 0 ? ~value : value;
    if (bits == 16) {
      ((uint16_t *)array->data)[i] = (uint16_t)((uint64_t)i * 16 + value % 16);
    } else {
      tn_array_set_i64(array, i, (int64_t)value);
    }
  }
}

static void put_function(tn_buf *text, const char *from, const char *to, bool is_vector) {
  tn_buf_printf(text,
                "    @T.prim_func\n"
                "    def %s_%s(A: T.Buffer((%d,), \"%s\"), B: T.Buffer((%d,), \"%s\")):\n",
                from, to, N_VALUES, from, N_VALUES, to);
  if (is_vector) {
    tn_buf_printf(text,
                  "        for i in range(%d):\n            for v in T.vectorized(8):\n"
                  "                B[i * 8 + v] = T.Cast(\"%s\", A[i * 8 + v])\n",
                  N_VALUES / 8, to);
  } else {
    tn_buf_printf(text, "        for i in range(%d):\n            B[i] = T.Cast(\"%s\", A[i])\n",
                  N_VALUES, to);
  }
}

static const tn_node *literal_at(tn_ir *ir, const tn_array *array, int64_t i) {
  return tn_dtype_is_any_float(array->dtype)
             ? tn_float(ir, array->dtype, tn_array_get_f64(array, i))
             : tn_int(ir, array->dtype, tn_array_get_i64(array, i));
}

/* What folding makes of the first elements is what the interpreter stored. */
static void check_literals(tn_ir *ir, const tn_array *from, const tn_array *to, const char *name) {
  for (int64_t i = 0; i < 300; ++i) {
    const tn_node *cast = NULL;
    expect_ok(tn_tir_cast(ir, to->dtype, literal_at(ir, from, i), &cast));
    bool is_folded = tn_is(cast, TN_OP_INT) || tn_is(cast, TN_OP_FLOAT);
    expect_true(!is_folded || cast == literal_at(ir, to, i), "%s: literal %lld, %.17g", name,
                (long long)i, tn_array_get_f64(from, i));
  }
}

static void check_pair(cgt *t, tn_dtype from, tn_dtype to, tn_rng *rng) {
  char names[2][TN_DTYPE_TEXT_BYTES];
  char name[2 * TN_DTYPE_TEXT_BYTES + 2];
  tn_array arrays[2] = {{0}};
  const int64_t n = N_VALUES;
  (void)snprintf(name, sizeof name, "%s_%s", tn_dtype_print(from, names[0]),
                 tn_dtype_print(to, names[1]));
  expect_ok(tn_array_init(&arrays[0], from, 1, &n));
  expect_ok(tn_array_init(&arrays[1], to, 1, &n));
  fill(&arrays[0], rng);
  tn_tir_arg args[] = {{.array = &arrays[0]}, {.array = &arrays[1]}};
  cgt_expect_agrees(t, name, args, 2);
  expect_ok(tn_tir_interp(&t->module, name, args, 2, NULL, NULL));
  check_literals(t->ir, &arrays[0], &arrays[1], name);
  tn_array_deinit(&arrays[0]);
  tn_array_deinit(&arrays[1]);
}

static void check_all(bool is_vector, const char *target, int32_t level) {
  tn_rng rng = tn_rng_make(7);
  tn_buf text = TN_BUF_INIT;
  cgx x;
  char names[2][TN_DTYPE_TEXT_BYTES];
  if (!tn_target_runs_here(cgt_target(target))) {
    print_message("this machine has no %s\n", target);
    return;
  }
  tn_buf_puts(&text, "from tvm.script import ir as I\nfrom tvm.script import tir as T\n\n"
                     "@I.ir_module\nclass Module:\n");
  for (size_t i = 0; i < N_TYPES; ++i) {
    for (size_t k = 0; k < N_TYPES; ++k) {
      put_function(&text, tn_dtype_print(types[i], names[0]), tn_dtype_print(types[k], names[1]),
                   is_vector);
    }
  }
  cgx_init_text(&x, tn_buf_text(&text), "casts.py");
  tn_buf_deinit(&text);
  expect_ok(cgx_lower(&x.t.module, level));
  cgt_compile(&x.t, target, level);
  for (size_t i = 0; i < N_TYPES; ++i) {
    for (size_t k = 0; k < N_TYPES; ++k) {
      check_pair(&x.t, types[i], types[k], &rng);
    }
  }
  cgx_deinit(&x);
}

static void conversions_one_by_one_agree(void **state) {
  (void)state;
  check_all(false, "x86-64-v3", 0);
  if (getenv("TN_LONG") != NULL) {
    check_all(false, "x86-64-v2", 0);
  }
}

static void conversions_of_vectors_agree(void **state) {
  (void)state;
  check_all(true, "x86-64-v2", 0);
  if (getenv("TN_LONG") != NULL) {
    check_all(true, "x86-64-v3", 0);
    check_all(true, "x86-64-v4", 0);
  }
}

static void optimised_conversions_agree(void **state) {
  (void)state;
  check_all(true, "host", 2);
  if (getenv("TN_LONG") != NULL) {
    check_all(false, "host", 2);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(conversions_one_by_one_agree),
      cmocka_unit_test(conversions_of_vectors_agree),
      cmocka_unit_test(optimised_conversions_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
