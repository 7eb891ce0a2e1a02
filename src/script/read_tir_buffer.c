/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Buffers in the text: their declarations (T.Buffer, match_buffer, alloc_buffer, decl_buffer),
 * accesses with slices, regions, attributes and methods. A slice read or written as a value is a
 * vector (RAMP); in a region it is a range. */
#include <inttypes.h>
#include <string.h>

#include "script/reader.h"

/* ---- declarations ---- */

/* A small constant of a declaration; 0 when it is not given. */
static bool read_small(tn_reader *r, const tn_ast *ast, int64_t *out) {
  *out = 0;
  if (ast == NULL) {
    return true;
  }
  if (!tn_to_int(r, ast, tn_read_val(r, ast), out)) {
    return false;
  }
  if (*out < -1 || *out > 1 << 20) {
    tn_read_fail(r, ast, "bad-buffer", NULL, "expected a small number, got %" PRId64, *out);
    return false;
  }
  return true;
}

static bool read_buffer_data(tn_reader *r, const tn_ast *ast, tn_buffer_spec *spec) {
  if (ast == NULL || ast->kind == TN_AST_NONE) {
    return true;
  }
  tn_val v = tn_read_val(r, ast);
  if (!tn_val_is_node(v, TN_OP_VAR) || !tn_dtype_is_handle(v.node->dtype)) {
    if (!tn_val_is_error(v)) {
      tn_read_fail(r, ast, "bad-buffer", NULL,
                   "expected a pointer variable, as from T.allocate or A.data, got %s",
                   tn_val_what(v));
    }
    return false;
  }
  spec->data = v.node;
  return true;
}

/* A stride in quotes is a variable that matching defines; it has no name in the text. */
static tn_val define_strides(tn_reader *r, const tn_buffer_args *args, const tn_buffer_spec *spec,
                             tn_val strides) {
  if (strides.kind != TN_VAL_LIST) {
    return strides;
  }
  tn_val *items = TN_ARENA_ARRAY(&r->arena, tn_val, strides.n + 1);
  for (uint32_t i = 0; i < strides.n; ++i) {
    items[i] = strides.items[i];
    if (items[i].kind != TN_VAL_STR) {
      continue;
    }
    if (!args->is_matched) {
      return tn_read_fail(r, args->strides, "bad-buffer", NULL,
                          "only T.match_buffer defines strides: '%s'", items[i].text);
    }
    tn_dtype dtype = spec->ndim > 0 ? spec->shape[0]->dtype : r->bare_int;
    items[i] = tn_val_node(tn_var_new(r->ir, items[i].text, dtype));
    tn_mark(r, items[i].node, args->strides);
  }
  return tn_val_list(r, strides.n, items, strides.is_tuple);
}

static bool read_strides(tn_reader *r, const tn_buffer_args *args, tn_buffer_spec *spec) {
  if (args->strides == NULL || args->strides->kind == TN_AST_NONE) {
    return true;
  }
  tn_val strides = define_strides(r, args, spec, tn_read_val(r, args->strides));
  spec->strides = tn_to_index_list(r, args->strides, strides);
  if (spec->strides == NULL) {
    return false;
  }
  if (spec->strides->n_in == 0) {
    spec->strides = NULL;
  } else if (spec->strides->n_in != spec->ndim) {
    tn_read_fail(r, args->strides, "bad-buffer", NULL, "%u strides for %u dimensions",
                 spec->strides->n_in, spec->ndim);
    return false;
  }
  return true;
}

static bool read_buffer_layout(tn_reader *r, const tn_buffer_args *args, tn_buffer_spec *spec) {
  if (!read_strides(r, args, spec)) {
    return false;
  }
  if (args->elem_offset != NULL && args->elem_offset->kind != TN_AST_NONE) {
    spec->elem_offset = tn_read_index(r, args->elem_offset);
    if (spec->elem_offset == NULL) {
      return false;
    }
    if (tn_is_int(spec->elem_offset, 0)) {
      spec->elem_offset = NULL; /* of the buffer's own index type */
    }
  }
  if (args->scope != NULL) {
    spec->scope = tn_to_str(r, args->scope, tn_read_val(r, args->scope));
    if (spec->scope == NULL) {
      return false;
    }
  }
  if (args->axis_separators != NULL && args->axis_separators->kind != TN_AST_NONE) {
    spec->axis_separators =
        tn_to_index_list(r, args->axis_separators, tn_read_val(r, args->axis_separators));
    return spec->axis_separators != NULL;
  }
  return read_small(r, args->align, &spec->align) &&
         read_small(r, args->offset_factor, &spec->offset_factor);
}

/* A size, or one in quotes. */
static const tn_node *read_size(tn_reader *r, const tn_ast *ast) {
  const tn_ast *inner = ast->kind == TN_AST_STR ? tn_parse_inner(r, ast) : ast;
  return inner == NULL ? NULL : tn_read_index(r, inner);
}

