/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* tenon bench --profile: how a model's time is spread over its kernels. */
#ifndef TN_TOOLS_PROFILE_H
#define TN_TOOLS_PROFILE_H

#include "session.h"

/// Calls the function some times and prints its kernels, those that took longest first. Errors: as
/// a call; INVALID when it is interpreted.
tn_status profile_run(session *s, int32_t n_runs, bool is_json);

#endif
