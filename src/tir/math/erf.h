/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* erf: a polynomial in x^2 near 0; beyond, 1 - e^p(x), where p, a polynomial too, is the logarithm
 * of erfc. The further out, the less of p matters, so its error is weighted by erfc. */
#ifndef TN_TIR_MATH_ERF_H
#define TN_TIR_MATH_ERF_H

#include "tir/math/exp.h"

/* erf(x) / x, in z = x^2, [0.0, 1.0]: 2^-54.82 */
static const double erf_f64_near[] = {
    0x1.20dd750429b6dp+0,  -0x1.812746b0379e6p-2,  0x1.ce2f21a042b2p-4,   -0x1.b82ce3128499cp-6,
    0x1.565bcd0db02ddp-8,  -0x1.c02db3d8ed19cp-11, 0x1.f9a321a11da5dp-14, -0x1.f4d1df3958c3bp-17,
    0x1.b9def19f50466p-20, -0x1.5f1d36d29d4e9p-23, 0x1.f7a41307b15f9p-27, -0x1.386ac3cb7da71p-30,
    0x1.0579b3c0412f5p-34,
};

/* log(erfc(x)), [1.0, 5.93]: 2^-55.89 */
static const double erf_f64_far[] = {
    -0x1.ddade4db24db5p-26, -0x1.20dd70cc725ccp+0,  -0x1.45f32722df3a7p-1,  -0x1.a4f302c983946p-4,
    0x1.3964d5fcab6c6p-6,   0x1.a84303ade36ep-13,   -0x1.b714e3ac4eda4p-10, 0x1.219835b74a208p-11,
    0x1.714a9764f2821p-16,  -0x1.d0ac186d58d7ap-14, 0x1.0fa285b1685d4p-14,  -0x1.975e0ff6b570bp-16,
    0x1.c74af298616edp-18,  -0x1.8a899c6b7af18p-20, 0x1.0a732d82f5fdfp-22,  -0x1.1490a4283a81bp-25,
    0x1.ab358ebc96a9bp-29,  -0x1.cefae96405107p-33, 0x1.3a2cc19338548p-37,  -0x1.91b876f41f05ep-43,
};

/* erf(x) / x, in z = x^2, [0.0, 0.7656]: 2^-23.68 */
static const float erf_f32_near[] = {
    0x1.20dd74p+0f,  -0x1.81270cp-2f, 0x1.ce211ep-4f,
    -0x1.b6f38ap-6f, 0x1.49ca02p-8f,  -0x1.453abap-11f,
};

/* log(erfc(x)), [0.875, 3.93]: 2^-26.74 */
static const float erf_f32_far[] = {
    -0x1.182444p-13f, -0x1.20c06cp+0f, -0x1.46026ep-1f, -0x1.ab5342p-4f,
    0x1.6f5512p-6f,   -0x1.954fcap-9f, 0x1.a5847p-13f,
};

static inline F64 erf_f64(CX, F64 x) {
  F64 size = ABS(x);
  F64 near = MUL(x, POLY64(MUL(x, x), erf_f64_near));
  F64 most = MIN(C64(5.93), size); /* 1 there; NaN stays */
  F64 far = SUB(C64(1.0), exp_f64(cx, POLY64(most, erf_f64_far)));
  return SELECT(LT(size, C64(1.0)), near, copysign_f64(cx, far, x));
}

static inline F32 erf_f32(CX, F32 x) {
  F32 size = ABS(x);
  F32 near = MUL(x, POLY32(MUL(x, x), erf_f32_near));
  F32 most = MIN(C32(3.93f), size);
  F32 far = SUB(C32(1.0f), tn_exp_normal_f32(cx, POLY32(most, erf_f32_far)));
  return SELECT(LT(size, C32(0.875f)), near, copysign_f32(cx, far, x));
}

#endif
