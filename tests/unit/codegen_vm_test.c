/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: script ops runtime */
/* with: gen_graph.c */
/* Graph functions as bytecode: the machine, with kernels written in C, does what the interpreter
 * does. */
#include "graph_util.h"

#include "codegen/codegen.h"
#include "tenon/runtime.h"

#include "gen_graph.h"

/* ---- the loop functions of gen_graph.c as kernels ---- */

static float *floats(const tn_arg *arg, int64_t *out_n) {
  const DLTensor *t = arg->u.tensor;
  *out_n = t->shape[0];
  return (float *)(void *)((char *)t->data + t->byte_offset);
}

static int32_t k_double(const tn_env *env, const tn_arg *args, int32_t n_args) {
  int64_t n = 0;
  const float *x = floats(&args[0], &n);
  float *y = floats(&args[1], &n);
  (void)env;
  (void)n_args;
  for (int64_t i = 0; i < n; ++i) {
    y[i] = x[i] * 2;
  }
  return 0;
}

static int32_t k_add(const tn_env *env, const tn_arg *args, int32_t n_args) {
  int64_t n = 0;
  const float *a = floats(&args[0], &n);
  const float *b = floats(&args[1], &n);
  float *c = floats(&args[2], &n);
  (void)env;
  (void)n_args;
  for (int64_t i = 0; i < n; ++i) {
    c[i] = a[i] + b[i];
  }
  return 0;
}

static int32_t k_both(const tn_env *env, const tn_arg *args, int32_t n_args) {
  int64_t n = 0;
  float *q = floats(&args[2], &n);
  const float *a = floats(&args[0], &n);
  float *p = floats(&args[1], &n);
  (void)env;
  (void)n_args;
  for (int64_t i = 0; i < n; ++i) {
    p[i] = a[i] + 1;
    q[i] = a[i];
    q[i + n] = 0 - a[i];
  }
  return 0;
}

static int32_t k_bump(const tn_env *env, const tn_arg *args, int32_t n_args) {
  int64_t n = 0;
  float *a = floats(&args[0], &n);
  (void)env;
  (void)n_args;
  for (int64_t i = 0; i < n; ++i) {
    a[i] += 1;
  }
  return 0;
}

static tn_kernel_fn find_kernel(void *ctx, const char *name) {
  (void)ctx;
  return strcmp(name, "double") == 0 ? k_double
         : strcmp(name, "add") == 0  ? k_add
         : strcmp(name, "both") == 0 ? k_both
         : strcmp(name, "bump") == 0 ? k_bump
                                     : NULL;
}

/* ---- the host's functions, for machine and interpreter ---- */

static tn_status vm_add(void *ctx, const tn_arg *args, int32_t n_args, tn_arg *out_ret) {
  (void)ctx;
  (void)out_ret;
  const tn_arg plain[] = {tn_arg_of_dl(tn_arg_dl(&args[0])), tn_arg_of_dl(tn_arg_dl(&args[1])),
                          tn_arg_of_dl(tn_arg_dl(&args[2]))};
  (void)k_add(NULL, plain, n_args);
  return NULL;
}

static tn_status vm_inc(void *ctx, const tn_arg *args, int32_t n_args, tn_arg *out_ret) {
  int32_t *n_calls = ctx;
  const DLTensor *x = tn_arg_dl(&args[0]);
  tn_tensor *y = NULL;
  (void)n_args;
  ++*n_calls;
  tn_status st = tn_tensor_create(TN_DT_F32, 1, x->shape, NULL, &y);
  if (st != NULL) {
    return st;
  }
  const float *from = (const float *)(const void *)((const char *)x->data + x->byte_offset);
  float *to = tn_tensor_data(y);
  for (int64_t i = 0; i < x->shape[0]; ++i) {
    to[i] = from[i] + 100;
  }
  *out_ret = tn_arg_of_tensor(y);
  return NULL;
}

typedef struct interp_host {
  tn_array made[64];
  int32_t n_made;
} interp_host;

static tn_status interp_hook(void *ctx, const char *name, const tn_value *args, int32_t n_args,
                             tn_value *out) {
  interp_host *h = ctx;
  (void)n_args;
  if (strcmp(name, "env.add") == 0) {
    for (int64_t i = 0; i < args[0].array->shape[0]; ++i) {
      tn_array_set_f64(args[2].array, i,
                       tn_array_get_f64(args[0].array, i) + tn_array_get_f64(args[1].array, i));
    }
    return NULL;
  }
  if (strcmp(name, "host.inc") != 0 || h->n_made == 64) {
    return TN_ERR(TN_NOT_FOUND, "no function '%s'", name);
  }
  tn_array *y = &h->made[h->n_made++];
  tn_status st = tn_array_init_copy(y, args[0].array);
  for (int64_t i = 0; st == NULL && i < y->shape[0]; ++i) {
    tn_array_set_f64(y, i, tn_array_get_f64(y, i) + 100);
  }
  *out = graph_value(y);
  return st;
}

