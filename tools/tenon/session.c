/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Opens what the user named and gathers a function's arguments: given files, random values, or room
 * for results. */
#include "session.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"
#include "progress.h"
#include "sizes.h"
#include "tenon/abi/exec.h"

/* Errors of the tool's own, in the library's form. */
static tn_status usage_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static tn_status usage_error(const char *fmt, ...) {
  char text[1024];
  va_list list;
  va_start(list, fmt);
  (void)vsnprintf(text, sizeof text, fmt, list);
  va_end(list);
  return tn_status_make(TN_INVALID, text);
}

bool session_check_pairs(const cli_args *args, const char *name) {
  for (int32_t i = 0; cli_value_at(args, name, i) != NULL; ++i) {
    const char *text = cli_value_at(args, name, i);
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text || equals[1] == '\0') {
      (void)cli_usage(args, "--%s %s: NAME=FILE is needed", name, text);
      return false;
    }
  }
  return true;
}

bool session_check_args(const cli_args *args) {
  cli_read read; /* loading reads them again; here a wrong one is wrong usage */
  int64_t seed = 0;
  picture_mode mode = PICTURE_NONE;
  if (!cli_read_opts(args, &read) || !picture_mode_of(args, &mode)) {
    return false;
  }
  return session_check_pairs(args, "input") && session_check_pairs(args, "bind") &&
         sizes_check(args) && cli_int(args, "random", 0, INT64_MAX, 0, &seed);
}

/* "NAME=FILE" is about `name`. */
static bool is_about(const char *text, const char *name) {
  size_t len = strlen(name);
  return strncmp(text, name, len) == 0 && text[len] == '=';
}

tn_status session_bind(const cli_args *args, tn_program *program) {
  const char *func = cli_value(args, "func");
  for (int32_t i = 0; cli_value_at(args, "bind", i) != NULL; ++i) {
    const char *text = cli_value_at(args, "bind", i);
    const char *equals = strchr(text, '=');
    tn_tensor *tensor = NULL;
    char *name = strndup(text, (size_t)(equals - text));
    tn_status st = tn_tensor_load(equals + 1, &tensor);
    if (st == NULL) {
      st = tn_program_bind(program, func != NULL ? func : "main", name, tensor);
    }
    tn_tensor_release(tensor);
    free(name);
    if (st != NULL) {
      return st;
    }
  }
  return NULL;
}

/* ---- the function ---- */

static const char *program_function_name(const session *s, int32_t i, bool *out_is_public) {
  tn_function_info info = {0};
  if (s->program != NULL) {
    tn_status_free(tn_program_function(s->program, i, &info));
    *out_is_public = info.is_public;
    return info.name;
  }
  *out_is_public = true;
  return tn_exec_function_name(s->exec, i);
}

static int32_t n_functions(const session *s) {
  return s->program != NULL ? tn_program_n_functions(s->program) : tn_exec_n_functions(s->exec);
}

/* --func, else main, else the only public function. */
static tn_status choose_function(const cli_args *args, session *s, int32_t *out_index) {
  const char *wanted = cli_value(args, "func");
  int32_t n_public = 0;
  int32_t found = -1;
  char names[512] = "";
  for (int32_t i = 0; i < n_functions(s); ++i) {
    bool is_public = false;
    const char *name = program_function_name(s, i, &is_public);
    if (strcmp(name, wanted != NULL ? wanted : "main") == 0) {
      *out_index = i;
      return NULL;
    }
    if (is_public) {
      found = i;
      n_public++;
      size_t len = strlen(names);
      (void)snprintf(names + len, sizeof names - len, "%s%s", len > 0 ? ", " : "", name);
    }
  }
  if (wanted == NULL && n_public == 1) {
    *out_index = found;
    return NULL;
  }
  if (n_public == 0) {
    return usage_error("%s has no public function", args->operands[0]);
  }
  return usage_error(wanted != NULL ? "no function is called '%s'; there are: %s"
                                    : "no function is called '%s'; name one with --func: %s",
                     wanted != NULL ? wanted : "main", names);
}

static tn_status describe_program_function(session *s, int32_t index) {
  tn_function_info info = {0};
  tn_status st = tn_program_function(s->program, index, &info);
  s->func = info.name;
  s->is_graph = info.is_graph;
  s->n_params = info.n_params;
  for (int32_t j = 0; st == NULL && j < info.n_params && j < SESSION_MAX_PARAMS; ++j) {
    st = tn_program_param(s->program, index, j, &s->params[j]);
  }
  tn_param_info result = {.name = ""};
  if (st == NULL && s->is_graph) {
    st = tn_program_param(s->program, index, info.n_params, &result);
  }
  s->result_names = result.name;
  return st;
}

