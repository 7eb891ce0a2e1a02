/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A trained network in four forms, each compiled from TVMScript and run on Tenon's virtual machine:
 *
 *   (a) all TensorIR         every layer is a loop function of the module
 *   (b) library calls        the layers are functions of this program, called by name (library.c)
 *   (c) mixed                some of both
 *   (d) weights bound        (a) with the weights as constants, so that main takes a picture alone
 *
 * The program shows a few test pictures with their predictions, then for each form the right
 * answers among all test pictures and the time of one prediction, and checks that the forms agree
 * picture by picture. Only the public headers are used.
 *
 *   fashion_demo [--data DIR] [SOURCES]
 *
 * SOURCES is the folder that holds models/ and examples/ (default: the current one). */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library.h"
#include "picture.h"
#include "tenon/bench.h"
#include "tenon/compiler.h"

enum { N_PIXELS = PICTURE_SIZE * PICTURE_SIZE, N_CLASSES = 10, N_WEIGHTS = 4, N_FORMS = 4 };
enum { N_INTERPRETED = 16 }; /* pictures that the reference interpreter predicts too: it is slow */

static const char *const weight_names[N_WEIGHTS] = {"w0", "b0", "w1", "b1"};

typedef struct form_info {
  const char *title;
  const char *file; /* in examples/fashion_mnist/ */
  bool is_bound;    /* weights become constants before compiling */
} form_info;

static const form_info form_infos[N_FORMS] = {
    {"(a) all TensorIR", "all_tensorir.py", false},
    {"(b) library calls", "library.py", false},
    {"(c) mixed", "mixed.py", false},
    {"(d) weights bound", "all_tensorir.py", true},
};

/* The test set: pictures [n, 28, 28] and labels [n], both uint8. */
typedef struct test_set {
  tn_tensor *pictures;
  tn_tensor *labels;
  int64_t n;
} test_set;

/* A compiled form, and the arguments of its next call: the picture, then the weights. */
typedef struct demo_form {
  tn_program *program;
  tn_vm *vm;
  tn_arg args[1 + N_WEIGHTS];
  int32_t n_args;
} demo_form;

typedef struct demo {
  const char *sources;
  const char *data;
  tn_runtime *rt;
  const char *blas;
  test_set test;
  tn_tensor *weights[N_WEIGHTS];
  tn_tensor *input; /* float32 [1, 784]: the picture being predicted */
  demo_form forms[N_FORMS];
  uint8_t *answers[N_FORMS]; /* [n] each */
} demo;

/* ---- loading ---- */

static tn_status load_bytes(const char *dir, const char *name, tn_tensor **out_tensor) {
  char path[4096];
  (void)snprintf(path, sizeof path, "%s/%s", dir, name);
  tn_status st = tn_tensor_load(path, out_tensor);
  if (st != NULL) {
    fprintf(stderr, "The test pictures are in Debian's package dataset-fashion-mnist "
                    "(apt install dataset-fashion-mnist); --data DIR names another folder.\n");
  }
  return st;
}

static tn_status load_test_set(const char *dir, test_set *out_set) {
  tn_status st = load_bytes(dir, "t10k-images-idx3-ubyte.gz", &out_set->pictures);
  st = st == NULL ? load_bytes(dir, "t10k-labels-idx1-ubyte.gz", &out_set->labels) : st;
  if (st != NULL) {
    return st;
  }
  const DLTensor *pictures = tn_tensor_dl(out_set->pictures);
  const DLTensor *labels = tn_tensor_dl(out_set->labels);
  if (pictures->ndim != 3 || pictures->shape[1] != PICTURE_SIZE ||
      pictures->shape[2] != PICTURE_SIZE || tn_dl_dtype(pictures) != TN_DT_U8 ||
      labels->ndim != 1 || labels->shape[0] != pictures->shape[0] ||
      tn_dl_dtype(labels) != TN_DT_U8) {
    return tn_status_make(TN_INVALID,
                          "the test set is not one of 28 x 28 pictures and their labels");
  }
  out_set->n = pictures->shape[0];
  return NULL;
}

static tn_status load_weights(demo *d) {
  for (int i = 0; i < N_WEIGHTS; ++i) {
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/models/fashion_mnist/fashion_mlp.npz:%s", d->sources,
                   weight_names[i]);
    tn_status st = tn_tensor_load(path, &d->weights[i]);
    if (st != NULL) {
      return st;
    }
  }
  return NULL;
}

