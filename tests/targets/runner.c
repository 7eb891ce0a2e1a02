/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Runs compiled programs where there is nothing but a processor: no libc, no operating system
 * needed. Compares every byte of every tensor with what the interpreter computed elsewhere. */
#include "runner.h"

#include <stddef.h>

#include "tenon/abi/kernel.h"

extern const uint8_t runner_cases[];
extern const tn_kernel_fn runner_kernels[];

/* ---- what compilers call by themselves ---- */

void *memcpy(void *dst, const void *src, size_t n);
void *memmove(void *dst, const void *src, size_t n);
void *memset(void *dst, int value, size_t n);

void *memcpy(void *dst, const void *src, size_t n) {
  volatile uint8_t *to = dst; /* volatile: or it becomes a call of itself */
  for (size_t i = 0; i < n; ++i) {
    to[i] = ((const uint8_t *)src)[i];
  }
  return dst;
}

void *memmove(void *dst, const void *src, size_t n) {
  volatile uint8_t *to = dst;
  const volatile uint8_t *from = src;
  for (size_t i = 0; i < n; ++i) {
    size_t at = (uintptr_t)dst < (uintptr_t)src ? i : n - 1 - i;
    to[at] = from[at];
  }
  return dst;
}

void *memset(void *dst, int value, size_t n) {
  volatile uint8_t *to = dst;
  for (size_t i = 0; i < n; ++i) {
    to[i] = (uint8_t)value;
  }
  return dst;
}

/* LLVM calls these for a minimum of float16 that it narrowed. */
float fminf(float a, float b);
float fmaxf(float a, float b);

float fminf(float a, float b) { return a < b || b != b ? a : b; }
float fmaxf(float a, float b) { return a > b || b != b ? a : b; }

/* ---- text ---- */

static void print_int(int64_t value) {
  char text[24];
  char *at = text + sizeof text - 1;
  uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  *at = '\0';
  do {
    *--at = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest != 0);
  if (value < 0) {
    *--at = '-';
  }
  runner_print(at);
}

static void print_pair(const char *what, int64_t value) {
  runner_print(what);
  print_int(value);
}

/* ---- the kernels' host ---- */

enum { N_MEMORY_BYTES = 8 << 20, ALIGN = 64, MAX_LIVE = 64 };

/* The memory of a call: tensors first, then scratch, given back in reverse order. */
static uint8_t memory[N_MEMORY_BYTES] __attribute__((aligned(ALIGN)));
static size_t n_used;
static size_t live[MAX_LIVE];
static int n_live;

static void *take(size_t n_bytes) {
  size_t n = (n_bytes + ALIGN - 1) / ALIGN * ALIGN;
  if (n_bytes > N_MEMORY_BYTES || n > N_MEMORY_BYTES - n_used) {
    return NULL;
  }
  void *ptr = memory + n_used;
  n_used += n;
  return ptr;
}

static int32_t serial_for(const tn_env *env, tn_par_body body, void *closure, int64_t n) {
  return n <= 0 ? 0 : body(env, 0, n, closure);
}

static void *workspace_alloc(const tn_env *env, int64_t n_bytes) {
  (void)env;
  if (n_bytes < 0 || n_live == MAX_LIVE) {
    return NULL;
  }
  live[n_live++] = n_used;
  return take((size_t)n_bytes);
}

static void workspace_free(const tn_env *env, void *ptr) {
  (void)env;
  (void)ptr;
  n_used = live[--n_live];
}

static int32_t fail(const tn_env *env, int32_t code, const char *text, int64_t expected,
                    int64_t got) {
  (void)env;
  runner_print("  refused: ");
  runner_print(text);
  print_pair(" expected ", expected);
  print_pair(" got ", got);
  runner_print("\n");
  return code;
}

static int32_t call_packed(const tn_env *env, const char *name, const tn_arg *args, int32_t n_args,
                           tn_arg *out_ret) {
  (void)args;
  (void)n_args;
  (void)out_ret;
  return fail(env, TN_KERR_PACKED, name, 0, 0);
}

/* ---- cases ---- */

