/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Loads a compiled module (.tnx or .so) and runs one of its functions, with the runtime alone:
 *
 *   cc load_and_run.c -ltenon_runtime -o load_and_run
 *   ./load_and_run model.tnx main
 *
 * Every argument is filled with 0, 1, 2, ... modulo 7; extents that the module leaves open are 1.
 */
#include <stdio.h>
#include <string.h>

#include <tenon/runtime.h>

enum { MAX_ARGS = 64, MAX_NDIM = 16, MAX_SHOWN = 8 };

/* What a kernel or a graph function may be given here: numbers in 8 to 64 bits. */
static void fill(tn_tensor *tensor) {
  const DLTensor *dl = tn_tensor_dl(tensor);
  int64_t n = tn_dl_n_elems(dl);
  for (int64_t i = 0; i < n; ++i) {
    if (dl->dtype.code == TN_TC_FLOAT && dl->dtype.bits == 32) {
      ((float *)dl->data)[i] = (float)(i % 7);
    } else if (dl->dtype.code == TN_TC_INT && dl->dtype.bits == 64) {
      ((int64_t *)dl->data)[i] = i % 7;
    } else if (dl->dtype.code == TN_TC_INT && dl->dtype.bits == 32) {
      ((int32_t *)dl->data)[i] = (int32_t)(i % 7);
    } /* anything else stays 0 */
  }
}

static tn_status make_arg(const tn_exec *exec, int32_t func, int32_t param,
                          tn_tensor **out_tensor) {
  tn_param_info info;
  int64_t shape[MAX_NDIM];
  tn_status st = tn_exec_param(exec, func, param, &info);
  if (st != NULL) {
    return st;
  }
  for (int32_t i = 0; i < info.ndim && i < MAX_NDIM; ++i) {
    shape[i] = info.dims[i] < 0 ? 1 : info.dims[i];
  }
  printf("  %s: %s\n", info.name, info.text);
  tn_dtype dtype = info.dtype == TN_DT_NONE ? TN_DT_F32 : info.dtype;
  st = tn_tensor_create(dtype, info.ndim < 0 ? 0 : info.ndim, shape, NULL, out_tensor);
  if (st == NULL) {
    fill(*out_tensor);
  }
  return st;
}

static void show(const tn_arg *value) {
  const DLTensor *dl = tn_arg_dl(value);
  const tn_tuple *tuple = tn_arg_tuple(value);
  if (tuple != NULL) {
    for (int32_t i = 0; i < tn_tuple_size(tuple); ++i) {
      show(tn_tuple_at(tuple, i));
    }
  } else if (dl == NULL) {
    printf("  (%s)\n", tn_arg_kind_name(value->kind));
  } else {
    int64_t n = tn_dl_n_elems(dl);
    printf("  (");
    for (int32_t i = 0; i < dl->ndim; ++i) {
      printf("%s%lld", i == 0 ? "" : ", ", (long long)dl->shape[i]);
    }
    printf("):");
    for (int64_t i = 0; i < n && i < MAX_SHOWN && dl->dtype.bits == 32; ++i) {
      if (dl->dtype.code == TN_TC_FLOAT) {
        printf(" %g", (double)((const float *)dl->data)[i]);
      } else {
        printf(" %d", ((const int32_t *)dl->data)[i]);
      }
    }
    printf(n > MAX_SHOWN ? " ...\n" : "\n");
  }
}

static tn_status run(tn_runtime *rt, tn_exec *exec, const char *name) {
  tn_vm *vm = NULL;
  tn_tensor *tensors[MAX_ARGS] = {NULL};
  tn_arg args[MAX_ARGS];
  tn_arg result = tn_arg_none();
  int32_t func = tn_exec_find_function(exec, name);
  int32_t n_args = func < 0 ? 0 : tn_exec_n_params(exec, func);
  tn_status st = tn_vm_create(rt, exec, NULL, 0, &vm);
  if (n_args > MAX_ARGS) {
    n_args = MAX_ARGS; /* the call below will say what is missing */
  }
  printf("%s\n", name);
  for (int32_t i = 0; st == NULL && i < n_args; ++i) {
    st = make_arg(exec, func, i, &tensors[i]);
    args[i] = tn_arg_of_tensor(tensors[i]);
  }
  if (st == NULL) {
    st = tn_vm_call(vm, name, args, n_args, &result);
  }
  if (st == NULL && result.kind != TN_ARG_NONE) {
    show(&result);
  }
  for (int32_t i = 0; st == NULL && result.kind == TN_ARG_NONE && i < n_args; ++i) {
    show(&args[i]); /* a kernel wrote into its arguments */
  }
  tn_arg_release(&result);
  for (int32_t i = 0; i < n_args; ++i) {
    tn_tensor_release(tensors[i]);
  }
  tn_vm_release(vm);
  return st;
}

int main(int argc, char **argv) {
  tn_runtime *rt = NULL;
  tn_exec *exec = NULL;
  if (argc < 2 || argc > 3) {
    fprintf(stderr, "usage: %s MODULE [FUNCTION]\n", argv[0]);
    return 2;
  }
  tn_status st = tn_runtime_create(0, &rt);
  if (st == NULL) {
    st = tn_exec_load(argv[1], &exec);
  }
  if (st == NULL) {
    st = run(rt, exec, argc == 3 ? argv[2] : tn_exec_function_name(exec, 0));
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
