/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Primitives that are read but not built yet; each is refused by name. */
#include "sched/sched_priv.h"

#define NOT_YET(id)                                                         \
  tn_status tn_prim_##id(tn_sched *s, tn_prim_call *call) {                 \
    (void)s;                                                                \
    return TN_ERR(TN_UNSUPPORTED, "%s is not built yet", call->prim->name); \
  }

