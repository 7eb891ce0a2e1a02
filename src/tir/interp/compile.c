/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The interpreter's compiler: slots, scopes and instructions, and the head of a function: its
 * parameters, the sizes that their shapes bind, and the checks of what is then known twice.
 * Expressions and statements stand beside it. */
#include <stdlib.h>
#include <string.h>

#include "tir/interp/interp_priv.h"

/* ---- slots and instructions ---- */

int32_t tn_icomp_temp(tn_icomp *c) {
  int32_t slot = c->top++;
  if (c->top > c->prog->n_slots) {
    c->prog->n_slots = c->top;
  }
  return slot;
}

int32_t tn_icomp_const(tn_icomp *c, tn_ireg value) {
  uint64_t at = 0;
  if (!tn_map_find(&c->const_at, value.u, &at)) {
    at = c->prog->consts.len;
    TN_VEC_PUSH(&c->prog->consts, value);
    tn_map_set(&c->const_at, value.u, at);
  }
  return -1 - (int32_t)at;
}

int32_t tn_icomp_emit(tn_icomp *c, tn_iop op, uint32_t x, int32_t d, int32_t a, int32_t b,
                      int32_t c_operand) {
  TN_ASSERT(x <= UINT16_MAX, "operand x %u", x);
  tn_ins ins = {.op = (uint16_t)op, .x = (uint16_t)x, .d = d, .a = a, .b = b, .c = c_operand};
  TN_VEC_PUSH(&c->prog->code, ins);
  TN_VEC_PUSH(&c->prog->places, c->place);
  if (c->prog->is_checked) {
    TN_VEC_PUSH(&c->prog->where_at, c->where);
  }
  return (int32_t)c->prog->code.len - 1;
}

void tn_icomp_land(tn_icomp *c, int32_t ins) {
  c->prog->code.data[ins].c = (int32_t)c->prog->code.len;
}

int32_t tn_icomp_text(tn_icomp *c, const char *text) {
  const char *copy = tn_arena_strndup(&c->prog->arena, text, strlen(text));
  TN_VEC_PUSH(&c->prog->texts, copy);
  return (int32_t)c->prog->texts.len - 1;
}

/* ---- scopes ---- */

tn_iscope tn_icomp_enter(const tn_icomp *c) {
  return (tn_iscope){
      .n_bound = c->bound.len, .n_vals = c->vals.len, .n_slots = c->slots.len, .top = c->top};
}

void tn_icomp_leave(tn_icomp *c, tn_iscope scope) {
  while (c->bound.len > scope.n_bound) {
    c->memo[TN_VEC_POP(&c->bound)->id] = 0;
  }
  c->vals.len = scope.n_vals;
  c->slots.len = scope.n_slots;
  c->top = scope.top;
}

void tn_icomp_bind(tn_icomp *c, const tn_node *n, tn_ival value) {
  value.epoch = c->epoch;
  TN_VEC_PUSH(&c->vals, value);
  TN_VEC_PUSH(&c->bound, n);
  c->memo[n->id] = (uint32_t)c->vals.len;
}

void tn_icomp_bind_slot(tn_icomp *c, const tn_node *n, int32_t slot) {
  tn_icomp_bind(c, n, tn_icomp_slot_value(c, slot));
}

bool tn_icomp_is_bound(const tn_icomp *c, const tn_node *n) { return c->memo[n->id] != 0; }

tn_ival tn_icomp_new_value(tn_icomp *c, uint32_t lanes) {
  tn_ival value = {.lanes = lanes, .first = (uint32_t)c->slots.len};
  for (uint32_t i = 0; i < lanes; ++i) {
    TN_VEC_PUSH(&c->slots, tn_icomp_temp(c));
  }
  return value;
}

tn_ival tn_icomp_slot_value(tn_icomp *c, int32_t slot) {
  TN_VEC_PUSH(&c->slots, slot);
  return (tn_ival){.lanes = 1, .first = (uint32_t)c->slots.len - 1};
}

