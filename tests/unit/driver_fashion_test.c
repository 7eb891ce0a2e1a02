/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The trained network of examples/fashion_mnist in its four forms, picture by picture: compiled
 * forms, the same at level 0, and the interpreter. With the trained weights and with a second set
 * made from a seed. TN_LONG=1 takes every test picture, for the interpreter too. */
#include "tn_test.h"

#include <math.h>

#include "tenon/compiler.h"

enum { N_PIXELS = 784, N_CLASSES = 10, N_WEIGHTS = 4, N_FORMS = 4, N_SETS = 2 };
enum { SHARE = 16, INTERPRETED_SHARE = 1000 }; /* every so-many-th picture, unless TN_LONG is set */

static const char *const form_files[N_FORMS] = {"all_tensorir", "library", "mixed", "all_tensorir"};
enum { BOUND_FORM = 3 };
static const char *const weight_names[N_WEIGHTS] = {"w0", "b0", "w1", "b1"};

typedef struct network {
  tn_program *program;
  tn_vm *vm;     /* level 2 */
  tn_vm *vm_low; /* level 0 */
  tn_arg args[1 + N_WEIGHTS];
  int32_t n_args;
} network;

typedef struct fixture {
  tn_runtime *rt;
  tn_tensor *pictures; /* [n, 28, 28] */
  tn_tensor *input;    /* [1, 784] */
  tn_tensor *weights[N_SETS][N_WEIGHTS];
  network nets[N_SETS][N_FORMS];
} fixture;

static bool is_long(void) { return getenv("TN_LONG") != NULL; }

/* ---- the library that forms b and c call ---- */

static tn_status env_linear(void *ctx, const tn_arg *args, int32_t n_args, tn_arg *out_ret) {
  (void)ctx;
  (void)out_ret;
  assert_int_equal(n_args, 4);
  int64_t m = tn_arg_dl(&args[1])->shape[0];
  int64_t n = tn_arg_dl(&args[1])->shape[1];
  const float *x = tn_arg_dl(&args[0])->data;
  const float *w = tn_arg_dl(&args[1])->data;
  const float *b = tn_arg_dl(&args[2])->data;
  float *out = tn_arg_dl(&args[3])->data;
  for (int64_t i = 0; i < m; ++i) {
    float sum = 0;
    for (int64_t k = 0; k < n; ++k) {
      sum += x[k] * w[i * n + k];
    }
    out[i] = sum + b[i];
  }
  return NULL;
}

static tn_status env_relu(void *ctx, const tn_arg *args, int32_t n_args, tn_arg *out_ret) {
  (void)ctx;
  (void)out_ret;
  assert_int_equal(n_args, 2);
  const float *x = tn_arg_dl(&args[0])->data;
  float *out = tn_arg_dl(&args[1])->data;
  for (int64_t i = 0; i < tn_arg_dl(&args[0])->shape[1]; ++i) {
    out[i] = x[i] > 0 ? x[i] : 0;
  }
  return NULL;
}

/* ---- opening ---- */

static tn_vm *compile(fixture *f, const tn_program *program, int32_t level) {
  tn_compile_opts opts = TN_COMPILE_DEFAULTS;
  tn_exec *exec = NULL;
  tn_vm *vm = NULL;
  opts.opt_level = level;
  opts.does_verify_each = true;
  expect_ok(tn_program_compile(program, &opts, &exec));
  expect_ok(tn_vm_create(f->rt, exec, NULL, 0, &vm));
  tn_exec_release(exec);
  return vm;
}

static void open_network(fixture *f, int set, int form) {
  network *net = &f->nets[set][form];
  char path[256];
  (void)snprintf(path, sizeof path, "examples/fashion_mnist/%s.py", form_files[form]);
  expect_ok(tn_program_load(path, &net->program));
  net->args[net->n_args++] = tn_arg_of_tensor(f->input);
  for (int i = 0; i < N_WEIGHTS; ++i) {
    if (form == BOUND_FORM) {
      expect_ok(tn_program_bind(net->program, "main", weight_names[i], f->weights[set][i]));
    } else {
      net->args[net->n_args++] = tn_arg_of_tensor(f->weights[set][i]);
    }
  }
  net->vm = compile(f, net->program, 2);
  net->vm_low = compile(f, net->program, 0);
}

