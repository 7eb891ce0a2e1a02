/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Schedule scripts and traces: what is read and becomes which steps, what is refused and where, and
 * that a trace does the same again, from its script and from JSON. */
#include "script/sched_script.h"
#include "script/script.h"
#include "tn_test.h"

static const char mm_relu[] =
    "@T.prim_func\n"
    "def mm_relu(A: T.Buffer((8, 8), \"float32\"), B: T.Buffer((8, 8), \"float32\"), "
    "C: T.Buffer((8, 8), \"float32\")):\n"
    "    Y = T.alloc_buffer((8, 8))\n"
    "    for i, j, k in T.grid(8, 8, 8):\n"
    "        with T.block(\"Y\"):\n"
    "            vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n"
    "            with T.init():\n"
    "                Y[vi, vj] = T.float32(0)\n"
    "            Y[vi, vj] = Y[vi, vj] + A[vi, vk] * B[vk, vj]\n"
    "    for i, j in T.grid(8, 8):\n"
    "        with T.block(\"C\"):\n"
    "            vi, vj = T.axis.remap(\"SS\", [i, j])\n"
    "            C[vi, vj] = T.max(Y[vi, vj], T.float32(0))\n";

typedef struct sched_text {
  tn_module module;
  tn_sched *sched;
  tn_buf problem; /* empty when all was done */
  tn_sched_knobs knobs;
  int32_t n_told;
} sched_text;

static void sched_text_init(sched_text *c, const char *program) {
  tn_diags diags = {0};
  *c = (sched_text){.problem = TN_BUF_INIT};
  tn_module_init(&c->module, tn_ir_new((size_t)1 << 30), "Module");
  tn_script_parse(program, strlen(program), NULL, &c->module, &diags);
  expect_ok(tn_diags_to_status(&diags, c->module.ir));
  c->sched = tn_sched_new(&c->module, 0);
}

static void sched_text_deinit(sched_text *c) {
  tn_ir *ir = c->module.ir;
  tn_sched_free(c->sched);
  tn_module_deinit(&c->module);
  tn_ir_free(ir);
  tn_buf_deinit(&c->problem);
  TN_VEC_DEINIT(&c->knobs);
}

static void count_step(void *ctx, const tn_sched *sched, const char *text) {
  (void)sched;
  (void)text;
  ++((sched_text *)ctx)->n_told;
}

static bool run(sched_text *c, const char *steps, int32_t n_defines, const char *const *defines) {
  tn_diags diags = {0};
  const tn_sched_script_opts opts = {.file_name = "steps.py",
                                     .defines = defines,
                                     .n_defines = n_defines,
                                     .after_step = count_step,
                                     .ctx = c,
                                     .out_knobs = &c->knobs};
  tn_sched_script_run(steps, strlen(steps), &opts, c->sched, &diags);
  tn_diags_print(&diags, c->module.ir, &c->problem);
  bool is_ok = diags.n == 0;
  tn_diags_deinit(&diags);
  return is_ok;
}

/* The steps that the script does, without the head of the trace. */
static void expect_steps(const char *steps, const char *want) {
  sched_text c;
  tn_buf trace = TN_BUF_INIT;
  sched_text_init(&c, mm_relu);
  bool is_ok = run(&c, steps, 0, NULL);
  expect_true(is_ok, "%s\nis refused:\n%s", steps, tn_buf_text(&c.problem));
  tn_sched_trace_print(c.sched, &trace);
  const char *body = strstr(tn_buf_text(&trace), "None:\n");
  expect_true(body != NULL, "%s", tn_buf_text(&trace));
  expect_text(body + strlen("None:\n"), want);
  tn_buf_deinit(&trace);
  sched_text_deinit(&c);
}

