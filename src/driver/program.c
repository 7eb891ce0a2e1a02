/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Programs: read from TVMScript, printed, saved, described, bound. The public face of ir, script
 * and graph. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "driver/driver_priv.h"
#include "files/files.h"
#include "front/front.h"
#include "graph/graph.h"
#include "ops/ops.h"
#include "script/script.h"

/* A program may not take more than this for its nodes: hostile text ends in an error, not in the
 * machine's swap. */
static const size_t ir_limit_bytes = (size_t)8 << 30;
static const size_t text_limit_bytes = (size_t)1 << 30;

const char *tn_version(void) { return "0.1.0"; }

const char *tn_name_suggest(const char *name, const char *const *names, int32_t n) {
  return tn_near_name(name, names, n < 0 ? 0 : (size_t)n);
}

/* ---- reading ---- */

/* Constants beside the text: "model.py" -> "model.npz", members constant_0, constant_1 ... */
static void constants_path(const char *path, tn_buf *out) {
  const char *slash = strrchr(path, '/');
  const char *dot = strrchr(path, '.');
  size_t len = dot != NULL && (slash == NULL || dot > slash) ? (size_t)(dot - path) : strlen(path);
  tn_buf_append(out, path, len);
  tn_buf_puts(out, ".npz");
}

static tn_status find_const(void *ctx, int64_t index, tn_array *out) {
  tn_status st = NULL;
  tn_buf path = TN_BUF_INIT;
  constants_path(ctx, &path);
  tn_buf_printf(&path, ":constant_%lld", (long long)index);
  st = tn_files_read_array(path.data, out);
  tn_buf_deinit(&path);
  return st;
}

tn_status tn_driver_new_program(tn_program **out_program) {
  tn_program *program = calloc(1, sizeof *program);
  if (program == NULL) {
    return TN_ERR(TN_NO_MEMORY, "no memory for a program");
  }
  program->ir = tn_ir_new(ir_limit_bytes);
  tn_module_init(&program->module, program->ir, "Module");
  *out_program = program;
  return NULL;
}

static tn_status parse(const char *text, size_t len, const char *file_name, const char *path,
                       const tn_read_opts *how, tn_program **out_program) {
  tn_diags diags = {0};
  tn_program *program = NULL;
  TN_TRY(tn_driver_new_program(&program));
  union {
    const char *path;
    void *ctx;
  } where = {path};
  tn_script_opts opts = {.file_name = file_name, .ops = tn_ops_table(), .ctx = where.ctx};
  if (path != NULL) {
    opts.find_const = find_const;
  }
  if (how != NULL) {
    opts.dialect = how->dialect;
    opts.defines = how->defines;
    opts.n_defines = how->n_defines;
    opts.out_used = how->are_used;
  }
  tn_script_parse(text, len, &opts, &program->module, &diags);
  if (diags.n == 0) {
    tn_module_verify(&program->module, &diags);
  }
  tn_status st = tn_diags_to_status(&diags, program->ir);
  if (st == NULL) {
    st = tn_ir_status(program->ir);
  }
  if (st != NULL) {
    tn_program_free(program);
    return st;
  }
  *out_program = program;
  return NULL;
}

tn_status tn_program_parse(const char *text, size_t len, const char *file_name,
                           tn_program **out_program) {
  return parse(text, len, file_name, NULL, NULL, out_program);
}

tn_status tn_program_parse_as(const char *text, size_t len, const char *file_name,
                              const tn_read_opts *opts, tn_program **out_program) {
  return parse(text, len, file_name, NULL, opts, out_program);
}

tn_status tn_program_load(const char *path, tn_program **out_program) {
  return tn_program_load_as(path, NULL, out_program);
}

/* A message of ONNX begins with the number of its version; no text does. */
bool tn_driver_is_onnx(const char *path) {
  size_t len = strlen(path);
  if (len > 5 && strcmp(path + len - 5, ".onnx") == 0) {
    return true;
  }
  FILE *file = fopen(path, "rb");
  int first = file == NULL ? EOF : fgetc(file);
  if (file != NULL) {
    (void)fclose(file);
  }
  return first == 0x08;
}

tn_status tn_onnx_operators(const char *path, char **out_names) {
  tn_buf names = TN_BUF_INIT;
  tn_status st = tn_onnx_list_operators(path, &names);
  if (st == NULL) {
    *out_names = tn_buf_take(&names);
  }
  tn_buf_deinit(&names);
  return st;
}

