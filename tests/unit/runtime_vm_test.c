/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The virtual machine on programs assembled by hand, with kernels written in C. The allocation hook
 * counts, and makes chosen allocations fail. */
#include <pthread.h>

#include "base/rng.h"
#include "runtime/mem.h"
#include "runtime_asm.h"

/* ---- allocation hook ---- */

static _Atomic(int64_t) n_allocations;
static _Atomic(int64_t) failing_allocation = -1;

bool tn_mem_should_fail(void) { return n_allocations++ == failing_allocation; }

/* Forged programs ask for absurd sizes: the sanitizer should say no, not stop. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "allocator_may_return_null=1"; }
const char *__tsan_default_options(void);
const char *__tsan_default_options(void) { return "allocator_may_return_null=1"; }

/* ---- kernels and functions of the host ---- */

static int32_t add(const tn_env *env, const tn_arg *args, int32_t n_args) {
  if (n_args != 3) {
    return (env->fail)(env, TN_KERR_N_ARGS, "", 3, n_args);
  }
  const DLTensor *t[3] = {args[0].u.tensor, args[1].u.tensor, args[2].u.tensor};
  for (int i = 1; i < 3; ++i) {
    if (t[i]->shape[0] != t[0]->shape[0]) {
      return (env->fail)(env, TN_KERR_SHAPE, "B.shape[0] of argument 1", t[0]->shape[0],
                         t[i]->shape[0]);
    }
  }
  for (int64_t i = 0; i < t[0]->shape[0]; ++i) {
    ((float *)t[2]->data)[i] = ((float *)t[0]->data)[i] + ((float *)t[1]->data)[i];
  }
  return 0;
}

/* A kernel with a result: the place for it is one argument more. */
static int32_t count(const tn_env *env, const tn_arg *args, int32_t n_args) {
  if (n_args != 2) {
    return (env->fail)(env, TN_KERR_N_ARGS, "", 2, n_args);
  }
  tn_arg *ret = (tn_arg *)(uintptr_t)&args[1];
  *ret = tn_arg_of_int(args[0].u.tensor->shape[0]);
  return 0;
}

static tn_kernel_fn find_kernel(void *ctx, const char *name) {
  (void)ctx;
  if (strcmp(name, "count") == 0) {
    return count;
  }
  return strcmp(name, "add") == 0 ? add : NULL;
}

static tn_status log_arg(void *ctx, const tn_arg *args, int32_t n_args, tn_arg *out_ret) {
  char *log = ctx;
  for (int32_t i = 0; i < n_args; ++i) {
    const char *text = tn_arg_text(&args[i]);
    strcat(log, text != NULL ? text : tn_arg_kind_name(args[i].kind));
    strcat(log, ";");
  }
  if (n_args > 0 && args[0].kind == TN_ARG_TENSOR_OBJ) { /* hands its argument back */
    tn_arg_retain(&args[0]);
    *out_ret = args[0];
  }
  return NULL;
}

static tn_status refuse(void *ctx, const tn_arg *args, int32_t n_args, tn_arg *out_ret) {
  (void)ctx;
  (void)args;
  (void)n_args;
  (void)out_ret;
  return TN_ERR(TN_TIMEOUT, "no answer");
}

static tn_status borrow(void *ctx, const tn_arg *args, int32_t n_args, tn_arg *out_ret) {
  (void)ctx;
  (void)args;
  (void)n_args;
  *out_ret = (tn_arg){.kind = TN_ARG_STR, .u = {.str = "not the caller's"}};
  return NULL;
}

static tn_status call_arg(void *ctx, const tn_arg *args, int32_t n_args, tn_arg *out_ret) {
  (void)ctx;
  return tn_func_call(tn_arg_func(&args[0]), args + 1, n_args - 1, out_ret);
}

/* ---- fixture ---- */

typedef struct host {
  tn_runtime *rt;
  tn_vm *vm;
} host;

static void host_open(host *h, tn_asm *a, const DLDevice *devices, int32_t n_devices) {
  tn_exec *exec = NULL;
  tn_image image = asm_finish(a);
  expect_ok(tn_runtime_create(2, &h->rt));
  expect_ok(tn_exec_from_memory(image.bytes, image.n_bytes, find_kernel, image.bytes, tn_mem_free,
                                &exec));
  expect_ok(tn_vm_create(h->rt, exec, devices, n_devices, &h->vm));
  tn_exec_release(exec);
}

static void host_close(host *h) {
  tn_vm_release(h->vm);
  tn_runtime_release(h->rt);
}

static DLTensor vector(float *data, int64_t *n) {
  return (DLTensor){
      .data = data, .device = {kDLCPU, 0}, .ndim = 1, .dtype = {2, 32, 1}, .shape = n};
}

static void expect_int(tn_vm *vm, const char *func, int64_t arg, int64_t want) {
  tn_arg x = tn_arg_of_int(arg);
  tn_arg y = tn_arg_none();
  expect_ok(tn_vm_call(vm, func, &x, 1, &y));
  expect_true(y.kind == TN_ARG_INT && y.u.i64 == want, "%s(%lld): got %lld, want %lld", func,
              (long long)arg, (long long)y.u.i64, (long long)want);
}

