/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The attribute "target" of loop functions. A program is compiled for one target; a function that
 * names one of the same architecture that has no more than it gets code that suits it too, and any
 * other is refused: code for another machine than the text asks for would be a silent mistake. */
#include <string.h>

#include "driver/driver_priv.h"
#include "tir/tir.h"

/* T.target("llvm -mcpu=skylake"), T.target({"kind": "llvm", "mcpu": "skylake"}) as one text. */
static void text_of(const tn_node *config, tn_buf *out) {
  static const char *const options[] = {"mcpu", "mtriple"};
  if (config->op == TN_OP_STR) {
    tn_buf_puts(out, config->attr.text);
    return;
  }
  const tn_node *kind = config->op == TN_OP_DICT ? tn_dict_find(config, "kind") : NULL;
  tn_buf_puts(out, kind != NULL && kind->op == TN_OP_STR ? kind->attr.text : "?");
  for (size_t i = 0; kind != NULL && i < sizeof options / sizeof *options; ++i) {
    const tn_node *value = tn_dict_find(config, options[i]);
    if (value != NULL && value->op == TN_OP_STR) {
      tn_buf_printf(out, " -%s=%s", options[i], value->attr.text);
    }
  }
}

/* Of one architecture, and not after it in the table, where the most capable stands last. */
static bool is_within(const tn_target *wanted, const tn_target *target) {
  uint32_t n = 0;
  const tn_target *const *all = tn_target_all(&n);
  size_t n_arch = strcspn(target->triple, "-") + 1;
  for (uint32_t i = 0; i < n && all[i] != target; ++i) {
    if (all[i] == wanted) {
      return strncmp(wanted->triple, target->triple, n_arch) == 0;
    }
  }
  return wanted == target;
}

static tn_status check_one(const char *name, const char *text, const tn_target *target) {
  const tn_target *wanted = NULL;
  if (strcmp(text, "llvm") == 0) { /* any that there is code for */
    return NULL;
  }
  tn_status st = tn_target_find(text, &wanted);
  if (st != NULL) {
    tn_status_free(st);
    return TN_ERR(TN_UNSUPPORTED,
                  "function '%s' is for target '%s', and there is no code for that target", name,
                  text);
  }
  return is_within(wanted, target)
             ? NULL
             : TN_ERR(TN_UNSUPPORTED,
                      "function '%s' is for target '%s' (%s), and the program is compiled for '%s'",
                      name, text, wanted->name, target->name);
}

tn_status tn_driver_check_targets(const tn_module *module, const tn_target *target) {
  tn_status st = NULL;
  tn_buf text = TN_BUF_INIT;
  for (uint32_t i = 0; i < module->n_funcs && st == NULL; ++i) {
    const tn_node *func = module->funcs[i].func;
    const tn_node *attr =
        tn_is(func, TN_OP_PRIM_FUNC) ? tn_dict_find(func->in[TN_PRIM_FUNC_ATTRS], "target") : NULL;
    if (attr != NULL && (attr->op == TN_OP_TARGET || attr->op == TN_OP_STR)) {
      tn_buf_clear(&text);
      text_of(attr->op == TN_OP_TARGET ? attr->in[TN_TARGET_CONFIG] : attr, &text);
      st = check_one(module->funcs[i].name, tn_buf_text(&text), target);
    }
  }
  tn_buf_deinit(&text);
  return st;
}