/* The first set is the trained one; the second has its shapes and random values. */
static void load_weights(fixture *f) {
  for (int i = 0; i < N_WEIGHTS; ++i) {
    char path[256];
    (void)snprintf(path, sizeof path, "models/fashion_mnist/fashion_mlp.npz:%s", weight_names[i]);
    expect_ok(tn_tensor_load(path, &f->weights[0][i]));
    const DLTensor *dl = tn_tensor_dl(f->weights[0][i]);
    expect_ok(tn_tensor_create(TN_DT_F32, dl->ndim, dl->shape, NULL, &f->weights[1][i]));
    expect_ok(tn_tensor_fill_random(f->weights[1][i], (uint64_t)(2024 + i)));
  }
}

static int setup(void **state) {
  static const int64_t shape[] = {1, N_PIXELS};
  fixture *f = calloc(1, sizeof *f);
  assert_non_null(f);
  expect_ok(tn_runtime_create(1, &f->rt));
  tn_registry *registry = tn_runtime_registry(f->rt);
  expect_ok(tn_registry_add(registry, "env.linear", env_linear, NULL, NULL, false));
  expect_ok(tn_registry_add(registry, "env.relu", env_relu, NULL, NULL, false));
  expect_ok(
      tn_tensor_load("/usr/share/datasets/fashion-mnist/t10k-images-idx3-ubyte.gz", &f->pictures));
  expect_ok(tn_tensor_create(TN_DT_F32, 2, shape, NULL, &f->input));
  load_weights(f);
  for (int set = 0; set < N_SETS; ++set) {
    for (int form = 0; form < N_FORMS; ++form) {
      open_network(f, set, form);
    }
  }
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  for (int set = 0; set < N_SETS; ++set) {
    for (int form = 0; form < N_FORMS; ++form) {
      tn_vm_release(f->nets[set][form].vm);
      tn_vm_release(f->nets[set][form].vm_low);
      tn_program_free(f->nets[set][form].program);
    }
    for (int i = 0; i < N_WEIGHTS; ++i) {
      tn_tensor_release(f->weights[set][i]);
    }
  }
  tn_tensor_release(f->input);
  tn_tensor_release(f->pictures);
  tn_runtime_release(f->rt);
  free(f);
  return 0;
}

/* ---- predicting ---- */

static void set_input(fixture *f, tn_tensor *pictures, int64_t i) {
  const uint8_t *pixels = (const uint8_t *)tn_tensor_data(pictures) + i * N_PIXELS;
  float *input = tn_tensor_data(f->input);
  for (int k = 0; k < N_PIXELS; ++k) {
    input[k] = (float)pixels[k] / 255.0F;
  }
}

static void take(tn_status st, tn_arg *result, float out[N_CLASSES]) {
  expect_ok(st);
  assert_non_null(tn_arg_tensor(result));
  memcpy(out, tn_tensor_data(tn_arg_tensor(result)), N_CLASSES * sizeof *out);
  tn_arg_release(result);
}

static void run_vm(const network *net, tn_vm *vm, float out[N_CLASSES]) {
  tn_arg result = tn_arg_none();
  tn_status st = tn_vm_call(vm, "main", net->args, net->n_args, &result);
  take(st, &result, out);
}

static void interpret(fixture *f, const network *net, float out[N_CLASSES]) {
  tn_arg result = tn_arg_none();
  tn_status st =
      tn_program_interpret(net->program, f->rt, "main", net->args, net->n_args, NULL, &result);
  take(st, &result, out);
}

static int answer_of(const float y[N_CLASSES]) {
  int best = 0;
  for (int k = 1; k < N_CLASSES; ++k) {
    best = y[k] > y[best] ? k : best;
  }
  return best;
}

/* Sums of 784 products in another order: the values agree to 1e-4 of the largest one, and the
 * answers unless the two candidates are that close. */
static void expect_close(const float got[N_CLASSES], const float want[N_CLASSES], const char *what,
                         int64_t i) {
  float scale = 1;
  for (int k = 0; k < N_CLASSES; ++k) {
    scale = fmaxf(scale, fabsf(want[k]));
  }
  for (int k = 0; k < N_CLASSES; ++k) {
    expect_true(fabsf(got[k] - want[k]) <= 1e-4F * scale, "%s, picture %lld, class %d: %g and %g",
                what, (long long)i, k, (double)got[k], (double)want[k]);
  }
  int a = answer_of(got);
  int b = answer_of(want);
  expect_true(a == b || want[b] - want[a] <= 2e-4F * scale, "%s, picture %lld: answers %d and %d",
              what, (long long)i, a, b);
}