/* Reads the program, binds the weights where the form says so, and compiles it. */
static tn_status open_form(demo *d, const form_info *info, demo_form *out_form) {
  char path[4096];
  tn_exec *exec = NULL;
  (void)snprintf(path, sizeof path, "%s/examples/fashion_mnist/%s", d->sources, info->file);
  fprintf(stderr, "compiling %s%s\n", path, info->is_bound ? ", weights bound" : "");
  tn_status st = tn_program_load(path, &out_form->program);
  out_form->args[out_form->n_args++] = tn_arg_of_tensor(d->input);
  for (int i = 0; st == NULL && i < N_WEIGHTS; ++i) {
    if (info->is_bound) {
      st = tn_program_bind(out_form->program, "main", weight_names[i], d->weights[i]);
    } else {
      out_form->args[out_form->n_args++] = tn_arg_of_tensor(d->weights[i]);
    }
  }
  st = st == NULL ? tn_program_compile(out_form->program, NULL, &exec) : st;
  st = st == NULL ? tn_vm_create(d->rt, exec, NULL, 0, &out_form->vm) : st;
  tn_exec_release(exec); /* the machine keeps it */
  return st;
}

static tn_status open_all(demo *d) {
  const int64_t shape[] = {1, N_PIXELS};
  tn_status st = tn_runtime_create(0, &d->rt);
  st = st == NULL ? library_register(d->rt, &d->blas) : st;
  st = st == NULL ? load_test_set(d->data, &d->test) : st;
  st = st == NULL ? load_weights(d) : st;
  st = st == NULL ? tn_tensor_create(TN_DT_F32, 2, shape, NULL, &d->input) : st;
  for (int f = 0; st == NULL && f < N_FORMS; ++f) {
    st = open_form(d, &form_infos[f], &d->forms[f]);
  }
  return st;
}

static void close_all(demo *d) {
  for (int f = 0; f < N_FORMS; ++f) {
    tn_vm_release(d->forms[f].vm);
    tn_program_free(d->forms[f].program);
    free(d->answers[f]);
  }
  for (int i = 0; i < N_WEIGHTS; ++i) {
    tn_tensor_release(d->weights[i]);
  }
  tn_tensor_release(d->input);
  tn_tensor_release(d->test.pictures);
  tn_tensor_release(d->test.labels);
  tn_runtime_release(d->rt);
}

/* ---- predicting ---- */

/* The network was trained on pixels from 0 to 1. */
static void set_input(demo *d, int64_t i) {
  const uint8_t *pixels = (const uint8_t *)tn_tensor_data(d->test.pictures) + i * N_PIXELS;
  float *input = tn_tensor_data(d->input);
  for (int k = 0; k < N_PIXELS; ++k) {
    input[k] = (float)pixels[k] / 255.0F;
  }
}

/* The class with the largest value. */
static uint8_t answer_of(const tn_arg *result) {
  const float *y = tn_tensor_data(tn_arg_tensor(result));
  uint8_t best = 0;
  for (uint8_t k = 1; k < N_CLASSES; ++k) {
    best = y[k] > y[best] ? k : best;
  }
  return best;
}

static tn_status predict_all(demo *d, int f) {
  demo_form *form = &d->forms[f];
  d->answers[f] = malloc((size_t)d->test.n);
  if (d->answers[f] == NULL) {
    return tn_status_make(TN_NO_MEMORY, "no memory for the answers");
  }
  fprintf(stderr, "predicting %lld pictures: %s\n", (long long)d->test.n, form_infos[f].title);
  for (int64_t i = 0; i < d->test.n; ++i) {
    tn_arg result = tn_arg_none();
    set_input(d, i);
    tn_status st = tn_vm_call(form->vm, "main", form->args, form->n_args, &result);
    if (st != NULL) {
      return st;
    }
    d->answers[f][i] = answer_of(&result);
    tn_arg_release(&result);
  }
  return NULL;
}

static int64_t n_right(const demo *d, int f) {
  const uint8_t *labels = tn_tensor_data(d->test.labels);
  int64_t n = 0;
  for (int64_t i = 0; i < d->test.n; ++i) {
    n += d->answers[f][i] == labels[i];
  }
  return n;
}

/* ---- what is shown ---- */

/* The first three pictures, and the first three that the network mistakes. */
static void show_pictures(const demo *d) {
  const uint8_t *labels = tn_tensor_data(d->test.labels);
  const uint8_t *pixels = tn_tensor_data(d->test.pictures);
  for (int part = 0; part < 2; ++part) {
    picture row[PICTURES_A_ROW];
    int n = 0;
    for (int64_t i = 0; i < d->test.n && n < PICTURES_A_ROW; ++i) {
      if (part == 0 || d->answers[0][i] != labels[i]) {
        row[n++] = (picture){pixels + i * N_PIXELS, d->answers[0][i], labels[i]};
      }
    }
    picture_print_row(row, n);
  }
}