static void expect_problem(const char *steps, const char *id, const char *part) {
  sched_text c;
  char mark[64];
  (void)snprintf(mark, sizeof mark, "[%s]", id);
  sched_text_init(&c, mm_relu);
  bool is_ok = run(&c, steps, 0, NULL);
  expect_true(!is_ok, "%s\nis done", steps);
  const char *problem = tn_buf_text(&c.problem);
  expect_true(strstr(problem, mark) != NULL && strstr(problem, part) != NULL,
              "%s\nexpected: %s [%s]\ngot: %s", steps, part, id, problem);
  sched_text_deinit(&c);
}

/* ---- reading ---- */

static void scripts_are_read_in_the_forms_that_python_has(void **state) {
  (void)state;
  static const char get[] = "  b0 = sch.get_block(name=\"Y\")\n"
                            "  l1, l2, l3 = sch.get_loops(block=b0)\n";
  static const struct {
    const char *steps;
    const char *want; /* after `get` */
  } cases[] = {
      {"sch = tir.Schedule(IRModule)\nb = sch.get_block(\"Y\")\ni, j, k = sch.get_loops(b)\n", ""},
      {"b0 = sch.get_block(\"Y\")\nloops = sch.get_loops(b0)\n", ""},
      {"# from tvm import tir\ndef apply_trace(sch: tir.Schedule) -> None:\n"
       "  b0 = sch.get_block(name=\"Y\")\n  l1, l2, l3 = sch.get_loops(block=b0)\n",
       ""},
      {"from tvm import tir\nimport tvm\n\"\"\"text\"\"\"\ns = tvm.tir.Schedule(M)\n"
       "i, *rest = s.get_loops(s.get_block(\"Y\"))\ns.mod.show()\nprint(s.mod.script())\n",
       ""},
      {"def transform(mod, f=4):\n  sch = tvm.tir.Schedule(mod)\n  b = sch.get_block(\"Y\")\n"
       "  i, j, k = sch.get_loops(b)\n  j0, j1 = sch.split(j, factors=[None, f])\n  return sch\n",
       "  l4, l5 = sch.split(loop=l2, factors=[None, 4])\n"},
      {"b = sch.get_sblock(\"Y\")\nl = sch.get_loops(sblock=b)[::]\n", ""},
      {"b = sch.get_block(\"Y\")\nl = sch.get_loops(b)\nsch.reorder(*l[:1], l[-1], *l[1:2])\n",
       "  sch.reorder(l1, l3, l2)\n"},
      {"b = sch.get_block(\"Y\")\nl = sch.get_loops(block=b)\n"
       "a, c = sch.split(loop=l[len(l) - 1], factors=[2 * 2 if True else 1, None])\n",
       "  l4, l5 = sch.split(loop=l3, factors=[4, None])\n"},
      {"b = sch.get_block(\"Y\")\n(i, [j]), k = (sch.get_loops(b)[0], [sch.get_loops(b)[1]]), 3\n",
       "  l4, l5, l6 = sch.get_loops(block=b0)\n"},
      {"l = sch.get_loops(\"Y\")\nsch.fuse(l[0], l[1], preserve_unit_iters=False)\n",
       "  l4 = sch.fuse(l1, l2, preserve_unit_iters=False)\n"},
      {"l = sch.get_loops(\"Y\")\nsch.fuse(*l[:2])\n", "  l4 = sch.fuse(l1, l2)\n"},
      {"l = sch.get_loops(\"Y\")\nsch.reorder(*(l[2:] + l[:1]))\n", "  sch.reorder(l3, l1)\n"},
      {"l = sch.get_loops(\"Y\")\nt = sch.sample_perfect_tile(l[0], 2, decision=[4, 2])\n"
       "sch.split(l[0], t)\nsch.split(l[1], [None, t[1] + 1 * 2])\n",
       "  v4, v5 = sch.sample_perfect_tile(loop=l1, n=2, decision=[4, 2])\n"
       "  l6, l7 = sch.split(loop=l1, factors=[v4, v5])\n"
       "  l8, l9 = sch.split(loop=l2, factors=[None, 4])\n"},
      {"b = sch.get_block(\"Y\")\ni, j, k = sch.get_loops(b)\nsch.annotate(i, \"x\", 0.5)\n"
       "sch.annotate(j, \"y\", [1, \"a\\n\"])\n",
       "  sch.annotate(block_or_loop=l1, ann_key=\"x\", ann_val=0.5)\n"
       "  sch.annotate(block_or_loop=l2, ann_key=\"y\", ann_val=[1, \"a\\n\"])\n"},
      {"i, j, k = sch.get_loops(\"Y\")\nsch.annotate(i, \"x\", {\"a\": [18446744073709551615, "
       "True]})\n"
       "sch.annotate(i, \"y\", [T.int8(3), T.int64(3), T.float16(3), T.float64(0.5), 3, 0.5])\n",
       "  sch.annotate(block_or_loop=l1, ann_key=\"x\", "
       "ann_val={\"a\": [T.uint64(18446744073709551615), True]})\n"
       "  sch.annotate(block_or_loop=l1, ann_key=\"y\", ann_val=[T.int8(3), T.int64(3), "
       "T.float16(3.0), T.float64(0.5), 3, 0.5])\n"},
  };
  for (size_t i = 0; i < TN_N_ROWS(cases); ++i) {
    tn_buf want = TN_BUF_INIT;
    tn_buf_printf(&want, "%s%s", get, cases[i].want);
    expect_steps(cases[i].steps, tn_buf_text(&want));
    tn_buf_deinit(&want);
  }
}

