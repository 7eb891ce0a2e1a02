/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The context: devices (with the loopback's guarded memory), the registry, and calls of kernels
 * with their messages. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#include "runtime/kernel_call.h"
#include "tn_test.h"

/* cmocka has a macro `fail`: calls of env->fail stand in parentheses. */

static tn_runtime *make_rt(int32_t n_threads) {
  tn_runtime *rt = NULL;
  expect_ok(tn_runtime_create(n_threads, &rt));
  return rt;
}

/* ---- devices ---- */

static void loopback_memory_cannot_be_touched(void **state) {
  (void)state;
  tn_runtime *rt = make_rt(1);
  DLDevice loop;
  tn_tensor *host = NULL;
  tn_tensor *device = NULL;
  tn_tensor *back = NULL;
  const float values[] = {1, 2, 3, 4};
  int fds[2];
  expect_ok(tn_runtime_find_device(rt, "loopback", &loop));
  expect_ok(tn_tensor_create(TN_DT_F32, 1, (const int64_t[]){4}, values, &host));
  expect_ok(tn_tensor_copy(rt, host, loop, &device));
  assert_int_equal(tn_tensor_dl(device)->device.device_type, kDLExtDev);
  assert_int_equal(pipe(fds), 0);
  /* The kernel's own access check: reading the address fails without a signal. */
  assert_int_equal(write(fds[1], tn_tensor_data(device), 4), -1);
  assert_int_equal(errno, EFAULT);
  close(fds[0]);
  close(fds[1]);
  expect_ok(tn_tensor_copy(NULL, device, (DLDevice){kDLCPU, 0}, &back));
  assert_memory_equal(tn_tensor_data(back), values, sizeof values);
  expect_ok(tn_runtime_sync(rt, loop));
  tn_runtime_release(rt); /* the tensor keeps the context */
  tn_tensor_release(back);
  tn_tensor_release(device);
  tn_tensor_release(host);
}

static void loopback_copies_strided_views(void **state) {
  (void)state;
  tn_runtime *rt = make_rt(1);
  const DLDevice loop = {kDLExtDev, 0};
  tn_tensor *host = NULL;
  tn_tensor *device = NULL;
  tn_tensor *column = NULL;
  tn_tensor *back = NULL;
  tn_tensor *again = NULL;
  const int32_t values[] = {1, 2, 3, 4, 5, 6};
  expect_ok(tn_tensor_create(TN_DT_I32, 2, (const int64_t[]){2, 3}, values, &host));
  expect_ok(tn_tensor_copy(rt, host, loop, &device));
  expect_ok(
      tn_tensor_view(device, TN_DT_I32, 1, (const int64_t[]){2}, (const int64_t[]){3}, 4, &column));
  expect_ok(tn_tensor_copy(NULL, column, (DLDevice){kDLCPU, 0}, &back));
  assert_int_equal(((int32_t *)tn_tensor_data(back))[0], 2);
  assert_int_equal(((int32_t *)tn_tensor_data(back))[1], 5);
  expect_ok(tn_tensor_copy(rt, column, loop, &again));
  tn_tensor_release(again);
  tn_tensor_release(back);
  tn_tensor_release(column);
  tn_tensor_release(device);
  tn_tensor_release(host);
  tn_runtime_release(rt);
}

static void unknown_devices_are_named(void **state) {
  (void)state;
  tn_runtime *rt = make_rt(1);
  DLDevice device = {0, 0};
  tn_tensor *t = NULL;
  expect_error(tn_runtime_find_device(rt, "gpu", &device), TN_NOT_FOUND,
               "no device 'gpu'; there are: cpu, loopback");
  expect_error(tn_runtime_find_device(rt, "loopback:7", &device), TN_INVALID, "N in [0, 1)");
  expect_error(tn_runtime_find_device(rt, "cpu:x", &device), TN_INVALID, "cpu:N");
  expect_error(tn_tensor_empty(rt, (DLDevice){2, 0}, TN_DT_F32, 0, NULL, &t), TN_NOT_FOUND,
               "DLPack type 2");
  expect_error(tn_tensor_empty(rt, (DLDevice){kDLCPU, 1}, TN_DT_F32, 0, NULL, &t), TN_INVALID,
               "no number 1");
  expect_error(tn_tensor_empty(NULL, (DLDevice){kDLExtDev, 0}, TN_DT_F32, 0, NULL, &t),
               TN_NOT_FOUND, "context");
  expect_error(tn_runtime_add_device(rt, &(tn_device_ops){.name = "x"}, NULL), TN_INVALID,
               "'x' needs");
  tn_runtime_release(rt);
}

/* ---- registry ---- */

static tn_status count_args(void *ctx, const tn_arg *args, int32_t n_args, tn_arg *out_ret) {
  (void)args;
  *(int *)ctx += n_args;
  *out_ret = tn_arg_of_int(n_args);
  return NULL;
}

static void count_free(void *ctx) { *(int *)ctx += 1000; }

static void collect(void *ctx, const char *name) {
  strcat(ctx, name);
  strcat(ctx, " ");
}

static void functions_are_found_by_name(void **state) {
  (void)state;
  tn_runtime *rt = make_rt(1);
  tn_registry *reg = tn_runtime_registry(rt);
  int first = 0;
  int second = 0;
  tn_func *func = NULL;
  tn_arg args[2] = {tn_arg_of_int(1), tn_arg_of_float(2)};
  tn_arg ret = tn_arg_none();
  expect_ok(tn_registry_add(reg, "b.f", count_args, &first, count_free, false));
  expect_ok(tn_registry_add(reg, "a.g", count_args, &second, NULL, false));
  expect_error(tn_registry_add(reg, "b.f", count_args, &second, count_free, false), TN_EXISTS,
               "'b.f'");
  assert_int_equal(second, 0);
  expect_error(tn_registry_add(reg, "", count_args, NULL, NULL, false), TN_INVALID, "name");
  expect_error(tn_registry_find(reg, "nobody", &func), TN_NOT_FOUND, "no function 'nobody'");
  char names[64] = "";
  tn_registry_list(reg, collect, names);
  assert_string_equal(names, "b.f a.g ");
  expect_ok(tn_registry_find(reg, "b.f", &func));
  expect_ok(tn_registry_add(reg, "b.f", count_args, &second, NULL, true));
  assert_int_equal(first, 0); /* still held */
  expect_ok(tn_func_call(func, args, 2, &ret));
  assert_int_equal(ret.u.i64, 2);
  tn_func_release(func);
  assert_int_equal(first, 1002);
  expect_ok(tn_registry_remove(reg, "a.g"));
  expect_error(tn_registry_remove(reg, "a.g"), TN_NOT_FOUND, "a.g");
  tn_runtime_release(rt);
}

/* Called by all threads at once, also after the one that registered it has ended. */
static tn_status count_call(void *ctx, const tn_arg *args, int32_t n_args, tn_arg *out_ret) {
  (void)args;
  (void)n_args;
  (void)out_ret;
  atomic_fetch_add((atomic_int *)ctx, 1);
  return NULL;
}

static atomic_int n_calls;

static void *churn(void *arg) {
  tn_registry *reg = arg;
  for (int i = 0; i < 300; ++i) {
    tn_func *func = NULL;
    tn_status st = tn_registry_find(reg, "shared", &func);
    if (st == NULL) {
      st = tn_func_call(func, NULL, 0, NULL);
      tn_func_release(func);
    }
    tn_status_free(st);
    tn_status_free(tn_registry_add(reg, "shared", count_call, &n_calls, NULL, true));
    tn_status_free(tn_registry_remove(reg, "shared"));
  }
  return NULL;
}

static void the_registry_may_be_used_by_many_threads(void **state) {
  (void)state;
  tn_runtime *rt = make_rt(1);
  pthread_t threads[4];
  static int sink;
  expect_ok(tn_registry_add(tn_runtime_registry(rt), "other", count_args, &sink, NULL, false));
  for (int i = 0; i < 4; ++i) {
    assert_int_equal(pthread_create(&threads[i], NULL, churn, tn_runtime_registry(rt)), 0);
  }
  for (int i = 0; i < 4; ++i) {
    pthread_join(threads[i], NULL);
  }
  tn_runtime_release(rt);
}

/* ---- kernels ---- */

static int32_t refusing(const tn_env *env, const tn_arg *args, int32_t n_args) {
  (void)n_args;
  int32_t code = (int32_t)args[0].u.i64;
  return (env->fail)(env, code, "B of argument 1", args[1].u.i64, args[2].u.i64);
}

static void refusals_say_where_and_what(void **state) {
  (void)state;
  tn_runtime *rt = make_rt(1);
  const struct {
    int64_t code;
    int64_t expected;
    int64_t got;
    tn_code status;
    const char *part;
  } rows[] = {
      {TN_KERR_SHAPE, 4, 5, TN_INVALID,
       "B of argument 1 when calling add(A, B): expected 4, got 5"},
      {TN_KERR_N_ARGS, 2, 3, TN_INVALID,
       "number of arguments when calling add(A, B): expected 2, got 3"},
      {TN_KERR_DTYPE, TN_DT_F32, TN_DT_I8, TN_INVALID, "expected float32, got int8"},
      {TN_KERR_KIND, TN_ARG_TENSOR, TN_ARG_INT, TN_INVALID, "expected tensor, got int"},
      {TN_KERR_DEVICE, kDLCPU, kDLExtDev, TN_INVALID, "expected cpu, got loopback:0"},
      {TN_KERR_ALIGN, 64, 16, TN_INVALID, "multiple of 64 bytes, got one 16 past"},
      {TN_KERR_NULL, 0, 0, TN_INVALID, "no data"},
      {TN_KERR_ASSERT, 0, 0, TN_INVALID, "assertion in add(A, B): B of argument 1"},
      {TN_KERR_WORKSPACE, 0, 77, TN_NO_MEMORY, "77 bytes"},
      {TN_KERR_NDIM, 2, 1, TN_INVALID, "expected 2, got 1"},
      {TN_KERR_VALUE, TN_DT_I8, 300, TN_INVALID, "expected int8, got 300"},
  };
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    tn_arg args[] = {tn_arg_of_int(rows[i].code), tn_arg_of_int(rows[i].expected),
                     tn_arg_of_int(rows[i].got)};
    expect_error(tn_kernel_call(rt, refusing, "add(A, B)", args, 3), rows[i].status, rows[i].part);
  }
  tn_runtime_release(rt);
}