static const tn_node *read_param_shape(tn_reader *r, const tn_ast *ast) {
  bool is_list = ast->kind == TN_AST_TUPLE || ast->kind == TN_AST_LIST;
  if (!is_list && ast->kind != TN_AST_STR) {
    return tn_to_index_list(r, ast, tn_read_val(r, ast));
  }
  uint32_t n = is_list ? ast->n : 1;
  const tn_node **sizes = TN_ARENA_ARRAY(&r->arena, const tn_node *, n + 1);
  for (uint32_t i = 0; i < n; ++i) {
    sizes[i] = read_size(r, is_list ? ast->in[i] : ast);
    if (sizes[i] == NULL) {
      return NULL;
    }
  }
  return tn_list(r->ir, n, sizes);
}

/* LIST; NULL, reported. */
static const tn_node *read_shape(tn_reader *r, const tn_ast *at, const tn_buffer_args *args) {
  if (args->is_param && args->shape != NULL && args->shape->kind != TN_AST_NONE) {
    return read_param_shape(r, args->shape);
  }
  if (args->shape != NULL && args->shape->kind != TN_AST_NONE) {
    return tn_to_index_list(r, args->shape, tn_read_val(r, args->shape));
  }
  if (args->region == NULL) {
    tn_read_fail(r, at, "missing-argument", NULL, "%s needs the argument 'shape'", at->in[0]->text);
    return NULL;
  }
  const tn_node *extents[TN_MAX_NDIM];
  uint32_t n = args->region->n_in - TN_REGION_RANGES;
  for (uint32_t i = 0; i < n; ++i) {
    extents[i] = args->region->in[TN_REGION_RANGES + i]->in[TN_RANGE_EXTENT];
  }
  return tn_list(r->ir, n, extents);
}

const tn_node *tn_read_buffer(tn_reader *r, const tn_ast *at, const char *name,
                              const tn_buffer_args *args) {
  tn_buffer_spec spec = {.name = name, .dtype = TN_DT_F32};
  r->name_hint = r->name_hint != NULL ? r->name_hint : "declare a size first: n = T.int64()";
  const tn_ast *shape_at = args->shape != NULL ? args->shape : at; /* else it is the region's */
  const tn_node *shape = read_shape(r, at, args);
  r->name_hint = NULL;
  if (shape == NULL) {
    return NULL;
  }
  if (shape->n_in > 0 && args->shape == NULL) {
    spec.dtype = args->region->in[TN_REGION_BUFFER]->dtype;
  }
  if (shape->n_in > TN_MAX_NDIM) {
    tn_read_fail(r, shape_at, "bad-buffer", NULL, "%u dimensions: at most %d", shape->n_in,
                 TN_MAX_NDIM);
    return NULL;
  }
  for (uint32_t i = 0; i < shape->n_in; ++i) {
    if (shape->in[i]->op == TN_OP_INT && shape->in[i]->attr.i64 < 0) {
      tn_read_fail(r, shape_at, "bad-buffer", NULL, "dimension %u of '%s' is negative: %" PRId64, i,
                   name, shape->in[i]->attr.i64);
      return NULL;
    }
  }
  spec.ndim = shape->n_in;
  spec.shape = shape->in;
  if (args->dtype != NULL && !tn_read_dtype(r, args->dtype, &spec.dtype)) {
    return NULL;
  }
  if (!read_buffer_data(r, args->data, &spec) || !read_buffer_layout(r, args, &spec)) {
    return NULL;
  }
  const tn_node *buffer = tn_buffer_new(r->ir, &spec);
  tn_mark(r, buffer, at);
  if (spec.data == NULL) {
    tn_map_set(&r->pointers, buffer->in[TN_BUFFER_DATA]->id, (uint64_t)(uintptr_t)buffer);
  }
  return buffer;
}

#define BUFFER_PARAMS                                                                    \
  "shape? dtype? data? strides? elem_offset? scope? align? offset_factor? buffer_type? " \
  "axis_separators?"
enum { BUFFER_TYPE_AT = 8 };
enum { IS_VIEW = 1 };

/* The arguments after the first n_skip ones, as BUFFER_PARAMS has them. */
static bool take_buffer_args(tn_reader *r, const tn_ast *const *args, tn_buffer_args *out) {
  const tn_ast *kind = args[BUFFER_TYPE_AT];
  bool is_default = kind == NULL || (kind->kind == TN_AST_STR &&
                                     (kind->text[0] == 0 || strcmp(kind->text, "default") == 0));
  if (!is_default) {
    tn_read_fail(r, kind, "unsupported", NULL,
                 "not supported yet: buffer_type other than \"default\"");
    return false;
  }
  *out = (tn_buffer_args){.shape = args[0],
                          .dtype = args[1],
                          .data = args[2],
                          .strides = args[3],
                          .elem_offset = args[4],
                          .scope = args[5],
                          .align = args[6],
                          .offset_factor = args[7],
                          .axis_separators = args[BUFFER_TYPE_AT + 1]};
  return true;
}

