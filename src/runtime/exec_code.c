/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The instruction table at work: how long an instruction is, and whether all its operands are good.
 * The machine trusts what passes here; what depends on values (kinds in registers, extents, indices
 * of tuples) it checks itself. */
#include <string.h>

#include "base/array.h"
#include "base/check.h"
#include "runtime/exec.h"
#include "runtime/mem.h"
#include "runtime/tensor.h"

static const tn_vm_op_info op_table[] = {
#define X(op, text, operands) [TN_VM_##op] = {text, operands},
#include "runtime/vm_ops.def"
#undef X
};

enum { N_OPS = sizeof op_table / sizeof op_table[0] };

const tn_vm_op_info *tn_vm_op_find(int64_t opcode) {
  return opcode > 0 && opcode < N_OPS && op_table[opcode].name != NULL ? &op_table[opcode] : NULL;
}

size_t tn_vm_instr_len(const int64_t *words, size_t n_left) {
  const tn_vm_op_info *info = n_left == 0 ? NULL : tn_vm_op_find(words[0]);
  if (info == NULL) {
    return 0;
  }
  const char *star = strchr(info->operands, '*');
  if (star == NULL) {
    size_t len = 1 + strlen(info->operands);
    return len <= n_left ? len : 0;
  }
  size_t n_fixed = 1 + (size_t)(star - info->operands) + 1; /* opcode, operands, count */
  if (n_fixed > n_left || words[n_fixed - 1] < 0 ||
      (uint64_t)words[n_fixed - 1] > n_left - n_fixed) {
    return 0;
  }
  return n_fixed + (size_t)words[n_fixed - 1];
}

typedef struct checker {
  const tn_exec_view *view;
  const tn_exec_func *func;
  uint8_t *is_start; /* one byte a word of the function: an instruction starts here */
  size_t at;         /* of the instruction, in CODE */
} checker;

static bool is_below(int64_t value, uint64_t limit) {
  return value >= 0 && (uint64_t)value < limit;
}

static bool is_good_arg(const checker *c, int64_t word, bool is_integer) {
  int64_t value = TN_ARGW_VALUE(word);
  switch (TN_ARGW_KIND(word)) {
    case TN_ARGW_REG:
      return is_below(value, c->func->n_regs);
    case TN_ARGW_IMM:
      return true;
    case TN_ARGW_SLOT:
      return is_below(value, c->func->n_slots);
    case TN_ARGW_CONST:
      return !is_integer && is_below(value, c->view->n_consts);
    case TN_ARGW_FUNC: /* a kernel is no value: its types may be unchecked, it writes to its args */
      return !is_integer && is_below(value, c->view->n_funcs) &&
             c->view->funcs[value].kind != TN_EXEC_FN_KERNEL;
    default:
      return false;
  }
}

static bool is_good_dim(const checker *c, int64_t word) {
  int64_t value = TN_ARGW_VALUE(word);
  switch (TN_ARGW_KIND(word)) {
    case TN_VM_DIM_ANY:
    case TN_VM_DIM_EQ:
      return true;
    case TN_VM_DIM_STORE:
    case TN_VM_DIM_EQ_SLOT:
      return is_below(value, c->func->n_slots);
    default:
      return false;
  }
}

static bool is_good_dtype(int64_t word) {
  if (!is_below(word, (uint64_t)UINT32_MAX + 1)) {
    return false;
  }
  tn_status st = tn_dtype_check((tn_dtype)word);
  bool is_good = st == NULL;
  tn_status_free(st);
  return is_good;
}

static bool is_good_target(const checker *c, int64_t word) {
  return word >= c->func->code_begin && word < c->func->code_end &&
         c->is_start[word - c->func->code_begin] != 0;
}

static bool is_good_text(const checker *c, int64_t word) {
  return word == -1 ||
         (is_below(word, c->view->n_consts) && c->view->consts[word].kind == TN_EXEC_C_STR);
}

static bool is_good_operand(const checker *c, char letter, int64_t word) {
  switch (letter) {
    case 'o':
      return word == -1 || is_below(word, c->func->n_regs);
    case 'd':
    case 'r':
      return is_below(word, c->func->n_regs);
    case 's':
      return is_below(word, c->func->n_slots);
    case 'f':
      return is_below(word, c->view->n_funcs);
    case 'a':
      return is_good_arg(c, word, false);
    case 'v':
      return is_good_arg(c, word, true);
    case 'm':
      return is_good_dim(c, word);
    case 't':
      return is_good_target(c, word);
    case 'p':
      return word >= TN_VM_SH_ADD && word <= TN_VM_SH_SELECT;
    case 'c':
      return is_good_text(c, word);
    case 'y':
      return is_good_dtype(word);
    case 'e':
      return (word <= 0 && word >= TN_VM_MATCH_FLOAT) || is_good_dtype(word);
    case 'k':
      return word >= -1 && word <= TN_EXEC_MAX_PARAMS;
    case 'i':
      return word >= 0;
    default:
      TN_UNREACHABLE();
  }
}

