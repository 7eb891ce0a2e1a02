/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* ONNX Runtime as a peer, through its C API, in this process: its inputs are the very memory that
 * Tenon's calls read. Its library is $TENON_ONNXRUNTIME, or one of the usual names. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ort_api.h"
#include "peer.h"

enum { MAX_VALUES = 64, MAX_NDIM = 32 };

typedef struct ort_lib {
  const ort_api *api;
  ort_env *env;
} ort_lib;

typedef struct ort_model {
  const ort_api *api;
  ort_session *session;
  size_t n_in;
  size_t n_out;
  char *in_names[MAX_VALUES]; /* the library's allocator's */
  char *out_names[MAX_VALUES];
  ort_value *in[MAX_VALUES];
  ort_value *out[MAX_VALUES]; /* of the last call */
} ort_model;

static tn_status say(tn_code code, const char *fmt, const char *what) {
  char text[1024];
  (void)snprintf(text, sizeof text, fmt, what);
  return tn_status_make(code, text);
}

/* Takes the library's status over. */
static tn_status from_ort(const ort_api *api, ort_status *status) {
  if (status == NULL) {
    return NULL;
  }
  tn_status st = say(TN_INVALID, "onnxruntime: %s", api->get_error_message(status));
  api->release_status(status);
  return st;
}

/* ---- the library ---- */

/* A symbol as a function; POSIX lets an object pointer hold one, C needs the detour. */
typedef union symbol {
  void *object;
  ort_get_base get_base;
} symbol;

static tn_status find_base(const ort_api_base **out_base) {
  static const char *const names[] = {"libonnxruntime.so.1", "libonnxruntime.so"};
  const char *path = getenv("TENON_ONNXRUNTIME");
  void *handle = path != NULL ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  for (size_t i = 0; path == NULL && handle == NULL && i < sizeof names / sizeof *names; ++i) {
    handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  }
  if (handle == NULL && path != NULL) {
    return say(TN_NOT_FOUND, "onnxruntime is missing: TENON_ONNXRUNTIME: %s", dlerror());
  }
  if (handle == NULL) {
    return tn_status_make(TN_NOT_FOUND,
                          "onnxruntime is missing: no libonnxruntime.so.1 or libonnxruntime.so; "
                          "TENON_ONNXRUNTIME=FILE names one that lies elsewhere");
  }
  symbol found = {dlsym(handle, "OrtGetApiBase")};
  if (found.object == NULL) {
    return say(TN_NOT_FOUND, "onnxruntime is missing: the library has no OrtGetApiBase: %s",
               path != NULL ? path : "libonnxruntime.so");
  }
  *out_base = found.get_base();
  return NULL;
}

static tn_status find(const char *name, void **out_lib, char *out_version) {
  const ort_api_base *base = NULL;
  (void)name;
  tn_status st = find_base(&base);
  if (st != NULL) {
    return st;
  }
  ort_lib *lib = calloc(1, sizeof *lib);
  if (lib == NULL) {
    return tn_status_make(TN_NO_MEMORY, "no memory for a peer");
  }
  (void)snprintf(out_version, PEER_VERSION_BYTES, "%s", base->get_version());
  lib->api = base->get_api(1);
  st = lib->api == NULL
           ? say(TN_NOT_FOUND, "onnxruntime %s has no version 1 of its C API", out_version)
           : from_ort(lib->api, lib->api->create_env(ORT_LOG_ERRORS, "tenon", &lib->env));
  if (st != NULL) {
    free(lib);
    return st;
  }
  *out_lib = lib;
  return NULL;
}

static void forget(void *ctx) {
  ort_lib *lib = ctx;
  if (lib != NULL) {
    lib->api->release_env(lib->env);
    free(lib);
  }
}

/* ---- a model ---- */

/* ONNX's numbers of element types. */
static const struct {
  int ort;
  tn_dtype dtype;
} types[] = {{1, TN_DT_F32},  {2, TN_DT_U8},   {3, TN_DT_I8},   {4, TN_DT_U16},  {5, TN_DT_I16},
             {6, TN_DT_I32},  {7, TN_DT_I64},  {9, TN_DT_BOOL}, {10, TN_DT_F16}, {11, TN_DT_F64},
             {12, TN_DT_U32}, {13, TN_DT_U64}, {16, TN_DT_BF16}};