static void what_is_wrong_is_told_where_it_stands(void **state) {
  (void)state;
  static const struct {
    const char *steps;
    const char *id;
    const char *part;
  } cases[] = {
      {"sch.splt(1)", "unknown-step", "did you mean 'split'?"},
      {"x = 1\nsch.get_blok(\"Y\")", "unknown-step", "steps.py:2:1: error"},
      {"sch.unsafe_set_dtype(1)", "unsafe-step", "'unsafe_set_dtype' changes a program"},
      {"sch.unsafe_hide_buffer_access(1)", "unsafe-step", "without proof"},
      {"sch.annotate_buffer_access(1)", "unsafe-step", "without proof"},
      {"sch.set_axis_separator(1)", "unsafe-step", "without proof"},
      {"sch.get_block(\"Z\")", "step-refused", "has no block 'Z'"},
      {"sch.get_block(nam=\"Y\")", "bad-step-argument", "did you mean 'name'?"},
      {"sch.get_block(\"Y\", name=\"Y\")", "bad-step-argument", "'name' is given twice"},
      {"sch.get_block(\"Y\", \"f\", 3)", "bad-step-argument", "and 3 came"},
      {"sch.get_block(sch)", "bad-step-argument", "the schedule is no argument"},
      {"sch.get_block(sch.enter_postproc())", "bad-step-argument", "gives no value"},
      {"sch.get_block()", "step-refused", "'name' must be given"},
      {"sch.get_loops(3)", "step-refused", "'block' must be block, not the number 3"},
      {"l = sch.get_loops(\"Y\")\nsch.parallel(l[:1])", "step-refused",
       "'loop' must be loop, not a list of 1"},
      {"sch.parallel(sch.get_block(\"Y\"))", "step-refused", "gives a block's loops"},
      {"sch.reorder(*sch.get_loops(\"Y\"), 0.5)", "step-refused",
       "not a list of 4, with the number 0.5 in it"},
      {"sch.cache_write(\"Y\", 0, \"glbal\")", "step-refused", "did you mean 'global'?"},
      {"sch.cache_read(\"Y\", 0, \"sharedd\")", "step-refused", "no storage scope 'sharedd'"},
      {"sch.set_scope(\"Y\", 0, \"mine\")", "step-refused", "\"global.weights\""},
      {"print(f\"{1}\")\nsch.get_block(f\"Y\")", "bad-string-prefix", "steps.py:2:15: error"},
      {"x = knob(\"x\", [1])\ny = knob(\"x\", [1])", "bad-knob", "a knob 'x' already"},
      {"i, j = sch.get_loops(\"Y\")", "bad-unpacking", "3 values for 2 names"},
      {"i, *j, k, l, m = sch.get_loops(\"Y\")", "bad-unpacking", "3 values for at least 4 names"},
      {"*i, *j = sch.get_loops(\"Y\")", "bad-unpacking", "one *name"},
      {"i, j = 3", "bad-unpacking", "an integer cannot be given to 2 names"},
      {"x = sch.enter_postproc()", "bad-unpacking", "gives no value"},
      {"x[0] = 3", "bad-unpacking", "given to names"},
      {"x = [*3]", "bad-unpacking", "* takes the items of a list"},
      {"for i in range(3):\n  pass", "not-a-step", "'for' is none"},
      {"if True:\n  pass", "not-a-step", "'if' is none"},
      {"x += 1", "not-a-step", "'+=' is none"},
      {"class A:\n  pass", "not-a-step", "'class' is none"},
      {"x = knob(\"x\", [])", "bad-knob", "a knob has a name"},
      {"x = knob(\"x\", 3)", "bad-knob", "a knob has a name"},
      {"x = knob(y, [3])", "bad-knob", "a knob has a name"},
      {"b = sch.get_block(\"Y\")\nx = b + 1", "not-an-expression", "got a block"},
      {"i, j, k = sch.get_loops(\"Y\")\nsch.annotate(i, \"x\", [1, {\"a\": j}])", "step-refused",
       "'ann_val' must be value"},
      {"x = len(3)", "bad-step-argument", "len() is of a list"},
      {"x = lops[0]", "undefined-name", "undefined name 'lops'"},
      {"x = [1, 2]\ny = x[5]", "index-out-of-range", "index 5 of a list of 2"},
      {"x = 3[1:]", "wrong-index-count", "an integer has no slices"},
      {"sch.work_on(\"g\")", "step-refused", "no loop function 'g'"},
      {"x = [y for y in z]", "needs-python", "a comprehension"},
      {"x = (", "unbalanced-bracket", "never closed"},
      {"x = [1, 2][::2]", "unsupported", "a slice with a step"},
      {"x = [1, 2][1:2, 3]", "wrong-index-count", "a list takes one slice"},
  };
  for (size_t i = 0; i < TN_N_ROWS(cases); ++i) {
    expect_problem(cases[i].steps, cases[i].id, cases[i].part);
  }
}