/* ---- running both ---- */

typedef struct machine {
  tn_runtime *rt;
  tn_exec *exec;
  tn_vm *vm;
  tn_exec_bytes image;
  int32_t n_inc;
} machine;

static tn_status machine_init(machine *m, const tn_module *module) {
  *m = (machine){0};
  tn_status st = NULL;
  TN_GOTO(st, tn_runtime_create(1, &m->rt), done);
  TN_GOTO(st, tn_registry_add(tn_runtime_registry(m->rt), "env.add", vm_add, NULL, NULL, false),
          done);
  TN_GOTO(st,
          tn_registry_add(tn_runtime_registry(m->rt), "host.inc", vm_inc, &m->n_inc, NULL, false),
          done);
  TN_GOTO(st, tn_vm_emit(module, NULL, NULL, 0, &m->image), done);
  TN_GOTO(st, tn_exec_from_memory(m->image.data, m->image.n_bytes, find_kernel, NULL, NULL, &m->exec),
          done);
  TN_GOTO(st, tn_vm_create(m->rt, m->exec, NULL, 0, &m->vm), done);
done:
  return st;
}

static void machine_deinit(machine *m) {
  tn_vm_release(m->vm);
  tn_exec_release(m->exec);
  tn_runtime_release(m->rt);
  free(m->image.data);
}

static bool same_value(const tn_value *want, const tn_arg *got) {
  if (want->kind == TN_V_TUPLE) {
    const tn_tuple *tuple = tn_arg_tuple(got);
    bool is_same = tuple != NULL && tn_tuple_size(tuple) == want->n;
    for (int32_t i = 0; i < want->n && is_same; ++i) {
      is_same = same_value(&want->items[i], tn_tuple_at(tuple, i));
    }
    return is_same;
  }
  if (want->kind == TN_V_SHAPE) {
    const tn_shape *shape = tn_arg_shape(got);
    return shape != NULL && tn_shape_ndim(shape) == want->n &&
           memcmp(tn_shape_dims(shape), want->dims, (size_t)want->n * sizeof(int64_t)) == 0;
  }
  if (want->kind == TN_V_INT) {
    return got->kind == TN_ARG_INT && got->u.i64 == want->i64;
  }
  const DLTensor *dl = tn_arg_dl(got);
  if (want->kind != TN_V_ARRAY || dl == NULL || dl->ndim != want->array->ndim) {
    return false;
  }
  for (int32_t d = 0; d < dl->ndim; ++d) {
    if (dl->shape[d] != want->array->shape[d]) {
      return false;
    }
  }
  size_t n_bytes = tn_array_n_bytes(want->array);
  return n_bytes == 0 ||
         memcmp((const char *)dl->data + dl->byte_offset, want->array->data, n_bytes) == 0;
}

static tn_arg tensor_arg(const tn_array *array) {
  tn_tensor *tensor = NULL;
  expect_ok(tn_tensor_create(array->dtype, array->ndim, array->shape, array->data, &tensor));
  return tn_arg_of_tensor(tensor);
}

/* Runs main(x, y, c) of the text on both, each time twice, and compares. */
static void compare_runs(const char *text, int64_t n, bool cond, const char *what) {
  tn_module module;
  tn_array arrays[3] = {{0}};
  interp_host host = {.n_made = 0};
  graph_read(&module, text);
  graph_iota(&arrays[0], 1, &n, 1);
  graph_iota(&arrays[1], 1, &n, -3);
  expect_ok(tn_array_init(&arrays[2], TN_DT_BOOL, 0, NULL));
  tn_array_set_i64(&arrays[2], 0, cond);
  expect_ok(graph_verify_all(&module, NULL));
  const tn_interp_hooks hooks = {.call = interp_hook, .ctx = &host};
  tn_interp *in = tn_interp_new(&module, &hooks);
  tn_value values[3];
  tn_arg args[3];
  tn_value want = {0};
  for (int i = 0; i < 3; ++i) {
    values[i] = graph_value(&arrays[i]);
    args[i] = tensor_arg(&arrays[i]);
  }
  int32_t n_params = (int32_t)tn_module_find(&module, "main")->in[TN_GFUNC_PARAMS]->n_in;
  expect_ok(tn_interp_call(in, "main", values, n_params, &want));
  tn_module lowered;
  tn_module_init_copy(&lowered, &module);
  expect_ok(graph_passes(&lowered, GRAPH_TO_VM, NULL));
  machine m;
  expect_ok(machine_init(&m, &lowered));
  for (int run = 0; run < 2; ++run) {
    tn_arg got = tn_arg_none();
    expect_ok(tn_vm_call(m.vm, "main", args, n_params, &got));
    expect_true(same_value(&want, &got), "%s, n %lld, run %d", what, (long long)n, run);
    tn_arg_release(&got);
  }
  machine_deinit(&m);
  tn_interp_free(in);
  for (int i = 0; i < 3; ++i) {
    tn_arg_release(&args[i]);
    tn_array_deinit(&arrays[i]);
  }
  for (int32_t i = 0; i < host.n_made; ++i) {
    tn_array_deinit(&host.made[i]);
  }
  tn_module_deinit(&lowered);
  graph_free(&module);
}

