/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Errors are values: every function that can fail returns a tn_status. */
#ifndef TN_TENON_STATUS_H
#define TN_TENON_STATUS_H

#include "tenon/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Why an operation failed. TN_OK is the code of a NULL status.
typedef enum tn_code {
  TN_OK = 0,
  TN_INVALID = 1,     ///< the user's input breaks a rule
  TN_NOT_FOUND = 2,   ///< a name, file or function does not exist
  TN_UNSUPPORTED = 3, ///< understood, and not done by this version or target
  TN_IO = 4,          ///< the operating system refused
  TN_CORRUPT = 5,     ///< a file contradicts itself
  TN_TIMEOUT = 6,     ///< a time limit passed
  TN_CANCELLED = 7,   ///< stopped on request
  TN_NO_MEMORY = 8,   ///< an allocation or an arena limit
  TN_REMOTE = 9,      ///< the other side of a connection failed
  TN_EXISTS = 10,     ///< the name is taken
  TN_INTERNAL = 11    ///< a bug of Tenon's own
} tn_code;

/// NULL means success; anything else is owned by the receiver and freed with tn_status_free.
typedef struct tn_status_record *tn_status;

/// The code of `st`; TN_OK for NULL.
TN_API tn_code tn_status_code(tn_status st);

/// The message, outermost context first, frames joined by ": ". Borrowed from `st`; "" for NULL.
TN_API const char *tn_status_message(tn_status st);

/// A short name such as "invalid argument"; static storage.
TN_API const char *tn_code_name(tn_code code);

/// A status of the caller's own, for callbacks that fail: `message` is copied. code must not be TN_OK.
TN_API tn_status tn_status_make(tn_code code, const char *message);

/// Frees `st`; NULL is fine.
TN_API void tn_status_free(tn_status st);

#ifdef __cplusplus
}
#endif
#endif
