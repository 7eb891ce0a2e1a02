/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* needs: script ops */
/* The graph interpreter: values, scopes, calls, checks at run time, order of effects. */
#include "graph_util.h"

#define HEAD                                              \
  "from tvm.script import ir as I\n"                      \
  "from tvm.script import relax as R\n"                   \
  "from tvm.script import tir as T\n"                     \
  "@I.ir_module\n"                                        \
  "class Module:\n"                                       \
  "    @T.prim_func\n"                                    \
  "    def add(a: T.handle, b: T.handle, c: T.handle):\n" \
  "        n = T.int64()\n"                               \
  "        A = T.match_buffer(a, (n,), \"float32\")\n"    \
  "        B = T.match_buffer(b, (n,), \"float32\")\n"    \
  "        C = T.match_buffer(c, (n,), \"float32\")\n"    \
  "        for i in range(n):\n"                          \
  "            C[i] = A[i] + B[i]\n"                      \
  "    @T.prim_func\n"                                    \
  "    def fill(c: T.handle, k: T.int64):\n"              \
  "        n = T.int64()\n"                               \
  "        C = T.match_buffer(c, (n,), \"float32\")\n"    \
  "        for i in range(n):\n"                          \
  "            C[i] = T.Cast(\"float32\", k)\n"
#define XN "x: R.Tensor((\"n\",), dtype=\"float32\")"

typedef struct host {
  char log[256];
  double content; /* what "read" gives */
  tn_array made[16];
  int32_t n_made;
} host;

/* "log" writes down its text and value, "read" gives a vector of `content`, "text" a text, "small"
 * a float8 tensor, "env.twice" writes its output. */
static tn_status host_call(void *ctx, const char *name, const tn_value *args, int32_t n_args,
                           tn_value *out) {
  host *h = ctx;
  if (strcmp(name, "log") == 0) {
    char line[64];
    (void)snprintf(line, sizeof line, "%s=%g;", args[n_args - 1].str,
                   tn_array_get_f64(args[0].array, 0));
    strncat(h->log, line, sizeof h->log - strlen(h->log) - 1);
    h->content = tn_array_get_f64(args[0].array, 0) * 10;
    return NULL;
  }
  if (strcmp(name, "read") == 0) {
    tn_array *a = &h->made[h->n_made++];
    tn_status st = tn_array_init(a, TN_DT_F32, 1, (int64_t[]){2});
    if (st != NULL) {
      return st;
    }
    tn_array_set_f64(a, 0, h->content);
    strncat(h->log, "read;", sizeof h->log - strlen(h->log) - 1);
    *out = graph_value(a);
    return NULL;
  }
  if (strcmp(name, "text") == 0) {
    *out = (tn_value){.kind = TN_V_STR, .str = "abc"};
    return NULL;
  }
  if (strcmp(name, "small") == 0) {
    *out = graph_value(&h->made[h->n_made]);
    return tn_array_init(&h->made[h->n_made++], TN_DT_F8E5M2, 1, (int64_t[]){2});
  }
  if (strcmp(name, "env.twice") == 0) {
    for (int64_t i = 0; i < tn_array_n_elems(args[1].array); ++i) {
      tn_array_set_f64(args[1].array, i, 2 * tn_array_get_f64(args[0].array, i));
    }
    return NULL;
  }
  return TN_ERR(TN_NOT_FOUND, "no function is registered as '%s'", name);
}

/* Runs main(x) of HEAD + body on a vector of `n` numbers 1, 2, ...; the caller frees. */
typedef struct run {
  tn_module module;
  tn_interp *in;
  tn_array x;
  host host;
  tn_value out;
  tn_status st;
} run;

