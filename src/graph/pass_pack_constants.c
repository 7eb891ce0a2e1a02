/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* pack_constants: a constant matrix of a product is laid out as panels of columns, as wide as a tile
 * of the result in registers, row after row:
 *
 *   C[m, n] += A[m, k] * B[k, n]          B [K, N]
 *   ->  C[m, n] += A[m, k] * B[n // 16, k, n % 16]          B [ceil(N / 16), K, 16]
 *
 * So a tile walks memory in one direction, and nothing is copied when the function runs. The last
 * panel is filled up with zeros that nobody reads. By form alone: a sum of terms, a constant read once
 * in it, with a spatial axis that stores walk side by side and that nothing else is read by. Sums keep
 * their order. Requires: fuse_ops, since whatever is private may change. */
#include <string.h>

#include "graph/fuse.h"
#include "graph/passes.h"
#include "target/target.h"

enum { MAX_PARAMS = 32, NO_DIM = -1 };

/* How one parameter shall lie. */
typedef struct panels {
  const tn_node *buffer; /* as it is */
  const tn_node *made;   /* instead */
  const tn_node *block;  /* that reads it */
  const tn_node *load;
  uint32_t dim; /* that is cut */
  int64_t width;
  uint32_t n_outer;            /* dimensions of the new one but the innermost */
  uint32_t outer[TN_MAX_NDIM]; /* which dimension of the old one each is */
} panels;

/* A function with some constant arguments, once it is looked at. */
typedef struct variant {
  const char *name;
  uint32_t constants;  /* bit i: argument i is one */
  const tn_node *func; /* NULL: nothing to do */
  uint32_t n;
  uint32_t params[MAX_PARAMS]; /* those that are packed */
  panels how[MAX_PARAMS];
} variant;

typedef struct packer {
  tn_ir *ir;
  tn_module *module;
  tn_func_pool *pool;
  const tn_target *target;
  TN_VEC(variant *) variants;
  TN_VEC(const tn_node *) packed; /* constants: before, after, before ... */
} packer;

static tn_visit find_node(const tn_node *n, void *ctx) { return n == ctx ? TN_STOP : TN_DESCEND; }

static bool mentions(const tn_node *n, const tn_node *what) {
  return !tn_walk_distinct(n, find_node, (void *)(uintptr_t)what);
}

/* ---- the form ---- */

typedef struct finding {
  const tn_node *buffer;
  const tn_node *block; /* that is being looked through; NULL: none */
  const tn_node *load;
  const tn_node *of_block;
  uint32_t n_loads;
} finding;

static tn_visit find_load(const tn_node *n, void *ctx) {
  finding *f = ctx;
  if (tn_is(n, TN_OP_BLOCK)) {
    f->block = n;
  }
  if (tn_is(n, TN_OP_LOAD) && n->in[TN_LOAD_BUFFER] == f->buffer) {
    ++f->n_loads;
    f->load = n;
    f->of_block = f->block;
  }
  return TN_DESCEND;
}

/* The axis that the index is; NULL: it is something else. */
static const tn_node *axis_of(const tn_node *block, const tn_node *index) {
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    if (iters->in[i]->in[TN_ITER_VAR] == index) {
      return iters->in[i];
    }
  }
  return NULL;
}

static bool is_sum(const tn_node *block) {
  const tn_node *store = block->in[TN_BLOCK_BODY];
  return tn_is(store, TN_OP_STORE) && tn_is_none(store->in[TN_STORE_PREDICATE]) &&
         store->n_in > TN_STORE_INDICES && !tn_is_none(block->in[TN_BLOCK_INIT]) &&
         tn_is(store->in[TN_STORE_VALUE], TN_OP_ADD) && block->in[TN_BLOCK_MATCHES]->n_in == 0;
}

typedef struct reading {
  const panels *p;
  const tn_node *sum;  /* the buffer that is stored to */
  const tn_node *axis; /* a variable */
  bool is_by_axis;     /* something else is read by it */
} reading;

static tn_visit find_reading(const tn_node *n, void *ctx) {
  reading *r = ctx;
  if (!tn_is(n, TN_OP_LOAD) || n == r->p->load || n->in[TN_LOAD_BUFFER] == r->sum) {
    return TN_DESCEND;
  }
  for (uint32_t i = TN_LOAD_INDICES; i < n->n_in; ++i) {
    r->is_by_axis = r->is_by_axis || mentions(n->in[i], r->axis);
  }
  return TN_DESCEND;
}

