/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Builds a function of tensors in C, without text, and runs it:
 *
 *   cc tensor_expression.c -ltenon -o tensor_expression
 *   ./tensor_expression
 *
 * Y[i, j] = max(sum over k of X[i, k] * W[j, k] + B[j], 0), for any number of rows. */
#include <stdio.h>
#include <stdlib.h>

#include <tenon/compiler.h>
#include <tenon/te.h>

enum { N_ROWS = 2, N_IN = 3, N_OUT = 2 };

/* The formula as a program of one function, "dense_relu". */
static tn_status build(tn_program **out_program) {
  tn_te *te = NULL;
  tn_status st = tn_te_create(&te);
  if (st != NULL) {
    return st;
  }
  const tn_node *n = tn_te_var(te, "n", TN_DT_I64); /* known when it runs */
  const tn_node *n_in = tn_te_int(te, N_IN);
  const tn_node *n_out = tn_te_int(te, N_OUT);
  const tn_node *X = tn_te_placeholder(te, "X", TN_DT_F32, TN_TE_LIST(n, n_in));
  const tn_node *W = tn_te_placeholder(te, "W", TN_DT_F32, TN_TE_LIST(n_out, n_in));
  const tn_node *B = tn_te_placeholder(te, "B", TN_DT_F32, TN_TE_LIST(n_out));

  tn_te_begin(te, "product", TN_TE_LIST(n, n_out));
  const tn_node *i = tn_te_axis(te, 0, "i");
  const tn_node *j = tn_te_axis(te, 1, "j");
  const tn_node *k = tn_te_reduce_axis(te, "k", n_in);
  const tn_node *x = tn_te_read(te, X, TN_TE_LIST(i, k));
  const tn_node *w = tn_te_read(te, W, TN_TE_LIST(j, k));
  const tn_node *product = tn_te_end_reduce(te, TN_TE_SUM, tn_te_mul(te, x, w));

  tn_te_begin(te, "Y", TN_TE_LIST(n, n_out));
  i = tn_te_axis(te, 0, "i");
  j = tn_te_axis(te, 1, "j");
  const tn_node *sum =
      tn_te_add(te, tn_te_read(te, product, TN_TE_LIST(i, j)), tn_te_read(te, B, TN_TE_LIST(j)));
  const tn_node *Y = tn_te_end(te, tn_te_max(te, sum, tn_te_number(te, TN_DT_F32, 0)));

  st = tn_te_create_prim_func(te, "dense_relu", TN_TE_LIST(X, W, B, Y), out_program);
  tn_te_free(te);
  return st;
}

static tn_status run(tn_exec *exec) {
  static const float x[N_ROWS * N_IN] = {1, 2, 3, 4, 5, 6};
  static const float w[N_OUT * N_IN] = {1, 0, 1, -1, 0, 1};
  static const float b[N_OUT] = {0.5F, -2};
  float y[N_ROWS * N_OUT] = {0};
  tn_runtime *rt = NULL;
  tn_vm *vm = NULL;
  tn_tensor *tensors[4] = {NULL};
  tn_arg args[4];
  tn_arg result = tn_arg_none();
  tn_status st = tn_runtime_create(0, &rt);
  st = st != NULL ? st : tn_vm_create(rt, exec, NULL, 0, &vm);
  st = st != NULL ? st : tn_tensor_create(TN_DT_F32, 2, (int64_t[]){N_ROWS, N_IN}, x, &tensors[0]);
  st = st != NULL ? st : tn_tensor_create(TN_DT_F32, 2, (int64_t[]){N_OUT, N_IN}, w, &tensors[1]);
  st = st != NULL ? st : tn_tensor_create(TN_DT_F32, 1, (int64_t[]){N_OUT}, b, &tensors[2]);
  st = st != NULL ? st : tn_tensor_create(TN_DT_F32, 2, (int64_t[]){N_ROWS, N_OUT}, y, &tensors[3]);
  for (int i = 0; st == NULL && i < 4; ++i) {
    args[i] = tn_arg_of_tensor(tensors[i]);
  }
  st = st != NULL ? st : tn_vm_call(vm, "dense_relu", args, 4, &result);
  if (st == NULL) {
    const float *values = tn_arg_dl(&args[3])->data;
    printf("%g %g\n%g %g\n", (double)values[0], (double)values[1], (double)values[2],
           (double)values[3]);
  }
  for (int i = 0; i < 4; ++i) {
    tn_tensor_release(tensors[i]);
  }
  tn_vm_release(vm);
  tn_runtime_release(rt);
  return st;
}

int main(void) {
  tn_program *program = NULL;
  tn_exec *exec = NULL;
  char *text = NULL;
  tn_status st = build(&program);
  st = st != NULL ? st : tn_program_print(program, &text); /* the same as TVMScript */
  st = st != NULL ? st : tn_program_compile(program, NULL, &exec);
  if (st == NULL) {
    printf("%s\n", text);
    st = run(exec);
  }
  free(text);
  tn_exec_release(exec);
  tn_program_free(program);
  if (st != NULL) {
    fprintf(stderr, "error: %s [%s]\n", tn_status_message(st), tn_code_name(tn_status_code(st)));
    tn_status_free(st);
    return 1;
  }
  return 0;
}