static int32_t silent_failure(const tn_env *env, const tn_arg *args, int32_t n_args) {
  (void)env;
  (void)args;
  return n_args;
}

static int32_t double_all(const tn_env *env, const tn_arg *args, int32_t n_args) {
  if (n_args != 1 || args[0].kind != TN_ARG_TENSOR) {
    return (env->fail)(env, TN_KERR_KIND, "A of argument 0", TN_ARG_TENSOR, args[0].kind);
  }
  float *data = args[0].u.tensor->data;
  for (int64_t i = 0; i < args[0].u.tensor->shape[0]; ++i) {
    data[i] *= 2;
  }
  return 0;
}

static void kernels_get_plain_arguments(void **state) {
  (void)state;
  tn_runtime *rt = make_rt(1);
  tn_tensor *t = NULL;
  tn_tensor *far = NULL;
  tn_tuple *tuple = NULL;
  expect_ok(tn_tensor_create(TN_DT_F32, 1, (const int64_t[]){2}, (const float[]){1, 2}, &t));
  tn_arg arg = tn_arg_of_tensor(t);
  expect_ok(tn_kernel_call(rt, double_all, "double", &arg, 1));
  assert_true(((float *)tn_tensor_data(t))[1] == 4.0F);
  expect_ok(tn_tensor_copy(rt, t, (DLDevice){kDLExtDev, 0}, &far));
  tn_arg far_arg = tn_arg_of_tensor(far);
  expect_error(tn_kernel_call(rt, double_all, "double", &far_arg, 1), TN_INVALID,
               "argument 0 when calling double: expected a tensor on cpu, got one on loopback:0");
  expect_ok(tn_tuple_create(0, NULL, &tuple));
  tn_arg tuple_arg = tn_arg_of_tuple(tuple);
  expect_error(tn_kernel_call(rt, double_all, "double", &tuple_arg, 1), TN_INVALID,
               "takes no tuple");
  tn_arg many[40] = {{0}};
  expect_error(tn_kernel_call(rt, silent_failure, "odd", many, 40), TN_INTERNAL,
               "code 40 and no record");
  tn_arg_release(&tuple_arg);
  tn_tensor_release(far);
  tn_tensor_release(t);
  tn_runtime_release(rt);
}