static void run_main(run *r, const char *body, const char *passes, int64_t n) {
  tn_buf text = TN_BUF_INIT;
  *r = (run){.in = NULL};
  tn_buf_printf(&text, "%s%s", HEAD, body);
  graph_read(&r->module, tn_buf_text(&text));
  tn_buf_deinit(&text);
  expect_ok(graph_passes(&r->module, passes, NULL));
  expect_ok(tn_array_init(&r->x, TN_DT_F32, 1, &n));
  for (int64_t i = 0; i < n; ++i) {
    tn_array_set_f64(&r->x, i, (double)i + 1);
  }
  const tn_interp_hooks hooks = {.call = host_call, .ctx = &r->host};
  r->in = tn_interp_new(&r->module, &hooks);
  tn_value arg = graph_value(&r->x);
  r->st = tn_interp_call(r->in, "main", &arg, 1, &r->out);
}

static void run_free(run *r) {
  tn_interp_free(r->in);
  tn_array_deinit(&r->x);
  for (int32_t i = 0; i < r->host.n_made; ++i) {
    tn_array_deinit(&r->host.made[i]);
  }
  graph_free(&r->module);
}

static void programs_give_what_they_say(void **state) {
  (void)state;
  static const struct {
    const char *body;
    double first; /* of the result */
  } rows[] = {
      {"    @R.function\n    def main(" XN "):\n        return x\n", 1},
      {"    @R.function\n    def main(" XN "):\n        n = T.int64()\n        cls = Module\n"
       "        y = R.call_tir(cls.add, (x, x), out_sinfo=R.Tensor((n,), dtype=\"float32\"))\n     "
       "   return y\n",
       2},
      {"    @R.function\n    def main(" XN "):\n        n = T.int64()\n        cls = Module\n"
       "        y = R.call_tir(cls.fill, (), out_sinfo=R.Tensor((n,), dtype=\"float32\"), "
       "tir_vars=R.shape([n * 7]))\n"
       "        return y\n",
       14},
      {"    @R.function\n    def main(" XN "):\n        n = T.int64()\n"
       "        y = R.call_dps_packed(\"env.twice\", (x,), out_sinfo=R.Tensor((n,), "
       "dtype=\"float32\"))\n        return y\n",
       2},
      {"    @R.function\n    def main(" XN
       "):\n        y = R.sum(R.multiply(x, x))\n        return y\n",
       5},
      {"    @R.function\n    def main(" XN
       "):\n        s = R.shape_of(x)\n        t = R.shape_to_tensor(s)\n"
       "        return t\n",
       2},
      {"    @R.function\n    def main(" XN
       "):\n        if R.const(True, \"bool\"):\n            y = R.negative(x)\n"
       "        else:\n            y = x\n        return y\n",
       -1},
  };
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    run r;
    run_main(&r, rows[i].body, "", 2);
    expect_ok(r.st);
    double got = tn_array_get_f64(r.out.array, 0);
    expect_true(got == rows[i].first, "program %zu: %g", i, got);
    run_free(&r);
  }
}

