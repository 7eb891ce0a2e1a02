/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Names of handles in printed traces: a letter for what it is, and a number that counts them all. */
#ifndef TN_SCRIPT_SCHED_NAMES_H
#define TN_SCRIPT_SCHED_NAMES_H

#include "base/buf.h"
#include "sched/sched.h"

typedef struct tn_trace_names {
  uint32_t n;
  tn_map numbers; /* id of a handle -> its number; the newest when a handle came twice */
  tn_map kinds;   /* id of a handle -> 'b', 'l' or 'v' */
} tn_trace_names;

void tn_trace_names_deinit(tn_trace_names *names);
/// Names the handles of a step's result.
void tn_trace_names_add(tn_trace_names *names, const tn_sched *sched, const tn_node *out);
/// Appends the name of a handle; false, and nothing, when it has none.
bool tn_trace_name(const tn_trace_names *names, const tn_node *handle, tn_buf *out);
/// The steps of TVM that change a program without proof, which are read and refused; NULL past the
/// last.
const char *tn_unsafe_step(uint32_t i);
/// Does a primitive keep this argument with its type, as annotations do?
bool tn_trace_is_value(const tn_prim_param *p);
/// Is a number of the type that it gets when it is read without one?
bool tn_trace_is_plain(const tn_node *number);
/// Appends a value as a script writes it, with is_typed numbers as T.int8(3) where 3 alone is read
/// as another type. names may be NULL.
void tn_trace_print_value(const tn_trace_names *names, const tn_node *v, bool is_typed,
                          tn_buf *out);
/// Appends a FLOAT, which can be told from a whole number.
void tn_trace_print_float(const tn_node *v, tn_buf *out);
/// Appends the lambda of an index map.
void tn_trace_print_map(const tn_node *map, tn_buf *out);

#endif