/* main(x: (4,)) -> x + w + w, the first sum in memory that is kept */
static void sum_program(tn_asm *a) {
  const float w[] = {10, 20, 30, 40};
  uint32_t k = asm_outside(a, TN_EXEC_FN_KERNEL, "add", "add(A, B, C)");
  asm_const_tensor(a, TN_DT_F32, 1, (const int64_t[]){4}, w, sizeof w);
  asm_begin(a, "main", 1, 5, 0);
  asm_tensor(a, "x", TN_DT_F32, 1, 4);
  asm_tensor(a, "", TN_DT_F32, 1, 4);
  EMIT(a, TN_VM_ALLOC_STORAGE, 1, I(16), 0, 1);
  EMIT(a, TN_VM_ALLOC_TENSOR, 2, 1, 0, TN_DT_F32, 1, I(4));
  EMIT(a, TN_VM_CALL, -1, k, 3, R(0), C(0), R(2));
  EMIT(a, TN_VM_ALLOC_STORAGE, 3, I(16), 0, 0);
  EMIT(a, TN_VM_ALLOC_TENSOR, 4, 3, 0, TN_DT_F32, 1, I(4));
  EMIT(a, TN_VM_KILL, 3);
  EMIT(a, TN_VM_CALL, -1, k, 3, R(2), C(0), R(4));
  EMIT(a, TN_VM_KILL, 2);
  EMIT(a, TN_VM_RET, R(4));
  asm_end(a);
}

static void kernels_run_in_destination_passing_style(void **state) {
  (void)state;
  tn_asm a = {0};
  host h;
  float data[] = {1, 2, 3, 4};
  int64_t n = 4;
  DLTensor dl = vector(data, &n);
  tn_arg x = tn_arg_of_dl(&dl);
  tn_arg y[2] = {{0}, {0}};
  sum_program(&a);
  host_open(&h, &a, NULL, 0);
  expect_ok(tn_vm_call(h.vm, "main", &x, 1, &y[0]));
  data[0] = 100;
  expect_ok(tn_vm_call(h.vm, "main", &x, 1, &y[1]));
  host_close(&h); /* results live on alone */
  assert_true(((float *)tn_arg_dl(&y[0])->data)[0] == 21.0F);
  assert_true(((float *)tn_arg_dl(&y[0])->data)[3] == 84.0F);
  assert_true(((float *)tn_arg_dl(&y[1])->data)[0] == 120.0F);
  tn_arg_release(&y[0]);
  tn_arg_release(&y[1]);
}

static void runs_after_the_first_allocate_only_results(void **state) {
  (void)state;
  tn_asm a = {0};
  host h;
  float data[] = {1, 2, 3, 4};
  int64_t n = 4;
  DLTensor dl = vector(data, &n);
  tn_arg x = tn_arg_of_dl(&dl);
  sum_program(&a);
  host_open(&h, &a, NULL, 0);
  for (int i = 0; i < 5; ++i) {
    tn_arg y = {0};
    int64_t before = n_allocations;
    expect_ok(tn_vm_call(h.vm, "main", &x, 1, &y));
    int64_t n_new = n_allocations - before;
    expect_true(i == 0 || n_new == 3, "run %d made %lld allocations", i,
                (long long)n_new); /* storage (2), tensor */
    tn_arg_release(&y);
  }
  host_close(&h);
}

static void kept_memory_that_escaped_is_not_reused(void **state) {
  (void)state;
  tn_asm a = {0};
  host h;
  tn_arg y[3] = {{0}, {0}, {0}};
  asm_begin(&a, "main", 0, 2, 0);
  asm_any(&a, "");
  EMIT(&a, TN_VM_ALLOC_STORAGE, 0, I(16), 0, 1); /* a lie: it does escape */
  EMIT(&a, TN_VM_ALLOC_TENSOR, 1, 0, 0, TN_DT_F32, 1, I(4));
  EMIT(&a, TN_VM_RET, R(1));
  asm_end(&a);
  host_open(&h, &a, NULL, 0);
  for (int i = 0; i < 3; ++i) {
    expect_ok(tn_vm_call(h.vm, "main", NULL, 0, &y[i]));
  }
  assert_ptr_not_equal(tn_arg_dl(&y[0])->data, tn_arg_dl(&y[1])->data);
  assert_ptr_not_equal(tn_arg_dl(&y[1])->data, tn_arg_dl(&y[2])->data);
  for (int i = 0; i < 3; ++i) {
    tn_arg_release(&y[i]);
  }
  host_close(&h);
}

/* sum(n) = n == 0 ? 0 : n + sum(n - 1), on integers */
static void recursion_program(tn_asm *a) {
  uint32_t self = asm_begin(a, "sum", 1, 3, 3);
  asm_any(a, "n");
  asm_any(a, "");
  EMIT(a, TN_VM_TO_SLOT, 0, 0);
  int64_t branch = asm_here(a);
  EMIT(a, TN_VM_BRANCH_FALSE, 0, branch + 3 + 5 + 3 + 5 + 3 + 5 + 2);
  EMIT(a, TN_VM_SHAPE_OP, 1, TN_VM_SH_SUB, S(0), I(1));
  EMIT(a, TN_VM_MOVE, 2, S(1));
  EMIT(a, TN_VM_CALL, 1, self, 1, R(2));
  EMIT(a, TN_VM_TO_SLOT, 2, 1);
  EMIT(a, TN_VM_SHAPE_OP, 2, TN_VM_SH_ADD, S(2), S(0));
  EMIT(a, TN_VM_RET, S(2));
  EMIT(a, TN_VM_RET, I(0));
  asm_end(a);
}

