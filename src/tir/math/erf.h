/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* erf: a polynomial in x^2 near 0; beyond, 1 - e^p(x), where p, a polynomial too, is the logarithm of
 * erfc. The further out, the less of p matters, so its error is weighted by erfc. */
#ifndef TN_TIR_MATH_ERF_H
#define TN_TIR_MATH_ERF_H

#include "tir/math/exp.h"

/* erf(x) / x as a function of x^2 in [0, 1]: relative error 2^-62.7 */
static const double erf_f64_near[] = {
    0x1.20dd750429b6dp+0,  -0x1.812746b0379e6p-2,  0x1.ce2f21a042b1ep-4,  -0x1.b82ce312848fbp-6,
    0x1.565bcd0dae940p-8,  -0x1.c02db3d8a092cp-11, 0x1.f9a3219813726p-14, -0x1.f4d1de85c628ap-17,
    0x1.b9dee85865943p-20, -0x1.5f1ce5eea00eap-23, 0x1.f7a095f575fbcp-27, -0x1.385fb81dd7d36p-30,
    0x1.055b24f5571c8p-34,
};

/* log(erfc(x)), [1, 5.93]: relative error of erf 2^-62.3 */
static const double erf_f64_far[] = {
    -0x1.d50bd8c4b2a27p-26, -0x1.20dd70e254eabp+0,  -0x1.45f32653492c7p-1,  -0x1.a4f315e9192d0p-4,
    0x1.3965731938246p-6,   0x1.a7cb9733b4378p-13,  -0x1.b70378e2f6c18p-10, 0x1.21784b41bd2b7p-11,
    0x1.743433d76d7fdp-16,  -0x1.d11979d770a40p-14, 0x1.0fd65236f3acdp-14,  -0x1.97ad3ed55b715p-16,
    0x1.c7ac3981b06ecp-18,  -0x1.8ae8cf75254c5p-20, 0x1.0abc5025ea635p-22,  -0x1.14e6d7aa55635p-25,
    0x1.abcbe0454f6c8p-29,  -0x1.cfb16bcbf5564p-33, 0x1.3ab6629f42c18p-37,  -0x1.927a74b443318p-43,
};

/* as above, [0, 0.875^2]: 2^-26.8 */
static const float erf_f32_near[] = {
    0x1.20dd74p+0f,  -0x1.81270cp-2f, 0x1.ce211p-4f,
    -0x1.b6f2acp-6f, 0x1.49c43ap-8f,  -0x1.452036p-11f,
};

/* as above, [0.875, 3.93]: 2^-29 */
static const float erf_f32_far[] = {
    -0x1.158f8p-13f, -0x1.20c0c4p+0f, -0x1.46013cp-1f, -0x1.ab5be2p-4f,
    0x1.6f6628p-6f,  -0x1.9572f2p-9f, 0x1.a5bf2ap-13f,
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
  F32 far = SUB(C32(1.0f), exp_f32(cx, POLY32(most, erf_f32_far)));
  return SELECT(LT(size, C32(0.875f)), near, copysign_f32(cx, far, x));
}

#endif