static void lists_that_grow_without_end_are_refused(void **state) {
  (void)state;
  tn_buf steps = TN_BUF_INIT;
  tn_buf_puts(&steps, "a = [1, 1]\n");
  for (int32_t i = 0; i < 40; ++i) {
    tn_buf_puts(&steps, "a = [*a, *a]\n");
  }
  expect_problem(tn_buf_text(&steps), "too-large", "items in a list");
  tn_buf_clear(&steps);
  tn_buf_puts(&steps, "a = [1, 1]\n");
  for (int32_t i = 0; i < 40; ++i) {
    tn_buf_puts(&steps, "a = [a, a]\n");
  }
  tn_buf_puts(&steps, "sch.annotate(\"Y\", \"x\", a)\n");
  expect_problem(tn_buf_text(&steps), "too-large", "items in the arguments");
  tn_buf_deinit(&steps);
}

/* ---- knobs ---- */

static void a_knob_is_its_first_value_or_what_the_caller_says(void **state) {
  (void)state;
  static const char steps[] =
      "ty = knob(\"ty\", [8, 2, 4])\nmode = knob(\"mode\", [\"a\", \"b\"])\n"
      "l = sch.get_loops(\"Y\")\nsch.split(l[0], [None, ty])\n";
  static const struct {
    const char *define;
    const char *part; /* of the trace, or of the problem */
    bool is_ok;
  } cases[] = {
      {NULL, "factors=[None, 8]", true},           {"ty=2", "factors=[None, 2]", true},
      {"mode=b", "factors=[None, 8]", true},       {"ty=3", "none of [8, 2, 4]", false},
      {"mode=c", "none of [\"a\", \"b\"]", false}, {"tz=3", "no name 'tz'", false},
  };
  for (size_t i = 0; i < TN_N_ROWS(cases); ++i) {
    sched_text c;
    tn_buf trace = TN_BUF_INIT;
    sched_text_init(&c, mm_relu);
    bool is_ok = run(&c, steps, cases[i].define != NULL, &cases[i].define);
    tn_sched_trace_print(c.sched, &trace);
    const char *text = tn_buf_text(is_ok ? &trace : &c.problem);
    expect_true(is_ok == cases[i].is_ok && strstr(text, cases[i].part) != NULL, "%s: %s",
                cases[i].part, text);
    expect_true(!is_ok || (c.knobs.len == 2 && strcmp(c.knobs.data[0].name, "ty") == 0 &&
                           c.knobs.data[0].choices->n_in == 3 && c.n_told == 1),
                "%s: %zu knobs, %d steps", cases[i].part, c.knobs.len, c.n_told);
    tn_buf_deinit(&trace);
    sched_text_deinit(&c);
  }
}