static void functions_recurse_to_a_limit(void **state) {
  (void)state;
  tn_asm a = {0};
  host h;
  recursion_program(&a);
  host_open(&h, &a, NULL, 0);
  expect_int(h.vm, "sum", 0, 0);
  expect_int(h.vm, "sum", 10, 55);
  expect_int(h.vm, "sum", 999, 499500);
  tn_arg deep = tn_arg_of_int(1000);
  expect_error(tn_vm_call(h.vm, "sum", &deep, 1, NULL), TN_INVALID,
               "recursion deeper than 1000 calls in 'sum'");
  expect_int(h.vm, "sum", 100, 5050); /* and lives on */
  host_close(&h);
}

static void conditions_may_be_ints_or_bool_tensors(void **state) {
  (void)state;
  tn_asm a = {0};
  host h;
  uint32_t text = asm_const_text(&a, "wrong");
  uint32_t assertion = asm_outside(&a, TN_EXEC_FN_PACKED, "vm.builtin.assert_op", "");
  asm_begin(&a, "claim", 1, 1, 0);
  asm_any(&a, "c");
  asm_any(&a, "");
  EMIT(&a, TN_VM_CALL, -1, assertion, 2, C(text), R(0));
  EMIT(&a, TN_VM_RET, R(0));
  asm_end(&a);
  int64_t at = asm_here(&a);
  asm_begin(&a, "choose", 1, 1, 0);
  asm_any(&a, "c");
  asm_any(&a, "");
  EMIT(&a, TN_VM_BRANCH_FALSE, 0, at + 5);
  EMIT(&a, TN_VM_RET, I(1));
  EMIT(&a, TN_VM_RET, I(2));
  asm_end(&a);
  host_open(&h, &a, NULL, 0);
  expect_int(h.vm, "choose", 7, 1);
  expect_int(h.vm, "choose", 0, 2);
  for (uint8_t i = 0; i < 2; ++i) {
    DLTensor dl = {.data = &i, .device = {kDLCPU, 0}, .dtype = {6, 8, 1}};
    tn_arg x = tn_arg_of_dl(&dl);
    tn_arg y = {0};
    tn_tensor *host_bool = NULL;
    tn_tensor *far = NULL;
    expect_ok(tn_vm_call(h.vm, "choose", &x, 1, &y));
    assert_int_equal(y.u.i64, i == 1 ? 1 : 2);
    expect_ok(tn_tensor_create(TN_DT_BOOL, 0, NULL, &i, &host_bool));
    expect_ok(tn_tensor_copy(h.rt, host_bool, (DLDevice){kDLExtDev, 0}, &far));
    x = tn_arg_of_tensor(far); /* a condition on a device is fetched */
    expect_ok(tn_vm_call(h.vm, "choose", &x, 1, &y));
    assert_int_equal(y.u.i64, i == 1 ? 1 : 2);
    if (i == 1) {
      expect_ok(tn_vm_call(h.vm, "claim", &x, 1, NULL));
    } else {
      expect_error(tn_vm_call(h.vm, "claim", &x, 1, NULL), TN_INVALID, "assertion failed: wrong");
    }
    tn_tensor_release(far);
    tn_tensor_release(host_bool);
  }
  float real = 1;
  int64_t one = 1;
  DLTensor dl = vector(&real, &one);
  tn_arg x = tn_arg_of_dl(&dl);
  expect_error(tn_vm_call(h.vm, "choose", &x, 1, NULL), TN_INVALID,
               "one bool or integer, and is Tensor((1,), float32)");
  x = tn_arg_of_text("yes");
  expect_error(tn_vm_call(h.vm, "choose", &x, 1, NULL), TN_INVALID, "and is a text");
  host_close(&h);
}

/* shapes(x: (n, 2n), s: shape (n,)) -> (x's shape, (n + 1, 7)) */
static void shape_program(tn_asm *a) {
  uint32_t x_text = asm_const_text(a, "x must be R.Tensor((n, 2 * n))");
  asm_begin(a, "shapes", 2, 5, 3);
  asm_any(a, "x");
  asm_any(a, "s");
  asm_any(a, "");
  EMIT(a, TN_VM_MATCH, 0, x_text, 0, 2, 2, TN_ARGW(TN_VM_DIM_STORE, 0),
       TN_ARGW(TN_VM_DIM_STORE, 1));
  EMIT(a, TN_VM_SHAPE_OP, 2, TN_VM_SH_MUL, S(0), I(2));
  EMIT(a, TN_VM_MATCH, 0, x_text, TN_DT_F32, 2, 2, TN_ARGW(TN_VM_DIM_ANY, 0),
       TN_ARGW(TN_VM_DIM_EQ_SLOT, 2));
  EMIT(a, TN_VM_MATCH, 1, -1, -1, 1, 1, TN_ARGW(TN_VM_DIM_EQ_SLOT, 0));
  EMIT(a, TN_VM_SHAPE_OF, 2, 0);
  EMIT(a, TN_VM_SHAPE_OP, 2, TN_VM_SH_ADD, S(0), I(1));
  EMIT(a, TN_VM_MAKE_SHAPE, 3, 2, S(2), I(7));
  EMIT(a, TN_VM_MAKE_TUPLE, 4, 2, R(2), R(3));
  EMIT(a, TN_VM_RET, R(4));
  asm_end(a);
}

