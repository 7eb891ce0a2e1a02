/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Constants that TVM prints beside a program: #[metadata] below Relay text, metadata =
 * tvm.ir.load_json(...) above TVMScript. It is a graph of JSON nodes, whose root maps kinds to
 * lists; the node of a constant names one of the texts of "b64ndarrays", each an array in base64:
 *
 *   u64 magic, u64 reserved, device (i32 kind, i32 number), i32 ndim, dtype (u8 code, u8 bits,
 *   u16 lanes), i64 extents, i64 number of bytes, the elements; little-endian. */
#ifndef TN_SCRIPT_METADATA_H
#define TN_SCRIPT_METADATA_H

#include "base/array.h"
#include "base/status.h"

typedef struct tn_metadata tn_metadata;

/// text: borrowed for the call. CORRUPT where it is no JSON; UNSUPPORTED for the form of 2025.
TN_MUST_USE tn_status tn_metadata_parse(const char *text, size_t len, tn_metadata **out_meta);
void tn_metadata_free(tn_metadata *meta);
/// Constant `index` of a kind, "relay.Constant" or "relax.expr.Constant". out: the caller's.
/// NOT_FOUND, CORRUPT, UNSUPPORTED say what is wrong with which.
TN_MUST_USE tn_status tn_metadata_load(const tn_metadata *meta, const char *kind, int64_t index,
                                       tn_array *out);

#endif