/* The values offered for inputs as arrays that look at the tensors' memory. */
static tn_status view_values(const tn_read_opts *how, tn_array *views, const tn_array **ptrs) {
  for (int32_t i = 0; i < how->n_values; ++i) {
    if (how->values[i] != NULL) {
      TN_TRY(tn_array_view_dl(tn_tensor_dl(how->values[i]), &views[i]));
      ptrs[i] = &views[i];
    }
  }
  return NULL;
}

static tn_status import_onnx(const char *path, const tn_read_opts *how, tn_module *module) {
  if (how == NULL) {
    return tn_onnx_import(path, NULL, module);
  }
  size_t n = (size_t)(how->n_values > 0 ? how->n_values : 0);
  tn_array *views = calloc(n + 1, sizeof *views);
  const tn_array **ptrs = calloc(n + 1, sizeof *ptrs);
  tn_status st = views == NULL || ptrs == NULL ? TN_ERR(TN_NO_MEMORY, "no memory for %zu values", n)
                                               : view_values(how, views, ptrs);
  if (st == NULL) {
    const tn_onnx_opts opts = {.shapes = how->shapes,
                               .n_shapes = how->n_shapes,
                               .values = ptrs,
                               .n_values = (int32_t)n,
                               .are_taken = how->are_taken};
    st = tn_onnx_import(path, &opts, module);
  }
  free(views);
  free(ptrs);
  return st;
}

static tn_status load_onnx(const char *path, const tn_read_opts *how, tn_program **out_program) {
  tn_program *program = NULL;
  tn_diags diags = {0};
  TN_TRY(tn_driver_new_program(&program));
  tn_status st = import_onnx(path, how, &program->module);
  if (st == NULL) {
    tn_module_verify(&program->module, &diags);
    st = tn_status_wrap(tn_diags_to_status(&diags, program->ir), "%s", path);
  }
  if (st != NULL) {
    tn_program_free(program);
    return st;
  }
  *out_program = program;
  return NULL;
}

tn_status tn_program_load_as(const char *path, const tn_read_opts *opts, tn_program **out_program) {
  if (tn_driver_is_onnx(path)) {
    return load_onnx(path, opts, out_program);
  }
  tn_buf text = TN_BUF_INIT;
  tn_status st = tn_file_read(path, text_limit_bytes, &text);
  if (st == NULL) {
    st = parse(tn_buf_text(&text), text.len, path, path, opts, out_program);
  }
  tn_buf_deinit(&text);
  return st;
}

void tn_program_free(tn_program *program) {
  if (program == NULL) {
    return;
  }
  tn_module_deinit(&program->module);
  tn_ir_free(program->ir);
  free(program);
}

/* ---- printing ---- */

/* Constants of so few elements are readable where they stand, and need no file beside the text. */
enum { MAX_INLINE_ELEMS = 8 };

tn_status tn_program_print(const tn_program *program, char **out_text) {
  tn_buf text = TN_BUF_INIT;
  tn_print_opts opts = {.with_header = true, .max_inline_elems = MAX_INLINE_ELEMS};
  tn_script_print(&program->module, &opts, &text);
  *out_text = tn_buf_take(&text);
  return NULL;
}

static tn_status save_constants(const char *path, const tn_node *const *consts, size_t n) {
  tn_status st = NULL;
  tn_buf file = TN_BUF_INIT;
  tn_array *arrays = calloc(n, sizeof *arrays);
  char(*names)[32] = calloc(n, sizeof *names);
  const char **name_ptrs = calloc(n, sizeof *name_ptrs);
  if (arrays == NULL || names == NULL || name_ptrs == NULL) {
    st = TN_ERR(TN_NO_MEMORY, "no memory for %zu constants", n);
    goto done;
  }
  for (size_t i = 0; i < n; ++i) {
    arrays[i] = *consts[i]->attr.array;
    (void)snprintf(names[i], sizeof names[i], "constant_%zu", i);
    name_ptrs[i] = names[i];
  }
  constants_path(path, &file);
  TN_GOTO(st, tn_npz_write(file.data, name_ptrs, arrays, n), done);
done:
  free(arrays);
  free(names);
  free(name_ptrs);
  tn_buf_deinit(&file);
  return st;
}