static void symbolic_shapes_are_matched_and_computed(void **state) {
  (void)state;
  tn_asm a = {0};
  host h;
  float data[32] = {0};
  int64_t shape[] = {3, 6};
  tn_shape *s = NULL;
  tn_arg y = {0};
  shape_program(&a);
  host_open(&h, &a, NULL, 0);
  DLTensor dl = {
      .data = data, .device = {kDLCPU, 0}, .ndim = 2, .dtype = {2, 32, 1}, .shape = shape};
  expect_ok(tn_shape_create(1, shape, &s));
  tn_arg args[] = {tn_arg_of_dl(&dl), tn_arg_of_shape(s)};
  expect_ok(tn_vm_call(h.vm, "shapes", args, 2, &y));
  tn_tuple *tuple = tn_arg_tuple(&y);
  assert_int_equal(tn_shape_dims(tn_arg_shape(tn_tuple_at(tuple, 0)))[1], 6);
  assert_int_equal(tn_shape_dims(tn_arg_shape(tn_tuple_at(tuple, 1)))[0], 4);
  tn_arg_release(&y);
  shape[1] = 5;
  expect_error(tn_vm_call(h.vm, "shapes", args, 2, NULL), TN_INVALID,
               "x must be R.Tensor((n, 2 * n)) in 'shapes': got Tensor((3, 5), float32): extent 1 "
               "is 5, not 6");
  shape[0] = 2;
  shape[1] = 4;
  expect_error(tn_vm_call(h.vm, "shapes", args, 2, NULL), TN_INVALID,
               "got shape: extent 0 is 3, not 2");
  dl.ndim = 1;
  expect_error(tn_vm_call(h.vm, "shapes", args, 2, NULL), TN_INVALID,
               "another number of dimensions");
  args[0] = tn_arg_of_int(3);
  expect_error(tn_vm_call(h.vm, "shapes", args, 2, NULL), TN_INVALID, "got int: not a tensor");
  args[0] = tn_arg_of_dl(&dl);
  args[1] = args[0];
  dl.ndim = 2;
  expect_error(tn_vm_call(h.vm, "shapes", args, 2, NULL), TN_INVALID, "not a shape");
  tn_shape_release(s);
  host_close(&h);
}

static void shape_arithmetic_is_exact_or_an_error(void **state) {
  (void)state;
  const struct {
    tn_vm_shape_op op;
    int64_t a;
    int64_t b;
    bool is_ok;
    int64_t want;
  } rows[] = {
      {TN_VM_SH_ADD, INT64_MAX, 1, false, 0},
      {TN_VM_SH_SUB, INT64_MIN, 1, false, 0},
      {TN_VM_SH_MUL, INT64_MAX, 2, false, 0},
      {TN_VM_SH_FLOORDIV, 1, 0, false, 0},
      {TN_VM_SH_FLOORDIV, INT64_MIN, -1, false, 0},
      {TN_VM_SH_FLOORMOD, 1, 0, false, 0},
      {TN_VM_SH_FLOORDIV, -7, 2, true, -4},
      {TN_VM_SH_FLOORMOD, -7, 2, true, 1},
      {TN_VM_SH_FLOORDIV, 7, -2, true, -4},
      {TN_VM_SH_FLOORMOD, 7, -2, true, -1},
      {TN_VM_SH_FLOORDIV, 6, 3, true, 2},
      {TN_VM_SH_MIN, 3, -4, true, -4},
      {TN_VM_SH_MAX, 3, -4, true, 3},
      {TN_VM_SH_EQ, 3, 3, true, 1},
      {TN_VM_SH_LT, 3, 3, true, 0},
      {TN_VM_SH_LE, 3, 3, true, 1},
      {TN_VM_SH_AND, 3, 0, true, 0},
      {TN_VM_SH_OR, 3, 0, true, 1},
      {TN_VM_SH_NOT, 3, 0, true, 0},
      {TN_VM_SH_SELECT, 3, 4, true, 4},
      {TN_VM_SH_MOVE, 3, 4, true, 3},
  };
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    tn_asm a = {0};
    host h;
    asm_begin(&a, "f", 2, 2, 1);
    asm_any(&a, "a");
    asm_any(&a, "b");
    asm_any(&a, "");
    EMIT(&a, TN_VM_SHAPE_OP, 0, rows[i].op, R(0), R(1));
    EMIT(&a, TN_VM_RET, S(0));
    asm_end(&a);
    host_open(&h, &a, NULL, 0);
    tn_arg args[] = {tn_arg_of_int(rows[i].a), tn_arg_of_int(rows[i].b)};
    tn_arg y = {0};
    tn_status st = tn_vm_call(h.vm, "f", args, 2, &y);
    expect_true((st == NULL) == rows[i].is_ok, "row %zu", i);
    expect_true(st != NULL || y.u.i64 == rows[i].want, "row %zu: %lld", i, (long long)y.u.i64);
    tn_status_free(st);
    host_close(&h);
  }
}

