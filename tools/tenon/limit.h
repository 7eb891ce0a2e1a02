/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The speed of light of a model on a machine: the least time in which its operations, as they are
 * written, can be done and its memory be read and written once, whichever is longer. */
#ifndef TN_TOOLS_LIMIT_H
#define TN_TOOLS_LIMIT_H

#include "session.h"
#include "tenon/bench.h"

/// What a run of a model cannot do without.
typedef struct limit_work {
  double flops; ///< a multiply-add is two; < 0: not known, and the limit is not either
  double bytes; ///< of its constants, arguments and results, each once; tensors between operators
                ///< need no memory in principle, and count nothing
} limit_work;

/// answer: what a call of `s` gave. A compiled file has no operations to count: flops < 0.
tn_status limit_count(const session *s, const tn_compile_opts *opts, const tn_arg *answer,
                      limit_work *out_work);
/// Microseconds on so many threads; 0: not known. yardstick_gflops: of one core beside the
/// measurement; the larger of it and the kept peak counts. is_cold: no cache holds anything.
double limit_us(const limit_work *work, const tn_peak *peak, int32_t n_threads,
                double yardstick_gflops, bool is_cold);

#endif
