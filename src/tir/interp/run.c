/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The interpreter's machine: one switch over the rows of ops.def, and the errors that running can
 * find. */
#include <math.h>
#include <string.h>

#include "tir/interp/check_priv.h"
#include "tir/interp/num.h"
#include "tir/math/math.h"

enum { NOWHERE = -1 };

/* Where the accessed element lies, from the buffer's memory on; NOWHERE when an index leaves its
 * extent or the memory ends before. The arithmetic is unsigned: strides may be anything, and what
 * wraps is caught by the last test. */
static inline uint64_t place(const tn_ivm *vm, const tn_ireg *r, const tn_ins *in) {
  const tn_ibuf *buf = &vm->bufs[in->a];
  uint64_t at = (uint64_t)buf->offset;
  if (in->x <= 2) {
    if (in->x >= 1) {
      int64_t i = r[in->b].i;
      if ((uint64_t)i >= (uint64_t)buf->dims[0].extent) {
        return (uint64_t)NOWHERE;
      }
      at += (uint64_t)i * (uint64_t)buf->dims[0].stride;
    }
    if (in->x == 2) {
      int64_t i = r[in->c].i;
      if ((uint64_t)i >= (uint64_t)buf->dims[1].extent) {
        return (uint64_t)NOWHERE;
      }
      at += (uint64_t)i * (uint64_t)buf->dims[1].stride;
    }
  } else {
    for (uint32_t k = 0; k < in->x; ++k) {
      int64_t i = r[vm->lists[in->b + (int32_t)k]].i;
      if ((uint64_t)i >= (uint64_t)buf->dims[k].extent) {
        return (uint64_t)NOWHERE;
      }
      at += (uint64_t)i * (uint64_t)buf->dims[k].stride;
    }
  }
  return at < buf->n_ok ? at : (uint64_t)NOWHERE;
}

static tn_status zero_divisor(const tn_ivm *vm, const tn_ins *in) {
  return tn_ivm_error(vm, in, "division-by-zero", "integer division by zero");
}

#define D r[in->d]
#define A r[in->a]
#define B r[in->b]
#define C r[in->c]
#define JUMP(target) in = code + (target)-1
#define FAIL(status) return (status)
#define FAIL_IF(status) TN_TRY(status)
#define CHECK_ZERO               \
  if (B.u == 0) {                \
    return zero_divisor(vm, in); \
  }
#define PLACE                         \
  uint64_t offset = place(vm, r, in); \
  if (offset == (uint64_t)NOWHERE) {  \
    return tn_ivm_bad_access(vm, in); \
  }
#define ADDRESS(n_bytes) PLACE char *at = vm->bufs[in->a].data + offset;
/* Elements of 4 bits are counted, not bytes. */
#define NIBBLE()                                         \
  PLACE uint8_t *data = (uint8_t *)vm->bufs[in->a].data; \
  uint64_t at = offset;
#define WRITABLE(n_bytes)             \
  ADDRESS(n_bytes)                    \
  if (vm->bufs[in->a].is_const) {     \
    return tn_ivm_bad_access(vm, in); \
  }

tn_status tn_ivm_run(tn_ivm *vm) {
  tn_ireg *r = vm->slots;
  const tn_ins *code = vm->prog->code.data;
  for (const tn_ins *in = code;; ++in) {
    switch ((tn_iop)in->op) {
#define X(name, ...)    \
  case TN_IOP_##name: { \
    __VA_ARGS__;        \
    break;              \
  }
#include "tir/interp/ops.def"
#undef X
    }
  }
}

/* ---- errors ---- */

tn_status tn_ivm_error(const tn_ivm *vm, const tn_ins *in, const char *id, const char *fmt, ...) {
  tn_diags diags = {0};
  tn_buf text = TN_BUF_INIT;
  va_list args;
  va_start(args, fmt);
  tn_buf_vprintf(&text, fmt, args);
  va_end(args);
  const tn_node *place = vm->prog->places.data[in - vm->prog->code.data];
  tn_pos pos = tn_ir_pos(vm->prog->ir, place);
  if (pos.source == 0) {
    pos = tn_ir_pos(vm->prog->ir, vm->prog->func);
  }
  tn_diags_add(&diags, id, pos, NULL, "%s: %s", vm->prog->func->attr.text, tn_buf_text(&text));
  tn_buf_deinit(&text);
  return tn_diags_to_status(&diags, vm->prog->ir);
}

tn_status tn_ivm_steps(const tn_ivm *vm) {
  return TN_ERR(TN_TIMEOUT, "%s: more than %lld statements", vm->prog->func->attr.text,
                (long long)vm->hooks->max_steps);
}

tn_status tn_ivm_bad_access(const tn_ivm *vm, const tn_ins *in) {
  const tn_ibuf *buf = &vm->bufs[in->a];
  const char *name = vm->prog->buffers.data[in->a]->attr.text;
  for (uint32_t k = 0; k < in->x; ++k) {
    int32_t slot = in->x > 2 ? vm->lists[in->b + (int32_t)k] : k == 0 ? in->b : in->c;
    int64_t index = vm->slots[slot].i;
    if (index < 0 || index >= buf->dims[k].extent) {
      return tn_ivm_error(vm, in, "index-out-of-bounds",
                          "index %lld of dimension %u of buffer '%s' is outside [0, %lld)",
                          (long long)index, k, name, (long long)buf->dims[k].extent);
    }
  }
  if (buf->is_const && place(vm, vm->slots, in) != (uint64_t)NOWHERE) {
    return tn_ivm_error(vm, in, "store-to-constant",
                        "buffer '%s' is constant and cannot be stored to", name);
  }
  return tn_ivm_error(vm, in, "outside-memory", "buffer '%s' reaches outside the memory behind it",
                      name);
}

tn_status tn_ivm_bad_arg(const tn_ivm *vm, const tn_ins *in) {
  return TN_ERR(TN_INVALID, "%s when calling %s: expected %lld, got %lld",
                vm->prog->texts.data[in->c], vm->prog->signature, (long long)vm->slots[in->a].i,
                (long long)vm->slots[in->b].i);
}

tn_status tn_ivm_bad_iter(const tn_ivm *vm, const tn_ins *in) {
  int64_t min = vm->slots[in->b].i;
  return tn_ivm_error(vm, in, "axis-out-of-domain",
                      "axis '%s' is %lld, outside its domain [%lld, %lld)",
                      vm->prog->texts.data[in->d], (long long)vm->slots[in->a].i, (long long)min,
                      (long long)(vm->slots[in->c].i + min));
}

tn_status tn_ivm_bad_view(const tn_ivm *vm, const tn_ins *in) {
  return tn_ivm_error(vm, in, "view-mismatch", "%s: expected %lld, got %lld",
                      vm->prog->texts.data[in->c], (long long)vm->slots[in->a].i,
                      (long long)vm->slots[in->b].i);
}

tn_status tn_ivm_assert(const tn_ivm *vm, const tn_ins *in) {
  return tn_ivm_error(vm, in, "assertion", "%s", vm->prog->texts.data[in->c]);
}
