/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Which parameters a function reads and writes: what the command line fills before a run and shows
 * after it, and what an executable tells about its kernels. A buffer is known by its pointer; views
 * of it (match_buffer, a pointer bound to a name) count, and what the functions do that get it.
 *
 * One walk of each function that can be reached notes which pointers are used how and which stand
 * for others ("whoever uses a uses b"); then the uses spread. */
#include "tir/tir.h"

typedef struct alias {
  uint32_t to;   /* id of a pointer */
  uint32_t next; /* 1 + index of another one of the same pointer; 0: none */
} alias;

typedef struct search {
  const tn_module *module;       /* NULL: a call may write everything it gets */
  TN_VEC(const tn_node *) funcs; /* to look at */
  tn_map is_known;               /* their ids */
  TN_VEC(alias) aliases;
  tn_map first; /* id of a pointer -> 1 + index of its newest alias */
  tn_map uses;  /* id of a pointer -> TN_PARAM_* */
  TN_VEC(uint32_t) spreading;
  bool is_alias; /* what note_var makes of a variable: an alias of `from`, or one with `use` */
  uint32_t from;
  uint64_t use;
} search;

static void mark(search *s, uint32_t id, uint64_t use) {
  uint64_t known = 0;
  (void)tn_map_find(&s->uses, id, &known);
  if ((known | use) != known) {
    tn_map_set(&s->uses, id, known | use);
    TN_VEC_PUSH(&s->spreading, id);
  }
}

static void add_alias(search *s, uint32_t from, uint32_t to) {
  uint64_t next = 0;
  (void)tn_map_find(&s->first, from, &next);
  TN_VEC_PUSH(&s->aliases, (alias){.to = to, .next = (uint32_t)next});
  tn_map_set(&s->first, from, s->aliases.len);
}

static tn_visit note_var(const tn_node *n, void *ctx) {
  search *s = ctx;
  if (tn_is(n, TN_OP_VAR) && s->is_alias) {
    add_alias(s, s->from, n->id);
  } else if (tn_is(n, TN_OP_VAR)) {
    mark(s, n->id, s->use);
  }
  return TN_DESCEND;
}

/* All pointers in `n` are used so. */
static void use_all(search *s, const tn_node *n, uint64_t use) {
  s->is_alias = false;
  s->use = use;
  (void)tn_walk_distinct(n, note_var, s);
}

/* What uses `pointer` uses all pointers in `n`. */
static void alias_all(search *s, const tn_node *pointer, const tn_node *n) {
  s->is_alias = true;
  s->from = pointer->id;
  (void)tn_walk_distinct(n, note_var, s);
}

static void add_func(search *s, const tn_node *func) {
  if (!tn_map_find(&s->is_known, func->id, NULL)) {
    tn_map_set(&s->is_known, func->id, 0);
    TN_VEC_PUSH(&s->funcs, func);
  }
}

static void look_at_call(search *s, const tn_node *call) {
  const tn_node *args = call->in[TN_INVOKE_ARGS];
  const tn_node *callee =
      s->module == NULL ? NULL : tn_module_find(s->module, call->in[TN_INVOKE_CALLEE]->attr.text);
  bool is_known = callee != NULL && tn_is(callee, TN_OP_PRIM_FUNC);
  for (uint32_t i = 0; i < args->n_in; ++i) {
    if (!tn_is(args->in[i], TN_OP_BUFFER) && !tn_dtype_is_handle(args->in[i]->dtype)) {
      continue;
    }
    if (is_known && i < callee->in[TN_PRIM_FUNC_PARAMS]->n_in) {
      alias_all(s, callee->in[TN_PRIM_FUNC_PARAMS]->in[i], args->in[i]);
    } else {
      use_all(s, args->in[i], TN_PARAM_READ | TN_PARAM_WRITTEN);
    }
  }
  if (is_known) {
    add_func(s, callee);
  }
}