/* ---- tests ---- */

static void the_four_forms_agree_picture_by_picture(void **state) {
  fixture *f = *state;
  int64_t step = is_long() ? 1 : SHARE;
  for (int set = 0; set < N_SETS; ++set) {
    for (int64_t i = 0; i < tn_tensor_dl(f->pictures)->shape[0]; i += step) {
      float first[N_CLASSES];
      set_input(f, f->pictures, i);
      run_vm(&f->nets[set][0], f->nets[set][0].vm, first);
      for (int form = 1; form < N_FORMS; ++form) {
        float other[N_CLASSES];
        run_vm(&f->nets[set][form], f->nets[set][form].vm, other);
        expect_close(other, first, form_files[form], i);
      }
    }
  }
}

static void binding_the_weights_changes_no_bit(void **state) {
  fixture *f = *state;
  for (int set = 0; set < N_SETS; ++set) {
    for (int64_t i = 0; i < tn_tensor_dl(f->pictures)->shape[0]; i += INTERPRETED_SHARE) {
      float free_weights[N_CLASSES];
      float bound_weights[N_CLASSES];
      const network *bound = &f->nets[set][BOUND_FORM];
      set_input(f, f->pictures, i);
      run_vm(&f->nets[set][0], f->nets[set][0].vm, free_weights);
      run_vm(bound, bound->vm, bound_weights);
      assert_memory_equal(bound_weights, free_weights, sizeof free_weights);
      run_vm(bound, bound->vm, bound_weights); /* and a second call gives the same again */
      assert_memory_equal(bound_weights, free_weights, sizeof free_weights);
    }
  }
}

static void the_interpreter_agrees_with_each_form(void **state) {
  fixture *f = *state;
  for (int set = 0; set < N_SETS; ++set) {
    for (int form = 0; form < N_FORMS; ++form) {
      const network *net = &f->nets[set][form];
      int64_t step = is_long() && form == 0 ? 1 : INTERPRETED_SHARE;
      for (int64_t i = 0; i < tn_tensor_dl(f->pictures)->shape[0]; i += step) {
        float slow[N_CLASSES];
        float fast[N_CLASSES];
        float exact[N_CLASSES];
        set_input(f, f->pictures, i);
        interpret(f, net, slow);
        run_vm(net, net->vm, fast);
        run_vm(net, net->vm_low, exact);
        expect_close(fast, slow, form_files[form], i);
        expect_true(memcmp(exact, slow, sizeof slow) == 0,
                    "%s, picture %lld: level 0 gives other bits than the interpreter",
                    form_files[form], (long long)i);
      }
    }
  }
}

static void the_outputs_are_those_of_the_training_framework(void **state) {
  fixture *f = *state;
  tn_tensor *pictures = NULL;
  tn_tensor *logits = NULL;
  expect_ok(tn_tensor_load("models/fashion_mnist/fashion_expected.npz:images", &pictures));
  expect_ok(tn_tensor_load("models/fashion_mnist/fashion_expected.npz:mlp_logits", &logits));
  int64_t n = tn_tensor_dl(logits)->shape[0];
  assert_int_equal(n, tn_tensor_dl(pictures)->shape[0]);
  for (int64_t i = 0; i < n; ++i) {
    const float *want = (const float *)tn_tensor_data(logits) + i * N_CLASSES;
    set_input(f, pictures, i);
    for (int form = 0; form < N_FORMS; ++form) {
      float got[N_CLASSES];
      run_vm(&f->nets[0][form], f->nets[0][form].vm, got);
      expect_close(got, want, form_files[form], i);
    }
  }
  tn_tensor_release(pictures);
  tn_tensor_release(logits);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_four_forms_agree_picture_by_picture),
      cmocka_unit_test(binding_the_weights_changes_no_bit),
      cmocka_unit_test(the_interpreter_agrees_with_each_form),
      cmocka_unit_test(the_outputs_are_those_of_the_training_framework),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
