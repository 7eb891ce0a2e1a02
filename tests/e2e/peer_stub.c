/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A library that looks like ONNX Runtime's from outside and knows one network: the larger of 0 and
 * each element of one float32 input. Environment: STUB=refuses (no model opens), STUB=wrong (every
 * result is 1 too large), STUB=fails (the second call of a model does). */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../tools/tenon/ort_api.h"

struct ort_status {
  char text[64];
};
struct ort_value {
  float *data;
  int64_t shape[8];
  size_t ndim;
  bool is_owned;
};
struct ort_type {
  const ort_value *value;
};
struct ort_session {
  int n_runs;
};

static bool is_told(const char *what) {
  const char *text = getenv("STUB");
  return text != NULL && strcmp(text, what) == 0;
}

static ort_status *status_of(const char *text) {
  ort_status *status = calloc(1, sizeof *status);
  strncpy(status->text, text, sizeof status->text - 1);
  return status;
}

static const char *message(const ort_status *status) { return status->text; }
static void release_status(ort_status *status) { free(status); }

/* Things that are only handed back. */
static char thing;
static ort_status *create_env(int level, const char *id, ort_env **out) {
  (void)level, (void)id;
  *out = (ort_env *)&thing;
  return NULL;
}
static void release_env(ort_env *env) { (void)env; }
static ort_status *create_options(ort_options **out) {
  *out = (ort_options *)&thing;
  return NULL;
}
static void release_options(ort_options *options) { (void)options; }
static ort_status *set_number(ort_options *options, int n) {
  (void)options, (void)n;
  return NULL;
}
static ort_status *create_memory(int allocator, int kind, ort_memory **out) {
  (void)allocator, (void)kind;
  *out = (ort_memory *)&thing;
  return NULL;
}
static void release_memory(ort_memory *memory) { (void)memory; }
static ort_status *get_allocator(ort_allocator **out) {
  *out = (ort_allocator *)&thing;
  return NULL;
}
static ort_status *free_text(ort_allocator *allocator, void *text) {
  (void)allocator;
  free(text);
  return NULL;
}

static ort_status *create_session(const ort_env *env, const char *path, const ort_options *options,
                                  ort_session **out) {
  (void)env, (void)path, (void)options;
  if (is_told("refuses")) {
    return status_of("no such operator");
  }
  *out = calloc(1, sizeof **out);
  return NULL;
}
static void release_session(ort_session *session) { free(session); }

static ort_status *count(const ort_session *session, size_t *out) {
  (void)session;
  *out = 1;
  return NULL;
}
static ort_status *in_name(const ort_session *session, size_t i, ort_allocator *allocator,
                           char **out) {
  (void)session, (void)i, (void)allocator;
  *out = strdup("x");
  return NULL;
}
static ort_status *out_name(const ort_session *session, size_t i, ort_allocator *allocator,
                            char **out) {
  (void)session, (void)i, (void)allocator;
  *out = strdup("y");
  return NULL;
}

static ort_status *create_tensor(const ort_memory *memory, void *data, size_t n_bytes,
                                 const int64_t *shape, size_t ndim, int type, ort_value **out) {
  (void)memory, (void)n_bytes;
  if (type != 1 || ndim > 8) {
    return status_of("not float32");
  }
  *out = calloc(1, sizeof **out);
  (*out)->data = data;
  (*out)->ndim = ndim;
  memcpy((*out)->shape, shape, ndim * sizeof *shape);
  return NULL;
}

static ort_status *run(ort_session *session, const ort_run_options *options,
                       const char *const *in_names, const ort_value *const *in, size_t n_in,
                       const char *const *out_names, size_t n_out, ort_value **out) {
  (void)options, (void)n_in, (void)n_out;
  if (strcmp(in_names[0], "x") != 0 || strcmp(out_names[0], "y") != 0) {
    return status_of("other names");
  }
  if (++session->n_runs > 1 && is_told("fails")) {
    return status_of("worn out");
  }
  ort_value *y = calloc(1, sizeof *y);
  size_t n = 1;
  *y = *in[0];
  for (size_t d = 0; d < y->ndim; ++d) {
    n *= (size_t)y->shape[d];
  }
  y->is_owned = true;
  y->data = calloc(n, sizeof *y->data);
  for (size_t i = 0; i < n; ++i) {
    float x = in[0]->data[i];
    y->data[i] = (x > 0 ? x : 0) + (is_told("wrong") ? 1.0f : 0.0f);
  }
  out[0] = y;
  return NULL;
}

static void release_value(ort_value *value) {
  if (value->is_owned) {
    free(value->data);
  }
  free(value);
}
static ort_status *is_tensor(const ort_value *value, int *out) {
  (void)value;
  *out = 1;
  return NULL;
}
static ort_status *get_data(ort_value *value, void **out) {
  *out = value->data;
  return NULL;
}
static ort_status *get_type(const ort_value *value, ort_type **out) {
  *out = calloc(1, sizeof **out);
  (*out)->value = value;
  return NULL;
}
static void release_type(ort_type *type) { free(type); }
static ort_status *element_type(const ort_type *type, int *out) {
  (void)type;
  *out = 1;
  return NULL;
}
static ort_status *get_ndim(const ort_type *type, size_t *out) {
  *out = type->value->ndim;
  return NULL;
}
static ort_status *get_dims(const ort_type *type, int64_t *out, size_t ndim) {
  memcpy(out, type->value->shape, ndim * sizeof *out);
  return NULL;
}

static const ort_api table = {.get_error_message = message,
                              .create_env = create_env,
                              .create_session = create_session,
                              .run = run,
                              .create_options = create_options,
                              .set_optimisation = set_number,
                              .set_intra_op_threads = set_number,
                              .set_inter_op_threads = set_number,
                              .get_input_count = count,
                              .get_output_count = count,
                              .get_input_name = in_name,
                              .get_output_name = out_name,
                              .create_tensor_of_data = create_tensor,
                              .is_tensor = is_tensor,
                              .get_data = get_data,
                              .get_element_type = element_type,
                              .get_ndim = get_ndim,
                              .get_dims = get_dims,
                              .get_type_and_shape = get_type,
                              .create_cpu_memory = create_memory,
                              .free_text = free_text,
                              .get_allocator = get_allocator,
                              .release_env = release_env,
                              .release_status = release_status,
                              .release_memory = release_memory,
                              .release_session = release_session,
                              .release_value = release_value,
                              .release_type = release_type,
                              .release_options = release_options};

static const ort_api *get_api(uint32_t version) { return version == 1 ? &table : NULL; }
static const char *get_version(void) { return "0.0-stub"; }

const ort_api_base *OrtGetApiBase(void);
const ort_api_base *OrtGetApiBase(void) {
  static const ort_api_base base = {get_api, get_version};
  return &base;
}
