/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Wrong use that the command line cannot show: tensors of another device, and executables made for
 * another machine. Each gives a message that names the thing, and nothing is lost. */
#include "tn_test.h"

#include <sys/stat.h>

#include "abi/exec.h"
#include "base/file.h"
#include "runtime/exec_image.h"
#include "tenon/compiler.h"

static const char source[] =
    "from tvm.script import ir as I\n"
    "from tvm.script import relax as R\n"
    "from tvm.script import tir as T\n"
    "\n"
    "@I.ir_module\n"
    "class Double:\n"
    "    @T.prim_func\n"
    "    def twice(A: T.Buffer((4,), \"float32\"), B: T.Buffer((4,), \"float32\")):\n"
    "        for i in range(4):\n"
    "            with T.block(\"B\"):\n"
    "                vi = T.axis.spatial(4, i)\n"
    "                B[vi] = A[vi] + A[vi]\n"
    "\n"
    "    @R.function\n"
    "    def main(x: R.Tensor((4,), dtype=\"float32\")) -> R.Tensor((4,), dtype=\"float32\"):\n"
    "        cls = Double\n"
    "        with R.dataflow():\n"
    "            y = R.call_tir(cls.twice, (x,), out_sinfo=R.Tensor((4,), dtype=\"float32\"))\n"
    "            R.output(y)\n"
    "        return y\n";

static const int64_t shape[] = {4};
static const float values[] = {1, 2, 3, 4};

static tn_program *parse(void) {
  tn_program *program = NULL;
  expect_ok(tn_program_parse(source, sizeof source - 1, "double.py", &program));
  return program;
}

/* ---- a loopback tensor given to a cpu kernel ---- */

typedef struct machine {
  tn_runtime *rt;
  tn_vm *vm;
  tn_tensor *x;     /* 1 2 3 4 on the cpu */
  tn_tensor *far_x; /* the same on the loopback device */
} machine;

static machine open_machine(void) {
  machine m = {0};
  DLDevice far_device = {0};
  tn_exec *exec = NULL;
  tn_program *program = parse();
  expect_ok(tn_runtime_create(1, &m.rt));
  expect_ok(tn_runtime_find_device(m.rt, "loopback", &far_device));
  expect_ok(tn_program_compile(program, NULL, &exec));
  expect_ok(tn_vm_create(m.rt, exec, NULL, 0, &m.vm));
  expect_ok(tn_tensor_create(TN_DT_F32, 1, shape, values, &m.x));
  expect_ok(tn_tensor_copy(m.rt, m.x, far_device, &m.far_x));
  tn_exec_release(exec);
  tn_program_free(program);
  return m;
}

static void close_machine(machine *m) {
  tn_tensor_release(m->x);
  tn_tensor_release(m->far_x);
  tn_vm_release(m->vm);
  tn_runtime_release(m->rt);
}

static void expect_values(tn_runtime *rt, tn_tensor *tensor, const float want[4]) {
  tn_tensor *near_copy = NULL;
  expect_ok(tn_tensor_copy(rt, tensor, (DLDevice){kDLCPU, 0}, &near_copy));
  assert_memory_equal(tn_tensor_data(near_copy), want, 4 * sizeof *want);
  tn_tensor_release(near_copy);
}

static void a_loopback_tensor_given_to_a_graph_function_is_refused(void **state) {
  (void)state;
  static const float doubled[] = {2, 4, 6, 8};
  machine m = open_machine();
  tn_arg arg = tn_arg_of_tensor(m.far_x);
  tn_arg result = tn_arg_none();
  expect_error(tn_vm_call(m.vm, "main", &arg, 1, &result), TN_INVALID, "loopback");
  assert_int_equal(result.kind, TN_ARG_NONE);
  expect_values(m.rt, m.far_x, values);
  arg = tn_arg_of_tensor(m.x); /* the machine still works */
  expect_ok(tn_vm_call(m.vm, "main", &arg, 1, &result));
  expect_values(m.rt, tn_arg_tensor(&result), doubled);
  tn_arg_release(&result);
  close_machine(&m);
}

static void a_loopback_tensor_given_to_a_kernel_is_refused(void **state) {
  (void)state;
  machine m = open_machine();
  tn_tensor *y = NULL;
  expect_ok(tn_tensor_create(TN_DT_F32, 1, shape, values, &y));
  tn_arg args[] = {tn_arg_of_tensor(m.far_x), tn_arg_of_tensor(y)};
  expect_error(tn_vm_call(m.vm, "twice", args, 2, NULL), TN_INVALID, "loopback");
  expect_values(m.rt, y, values); /* nothing was written */
  args[0] = tn_arg_of_tensor(m.x);
  args[1] = tn_arg_of_tensor(m.far_x);
  expect_error(tn_vm_call(m.vm, "twice", args, 2, NULL), TN_INVALID, "loopback");
  expect_values(m.rt, m.far_x, values);
  tn_tensor_release(y);
  close_machine(&m);
}