/* Does the load walk all of the sum's terms, by plain axes, and the columns, which nothing else
 * does? */
static bool is_matrix(panels *p) {
  const tn_node *store = p->block->in[TN_BLOCK_BODY];
  const tn_node *column = axis_of(p->block, store->in[store->n_in - 1]);
  const tn_node *iters = p->block->in[TN_BLOCK_ITERS];
  int32_t dim = NO_DIM;
  uint32_t n_terms = 0;
  for (uint32_t i = TN_LOAD_INDICES; i < p->load->n_in; ++i) {
    const tn_node *axis = axis_of(p->block, p->load->in[i]);
    if (axis == NULL ? !tn_is(p->load->in[i], TN_OP_INT) : !tn_is_int(axis->in[TN_ITER_MIN], 0)) {
      return false;
    }
    dim = axis != NULL && axis == column ? (int32_t)(i - TN_LOAD_INDICES) : dim;
    n_terms += axis != NULL && axis->attr.i64 == TN_ITER_REDUCE;
  }
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    n_terms -= iters->in[i]->attr.i64 == TN_ITER_REDUCE;
  }
  if (dim == NO_DIM || n_terms != 0 || column->attr.i64 != TN_ITER_SPATIAL ||
      !tn_is_none(p->load->in[TN_LOAD_PREDICATE])) {
    return false;
  }
  reading r = {p, store->in[TN_STORE_BUFFER], column->in[TN_ITER_VAR], false};
  tn_walk_distinct(store->in[TN_STORE_VALUE], find_reading, &r);
  p->dim = (uint32_t)dim;
  return !r.is_by_axis;
}

/* ---- how wide ---- */

/* Rows of the result that one column of a panel serves; 1 << 20: many, or known at run time. */
static int64_t n_rows(const panels *p) {
  const int64_t many = 1 << 20;
  const tn_node *iters = p->block->in[TN_BLOCK_ITERS];
  int64_t n = 1;
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    const tn_node *iter = iters->in[i];
    bool is_row = iter->attr.i64 == TN_ITER_SPATIAL;
    for (uint32_t d = TN_LOAD_INDICES; d < p->load->n_in; ++d) {
      is_row = is_row && p->load->in[d] != iter->in[TN_ITER_VAR];
    }
    if (is_row) {
      const tn_node *extent = iter->in[TN_ITER_EXTENT];
      int64_t rows = tn_is(extent, TN_OP_INT) ? extent->attr.i64 : many;
      n = rows < many && n * rows < many ? n * rows : many;
    }
  }
  return n;
}

/* So many vectors that sums fill the registers: more of them where rows are few. Of those that fill
 * up little, the first. 0: not worth it. */
static int64_t choose_width(const packer *k, const panels *p) {
  enum { FEW_ROWS = 4, MOST = 4 };
  static const int64_t of_few[MOST] = {4, 3, 2, 1};
  static const int64_t of_many[MOST] = {2, 3, 1, 4};
  const tn_node *sum = p->block->in[TN_BLOCK_BODY]->in[TN_STORE_BUFFER];
  uint32_t bits = tn_dtype_bits(sum->dtype) > tn_dtype_bits(p->buffer->dtype)
                      ? tn_dtype_bits(sum->dtype)
                      : tn_dtype_bits(p->buffer->dtype);
  int64_t lanes = k->target->vector_bytes * 8 / (int64_t)bits;
  int64_t n = p->buffer->in[TN_BUFFER_SHAPE]->in[p->dim]->attr.i64;
  const int64_t *vectors = n_rows(p) < FEW_ROWS ? of_few : of_many;
  int64_t best = 0;
  int64_t best_n = 0;
  for (uint32_t i = 0; i < MOST && lanes > 1; ++i) {
    int64_t width = vectors[i] * lanes;
    int64_t filled = (n + width - 1) / width * width;
    if (width < n && (best == 0 || filled * 32 < best_n * 31)) {
      best = width;
      best_n = filled;
    }
  }
  return best;
}

/* ---- the function ---- */

