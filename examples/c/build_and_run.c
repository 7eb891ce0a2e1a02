/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Builds a module from text and runs it, all in one process:
 *
 *   cc build_and_run.c -ltenon -o build_and_run
 *   ./build_and_run
 *
 * The module has both levels: two loop functions, and a graph function that ties them together.
 * y = relu(x + b), with the bias bound as a constant and a library function of ours in between. */
#include <stdio.h>
#include <string.h>

#include <tenon/compiler.h>

static const char *const module_text =
    "from tvm.script import ir as I\n"
    "from tvm.script import relax as R\n"
    "from tvm.script import tir as T\n"
    "\n"
    "\n"
    "@I.ir_module\n"
    "class Module:\n"
    "    @T.prim_func\n"
    "    def add_bias(\n"
    "        X: T.Buffer((2, 4), \"float32\"),\n"
    "        B: T.Buffer((4,), \"float32\"),\n"
    "        Y: T.Buffer((2, 4), \"float32\"),\n"
    "    ):\n"
    "        for i, j in T.grid(2, 4):\n"
    "            with T.block(\"add_bias\"):\n"
    "                vi, vj = T.axis.remap(\"SS\", [i, j])\n"
    "                Y[vi, vj] = X[vi, vj] + B[vj]\n"
    "\n"
    "    @T.prim_func\n"
    "    def relu(X: T.Buffer((2, 4), \"float32\"), Y: T.Buffer((2, 4), \"float32\")):\n"
    "        for i, j in T.grid(2, 4):\n"
    "            with T.block(\"relu\"):\n"
    "                vi, vj = T.axis.remap(\"SS\", [i, j])\n"
    "                Y[vi, vj] = T.max(X[vi, vj], T.float32(0))\n"
    "\n"
    "    @R.function\n"
    "    def main(\n"
    "        x: R.Tensor((2, 4), dtype=\"float32\"), b: R.Tensor((4,), dtype=\"float32\")\n"
    "    ) -> R.Tensor((2, 4), dtype=\"float32\"):\n"
    "        cls = Module\n"
    "        with R.dataflow():\n"
    "            lv0 = R.call_tir(cls.add_bias, (x, b), out_sinfo=R.Tensor((2, 4), \"float32\"))\n"
    "            lv1 = R.call_dps_packed(\n"
    "                \"example.twice\", (lv0,), out_sinfo=R.Tensor((2, 4), \"float32\")\n"
    "            )\n"
    "            y = R.call_tir(cls.relu, (lv1,), out_sinfo=R.Tensor((2, 4), \"float32\"))\n"
    "            R.output(y)\n"
    "        return y\n";

enum { N_ROWS = 2, N_COLS = 4 };

/* A library function: its last argument is the result's memory. */
static tn_status twice(void *ctx, const tn_arg *args, int32_t n_args, tn_arg *out_ret) {
  (void)ctx;
  (void)n_args;
  (void)out_ret;
  const float *x = tn_arg_dl(&args[0])->data;
  float *y = tn_arg_dl(&args[1])->data;
  for (int i = 0; i < N_ROWS * N_COLS; ++i) {
    y[i] = 2 * x[i];
  }
  return NULL;
}

static tn_status build(tn_exec **out_exec) {
  static const float bias[N_COLS] = {0.5F, -0.5F, 1.0F, -1.0F};
  tn_program *program = NULL;
  tn_tensor *b = NULL;
  tn_status st = tn_program_parse(module_text, strlen(module_text), "module.py", &program);
  if (st == NULL) {
    st = tn_tensor_create(TN_DT_F32, 1, (const int64_t[]){N_COLS}, bias, &b);
  }
  if (st == NULL) {
    st = tn_program_bind(program, "main", "b", b);
  }
  if (st == NULL) {
    st = tn_program_compile(program, NULL, out_exec);
  }
  tn_tensor_release(b);
  tn_program_free(program);
  return st;
}

static tn_status run(tn_runtime *rt, tn_exec *exec) {
  static const float values_in[N_ROWS * N_COLS] = {-2, -1, 0, 1, 2, 3, 4, 5};
  const int64_t shape[] = {N_ROWS, N_COLS};
  tn_vm *vm = NULL;
  tn_tensor *x = NULL;
  tn_arg y = tn_arg_none();
  tn_status st = tn_tensor_create(TN_DT_F32, 2, shape, values_in, &x);
  if (st == NULL) {
    st = tn_vm_create(rt, exec, NULL, 0, &vm);
  }
  if (st == NULL) {
    tn_arg arg = tn_arg_of_tensor(x);
    st = tn_vm_call(vm, "main", &arg, 1, &y);
  }
  if (st == NULL) {
    const float *values = tn_arg_dl(&y)->data;
    for (int i = 0; i < N_ROWS * N_COLS; ++i) {
      printf("%g%c", (double)values[i], (i + 1) % N_COLS == 0 ? '\n' : ' ');
    }
  }
  tn_arg_release(&y);
  tn_vm_release(vm);
  tn_tensor_release(x);
  return st;
}

int main(void) {
  tn_runtime *rt = NULL;
  tn_exec *exec = NULL;
  tn_status st = tn_runtime_create(0, &rt);
  if (st == NULL) {
    st = tn_registry_add(tn_runtime_registry(rt), "example.twice", twice, NULL, NULL, false);
  }
  if (st == NULL) {
    st = build(&exec);
  }
  if (st == NULL) {
    st = run(rt, exec);
  }
  tn_exec_release(exec);
  tn_runtime_release(rt);
  if (st != NULL) {
    fprintf(stderr, "error: %s [%s]\n", tn_status_message(st), tn_code_name(tn_status_code(st)));
    tn_status_free(st);
    return 1;
  }
  return 0;
}