static tn_status describe_exec_function(session *s, int32_t index) {
  tn_status st = NULL;
  tn_param_info result = {.name = ""};
  s->func = tn_exec_function_name(s->exec, index);
  s->n_params = tn_exec_n_params(s->exec, index);
  for (int32_t j = 0; st == NULL && j < s->n_params && j < SESSION_MAX_PARAMS; ++j) {
    st = tn_exec_param(s->exec, index, j, &s->params[j]);
  }
  tn_status no_result = tn_exec_param(s->exec, index, s->n_params, &result);
  s->is_graph = no_result == NULL; /* a kernel declares no result */
  s->result_names = result.name;
  tn_status_free(no_result);
  return st;
}

/* ---- arguments ---- */

/* Says what is not known of the shape, and what would tell it. */
static tn_status open_shape(const sizes *known, const tn_param_info *param) {
  const char *name = sizes_open_name(known, param);
  if (name != NULL) {
    return usage_error(
        "argument %s: %s leaves %s open; give it with --input %s=FILE or --size %s=N", param->name,
        param->text, name, param->name, name);
  }
  return usage_error("argument %s: %s has no fixed shape; give it with --input %s=FILE",
                     param->name, param->text, param->name);
}

static tn_status make_tensor(const sizes *known, const tn_param_info *param, bool is_random,
                             uint64_t seed, tn_arg *out_arg) {
  tn_tensor *tensor = NULL;
  int64_t dims[SIZES_MAX_NDIM];
  if (param->kind != TN_EXEC_TY_TENSOR || param->dtype == TN_DT_NONE ||
      !sizes_dims(known, param, dims)) {
    return open_shape(known, param);
  }
  tn_status st = tn_tensor_create(param->dtype, param->ndim, dims, NULL, &tensor);
  if (st == NULL && is_random) {
    st = tn_tensor_fill_random(tensor, seed);
  }
  if (st != NULL) {
    tn_tensor_release(tensor);
    return st;
  }
  *out_arg = tn_arg_of_tensor(tensor);
  return NULL;
}

/* The element at `data` as a number; false for types that no scalar parameter has. */
static bool number_at(const void *data, tn_dtype dtype, tn_arg *out_arg) {
  switch (dtype) {
    case TN_DT_F32:
      *out_arg = tn_arg_of_float((double)*(const float *)data);
      return true;
    case TN_DT_F64:
      *out_arg = tn_arg_of_float(*(const double *)data);
      return true;
    case TN_DT_I8:
      *out_arg = tn_arg_of_int(*(const int8_t *)data);
      return true;
    case TN_DT_I16:
      *out_arg = tn_arg_of_int(*(const int16_t *)data);
      return true;
    case TN_DT_I32:
      *out_arg = tn_arg_of_int(*(const int32_t *)data);
      return true;
    case TN_DT_I64:
      *out_arg = tn_arg_of_int(*(const int64_t *)data);
      return true;
    case TN_DT_BOOL:
    case TN_DT_U8:
      *out_arg = tn_arg_of_int(*(const uint8_t *)data);
      return true;
    case TN_DT_U16:
      *out_arg = tn_arg_of_int(*(const uint16_t *)data);
      return true;
    case TN_DT_U32:
      *out_arg = tn_arg_of_int(*(const uint32_t *)data);
      return true;
    case TN_DT_U64:
      *out_arg = tn_arg_of_int((int64_t) * (const uint64_t *)data);
      return true;
    default:
      return false;
  }
}

/* An array given for a scalar parameter is its one element. */
static tn_status scalar_of(const tn_param_info *param, tn_tensor *tensor, tn_arg *out_arg) {
  const DLTensor *dl = tn_tensor_dl(tensor);
  int64_t n = tn_dl_n_elems(dl);
  if (n != 1) {
    return usage_error("argument %s is a scalar, and the file holds %lld values", param->name,
                       (long long)n);
  }
  if (!number_at(tn_tensor_data(tensor), tn_dl_dtype(dl), out_arg)) {
    return usage_error(
        "argument %s is a scalar: give a number, or an array of integers, float32 or float64",
        param->name);
  }
  tn_tensor_release(tensor);
  return NULL;
}