/* ---- traces ---- */

static const char *const traced[] = {
    "sch.get_block(\"Y\", \"mm_relu\")\n",
    "b = sch.get_block(\"Y\")\ni, j, k = sch.get_loops(b)\nj0, j1 = sch.split(j, [None, 4])\n"
    "sch.reorder(i, j0, k, j1)\nsch.vectorize(j1)\nx = sch.fuse(i, j0)\nsch.parallel(x)\n",
    "b = sch.get_block(\"Y\")\nsch.annotate(b, \"k\\\"ey\", \"va\\\\lue\")\n"
    "i = sch.get_loops(b)[0]\nsch.annotate(i, \"n\", 3)\nsch.annotate(i, \"f\", 2.0)\n"
    "sch.annotate(i, \"l\", [1, \"None\", [0.1], {\"a\": \"b\"}])\nsch.unannotate(i, "
    "\"n\")\nsch.unroll(i)\n",
    "b = sch.get_block(\"Y\")\nsch.annotate(b, \"x\", {\"a\": [18446744073709551615, True, "
    "\"T.int8(3)\"]})\n"
    "sch.annotate(b, \"y\", [T.int8(3), T.int64(3), T.float16(3), T.float64(0.5), T.bool(False), "
    "3])\n"
    "sch.annotate(b, \"z\", T.uint64(7))\nsch.annotate(b, \"w\", 5000000000)\n",
    "sch.work_on(\"mm_relu\")\nb = sch.get_block(\"root\")\nc = sch.get_child_blocks(b)\n"
    "p = sch.get_producers(c[1])\nsch.add_unit_loop(p[0])\nsch.enter_postproc()\n",
};

/* The program after the steps in `text`, a script or a JSON trace, on a copy of the program. */
static void expect_same_again(const sched_text *c, const char *text, bool is_json) {
  sched_text again = {.problem = TN_BUF_INIT, .module = c->module};
  tn_buf where = TN_BUF_INIT;
  again.sched = tn_sched_new(&c->module, 0);
  if (is_json) {
    expect_ok(tn_sched_trace_run_json(text, strlen(text), NULL, again.sched));
  } else {
    expect_true(run(&again, text, 0, NULL), "%s\n%s", text, tn_buf_text(&again.problem));
  }
  expect_true(tn_module_equal(tn_sched_module(again.sched), tn_sched_module(c->sched), &where),
              "%s\n%s", text, tn_buf_text(&where));
  tn_buf both[2] = {TN_BUF_INIT, TN_BUF_INIT};
  tn_sched_trace_print_json(c->sched, &both[0]);
  tn_sched_trace_print_json(again.sched, &both[1]);
  expect_text(tn_buf_text(&both[1]), tn_buf_text(&both[0]));
  tn_buf_deinit(&both[0]);
  tn_buf_deinit(&both[1]);
  tn_buf_deinit(&where);
  tn_buf_deinit(&again.problem);
  TN_VEC_DEINIT(&again.knobs);
  tn_sched_free(again.sched);
}