const tn_node *tn_read_buffer_param(tn_reader *r, const tn_ast *call, const char *name) {
  const tn_ast *args[TN_MAX_ARGS];
  tn_buffer_args buffer;
  if (!tn_bind_args(r, call, BUFFER_PARAMS, args) || !take_buffer_args(r, args, &buffer)) {
    return NULL;
  }
  r->name_hint = "define a size in quotes, T.Buffer((\"n\",)), or in brackets, def f[n: T.int32]";
  buffer.is_param = true;
  return tn_read_buffer(r, call, name, &buffer);
}

/* The one name that a declaration is assigned to; NULL, reported. */
static const char *target_name(tn_reader *r, const tn_call *call) {
  if (call->n_names == 1 && call->names[0]->kind == TN_AST_NAME) {
    return call->names[0]->text;
  }
  tn_read_fail(r, call->ast, "needs-one-name", NULL,
               "the result of %s is given one name: name = %s(...)", call->row->name,
               call->row->name);
  return NULL;
}

static void add_decl(tn_reader *r, const tn_ast *at, const tn_node *buffer) {
  tn_add_stmt(r, at, tn_node_new(r->ir, TN_OP_DECL, TN_DT_NONE, (tn_attr){0}, 1, &buffer));
}

void tn_add_alloc(tn_reader *r, const tn_ast *at, const tn_node *buffer) {
  const tn_node *in[] = {[TN_ALLOC_VAR] = buffer->in[TN_BUFFER_DATA],
                         [TN_ALLOC_EXTENTS] = buffer->in[TN_BUFFER_SHAPE],
                         [TN_ALLOC_COND] = tn_bool(r->ir, true),
                         [TN_ALLOC_SCOPE] = buffer->in[TN_BUFFER_SCOPE],
                         [TN_ALLOC_ANNOTATIONS] = tn_none(r->ir)};
  tn_add_stmt(r, at, tn_node_new(r->ir, TN_OP_ALLOC, buffer->dtype, (tn_attr){0}, 5, in));
  add_decl(r, at, buffer);
}

enum { IS_STATEMENT_IN_2026 = 1 };

static tn_val call_alloc_buffer(tn_reader *r, const tn_call *call) {
  const tn_ast *args[TN_MAX_ARGS];
  tn_buffer_args buffer_args;
  const char *name = target_name(r, call);
  if (name == NULL || !tn_bind_args(r, call->ast, BUFFER_PARAMS, args) ||
      !take_buffer_args(r, args, &buffer_args)) {
    return tn_val_error();
  }
  bool is_stmt = call->row->param == IS_STATEMENT_IN_2026 && r->dialect == TN_DIALECT_2026;
  if (!is_stmt && (r->block == NULL || r->block->body != r->body)) {
    return tn_read_fail(r, call->ast, "wrong-place", NULL,
                        "%s stands directly in a block or in the function", call->row->name);
  }
  const tn_node *buffer = tn_read_buffer(r, call->ast, name, &buffer_args);
  if (buffer == NULL) {
    return tn_val_error();
  }
  if (is_stmt) {
    tn_add_alloc(r, call->ast, buffer);
    return tn_val_node(buffer);
  }
  TN_VEC_PUSH(&r->block->allocs, buffer);
  return tn_val_node(buffer);
}

/* Without data= T.decl_buffer allocates the memory too; T.Buffer, which lowered programs use for
 * views, leaves it to T.realize. */
static tn_val call_decl_buffer(tn_reader *r, const tn_call *call) {
  const tn_ast *args[TN_MAX_ARGS];
  tn_buffer_args buffer_args;
  const char *name = target_name(r, call);
  if (name == NULL || !tn_bind_args(r, call->ast, BUFFER_PARAMS, args) ||
      !take_buffer_args(r, args, &buffer_args)) {
    return tn_val_error();
  }
  const tn_node *buffer = tn_read_buffer(r, call->ast, name, &buffer_args);
  if (buffer == NULL) {
    return tn_val_error();
  }
  bool has_data = buffer_args.data != NULL && buffer_args.data->kind != TN_AST_NONE;
  if (!has_data && call->row->param == IS_VIEW) {
    TN_VEC_PUSH(&r->free_buffers, (tn_free_buffer){.buffer = buffer, .call = call->ast});
  } else if (!has_data) {
    tn_add_alloc(r, call->ast, buffer);
  } else {
    add_decl(r, call->ast, buffer);
  }
  return tn_val_node(buffer);
}

/* ---- match_buffer ---- */

/* offset_factor without elem_offset means: an offset that the caller's buffer decides. */
static const tn_node *with_free_offset(tn_reader *r, const tn_node *buffer,
                                       const tn_buffer_args *args) {
  int64_t factor = 0;
  if (args->elem_offset != NULL || args->offset_factor == NULL ||
      !tn_to_int(r, args->offset_factor, tn_read_val(r, args->offset_factor), &factor) ||
      factor == 0) {
    return buffer;
  }
  const tn_node *in[8];
  memcpy(in, buffer->in, sizeof in);
  tn_buf name = TN_BUF_INIT;
  tn_buf_printf(&name, "%s_elem_offset", buffer->attr.text);
  in[TN_BUFFER_ELEM_OFFSET] =
      tn_var_new(r->ir, tn_buf_text(&name), in[TN_BUFFER_ELEM_OFFSET]->dtype);
  tn_buf_deinit(&name);
  return tn_node_with(r->ir, buffer, in);
}