/* A list of int64 given for a shape parameter is its extents. */
static tn_status shape_of(const tn_param_info *param, tn_tensor *tensor, tn_arg *out_arg) {
  const DLTensor *dl = tn_tensor_dl(tensor);
  tn_shape *shape = NULL;
  if (dl->ndim != 1 || tn_dl_dtype(dl) != TN_DT_I64) {
    return usage_error("argument %s is a shape: give a list of int64", param->name);
  }
  tn_status st = tn_shape_create((int32_t)dl->shape[0], tn_tensor_data(tensor), &shape);
  if (st == NULL) {
    *out_arg = tn_arg_of_shape(shape);
    tn_tensor_release(tensor);
  }
  return st;
}

/* A number as the command line has it, for a scalar parameter: 8, 0x8, -1.5, True. */
static bool parse_number(const char *text, bool is_float, tn_arg *out_arg) {
  char *end = NULL;
  errno = 0;
  if (strcmp(text, "True") == 0 || strcmp(text, "False") == 0) {
    *out_arg = tn_arg_of_int(*text == 'T');
    return !is_float;
  }
  if (is_float) {
    double value = strtod(text, &end);
    *out_arg = tn_arg_of_float(value);
    return end != text && *end == '\0';
  }
  bool is_below = text[0] == '-';
  int64_t value = is_below ? strtoll(text, &end, 0) : (int64_t)strtoull(text, &end, 0);
  *out_arg = tn_arg_of_int(value);
  return errno == 0 && end != text && *end == '\0';
}

static bool is_float_type(tn_dtype dtype) {
  return dtype == TN_DT_F32 || dtype == TN_DT_F64 || dtype == TN_DT_F16 || dtype == TN_DT_BF16;
}

static tn_status load_argument(const cli_args *args, const tn_param_info *param, const char *path,
                               tn_arg *out_arg) {
  tn_tensor *tensor = NULL;
  picture_mode mode = PICTURE_NONE;
  if (param->kind == TN_EXEC_TY_SCALAR &&
      parse_number(path, is_float_type(param->dtype), out_arg)) {
    return NULL;
  }
  (void)picture_mode_of(args, &mode); /* checked before */
  tn_status st = picture_is_path(path) ? picture_load(path, param, mode, &tensor)
                                       : tn_tensor_load(path, &tensor);
  if (st == NULL && param->kind == TN_EXEC_TY_SCALAR) {
    st = scalar_of(param, tensor, out_arg);
  } else if (st == NULL && param->kind == 2 /* shape */) {
    st = shape_of(param, tensor, out_arg);
  } else if (st == NULL) {
    *out_arg = tn_arg_of_tensor(tensor);
    return NULL;
  }
  if (st != NULL) {
    tn_tensor_release(tensor);
  }
  return st;
}

static tn_status unknown_argument(const session *s, const char *text) {
  char names[512] = "";
  for (int32_t j = 0; j < s->n_params; ++j) {
    size_t len = strlen(names);
    (void)snprintf(names + len, sizeof names - len, "%s%s", j > 0 ? ", " : "", s->params[j].name);
  }
  return usage_error("--input %s: %s has no such argument; it has: %s", text, s->func,
                     s->n_params > 0 ? names : "none");
}

/* The parameter that "NAME=FILE" is about, -1: none. A model's names may hold a "=": the longest name
 * that fits is meant. */
static int32_t find_parameter(const session *s, const char *text) {
  int32_t found = -1;
  for (int32_t j = 0; j < s->n_params; ++j) {
    if (is_about(text, s->params[j].name) &&
        (found < 0 || strlen(s->params[j].name) > strlen(s->params[found].name))) {
      found = j;
    }
  }
  return found;
}

/* The arguments that were given, and what their shapes tell. */
static tn_status gather_given(const cli_args *args, session *s, sizes *known) {
  for (int32_t i = 0; cli_value_at(args, "input", i) != NULL; ++i) {
    const char *text = cli_value_at(args, "input", i);
    int32_t j = find_parameter(s, text);
    if (j < 0) {
      return unknown_argument(s, text);
    }
    if (s->args[j].kind != TN_ARG_NONE) {
      return usage_error("--input %s: argument %s was given already", text, s->params[j].name);
    }
    const char *path = text + strlen(s->params[j].name) + 1;
    tn_status st = load_argument(args, &s->params[j], path, &s->args[j]);
    if (st == NULL && tn_arg_dl(&s->args[j]) != NULL) {
      st = sizes_see(known, &s->params[j], tn_arg_dl(&s->args[j]));
    } else if (st == NULL && s->args[j].kind == TN_ARG_INT) {
      st = sizes_see_number(known, s->params[j].name, s->args[j].u.i64);
    }
    if (st != NULL) {
      return st;
    }
  }
  return NULL;
}

