/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What the fuzz targets share. A target is a file <room>_<reader>_fuzz.c with fuzz_one; fuzz.c is
 * the door around it, which measures. Built for libFuzzer (make fuzz) it searches, built with
 * replay.c (every other preset) it runs the corpus as a test. */
#ifndef TN_TESTS_FUZZ_H
#define TN_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

/// Gives one input to the reader. A finding is an abort (fuzz_fail), a signal, a sanitizer's
/// report, or more than fuzz_max_cpu_s.
void fuzz_one(const uint8_t *bytes, size_t n_bytes);

/// What libFuzzer calls: fuzz_one under the limit of time.
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes);

/// Says what is wrong and aborts.
TN_NORETURN void fuzz_fail(const char *fmt, ...) TN_PRINTF(1, 2);

#endif