enum { N_TYPES = sizeof types / sizeof *types };

static void clear_results(ort_model *m) {
  for (size_t i = 0; i < m->n_out; ++i) {
    if (m->out[i] != NULL) {
      m->api->release_value(m->out[i]);
      m->out[i] = NULL;
    }
  }
}

static void close_model(void *ctx) {
  ort_model *m = ctx;
  ort_allocator *allocator = NULL;
  if (m == NULL) {
    return;
  }
  clear_results(m);
  if (m->api->get_allocator(&allocator) == NULL) {
    for (size_t i = 0; i < MAX_VALUES; ++i) {
      char *names[] = {m->in_names[i], m->out_names[i]};
      for (int k = 0; k < 2; ++k) {
        if (names[k] != NULL) {
          tn_status_free(from_ort(m->api, m->api->free_text(allocator, names[k])));
        }
      }
    }
  }
  for (size_t i = 0; i < m->n_in; ++i) {
    if (m->in[i] != NULL) {
      m->api->release_value(m->in[i]);
    }
  }
  if (m->session != NULL) {
    m->api->release_session(m->session);
  }
  free(m);
}

static tn_status create_session(const ort_lib *lib, const peer_job *job, ort_session **out) {
  const ort_api *api = lib->api;
  ort_options *options = NULL;
  tn_status st = from_ort(api, api->create_options(&options));
  if (st != NULL) {
    return st;
  }
  st = from_ort(api, api->set_optimisation(options, ORT_ALL_OPTIMISATIONS));
  st = st == NULL ? from_ort(api, api->set_intra_op_threads(options, job->n_threads)) : st;
  st = st == NULL ? from_ort(api, api->set_inter_op_threads(options, 1)) : st;
  st = st == NULL ? from_ort(api, api->create_session(lib->env, job->path, options, out)) : st;
  api->release_options(options);
  return st;
}

static tn_status get_names(const ort_api *api, ort_session *session, ort_get_name get, size_t n,
                           char **out_names) {
  ort_allocator *allocator = NULL;
  tn_status st = from_ort(api, api->get_allocator(&allocator));
  for (size_t i = 0; st == NULL && i < n; ++i) {
    st = from_ort(api, get(session, i, allocator, &out_names[i]));
  }
  return st;
}

static tn_status describe(ort_model *m) {
  tn_status st = from_ort(m->api, m->api->get_input_count(m->session, &m->n_in));
  st = st == NULL ? from_ort(m->api, m->api->get_output_count(m->session, &m->n_out)) : st;
  if (st == NULL && (m->n_in > MAX_VALUES || m->n_out > MAX_VALUES)) {
    m->n_in = 0;
    m->n_out = 0;
    st = tn_status_make(TN_UNSUPPORTED, "onnxruntime: more than 64 inputs or outputs");
  }
  if (st == NULL) {
    st = get_names(m->api, m->session, m->api->get_input_name, m->n_in, m->in_names);
  }
  if (st == NULL) {
    st = get_names(m->api, m->session, m->api->get_output_name, m->n_out, m->out_names);
  }
  return st;
}

static tn_status wrap_arguments(ort_model *m, const peer_job *job) {
  ort_memory *memory = NULL;
  if (m->n_in != (size_t)job->n_args) {
    char text[128];
    (void)snprintf(text, sizeof text, "onnxruntime: the model has %zu inputs, and %d were given",
                   m->n_in, job->n_args);
    return tn_status_make(TN_INVALID, text);
  }
  tn_status st =
      from_ort(m->api, m->api->create_cpu_memory(ORT_ARENA, ORT_DEFAULT_MEMORY, &memory));
  for (size_t i = 0; st == NULL && i < m->n_in; ++i) {
    const tn_tensor *tensor = tn_arg_tensor(&job->args[i]);
    const DLTensor *dl = tensor != NULL ? tn_tensor_dl(tensor) : NULL;
    int type = 0;
    for (int k = 0; dl != NULL && k < N_TYPES; ++k) {
      type = types[k].dtype == tn_dl_dtype(dl) ? types[k].ort : type;
    }
    if (type == 0) {
      st = say(TN_UNSUPPORTED, "onnxruntime: input %s is no tensor of numbers", m->in_names[i]);
      break;
    }
    size_t n_bytes = (size_t)tn_dl_n_elems(dl) * dl->dtype.bits / 8;
    st = from_ort(m->api,
                  m->api->create_tensor_of_data(memory, tn_tensor_data(tensor), n_bytes, dl->shape,
                                                (size_t)dl->ndim, type, &m->in[i]));
  }
  if (memory != NULL) {
    m->api->release_memory(memory);
  }
  return st;
}

