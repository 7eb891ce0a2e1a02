/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Primitives that are read but not built yet; each is refused by name. */
#include "sched/sched_priv.h"

#define NOT_YET(id)                                                         \
  tn_status tn_prim_##id(tn_sched *s, tn_prim_call *call) {                 \
    (void)s;                                                                \
    return TN_ERR(TN_UNSUPPORTED, "%s is not built yet", call->prim->name); \
  }

NOT_YET(sample_categorical)
NOT_YET(sample_perfect_tile)
NOT_YET(sample_partitioned_tile)
NOT_YET(sample_compute_location)
NOT_YET(loop_partition)
NOT_YET(merge)
NOT_YET(cache_inplace)
NOT_YET(cache_index)
NOT_YET(read_at)
NOT_YET(write_at)
NOT_YET(blockize)
NOT_YET(tensorize)
NOT_YET(pad_einsum)
NOT_YET(decompose_padding)
NOT_YET(can_decompose_padding)
NOT_YET(rolling_buffer)