/* A scalar that was not given may be a size that is known. */
static tn_status make_scalar(const tn_param_info *param, const char *func, const sizes *known,
                             tn_arg *out_arg) {
  int64_t size = 0;
  if (sizes_of(known, param->name, &size)) {
    *out_arg = tn_arg_of_int(size);
    return NULL;
  }
  return usage_error("argument %s: %s of %s was not given; use --input %s=NUMBER", param->name,
                     param->text, func, param->name);
}

/* An argument that was not given: room for a result, or random values. With --random the room that is
 * read too holds random values, for those who add to what is there. Lessons need no files. */
static tn_status make_argument(const cli_args *args, session *s, int32_t j, const sizes *known,
                               int64_t seed) {
  const tn_param_info *param = &s->params[j];
  bool is_random = cli_value(args, "random") != NULL || cli_value(args, "table") != NULL;
  bool is_room = !s->is_graph && param->is_output;
  bool is_tensor = param->kind == TN_EXEC_TY_TENSOR;
  if (param->kind == TN_EXEC_TY_ANY || param->kind > TN_EXEC_TY_SCALAR) {
    return usage_error("argument %s: %s of %s cannot be given on the command line", param->name,
                       param->text, s->func);
  }
  if (param->kind == TN_EXEC_TY_SCALAR) {
    return make_scalar(param, s->func, known, &s->args[j]);
  }
  if (!is_room && (!is_random || !is_tensor)) {
    return usage_error("argument %s: %s of %s was not given; use --input %s=FILE%s", param->name,
                       param->text, s->func, param->name, is_tensor ? " or --random" : "");
  }
  s->are_room[j] = is_room;
  is_random = is_random && (!is_room || param->is_read);
  return make_tensor(known, param, is_random, (uint64_t)seed + (uint64_t)j, &s->args[j]);
}

static tn_status gather(const cli_args *args, session *s) {
  int64_t seed = 0;
  sizes known;
  if (s->n_params > SESSION_MAX_PARAMS) {
    return usage_error("%s has %d parameters; the command line can give %d", s->func, s->n_params,
                       SESSION_MAX_PARAMS);
  }
  if (!cli_int(args, "random", 0, INT64_MAX, 0, &seed)) {
    return usage_error("--random takes a whole number");
  }
  for (int32_t j = 0; j < s->n_params; ++j) {
    s->args[j] = tn_arg_none();
  }
  sizes_init(&known, s->params, s->n_params);
  tn_status st = sizes_set(&known, args);
  st = st == NULL ? gather_given(args, s, &known) : st;
  for (int32_t j = 0; st == NULL && j < s->n_params; ++j) {
    if (s->args[j].kind == TN_ARG_NONE) {
      st = make_argument(args, s, j, &known, seed);
    }
  }
  return st;
}

/* ---- opening ---- */

tn_status session_load(const cli_args *args, bool *are_used, tn_program **out_program) {
  cli_read read;
  if (!cli_read_opts(args, &read)) {
    return usage_error("--dialect or --define has no value that it takes");
  }
  read.opts.are_used = are_used;
  progress_say("reading", "");
  tn_status st = tn_program_load_as(args->operands[0], &read.opts, out_program);
  progress_end();
  return st;
}

static bool is_compiled_file(const char *path) {
  unsigned char head[8] = {0};
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    return false; /* whoever reads it next says why */
  }
  size_t n = fread(head, 1, sizeof head, file);
  (void)fclose(file);
  return (n >= 4 && memcmp(head, "\177ELF", 4) == 0) ||
         (n == 8 && memcmp(head, "TENONTNX", 8) == 0);
}

/* An option given that means nothing for a file that is compiled already; NULL when there is none.
 * */
static const char *option_for_text(const cli_args *args) {
  static const char *const names[] = {"interpret",   "bind",        "target",      "opt-level",
                                      "strict-math", "verify-each", "time-passes", "dump-dir",
                                      "dialect",     "define",      "shape",       "schedule"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    if (cli_value(args, names[i]) != NULL) {
      return names[i];
    }
  }
  return NULL;
}

