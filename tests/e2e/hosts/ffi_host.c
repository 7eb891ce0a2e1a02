/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A host that follows the tvm-ffi convention and knows nothing else of Tenon: it opens a library,
 * calls its __tvm_ffi_* functions with DLPack tensors, tensor objects, numbers and texts, and keeps
 * the errors that they raise. Prints one line a check; exits 1 when one does not hold.
 *
 *   ffi_host LIBRARY */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tenon/abi/tvm_ffi.h"

typedef int32_t (*ffi_fn)(void *self, const tn_ffi_any *args, int32_t n, tn_ffi_any *result);

static char raised_kind[64];
static char raised_text[4096];
static int n_launches;
static int n_bad;

/* ---- numbers ---- */

static tn_ffi_any of_int(int64_t v) {
  return (tn_ffi_any){.type_index = TN_FFI_INT, .u = {.i64 = v}};
}
static tn_ffi_any of_float(double v) {
  return (tn_ffi_any){.type_index = TN_FFI_FLOAT, .u = {.f64 = v}};
}
static tn_ffi_any of_bool(int v) {
  return (tn_ffi_any){.type_index = TN_FFI_BOOL, .u = {.i64 = v}};
}

/* ---- what a library may ask for; it finds these by name ---- */

void TVMFFIErrorSetRaisedFromCStr(const char *kind, const char *message);
int TVMFFIFunctionGetGlobal(const tn_ffi_bytes *name, void **out_function);
int TVMFFIFunctionCall(void *function, tn_ffi_any *args, int32_t n, tn_ffi_any *result);
int TVMFFIObjectDecRef(void *object);
typedef struct group {
  void *sync;
  int32_t n_tasks;
} group;
int TVMBackendParallelLaunch(int (*task)(int id, group *g, void *ctx), void *ctx, int n_tasks);

void TVMFFIErrorSetRaisedFromCStr(const char *kind, const char *message) {
  (void)snprintf(raised_kind, sizeof raised_kind, "%s", kind);
  (void)snprintf(raised_text, sizeof raised_text, "%s", message);
}

static int64_t answer; /* the last one; its address stands for the one function we have */

int TVMFFIFunctionGetGlobal(const tn_ffi_bytes *name, void **out_function) {
  int is_ours = name->n_bytes == strlen("host.answer") && !strcmp(name->data, "host.answer");
  *out_function = is_ours ? &answer : NULL;
  return 0;
}

int TVMFFIFunctionCall(void *function, tn_ffi_any *args, int32_t n, tn_ffi_any *result) {
  if (function != &answer || n != 2 || args[0].type_index != TN_FFI_INT ||
      args[1].type_index != TN_FFI_FLOAT) {
    return -1;
  }
  if (args[1].u.f64 < 0) {
    TVMFFIErrorSetRaisedFromCStr("KeyError", "no answer to that");
    return -1;
  }
  answer = args[0].u.i64 + (int64_t)args[1].u.f64;
  *result = of_int(answer);
  return 0;
}

int TVMFFIObjectDecRef(void *object) {
  (void)object;
  return 0;
}

int TVMBackendParallelLaunch(int (*task)(int id, group *g, void *ctx), void *ctx, int n_tasks) {
  enum { N_TASKS = 3 };
  group g = {NULL, n_tasks == 0 ? N_TASKS : n_tasks};
  ++n_launches;
  for (int i = g.n_tasks - 1; i >= 0; --i) { /* any order is right */
    if (task(i, &g, ctx) != 0) {
      return -1;
    }
  }
  return 0;
}

/* ---- tensors ---- */

/* A tensor object: head, then the DLTensor. */
typedef struct tensor_object {
  tn_ffi_object head;
  DLTensor dl;
  int64_t n;
} tensor_object;

static void tensor_init(tensor_object *t, float *data, int64_t n) {
  memset(t, 0, sizeof *t);
  t->head.type_index = TN_FFI_TENSOR;
  t->n = n;
  t->dl = (DLTensor){.data = data,
                     .device = {kDLCPU, 0},
                     .ndim = 1,
                     .dtype = {2, 32, 1}, /* float32 */
                     .shape = &t->n};
}
static tn_ffi_any of_object(tensor_object *t) {
  return (tn_ffi_any){.type_index = TN_FFI_TENSOR, .u = {.ptr = t}};
}
static tn_ffi_any of_dl(tensor_object *t) {
  return (tn_ffi_any){.type_index = TN_FFI_DLTENSOR, .u = {.ptr = &t->dl}};
}

/* ---- checks ---- */

static void holds(const char *what, int is_so) {
  printf("%s: %s\n", is_so ? "ok" : "WRONG", what);
  if (!is_so && raised_text[0] != '\0') {
    printf("  raised %s: %s\n", raised_kind, raised_text);
  }
  n_bad += !is_so;
}

static ffi_fn find(void *library, const char *name) {
  char symbol[128];
  ffi_fn fn = NULL;
  (void)snprintf(symbol, sizeof symbol, "__tvm_ffi_%s", name);
  void *address = dlsym(library, symbol);
  memcpy(&fn, &address, sizeof fn);
  return fn;
}

