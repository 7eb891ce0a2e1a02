/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* tenon inspect: what a model takes, gives, is made of, and costs. One JSON object is built in any
 * case; the text for people is that object, written out. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "progress.h"
#include "session.h"
#include "sizes.h"
#include "tenon/abi/exec.h"

static const cli_option inspect_options[] = {
    CLI_OPT_FUNC,
    CLI_OPT_DIALECT,
    CLI_OPT_DEFINE,
    CLI_OPT_SHAPE,
    {"json", 0, NULL, "print one JSON object"},
    CLI_OPT_TARGET,
};

/* ---- what there is, as JSON ---- */

/* jansson takes no text that is not UTF-8; a model's names may be anything. */
static json_t *text_json(const char *text) {
  json_t *value = json_string(text);
  if (value != NULL) {
    return value;
  }
  char *copy = strdup(text);
  for (char *c = copy; c != NULL && *c != '\0'; ++c) {
    *c = (unsigned char)*c < 0x80 ? *c : '?';
  }
  value = json_string(copy != NULL ? copy : "");
  free(copy);
  return value;
}

static json_t *shape_json(const tn_param_info *info) {
  json_t *shape = json_array();
  char text[SIZES_TEXT_BYTES];
  if (info->kind != TN_EXEC_TY_TENSOR || info->ndim < 0) {
    json_decref(shape);
    return json_null();
  }
  for (int32_t i = 0; i < info->ndim; ++i) {
    json_t *dim = info->dims[i] >= 0          ? json_integer(info->dims[i])
                  : sizes_text(info, i, text) ? text_json(text)
                                              : json_null();
    (void)json_array_append_new(shape, dim);
  }
  return shape;
}

static json_t *param_json(const tn_param_info *info) {
  char dtype[TN_DTYPE_TEXT_BYTES];
  json_t *object = json_object();
  (void)json_object_set_new(object, "name", text_json(info->name));
  (void)json_object_set_new(object, "type", text_json(info->text));
  (void)json_object_set_new(
      object, "dtype",
      info->dtype == TN_DT_NONE ? json_null() : json_string(tn_dtype_print(info->dtype, dtype)));
  (void)json_object_set_new(object, "shape", shape_json(info));
  return object;
}

/* Numbers below 0 are not known. */
static json_t *number_json(int64_t n) { return n < 0 ? json_null() : json_integer(n); }

static void set_inspection(json_t *out, const tn_inspection *in) {
  json_t *outputs = json_array();
  json_t *operators = json_object();
  for (int32_t i = 0; i < in->n_outputs; ++i) {
    (void)json_array_append_new(outputs, param_json(&in->outputs[i]));
  }
  for (int32_t i = 0; i < in->n_operators; ++i) {
    (void)json_object_set_new(operators, in->operators[i].name, json_integer(in->operators[i].n));
  }
  (void)json_object_set_new(out, "outputs", outputs);
  (void)json_object_set_new(out, "parameters",
                            json_pack("{s:I, s:I, s:I}", "constants", (json_int_t)in->n_constants,
                                      "count", (json_int_t)in->n_constant_elems, "bytes",
                                      (json_int_t)in->constant_bytes));
  (void)json_object_set_new(out, "operators", operators);
  (void)json_object_set_new(out, "flops", in->flops < 0 ? json_null() : json_real(in->flops));
  (void)json_object_set_new(out, "is_flops_estimate", json_boolean(in->is_flops_estimate));
  json_t *memory = json_object();
  (void)json_object_set_new(memory, "weights_bytes", json_integer(in->constant_bytes));
  (void)json_object_set_new(memory, "planned_bytes", number_json(in->planned_bytes));
  (void)json_object_set_new(memory, "no_reuse_bytes", number_json(in->no_reuse_bytes));
  (void)json_object_set_new(memory, "lower_bound_bytes", number_json(in->lower_bound_bytes));
  (void)json_object_set_new(out, "memory", memory);
}

static tn_status add_inputs(const session *s, json_t *out) {
  json_t *inputs = json_array();
  for (int32_t j = 0; j < s->n_params && j < SESSION_MAX_PARAMS; ++j) {
    (void)json_array_append_new(inputs, param_json(&s->params[j]));
  }
  (void)json_object_set_new(out, "inputs", inputs);
  return NULL;
}

static tn_status add_compiled(const session *s, json_t *out) {
  json_t *outputs = json_array();
  json_t *functions = json_array();
  tn_param_info result = {0};
  int32_t index = tn_exec_find_function(s->exec, s->func);
  if (s->is_graph && tn_exec_param(s->exec, index, s->n_params, &result) == NULL) {
    (void)json_array_append_new(outputs, param_json(&result));
  }
  for (int32_t i = 0; i < tn_exec_n_functions(s->exec); ++i) {
    (void)json_array_append_new(functions, text_json(tn_exec_function_doc(s->exec, i)));
  }
  (void)json_object_set_new(out, "outputs", outputs);
  (void)json_object_set_new(out, "functions", functions);
  (void)json_object_set_new(
      out, "memory",
      json_pack("{s:I}", "weights_bytes", (json_int_t)tn_exec_constant_bytes(s->exec)));
  return NULL;
}