static void functions_of_the_host_are_called_by_name_in_order(void **state) {
  (void)state;
  tn_asm a = {0};
  host h;
  char log[128] = "";
  uint32_t packed = asm_outside(&a, TN_EXEC_FN_PACKED, "test.log", "");
  uint32_t refusing = asm_outside(&a, TN_EXEC_FN_PACKED, "test.refuse", "");
  uint32_t missing = asm_outside(&a, TN_EXEC_FN_PACKED, "test.missing", "");
  uint32_t hello = asm_const_text(&a, "hello");
  uint32_t borrowing = asm_outside(&a, TN_EXEC_FN_PACKED, "test.borrow", "");
  const uint32_t callee[] = {packed, refusing, missing, borrowing};
  const char *names[] = {"good", "refused", "unknown", "borrowed"};
  for (int i = 0; i < 4; ++i) {
    asm_begin(&a, names[i], 1, 2, 0);
    asm_any(&a, "x");
    asm_any(&a, "");
    EMIT(&a, TN_VM_CALL, -1, packed, 2, C(hello), I(4));
    EMIT(&a, TN_VM_CALL, 1, callee[i], 1, R(0));
    EMIT(&a, TN_VM_RET, R(1));
    asm_end(&a);
  }
  host_open(&h, &a, NULL, 0);
  expect_ok(tn_registry_add(tn_runtime_registry(h.rt), "test.log", log_arg, log, NULL, false));
  expect_ok(tn_registry_add(tn_runtime_registry(h.rt), "test.refuse", refuse, NULL, NULL, false));
  expect_ok(tn_registry_add(tn_runtime_registry(h.rt), "test.borrow", borrow, NULL, NULL, false));
  float data[] = {1, 2};
  int64_t n = 2;
  DLTensor dl = vector(data, &n);
  tn_arg x = tn_arg_of_dl(&dl);
  tn_arg y = {0};
  expect_ok(tn_vm_call(h.vm, "good", &x, 1, &y));
  assert_string_equal(log, "hello;int;tensor;");
  assert_ptr_equal(tn_arg_dl(&y)->data, data); /* the caller's own memory came through */
  tn_arg_release(&y);
  expect_error(tn_vm_call(h.vm, "refused", &x, 1, NULL), TN_TIMEOUT,
               "calling 'test.refuse': no answer");
  expect_error(tn_vm_call(h.vm, "unknown", &x, 1, NULL), TN_NOT_FOUND,
               "no function 'test.missing' is registered");
  expect_error(tn_vm_call(h.vm, "nothing", &x, 1, NULL), TN_NOT_FOUND,
               "it has: good, refused, unknown, borrowed");
  expect_error(tn_vm_call(h.vm, "borrowed", &x, 1, NULL), TN_INVALID,
               "the function returned a borrowed text");
  host_close(&h);
}

/* outer(k): f = closure(inner, k); f(3) + via the host f(4);  inner(a, b) = a * 10 + b */
static void closures_capture_values(void **state) {
  (void)state;
  tn_asm a = {0};
  host h;
  uint32_t call = asm_outside(&a, TN_EXEC_FN_PACKED, "test.call", "");
  uint32_t inner = asm_begin(&a, "inner", 2, 2, 1);
  asm_any(&a, "a");
  asm_any(&a, "b");
  asm_any(&a, "");
  EMIT(&a, TN_VM_SHAPE_OP, 0, TN_VM_SH_MUL, R(0), I(10));
  EMIT(&a, TN_VM_SHAPE_OP, 0, TN_VM_SH_ADD, S(0), R(1));
  EMIT(&a, TN_VM_RET, S(0));
  asm_end(&a);
  asm_begin(&a, "outer", 1, 5, 1);
  asm_any(&a, "k");
  asm_any(&a, "");
  EMIT(&a, TN_VM_MAKE_CLOSURE, 1, inner, 1, R(0));
  EMIT(&a, TN_VM_CALL_VALUE, 2, 1, 1, I(3));
  EMIT(&a, TN_VM_CALL, 3, call, 2, R(1), I(4));
  EMIT(&a, TN_VM_SHAPE_OP, 0, TN_VM_SH_ADD, R(2), R(3));
  EMIT(&a, TN_VM_CALL, 3, call, 3, F(inner), I(1), I(1));
  EMIT(&a, TN_VM_SHAPE_OP, 0, TN_VM_SH_ADD, S(0), R(3));
  EMIT(&a, TN_VM_RET, S(0));
  asm_end(&a);
  asm_begin(&a, "make", 1, 2, 0);
  asm_any(&a, "k");
  asm_any(&a, "");
  EMIT(&a, TN_VM_MAKE_CLOSURE, 1, inner, 1, R(0));
  EMIT(&a, TN_VM_RET, R(1));
  asm_end(&a);
  asm_begin(&a, "wrong", 1, 2, 0);
  asm_any(&a, "k");
  asm_any(&a, "");
  EMIT(&a, TN_VM_CALL_VALUE, 1, 0, 0);
  EMIT(&a, TN_VM_RET, R(1));
  asm_end(&a);
  host_open(&h, &a, NULL, 0);
  expect_ok(tn_registry_add(tn_runtime_registry(h.rt), "test.call", call_arg, NULL, NULL, false));
  expect_int(h.vm, "outer", 5, 35 + 45 + 11);
  tn_arg x = tn_arg_of_int(6);
  tn_arg f = {0};
  tn_arg y = {0};
  expect_ok(tn_vm_call(h.vm, "make", &x, 1, &f));
  expect_error(tn_vm_call(h.vm, "wrong", &f, 1, NULL), TN_INVALID,
               "number of arguments of 'inner': expected 1, got 0");
  expect_error(tn_vm_call(h.vm, "wrong", &x, 1, NULL), TN_INVALID,
               "should hold a function and holds a int");
  host_close(&h); /* the closure keeps the machine */
  expect_ok(tn_func_call(tn_arg_func(&f), &x, 1, &y));
  assert_int_equal(y.u.i64, 66);
  tn_arg_release(&f);
}

