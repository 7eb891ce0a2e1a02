/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* with: mutate.c */
/* Any text as a schedule script, or as a JSON trace when it begins with '[', on a small program: it
 * is refused with a message, or the program that comes out is valid, and its trace does the same
 * again, as script and as JSON. */
#include "fuzz/fuzz_sched.h"

void fuzz_one(const uint8_t *bytes, size_t n_bytes) { fuzz_sched(bytes, n_bytes); }
