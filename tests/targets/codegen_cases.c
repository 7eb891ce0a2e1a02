/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Random programs compiled for a target, with what the interpreter computes for them on this
 * machine: what run_target links with the runner.
 *
 *   codegen_cases TARGET LEVEL FIRST_SEED N FOLDER [FEATURES]     level: -O, with strict arithmetic
 *
 * writes FOLDER/kernels.o, cases.bin (runner.h) and table.s. */
/* needs: script lower */
#include "../unit/codegen_text.h"
#include "../unit/gen_tir.h"

#include "base/file.h"
#include "runner.h"

static void append_padded(tn_buf *out, const void *data, size_t n_bytes) {
  static const uint8_t zeros[8] = {0};
  tn_buf_append(out, data, n_bytes);
  tn_buf_append(out, zeros, (8 - n_bytes % 8) % 8);
}

static runner_arg describe(const tn_node *param, const tn_tir_arg *arg) {
  runner_arg out = {0};
  if (arg->array == NULL) {
    out.kind = tn_dtype_is_float(param->dtype) ? TN_ARG_FLOAT : TN_ARG_INT;
    memcpy(&out.scalar, out.kind == TN_ARG_FLOAT ? (const void *)&arg->f64 : &arg->i64, 8);
    return out;
  }
  out.kind = TN_ARG_TENSOR;
  out.ndim = arg->array->ndim;
  out.dtype = arg->array->dtype;
  for (int32_t d = 0; d < out.ndim; ++d) {
    out.shape[d] = arg->array->shape[d];
  }
  out.n_bytes = tn_array_n_bytes(arg->array);
  return out;
}

/* One case: arguments as they are, and as the interpreter leaves them. */
static tn_status append_case(const tn_module *module, const char *name, int64_t seed,
                             gen_tir_program *program, tn_buf *out) {
  gen_tir_program after;
  const tn_node *params = program->func->in[TN_PRIM_FUNC_PARAMS];
  runner_case head = {.id = seed, .n_args = program->n_args};
  gen_tir_copy_args(program, &after);
  tn_status st = tn_tir_interp(module, name, after.args, after.n_args, NULL, NULL);
  tn_buf_append(out, &head, sizeof head);
  for (int32_t i = 0; st == NULL && i < program->n_args; ++i) {
    runner_arg arg = describe(params->in[i], &program->args[i]);
    tn_buf_append(out, &arg, sizeof arg);
    if (arg.kind == TN_ARG_TENSOR) {
      append_padded(out, program->args[i].array->data, arg.n_bytes);
      append_padded(out, after.args[i].array->data, arg.n_bytes);
    }
  }
  gen_tir_deinit(&after);
  return st;
}

static tn_status write_beside(const char *folder, const char *name, const tn_buf *bytes) {
  tn_buf path = TN_BUF_INIT;
  tn_buf_printf(&path, "%s/%s", folder, name);
  tn_status st = tn_file_write(path.data, bytes->data, bytes->len);
  tn_buf_deinit(&path);
  return st;
}

typedef struct job {
  const tn_target *target;
  int32_t level;
  int64_t first;
  int64_t n;
  const char *folder;
  tn_ir *ir;
  tn_module module;
  tn_buf object, cases, table;
} job;

static tn_status make_cases(job *j) {
  char name[24];
  tn_buf_printf(&j->table,
                "  .section .rodata\n  .balign 8\n  .globl runner_cases\n"
                "runner_cases:\n  .incbin \"%s/cases.bin\"\n  .balign 8\n"
                "  .globl runner_kernels\nrunner_kernels:\n",
                j->folder);
  for (int64_t i = 0; i < j->n; ++i) {
    gen_tir_program program;
    (void)snprintf(name, sizeof name, "f%lld", (long long)i);
    gen_tir(j->ir, (uint64_t)(j->first + i), GEN_TIR_ALL, name, &program);
    tn_module_set(&j->module, name, program.func);
    tn_status st = append_case(&j->module, name, j->first + i, &program, &j->cases);
    gen_tir_deinit(&program);
    if (st != NULL) {
      return tn_status_wrap(st, "seed %lld", (long long)(j->first + i));
    }
    tn_buf_printf(&j->table, "  .quad %s\n", name);
  }
  tn_buf_puts(&j->table, "  .quad 0\n");
  return NULL;
}

static tn_status run(job *j) {
  tn_codegen_opts opts = {.target = j->target, .opt_level = j->level, .is_strict_math = true};
  TN_TRY(make_cases(j));
  TN_TRY(cgx_lower(&j->module, j->level));
  TN_TRY(tn_llvm_emit(&j->module, &opts, TN_EMIT_OBJ, &j->object));
  TN_TRY(write_beside(j->folder, "kernels.o", &j->object));
  TN_TRY(write_beside(j->folder, "cases.bin", &j->cases));
  return write_beside(j->folder, "table.s", &j->table);
}

int main(int argc, char **argv) {
  enum { N_ARGS = 6 };
  if (argc != N_ARGS && argc != N_ARGS + 1) {
    fprintf(stderr, "usage: codegen_cases TARGET LEVEL FIRST_SEED N FOLDER [FEATURES]\n");
    return 2;
  }
  job j = {.level = atoi(argv[2]), .first = atoll(argv[3]), .n = atoll(argv[4]), .folder = argv[5]};
  j.ir = tn_ir_new(0);
  tn_module_init(&j.module, j.ir, "Module");
  tn_status st = tn_target_find(argv[1], &j.target);
  tn_target own = {0};
  if (st == NULL && argc > N_ARGS) {
    own = *j.target;
    own.features = argv[N_ARGS];
    j.target = &own;
  }
  st = st == NULL ? run(&j) : st;
  if (st != NULL) {
    fprintf(stderr, "%s\n", tn_status_message(st));
  }
  tn_buf_deinit(&j.object);
  tn_buf_deinit(&j.cases);
  tn_buf_deinit(&j.table);
  tn_module_deinit(&j.module);
  tn_ir_free(j.ir);
  int code = st != NULL;
  tn_status_free(st);
  return code;
}