static void a_loopback_tensor_cannot_be_bound(void **state) {
  (void)state;
  machine m = open_machine();
  tn_program *program = parse();
  char *before = NULL;
  char *after = NULL;
  expect_ok(tn_program_print(program, &before));
  expect_error(tn_program_bind(program, "main", "x", m.far_x), TN_INVALID, "copy it first");
  expect_ok(tn_program_print(program, &after));
  expect_text(after, before);
  free(before);
  free(after);
  tn_program_free(program);
  close_machine(&m);
}

static void a_bound_tensor_may_change_afterwards(void **state) {
  (void)state;
  static const float doubled[] = {2, 4, 6, 8};
  static const float others[] = {9, 9, 9, 9};
  tn_runtime *rt = NULL;
  tn_tensor *x = NULL;
  tn_program *program = parse();
  tn_arg result = tn_arg_none();
  expect_ok(tn_runtime_create(1, &rt));
  expect_ok(tn_tensor_create(TN_DT_F32, 1, shape, values, &x));
  expect_ok(tn_program_bind(program, "main", "x", x));
  memcpy(tn_tensor_data(x), others, sizeof others);
  tn_tensor_release(x);
  expect_ok(tn_program_interpret(program, rt, "main", NULL, 0, NULL, &result));
  expect_values(rt, tn_arg_tensor(&result), doubled);
  tn_arg_release(&result);
  tn_program_free(program);
  tn_runtime_release(rt);
}

/* A host's DLTensor is checked before the interpreter looks at it. */
static void a_foreign_tensor_that_cannot_be_is_refused(void **state) {
  (void)state;
  int64_t extent = 4;
  DLTensor dl = {.ndim = 1, .device = {kDLCPU, 0}, .dtype = {TN_TC_FLOAT, 32, 1}};
  float data[4] = {0};
  const struct {
    int64_t extent;
    DLDataType dtype;
    void *data;
    int64_t *shape;
    const char *part;
  } rows[] = {
      {-1, {TN_TC_FLOAT, 32, 1}, data, &extent, "extent 0 of a tensor is -1"},
      {4, {TN_TC_INT, 2, 1}, data, &extent, "elements of 2 bits"},
      {4, {TN_TC_FLOAT, 32, 4}, data, &extent, "float32x4"},
      {4, {TN_TC_FLOAT, 32, 1}, NULL, &extent, "without data"},
      {4, {TN_TC_FLOAT, 32, 1}, data, NULL, "without a shape"},
  };
  tn_runtime *rt = NULL;
  tn_program *program = parse();
  expect_ok(tn_runtime_create(1, &rt));
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    extent = rows[i].extent;
    dl.dtype = rows[i].dtype;
    dl.data = rows[i].data;
    dl.shape = rows[i].shape;
    tn_arg arg = tn_arg_of_dl(&dl);
    tn_status st = tn_program_interpret(program, rt, "main", &arg, 1, NULL, NULL);
    expect_true(st != NULL && strstr(tn_status_message(st), rows[i].part) != NULL, "row %zu: %s", i,
                tn_status_message(st));
    tn_status_free(st);
  }
  tn_program_free(program);
  tn_runtime_release(rt);
}

static void a_strided_tensor_is_not_written(void **state) {
  (void)state;
  const int64_t four = 4;
  const int64_t two = 2;
  tn_tensor *tensor = NULL;
  tn_tensor *strided = NULL;
  expect_ok(tn_tensor_create(TN_DT_F32, 1, &four, NULL, &tensor));
  expect_ok(tn_tensor_view(tensor, TN_DT_F32, 1, &two, &two, 0, &strided));
  expect_error(tn_tensor_save(strided, "nowhere/x.npy"), TN_INVALID, "a strided tensor");
  tn_tensor_release(strided);
  tn_tensor_release(tensor);
}

