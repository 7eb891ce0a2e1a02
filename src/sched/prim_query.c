/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Primitives that only look: they turn names and places into handles. */
#include <string.h>

#include "sched/sched_priv.h"

typedef TN_VEC(const tn_node *) node_list;

static const tn_node *take_list(tn_ir *ir, node_list *list) {
  const tn_node *out = tn_list(ir, (uint32_t)list->len, list->data);
  TN_VEC_DEINIT(list);
  return out;
}

/* The function that get_block looks into when none is named. */
static tn_status default_func(tn_sched *s, const char **out_name) {
  const char *only = NULL;
  uint32_t n = 0;
  for (uint32_t i = 0; i < s->module.n_funcs; ++i) {
    if (tn_is(s->module.funcs[i].func, TN_OP_PRIM_FUNC)) {
      only = s->module.funcs[i].name;
      ++n;
      if (strcmp(only, "main") == 0) {
        break;
      }
    }
  }
  if (s->work_on != NULL) {
    only = s->work_on;
  } else if (n != 1 && (only == NULL || strcmp(only, "main") != 0)) {
    return TN_ERR(TN_INVALID, "the module has %u loop functions; say which one: func_name=", n);
  }
  *out_name = only;
  return NULL;
}

static tn_status no_block(const tn_tree *tree, const char *name) {
  TN_VEC(const char *) names = {0};
  tn_buf text = TN_BUF_INIT;
  for (size_t i = 0; i < tree->blocks.len; ++i) {
    const char *one = tree->blocks.data[i]->in[TN_BLOCK_LABEL]->attr.text;
    TN_VEC_PUSH(&names, one);
    tn_buf_printf(&text, "%s%s", i == 0 ? "" : ", ", one);
  }
  const char *near = tn_near_name(name, names.data, names.len);
  tn_status st = near != NULL ? TN_ERR(TN_NOT_FOUND, "%s has no block '%s'; did you mean '%s'?",
                                       tree->name, name, near)
                              : TN_ERR(TN_NOT_FOUND, "%s has no block '%s'; it has: %s", tree->name,
                                       name, tn_buf_text(&text));
  tn_buf_deinit(&text);
  TN_VEC_DEINIT(&names);
  return st;
}

tn_status tn_prim_get_block(tn_sched *s, tn_prim_call *call) {
  const char *name = call->args[0]->attr.text;
  const char *func = tn_is_none(call->args[1]) ? NULL : call->args[1]->attr.text;
  if (func == NULL) {
    TN_TRY(default_func(s, &func));
  }
  const tn_tree *tree = tn_sched_tree_of(s, func);
  if (tree == NULL) {
    return TN_ERR(TN_NOT_FOUND, "the module has no loop function '%s'", func);
  }
  uint32_t n = 0;
  for (size_t i = 0; i < tree->blocks.len; ++i) {
    const tn_node *label = tree->blocks.data[i]->in[TN_BLOCK_LABEL];
    if (strcmp(label->attr.text, name) == 0) {
      call->out = label;
      ++n;
    }
  }
  if (n == 0) {
    return no_block(tree, name);
  }
  if (n > 1) {
    return TN_ERR(TN_INVALID, "%s has %u blocks '%s'; give them different names", func, n, name);
  }
  return NULL;
}

tn_status tn_prim_get_loops(tn_sched *s, tn_prim_call *call) {
  const tn_tree *tree = tn_sched_tree(s, call->args[0]);
  const tn_node *loops[TN_SCHED_MAX_LOOPS];
  uint32_t n = tn_tree_loops(tree, tn_tree_site(tree, call->args[0]), loops);
  for (uint32_t i = 0; i < n; ++i) {
    loops[i] = loops[i]->in[TN_FOR_VAR];
  }
  call->out = tn_list(s->ir, n, loops);
  return NULL;
}

static void add_labels(node_list *list, const tn_node *block_or_loop) {
  uint32_t n = tn_tree_child_blocks(block_or_loop, 0, NULL);
  const tn_node **blocks = calloc(n + 1, sizeof *blocks);
  TN_CHECK(blocks != NULL, "out of memory");
  tn_tree_child_blocks(block_or_loop, n, blocks);
  for (uint32_t i = 0; i < n; ++i) {
    TN_VEC_PUSH(list, blocks[i]->in[TN_BLOCK_LABEL]);
  }
  free(blocks);
}

tn_status tn_prim_get_child_blocks(tn_sched *s, tn_prim_call *call) {
  node_list list = {0};
  const tn_tree *tree = tn_sched_tree(s, call->args[0]);
  add_labels(&list, tn_tree_site(tree, call->args[0]));
  call->out = take_list(s->ir, &list);
  return NULL;
}

static const tn_node *labels_of(tn_sched *s, const tn_node *block, bool are_producers) {
  const tn_node *found[TN_SCHED_MAX_BLOCKS];
  const tn_tree *tree = tn_sched_tree(s, block);
  const tn_node *site = tn_tree_site(tree, block);
  uint32_t n = are_producers ? tn_block_producers(tree, site, TN_SCHED_MAX_BLOCKS, found)
                             : tn_block_consumers(tree, site, TN_SCHED_MAX_BLOCKS, found);
  for (uint32_t i = 0; i < n; ++i) {
    found[i] = found[i]->in[TN_BLOCK_LABEL];
  }
  return tn_list(s->ir, n, found);
}

tn_status tn_prim_get_producers(tn_sched *s, tn_prim_call *call) {
  call->out = labels_of(s, call->args[0], true);
  return NULL;
}

tn_status tn_prim_get_consumers(tn_sched *s, tn_prim_call *call) {
  call->out = labels_of(s, call->args[0], false);
  return NULL;
}

tn_status tn_prim_get_output_blocks(tn_sched *s, tn_prim_call *call) {
  tn_prim_call inner = {.args = (const tn_node *[]){call->args[0], tn_none(s->ir)}};
  const tn_node *label = call->args[0];
  node_list list = {0};
  if (tn_is(label, TN_OP_STR)) {
    TN_TRY(tn_prim_get_block(s, &inner));
    label = inner.out;
  }
  const tn_tree *tree = tn_sched_tree(s, label);
  const tn_node *scope = tn_tree_site(tree, label);
  for (size_t i = 0; i < tree->blocks.len; ++i) {
    const tn_node *block = tree->blocks.data[i];
    if (tn_tree_scope(tree, block) == scope && tn_block_is_output(tree, block)) {
      TN_VEC_PUSH(&list, block->in[TN_BLOCK_LABEL]);
    }
  }
  call->out = take_list(s->ir, &list);
  return NULL;
}

tn_status tn_prim_enter_postproc(tn_sched *s, tn_prim_call *call) {
  (void)s;
  (void)call;
  return NULL;
}
