/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Compiler attributes, spelled once. */
#ifndef TN_BASE_ATTR_H
#define TN_BASE_ATTR_H

#define TN_MUST_USE __attribute__((warn_unused_result))
#define TN_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#define TN_NORETURN __attribute__((noreturn))
#define TN_UNUSED __attribute__((unused))

#endif