static tn_val match_param(tn_reader *r, const tn_call *call, const tn_node *param,
                          const tn_node *buffer) {
  uint64_t index = 0;
  if (r->block == NULL || !r->block->is_root || r->block->body != r->body) {
    return tn_read_fail(r, call->ast, "wrong-place", NULL,
                        "T.match_buffer of a parameter stands directly in the function");
  }
  if (!tn_map_find(&r->param_index, param->id, &index) || !tn_dtype_is_handle(param->dtype)) {
    return tn_read_fail(r, call->ast->in[1], "bad-match-buffer", NULL,
                        "'%s' is no T.handle parameter", param->attr.text);
  }
  if (r->buffers.data[index]->op == TN_OP_BUFFER) {
    return tn_read_fail(r, call->ast->in[1], "bad-match-buffer", NULL,
                        "parameter '%s' has a buffer already", param->attr.text);
  }
  r->buffers.data[index] = buffer;
  return tn_val_node(buffer);
}

static tn_val match_region(tn_reader *r, const tn_call *call, const tn_node *region,
                           const tn_node *buffer) {
  if (r->block == NULL || r->block->is_root || r->block->body != r->body) {
    return tn_read_fail(r, call->ast, "wrong-place", NULL,
                        "T.match_buffer of a region stands directly in a block");
  }
  const tn_node *in[2] = {[TN_MATCH_BUFFER] = buffer, [TN_MATCH_REGION] = region};
  TN_VEC_PUSH(&r->block->matches, tn_node_new(r->ir, TN_OP_MATCH, TN_DT_NONE, (tn_attr){0}, 2, in));
  return tn_val_node(buffer);
}

static const tn_node *match_source(tn_reader *r, const tn_ast *ast) {
  if (ast->kind == TN_AST_INDEX) {
    return tn_read_region(r, ast);
  }
  tn_val v = tn_read_val(r, ast);
  if (tn_val_is_node(v, TN_OP_BUFFER)) {
    return tn_read_region(r, ast);
  }
  if (tn_val_is_node(v, TN_OP_VAR)) {
    return v.node;
  }
  if (!tn_val_is_error(v)) {
    tn_read_fail(r, ast, "bad-match-buffer", NULL,
                 "expected a T.handle parameter or a region of a buffer, got %s", tn_val_what(v));
  }
  return NULL;
}

static tn_val call_match_buffer(tn_reader *r, const tn_call *call) {
  const tn_ast *args[TN_MAX_ARGS];
  tn_buffer_args buffer_args;
  const char *name = target_name(r, call);
  if (name == NULL || !tn_bind_args(r, call->ast, "param " BUFFER_PARAMS, args) ||
      !take_buffer_args(r, args + 1, &buffer_args)) {
    return tn_val_error();
  }
  const tn_node *source = match_source(r, args[0]);
  if (source == NULL) {
    return tn_val_error();
  }
  buffer_args.region = source->op == TN_OP_REGION ? source : NULL;
  buffer_args.is_matched = true;
  const tn_node *buffer = tn_read_buffer(r, call->ast, name, &buffer_args);
  if (buffer == NULL) {
    return tn_val_error();
  }
  buffer = with_free_offset(r, buffer, &buffer_args);
  return source->op == TN_OP_REGION ? match_region(r, call, source, buffer)
                                    : match_param(r, call, source, buffer);
}

/* ---- accesses ---- */

/* The items of a subscript: A[i, j], A[(i, j)], A[()]. */
static const tn_ast *const *subscript_items(const tn_ast *ast, uint32_t *out_n) {
  if (ast->n == 2 && ast->in[1]->kind == TN_AST_TUPLE) {
    *out_n = ast->in[1]->n;
    return ast->in[1]->in;
  }
  *out_n = ast->n - 1;
  return ast->in + 1;
}

/* Both ends of a slice, of one type; what is left out is 0 and the buffer's extent. */
static bool read_slice(tn_reader *r, const tn_ast *slice, const tn_node *dim, const tn_node **lo,
                       const tn_node **hi) {
  tn_val from =
      slice->in[0] == NULL ? (tn_val){.kind = TN_VAL_INT, .i64 = 0} : tn_read_val(r, slice->in[0]);
  tn_val to = slice->in[1] == NULL ? tn_val_node(dim) : tn_read_val(r, slice->in[1]);
  if (!tn_pair_exprs(r, slice, from, to, lo, hi)) {
    return false;
  }
  if ((*lo)->dtype != (*hi)->dtype) {
    tn_dtype wide = (*lo)->dtype == TN_DT_I64 ? (*lo)->dtype : (*hi)->dtype;
    return tn_read_ok(r, slice, "type-mismatch", tn_tir_cast(r->ir, wide, *lo, lo)) &&
           tn_read_ok(r, slice, "type-mismatch", tn_tir_cast(r->ir, wide, *hi, hi));
  }
  return true;
}