static int32_t call(void *library, const char *name, const tn_ffi_any *args, int32_t n,
                    tn_ffi_any *result) {
  ffi_fn fn = find(library, name);
  raised_kind[0] = raised_text[0] = '\0';
  if (fn == NULL) {
    printf("WRONG: no __tvm_ffi_%s\n", name);
    exit(1);
  }
  return fn(NULL, args, n, result);
}

static int refuses(void *library, const char *name, const tn_ffi_any *args, int32_t n,
                   const char *kind, const char *words) {
  tn_ffi_any result = of_int(77);
  int32_t code = call(library, name, args, n, &result);
  return code == -1 && result.u.i64 == 77 && strcmp(raised_kind, kind) == 0 &&
         strstr(raised_text, words) != NULL;
}

static void check_tensors(void *library) {
  float a[5] = {1, 2, 3, 4, 5};
  float b[5] = {10, 20, 30, 40, 50};
  float c[5] = {0};
  tensor_object ta;
  tensor_object tb;
  tensor_object tc;
  tensor_init(&ta, a, 5);
  tensor_init(&tb, b, 5);
  tensor_init(&tc, c, 5);
  tn_ffi_any result = of_int(77);
  tn_ffi_any args[] = {of_object(&ta), of_dl(&tb), of_object(&tc)};
  holds("tensors as objects and as DLPack",
        call(library, "add", args, 3, &result) == 0 && c[0] == 11 && c[4] == 55);
  holds("a function without a result gives None", result.type_index == TN_FFI_NONE);
  holds("a parallel loop asks the host", n_launches == 1);
  tb.n = 4;
  holds("sizes that disagree", refuses(library, "add", args, 3, "ValueError",
                                       "B.shape[0] of argument 1 when calling add("));
  tb.n = 5;
  tb.dl.dtype.bits = 64;
  holds("a wrong type",
        refuses(library, "add", args, 3, "TypeError", "expected float32, got float64"));
  tb.dl.dtype = (DLDataType){12, 8, 1};
  holds("a type of 8 bits",
        refuses(library, "add", args, 3, "TypeError", "expected float32, got float8_e5m2"));
  tb.dl.dtype = (DLDataType){2, 32, 1};
  tb.dl.data = NULL;
  holds("no data", refuses(library, "add", args, 3, "ValueError", "no data"));
  args[1] = of_int(1);
  holds("a number for a tensor",
        refuses(library, "add", args, 3, "TypeError", "expected a tensor, got an integer"));
  args[1] = (tn_ffi_any){.type_index = 72};
  holds("a map for a tensor", refuses(library, "add", args, 3, "TypeError", "type index 72"));
  holds("too few arguments", refuses(library, "add", args, 1, "TypeError", "expected 3, got 1"));
}

static void check_numbers(void *library) {
  float x[4] = {1, 1, 1, 1};
  tensor_object tx;
  tensor_init(&tx, x, 4);
  tn_ffi_any result = {0};
  tn_ffi_any mix[] = {of_dl(&tx), of_int(2), of_bool(1), of_float(2.5)};
  holds("numbers of each kind",
        call(library, "mix", mix, 4, &result) == 0 && x[1] == 2.5f && x[2] == 1.0f);
  tn_ffi_any number = of_int(21);
  holds("an integer comes back", call(library, "twice", &number, 1, &result) == 0 &&
                                     result.type_index == TN_FFI_INT && result.u.i64 == 42);
  holds("a bool comes back", call(library, "is_odd", &number, 1, &result) == 0 &&
                                 result.type_index == TN_FFI_BOOL && result.u.i64 == 1);
  holds("a result needs no place", call(library, "twice", &number, 1, NULL) == 0);
  holds("too many arguments are counted without the result",
        refuses(library, "twice", mix, 4, "TypeError", "expected 1, got 4"));
  number = of_float(3);
  holds("a float comes back", call(library, "half", &number, 1, &result) == 0 &&
                                  result.type_index == TN_FFI_FLOAT && result.u.f64 == 1.5);
  number = of_int(-1);
  holds("an assertion",
        refuses(library, "picky", &number, 1, "AssertionError", "n must be positive"));
}

static void check_calls(void *library) {
  tn_ffi_any result = {0};
  tn_ffi_any number = of_float(2);
  holds("a call of the host's function",
        call(library, "ask", &number, 1, &result) == 0 && answer == 42);
  number = of_float(-1);
  holds("its error passes through",
        refuses(library, "ask", &number, 1, "KeyError", "no answer to that"));
}

int main(int argc, char **argv) {
  void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (library == NULL) {
    printf("WRONG: %s\n", argc == 2 ? dlerror() : "usage: ffi_host LIBRARY");
    return 1;
  }
  check_tensors(library);
  check_numbers(library);
  check_calls(library);
  holds("a private function is not exported", find(library, "hidden") == NULL);
  return n_bad != 0;
}
