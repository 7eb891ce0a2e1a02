/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Functions of libm that the interpreter calls: by T.call_extern, as compiled code does, and those
 * that are exact wherever they are computed: rounding, the square root, signs. The rest of
 * mathematics is our own (tir/math/). */
#include <math.h>
#include <string.h>

#include "tir/interp/interp_priv.h"

const tn_imath1_row tn_imath1[] = {
    {"exp", expf, exp},          {"exp2", exp2f, exp2},
    {"exp10", exp10f, exp10},    {"log", logf, log},
    {"log2", log2f, log2},       {"log10", log10f, log10},
    {"log1p", log1pf, log1p},    {"expm1", expm1f, expm1},
    {"sin", sinf, sin},          {"cos", cosf, cos},
    {"tan", tanf, tan},          {"asin", asinf, asin},
    {"acos", acosf, acos},       {"atan", atanf, atan},
    {"sinh", sinhf, sinh},       {"cosh", coshf, cosh},
    {"tanh", tanhf, tanh},       {"asinh", asinhf, asinh},
    {"acosh", acoshf, acosh},    {"atanh", atanhf, atanh},
    {"erf", erff, erf},          {"erfc", erfcf, erfc},
    {"tgamma", tgammaf, tgamma}, {"lgamma", lgammaf, lgamma},
    {"cbrt", cbrtf, cbrt},       {"sqrt", sqrtf, sqrt},
    {"floor", floorf, floor},    {"ceil", ceilf, ceil},
    {"trunc", truncf, trunc},    {"fabs", fabsf, fabs},
    {"nearbyint", rintf, rint},  {"rint", rintf, rint},
    {"round", roundf, round}, /* C's round: by call_extern only */
};

const tn_imath2_row tn_imath2[] = {
    {"atan2", atan2f, atan2},
    {"pow", powf, pow},
    {"fmod", fmodf, fmod},
    {"hypot", hypotf, hypot},
    {"copysign", copysignf, copysign},
    {"nextafter", nextafterf, nextafter},
    {"fmin", fminf, fmin},
    {"fmax", fmaxf, fmax},
    {"fdim", fdimf, fdim},
    {"remainder", remainderf, remainder},
};

int32_t tn_imath1_find(const char *name) {
  for (size_t i = 0; i < sizeof tn_imath1 / sizeof tn_imath1[0]; ++i) {
    if (strcmp(tn_imath1[i].name, name) == 0) {
      return (int32_t)i;
    }
  }
  return -1;
}

int32_t tn_imath2_find(const char *name) {
  for (size_t i = 0; i < sizeof tn_imath2 / sizeof tn_imath2[0]; ++i) {
    if (strcmp(tn_imath2[i].name, name) == 0) {
      return (int32_t)i;
    }
  }
  return -1;
}