/* A[lo:hi:step] as a vector of indices. */
static const tn_node *read_slice_index(tn_reader *r, const tn_ast *slice, const tn_node *dim) {
  const tn_node *lo = NULL;
  const tn_node *hi = NULL;
  int64_t step = 1;
  if (!read_slice(r, slice, dim, &lo, &hi) ||
      (slice->in[2] != NULL && !tn_to_int(r, slice->in[2], tn_read_val(r, slice->in[2]), &step))) {
    return NULL;
  }
  bool is_int = tn_dtype_is_int(lo->dtype) || tn_dtype_is_uint(lo->dtype);
  const tn_node *extent =
      is_int && tn_dtype_lanes(lo->dtype) == 1 ? tn_extent_between(r, lo, hi) : NULL;
  if (extent == NULL || extent->op != TN_OP_INT || step <= 0 || extent->attr.i64 <= 0) {
    tn_read_fail(
        r, slice, "bad-slice", NULL,
        "a slice that is read or written as a value needs a constant positive length and step");
    return NULL;
  }
  int64_t lanes = (extent->attr.i64 - 1) / step + 1;
  const tn_node *out = lo;
  if (lanes != 1 &&
      !tn_read_ok(r, slice, "bad-slice",
                  tn_tir_ramp(r->ir, lo, tn_int(r->ir, lo->dtype, step), lanes, &out))) {
    return NULL;
  }
  return out;
}

/* A constant index outside of a constant extent is wrong wherever it is reached; under a condition
 * it may never be. */
static bool check_const_index(tn_reader *r, const tn_ast *at, const tn_node *buffer, uint32_t i,
                              const tn_node *index) {
  const tn_node *dim = buffer->in[TN_BUFFER_SHAPE]->in[i];
  bool is_const = index->op == TN_OP_INT && dim->op == TN_OP_INT;
  if (r->n_conditions > 0 || !is_const ||
      (index->attr.i64 >= 0 && index->attr.i64 < dim->attr.i64)) {
    return true;
  }
  tn_read_fail(r, at, "index-out-of-range", NULL,
               "index %" PRId64 " is outside of dimension %u of '%s', whose extent is %" PRId64,
               index->attr.i64, i, buffer->attr.text, dim->attr.i64);
  return false;
}

const tn_node *const *tn_read_indices(tn_reader *r, const tn_ast *ast, const tn_node *buffer,
                                      uint32_t *out_n) {
  uint32_t n = 0;
  const tn_ast *const *items = subscript_items(ast, &n);
  if (n != tn_buffer_ndim(buffer)) {
    tn_read_fail(r, ast, "wrong-index-count", NULL, "'%s' has %u dimensions, got %u indices",
                 buffer->attr.text, tn_buffer_ndim(buffer), n);
    return NULL;
  }
  const tn_node **nodes = TN_ARENA_ARRAY(&r->arena, const tn_node *, n + 1);
  for (uint32_t i = 0; i < n; ++i) {
    const tn_node *dim = buffer->in[TN_BUFFER_SHAPE]->in[i];
    nodes[i] = items[i]->kind == TN_AST_SLICE ? read_slice_index(r, items[i], dim)
                                              : tn_read_index(r, items[i]);
    if (nodes[i] == NULL || !check_const_index(r, items[i], buffer, i, nodes[i])) {
      return NULL;
    }
  }
  *out_n = n;
  return nodes;
}

tn_val tn_read_load(tn_reader *r, const tn_ast *ast, const tn_node *buffer) {
  uint32_t n = 0;
  const tn_node *const *indices = tn_read_indices(r, ast, buffer, &n);
  const tn_node *out = NULL;
  if (indices == NULL ||
      !tn_read_ok(r, ast, "bad-access", tn_tir_load(r->ir, buffer, n, indices, NULL, &out))) {
    return tn_val_error();
  }
  return tn_val_node(out);
}

/* ---- regions ---- */

static const tn_node *range_new(tn_ir *ir, const tn_node *min, const tn_node *extent) {
  const tn_node *in[2] = {[TN_RANGE_MIN] = min, [TN_RANGE_EXTENT] = extent};
  return tn_node_new(ir, TN_OP_RANGE, TN_DT_NONE, (tn_attr){0}, 2, in);
}