/* ---- text ---- */

/* Names are others' words: nothing of theirs moves the cursor. */
static void put_text(const char *text) {
  for (; text != NULL && *text != '\0'; ++text) {
    putchar((unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text);
  }
}

static const char *member(const json_t *object, const char *key) {
  return json_string_value(json_object_get(object, key));
}

static void print_params(const char *title, const json_t *params) {
  size_t i = 0;
  const json_t *param = NULL;
  printf("%s:\n", title);
  json_array_foreach(params, i, param) {
    const char *name = member(param, "name");
    printf("  ");
    put_text(name != NULL && *name != '\0' ? name : "out");
    printf(": ");
    put_text(member(param, "type"));
    putchar('\n');
  }
}

static void print_bytes(const char *what, const json_t *bytes) {
  if (json_is_integer(bytes)) {
    printf("  %-28s %15" PRId64 "\n", what, (int64_t)json_integer_value(bytes));
  }
}

static void print_operators(json_t *operators) {
  const char *name = NULL;
  json_t *n = NULL;
  printf("operators:\n");
  json_object_foreach(operators, name, n) {
    printf("  %6" PRId64 "  %s\n", (int64_t)json_integer_value(n), name);
  }
}

static void print_text(json_t *object) {
  size_t i = 0;
  const json_t *function = NULL;
  const json_t *parameters = json_object_get(object, "parameters");
  const json_t *memory = json_object_get(object, "memory");
  printf("function: %s\n", member(object, "function"));
  print_params("inputs", json_object_get(object, "inputs"));
  print_params("outputs", json_object_get(object, "outputs"));
  json_array_foreach(json_object_get(object, "functions"), i, function) {
    printf("%s  ", i == 0 ? "functions:\n" : "");
    put_text(json_string_value(function));
    putchar('\n');
  }
  if (parameters != NULL) {
    printf("parameters: %" PRId64 " in %" PRId64 " constants\n",
           (int64_t)json_integer_value(json_object_get(parameters, "count")),
           (int64_t)json_integer_value(json_object_get(parameters, "constants")));
    print_operators(json_object_get(object, "operators"));
    const json_t *flops = json_object_get(object, "flops");
    bool is_estimate = json_is_true(json_object_get(object, "is_flops_estimate"));
    if (json_is_real(flops)) {
      printf("operations: %s%.0f a run, in floating point\n", is_estimate ? "about " : "",
             json_real_value(flops));
    } else {
      printf("operations: not known before the run; --shape fixes an ONNX model's sizes\n");
    }
  }
  printf("memory, bytes:\n");
  print_bytes("weights", json_object_get(memory, "weights_bytes"));
  print_bytes("activations, planned", json_object_get(memory, "planned_bytes"));
  print_bytes("activations, without reuse", json_object_get(memory, "no_reuse_bytes"));
  print_bytes("activations, lower bound", json_object_get(memory, "lower_bound_bytes"));
}

/* ---- the command ---- */

static tn_status inspect(const cli_args *args, const cli_compile *compile, json_t *out) {
  session s = {0};
  tn_inspection in = {0};
  tn_status st = session_describe(args, &s);
  if (st == NULL) {
    (void)json_object_set_new(out, "file", text_json(args->operands[0]));
    (void)json_object_set_new(out, "function", text_json(s.func));
    st = add_inputs(&s, out);
  }
  if (st == NULL && s.exec != NULL) {
    st = add_compiled(&s, out);
  } else if (st == NULL) {
    st = tn_program_inspect(s.program, s.func, &compile->opts, &in);
    if (st == NULL) {
      set_inspection(out, &in);
    }
  }
  tn_inspection_deinit(&in);
  session_close(&s);
  return st;
}

static int run_inspect(const cli_args *args) {
  cli_compile compile;
  cli_read read;
  if (!cli_read_opts(args, &read) || !cli_compile_opts(args, &compile)) {
    return CLI_USAGE;
  }
  json_t *object = json_object();
  tn_status st = inspect(args, &compile, object);
  progress_end();
  if (st == NULL && cli_value(args, "json") != NULL) {
    char *text = json_dumps(object, JSON_INDENT(2));
    puts(text != NULL ? text : "{}");
    free(text);
  } else if (st == NULL) {
    print_text(object);
  }
  json_decref(object);
  return cli_finish(st);
}

const cli_command cli_cmd_inspect = {
    "inspect",
    "FILE",
    1,
    "tell what a model (.onnx, .py, .tnx, .so) takes, gives, is made of and costs",
    inspect_options,
    sizeof inspect_options / sizeof *inspect_options,
    run_inspect};
