/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* One case in the layout of the ONNX backend tests: a folder with model.onnx and test_data_set_N,
 * which holds input_K.pb and output_K.pb. */
#ifndef TN_TOOLS_ONNX_CASE_H
#define TN_TOOLS_ONNX_CASE_H

#include "cli.h"

typedef enum case_verdict { CASE_PASSED, CASE_FAILED, CASE_SKIPPED } case_verdict;

typedef struct case_opts {
  tn_compile_opts compile;
  int32_t n_threads;
  int32_t timeout_s;
  const char *through; /* "tnx", "so"; NULL: in memory */
  double rtol;         /* below 0: by element type */
  double atol;
} case_opts;

enum { CASE_TEXT = 2048 };
typedef struct case_result {
  case_verdict verdict;
  double seconds;
  char ops[256];           /* the model's operators, each once: "Conv Relu" */
  char message[CASE_TEXT]; /* why it did not pass */
} case_result;

/// Runs the case of folder `dir` in a process of its own, so that a crash or an endless loop is the
/// failure of this case alone.
void onnx_case_run(const char *dir, const case_opts *opts, case_result *out);

#endif