static void an_interpreted_loop_function_takes_no_text_for_a_number(void **state) {
  (void)state;
  static const char text[] = "from tvm.script import tir as T\n"
                             "@T.prim_func\n"
                             "def next(n: T.int32) -> T.int32:\n"
                             "    T.ret(n + 1)\n";
  tn_runtime *rt = NULL;
  tn_program *program = NULL;
  tn_arg arg = tn_arg_of_text("seven");
  tn_arg result = tn_arg_none();
  expect_ok(tn_runtime_create(1, &rt));
  expect_ok(tn_program_parse(text, sizeof text - 1, "next.py", &program));
  expect_error(tn_program_interpret(program, rt, "next", &arg, 1, NULL, &result), TN_INVALID,
               "argument 0 of next: a loop function takes tensors and scalars only");
  arg = tn_arg_of_int(7);
  expect_ok(tn_program_interpret(program, rt, "next", &arg, 1, NULL, &result));
  assert_int_equal(result.kind, TN_ARG_INT);
  assert_int_equal(result.u.i64, 8);
  tn_program_free(program);
  tn_runtime_release(rt);
}

static void a_linker_that_says_much_is_quoted(void **state) {
  (void)state;
  static const char script[] = "#!/bin/sh\n"
                               "echo 'undefined symbol: fmaf' >&2\n"
                               "head -c 100000 /dev/zero | tr '\\0' x >&2\n"
                               "exit 1\n";
  char linker[64];
  tn_program *program = parse();
  const char *old = getenv("CC");
  char *kept = old == NULL ? NULL : strdup(old);
  (void)snprintf(linker, sizeof linker, "/tmp/tn-errors-%d.sh", (int)getpid());
  expect_ok(tn_file_write(linker, script, sizeof script - 1));
  assert_int_equal(chmod(linker, 0700), 0);
  assert_int_equal(setenv("CC", linker, 1), 0);
  expect_error(tn_program_write(program, NULL, "/tmp/tn-errors-never.so"), TN_IO,
               "could not link: undefined symbol: fmaf\nxxx");
  if (kept != NULL) {
    (void)setenv("CC", kept, 1);
  } else {
    (void)unsetenv("CC");
  }
  free(kept);
  unlink(linker);
  tn_program_free(program);
}

/* ---- executables of another version or architecture ---- */

typedef struct image {
  void *bytes; /* aligned as the loader wants it */
  size_t n_bytes;
} image;

static image write_image(char path[64]) {
  tn_buf text = TN_BUF_INIT;
  image im = {0};
  tn_program *program = parse();
  (void)snprintf(path, 64, "/tmp/tn-errors-%d.tnx", (int)getpid());
  expect_ok(tn_program_write(program, NULL, path));
  expect_ok(tn_file_read(path, SIZE_MAX, &text));
  im.n_bytes = text.len;
  im.bytes = aligned_alloc(64, (text.len + 63) / 64 * 64);
  assert_non_null(im.bytes);
  memcpy(im.bytes, text.data, text.len);
  tn_buf_deinit(&text);
  tn_program_free(program);
  return im;
}

/* Writes the image back with a right checksum and loads it. */
static tn_status reload(image *im, const char *path) {
  tn_exec *exec = NULL;
  tn_exec_header *header = im->bytes;
  header->checksum = tn_exec_checksum(im->bytes, im->n_bytes);
  expect_ok(tn_file_write(path, im->bytes, im->n_bytes));
  tn_status st = tn_exec_load(path, &exec);
  tn_exec_release(exec);
  return st;
}

static void an_executable_for_another_machine_is_refused(void **state) {
  (void)state;
  char path[64];
  image im = write_image(path);
  tn_exec_header *header = im.bytes;
  expect_ok(reload(&im, path));
  header->version += 1;
  expect_error(reload(&im, path), TN_UNSUPPORTED, "format version 2; this runtime reads version 1");
  header->version -= 1;
  header->arch = TN_EXEC_ARCH_AARCH64;
  expect_error(reload(&im, path), TN_UNSUPPORTED, "another architecture");
  header->arch = TN_EXEC_ARCH_X86_64;
  expect_ok(reload(&im, path));
  unlink(path);
  free(im.bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_loopback_tensor_given_to_a_graph_function_is_refused),
      cmocka_unit_test(a_loopback_tensor_given_to_a_kernel_is_refused),
      cmocka_unit_test(a_loopback_tensor_cannot_be_bound),
      cmocka_unit_test(a_bound_tensor_may_change_afterwards),
      cmocka_unit_test(a_foreign_tensor_that_cannot_be_is_refused),
      cmocka_unit_test(a_strided_tensor_is_not_written),
      cmocka_unit_test(an_interpreted_loop_function_takes_no_text_for_a_number),
      cmocka_unit_test(a_linker_that_says_much_is_quoted),
      cmocka_unit_test(an_executable_for_another_machine_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