static void make_buffer(tn_ir *ir, panels *p) {
  const tn_node *shape = p->buffer->in[TN_BUFFER_SHAPE];
  const tn_node *dims[TN_MAX_NDIM];
  uint32_t n_terms = 0;
  uint32_t terms[TN_MAX_NDIM];
  for (uint32_t d = 0; d < shape->n_in; ++d) {
    const tn_node *axis = axis_of(p->block, p->load->in[TN_LOAD_INDICES + d]);
    if (axis != NULL && axis->attr.i64 == TN_ITER_REDUCE) {
      terms[n_terms++] = d;
    } else {
      p->outer[p->n_outer++] = d;
    }
  }
  for (uint32_t i = 0; i < n_terms; ++i) {
    p->outer[p->n_outer++] = terms[i];
  }
  for (uint32_t i = 0; i < p->n_outer; ++i) {
    const tn_node *extent = shape->in[p->outer[i]];
    int64_t n = extent->attr.i64;
    n = p->outer[i] == p->dim ? (n + p->width - 1) / p->width : n;
    dims[i] = tn_int(ir, extent->dtype, n);
  }
  dims[p->n_outer] = tn_int(ir, shape->in[p->dim]->dtype, p->width);
  const tn_buffer_spec spec = {.name = p->buffer->attr.text,
                               .dtype = p->buffer->dtype,
                               .ndim = p->n_outer + 1,
                               .shape = dims,
                               .data = p->buffer->in[TN_BUFFER_DATA]};
  p->made = tn_buffer_new(ir, &spec);
}

static const tn_node *packed_load(tn_rewriter *rw, const tn_node *n) {
  const panels *p = rw->ctx;
  if (n != p->load) {
    return NULL;
  }
  const tn_node *indices[TN_MAX_NDIM];
  for (uint32_t i = 0; i < p->n_outer; ++i) {
    indices[i] = n->in[TN_LOAD_INDICES + p->outer[i]];
  }
  const tn_node *column = n->in[TN_LOAD_INDICES + p->dim];
  const tn_node *width = tn_int(rw->ir, column->dtype, p->width);
  for (uint32_t i = 0; i < p->n_outer; ++i) {
    indices[i] =
        p->outer[i] != p->dim ? indices[i] : tn_binary(rw->ir, TN_OP_FLOORDIV, column, width);
  }
  indices[p->n_outer] = tn_binary(rw->ir, TN_OP_FLOORMOD, column, width);
  const tn_node *made = NULL;
  tn_status st = tn_tir_load(rw->ir, p->made, p->n_outer + 1, indices, NULL, &made);
  tn_status_free(st); /* the old load stays then, and the pass leaves the function */
  return made;
}

typedef struct swap {
  const tn_node *from;
  const tn_node *to;
} swap;

static const tn_node *swap_node(tn_rewriter *rw, const tn_node *n) {
  const swap *s = rw->ctx;
  return n == s->from ? s->to : NULL;
}

/* The function with one buffer in panels; NULL: it is mentioned elsewhere. */
static const tn_node *packed_func(tn_ir *ir, const tn_node *func, panels *p) {
  const tn_node *reads = NULL;
  const tn_node *writes = NULL;
  const tn_node *buffers[MAX_PARAMS];
  const tn_node *list = func->in[TN_PRIM_FUNC_BUFFERS];
  make_buffer(ir, p);
  const tn_node *body = tn_rewrite(ir, p->block->in[TN_BLOCK_BODY], packed_load, p);
  const tn_node *block = tn_with_child(ir, p->block, TN_BLOCK_BODY, body);
  tn_status st = tn_tir_infer_regions(ir, block, NULL, NULL, &reads, &writes);
  if (st != NULL) {
    tn_status_free(st);
    return NULL;
  }
  block =
      tn_with_child(ir, tn_with_child(ir, block, TN_BLOCK_READS, reads), TN_BLOCK_WRITES, writes);
  swap s = {p->block, block};
  body = tn_rewrite(ir, func->in[TN_PRIM_FUNC_BODY], swap_node, &s);
  if (mentions(body, p->buffer)) {
    return NULL;
  }
  for (uint32_t i = 0; i < list->n_in; ++i) {
    buffers[i] = list->in[i] == p->buffer ? p->made : list->in[i];
  }
  func = tn_with_child(ir, func, TN_PRIM_FUNC_BUFFERS, tn_list(ir, list->n_in, buffers));
  return tn_with_child(ir, func, TN_PRIM_FUNC_BODY, body);
}