static void arguments_are_checked_against_declared_types(void **state) {
  (void)state;
  tn_asm a = {0};
  host h;
  float data[8] = {0};
  int64_t four = 4;
  int64_t three = 3;
  int64_t negative = -4;
  DLTensor good = vector(data, &four);
  DLTensor short_one = vector(data, &three);
  DLTensor ints = good;
  DLTensor flat = good;
  DLTensor null_data = good;
  DLTensor broken = vector(data, &negative);
  ints.dtype.code = 0;
  flat.ndim = 0;
  null_data.data = NULL;
  sum_program(&a);
  a.types.data[0].text = tn_image_add_string(&a.strings, "R.Tensor((4,), dtype=\"float32\")");
  host_open(&h, &a, NULL, 0);
  const struct {
    tn_arg arg;
    const char *part;
  } rows[] = {
      {tn_arg_of_dl(&short_one),
       "argument 0 ('x') of 'main': expected R.Tensor((4,), dtype=\"float32\"), got "
       "Tensor((3,), float32): extent 0 is 3, not 4"},
      {tn_arg_of_dl(&ints), "got Tensor((4,), int32): its elements are not float32"},
      {tn_arg_of_dl(&flat), "it has 0 dimensions, not 1"},
      {tn_arg_of_dl(&null_data), "argument 0: a tensor of 16 bytes without data"},
      {tn_arg_of_dl(&broken), "extent 0 is -4, not 4"},
      {tn_arg_of_int(4), "expected R.Tensor((4,), dtype=\"float32\"), got int"},
      {tn_arg_none(), "got nothing"},
  };
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    expect_error(tn_vm_call(h.vm, "main", &rows[i].arg, 1, NULL), TN_INVALID, rows[i].part);
  }
  tn_arg x[2] = {tn_arg_of_dl(&good), tn_arg_of_dl(&good)};
  expect_error(tn_vm_call(h.vm, "main", x, 2, NULL), TN_INVALID,
               "number of arguments of 'main': expected 1, got 2");
  expect_error(tn_vm_call(h.vm, "main", NULL, 0, NULL), TN_INVALID, "expected 1, got 0");
  expect_ok(tn_vm_call(h.vm, "main", x, 1, NULL));
  host_close(&h);
}

/* on(x, device): allocates there, copies x, hands it to the cpu kernel */
static void device_memory_does_not_reach_cpu_kernels(void **state) {
  (void)state;
  tn_asm a = {0};
  host h;
  const DLDevice devices[] = {{kDLCPU, 0}, {kDLExtDev, 0}};
  float data[] = {1, 2, 3, 4};
  int64_t n = 4;
  DLTensor dl = vector(data, &n);
  uint32_t k = asm_outside(&a, TN_EXEC_FN_KERNEL, "add", "add(A, B, C)");
  for (int i = 0; i < 3; ++i) {
    asm_begin(&a, i == 0 ? "near" : i == 1 ? "far" : "nowhere", 1, 3, 0);
    asm_any(&a, "x");
    asm_any(&a, "");
    EMIT(&a, TN_VM_ALLOC_STORAGE, 1, I(16), i, 1);
    EMIT(&a, TN_VM_ALLOC_TENSOR, 2, 1, 0, TN_DT_F32, 1, I(4));
    EMIT(&a, TN_VM_CALL, -1, k, 3, R(0), R(0), R(2));
    EMIT(&a, TN_VM_RET, I(0));
    asm_end(&a);
  }
  host_open(&h, &a, devices, 2);
  tn_arg x = tn_arg_of_dl(&dl);
  expect_ok(tn_vm_call(h.vm, "near", &x, 1, NULL));
  expect_error(
      tn_vm_call(h.vm, "far", &x, 1, NULL), TN_INVALID,
      "argument 2 when calling add(A, B, C): expected a tensor on cpu, got one on loopback:0");
  expect_error(tn_vm_call(h.vm, "nowhere", &x, 1, NULL), TN_INVALID, "on device 2 of 2");
  host_close(&h);
}

static void public_kernels_are_called_like_functions(void **state) {
  (void)state;
  tn_asm a = {0};
  host h;
  float data[3][2] = {{1, 2}, {3, 4}, {0, 0}};
  int64_t two = 2;
  int64_t one = 1;
  DLTensor t[3] = {vector(data[0], &two), vector(data[1], &two), vector(data[2], &two)};
  tn_arg args[] = {tn_arg_of_dl(&t[0]), tn_arg_of_dl(&t[1]), tn_arg_of_dl(&t[2])};
  tn_arg y = tn_arg_of_int(1);
  uint32_t k = asm_outside(&a, TN_EXEC_FN_KERNEL, "add", "add(A, B, C)");
  a.funcs.data[k].is_public = 1;
  a.funcs.data[k].n_params = 3;
  asm_tensor(&a, "A", TN_DT_F32, 1, -1);
  asm_tensor(&a, "B", TN_DT_F32, 1, -1);
  asm_tensor(&a, "C", TN_DT_F32, 1, 2);
  asm_any(&a, "");
  uint32_t c = asm_outside(&a, TN_EXEC_FN_KERNEL, "count", "");
  a.funcs.data[c].is_public = 1;
  a.funcs.data[c].n_params = 1;
  a.funcs.data[c].params = (uint32_t)a.types.len;
  asm_tensor(&a, "A", TN_DT_F32, 1, -1);
  asm_any(&a, "");
  TN_VEC_LAST(&a.types).kind = TN_EXEC_TY_SCALAR;
  host_open(&h, &a, NULL, 0);
  expect_ok(tn_vm_call(h.vm, "count", args, 1, &y));
  assert_int_equal(y.kind, TN_ARG_INT);
  assert_int_equal(y.u.i64, 2);
  expect_ok(tn_vm_call(h.vm, "add", args, 3, &y));
  assert_int_equal(y.kind, TN_ARG_NONE);
  assert_true(data[2][1] == 6.0F);
  t[1].shape = &one;
  expect_error(tn_vm_call(h.vm, "add", args, 3, NULL), TN_INVALID,
               "B.shape[0] of argument 1 when calling add(A, B, C): expected 2, got 1");
  t[2].shape = &one;
  expect_error(tn_vm_call(h.vm, "add", args, 3, NULL), TN_INVALID, "argument 2 ('C') of 'add'");
  expect_error(tn_vm_call(h.vm, "add", args, 2, NULL), TN_INVALID, "expected 3, got 2");
  host_close(&h);
}