static tn_status open_model(void *ctx, const peer_job *job, void **out_model) {
  const ort_lib *lib = ctx;
  ort_model *m = calloc(1, sizeof *m);
  if (m == NULL) {
    return tn_status_make(TN_NO_MEMORY, "no memory for a model");
  }
  m->api = lib->api;
  tn_status st = create_session(lib, job, &m->session);
  st = st == NULL ? describe(m) : st;
  st = st == NULL ? wrap_arguments(m, job) : st;
  if (st != NULL) {
    close_model(m);
    return st;
  }
  *out_model = m;
  return NULL;
}

static tn_status run(void *ctx) {
  ort_model *m = ctx;
  clear_results(m);
  return from_ort(m->api, m->api->run(m->session, NULL, (const char *const *)m->in_names,
                                      (const ort_value *const *)m->in, m->n_in,
                                      (const char *const *)m->out_names, m->n_out, m->out));
}

/* ---- results ---- */

static tn_status read_shape(const ort_api *api, const ort_type *type, int *out_type,
                            size_t *out_ndim, int64_t *out_dims) {
  tn_status st = from_ort(api, api->get_element_type(type, out_type));
  st = st == NULL ? from_ort(api, api->get_ndim(type, out_ndim)) : st;
  if (st == NULL && *out_ndim > MAX_NDIM) {
    st = tn_status_make(TN_UNSUPPORTED, "onnxruntime: a result of more than 32 axes");
  }
  return st == NULL ? from_ort(api, api->get_dims(type, out_dims, *out_ndim)) : st;
}

static tn_status read_value(const ort_api *api, ort_value *value, tn_arg *out) {
  int is_tensor = 0;
  ort_type *type = NULL;
  int element = 0;
  size_t ndim = 0;
  int64_t dims[MAX_NDIM];
  void *data = NULL;
  tn_tensor *tensor = NULL;
  tn_dtype dtype = TN_DT_NONE;
  tn_status st = from_ort(api, api->is_tensor(value, &is_tensor));
  if (st == NULL && is_tensor == 0) {
    st = tn_status_make(TN_UNSUPPORTED, "onnxruntime: a result that is no tensor");
  }
  st = st == NULL ? from_ort(api, api->get_type_and_shape(value, &type)) : st;
  if (st != NULL) {
    return st;
  }
  st = read_shape(api, type, &element, &ndim, dims);
  api->release_type(type);
  for (int k = 0; k < N_TYPES; ++k) {
    dtype = types[k].ort == element ? types[k].dtype : dtype;
  }
  if (st == NULL && dtype == TN_DT_NONE) {
    st = tn_status_make(TN_UNSUPPORTED, "onnxruntime: a result of a type that is no number");
  }
  st = st == NULL ? from_ort(api, api->get_data(value, &data)) : st;
  st = st == NULL ? tn_tensor_create(dtype, (int32_t)ndim, dims, data, &tensor) : st;
  if (st == NULL) {
    *out = tn_arg_of_tensor(tensor);
  }
  return st;
}

static tn_status result(void *ctx, tn_arg *out_ret) {
  ort_model *m = ctx;
  tn_arg items[MAX_VALUES];
  size_t n = 0;
  tn_status st = NULL;
  for (; st == NULL && n < m->n_out; n += st == NULL ? 1 : 0) {
    st = read_value(m->api, m->out[n], &items[n]);
  }
  if (st == NULL && n == 1) {
    *out_ret = items[0];
    return NULL;
  }
  tn_tuple *tuple = NULL;
  st = st == NULL ? tn_tuple_create((int32_t)n, items, &tuple) : st;
  for (size_t i = 0; i < n; ++i) {
    tn_arg_release(&items[i]);
  }
  if (st == NULL) {
    *out_ret = tn_arg_of_tuple(tuple);
  }
  return st;
}

const peer_kind peer_ort = {"onnxruntime", find, open_model, run, result, close_model, forget};