static int32_t calls_by_name(const tn_env *env, const tn_arg *args, int32_t n_args) {
  tn_arg ret = {0};
  int32_t code = env->call_packed(env, args[0].u.str, args, n_args, &ret);
  if (code != 0) {
    return args[1].u.i64 != 0 ? 0 : code; /* may go on without */
  }
  return ret.kind == TN_ARG_INT && ret.u.i64 == n_args ? 0 : 1;
}

static tn_status returns_text(void *ctx, const tn_arg *args, int32_t n_args, tn_arg *out_ret) {
  (void)ctx;
  (void)args;
  (void)n_args;
  *out_ret = tn_arg_of_text("text");
  return NULL;
}

static void kernels_call_by_name(void **state) {
  (void)state;
  tn_runtime *rt = make_rt(1);
  int n = 0;
  tn_arg args[] = {tn_arg_of_text("count"), tn_arg_of_int(0)};
  expect_ok(tn_registry_add(tn_runtime_registry(rt), "count", count_args, &n, NULL, false));
  expect_ok(tn_registry_add(tn_runtime_registry(rt), "text", returns_text, NULL, NULL, false));
  expect_ok(tn_kernel_call(rt, calls_by_name, "k(x)", args, 2));
  assert_int_equal(n, 2);
  args[0] = tn_arg_of_text("nobody");
  expect_error(tn_kernel_call(rt, calls_by_name, "k(x)", args, 2), TN_NOT_FOUND,
               "in k(x): no function 'nobody'");
  args[1] = tn_arg_of_int(1);
  expect_ok(tn_kernel_call(rt, calls_by_name, "k(x)", args, 2));
  args[0] = tn_arg_of_text("text");
  args[1] = tn_arg_of_int(0);
  expect_error(tn_kernel_call(rt, calls_by_name, "k(x)", args, 2), TN_INVALID,
               "takes numbers only");
  tn_runtime_release(rt);
}