/* Loads an executable or reads, binds and changes a program; describes the function. */
static tn_status open_file(const cli_args *args, const session_change *change, session *s) {
  const char *path = args->operands[0];
  tn_status st = NULL;
  int32_t index = 0;
  const char *dot = strrchr(path, '.');
  bool is_named_compiled = dot != NULL && (strcmp(dot, ".so") == 0 || strcmp(dot, ".tnx") == 0);
  if (is_named_compiled || is_compiled_file(path)) {
    const char *option = option_for_text(args);
    if (option != NULL) {
      return usage_error("%s is compiled: --%s needs the program's text", path, option);
    }
    st = tn_exec_load(path, &s->exec);
    st = st == NULL ? choose_function(args, s, &index) : st;
    return st == NULL ? describe_exec_function(s, index) : st;
  }
  st = session_load(args, change == NULL ? NULL : change->are_used, &s->program);
  st = st == NULL ? session_bind(args, s->program) : st;
  st = st == NULL && change != NULL ? change->run(change->ctx, s->program) : st;
  st = st == NULL ? choose_function(args, s, &index) : st;
  return st == NULL ? describe_program_function(s, index) : st;
}

/* May a model be taken from what was compiled before? Not when passes are watched, or the program is
 * changed or looked into. */
static bool may_take_kept(const cli_args *args, bool is_interpreted, const session_change *change) {
  static const char *const names[] = {"no-cache",    "bind",        "define",   "dialect",
                                      "verify-each", "time-passes", "dump-dir", "vs"};
  const char *dot = strrchr(args->operands[0], '.');
  bool may = dot != NULL && strcmp(dot, ".onnx") == 0 && !is_interpreted && change == NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    may = may && cli_value(args, names[i]) == NULL;
  }
  return may;
}

static tn_status open_kept(const cli_args *args, const cli_compile *compile, session *s) {
  cli_read read;
  int32_t index = 0;
  if (!cli_read_opts(args, &read)) {
    return usage_error("--shape has no value that it takes");
  }
  progress_say("reading", "");
  tn_status st = tn_exec_compile(args->operands[0], &read.opts, &compile->opts, &s->exec);
  progress_end();
  st = st == NULL ? choose_function(args, s, &index) : st;
  return st == NULL ? describe_exec_function(s, index) : st;
}

tn_status session_describe(const cli_args *args, session *out) {
  *out = (session){0};
  tn_status st = open_file(args, NULL, out);
  if (st != NULL) {
    session_close(out);
  }
  return st;
}

tn_status session_open(const cli_args *args, const cli_compile *compile, int32_t n_threads,
                       bool is_interpreted, const session_change *change, session *out) {
  *out = (session){0};
  tn_status st = tn_runtime_create(n_threads, &out->rt);
  if (st == NULL) {
    st = may_take_kept(args, is_interpreted, change) ? open_kept(args, compile, out)
                                                     : open_file(args, change, out);
  }
  if (st == NULL && out->exec == NULL && !is_interpreted) {
    tn_compile_opts opts = compile->opts;
    opts.func = out->func;
    st = tn_program_compile(out->program, &opts, &out->exec);
  }
  if (st == NULL && out->exec != NULL) {
    st = tn_vm_create(out->rt, out->exec, NULL, 0, &out->vm);
  }
  progress_end(); /* who measures wants no other thread */
  st = st == NULL ? gather(args, out) : st;
  if (st != NULL) {
    session_close(out);
  }
  return st;
}

tn_status session_set_threads(session *s, int32_t n_threads) {
  tn_runtime *rt = NULL;
  tn_vm *vm = NULL;
  tn_status st = tn_runtime_create(n_threads, &rt);
  st = st == NULL ? tn_vm_create(rt, s->exec, NULL, 0, &vm) : st;
  if (st != NULL) {
    tn_runtime_release(rt);
    return st;
  }
  tn_vm_release(s->vm);
  tn_runtime_release(s->rt);
  s->vm = vm;
  s->rt = rt;
  return NULL;
}

tn_status session_call(session *s, tn_arg *out_ret) {
  if (s->vm != NULL) {
    return tn_vm_call(s->vm, s->func, s->args, s->n_params, out_ret);
  }
  const tn_interpret_opts opts = {.is_checked = s->is_checked, .are_room = s->are_room};
  return tn_program_interpret(s->program, s->rt, s->func, s->args, s->n_params, &opts, out_ret);
}

void session_close(session *s) {
  for (int32_t j = 0; j < SESSION_MAX_PARAMS; ++j) {
    tn_arg_release(&s->args[j]);
  }
  tn_vm_release(s->vm);
  tn_exec_release(s->exec);
  tn_program_free(s->program);
  tn_runtime_release(s->rt);
  *s = (session){0};
}