tn_status tn_program_save(const tn_program *program, const char *path) {
  tn_status st = NULL;
  tn_buf text = TN_BUF_INIT;
  tn_const_list consts = {0};
  tn_print_opts opts = {
      .with_header = true, .max_inline_elems = MAX_INLINE_ELEMS, .out_consts = &consts};
  tn_script_print(&program->module, &opts, &text);
  if (consts.len > 0) {
    TN_GOTO(st, save_constants(path, consts.data, consts.len), done);
  }
  TN_GOTO(st, tn_file_write(path, text.data, text.len), done);
done:
  TN_VEC_DEINIT(&consts);
  tn_buf_deinit(&text);
  return st;
}

bool tn_program_equal(const tn_program *a, const tn_program *b, char **out_where) {
  tn_buf where = TN_BUF_INIT;
  bool is_equal = tn_module_equal(&a->module, &b->module, &where);
  if (out_where != NULL && !is_equal) {
    *out_where = tn_buf_take(&where);
  }
  tn_buf_deinit(&where);
  return is_equal;
}

/* ---- describing ---- */

int32_t tn_program_n_functions(const tn_program *program) {
  return (int32_t)program->module.n_funcs;
}

static tn_status function_at(const tn_program *program, int32_t i, const tn_node **out_func) {
  if (i < 0 || (uint32_t)i >= program->module.n_funcs) {
    return TN_ERR(TN_INVALID, "function %d: the program has %u", i, program->module.n_funcs);
  }
  *out_func = program->module.funcs[i].func;
  return NULL;
}

tn_status tn_program_function(const tn_program *program, int32_t i, tn_function_info *out_info) {
  const tn_node *func = NULL;
  TN_TRY(function_at(program, i, &func));
  tn_function_info info = {.name = program->module.funcs[i].name};
  if (tn_is(func, TN_OP_PRIM_FUNC)) {
    info.n_params = (int32_t)func->in[TN_PRIM_FUNC_PARAMS]->n_in;
    info.is_public = tn_dict_find(func->in[TN_PRIM_FUNC_ATTRS], "global_symbol") != NULL;
  } else if (tn_is(func, TN_OP_GFUNC)) {
    info.is_graph = true;
    info.n_params = (int32_t)func->in[TN_GFUNC_PARAMS]->n_in;
    info.is_public = tn_dict_find(func->in[TN_GFUNC_ATTRS], "global_symbol") != NULL;
  }
  *out_info = info;
  return NULL;
}

/* `ndim` extents as the command line wants them: -1 where they are not fixed, everywhere when shape
 * is NONE. The list lives with the program. */
static const int64_t *dims_of(tn_ir *ir, const tn_node *shape, int64_t ndim) {
  int64_t *dims = tn_ir_alloc(ir, (size_t)ndim * sizeof *dims, _Alignof(int64_t));
  for (int64_t i = 0; i < ndim; ++i) {
    bool is_fixed = !tn_is_none(shape) && tn_is(shape->in[i], TN_OP_INT);
    dims[i] = is_fixed ? shape->in[i]->attr.i64 : -1;
  }
  return dims;
}

static const char *text_of(tn_ir *ir, const tn_node *n) {
  tn_buf text = TN_BUF_INIT;
  tn_script_print_node(n, &text);
  const char *interned = tn_ir_text_n(ir, tn_buf_text(&text), text.len);
  tn_buf_deinit(&text);
  return interned;
}

static void describe_tensor(tn_ir *ir, tn_dtype dtype, const tn_node *shape, int64_t ndim,
                            tn_param_info *info) {
  info->kind = TN_EXEC_TY_TENSOR;
  info->dtype = dtype;
  info->ndim = (int32_t)(tn_is_none(shape) ? ndim : shape->n_in);
  if (info->ndim >= 0) {
    info->dims = dims_of(ir, shape, info->ndim);
  }
}

void tn_driver_describe_type(tn_ir *ir, const tn_node *type, tn_param_info *info) {
  info->text = text_of(ir, type);
  info->ndim = -1;
  switch ((tn_op)type->op) {
    case TN_OP_TY_TENSOR:
      describe_tensor(ir, type->dtype, type->in[TN_TY_TENSOR_SHAPE], type->attr.i64, info);
      break;
    case TN_OP_TY_PRIM:
      info->kind = TN_EXEC_TY_SCALAR;
      info->dtype = type->dtype;
      break;
    case TN_OP_TY_SHAPE:
      info->kind = TN_EXEC_TY_SHAPE;
      break;
    case TN_OP_TY_TUPLE:
      info->kind = TN_EXEC_TY_TUPLE;
      break;
    case TN_OP_TY_FUNC:
      info->kind = TN_EXEC_TY_FUNC;
      break;
    default:
      info->kind = TN_EXEC_TY_ANY;
      break;
  }
}