static const tn_node *read_region_range(tn_reader *r, const tn_ast *item, const tn_node *dim) {
  if (item->kind != TN_AST_SLICE) {
    const tn_node *min = tn_read_index(r, item);
    return min == NULL ? NULL : range_new(r->ir, min, tn_int(r->ir, min->dtype, 1));
  }
  const tn_node *lo = NULL;
  const tn_node *hi = NULL;
  if (item->in[2] != NULL) {
    tn_read_fail(r, item, "bad-slice", NULL, "a region has no step");
    return NULL;
  }
  if (!read_slice(r, item, dim, &lo, &hi)) {
    return NULL;
  }
  if (!tn_dtype_is_int(lo->dtype) && !tn_dtype_is_uint(lo->dtype)) {
    tn_read_fail(r, item, "bad-slice", NULL, "expected integer bounds");
    return NULL;
  }
  return range_new(r->ir, lo, tn_extent_between(r, lo, hi));
}

const tn_node *tn_read_region(tn_reader *r, const tn_ast *ast) {
  tn_val base = tn_read_val(r, ast->kind == TN_AST_INDEX ? ast->in[0] : ast);
  if (tn_val_is_error(base)) {
    return NULL;
  }
  if (!tn_val_is_node(base, TN_OP_BUFFER)) {
    tn_read_fail(r, ast, "not-a-region", NULL,
                 "expected a buffer or a region of one, as in A[i, 0:8], got %s",
                 tn_val_what(base));
    return NULL;
  }
  const tn_node *buffer = base.node;
  const tn_node *ranges[TN_MAX_NDIM];
  uint32_t ndim = tn_buffer_ndim(buffer);
  uint32_t n = ndim;
  const tn_ast *const *items = ast->kind == TN_AST_INDEX ? subscript_items(ast, &n) : NULL;
  if (n != ndim) {
    tn_read_fail(r, ast, "wrong-index-count", NULL, "'%s' has %u dimensions, got %u indices",
                 buffer->attr.text, ndim, n);
    return NULL;
  }
  for (uint32_t i = 0; i < n; ++i) {
    const tn_node *dim = buffer->in[TN_BUFFER_SHAPE]->in[i];
    ranges[i] = items == NULL ? range_new(r->ir, tn_int(r->ir, dim->dtype, 0), dim)
                              : read_region_range(r, items[i], dim);
    if (ranges[i] == NULL) {
      return NULL;
    }
  }
  return tn_region_new(r->ir, buffer, n, ranges);
}

/* ---- attributes and methods ---- */

static tn_val list_of(tn_reader *r, const tn_node *list) {
  uint32_t n = tn_is_none(list) ? 0 : list->n_in;
  tn_val *items = TN_ARENA_ARRAY(&r->arena, tn_val, n + 1);
  for (uint32_t i = 0; i < n; ++i) {
    items[i] = tn_val_node(list->in[i]);
  }
  return tn_val_list(r, n, items, true);
}

static tn_val str_of_dtype(tn_reader *r, tn_dtype dtype) {
  char text[TN_DTYPE_TEXT_BYTES];
  return (tn_val){.kind = TN_VAL_STR, .text = tn_ir_text(r->ir, tn_dtype_print(dtype, text))};
}

tn_val tn_read_attribute(tn_reader *r, const tn_ast *ast, tn_val base) {
  const char *name = ast->text;
  bool is_buffer = tn_val_is_node(base, TN_OP_BUFFER);
  if (is_buffer && strcmp(name, "data") == 0) {
    return tn_val_node(base.node->in[TN_BUFFER_DATA]);
  }
  if (is_buffer && strcmp(name, "elem_offset") == 0) {
    return tn_val_node(base.node->in[TN_BUFFER_ELEM_OFFSET]);
  }
  if (is_buffer && (strcmp(name, "shape") == 0 || strcmp(name, "strides") == 0)) {
    return list_of(r, base.node->in[name[1] == 'h' ? TN_BUFFER_SHAPE : TN_BUFFER_STRIDES]);
  }
  if (base.kind == TN_VAL_NODE && base.node->dtype != TN_DT_NONE && strcmp(name, "dtype") == 0) {
    return str_of_dtype(r, base.node->dtype);
  }
  static const char *const known[] = {"data",  "elem_offset", "shape",  "strides",
                                      "dtype", "vload",       "vstore", "access_ptr"};
  char *hint = is_buffer ? tn_near_of(name, known, sizeof known / sizeof known[0]) : NULL;
  tn_val v = tn_read_fail(r, ast, "unknown-attribute", hint, "%s has no attribute '%s'",
                          tn_val_what(base), name);
  free(hint);
  return v;
}

/* begin of vload and vstore: one index or a list; with more lanes than the buffer the last one
 * becomes a ramp. */