#define HEAD                            \
  "from tvm.script import ir as I\n"    \
  "from tvm.script import relax as R\n" \
  "from tvm.script import tir as T\n"   \
  "@I.ir_module\n"                      \
  "class Module:\n"

#define PARAMS                                                                              \
  "x: R.Tensor((\"n\",), dtype=\"float32\"), y: R.Tensor((\"n\",), dtype=\"float32\"), c: " \
  "R.Tensor((), dtype=\"bool\")"

static void hand_written_programs_agree(void **state) {
  (void)state;
  static const char *const bodies[] = {
      /* a shape, sizes computed from others, and a scalar */
      "    @R.function\n"
      "    def main(" PARAMS "):\n"
      "        n = T.int64()\n"
      "        s = R.shape([n, n * 3 + 1])\n"
      "        t = (s, R.prim_value(7), x)\n"
      "        return t\n",
      /* recursion that ends by a shape */
      "    @R.function(private=True)\n"
      "    def halve(z: R.Tensor((\"m\",), dtype=\"float32\"), c: R.Tensor((), dtype=\"bool\")) -> "
      "R.Tensor((\"m\",), dtype=\"float32\"):\n"
      "        m = T.int64()\n"
      "        cls = Module\n"
      "        if c:\n"
      "            w = R.call_tir(cls.double, (z,), out_sinfo=R.Tensor((m,), dtype=\"float32\"))\n"
      "            r: R.Tensor((m,), dtype=\"float32\") = cls.halve(w, R.const(False, \"bool\"))\n"
      "            q = R.call_tir(cls.add, (r, w), out_sinfo=R.Tensor((m,), dtype=\"float32\"))\n"
      "        else:\n"
      "            q = z\n"
      "        return q\n"
      "    @R.function\n"
      "    def main(" PARAMS "):\n"
      "        n = T.int64()\n"
      "        cls = Module\n"
      "        r: R.Tensor((n,), dtype=\"float32\") = cls.halve(x, c)\n"
      "        return r\n",
      /* an inner function with a captured value */
      "    @R.function\n"
      "    def main(" PARAMS "):\n"
      "        n = T.int64()\n"
      "        cls = Module\n"
      "        @R.function\n"
      "        def inner(z: R.Tensor((n,), dtype=\"float32\")) -> R.Tensor((n,), "
      "dtype=\"float32\"):\n"
      "            w = R.call_tir(cls.add, (z, y), out_sinfo=R.Tensor((n,), dtype=\"float32\"))\n"
      "            return w\n"
      "        r: R.Tensor((n,), dtype=\"float32\") = inner(x)\n"
      "        return r\n",
      /* a match_cast that binds a new size, used by an allocation */
      "    @R.function(pure=False)\n"
      "    def main(" PARAMS "):\n"
      "        cls = Module\n"
      "        k = T.int64()\n"
      "        u = R.call_packed(\"host.inc\", x, sinfo_args=(R.Tensor(ndim=1, "
      "dtype=\"float32\"),))\n"
      "        v = R.match_cast(u, R.Tensor((k,), dtype=\"float32\"))\n"
      "        w = R.call_tir(cls.both, (v,), out_sinfo=[R.Tensor((k,), dtype=\"float32\"), "
      "R.Tensor((k * 2,), dtype=\"float32\")])\n"
      "        r = w[1]\n"
      "        return r\n",
      /* constants, and a result that is a parameter */
      "    @R.function\n"
      "    def main(" PARAMS "):\n"
      "        t = (x, R.const([1.0, 2.0], \"float32\"))\n"
      "        return t\n",
      /* shapes as tensors and back, printed */
      "    @R.function(pure=False)\n"
      "    def main(" PARAMS "):\n"
      "        s = R.shape_of(x)\n"
      "        t = R.shape_to_tensor(s)\n"
      "        u = R.tensor_to_shape(t)\n"
      "        p = R.print(x, u, R.prim_value(3), format=\"x {} shape {} and {}\")\n"
      "        q = R.assert_op(R.const(True, \"bool\"), x, format=\"never {}\")\n"
      "        r = (t, u)\n"
      "        return r\n",
      /* in place on what somebody sees, even on a constant: a copy is written */
      "    @R.function\n"
      "    def main(" PARAMS "):\n"
      "        n = T.int64()\n"
      "        cls = Module\n"
      "        a = R.call_tir_inplace(cls.bump, (R.const([1.0, 2.0], \"float32\"),), "
      "out_sinfo=R.Tensor((2,), dtype=\"float32\"), inplace_indices=[0])\n"
      "        b = R.call_tir_inplace(cls.bump, (x,), out_sinfo=R.Tensor((n,), dtype=\"float32\"), "
      "inplace_indices=[0])\n"
      "        t = (a, b, x)\n"
      "        return t\n",
      /* the shape of a tensor */
      "    @R.function\n"
      "    def main(" PARAMS "):\n"
      "        s = R.shape_of(x)\n"
      "        return s\n",
  };
  for (size_t i = 0; i < TN_N_ROWS(bodies); ++i) {
    tn_buf text = TN_BUF_INIT;
    tn_buf_printf(&text, "%s%s%s", HEAD, gen_graph_kernels, bodies[i]);
    char what[32];
    (void)snprintf(what, sizeof what, "program %zu", i);
    print_message("%s\n", what);
    compare_runs(tn_buf_text(&text), 5, i % 2 == 1, what);
    compare_runs(tn_buf_text(&text), 5, i % 2 == 0, what);
    tn_buf_deinit(&text);
  }
}