static void describe_prim_param(const tn_program *program, const tn_node *func, int32_t j,
                                tn_param_info *info) {
  const tn_node *param = func->in[TN_PRIM_FUNC_PARAMS]->in[j];
  const tn_node *buffer = func->in[TN_PRIM_FUNC_BUFFERS]->in[j];
  char dtype[TN_DTYPE_TEXT_BYTES];
  info->ndim = -1;
  if (tn_is_none(buffer)) {
    info->name = param->attr.text;
    info->kind = tn_dtype_is_handle(param->dtype) ? TN_EXEC_TY_ANY : TN_EXEC_TY_SCALAR;
    info->dtype = param->dtype;
    info->text = tn_ir_text(program->ir, tn_dtype_print(param->dtype, dtype));
    return;
  }
  uint32_t n_params = func->in[TN_PRIM_FUNC_PARAMS]->n_in;
  uint8_t *uses = tn_ir_alloc(program->ir, n_params, 1);
  tn_tir_param_uses(&program->module, func, uses);
  info->is_output = (uses[j] & TN_PARAM_WRITTEN) != 0;
  info->is_read = (uses[j] & TN_PARAM_READ) != 0;
  info->name = buffer->attr.text;
  describe_tensor(program->ir, buffer->dtype, buffer->in[TN_BUFFER_SHAPE], -1, info);
  tn_buf text = TN_BUF_INIT;
  tn_buf_puts(&text, "T.Buffer((");
  for (int32_t i = 0; i < info->ndim; ++i) {
    tn_buf_puts(&text, i > 0 ? ", " : "");
    tn_script_print_node(buffer->in[TN_BUFFER_SHAPE]->in[i], &text);
  }
  tn_buf_printf(&text, "%s), \"%s\")", info->ndim == 1 ? "," : "",
                tn_dtype_print(buffer->dtype, dtype));
  info->text = tn_ir_text(program->ir, text.data);
  tn_buf_deinit(&text);
}

static void describe_result(const tn_program *program, const tn_node *func, tn_param_info *info) {
  const tn_node *ret = func->in[TN_GFUNC_RET];
  tn_buf names = TN_BUF_INIT;
  tn_driver_describe_type(program->ir, tn_is_none(ret) ? tn_ty_object(program->ir) : ret, info);
  tn_func_result_names(func, &names);
  info->name = tn_ir_text(program->ir, tn_buf_text(&names));
  tn_buf_deinit(&names);
}

tn_status tn_program_param(const tn_program *program, int32_t i, int32_t j,
                           tn_param_info *out_info) {
  tn_function_info function = {0};
  const tn_node *func = NULL;
  TN_TRY(function_at(program, i, &func));
  TN_TRY(tn_program_function(program, i, &function));
  bool is_result = function.is_graph && j == function.n_params;
  if (j < 0 || (j >= function.n_params && !is_result)) {
    return TN_ERR(TN_INVALID, "parameter %d of %s, which has %d", j, function.name,
                  function.n_params);
  }
  tn_param_info info = {0};
  if (is_result) {
    describe_result(program, func, &info);
  } else if (function.is_graph) {
    const tn_node *param = func->in[TN_GFUNC_PARAMS]->in[j];
    info.name = param->attr.text;
    tn_driver_describe_type(program->ir, param->in[0], &info);
  } else {
    describe_prim_param(program, func, j, &info);
  }
  *out_info = info;
  return NULL;
}

/* ---- binding ---- */

tn_status tn_program_bind(tn_program *program, const char *func, const char *param,
                          tn_tensor *tensor) {
  tn_array view = {0};
  tn_array copy = {0};
  TN_TRY_MSG(tn_array_view_dl(tn_tensor_dl(tensor), &view), "binding '%s'", param);
  TN_TRY_MSG(tn_array_init_copy(&copy, &view), "binding '%s'", param);
  /* The pass looks at the array as long as the ir lives: so the ir owns the copy. */
  tn_named_array bind = {.name = param, .array = tn_const_new(program->ir, &copy)->attr.array};
  tn_pass_opts opts = {.func = func, .binds = &bind, .n_binds = 1};
  const tn_pass *pass = tn_pass_find("bind_params");
  return tn_run_passes(&program->module, &pass, 1, &opts, NULL);
}