static void wrong_values_in_registers_are_errors(void **state) {
  (void)state;
  tn_asm a = {0};
  host h;
  uint32_t k = asm_outside(&a, TN_EXEC_FN_KERNEL, "add", "");
  static const char *const parts[] = {
      "should hold a storage and holds a nothing",
      "should hold a tuple and holds a int",
      "item 2 of a tuple of 1",
      "should hold an int and holds a tuple",
      "leaves its storage of 16 bytes",
      "extent 0 of a tensor is -1",
      "should hold a tensor and holds a int",
      "expected 3, got 1",
      "takes no function",
      "allocates -1 bytes",
  };
  char name[] = "f0";
  for (int i = 0; i < 10; ++i) {
    name[1] = (char)('0' + i);
    asm_begin(&a, name, 0, 4, 1);
    asm_any(&a, "");
    EMIT(&a, TN_VM_ALLOC_STORAGE, 1, I(16), 0, 0);
    EMIT(&a, TN_VM_MAKE_TUPLE, 2, 1, I(5));
    EMIT(&a, TN_VM_MOVE, 3, I(5));
    switch (i) {
      case 0:
        EMIT(&a, TN_VM_ALLOC_TENSOR, 0, 0, 0, TN_DT_F32, 0);
        break;
      case 1:
        EMIT(&a, TN_VM_TUPLE_GET, 0, 3, 0);
        break;
      case 2:
        EMIT(&a, TN_VM_TUPLE_GET, 0, 2, 2);
        break;
      case 3:
        EMIT(&a, TN_VM_MAKE_SHAPE, 0, 1, R(2));
        break;
      case 4:
        EMIT(&a, TN_VM_ALLOC_TENSOR, 0, 1, 8, TN_DT_F32, 1, I(3));
        break;
      case 5:
        EMIT(&a, TN_VM_ALLOC_TENSOR, 0, 1, 0, TN_DT_F32, 1, I(-1));
        break;
      case 6:
        EMIT(&a, TN_VM_SHAPE_OF, 0, 3);
        break;
      case 7:
        EMIT(&a, TN_VM_CALL, -1, k, 1, I(1));
        break;
      case 8:
        EMIT(&a, TN_VM_CALL, -1, k, 1, F(1));
        break;
      default:
        EMIT(&a, TN_VM_ALLOC_STORAGE, 1, I(-1), 0, 0);
        break;
    }
    EMIT(&a, TN_VM_RET, I(0));
    asm_end(&a);
  }
  host_open(&h, &a, NULL, 0);
  for (int i = 0; i < 10; ++i) {
    name[1] = (char)('0' + i);
    expect_error(tn_vm_call(h.vm, name, NULL, 0, NULL), TN_INVALID, parts[i]);
  }
  host_close(&h);
}

typedef struct caller {
  tn_vm *vm;
  int n_wrong;
} caller;

static void *call_many(void *arg) {
  caller *c = arg;
  for (int i = 0; i < 200; ++i) {
    tn_arg x = tn_arg_of_int(20);
    tn_arg y = {0};
    tn_status st = tn_vm_call(c->vm, "sum", &x, 1, &y);
    c->n_wrong += st != NULL || y.u.i64 != 210;
    tn_status_free(st);
  }
  return NULL;
}

static void calls_from_many_threads_take_turns(void **state) {
  (void)state;
  tn_asm a = {0};
  host h;
  pthread_t threads[4];
  caller callers[4];
  recursion_program(&a);
  host_open(&h, &a, NULL, 0);
  for (int i = 0; i < 4; ++i) {
    callers[i] = (caller){.vm = h.vm};
    assert_int_equal(pthread_create(&threads[i], NULL, call_many, &callers[i]), 0);
  }
  for (int i = 0; i < 4; ++i) {
    pthread_join(threads[i], NULL);
    assert_int_equal(callers[i].n_wrong, 0);
  }
  host_close(&h);
}

/* ---- memory that runs out ---- */

static tn_status whole_life(const tn_image *image, const tn_arg *x) {
  tn_status st = NULL;
  tn_runtime *rt = NULL;
  tn_exec *exec = NULL;
  tn_vm *vm = NULL;
  tn_arg y[2] = {{0}, {0}};
  tn_tensor *copy = NULL;
  TN_GOTO(st, tn_runtime_create(2, &rt), done);
  TN_GOTO(st, tn_exec_from_memory(image->bytes, image->n_bytes, find_kernel, NULL, NULL, &exec),
          done);
  TN_GOTO(st, tn_vm_create(rt, exec, NULL, 0, &vm), done);
  TN_GOTO(st, tn_vm_call(vm, "main", x, 1, &y[0]), done);
  TN_GOTO(st, tn_vm_call(vm, "main", x, 1, &y[1]), done);
  TN_GOTO(st, tn_tensor_copy(rt, tn_arg_tensor(&y[0]), (DLDevice){kDLExtDev, 0}, &copy), done);
done:
  tn_tensor_release(copy);
  tn_arg_release(&y[0]);
  tn_arg_release(&y[1]);
  tn_vm_release(vm);
  tn_exec_release(exec);
  tn_runtime_release(rt);
  return st;
}