static bool find_panels(packer *k, const tn_node *func, const tn_node *buffer, panels *out) {
  const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
  *out = (panels){.buffer = buffer};
  bool is_fit = tn_buffer_is_plain(buffer) && shape->n_in > 1 && shape->n_in < TN_MAX_NDIM &&
                tn_dtype_bits(buffer->dtype) >= 8;
  for (uint32_t d = 0; is_fit && d < shape->n_in; ++d) {
    is_fit = tn_is(shape->in[d], TN_OP_INT) && shape->in[d]->attr.i64 > 0;
  }
  finding f = {.buffer = buffer};
  if (is_fit) {
    (void)tn_walk(func->in[TN_PRIM_FUNC_BODY], find_load, NULL, &f);
  }
  out->block = f.of_block;
  out->load = f.load;
  if (f.n_loads != 1 || f.of_block == NULL || !is_sum(f.of_block) || !is_matrix(out)) {
    return false;
  }
  out->width = choose_width(k, out);
  return out->width > 0;
}

static void make_variant(packer *k, variant *v) {
  const tn_node *func = tn_module_find(k->module, v->name);
  if (func == NULL || !tn_is(func, TN_OP_PRIM_FUNC) || tn_func_is_public(func) ||
      func->in[TN_PRIM_FUNC_BUFFERS]->n_in > MAX_PARAMS) {
    return;
  }
  for (uint32_t i = 0; i < func->in[TN_PRIM_FUNC_BUFFERS]->n_in; ++i) {
    const tn_node *buffer = func->in[TN_PRIM_FUNC_BUFFERS]->in[i];
    if ((v->constants >> i & 1) == 0 || !tn_is(buffer, TN_OP_BUFFER) ||
        !find_panels(k, func, buffer, &v->how[v->n])) {
      continue;
    }
    const tn_node *made = packed_func(k->ir, func, &v->how[v->n]);
    if (made != NULL) {
      func = made;
      v->params[v->n++] = i;
    }
  }
  v->func = v->n > 0 ? tn_clone_fresh(k->ir, func) : NULL;
}

static const variant *variant_of(packer *k, const tn_node *call) {
  const char *name = tn_call_arg(call, 0)->attr.text;
  const tn_node *inputs = tn_call_arg(call, 1);
  uint32_t constants = 0;
  for (uint32_t i = 0; i < inputs->n_in && i < MAX_PARAMS; ++i) {
    constants |= tn_is(inputs->in[i], TN_OP_CONST) ? 1u << i : 0;
  }
  for (size_t i = 0; i < k->variants.len; ++i) {
    if (k->variants.data[i]->name == name && k->variants.data[i]->constants == constants) {
      return k->variants.data[i];
    }
  }
  variant *v = tn_ir_alloc(k->ir, sizeof *v, sizeof(void *));
  *v = (variant){.name = name, .constants = constants};
  if (constants != 0) {
    make_variant(k, v);
  }
  TN_VEC_PUSH(&k->variants, v);
  return v;
}

/* ---- constants ---- */

/* Columns [0, n) of one row of a panel. */
static void copy_row(char *to, const char *from, int64_t n, size_t stride, size_t size) {
  if (size == sizeof(uint32_t)) {
    for (int64_t i = 0; i < n; ++i) {
      memcpy(to + (size_t)i * sizeof(uint32_t), from + (size_t)i * stride, sizeof(uint32_t));
    }
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    memcpy(to + (size_t)i * size, from + (size_t)i * stride, size);
  }
}

static tn_status pack(const tn_array *array, const panels *p, tn_array *out) {
  int64_t shape[TN_MAX_NDIM];
  int64_t strides[TN_MAX_NDIM];
  int64_t at[TN_MAX_NDIM] = {0};
  int64_t n_panels = (array->shape[p->dim] + p->width - 1) / p->width;
  size_t size = tn_dtype_bits(array->dtype) / 8;
  int64_t n_rows = 1;
  for (int32_t d = array->ndim; d-- > 0;) {
    strides[d] = d + 1 == array->ndim ? 1 : strides[d + 1] * array->shape[d + 1];
  }
  for (uint32_t i = 0; i < p->n_outer; ++i) {
    shape[i] = p->outer[i] == p->dim ? n_panels : array->shape[p->outer[i]];
    n_rows *= shape[i];
  }
  shape[p->n_outer] = p->width;
  TN_TRY(tn_array_init(out, array->dtype, (int32_t)p->n_outer + 1, shape));
  for (int64_t row = 0; row < n_rows; ++row) {
    int64_t from = 0;
    int64_t n = p->width;
    for (uint32_t i = 0; i < p->n_outer; ++i) {
      bool is_cut = p->outer[i] == p->dim;
      from += at[i] * strides[p->outer[i]] * (is_cut ? p->width : 1);
      int64_t left = array->shape[p->dim] - at[i] * p->width;
      n = is_cut && left < n ? left : n;
    }
    copy_row((char *)out->data + (size_t)(row * p->width) * size,
             (const char *)array->data + (size_t)from * size, n, (size_t)strides[p->dim] * size,
             size);
    for (uint32_t i = p->n_outer; i-- > 0 && ++at[i] == shape[i];) {
      at[i] = 0;
    }
  }
  return NULL;
}