tn_status tn_icomp_error(const tn_icomp *c, tn_code code, const char *fmt, ...) {
  tn_buf text = TN_BUF_INIT;
  va_list args;
  va_start(args, fmt);
  tn_buf_vprintf(&text, fmt, args);
  va_end(args);
  tn_status st = TN_ERR(code, "%s: %s", c->prog->func->attr.text, tn_buf_text(&text));
  tn_buf_deinit(&text);
  return st;
}

/* ---- parameters ---- */

/* "B.shape[0] of argument 1" */
static int32_t arg_text(tn_icomp *c, const tn_node *buffer, const char *member, int64_t dim,
                        uint32_t arg) {
  tn_buf text = TN_BUF_INIT;
  tn_buf_printf(&text, "%s.%s", buffer->attr.text, member);
  if (dim >= 0) {
    tn_buf_printf(&text, "[%lld]", (long long)dim);
  }
  tn_buf_printf(&text, " of argument %u", arg);
  int32_t at = tn_icomp_text(c, tn_buf_text(&text));
  tn_buf_deinit(&text);
  return at;
}

/* The value of a size as the argument has it. */
static int32_t arg_value(tn_icomp *c, tn_iop op, uint32_t arg, uint32_t dim) {
  int32_t slot = tn_icomp_temp(c);
  tn_icomp_emit(c, op, 0, slot, (int32_t)arg, (int32_t)dim, 0);
  return slot;
}

/* A variable met for the first time takes the argument's value. */
static bool bind_size(tn_icomp *c, const tn_node *size, tn_iop op, uint32_t arg, uint32_t dim) {
  if (!tn_is(size, TN_OP_VAR) || tn_icomp_is_bound(c, size)) {
    return false;
  }
  int32_t got = arg_value(c, op, arg, dim);
  int32_t slot = tn_icomp_temp(c);
  tn_icomp_emit(c, TN_IOP_MOV, 0, slot, got, 0, 0);
  tn_icomp_norm(c, size->dtype, slot);
  tn_icomp_bind_slot(c, size, slot);
  return true;
}

static void bind_sizes(tn_icomp *c, const tn_node *buffer, uint32_t arg) {
  const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
  const tn_node *strides = buffer->in[TN_BUFFER_STRIDES];
  const tn_node *elem_offset = buffer->in[TN_BUFFER_ELEM_OFFSET];
  for (uint32_t i = 0; i < shape->n_in; ++i) {
    bind_size(c, shape->in[i], TN_IOP_ARG_EXTENT, arg, i);
  }
  for (uint32_t i = 0; i < strides->n_in; ++i) {
    bind_size(c, strides->in[i], TN_IOP_ARG_STRIDE, arg, i);
  }
  if (tn_is(elem_offset, TN_OP_VAR) && !tn_icomp_is_bound(c, elem_offset)) {
    tn_icomp_bind_slot(c, elem_offset, tn_icomp_const_i(c, 0));
  }
}

static tn_status check_size(tn_icomp *c, const tn_node *size, int32_t got, int32_t text) {
  int32_t expected = 0;
  TN_TRY(tn_icomp_scalar(c, size, &expected));
  tn_icomp_emit(c, TN_IOP_CHECK_ARG, 0, 0, expected, got, text);
  return NULL;
}

/* Every size is compared, also the ones just bound: an extent that the variable's type cannot hold
 * shows here. */
static tn_status check_sizes(tn_icomp *c, const tn_node *buffer, uint32_t arg) {
  const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
  const tn_node *strides = buffer->in[TN_BUFFER_STRIDES];
  for (uint32_t i = 0; i < shape->n_in; ++i) {
    int32_t got = arg_value(c, TN_IOP_ARG_EXTENT, arg, i);
    TN_TRY(check_size(c, shape->in[i], got, arg_text(c, buffer, "shape", i, arg)));
  }
  for (uint32_t i = 0; i < strides->n_in; ++i) {
    int32_t got = arg_value(c, TN_IOP_ARG_STRIDE, arg, i);
    TN_TRY(check_size(c, strides->in[i], got, arg_text(c, buffer, "strides", i, arg)));
  }
  return check_size(c, buffer->in[TN_BUFFER_ELEM_OFFSET], tn_icomp_const_i(c, 0),
                    arg_text(c, buffer, "elem_offset", -1, arg));
}