static void mistakes_of_a_run_are_errors_with_a_place(void **state) {
  (void)state;
  static const struct {
    const char *body;
    tn_code code;
    const char *part;
  } rows[] = {
      {"    @R.function\n    def main(x: R.Tensor((3,), dtype=\"float32\")):\n        return x\n",
       TN_INVALID,
       "argument 'x' of main: expected R.Tensor((3,), dtype=\"float32\"), got a float32 tensor of "
       "shape (2,)"},
      {"    @R.function\n    def main(x: R.Tensor((2,), dtype=\"int32\")):\n        return x\n",
       TN_INVALID, "expected R.Tensor((2,), dtype=\"int32\")"},
      {"    @R.function\n    def main(" XN
       "):\n        y = R.match_cast(x, R.Tensor((3,), dtype=\"float32\"))\n"
       "        return y\n",
       TN_INVALID, "match_cast to 'y': expected R.Tensor((3,), dtype=\"float32\")"},
      {"    @R.function\n    def main(x: R.Shape):\n        return x\n", TN_INVALID,
       "argument 'x' of main: expected R.Shape, got a float32 tensor of shape (2,)"},
      {"    @R.function\n    def main(x: R.Tuple(R.Object, R.Object)):\n        return x\n",
       TN_INVALID, "expected R.Tuple(R.Object, R.Object), got a float32 tensor"},
      {"    @R.function\n    def main(x: R.Prim(\"int64\")):\n        return x\n", TN_INVALID,
       "expected R.Prim(\"int64\"), got a float32 tensor"},
      {"    @R.function\n    def main(x: R.Callable):\n        return x\n", TN_INVALID,
       "got a float32 tensor"},
      {"    @R.function\n    def main(" XN "):\n        n = T.int64()\n"
       "        y = R.call_dps_packed(\"nobody\", (x,), out_sinfo=R.Tensor((n,), "
       "dtype=\"float32\"))\n        return y\n",
       TN_NOT_FOUND, "no function is registered as 'nobody'"},
      {"    @R.function(pure=False)\n    def main(" XN "):\n"
       "        z = R.assert_op(R.const(False, \"bool\"), x, format=\"x is {}\")\n        return "
       "x\n",
       TN_INVALID, "assertion failed: x is [1, 2]"},
      {"    @R.function\n    def main(" XN
       ") -> R.Tensor((\"n\",), dtype=\"float32\"):\n        n = T.int64()\n"
       "        cls = Module\n        y: R.Tensor((n,), dtype=\"float32\") = cls.main(x)\n        "
       "return y\n",
       TN_INVALID, "calls nest deeper than 1000"},
  };
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    run r;
    run_main(&r, rows[i].body, "", 2);
    expect_error(r.st, rows[i].code, rows[i].part);
    run_free(&r);
  }
}

#define T_(type) "sinfo_args=(" type ",))\n"
#define READ(type) "        o = R.call_packed(\"read\", " T_(type)
#define TEXT(type) "        o = R.call_packed(\"text\", " T_(type)
#define F32 "R.dtype(\"float32\")"
#define ONES17 "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1"