static void every_failed_allocation_is_an_error(void **state) {
  (void)state;
  tn_asm a = {0};
  float data[] = {1, 2, 3, 4};
  int64_t n = 4;
  DLTensor dl = vector(data, &n);
  tn_arg x = tn_arg_of_dl(&dl);
  sum_program(&a);
  tn_image image = asm_finish(&a);
  int64_t i = 0;
  for (; i < 200; ++i) {
    n_allocations = 0;
    failing_allocation = i;
    tn_status st = whole_life(&image, &x);
    failing_allocation = -1;
    if (st == NULL) {
      break;
    }
    expect_true(tn_status_code(st) == TN_NO_MEMORY, "allocation %lld: %s", (long long)i,
                tn_status_message(st));
    tn_status_free(st);
  }
  expect_true(i > 15 && i < 200, "%lld allocations", (long long)i);
  tn_image_deinit(&image);
}

/* ---- forged programs ---- */

/* Jumps only forward, so that the program ends. */
static bool ends(const tn_exec_view *view) {
  for (size_t i = 0; i < view->n_funcs; ++i) {
    const tn_exec_func *f = &view->funcs[i];
    for (size_t at = f->code_begin; f->kind == TN_EXEC_FN_VM && at < f->code_end;) {
      const int64_t *in = view->code + at;
      if ((in[0] == TN_VM_JUMP && in[1] <= (int64_t)at) ||
          (in[0] == TN_VM_BRANCH_FALSE && in[2] <= (int64_t)at)) {
        return false;
      }
      at += tn_vm_instr_len(in, f->code_end - at);
    }
  }
  return true;
}

static void run_forged(tn_runtime *rt, const tn_image *image, const char *func, const tn_arg *args,
                       int32_t n_args, size_t *n_run) {
  tn_exec *exec = NULL;
  tn_vm *vm = NULL;
  tn_status st = tn_exec_from_memory(image->bytes, image->n_bytes, find_kernel, NULL, NULL, &exec);
  if (st == NULL && ends(&exec->view)) {
    st = tn_vm_create(rt, exec, NULL, 0, &vm);
    ++*n_run;
    if (st == NULL) {
      st = tn_vm_call(vm, func, args, n_args, NULL);
    }
  }
  tn_status_free(st);
  tn_vm_release(vm);
  tn_exec_release(exec);
}

static void forged_programs_end_without_harm(void **state) {
  (void)state;
  tn_runtime *rt = NULL;
  tn_rng rng = tn_rng_make(7);
  float data[32] = {0};
  int64_t shape[] = {3, 6};
  DLTensor dl = {
      .data = data, .device = {kDLCPU, 0}, .ndim = 2, .dtype = {2, 32, 1}, .shape = shape};
  tn_shape *s = NULL;
  size_t n_run = 0;
  expect_ok(tn_runtime_create(1, &rt));
  expect_ok(tn_shape_create(1, shape, &s));
  tn_arg args[] = {tn_arg_of_dl(&dl), tn_arg_of_shape(s)};
  for (int which = 0; which < 2; ++which) {
    tn_asm a = {0};
    if (which == 0) {
      shape_program(&a);
    } else {
      recursion_program(&a);
      args[0] = tn_arg_of_int(5);
    }
    size_t n_code = a.code.len;
    tn_image image = asm_finish(&a);
    tn_exec_section sections[8];
    memcpy(sections, image.bytes + sizeof(tn_exec_header), sizeof(tn_exec_section) * 7);
    int64_t *code =
        (int64_t *)(void *)(image.bytes + sections[4].offset); /* CODE, as asm_finish orders them */
    for (int round = 0; round < 4000; ++round) {
      size_t at[2] = {tn_rng_below(&rng, n_code), tn_rng_below(&rng, n_code)};
      int64_t saved[2] = {code[at[0]], code[at[1]]};
      code[at[0]] = tn_rng_range(&rng, -1, 20);
      code[at[1]] = code[tn_rng_below(&rng, n_code)];
      uint64_t sum = tn_exec_checksum(image.bytes, image.n_bytes);
      memcpy(image.bytes + offsetof(tn_exec_header, checksum), &sum, sizeof sum);
      run_forged(rt, &image, which == 0 ? "shapes" : "sum", args, which == 0 ? 2 : 1, &n_run);
      code[at[1]] = saved[1];
      code[at[0]] = saved[0];
    }
    tn_image_deinit(&image);
  }
  expect_true(n_run > 100, "%zu programs ran", n_run);
  tn_shape_release(s);
  tn_runtime_release(rt);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kernels_run_in_destination_passing_style),
      cmocka_unit_test(runs_after_the_first_allocate_only_results),
      cmocka_unit_test(kept_memory_that_escaped_is_not_reused),
      cmocka_unit_test(functions_recurse_to_a_limit),
      cmocka_unit_test(conditions_may_be_ints_or_bool_tensors),
      cmocka_unit_test(symbolic_shapes_are_matched_and_computed),
      cmocka_unit_test(shape_arithmetic_is_exact_or_an_error),
      cmocka_unit_test(functions_of_the_host_are_called_by_name_in_order),
      cmocka_unit_test(closures_capture_values),
      cmocka_unit_test(arguments_are_checked_against_declared_types),
      cmocka_unit_test(device_memory_does_not_reach_cpu_kernels),
      cmocka_unit_test(public_kernels_are_called_like_functions),
      cmocka_unit_test(wrong_values_in_registers_are_errors),
      cmocka_unit_test(calls_from_many_threads_take_turns),
      cmocka_unit_test(every_failed_allocation_is_an_error),
      cmocka_unit_test(forged_programs_end_without_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
