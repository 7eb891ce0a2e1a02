/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Compares the answers of two sessions, element by element. */
#include "answers.h"

#include <math.h>
#include <stdio.h>

/* A rounding error of one step is relative to the sums on the way, not to what is left of them, so
 * the measure is the largest value of the tensor (1 at least). A thousand terms in any order stay
 * within the square root of their number of roundings. */
typedef struct tolerance {
  tn_dtype dtype;
  double share;
} tolerance;

static const tolerance tolerances[] = {
    {TN_DT_F64, 1e-12}, {TN_DT_F32, 1e-5}, {TN_DT_F16, 1e-2}, {TN_DT_BF16, 8e-2}};

static double share_of(tn_dtype dtype) {
  for (size_t i = 0; i < sizeof tolerances / sizeof *tolerances; ++i) {
    if (tolerances[i].dtype == dtype) {
      return tolerances[i].share;
    }
  }
  return 0;
}

static tn_status differ(const char *fmt, const char *what, const char *name_a, const char *text_a,
                        const char *name_b, const char *text_b) {
  char text[512];
  (void)snprintf(text, sizeof text, fmt, what, name_a, text_a, name_b, text_b);
  return tn_status_make(TN_INVALID, text);
}

static bool is_close(double a, double b, double most) {
  return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= most;
}

static bool have_one_shape(const DLTensor *a, const DLTensor *b) {
  bool is_one = tn_dl_dtype(a) == tn_dl_dtype(b) && a->ndim == b->ndim;
  for (int32_t d = 0; is_one && d < a->ndim; ++d) {
    is_one = a->shape[d] == b->shape[d];
  }
  return is_one;
}

static tn_status compare_tensors(const tn_tensor *a, const tn_tensor *b, const char *what,
                                 const char *name_a, const char *name_b) {
  const DLTensor *dl = tn_tensor_dl(a);
  if (!have_one_shape(dl, tn_tensor_dl(b))) {
    return differ("%s of %s and of %s have different shapes or types%s%s", what, name_a, name_b, "",
                  "");
  }
  int64_t n = tn_dl_n_elems(dl);
  double largest = 1;
  for (int64_t i = 0; i < n; ++i) {
    double value = fabs(tn_tensor_get_f64(a, i));
    largest = value > largest && !isinf(value) ? value : largest;
  }
  double most = share_of(tn_dl_dtype(dl)) * largest;
  for (int64_t i = 0; i < n; ++i) {
    double value_a = tn_tensor_get_f64(a, i);
    double value_b = tn_tensor_get_f64(b, i);
    if (!is_close(value_a, value_b, most)) {
      char place[96];
      char text_a[32];
      char text_b[32];
      (void)snprintf(place, sizeof place, "element %lld of %s", (long long)i, what);
      (void)snprintf(text_a, sizeof text_a, "%.9g", value_a);
      (void)snprintf(text_b, sizeof text_b, "%.9g", value_b);
      return differ("they compute different things: %s: %s has %s, %s has %s", place, name_a,
                    text_a, name_b, text_b);
    }
  }
  return NULL;
}

/* A value that came back, or an argument that may have been written. Numbers alone are not compared:
 * they cannot be written. */
static tn_status compare_values(const tn_arg *a, const tn_arg *b, const char *what,
                                const char *name_a, const char *name_b) {
  const tn_tensor *tensor_a = tn_arg_tensor(a);
  const tn_tensor *tensor_b = tn_arg_tensor(b);
  const tn_tuple *tuple_a = tn_arg_tuple(a);
  const tn_tuple *tuple_b = tn_arg_tuple(b);
  tn_status st = NULL;
  if (tensor_a != NULL && tensor_b != NULL) {
    return compare_tensors(tensor_a, tensor_b, what, name_a, name_b);
  }
  if (tuple_a == NULL || tuple_b == NULL || tn_tuple_size(tuple_a) != tn_tuple_size(tuple_b)) {
    return a->kind == b->kind && tuple_a == NULL
               ? NULL
               : differ("%s of %s and of %s are values of different kinds%s%s", what, name_a,
                        name_b, "", "");
  }
  for (int32_t i = 0; st == NULL && i < tn_tuple_size(tuple_a); ++i) {
    st = compare_values(tn_tuple_at(tuple_a, i), tn_tuple_at(tuple_b, i), what, name_a, name_b);
  }
  return st;
}

tn_status answers_compare(const answers *first, session *s, const char *name) {
  tn_arg ret = tn_arg_none();
  if (first->n_args != s->n_params) {
    char text[256];
    (void)snprintf(text, sizeof text, "%s takes %d arguments and %s %d", first->name, first->n_args,
                   name, s->n_params);
    return tn_status_make(TN_INVALID, text);
  }
  tn_status st = session_call(s, &ret);
  st = st == NULL ? compare_values(&first->ret, &ret, "the result", first->name, name) : st;
  for (int32_t j = 0; st == NULL && j < s->n_params; ++j) {
    st = compare_values(&first->args[j], &s->args[j], s->params[j].name, first->name, name);
  }
  tn_arg_release(&ret);
  return st;
}

static double norm_of_tensors(const tn_tensor *ours, const tn_tensor *theirs) {
  int64_t n = tn_dl_n_elems(tn_tensor_dl(ours));
  double squares = 0;
  double all = 0;
  if (!have_one_shape(tn_tensor_dl(ours), tn_tensor_dl(theirs))) {
    return -1;
  }
  for (int64_t i = 0; i < n; ++i) {
    double a = tn_tensor_get_f64(ours, i);
    double b = tn_tensor_get_f64(theirs, i);
    if (isnan(a) != isnan(b)) {
      return -1;
    }
    if (a != b && !isnan(a)) {
      squares += (a - b) * (a - b);
    }
    all += isnan(b) ? 0 : b * b;
  }
  return squares > 0 ? sqrt(squares / (all > 0 ? all : 1)) : 0;
}

double answers_norm(const tn_arg *ours, const tn_arg *theirs) {
  const tn_tensor *a = tn_arg_tensor(ours);
  const tn_tensor *b = tn_arg_tensor(theirs);
  const tn_tuple *tuple_a = tn_arg_tuple(ours);
  const tn_tuple *tuple_b = tn_arg_tuple(theirs);
  double most = 0;
  if (a != NULL && b != NULL) {
    return norm_of_tensors(a, b);
  }
  if (tuple_a == NULL || tuple_b == NULL || tn_tuple_size(tuple_a) != tn_tuple_size(tuple_b)) {
    return -1;
  }
  for (int32_t i = 0; i < tn_tuple_size(tuple_a) && most >= 0; ++i) {
    double norm = answers_norm(tn_tuple_at(tuple_a, i), tn_tuple_at(tuple_b, i));
    most = norm < 0 || norm > most ? norm : most;
  }
  return most;
}