static tn_status call_once(void *ctx) {
  demo_form *form = ctx;
  tn_arg result = tn_arg_none();
  tn_status st = tn_vm_call(form->vm, "main", form->args, form->n_args, &result);
  tn_arg_release(&result);
  return st;
}

/* 8857 -> "8,857" */
static const char *with_comma(int64_t n, char out[32]) {
  if (n >= 1000) {
    (void)snprintf(out, 32, "%lld,%03lld", (long long)n / 1000, (long long)n % 1000);
  } else {
    (void)snprintf(out, 32, "%lld", (long long)n);
  }
  return out;
}

static tn_status show_table(demo *d) {
  char n_text[32];
  char right_text[32];
  printf("%-36s right of %6s   one prediction\n", "form", with_comma(d->test.n, n_text));
  for (int f = 0; f < N_FORMS; ++f) {
    tn_bench_opts opts = TN_BENCH_DEFAULTS;
    tn_bench_result result = {0};
    fprintf(stderr, "measuring %s\n", form_infos[f].title);
    tn_status st = tn_bench_measure(&(tn_bench_call){call_once, &d->forms[f]}, &opts, &result);
    if (st != NULL) {
      return st;
    }
    printf("%-36s %15s %13.1f us\n", form_infos[f].title, with_comma(n_right(d, f), right_text),
           result.median_us);
    tn_bench_result_deinit(&result);
  }
  printf("\nLibrary calls: %s.\n", d->blas);
  return NULL;
}

/* ---- what is checked ---- */

static tn_status disagreement(const char *title, int64_t i, int a, int b) {
  char text[256];
  (void)snprintf(text, sizeof text, "picture %lld: (a) answers %s, %s answers %s", (long long)i,
                 picture_class_name(a), title, picture_class_name(b));
  return tn_status_make(TN_INTERNAL, text);
}

/* All forms against the first one, and the first pictures against the reference interpreter. */
static tn_status check_agreement(demo *d) {
  for (int f = 1; f < N_FORMS; ++f) {
    for (int64_t i = 0; i < d->test.n; ++i) {
      if (d->answers[f][i] != d->answers[0][i]) {
        return disagreement(form_infos[f].title, i, d->answers[0][i], d->answers[f][i]);
      }
    }
  }
  int64_t n = d->test.n < N_INTERPRETED ? d->test.n : N_INTERPRETED;
  fprintf(stderr, "interpreting %lld pictures\n", (long long)n);
  for (int64_t i = 0; i < n; ++i) {
    demo_form *form = &d->forms[0];
    tn_arg result = tn_arg_none();
    set_input(d, i);
    tn_status st =
        tn_program_interpret(form->program, d->rt, "main", form->args, form->n_args, NULL, &result);
    if (st != NULL) {
      return st;
    }
    uint8_t answer = answer_of(&result);
    tn_arg_release(&result);
    if (answer != d->answers[0][i]) {
      return disagreement("the interpreter", i, d->answers[0][i], answer);
    }
  }
  char n_text[32];
  printf("The four forms agree on each of the %s pictures,\n"
         "and the reference interpreter agrees on the first %lld.\n",
         with_comma(d->test.n, n_text), (long long)n);
  return NULL;
}

static tn_status run(demo *d) {
  tn_status st = open_all(d);
  for (int f = 0; st == NULL && f < N_FORMS; ++f) {
    st = predict_all(d, f);
  }
  if (st != NULL) {
    return st;
  }
  show_pictures(d);
  st = show_table(d);
  return st == NULL ? check_agreement(d) : st;
}

int main(int argc, char **argv) {
  static const struct option options[] = {
      {"data", required_argument, NULL, 'd'}, {"help", no_argument, NULL, 'h'}, {0}};
  demo d = {.sources = ".", .data = "/usr/share/datasets/fashion-mnist"};
  for (int code = 0; (code = getopt_long(argc, argv, "d:h", options, NULL)) != -1;) {
    if (code == 'd') {
      d.data = optarg;
    } else {
      fprintf(code == 'h' ? stdout : stderr, "usage: fashion_demo [--data DIR] [SOURCES]\n");
      return code == 'h' ? 0 : 2;
    }
  }
  if (optind < argc) {
    d.sources = argv[optind];
  }
  tn_status st = run(&d);
  if (st != NULL) {
    fprintf(stderr, "error: %s [%s]\n", tn_status_message(st), tn_code_name(tn_status_code(st)));
  }
  int rc = st == NULL ? 0 : 1;
  tn_status_free(st);
  close_all(&d);
  return rc;
}
