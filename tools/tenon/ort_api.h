/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The part of ONNX Runtime's C API that a measurement beside it needs, declared by hand: the library
 * is looked for when the command runs, and no header of it has to be installed.
 *
 * Its one exported function gives a table of functions by version. Version 1 of the table will never
 * change; the places of its functions are what is relied on here, so functions that are not called
 * are gaps of a known width. */
#ifndef TN_TOOLS_ORT_API_H
#define TN_TOOLS_ORT_API_H

#include <stddef.h>
#include <stdint.h>

/* All are the library's own; a status of NULL means that the call succeeded. */
typedef struct ort_status ort_status;
typedef struct ort_env ort_env;
typedef struct ort_options ort_options;
typedef struct ort_session ort_session;
typedef struct ort_value ort_value;
typedef struct ort_allocator ort_allocator;
typedef struct ort_memory ort_memory;
typedef struct ort_type ort_type;
typedef struct ort_run_options ort_run_options;

enum { ORT_LOG_ERRORS = 3, ORT_ALL_OPTIMISATIONS = 99, ORT_ARENA = 1, ORT_DEFAULT_MEMORY = 0 };

typedef void (*ort_gap)(void);
typedef ort_status *(*ort_get_name)(const ort_session *, size_t i, ort_allocator *, char **out);

/* The number behind a gap is the place of the function that follows it. */
typedef struct ort_api {
  ort_status *(*create_status)(int code, const char *message);
  ort_gap gap_2[1];
  const char *(*get_error_message)(const ort_status *);
  ort_status *(*create_env)(int log_level, const char *log_id, ort_env **out);
  ort_gap gap_7[3];
  ort_status *(*create_session)(const ort_env *, const char *path, const ort_options *,
                                ort_session **out);
  ort_gap gap_9[1];
  ort_status *(*run)(ort_session *, const ort_run_options *, const char *const *in_names,
                     const ort_value *const *in, size_t n_in, const char *const *out_names,
                     size_t n_out, ort_value **out);
  ort_status *(*create_options)(ort_options **out);
  ort_gap gap_23[12];
  ort_status *(*set_optimisation)(ort_options *, int level);
  ort_status *(*set_intra_op_threads)(ort_options *, int n);
  ort_status *(*set_inter_op_threads)(ort_options *, int n);
  ort_gap gap_30[4];
  ort_status *(*get_input_count)(const ort_session *, size_t *out);
  ort_status *(*get_output_count)(const ort_session *, size_t *out);
  ort_gap gap_36[4];
  ort_get_name get_input_name;
  ort_get_name get_output_name;
  ort_gap gap_49[11];
  ort_status *(*create_tensor_of_data)(const ort_memory *, void *data, size_t n_bytes,
                                       const int64_t *shape, size_t ndim, int type,
                                       ort_value **out);
  ort_status *(*is_tensor)(const ort_value *, int *out);
  ort_status *(*get_data)(ort_value *, void **out);
  ort_gap gap_60[8];
  ort_status *(*get_element_type)(const ort_type *, int *out);
  ort_status *(*get_ndim)(const ort_type *, size_t *out);
  ort_status *(*get_dims)(const ort_type *, int64_t *out, size_t ndim);
  ort_gap gap_65[2];
  ort_status *(*get_type_and_shape)(const ort_value *, ort_type **out);
  ort_gap gap_69[3];
  ort_status *(*create_cpu_memory)(int allocator, int kind, ort_memory **out);
  ort_gap gap_76[6];
  ort_status *(*free_text)(ort_allocator *, void *);
  ort_gap gap_78[1];
  ort_status *(*get_allocator)(ort_allocator **out); /* the library's, not to be freed */
  ort_gap gap_92[13];
  void (*release_env)(ort_env *);
  void (*release_status)(ort_status *);
  void (*release_memory)(ort_memory *);
  void (*release_session)(ort_session *);
  void (*release_value)(ort_value *);
  ort_gap gap_99[2];
  void (*release_type)(ort_type *);
  void (*release_options)(ort_options *);
  ort_gap gap_102[1];
} ort_api;

_Static_assert(offsetof(ort_api, create_session) == 7 * sizeof(ort_gap), "place of a function");
_Static_assert(offsetof(ort_api, set_optimisation) == 23 * sizeof(ort_gap), "place of a function");
_Static_assert(offsetof(ort_api, get_input_name) == 36 * sizeof(ort_gap), "place of a function");
_Static_assert(offsetof(ort_api, create_tensor_of_data) == 49 * sizeof(ort_gap), "a place");
_Static_assert(offsetof(ort_api, get_type_and_shape) == 65 * sizeof(ort_gap), "a place");
_Static_assert(offsetof(ort_api, get_allocator) == 78 * sizeof(ort_gap), "place of a function");
_Static_assert(sizeof(ort_api) == 102 * sizeof(ort_gap), "the table of version 1 has 102 places");

typedef struct ort_api_base {
  const ort_api *(*get_api)(uint32_t version); /* NULL: the library does not have this version */
  const char *(*get_version)(void);
} ort_api_base;

/* What the library exports: const ort_api_base *OrtGetApiBase(void). */
typedef const ort_api_base *(*ort_get_base)(void);

#endif
