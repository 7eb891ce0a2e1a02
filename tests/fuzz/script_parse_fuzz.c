/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: ops */
/* with: mutate.c */
/* The reader of TVMScript on any text, in the dialect that the text itself says: it
 * reports, never crashes, hangs or eats memory, and what it accepts prints as TVMScript and reads
 * back equal. */
#include "fuzz/fuzz_text.h"

void fuzz_one(const uint8_t *bytes, size_t n_bytes) { fuzz_text("fuzz.py", bytes, n_bytes); }
