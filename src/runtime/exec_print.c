/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The disassembler: an executable as text, for people and golden tests. Operands print by their
 * letters in vm_ops.def: r3 register, #5 integer, c0 constant, @add function, s1 shape-heap slot, _
 * no result. */
#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "runtime/exec.h"
#include "runtime/tensor.h"

static const char *const kind_names[] = {"", "vm", "kernel", "packed"};
static const char *const shape_op_names[] = {"",    "add", "sub",  "mul",   "floordiv", "floormod",
                                             "min", "max", "move", "eq",    "lt",       "le",
                                             "and", "or",  "not",  "select"};
static_assert(sizeof shape_op_names / sizeof shape_op_names[0] == TN_VM_SH_SELECT + 1,
              "one name an operation");

static void print_dtype(tn_buf *out, int64_t word) {
  static const char *const kinds[] = {"any", "shape", "tuple", "func", "int", "float"};
  char name[TN_DTYPE_TEXT_BYTES];
  tn_buf_puts(out, word <= 0 ? kinds[-word] : tn_dtype_print((tn_dtype)word, name));
}

static void print_arg(const tn_exec_view *v, int64_t word, tn_buf *out) {
  int64_t value = TN_ARGW_VALUE(word);
  switch (TN_ARGW_KIND(word)) {
    case TN_ARGW_REG:
      tn_buf_printf(out, "r%lld", (long long)value);
      break;
    case TN_ARGW_IMM:
      tn_buf_printf(out, "#%lld", (long long)value);
      break;
    case TN_ARGW_CONST:
      tn_buf_printf(out, "c%lld", (long long)value);
      break;
    case TN_ARGW_FUNC:
      tn_buf_printf(out, "@%s", tn_exec_str(v, v->funcs[value].name));
      break;
    default:
      tn_buf_printf(out, "s%lld", (long long)value);
      break;
  }
}

static void print_dim(int64_t word, tn_buf *out) {
  int32_t kind = TN_ARGW_KIND(word);
  if (kind == TN_VM_DIM_ANY) {
    tn_buf_putc(out, '*');
  } else if (kind == TN_VM_DIM_EQ) {
    tn_buf_printf(out, "=%lld", (long long)TN_ARGW_VALUE(word));
  } else {
    tn_buf_printf(out, "%s%lld", kind == TN_VM_DIM_STORE ? "->s" : "=s",
                  (long long)TN_ARGW_VALUE(word));
  }
}

static void print_operand(const tn_exec_view *v, char letter, int64_t word, tn_buf *out) {
  switch (letter) {
    case 'o':
    case 'd':
    case 'r':
      if (word == -1) {
        tn_buf_putc(out, '_');
      } else {
        tn_buf_printf(out, "r%lld", (long long)word);
      }
      break;
    case 's':
      tn_buf_printf(out, "s%lld", (long long)word);
      break;
    case 'f':
      tn_buf_printf(out, "@%s", tn_exec_str(v, v->funcs[word].name));
      break;
    case 'a':
    case 'v':
      print_arg(v, word, out);
      break;
    case 'm':
      print_dim(word, out);
      break;
    case 't':
      tn_buf_printf(out, "->%lld", (long long)word);
      break;
    case 'p':
      tn_buf_puts(out, shape_op_names[word]);
      break;
    case 'c':
      tn_buf_printf(out, word == -1 ? "_" : "c%lld", (long long)word);
      break;
    case 'y':
    case 'e':
      print_dtype(out, word);
      break;
    default:
      tn_buf_printf(out, "%lld", (long long)word);
      break;
  }
}

static size_t print_instr(const tn_exec_view *v, size_t at, size_t end, tn_buf *out) {
  const int64_t *in = v->code + at;
  size_t len = tn_vm_instr_len(in, end - at);
  const tn_vm_op_info *info = tn_vm_op_find(in[0]);
  const char *letter = info->operands;
  tn_buf_printf(out, "  %4zu  %-14s", at, info->name);
  const char *separator = " ";
  for (size_t i = 1; i < len; ++i) {
    if (*letter == '*') {
      ++letter;
      continue;
    }
    tn_buf_puts(out, separator);
    print_operand(v, *letter, in[i], out);
    separator = ", ";
    letter += letter[1] == 0 ? 0 : 1;
  }
  tn_buf_putc(out, '\n');
  return at + len;
}