/* Equal panels of one constant are made once. */
static tn_status packed_constant(packer *k, const tn_node *constant, const panels *p,
                                 const tn_node **out) {
  for (size_t i = 0; i < k->packed.len; i += 2) {
    const tn_array *made = k->packed.data[i + 1]->attr.array;
    bool is_it = k->packed.data[i] == constant && made->ndim == (int32_t)p->n_outer + 1;
    for (int32_t d = 0; is_it && d < made->ndim; ++d) {
      is_it = made->shape[d] == p->made->in[TN_BUFFER_SHAPE]->in[d]->attr.i64;
    }
    if (is_it) {
      *out = k->packed.data[i + 1];
      return NULL;
    }
  }
  tn_array array;
  TN_TRY(pack(constant->attr.array, p, &array));
  *out = tn_const_new(k->ir, &array);
  TN_VEC_PUSH(&k->packed, constant);
  TN_VEC_PUSH(&k->packed, *out);
  return NULL;
}

/* ---- calls ---- */

static tn_status pack_leaf(tn_gpass *pass, const tn_node *stmt, tn_stmts *out) {
  packer *k = pass->ctx;
  const tn_node *value = tn_is(stmt, TN_OP_GBIND) ? stmt->in[TN_BIND_VALUE] : NULL;
  bool is_call = value != NULL && tn_is_builtin(value, TN_BUILTIN_CALL_TIR) &&
                 tn_is(tn_call_arg(value, 1), TN_OP_TUPLE) &&
                 tn_call_arg(value, 1)->n_in <= MAX_PARAMS;
  const variant *v = is_call ? variant_of(k, value) : NULL;
  if (v == NULL || v->func == NULL) {
    TN_VEC_PUSH(out, stmt);
    return NULL;
  }
  const tn_node *inputs = tn_call_arg(value, 1);
  const tn_node *made[MAX_PARAMS];
  memcpy(made, inputs->in, inputs->n_in * sizeof *made);
  for (uint32_t i = 0; i < v->n; ++i) {
    TN_TRY(packed_constant(k, made[v->params[i]], &v->how[i], &made[v->params[i]]));
  }
  const tn_attr callee = {.text = tn_func_pool_add(k->pool, k->module, v->func)};
  const tn_node *args[3];
  const tn_node *old = value->in[TN_CALL_ARGS];
  memcpy(args, old->in, old->n_in * sizeof *args);
  args[0] = tn_node_new(k->ir, TN_OP_GLOBAL, TN_DT_NONE, callee, 0, NULL);
  args[1] = tn_node_new(k->ir, TN_OP_TUPLE, TN_DT_NONE, (tn_attr){0}, inputs->n_in, made);
  value = tn_with_child(k->ir, value, TN_CALL_ARGS, tn_list(k->ir, old->n_in, args));
  TN_VEC_PUSH(out, tn_with_child(k->ir, stmt, TN_BIND_VALUE, value));
  return NULL;
}

static tn_status one(tn_module *module, const tn_node *func, void *ctx, const tn_node **out) {
  tn_gpass pass = {.ir = module->ir, .module = module, .leaf = pack_leaf, .ctx = ctx};
  const tn_node *body = NULL;
  if (!tn_gfunc_has_values(func)) {
    return NULL;
  }
  TN_TRY(tn_gpass_body(&pass, func->in[TN_GFUNC_BODY], &body));
  *out = tn_gfunc_with_body(module->ir, func, body);
  return NULL;
}

tn_status tn_pass_pack_constants(tn_module *module, const tn_pass_opts *opts) {
  tn_func_pool pool = {0};
  packer k = {.ir = module->ir,
              .module = module,
              .pool = &pool,
              .target = opts->target != NULL ? opts->target : tn_target_host()};
  tn_status st = tn_each_gfunc(module, &k, one);
  TN_VEC_DEINIT(&k.variants);
  TN_VEC_DEINIT(&k.packed);
  tn_func_pool_deinit(&pool);
  return st;
}
