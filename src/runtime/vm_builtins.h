/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Functions that the compiler calls by the names "vm.builtin.*" where the machine has no instruction. */
#ifndef TN_RUNTIME_VM_BUILTINS_H
#define TN_RUNTIME_VM_BUILTINS_H

#include "tenon/runtime.h"

/// The callback of that name, or NULL. Static.
tn_callback tn_vm_builtin_find(const char *name);
/// The same of those that work with lists (vm_lists.c).
tn_callback tn_vm_list_find(const char *name);

#endif
