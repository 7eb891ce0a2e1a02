/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The table of functions that are our own code (functions.def), as C: what the interpreter calls.
 * Compiled code at levels 0 and 1 and under strict mathematics gives the same bits as f32 and f64
 * here; from level 2 on float32 is f32_fast's formula, with fused multiplications where the machine
 * has them. Decision 005 says why. */
#ifndef TN_TIR_MATH_MATH_H
#define TN_TIR_MATH_MATH_H

#include <stdint.h>

#include "tir/tir.h"

typedef enum tn_math_shape { TN_MATH_F, TN_MATH_FF, TN_MATH_FI } tn_math_shape;

typedef union tn_math_f32 {
  float (*f)(float);
  float (*ff)(float, float);
  float (*fi)(float, int32_t);
} tn_math_f32;

typedef union tn_math_f64 {
  double (*f)(double);
  double (*ff)(double, double);
  double (*fi)(double, int32_t);
} tn_math_f64;

typedef struct tn_math_fn {
  tn_intrin_id id;
  tn_math_shape shape;
  tn_math_f32 f32;
  tn_math_f32 f32_fast; /* without fused multiplication: as code for x86-64-v2 computes */
  tn_math_f64 f64;
  const char *ulp_fast; /* bounds, as text: "1.5" */
  const char *ulp_f32;
  const char *ulp_f64;
} tn_math_fn;

extern const tn_math_fn tn_math_fns[];
/// All rows; their number.
uint32_t tn_math_n(void);
/// The number of an intrinsic's row, or -1.
int32_t tn_math_find(tn_intrin_id id);
/// nextafter of two float16 (bfloat16) given as float32. The other functions of 16-bit floats are
/// float32's, rounded.
float tn_math_nextafter_f16(float x, float y);
float tn_math_nextafter_bf16(float x, float y);

#endif
