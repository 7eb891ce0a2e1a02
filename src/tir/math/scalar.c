/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The functions of functions.def as plain C: the headers with the words of vocab_c.h, and a table
 * of what came out. */
#include "tir/math/math.h"

#include "tir/math/exp.h"
#include "tir/math/hyper.h"
#include "tir/math/log.h"
#include "tir/math/pow.h"
#include "tir/math/trig.h"
#include "tir/math/invtrig.h"
#include "tir/math/erf.h"
#include "tir/math/misc.h"

/* One C function of each variant: strict_exp, fast_exp, wide_exp. */
#define DEFINE_F(name, how)                                                     \
  static float fast_##name(float x) { return name##_f32(NULL, x); }             \
  static double wide_##name(double x) { return name##_f64(NULL, x); }           \
  static float strict_##name(float x) {                                         \
    return IS_##how ? (float)name##_f64(NULL, (double)x) : name##_f32(NULL, x); \
  }
#define DEFINE_FF(name, how)                                                                  \
  static float fast_##name(float x, float y) { return name##_f32(NULL, x, y); }               \
  static double wide_##name(double x, double y) { return name##_f64(NULL, x, y); }            \
  static float strict_##name(float x, float y) {                                              \
    return IS_##how ? (float)name##_f64(NULL, (double)x, (double)y) : name##_f32(NULL, x, y); \
  }
#define DEFINE_FI(name, how)                                                                    \
  static float fast_##name(float x, int32_t n) { return name##_f32(NULL, x, (I32)n); }          \
  static double wide_##name(double x, int32_t n) { return name##_f64(NULL, x, (I32)n); }        \
  static float strict_##name(float x, int32_t n) {                                              \
    return IS_##how ? (float)name##_f64(NULL, (double)x, (I32)n) : name##_f32(NULL, x, (I32)n); \
  }
enum { IS_SAME, IS_WIDE };

#define X(id, name, shape, how, ...) DEFINE_##shape(name, how)
#include "tir/math/functions.def"
#undef X

#define MEMBER_F f
#define MEMBER_FF ff
#define MEMBER_FI fi

const tn_math_fn tn_math_fns[] = {
#define X(id_, name_, shape_, how_, fast_ulp_, f32_ulp_, f64_ulp_) \
  {.id = TN_INTRIN_##id_,                                          \
   .shape = TN_MATH_##shape_,                                      \
   .f32 = {.MEMBER_##shape_ = strict_##name_},                     \
   .f32_fast = {.MEMBER_##shape_ = fast_##name_},                  \
   .f64 = {.MEMBER_##shape_ = wide_##name_},                       \
   .ulp_fast = (fast_ulp_),                                        \
   .ulp_f32 = (f32_ulp_),                                          \
   .ulp_f64 = (f64_ulp_)},
#include "tir/math/functions.def"
#undef X
};

uint32_t tn_math_n(void) { return (uint32_t)(sizeof tn_math_fns / sizeof tn_math_fns[0]); }

int32_t tn_math_find(tn_intrin_id id) {
  for (uint32_t i = 0; i < tn_math_n(); ++i) {
    if (tn_math_fns[i].id == id) {
      return (int32_t)i;
    }
  }
  return -1;
}

float tn_math_nextafter_f16(float x, float y) { return tn_nextafter_f16(NULL, x, y); }

float tn_math_nextafter_bf16(float x, float y) { return tn_nextafter_bf16(NULL, x, y); }