static int32_t fails_in_parallel_body(const tn_env *env, int64_t begin, int64_t end,
                                      void *closure) {
  (void)closure;
  for (int64_t i = begin; i < end; ++i) {
    if (i % 7 == 3) {
      return (env->fail)(env, TN_KERR_SHAPE, "x", i, -i);
    }
  }
  return 0;
}

static int32_t fails_in_parallel(const tn_env *env, const tn_arg *args, int32_t n_args) {
  (void)args;
  (void)n_args;
  return env->parallel_for(env, fails_in_parallel_body, NULL, 100);
}

static void of_many_errors_one_is_told_whole(void **state) {
  (void)state;
  tn_runtime *rt = make_rt(4);
  for (int i = 0; i < 50; ++i) {
    tn_status st = tn_kernel_call(rt, fails_in_parallel, "k", NULL, 0);
    int expected = 0;
    int got = 0;
    assert_non_null(st);
    const char *text = strstr(tn_status_message(st), "expected ");
    assert_non_null(text);
    assert_int_equal(sscanf(text, "expected %d, got %d", &expected, &got), 2);
    assert_int_equal(expected, -got);
    tn_status_free(st);
  }
  tn_runtime_release(rt);
}

static int32_t scratch_body(const tn_env *env, int64_t begin, int64_t end, void *closure) {
  (void)closure;
  for (int64_t i = begin; i < end; ++i) {
    int64_t n_bytes = 64 + i * 100;
    char *a = env->workspace_alloc(env, n_bytes);
    char *b = env->workspace_alloc(env, 0);
    if (a == NULL || b == NULL || (uintptr_t)a % 64 != 0 || a == b) {
      return TN_KERR_WORKSPACE;
    }
    memset(a, (int)i, (size_t)n_bytes);
    env->workspace_free(env, b);
    env->workspace_free(env, a);
  }
  return 0;
}

static int32_t scratch(const tn_env *env, const tn_arg *args, int32_t n_args) {
  (void)args;
  (void)n_args;
  if (env->workspace_alloc(env, -1) != NULL || env->workspace_alloc(env, INT64_MAX) != NULL) {
    return 1;
  }
  return env->parallel_for(env, scratch_body, NULL, 64);
}

static void scratch_memory_serves_many_threads(void **state) {
  (void)state;
  tn_runtime *rt = make_rt(4);
  for (int i = 0; i < 20; ++i) {
    expect_ok(tn_kernel_call(rt, scratch, "scratch", NULL, 0));
  }
  tn_runtime_release(rt);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loopback_memory_cannot_be_touched),
      cmocka_unit_test(loopback_copies_strided_views),
      cmocka_unit_test(unknown_devices_are_named),
      cmocka_unit_test(functions_are_found_by_name),
      cmocka_unit_test(the_registry_may_be_used_by_many_threads),
      cmocka_unit_test(refusals_say_where_and_what),
      cmocka_unit_test(kernels_get_plain_arguments),
      cmocka_unit_test(kernels_call_by_name),
      cmocka_unit_test(of_many_errors_one_is_told_whole),
      cmocka_unit_test(scratch_memory_serves_many_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
