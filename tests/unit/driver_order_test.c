/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What stands outside a dataflow block happens, and happens in the order in which it is written: a
 * function writes a log and reads a file between two blocks, and after every pass the interpreter,
 * and after all of them the virtual machine, still sees the same events. */
#include "tn_test.h"

#include <unistd.h>

#include "tenon/compiler.h"

/* The file's value goes into the second block. No result of test.log is used, and dead code
 * elimination must leave the calls all the same; `unused` it may take. */
static const char source[] =
    "from tvm.script import ir as I\n"
    "from tvm.script import relax as R\n"
    "from tvm.script import tir as T\n"
    "\n"
    "@I.ir_module\n"
    "class Ordered:\n"
    "    @T.prim_func\n"
    "    def add(A: T.Buffer((4,), \"float32\"), B: T.Buffer((4,), \"float32\"),\n"
    "            C: T.Buffer((4,), \"float32\")):\n"
    "        for i in range(4):\n"
    "            with T.block(\"C\"):\n"
    "                vi = T.axis.spatial(4, i)\n"
    "                C[vi] = A[vi] + B[vi]\n"
    "\n"
    "    @R.function(pure=False)\n"
    "    def main(x: R.Tensor((4,), dtype=\"float32\")) -> R.Tensor((4,), dtype=\"float32\"):\n"
    "        cls = Ordered\n"
    "        with R.dataflow():\n"
    "            unused = R.call_tir(cls.add, (x, x), out_sinfo=R.Tensor((4,), \"float32\"))\n"
    "            a = R.call_tir(cls.add, (x, x), out_sinfo=R.Tensor((4,), \"float32\"))\n"
    "            R.output(a)\n"
    "        first = R.call_packed(\"test.log\", a, R.str(\"one\"), sinfo_args=(R.Object,))\n"
    "        bias = R.call_packed(\"test.read\", sinfo_args=(R.Tensor((4,), \"float32\"),))\n"
    "        second = R.call_packed(\"test.log\", bias, R.str(\"two\"), sinfo_args=(R.Object,))\n"
    "        with R.dataflow():\n"
    "            b = R.call_tir(cls.add, (a, bias), out_sinfo=R.Tensor((4,), \"float32\"))\n"
    "            R.output(b)\n"
    "        third = R.call_packed(\"test.log\", b, R.str(\"three\"), sinfo_args=(R.Object,))\n"
    "        return b\n";

static const char events_wanted[] = "one 2; read; two 10; three 12; ";

typedef struct host {
  char log_path[64];  /* test.log appends a line here */
  char data_path[64]; /* test.read gives the four numbers in it */
  tn_runtime *rt;
} host;

/* test.log(tensor, text): appends "text first-element; " */
static tn_status log_event(void *ctx, const tn_arg *args, int32_t n_args, tn_arg *out_ret) {
  const host *h = ctx;
  assert_int_equal(n_args, 2);
  const float *data = tn_arg_dl(&args[0])->data;
  FILE *file = fopen(h->log_path, "a");
  assert_non_null(file);
  fprintf(file, "%s %g; ", tn_arg_text(&args[1]), (double)data[0]);
  fclose(file);
  *out_ret = tn_arg_of_int(0);
  return NULL;
}

/* test.read(): the tensor in the data file, and says so in the log */
static tn_status read_bias(void *ctx, const tn_arg *args, int32_t n_args, tn_arg *out_ret) {
  const host *h = ctx;
  (void)args;
  assert_int_equal(n_args, 0);
  tn_tensor *bias = NULL;
  FILE *file = fopen(h->log_path, "a");
  assert_non_null(file);
  fprintf(file, "read; ");
  fclose(file);
  tn_status st = tn_tensor_load(h->data_path, &bias);
  if (st == NULL) {
    *out_ret = tn_arg_of_tensor(bias);
  }
  return st;
}

static int setup(void **state) {
  static const int64_t shape[] = {4};
  static const float bias[] = {10, 20, 30, 40};
  host *h = calloc(1, sizeof *h);
  tn_tensor *tensor = NULL;
  assert_non_null(h);
  (void)snprintf(h->log_path, sizeof h->log_path, "/tmp/tn-order-log-%d", (int)getpid());
  (void)snprintf(h->data_path, sizeof h->data_path, "/tmp/tn-order-data-%d.npy", (int)getpid());
  expect_ok(tn_tensor_create(TN_DT_F32, 1, shape, bias, &tensor));
  expect_ok(tn_tensor_save(tensor, h->data_path));
  tn_tensor_release(tensor);
  expect_ok(tn_runtime_create(1, &h->rt));
  tn_registry *registry = tn_runtime_registry(h->rt);
  expect_ok(tn_registry_add(registry, "test.log", log_event, h, NULL, false));
  expect_ok(tn_registry_add(registry, "test.read", read_bias, h, NULL, false));
  *state = h;
  return 0;
}

static int teardown(void **state) {
  host *h = *state;
  tn_runtime_release(h->rt);
  unlink(h->log_path);
  unlink(h->data_path);
  free(h);
  return 0;
}