static bool is_pointer(const tn_icomp *c, uint32_t i) {
  return c->prog->is_pointer != NULL && c->prog->is_pointer[i];
}

static tn_status bind_params(tn_icomp *c) {
  const tn_node *params = c->prog->func->in[TN_PRIM_FUNC_PARAMS];
  const tn_node *buffers = c->prog->func->in[TN_PRIM_FUNC_BUFFERS];
  for (uint32_t i = 0; i < params->n_in; ++i) { /* slot i and memory i: run.c fills them */
    tn_icomp_bind_slot(c, params->in[i], tn_icomp_temp(c));
    TN_VEC_PUSH(&c->prog->mems, NULL);
  }
  for (uint32_t i = 0; i < params->n_in; ++i) {
    if (tn_is(buffers->in[i], TN_OP_BUFFER)) {
      const tn_node *data = buffers->in[i]->in[TN_BUFFER_DATA];
      if (!tn_icomp_is_bound(c, data)) {
        tn_icomp_bind_slot(c, data, (int32_t)i);
      }
      if (!is_pointer(c, i)) {
        bind_sizes(c, buffers->in[i], i);
      }
    }
  }
  for (uint32_t i = 0; i < params->n_in; ++i) {
    if (tn_is(buffers->in[i], TN_OP_BUFFER)) {
      TN_TRY(is_pointer(c, i) ? NULL : check_sizes(c, buffers->in[i], i));
      TN_TRY(tn_icomp_set_buffer(c, buffers->in[i]));
    }
  }
  for (uint32_t i = 0; i < params->n_in; ++i) {
    const tn_node *data =
        tn_is_none(buffers->in[i]) ? params->in[i] : buffers->in[i]->in[TN_BUFFER_DATA];
    TN_TRY(tn_icomp_set_loose(c, data));
  }
  return NULL;
}

/* ---- buffers that lowered code uses without a DECL ---- */

typedef struct loose_ctx {
  tn_icomp *c;
  tn_map declared;
} loose_ctx;

static void declare(loose_ctx *l, const tn_node *list) {
  for (uint32_t i = 0; i < list->n_in; ++i) {
    const tn_node *buffer =
        tn_is(list->in[i], TN_OP_MATCH) ? list->in[i]->in[TN_MATCH_BUFFER] : list->in[i];
    tn_map_set(&l->declared, buffer->id, 1);
  }
}

static void collect_declared(const tn_node *n, void *ctx) {
  loose_ctx *l = ctx;
  if (tn_is(n, TN_OP_DECL)) {
    tn_map_set(&l->declared, n->in[0]->id, 1);
  } else if (tn_is(n, TN_OP_BLOCK)) {
    declare(l, n->in[TN_BLOCK_ALLOCS]);
    declare(l, n->in[TN_BLOCK_MATCHES]);
  } else if (tn_is(n, TN_OP_PRIM_FUNC)) {
    declare(l, n->in[TN_PRIM_FUNC_BUFFERS]);
  }
}

static void collect_loose(const tn_node *n, void *ctx) {
  loose_ctx *l = ctx;
  if (tn_is(n, TN_OP_BUFFER) && !tn_map_find(&l->declared, n->id, NULL)) {
    TN_VEC_PUSH(&l->c->loose, n);
  }
}

tn_status tn_icomp_func(tn_icomp *c) {
  loose_ctx l = {.c = c};
  c->place = c->prog->func;
  tn_walk_once(c->prog->ir, c->prog->func, collect_declared, &l);
  tn_walk_once(c->prog->ir, c->prog->func, collect_loose, &l);
  tn_map_deinit(&l.declared);
  TN_TRY(bind_params(c));
  TN_TRY(tn_icomp_stmt(c, c->prog->func->in[TN_PRIM_FUNC_BODY]));
  tn_icomp_emit(c, TN_IOP_HALT, 0, 0, 0, 0, 0);
  return NULL;
}