static size_t padded(uint64_t n_bytes) { return (n_bytes + 7) / 8 * 8; }

/* The bytes of an argument, each kind of them behind it. */
static const uint8_t *bytes_of(const runner_arg *arg, int which) {
  return (const uint8_t *)(arg + 1) + (size_t)which * padded(arg->n_bytes);
}
static const runner_arg *next_arg(const runner_arg *arg) {
  return (const runner_arg *)(const void *)bytes_of(arg, 2);
}

typedef struct call {
  tn_arg args[RUNNER_MAX_ARGS];
  DLTensor tensors[RUNNER_MAX_ARGS];
  int64_t shapes[RUNNER_MAX_ARGS][RUNNER_MAX_NDIM];
} call;

/* False: no memory. */
static int set_arg(call *c, int32_t i, const runner_arg *arg) {
  tn_arg *out = &c->args[i];
  *out = (tn_arg){.kind = arg->kind};
  if (arg->kind != TN_ARG_TENSOR) {
    memcpy(&out->u, &arg->scalar, sizeof arg->scalar);
    return 1;
  }
  void *data = take(arg->n_bytes > 0 ? arg->n_bytes : 1);
  if (data == NULL) {
    return 0;
  }
  memcpy(data, bytes_of(arg, 0), arg->n_bytes);
  for (int32_t d = 0; d < arg->ndim; ++d) {
    c->shapes[i][d] = arg->shape[d];
  }
  c->tensors[i] = (DLTensor){
      .data = data,
      .device = {kDLCPU, 0},
      .ndim = arg->ndim,
      .dtype = {(uint8_t)arg->dtype, (uint8_t)(arg->dtype >> 8), (uint16_t)(arg->dtype >> 16)},
      .shape = c->shapes[i]};
  out->u.tensor = &c->tensors[i];
  return 1;
}

static int64_t first_difference(const uint8_t *a, const uint8_t *b, uint64_t n) {
  for (uint64_t i = 0; i < n; ++i) {
    if (a[i] != b[i]) {
      return (int64_t)i;
    }
  }
  return -1;
}

/* True when the program does what it must. *at: the case, then what follows it. */
static int run_case(const uint8_t **at, tn_kernel_fn kernel) {
  static call c;
  const runner_case *head = (const runner_case *)(const void *)*at;
  const runner_arg *first = (const runner_arg *)(const void *)(head + 1);
  const runner_arg *arg = first;
  tn_env env = {.abi_version = TN_KERNEL_ABI_VERSION,
                .struct_bytes = sizeof(tn_env),
                .parallel_for = serial_for,
                .workspace_alloc = workspace_alloc,
                .workspace_free = workspace_free,
                .call_packed = call_packed,
                .fail = fail};
  int is_right = 1;
  n_used = 0;
  n_live = 0;
  for (int32_t i = 0; i < head->n_args; ++i, arg = next_arg(arg)) {
    is_right = is_right && set_arg(&c, i, arg);
  }
  *at = (const uint8_t *)arg;
  int32_t code = is_right ? kernel(&env, c.args, head->n_args) : -1;
  is_right = code == 0;
  arg = first;
  for (int32_t i = 0; is_right && i < head->n_args; ++i, arg = next_arg(arg)) {
    int64_t place = arg->kind == TN_ARG_TENSOR
                        ? first_difference(c.tensors[i].data, bytes_of(arg, 1), arg->n_bytes)
                        : -1;
    if (place >= 0) {
      print_pair("  argument ", i);
      print_pair(" differs at byte ", place);
      runner_print("\n");
      is_right = 0;
    }
  }
  if (!is_right) {
    print_pair("WRONG: seed ", head->id);
    print_pair(", code ", code);
    runner_print("\n");
  }
  return is_right;
}

void runner_main(void) {
  const uint8_t *at = runner_cases;
  int64_t n = 0;
  int64_t n_wrong = 0;
  for (; runner_kernels[n] != NULL; ++n) {
    n_wrong += !run_case(&at, runner_kernels[n]);
  }
  print_int(n);
  print_pair(" programs, ", n_wrong);
  runner_print(" wrong\n");
}