static tn_status code_error(const checker *c, const char *what) {
  return TN_ERR(TN_CORRUPT, "code of function '%s', word %zu (%s): %s",
                tn_exec_str(c->view, c->func->name), c->at,
                tn_vm_op_find(c->view->code[c->at])->name, what);
}

/* What one operand cannot tell alone. */
static tn_status check_whole(const checker *c, const int64_t *in) {
  switch (in[0]) {
    case TN_VM_CALL:
    case TN_VM_MAKE_CLOSURE: {
      const tn_exec_func *callee = &c->view->funcs[in[2]];
      bool is_call = in[0] == TN_VM_CALL;
      bool is_good_n = is_call ? in[3] == callee->n_params : in[3] <= callee->n_params;
      if (callee->kind == TN_EXEC_FN_VM && !is_good_n) {
        return code_error(c, "wrong number of arguments");
      }
      if (callee->kind == TN_EXEC_FN_KERNEL && (!is_call || in[1] != -1)) {
        return code_error(c, "a kernel is called for its effects: no result, no closure");
      }
      return NULL;
    }
    case TN_VM_TAIL_CALL: {
      const tn_exec_func *callee = &c->view->funcs[in[1]];
      bool is_good = callee->kind == TN_EXEC_FN_VM && in[2] == callee->n_params;
      return is_good ? NULL : code_error(c, "no function of the machine that takes these arguments");
    }
    case TN_VM_MATCH: {
      bool has_dims = in[3] >= TN_VM_MATCH_SHAPE;
      bool is_good_n = in[5] == 0 || (has_dims && in[5] == in[4]);
      if (has_dims && in[4] > TN_MAX_NDIM) {
        return code_error(c, "too many dimensions");
      }
      return is_good_n ? NULL : code_error(c, "as many dimensions as the rank says, or none");
    }
    case TN_VM_ALLOC_TENSOR:
      return in[5] <= TN_MAX_NDIM ? NULL : code_error(c, "too many dimensions");
    case TN_VM_MAKE_SHAPE:
    case TN_VM_MAKE_TUPLE:
      return in[2] <= TN_EXEC_MAX_PARAMS ? NULL : code_error(c, "too many items");
    default:
      return NULL;
  }
}

static tn_status check_instr(checker *c, size_t len) {
  const int64_t *in = c->view->code + c->at;
  const char *letter = tn_vm_op_find(in[0])->operands;
  for (size_t i = 1; i < len; ++i) {
    if (*letter == '*') { /* the count itself was checked with the length */
      ++letter;
      continue;
    }
    if (!is_good_operand(c, *letter, in[i])) {
      char what[64];
      snprintf(what, sizeof what, "operand %zu is out of range", i);
      return code_error(c, what);
    }
    bool is_repeated = letter[1] == 0;
    letter += is_repeated ? 0 : 1;
  }
  return check_whole(c, in);
}

/* First pass: where instructions start. */
static tn_status find_starts(checker *c) {
  const tn_exec_func *f = c->func;
  int64_t last = 0;
  for (c->at = f->code_begin; c->at < f->code_end;) {
    size_t len = tn_vm_instr_len(c->view->code + c->at, f->code_end - c->at);
    if (len == 0) {
      return TN_ERR(TN_CORRUPT, "code of function '%s', word %zu: not an instruction, or cut short",
                    tn_exec_str(c->view, f->name), c->at);
    }
    c->is_start[c->at - f->code_begin] = 1;
    last = c->view->code[c->at];
    c->at += len;
  }
  if (last != TN_VM_RET && last != TN_VM_JUMP && last != TN_VM_TAIL_CALL) {
    return TN_ERR(TN_CORRUPT, "code of function '%s' runs past its end",
                  tn_exec_str(c->view, f->name));
  }
  return NULL;
}

tn_status tn_exec_check_code(const tn_exec_view *view, size_t index) {
  const tn_exec_func *f = &view->funcs[index];
  checker c = {.view = view, .func = f};
  size_t n_words = f->code_end - f->code_begin;
  c.is_start = tn_mem_alloc(n_words);
  if (c.is_start == NULL) {
    return tn_mem_error("checking code", n_words);
  }
  tn_status st = find_starts(&c);
  for (c.at = f->code_begin; st == NULL && c.at < f->code_end;) {
    size_t len = tn_vm_instr_len(view->code + c.at, f->code_end - c.at);
    st = check_instr(&c, len);
    c.at += len;
  }
  tn_mem_free(c.is_start);
  return st;
}

size_t tn_exec_max_args(const tn_exec_view *view, size_t index) {
  const tn_exec_func *f = &view->funcs[index];
  int64_t most = 0;
  for (size_t at = f->code_begin; at < f->code_end;) {
    const int64_t *in = view->code + at;
    if (strchr(tn_vm_op_find(in[0])->operands, '*') != NULL) {
      int64_t n = in[strcspn(tn_vm_op_find(in[0])->operands, "*") + 1];
      most = n > most ? n : most;
    }
    at += tn_vm_instr_len(in, f->code_end - at);
  }
  return (size_t)most;
}