/* Checks the events of the run that just ended, and its result. */
static void expect_events(const host *h, const tn_arg *result, const char *when) {
  static const float want[] = {12, 24, 36, 48};
  char events[256] = "";
  FILE *file = fopen(h->log_path, "r");
  assert_non_null(file);
  size_t n = fread(events, 1, sizeof events - 1, file);
  events[n] = '\0';
  fclose(file);
  unlink(h->log_path);
  expect_true(strcmp(events, events_wanted) == 0, "%s: the events are \"%s\"", when, events);
  assert_non_null(tn_arg_tensor(result));
  assert_memory_equal(tn_tensor_data(tn_arg_tensor(result)), want, sizeof want);
}

static tn_tensor *input(void) {
  static const int64_t shape[] = {4};
  static const float x[] = {1, 2, 3, 4};
  tn_tensor *tensor = NULL;
  expect_ok(tn_tensor_create(TN_DT_F32, 1, shape, x, &tensor));
  return tensor;
}

static void interpret(const host *h, const tn_program *program, const char *when) {
  tn_tensor *x = input();
  tn_arg arg = tn_arg_of_tensor(x);
  tn_arg result = tn_arg_none();
  expect_ok(tn_program_interpret(program, h->rt, "main", &arg, 1, NULL, &result));
  expect_events(h, &result, when);
  tn_arg_release(&result);
  tn_tensor_release(x);
}

/* The first `n` passes of the compiler's own list. */
static char *first_passes(int n) {
  char *list = strdup(tn_default_passes());
  assert_non_null(list);
  char *end = list;
  for (int i = 0; i < n && end != NULL; ++i) {
    end = strchr(i == 0 ? end : end + 1, ',');
  }
  if (end != NULL) {
    *end = '\0';
  }
  return list;
}

static void effects_keep_their_order_after_every_pass(void **state) {
  const host *h = *state;
  int n_all = 1;
  for (const char *p = tn_default_passes(); (p = strchr(p, ',')) != NULL; ++p) {
    ++n_all;
  }
  for (int n = 0; n <= n_all; ++n) {
    tn_program *program = NULL;
    char *passes = first_passes(n);
    expect_ok(tn_program_parse(source, sizeof source - 1, "ordered.py", &program));
    if (n > 0) {
      expect_ok(tn_program_run_passes(program, passes, NULL));
    }
    interpret(h, program, n == 0 ? "before the passes" : passes);
    tn_program_free(program);
    free(passes);
  }
}

/* Passes that are not among the compiler's own, and each one before all others. Some ask for what
 * an earlier one makes and say so. */
static void effects_keep_their_order_after_each_pass_alone(void **state) {
  const host *h = *state;
  int n_run = 0;
  for (int32_t i = 0; i < tn_n_passes(); ++i) {
    tn_pass_info pass = {0};
    tn_program *program = NULL;
    expect_ok(tn_pass_describe(i, &pass));
    expect_ok(tn_program_parse(source, sizeof source - 1, "ordered.py", &program));
    tn_status st = tn_program_run_passes(program, pass.name, NULL);
    if (st == NULL) {
      interpret(h, program, pass.name);
      ++n_run;
    }
    tn_status_free(st);
    tn_program_free(program);
  }
  expect_true(n_run * 2 > tn_n_passes(), "only %d of %d passes ran", n_run, tn_n_passes());
}

static void effects_keep_their_order_on_the_virtual_machine(void **state) {
  const host *h = *state;
  for (int32_t level = 0; level <= 3; ++level) {
    tn_program *program = NULL;
    tn_exec *exec = NULL;
    tn_vm *vm = NULL;
    tn_tensor *x = input();
    tn_arg arg = tn_arg_of_tensor(x);
    tn_compile_opts opts = TN_COMPILE_DEFAULTS;
    opts.opt_level = level;
    opts.does_verify_each = true;
    expect_ok(tn_program_parse(source, sizeof source - 1, "ordered.py", &program));
    expect_ok(tn_program_compile(program, &opts, &exec));
    expect_ok(tn_vm_create(h->rt, exec, NULL, 0, &vm));
    for (int run = 0; run < 2; ++run) { /* a second call does it all again */
      tn_arg result = tn_arg_none();
      expect_ok(tn_vm_call(vm, "main", &arg, 1, &result));
      expect_events(h, &result, "on the virtual machine");
      tn_arg_release(&result);
    }
    tn_tensor_release(x);
    tn_vm_release(vm);
    tn_exec_release(exec);
    tn_program_free(program);
  }
}

static void an_effect_inside_a_dataflow_block_is_refused(void **state) {
  static const char bad[] =
      "from tvm.script import ir as I\n"
      "from tvm.script import relax as R\n"
      "@I.ir_module\n"
      "class Bad:\n"
      "    @R.function(pure=False)\n"
      "    def main(x: R.Tensor((4,), dtype=\"float32\")) -> R.Object:\n"
      "        with R.dataflow():\n"
      "            a = R.call_packed(\"test.log\", x, R.str(\"one\"), sinfo_args=(R.Object,))\n"
      "            R.output(a)\n"
      "        return a\n";
  (void)state;
  tn_program *program = NULL;
  expect_error(tn_program_parse(bad, sizeof bad - 1, "bad.py", &program), TN_INVALID, "dataflow");
  assert_null(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(effects_keep_their_order_after_every_pass),
      cmocka_unit_test(effects_keep_their_order_after_each_pass_alone),
      cmocka_unit_test(effects_keep_their_order_on_the_virtual_machine),
      cmocka_unit_test(an_effect_inside_a_dataflow_block_is_refused),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