static void a_trace_does_the_same_again_as_script_and_as_json(void **state) {
  (void)state;
  for (size_t i = 0; i < TN_N_ROWS(traced); ++i) {
    sched_text c;
    tn_buf script = TN_BUF_INIT;
    tn_buf json = TN_BUF_INIT;
    sched_text_init(&c, mm_relu);
    expect_true(run(&c, traced[i], 0, NULL), "%s\n%s", traced[i], tn_buf_text(&c.problem));
    tn_sched_trace_print(c.sched, &script);
    tn_sched_trace_print_json(c.sched, &json);
    expect_same_again(&c, tn_buf_text(&script), false);
    expect_same_again(&c, tn_buf_text(&json), true);
    tn_buf_deinit(&script);
    tn_buf_deinit(&json);
    sched_text_deinit(&c);
  }
}

static void json_traces_have_the_form_of_tvm(void **state) {
  (void)state;
  sched_text c;
  tn_buf json = TN_BUF_INIT;
  sched_text_init(&c, mm_relu);
  expect_true(
      run(&c,
          "b = sch.get_block(\"Y\", \"mm_relu\")\ni, j, k = sch.get_loops(b)\n"
          "a, c = sch.split(i, [None, 4])\nsch.reorder(j, a)\nsch.annotate(b, \"k\", \"v\")\n",
          0, NULL),
      "%s", tn_buf_text(&c.problem));
  tn_sched_trace_print_json(c.sched, &json);
  expect_text(tn_buf_text(&json),
              "[[\n"
              "  [\"GetBlock\", [], [\"Y\", \"mm_relu\"], [\"b0\"]],\n"
              "  [\"GetLoops\", [\"b0\"], [], [\"l1\", \"l2\", \"l3\"]],\n"
              "  [\"Split\", [\"l1\", \"None\", 4], [1, 0], [\"l4\", \"l5\"]],\n"
              "  [\"Reorder\", [\"l2\", \"l4\"], [], []],\n"
              "  [\"Annotate\", [\"b0\", \"\\\"v\\\"\"], [\"k\"], []]], []]\n");
  tn_buf_deinit(&json);
  sched_text_deinit(&c);
}