static const tn_node *read_begin(tn_reader *r, const tn_ast *ast, const tn_node *buffer,
                                 uint32_t lanes) {
  const tn_node *list = tn_to_index_list(r, ast, tn_read_val(r, ast));
  if (list == NULL || lanes <= 1 || list->n_in == 0 ||
      tn_dtype_lanes(list->in[list->n_in - 1]->dtype) != 1) {
    return list;
  }
  if (list->n_in > TN_MAX_NDIM) {
    tn_read_fail(r, ast, "wrong-index-count", NULL, "'%s' has %u dimensions", buffer->attr.text,
                 tn_buffer_ndim(buffer));
    return NULL;
  }
  const tn_node *items[TN_MAX_NDIM];
  memcpy(items, list->in, list->n_in * sizeof items[0]);
  const tn_node *last = items[list->n_in - 1];
  if (!tn_read_ok(
          r, ast, "bad-access",
          tn_tir_ramp(r->ir, last, tn_int(r->ir, last->dtype, 1), lanes, &items[list->n_in - 1]))) {
    return NULL;
  }
  return tn_list(r->ir, list->n_in, items);
}

static tn_val method_vload(tn_reader *r, const tn_ast *call, const tn_node *buffer) {
  const tn_ast *args[3];
  tn_dtype dtype = TN_DT_NONE;
  const tn_node *predicate = NULL;
  if (!tn_bind_args(r, call, "begin dtype? predicate?", args)) {
    return tn_val_error();
  }
  if (args[1] != NULL && args[1]->kind != TN_AST_NONE && !tn_read_dtype(r, args[1], &dtype)) {
    return tn_val_error();
  }
  if (args[2] != NULL && args[2]->kind != TN_AST_NONE) {
    predicate = tn_read_expr(r, args[2]);
    if (predicate == NULL) {
      return tn_val_error();
    }
  }
  uint32_t lanes = dtype == TN_DT_NONE ? 1 : tn_dtype_lanes(dtype) / tn_dtype_lanes(buffer->dtype);
  const tn_node *begin = read_begin(r, args[0], buffer, lanes);
  const tn_node *out = NULL;
  if (begin == NULL ||
      !tn_read_ok(r, call, "bad-access",
                  tn_tir_load(r->ir, buffer, begin->n_in, begin->in, predicate, &out))) {
    return tn_val_error();
  }
  if (dtype != TN_DT_NONE && dtype != out->dtype) {
    char got[TN_DTYPE_TEXT_BYTES];
    char want[TN_DTYPE_TEXT_BYTES];
    return tn_read_fail(r, args[1], "type-mismatch", NULL, "'%s' gives %s here, not %s",
                        buffer->attr.text, tn_dtype_print(out->dtype, got),
                        tn_dtype_print(dtype, want));
  }
  return tn_val_node(out);
}

static tn_val method_vstore(tn_reader *r, const tn_ast *call, const tn_node *buffer) {
  const tn_ast *args[3];
  const tn_node *predicate = NULL;
  if (!tn_bind_args(r, call, "begin value predicate?", args)) {
    return tn_val_error();
  }
  const tn_node *value =
      tn_to_expr(r, args[1], tn_read_val(r, args[1]), tn_dtype_elem(buffer->dtype));
  if (value == NULL) {
    return tn_val_error();
  }
  if (args[2] != NULL && args[2]->kind != TN_AST_NONE) {
    predicate = tn_read_expr(r, args[2]);
    if (predicate == NULL) {
      return tn_val_error();
    }
  }
  const tn_node *begin =
      read_begin(r, args[0], buffer, tn_dtype_lanes(value->dtype) / tn_dtype_lanes(buffer->dtype));
  const tn_node *out = NULL;
  if (begin == NULL ||
      !tn_read_ok(r, call, "bad-access",
                  tn_tir_store(r->ir, buffer, value, begin->n_in, begin->in, predicate, &out))) {
    return tn_val_error();
  }
  tn_add_stmt(r, call, out);
  return tn_val_void();
}

static bool access_mask(tn_reader *r, const tn_ast *ast, int64_t *out) {
  tn_val v = tn_read_val(r, ast);
  if (v.kind != TN_VAL_STR) {
    return tn_to_int(r, ast, v, out);
  }
  *out = (strchr(v.text, 'r') != NULL ? 1 : 0) | (strchr(v.text, 'w') != NULL ? 2 : 0);
  if (v.text[0] == 0 || strspn(v.text, "rw") != strlen(v.text)) {
    tn_read_fail(r, ast, "bad-access", NULL, "expected \"r\", \"w\" or \"rw\"");
    return false;
  }
  return true;
}

/* Elements from `offset` to the buffer's end. */
static tn_val rest_of_buffer(tn_reader *r, const tn_ast *at, const tn_node *buffer, tn_val offset) {
  tn_val size = {.kind = TN_VAL_INT, .i64 = 1};
  for (uint32_t i = 0; i < tn_buffer_ndim(buffer); ++i) {
    const tn_node *dim = buffer->in[TN_BUFFER_SHAPE]->in[i];
    tn_val d = dim->op == TN_OP_INT && dim->dtype == TN_DT_I32
                   ? (tn_val){.kind = TN_VAL_INT, .i64 = dim->attr.i64}
                   : tn_val_node(dim);
    size =
        size.kind == TN_VAL_INT && size.i64 == 1 ? d : tn_apply_binary(r, at, TN_TOK_STAR, size, d);
  }
  bool from_start = offset.kind == TN_VAL_INT && offset.i64 == 0;
  return from_start ? size : tn_apply_binary(r, at, TN_TOK_MINUS, size, offset);
}