/* Compiles `body` after the kernels and calls main(x) on 1, 2. */
static tn_status call_on_two(const char *body, tn_code *out_code) {
  tn_buf text = TN_BUF_INIT;
  tn_module module;
  tn_array x = {0};
  machine m = {0};
  tn_buf_printf(&text, "%s%s%s", HEAD, gen_graph_kernels, body);
  graph_read(&module, tn_buf_text(&text));
  graph_iota(&x, 1, (int64_t[]){2}, 1);
  tn_status st = graph_passes(&module, GRAPH_TO_VM, NULL);
  if (st == NULL) {
    st = machine_init(&m, &module);
  }
  if (st == NULL) {
    tn_arg arg = tensor_arg(&x);
    tn_arg got = tn_arg_none();
    st = tn_vm_call(m.vm, "main", &arg, 1, &got);
    tn_arg_release(&arg);
    tn_arg_release(&got);
  }
  *out_code = tn_status_code(st);
  machine_deinit(&m);
  tn_array_deinit(&x);
  graph_free(&module);
  tn_buf_deinit(&text);
  return st;
}

static void what_cannot_be_done_is_named(void **state) {
  (void)state;
  static const struct {
    const char *body;
    tn_code code;
    const char *part;
  } rows[] = {
      {"    @R.function\n    def main(x: R.Tensor((3,), dtype=\"float32\")):\n        return x\n",
       TN_INVALID, "expected R.Tensor((3,), dtype=\"float32\")"},
      {"    @R.function\n    def main(x: R.Tensor((\"n\",), dtype=\"float32\")):\n"
       "        y = R.match_cast(x, R.Tensor((3,), dtype=\"float32\"))\n        return y\n",
       TN_INVALID, "match_cast to 'y': expected R.Tensor((3,), dtype=\"float32\") in 'main'"},
      {"    @R.function\n    def main(x: R.Tensor((2,), dtype=\"float32\")):\n"
       "        y = R.call_dps_packed(\"nobody\", (x,), out_sinfo=R.Tensor((2,), "
       "dtype=\"float32\"))\n        return y\n",
       TN_NOT_FOUND, "nobody"},
      {"    @R.function(pure=False)\n    def main(x: R.Tensor((2,), dtype=\"float32\")):\n"
       "        z = R.assert_op(R.const(False, \"bool\"), x, format=\"x is {}\")\n        return "
       "x\n",
       TN_INVALID, "assertion failed: x is [0, 1]"},
      {"    @R.function\n    def main(x: R.Tensor((2,), dtype=\"float32\")):\n        y = R.add(x, "
       "x)\n        return y\n",
       TN_UNSUPPORTED,
       "'y': R.add: the operator has no code of its own; legalize_graph comes first"},
      {"    @R.function\n    def main(x: R.Tensor((2,), dtype=\"float32\")) -> R.Tensor((2,), "
       "dtype=\"float32\"):\n"
       "        cls = Module\n        y: R.Tensor((2,), dtype=\"float32\") = cls.main(x)\n        "
       "return y\n",
       TN_INVALID, "1000"},
  };
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    tn_code code = TN_OK;
    tn_status st = call_on_two(rows[i].body, &code);
    expect_error(st, rows[i].code, rows[i].part);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hand_written_programs_agree),
      cmocka_unit_test(what_cannot_be_done_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
