/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The host side of tn_env: what a kernel may ask for, and the record of why it refused. One tn_call
 * serves any number of kernel calls, one after the other; the machine makes one for each run. */
#ifndef TN_RUNTIME_KERNEL_CALL_H
#define TN_RUNTIME_KERNEL_CALL_H

#include <stdatomic.h>

#include "runtime/context.h"

typedef struct tn_call {
  tn_env env;     /* given to kernels */
  tn_env serial;  /* given to the pieces of a parallel loop: loops inside run serially */
  tn_runtime *rt; /* borrowed */
  _Atomic(int32_t) is_claimed; /* whoever sets it writes the record */
  int32_t code;
  const char *text;
  int64_t expected;
  int64_t got;
  tn_status packed_error; /* why a call by name failed; owned */
} tn_call;

void tn_call_init(tn_call *call, tn_runtime *rt);
/// Makes the status of a call that returned `code`, and clears the record for the next one. NULL
/// for code 0.
TN_MUST_USE tn_status tn_call_status(tn_call *call, int32_t code, const char *signature);
/// Makes kernel arguments of values: tensor and text objects become plain. INVALID for what no
/// kernel takes and for tensors of a device other than the cpu; `signature` is for the message.
TN_MUST_USE tn_status tn_call_lower_arg(tn_call *call, const char *signature, int32_t index,
                                        const tn_arg *value, tn_arg *out_arg);

#endif