/* What a packed function gives is what nobody has proved. */
static void values_that_are_not_what_was_promised_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *body;
    const char *part;
  } rows[] = {
      {READ("R.Tuple(R.Object)") "        y = o[0]\n", "item 0 of what is no tuple"},
      {READ("R.Tensor") "        y = R.tensor_to_shape(o)\n",
       "expected an int64 tensor of one dimension"},
      {READ("R.Shape") "        y = R.shape_to_tensor(o)\n", "expected a shape"},
      {TEXT("R.Tensor") "        y = R.shape_of(o)\n", "expected a tensor"},
      {READ("R.Tensor((), dtype=\"bool\")") "        if o:\n            y = x\n        else:\n"
                                            "            y = x\n",
       "the condition of an if is not one value"},
      {READ("R.Shape") "        y = R.builtin.alloc_tensor(o, " F32 ", R.prim_value(0), "
                       "R.str(\"global\"))\n",
       "expected a shape and a dtype"},
      {"        y = R.memory.alloc_storage(R.shape([4, 4]), R.prim_value(0), "
       "R.str(\"global\"), " F32 ")\n",
       "expected a shape of one extent"},
      {"        y = R.memory.alloc_tensor(x, R.prim_value(T.float32(1)), R.shape([1]), " F32 ")\n",
       "expected a byte offset and a dtype"},
      {"        y = R.memory.view(x, R.shape([1]), " F32 ", R.prim_value(T.float32(1)))\n",
       "expected a dtype and a byte offset"},
      {TEXT("R.Tensor") "        y = R.memory.view(o, R.shape([1]), " F32 ", R.prim_value(0))\n",
       "expected memory and a shape"},
      {"        y = R.memory.view(x, R.shape([2]), " F32 ", R.prim_value(4))\n",
       "8 bytes from 4 on leave the storage of 8"},
      {"        y = R.memory.view(x, R.shape([1]), " F32 ", R.prim_value(2))\n",
       "byte offset 2 splits an element"},
      {READ("R.Callable") "        y = R.make_closure(o, (x,))\n",
       "expected a function and a tuple"},
      {READ("R.Callable") "        y = R.invoke_closure(o, (x,), " T_("R.Object"),
       "what is called is not a function"},
      {READ("R.Callable") "        if R.const(True, \"bool\"):\n            y = o(x)\n"
                          "        else:\n            y = o(x)\n",
       "what is called is not a function"},
      {READ("R.Object") "        y = R.invoke_closure(cls.inner, o, " T_("R.Object"),
       "expected a tuple of arguments"},
      {"        y = R.invoke_closure(cls.inner, (x, x), " T_("R.Object"),
       "inner takes 1 arguments, got 2"},
      {"        y = R.invoke_closure(cls.sized, (x, R.prim_value(5)), " T_("R.Object"),
       "argument 'k' of sized: expected 2, got 5"},
      {READ("R.Callable") "        y = R.vm.call_dps(o, x)\n", "expected a function"},
      {READ("R.Callable") "        y = R.vm.call_tir_dyn(o, (x, R.shape([1])))\n",
       "expected a function and a tuple that ends in a shape"},
      {"        y = R.call_dps_packed(\"env.twice\", (x,), out_sinfo=R.Tensor((" ONES17
       "), \"float32\"))\n",
       "more than 16 dimensions"},
      {TEXT("R.Tensor((2,), \"float32\")") "        y = R.call_tir_inplace(cls.fill, (o,), "
                                           "out_sinfo=R.Tensor((2,), \"float32\"), "
                                           "inplace_indices=[0], tir_vars=R.shape([1]))\n",
       "expected a tensor"},
      {"        o = R.call_packed(\"small\", " T_("R.Tensor") "        y = R.add(o, o)\n",
       "an operand is of a type in which nothing is computed"},
  };
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    run r;
    tn_buf body = TN_BUF_INIT;
    tn_buf_printf(
        &body,
        "    @R.function\n    def inner(x: R.Object):\n        return x\n"
        "    @R.function\n    def sized(x: R.Tensor((\"n\",), dtype=\"float32\"), "
        "k: R.Prim(value=\"n\")):\n        return x\n"
        "    @R.function(pure=False)\n    def main(x: R.Tensor((2,), dtype=\"float32\")):\n"
        "        cls = Module\n%s        return y\n",
        rows[i].body);
    run_main(&r, tn_buf_text(&body), "", 2);
    expect_true(strstr(tn_status_message(r.st), rows[i].part) != NULL, "row %zu: want %s, got %s",
                i, rows[i].part, tn_status_message(r.st));
    tn_status_free(r.st);
    run_free(&r);
    tn_buf_deinit(&body);
  }
}

static void a_run_ends_after_as_many_statements_as_it_may_take(void **state) {
  (void)state;
  run r;
  run_main(&r,
           "    @R.function\n    def main(" XN
           "):\n        a = R.add(x, x)\n        b = R.add(a, x)\n        y = R.add(b, x)\n"
           "        return y\n",
           "", 2);
  expect_ok(r.st);
  tn_value arg = graph_value(&r.x);
  tn_value out;
  tn_interp *short_one = tn_interp_new(&r.module, &(tn_interp_hooks){.max_steps = 2});
  expect_error(tn_interp_call(short_one, "main", &arg, 1, &out), TN_TIMEOUT,
               "more than 2 statements");
  tn_interp_free(short_one);
  run_free(&r);
}