static tn_val method_access_ptr(tn_reader *r, const tn_ast *call, const tn_node *buffer) {
  const tn_ast *args[5];
  int64_t mask = 0;
  int64_t lanes = 1;
  if (!tn_bind_args(r, call, "access_mask ptr_type? content_lanes? offset? extent?", args) ||
      !access_mask(r, args[0], &mask) ||
      (args[2] != NULL && !tn_to_int(r, args[2], tn_read_val(r, args[2]), &lanes))) {
    return tn_val_error();
  }
  if (lanes != 1) {
    return tn_read_fail(r, args[2], "unsupported", NULL,
                        "not supported yet: access_ptr with content_lanes");
  }
  tn_val offset =
      args[3] == NULL ? (tn_val){.kind = TN_VAL_INT, .i64 = 0} : tn_read_val(r, args[3]);
  tn_val extent =
      args[4] == NULL ? rest_of_buffer(r, call, buffer, offset) : tn_read_val(r, args[4]);
  const tn_node *base = buffer->in[TN_BUFFER_ELEM_OFFSET];
  tn_val start = tn_is_int(base, 0)
                     ? offset
                     : tn_apply_binary(r, call, TN_TOK_PLUS, tn_val_node(base), offset);
  const tn_node *in[5] = {
      tn_node_new(r->ir, TN_OP_DTYPE, TN_DT_NONE, (tn_attr){.i64 = buffer->dtype}, 0, NULL),
      buffer->in[TN_BUFFER_DATA], tn_to_index(r, call, start), tn_to_index(r, call, extent),
      tn_int(r->ir, TN_DT_I32, mask)};
  const tn_node *out = NULL;
  if (in[2] == NULL || in[3] == NULL ||
      !tn_read_ok(
          r, call, "bad-call",
          tn_tir_intrin(r->ir, tn_intrin_get(TN_INTRIN_TVM_ACCESS_PTR), TN_DT_NONE, 5, in, &out))) {
    return tn_val_error();
  }
  return tn_val_node(out);
}

static tn_val method_astype(tn_reader *r, const tn_ast *call, tn_val base) {
  const tn_ast *args[1];
  tn_dtype dtype = TN_DT_NONE;
  if (!tn_bind_args(r, call, "dtype", args) || !tn_read_dtype(r, args[0], &dtype)) {
    return tn_val_error();
  }
  const tn_node *value = tn_to_expr(r, call, base, TN_DT_NONE);
  const tn_node *out = NULL;
  if (value == NULL ||
      !tn_read_ok(r, call, "type-mismatch", tn_tir_cast(r->ir, dtype, value, &out))) {
    return tn_val_error();
  }
  return tn_val_node(out);
}

tn_val tn_read_method(tn_reader *r, const tn_ast *call, tn_val base) {
  const tn_ast *callee = call->in[0];
  const char *name = callee->text;
  if (tn_val_is_node(base, TN_OP_BUFFER) && strcmp(name, "vload") == 0) {
    return method_vload(r, call, base.node);
  }
  if (tn_val_is_node(base, TN_OP_BUFFER) && strcmp(name, "vstore") == 0) {
    return method_vstore(r, call, base.node);
  }
  if (tn_val_is_node(base, TN_OP_BUFFER) && strcmp(name, "access_ptr") == 0) {
    return method_access_ptr(r, call, base.node);
  }
  if (tn_val_is_node(base, TN_OP_BUFFER) && strcmp(name, "scope") == 0) {
    return (tn_val){.kind = TN_VAL_STR, .text = base.node->in[TN_BUFFER_SCOPE]->attr.text};
  }
  if (strcmp(name, "astype") == 0 && tn_is_graph_value(base)) {
    return tn_graph_method(r, call, base);
  }
  if (strcmp(name, "astype") == 0) {
    return method_astype(r, call, base);
  }
  return tn_read_attribute(r, callee, base).kind == TN_VAL_ERROR
             ? tn_val_error()
             : tn_read_fail(r, call, "not-callable", NULL, "'%s' cannot be called", name);
}

static const tn_call_row rows[] = {
    {"T.alloc_buffer", call_alloc_buffer, IS_STATEMENT_IN_2026, TN_USE_TIR},
    {"T.sblock_alloc_buffer", call_alloc_buffer, 0, TN_USE_TIR},
    {"T.decl_buffer", call_decl_buffer, 0, TN_USE_TIR},
    {"T.buffer_decl", call_decl_buffer, IS_VIEW, TN_USE_TIR},
    {"T.Buffer", call_decl_buffer, IS_VIEW, TN_USE_TIR},
    {"T.match_buffer", call_match_buffer, 0, TN_USE_TIR},
};

tn_call_table tn_tir_buffer_calls(void) {
  return (tn_call_table){rows, sizeof rows / sizeof rows[0]};
}
