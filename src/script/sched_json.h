/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What writing and reading of JSON traces share: where an argument of a step stands. */
#ifndef TN_SCRIPT_SCHED_JSON_H
#define TN_SCRIPT_SCHED_JSON_H

#include "sched/sched.h"

typedef enum tn_trace_place {
  TN_PLACE_INPUT,
  TN_PLACE_SPREAD, /* its items are inputs, up to the last */
  TN_PLACE_ATTR,
  TN_PLACE_BUFFER, /* two attributes */
  TN_PLACE_DECISION
} tn_trace_place;
tn_trace_place tn_trace_place_of(const tn_prim_param *param);

#endif