static void read_pointers(search *s, const tn_node *call) {
  for (uint32_t i = 0; i < call->n_in; ++i) {
    if (tn_is(call->in[i], TN_OP_BUFFER) || tn_dtype_is_handle(call->in[i]->dtype)) {
      use_all(s, call->in[i], TN_PARAM_READ);
    }
  }
}

static tn_visit look(const tn_node *n, void *ctx) {
  search *s = ctx;
  switch ((tn_op)n->op) {
    case TN_OP_MATCH:
      alias_all(s, n->in[TN_MATCH_BUFFER]->in[TN_BUFFER_DATA],
                n->in[TN_MATCH_REGION]->in[TN_REGION_BUFFER]->in[TN_BUFFER_DATA]);
      return TN_SKIP;
    case TN_OP_BIND:
    case TN_OP_LET: /* variable and value stand in the same slots */
      if (tn_dtype_is_handle(n->in[TN_BIND_VAR]->dtype)) {
        alias_all(s, n->in[TN_BIND_VAR], n->in[TN_BIND_VALUE]);
      }
      return TN_DESCEND;
    case TN_OP_STORE:
      use_all(s, n->in[TN_STORE_BUFFER]->in[TN_BUFFER_DATA], TN_PARAM_WRITTEN);
      return TN_DESCEND;
    case TN_OP_LOAD:
      use_all(s, n->in[TN_LOAD_BUFFER]->in[TN_BUFFER_DATA], TN_PARAM_READ);
      return TN_DESCEND;
    case TN_OP_INVOKE:
      look_at_call(s, n);
      return TN_DESCEND;
    case TN_OP_INTRIN: {
      const tn_intrin *row = tn_intrin_of(n); /* a prefetch has an effect, but writes nothing */
      if (!row->def.is_pure && row->id != TN_INTRIN_PREFETCH) {
        use_all(s, n, TN_PARAM_READ | TN_PARAM_WRITTEN);
      } else {
        read_pointers(s, n);
      }
      return TN_DESCEND;
    }
    default:
      return TN_DESCEND;
  }
}

static void look_at_func(search *s, const tn_node *func) {
  const tn_node *buffers = func->in[TN_PRIM_FUNC_BUFFERS];
  for (uint32_t i = 0; i < buffers->n_in; ++i) {
    if (!tn_is_none(buffers->in[i])) {
      alias_all(s, buffers->in[i]->in[TN_BUFFER_DATA], func->in[TN_PRIM_FUNC_PARAMS]->in[i]);
    }
  }
  (void)tn_walk_distinct(func->in[TN_PRIM_FUNC_BODY], look, s);
}

static void spread(search *s) {
  while (s->spreading.len > 0) {
    uint32_t id = TN_VEC_POP(&s->spreading);
    uint64_t at = 0;
    uint64_t use = 0;
    (void)tn_map_find(&s->first, id, &at);
    (void)tn_map_find(&s->uses, id, &use);
    for (; at != 0; at = s->aliases.data[at - 1].next) {
      mark(s, s->aliases.data[at - 1].to, use);
    }
  }
}

void tn_tir_param_uses(const tn_module *module, const tn_node *func, uint8_t *out_uses) {
  search s = {.module = module};
  const tn_node *params = func->in[TN_PRIM_FUNC_PARAMS];
  add_func(&s, func);
  for (size_t i = 0; i < s.funcs.len; ++i) {
    look_at_func(&s, s.funcs.data[i]);
  }
  spread(&s);
  for (uint32_t i = 0; i < params->n_in; ++i) {
    uint64_t use = 0;
    bool has_buffer = !tn_is_none(func->in[TN_PRIM_FUNC_BUFFERS]->in[i]);
    (void)(has_buffer && tn_map_find(&s.uses, params->in[i]->id, &use));
    out_uses[i] = (uint8_t)use;
  }
  TN_VEC_DEINIT(&s.funcs);
  tn_map_deinit(&s.is_known);
  TN_VEC_DEINIT(&s.aliases);
  tn_map_deinit(&s.first);
  tn_map_deinit(&s.uses);
  TN_VEC_DEINIT(&s.spreading);
}