static void json_that_is_no_trace_is_told(void **state) {
  (void)state;
  static const struct {
    const char *text;
    tn_code code;
    const char *part;
  } cases[] = {
      {"[", TN_CORRUPT, "JSON, line 1"},
      {"{}", TN_CORRUPT, "a trace is [[steps], [decisions]]"},
      {"[3, []]", TN_CORRUPT, "a trace is"},
      {"[[3], []]", TN_CORRUPT, "step 1: a step is"},
      {"[[[\"GetBlock\", []]], []]", TN_CORRUPT, "step 1: a step is"},
      {"[[[\"GetBlok\", [], [], []]], []]", TN_NOT_FOUND, "no step 'GetBlok'"},
      {"[[[\"UnsafeSetDtype\", [], [], []]], []]", TN_UNSUPPORTED, "without proof"},
      {"[[[\"SetAxisSeparator\", [], [], []]], []]", TN_UNSUPPORTED, "without proof"},
      {"[[[\"GetBlock\", [], [\"Z\"], [\"b0\"]]], []]", TN_NOT_FOUND,
       "step 1: get_block: mm_relu has no block 'Z'"},
      {"[[[\"GetSBlock\", [], [\"Y\", \"mm_relu\"], [\"b0\"]], "
       "[\"GetLoops\", [\"b1\"], [], []]], []]",
       TN_CORRUPT, "step 2: get_loops: 'block': no step before gave 'b1'"},
      {"[[[\"GetBlock\", [\"x\"], [\"Y\"], [\"b0\"]]], []]", TN_CORRUPT, "takes 0 inputs, not 1"},
      {"[[[\"GetBlock\", [], [\"Y\"], [\"b0\"]], [\"GetLoops\", [\"b0\"], [], [\"l1\"]]], []]",
       TN_INVALID, "step 2: get_loops gives 3 results here, and 1 in the trace"},
      {"[[[\"GetBlock\", [], [{}], [\"b0\"]]], []]", TN_INVALID, "'name' must be str"},
      {"[[[\"GetBlock\", [], [\"a\\u0000b\"], [\"b0\"]]], []]", TN_CORRUPT, "a NUL"},
      {"[[[\"TransformBlockLayout\", [\"\\\"x\\\"\"], [\"3\"], []]], []]", TN_CORRUPT,
       "'3' is no index map"},
  };
  for (size_t i = 0; i < TN_N_ROWS(cases); ++i) {
    sched_text c;
    sched_text_init(&c, mm_relu);
    expect_error(tn_sched_trace_run_json(cases[i].text, strlen(cases[i].text), NULL, c.sched),
                 cases[i].code, cases[i].part);
    sched_text_deinit(&c);
  }
}

/* What was recorded on one program is done on another where the steps apply, and the first that does
 * not is named. */
static void a_trace_of_an_edited_program_says_which_step_fails(void **state) {
  (void)state;
  tn_buf json = TN_BUF_INIT;
  tn_buf other = TN_BUF_INIT;
  sched_text c;
  sched_text d;
  sched_text_init(&c, mm_relu);
  expect_true(run(&c, traced[1], 0, NULL), "%s", tn_buf_text(&c.problem));
  tn_sched_trace_print_json(c.sched, &json);
  for (const char *at = mm_relu; *at != '\0'; ++at) { /* 8 becomes 12 */
    tn_buf_puts(&other, *at == '8' ? "12" : (char[2]){*at, '\0'});
  }
  sched_text_init(&d, tn_buf_text(&other));
  expect_ok(tn_sched_trace_run_json(tn_buf_text(&json), json.len, NULL, d.sched));
  assert_int_equal(tn_sched_n_steps(d.sched), tn_sched_n_steps(c.sched));
  sched_text_deinit(&d);
  sched_text_init(&d, "@T.prim_func\ndef f(A: T.Buffer((8,), \"float32\")):\n"
                      "    for i in range(8):\n        with T.block(\"Y\"):\n"
                      "            vi = T.axis.spatial(8, i)\n            A[vi] = T.float32(1)\n");
  expect_error(tn_sched_trace_run_json(tn_buf_text(&json), json.len, NULL, d.sched), TN_INVALID,
               "step 2: get_loops gives 1 results here, and 3 in the trace");
  sched_text_deinit(&d);
  sched_text_deinit(&c);
  tn_buf_deinit(&json);
  tn_buf_deinit(&other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scripts_are_read_in_the_forms_that_python_has),
      cmocka_unit_test(what_is_wrong_is_told_where_it_stands),
      cmocka_unit_test(lists_that_grow_without_end_are_refused),
      cmocka_unit_test(a_knob_is_its_first_value_or_what_the_caller_says),
      cmocka_unit_test(a_trace_does_the_same_again_as_script_and_as_json),
      cmocka_unit_test(json_traces_have_the_form_of_tvm),
      cmocka_unit_test(json_that_is_no_trace_is_told),
      cmocka_unit_test(a_trace_of_an_edited_program_says_which_step_fails),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