static void print_dims(const int64_t *dims, int32_t ndim, tn_buf *out) {
  tn_buf_putc(out, '(');
  for (int32_t i = 0; i < ndim; ++i) {
    tn_buf_printf(out, "%s%lld", i == 0 ? "" : ", ", (long long)dims[i]);
  }
  tn_buf_puts(out, ndim == 1 ? ",)" : ")");
}

static void print_const(const tn_exec_view *v, size_t index, tn_buf *out) {
  const tn_exec_const *c = &v->consts[index];
  tn_buf_printf(out, "  c%zu  ", index);
  switch (c->kind) {
    case TN_EXEC_C_TENSOR:
      tn_buf_puts(out, "tensor ");
      print_dtype(out, c->type.dtype);
      tn_buf_putc(out, ' ');
      print_dims(v->dims + c->type.dims, c->type.ndim, out);
      tn_buf_printf(out, " %llu bytes %s", (unsigned long long)c->n_bytes,
                    tn_exec_str(v, c->type.name));
      break;
    case TN_EXEC_C_SHAPE:
      tn_buf_puts(out, "shape ");
      print_dims(v->dims + c->type.dims, c->type.ndim, out);
      break;
    case TN_EXEC_C_STR:
      tn_buf_printf(out, "text \"%s\"", tn_exec_str(v, (uint32_t)c->bits));
      break;
    case TN_EXEC_C_INT:
      tn_buf_printf(out, "int %lld", (long long)c->bits);
      break;
    default: {
      double value;
      memcpy(&value, &c->bits, sizeof value);
      tn_buf_puts(out, "float ");
      tn_buf_put_double(out, value);
      break;
    }
  }
  tn_buf_putc(out, '\n');
}

static void print_func(const tn_exec_view *v, size_t index, tn_buf *out) {
  const tn_exec_func *f = &v->funcs[index];
  tn_buf_printf(out, "%s%s @%s", f->is_public == 1 ? "public " : "", kind_names[f->kind],
                tn_exec_str(v, f->name));
  if (tn_exec_str(v, f->doc)[0] != 0) {
    tn_buf_printf(out, "  %s", tn_exec_str(v, f->doc));
  }
  tn_buf_putc(out, '\n');
  if (f->kind != TN_EXEC_FN_VM) {
    return; /* what a kernel takes is in its doc text */
  }
  tn_buf_printf(out, "  %u parameters, %u registers, %u slots\n", f->n_params, f->n_regs,
                f->n_slots);
  for (uint32_t i = 0; i <= f->n_params; ++i) {
    const tn_exec_type *t = &v->types[f->params + i];
    tn_buf_printf(out, "  %s %s\n", i == f->n_params ? "->" : tn_exec_str(v, t->name),
                  tn_exec_str(v, t->text));
  }
  for (size_t at = f->code_begin; at < f->code_end;) {
    at = print_instr(v, at, f->code_end, out);
  }
}

tn_status tn_exec_print(const tn_exec *exec, char **out_text) {
  const tn_exec_view *v = &exec->view;
  tn_buf out = TN_BUF_INIT;
  tn_buf_printf(&out, "executable version %u, arch %u, cpu features '%s', by '%s'\n",
                v->header->version, v->header->arch, tn_exec_str(v, v->header->cpu_features),
                tn_exec_str(v, v->header->producer));
  if (v->n_consts > 0) {
    tn_buf_puts(&out, "constants\n");
  }
  for (size_t i = 0; i < v->n_consts; ++i) {
    print_const(v, i, &out);
  }
  for (size_t i = 0; i < v->n_funcs; ++i) {
    print_func(v, i, &out);
  }
  *out_text = tn_buf_take(&out);
  return NULL;
}