static void functions_that_are_not_there_are_named(void **state) {
  (void)state;
  run r;
  run_main(&r,
           "    @R.function(pure=False)\n    def main(" XN
           "):\n        y = R.call_packed(\"read\", " T_("R.Object") "        return y\n",
           "", 2);
  expect_ok(r.st);
  tn_value arg = graph_value(&r.x);
  tn_value out;
  expect_error(tn_interp_call(r.in, "nobody", &arg, 1, &out), TN_NOT_FOUND,
               "the module has no function 'nobody'");
  tn_interp *alone = tn_interp_new(&r.module, NULL);
  expect_error(tn_interp_call(alone, "main", &arg, 1, &out), TN_NOT_FOUND,
               "no function is registered as 'read'");
  tn_interp_free(alone);
  run_free(&r);
}

/* Between two dataflow blocks the function writes a log and reads back what was written. */
static const char ordered[] =
    "    @R.function(pure=False)\n"
    "    def main(" XN "):\n"
    "        n = T.int64()\n"
    "        cls = Module\n"
    "        with R.dataflow():\n"
    "            a = R.call_tir(cls.add, (x, x), out_sinfo=R.Tensor((n,), dtype=\"float32\"))\n"
    "            R.output(a)\n"
    "        l1 = R.call_packed(\"log\", a, R.str(\"first\"))\n"
    "        r = R.call_packed(\"read\", sinfo_args=(R.Tensor((2,), dtype=\"float32\"),))\n"
    "        l2 = R.call_packed(\"log\", r, R.str(\"second\"))\n"
    "        with R.dataflow():\n"
    "            unused = R.call_tir(cls.add, (x, x), out_sinfo=R.Tensor((n,), "
    "dtype=\"float32\"))\n"
    "            b = R.call_tir(cls.add, (r, r), out_sinfo=R.Tensor((2,), dtype=\"float32\"))\n"
    "            R.output(b)\n"
    "        l3 = R.call_packed(\"log\", b, R.str(\"third\"))\n"
    "        return b\n";

static void effects_keep_their_order_under_every_pass(void **state) {
  (void)state;
  static const char *const passes[] = {
      "",
      "normalize",
      "dead_code",
      "to_nondataflow",
      "normalize,to_nondataflow,lower_call_tir",
      "normalize,dead_code,to_nondataflow,lower_call_tir,plan_memory",
      GRAPH_TO_VM};
  for (size_t i = 0; i < TN_N_ROWS(passes); ++i) {
    run r;
    run_main(&r, ordered, passes[i], 2);
    expect_ok(r.st);
    expect_true(strcmp(r.host.log, "first=2;read;second=20;third=40;") == 0, "after '%s': %s",
                passes[i], r.host.log);
    assert_true(tn_array_get_f64(r.out.array, 0) == 40);
    run_free(&r);
  }
}

static void results_outlive_the_next_call(void **state) {
  (void)state;
  run r;
  run_main(&r,
           "    @R.function\n    def main(" XN "):\n        y = R.add(x, R.const(1, \"float32\"))\n"
           "        t = (y, x)\n        return t\n",
           GRAPH_TO_VM, 2);
  expect_ok(r.st);
  tn_value first = r.out;
  tn_value arg = graph_value(&r.x);
  tn_array_set_f64(&r.x, 0, 9);
  expect_ok(tn_interp_call(r.in, "main", &arg, 1, &r.out));
  assert_true(tn_array_get_f64(first.items[0].array, 0) == 2);
  assert_true(tn_array_get_f64(r.out.items[0].array, 0) == 10);
  assert_ptr_equal(r.out.items[1].array, &r.x);
  run_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(programs_give_what_they_say),
      cmocka_unit_test(mistakes_of_a_run_are_errors_with_a_place),
      cmocka_unit_test(values_that_are_not_what_was_promised_are_refused),
      cmocka_unit_test(a_run_ends_after_as_many_statements_as_it_may_take),
      cmocka_unit_test(functions_that_are_not_there_are_named),
      cmocka_unit_test(effects_keep_their_order_under_every_pass),
      cmocka_unit_test(results_outlive_the_next_call),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
