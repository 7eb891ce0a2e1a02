/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What a block reads and writes, found from its body: for each buffer one box that covers all
 * accesses.
 *
 *   for k in range(4): C[vi] = C[vi] + A[vi, k]     ->    reads C[vi], A[vi, 0:4]   writes C[vi]
 *
 * Each index becomes an interval over the variables that the block itself sees: loop variables
 * inside it take their whole range. Where an interval is not known, the whole dimension stands:
 * always a superset, never less. What goes through a pointer (another name of a buffer's memory, an
 * address given to a call) may touch all of the buffer that it points into. */
#include "tir/spans.h"
#include "tir/tir_priv.h"

typedef struct box {
  const tn_node *buffer;
  uint32_t ndim;
  tn_span dims[TN_MAX_NDIM];
} box;

typedef struct boxes {
  TN_VEC(box) list;
  tn_map at; /* BUFFER id -> index */
} boxes;

/* A handle that gets its value inside the block. */
typedef struct inner_pointer {
  const tn_node *var;
  const tn_node *value; /* NULL: memory of the block's own */
} inner_pointer;

typedef struct finder {
  tn_spans spans;
  TN_VEC(const tn_node *) hidden;  /* buffers that live inside the block */
  tn_map is_hidden;                /* their ids */
  TN_VEC(const tn_node *) matches; /* MATCHes in scope */
  TN_VEC(inner_pointer) pointers;
  tn_map pointer_at;                                           /* id of the variable -> index */
  const tn_node *(*buffer_at)(void *ctx, const tn_node *data); /* seen from outside; or NULL */
  void *ctx;
  const tn_node *lost; /* a name for memory that no known buffer has */
  boxes reads;
  boxes writes;
  tn_map seen;     /* expressions visited in this statement */
  bool is_too_big; /* an access of more dimensions than a buffer may have */
} finder;

static const tn_span unknown = {NULL, NULL};

/* What was seen before may be another now. */
static void push_var(finder *f, const tn_node *var, tn_span values) {
  tn_spans_push(&f->spans, var, values);
  tn_map_clear(&f->seen);
}

static void push_loop(finder *f, const tn_node *var, const tn_node *min, const tn_node *extent) {
  tn_spans_push_loop(&f->spans, var, min, extent);
  tn_map_clear(&f->seen);
}

/* ---- boxes ---- */

static bool is_hidden(const finder *f, const tn_node *buffer) {
  return tn_map_find(&f->is_hidden, buffer->id, NULL);
}

static void push_hidden(finder *f, const tn_node *buffer) {
  tn_map_set(&f->is_hidden, buffer->id, 0);
  TN_VEC_PUSH(&f->hidden, buffer);
}

static void pop_hidden(finder *f, size_t n_left) {
  while (f->hidden.len > n_left) {
    tn_map_remove(&f->is_hidden, TN_VEC_POP(&f->hidden)->id);
  }
}

/* ---- pointers ---- */

static void add_box(finder *f, boxes *to, const box *added);

static const inner_pointer *find_pointer(const finder *f, const tn_node *var) {
  uint64_t at = 0;
  return tn_map_find(&f->pointer_at, var->id, &at) ? &f->pointers.data[at] : NULL;
}

static void push_pointer(finder *f, const tn_node *var, const tn_node *value) {
  if (tn_dtype_is_handle(var->dtype)) {
    tn_map_set(&f->pointer_at, var->id, f->pointers.len);
    TN_VEC_PUSH(&f->pointers, (inner_pointer){var, value});
  }
}

static void add_whole(finder *f, boxes *to, const tn_node *buffer) {
  box b = {.buffer = buffer, .ndim = tn_buffer_ndim(buffer)};
  add_box(f, to, &b);
}

/* The buffer outside that memory belongs to; NULL: none that can be named. */
static const tn_node *buffer_over(const finder *f, const tn_node *data) {
  const tn_node *buffer = f->buffer_at == NULL ? NULL : f->buffer_at(f->ctx, data);
  if (buffer != NULL && !is_hidden(f, buffer)) {
    return buffer;
  }
  const boxes *known[] = {&f->reads, &f->writes};
  for (size_t k = 0; k < 2; ++k) {
    for (size_t i = 0; i < known[k]->list.len; ++i) {
      if (known[k]->list.data[i].buffer->in[TN_BUFFER_DATA] == data) {
        return known[k]->list.data[i].buffer;
      }
    }
  }
  return NULL;
}

/* Adds all that `pointer` may point into. False when it comes from somewhere unknown. */
static bool add_memory(finder *f, boxes *to, const tn_node *pointer) {
  if (tn_is(pointer, TN_OP_VAR)) {
    const inner_pointer *inner = find_pointer(f, pointer);
    if (inner != NULL) {
      return inner->value == NULL || add_memory(f, to, inner->value);
    }
    const tn_node *buffer = buffer_over(f, pointer);
    if (buffer != NULL) {
      add_whole(f, to, buffer);
    }
    return buffer != NULL;
  }
  if (tn_is(pointer, TN_OP_LOAD)) { /* of T.address_of */
    add_whole(f, to, pointer->in[TN_LOAD_BUFFER]);
    return true;
  }
  bool is_known = false;
  for (uint32_t i = 0; i < pointer->n_in; ++i) {
    const tn_node *n = pointer->in[i];
    if (tn_is(n, TN_OP_LOAD) || (tn_dtype_is_handle(n->dtype) && !tn_is(n, TN_OP_STR))) {
      is_known = add_memory(f, to, n) || is_known;
    }
  }
  return is_known;
}

/* The last argument of an access pointer says what it is for. */
static bool is_for(const tn_node *pointer, int64_t bit) {
  bool says = tn_is(pointer, TN_OP_INTRIN) &&
              tn_intrin_of(pointer)->id == TN_INTRIN_TVM_ACCESS_PTR && pointer->n_in == 5 &&
              tn_is(pointer->in[4], TN_OP_INT);
  return !says || (pointer->in[4]->attr.i64 & bit) != 0;
}

/* A callee may read and write all that its pointers reach; a handle that is no memory of a buffer
 * is its own business. */
static void add_pointers(finder *f, const tn_node *call) {
  for (uint32_t i = 0; i < call->n_in; ++i) {
    const tn_node *n = call->in[i];
    if (!tn_dtype_is_handle(n->dtype) || tn_is(n, TN_OP_STR) || tn_is(n, TN_OP_BUFFER)) {
      continue;
    }
    if (is_for(n, 1)) {
      (void)add_memory(f, &f->reads, n);
    }
    if (is_for(n, 2)) {
      (void)add_memory(f, &f->writes, n);
    }
  }
}

static void add_region(finder *f, boxes *to, const tn_node *region);

static void add_box(finder *f, boxes *to, const box *added) {
  if (added->ndim > TN_MAX_NDIM) {
    f->is_too_big = true;
    return;
  }
  for (size_t i = 0; i < f->matches.len; ++i) { /* a view stands for the region behind it */
    if (f->matches.data[i]->in[TN_MATCH_BUFFER] == added->buffer) {
      add_region(f, to, f->matches.data[i]->in[TN_MATCH_REGION]);
      return;
    }
  }
  if (is_hidden(f,
                added->buffer)) { /* memory of the block's own, or another name of memory outside */
    if (!add_memory(f, to, added->buffer->in[TN_BUFFER_DATA])) {
      f->lost = added->buffer;
    }
    return;
  }
  uint64_t at = 0;
  if (!tn_map_find(&to->at, added->buffer->id, &at)) {
    tn_map_set(&to->at, added->buffer->id, to->list.len);
    TN_VEC_PUSH(&to->list, *added);
    return;
  }
  box *known = &to->list.data[at];
  for (uint32_t k = 0; k < known->ndim; ++k) {
    known->dims[k] = tn_span_join(&f->spans, known->dims[k], added->dims[k]);
  }
}

static void add_access(finder *f, boxes *to, const tn_node *n, uint32_t first) {
  box b = {.buffer = n->in[0], .ndim = n->n_in - first};
  for (uint32_t i = 0; i < b.ndim && i < TN_MAX_NDIM; ++i) {
    b.dims[i] = tn_span_of(&f->spans, n->in[first + i]);
  }
  add_box(f, to, &b);
}

static void add_region(finder *f, boxes *to, const tn_node *region) {
  box b = {.buffer = region->in[TN_REGION_BUFFER], .ndim = region->n_in - TN_REGION_RANGES};
  for (uint32_t i = 0; i < b.ndim && i < TN_MAX_NDIM; ++i) {
    const tn_node *range = region->in[TN_REGION_RANGES + i];
    tn_span min = tn_span_of(&f->spans, range->in[TN_RANGE_MIN]);
    tn_span extent = tn_span_of(&f->spans, range->in[TN_RANGE_EXTENT]);
    if (min.lo != NULL && extent.hi != NULL && min.hi->dtype == extent.hi->dtype) {
      const tn_node *last =
          tn_spans_op(&f->spans, TN_OP_SUB, extent.hi, tn_int(f->spans.ir, extent.hi->dtype, 1));
      b.dims[i] = (tn_span){
          min.lo, tn_is_int(last, 0) ? min.hi : tn_spans_op(&f->spans, TN_OP_ADD, min.hi, last)};
    }
  }
  add_box(f, to, &b);
}

/* ---- the walk ---- */

/* A callee may read and write all of the buffers it gets. */
static void add_arguments(finder *f, const tn_node *args) {
  for (uint32_t i = 0; i < args->n_in; ++i) {
    if (tn_is(args->in[i], TN_OP_BUFFER)) {
      box b = {.buffer = args->in[i], .ndim = tn_buffer_ndim(args->in[i])};
      add_box(f, &f->reads, &b);
      add_box(f, &f->writes, &b);
    }
  }
}

/* The access whose address a T.prefetch takes; it touches nothing, its indices may. NULL: none. */
static const tn_node *prefetched(const tn_node *n) {
  bool is_prefetch = tn_is(n, TN_OP_INTRIN) && tn_intrin_of(n)->id == TN_INTRIN_PREFETCH;
  const tn_node *address = is_prefetch ? n->in[0] : n;
  bool is_address = is_prefetch && tn_is(address, TN_OP_INTRIN) &&
                    tn_intrin_of(address)->id == TN_INTRIN_ADDRESS_OF;
  return is_address && tn_is(address->in[0], TN_OP_LOAD) ? address->in[0] : NULL;
}

static void visit_expr(finder *f, const tn_node *n) {
  if ((n->flags & (TN_NF_READS | TN_NF_EFFECT)) == 0 || tn_map_find(&f->seen, n->id, NULL)) {
    return;
  }
  const tn_node *place = prefetched(n);
  for (uint32_t i = TN_LOAD_INDICES; place != NULL && i < place->n_in; ++i) {
    visit_expr(f, place->in[i]);
  }
  if (place != NULL) {
    return;
  }
  if (tn_is(n, TN_OP_LET)) {
    visit_expr(f, n->in[TN_LET_VALUE]);
    push_var(f, n->in[TN_LET_VAR], tn_span_of(&f->spans, n->in[TN_LET_VALUE]));
    push_pointer(f, n->in[TN_LET_VAR], n->in[TN_LET_VALUE]);
    visit_expr(f, n->in[TN_LET_BODY]);
    tn_spans_pop(&f->spans, f->spans.vars.len - 1);
    return;
  }
  for (uint32_t i = 0; i < n->n_in; ++i) {
    visit_expr(f, n->in[i]);
  }
  if (tn_is(n, TN_OP_LOAD)) {
    add_access(f, &f->reads, n, TN_LOAD_INDICES);
  } else if (tn_tir_call_args(n) != NULL) {
    add_arguments(f, tn_tir_call_args(n));
    add_pointers(f, tn_tir_call_args(n));
  } else if (tn_is(n, TN_OP_INTRIN) &&
             (tn_intrin_of(n)->kind == TN_IK_CALL || tn_intrin_of(n)->kind == TN_IK_OPAQUE)) {
    add_pointers(f, n);
  }
  tn_map_set(&f->seen, n->id, 0);
}

static void visit_children(finder *f, const tn_node *n) {
  for (uint32_t i = 0; i < n->n_in; ++i) {
    visit_expr(f, n->in[i]);
  }
}

static void visit_stmt(finder *f, const tn_node *n);

static void visit_loop(finder *f, const tn_node *var, const tn_node *min, const tn_node *extent,
                       const tn_node *body) {
  size_t n_vars = f->spans.vars.len;
  visit_expr(f, extent);
  push_loop(f, var, min, extent);
  visit_stmt(f, body);
  tn_spans_pop(&f->spans, n_vars);
}

/* ---- views ---- */

typedef struct var_search {
  const tn_node *var;
} var_search;

static tn_visit find_var(const tn_node *n, void *ctx) {
  const var_search *s = ctx;
  return n == s->var ? TN_STOP : TN_DESCEND;
}

static bool mentions(const tn_node *n, const tn_node *var) {
  var_search s = {var};
  return !tn_walk_distinct(n, find_var, &s);
}

static void push_symbols(finder *f, const tn_node *match, const tn_node *n) {
  if (tn_is(n, TN_OP_VAR)) {
    if (tn_spans_find(&f->spans, n) == NULL && !mentions(match->in[TN_MATCH_REGION], n)) {
      push_var(f, n, unknown);
    }
    return;
  }
  for (uint32_t i = 0; i < n->n_in; ++i) {
    push_symbols(f, match, n->in[i]);
  }
}

/* The symbols that a view defines (strides, offset, sizes) mean nothing outside its block. A symbol
 * that its region or source names is bound outside; so may others be, and then the whole dimension
 * is more than needed. */
static void push_match(finder *f, const tn_node *match) {
  const tn_node *view = match->in[TN_MATCH_BUFFER];
  push_symbols(f, match, view->in[TN_BUFFER_SHAPE]);
  push_symbols(f, match, view->in[TN_BUFFER_STRIDES]);
  push_symbols(f, match, view->in[TN_BUFFER_ELEM_OFFSET]);
  TN_VEC_PUSH(&f->matches, match);
}

/* The inside of a block whose axes are in scope already. */
static void visit_inside(finder *f, const tn_node *block) {
  size_t n_hidden = f->hidden.len;
  size_t n_matches = f->matches.len;
  const tn_node *allocs = block->in[TN_BLOCK_ALLOCS];
  const tn_node *matches = block->in[TN_BLOCK_MATCHES];
  for (uint32_t i = 0; i < allocs->n_in; ++i) {
    push_hidden(f, allocs->in[i]);
    push_pointer(f, allocs->in[i]->in[TN_BUFFER_DATA], NULL);
  }
  for (uint32_t i = 0; i < matches->n_in; ++i) {
    push_match(f, matches->in[i]);
  }
  if (!tn_is_none(block->in[TN_BLOCK_INIT])) {
    visit_stmt(f, block->in[TN_BLOCK_INIT]);
  }
  visit_stmt(f, block->in[TN_BLOCK_BODY]);
  pop_hidden(f, n_hidden);
  f->matches.len = n_matches;
}

/* A nested block counts with its own regions where it has them. */
static void visit_nested(finder *f, const tn_node *block) {
  size_t n_vars = f->spans.vars.len;
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  const tn_node *reads = block->in[TN_BLOCK_READS];
  const tn_node *writes = block->in[TN_BLOCK_WRITES];
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    visit_expr(f, iters->in[i]->in[TN_ITER_BINDING]);
    push_var(f, iters->in[i]->in[TN_ITER_VAR],
             tn_span_of(&f->spans, iters->in[i]->in[TN_ITER_BINDING]));
  }
  visit_expr(f, block->in[TN_BLOCK_PREDICATE]);
  if (tn_is(reads, TN_OP_LIST) && tn_is(writes, TN_OP_LIST)) {
    for (uint32_t i = 0; i < reads->n_in; ++i) {
      add_region(f, &f->reads, reads->in[i]);
    }
    for (uint32_t i = 0; i < writes->n_in; ++i) {
      add_region(f, &f->writes, writes->in[i]);
    }
  } else {
    visit_inside(f, block);
  }
  tn_spans_pop(&f->spans, n_vars);
}

static void visit_seq(finder *f, const tn_node *n) {
  size_t n_vars = f->spans.vars.len;
  size_t n_hidden = f->hidden.len;
  for (uint32_t i = 0; i < n->n_in; ++i) {
    visit_stmt(f, n->in[i]);
  }
  tn_spans_pop(&f->spans, n_vars);
  pop_hidden(f, n_hidden);
}

static void visit_stmt(finder *f, const tn_node *n) {
  tn_map_clear(&f->seen);
  switch ((tn_op)n->op) {
    case TN_OP_SEQ:
      visit_seq(f, n);
      return;
    case TN_OP_STORE:
      visit_children(f, n);
      add_access(f, &f->writes, n, TN_STORE_INDICES);
      return;
    case TN_OP_BIND:
      visit_expr(f, n->in[TN_BIND_VALUE]);
      push_var(f, n->in[TN_BIND_VAR], tn_span_of(&f->spans, n->in[TN_BIND_VALUE]));
      push_pointer(f, n->in[TN_BIND_VAR], n->in[TN_BIND_VALUE]);
      return;
    case TN_OP_ALLOC:
      visit_children(f, n);
      push_var(f, n->in[TN_ALLOC_VAR], unknown);
      push_pointer(f, n->in[TN_ALLOC_VAR], NULL);
      return;
    case TN_OP_CONST_ALLOC:
      push_pointer(f, n->in[TN_CONST_ALLOC_VAR], NULL);
      return;
    case TN_OP_DECL:
      push_hidden(f, n->in[0]);
      return;
    case TN_OP_FOR:
      visit_expr(f, n->in[TN_FOR_MIN]);
      visit_loop(f, n->in[TN_FOR_VAR], n->in[TN_FOR_MIN], n->in[TN_FOR_EXTENT], n->in[TN_FOR_BODY]);
      return;
    case TN_OP_LAUNCH:
      visit_loop(f, n->in[TN_LAUNCH_VAR], NULL, n->in[TN_LAUNCH_EXTENT], n->in[TN_LAUNCH_BODY]);
      return;
    case TN_OP_BLOCK:
      visit_nested(f, n);
      return;
    default: /* IF, WHILE, ATTR, ASSERT, EVAL, RETURN: expressions and statements in
                slot order */
      for (uint32_t i = 0; i < n->n_in; ++i) {
        if (tn_op_info_get((tn_op)n->in[i]->op)->cls == TN_CLASS_STMT) {
          visit_stmt(f, n->in[i]);
        } else {
          visit_expr(f, n->in[i]);
        }
      }
  }
}

/* ---- the result ---- */

static const tn_node *range_of(finder *f, tn_span s, const tn_node *whole) {
  const tn_node *in[] = {tn_int(f->spans.ir, whole->dtype, 0), whole};
  if (s.lo != NULL && s.lo == s.hi) {
    in[TN_RANGE_MIN] = s.lo;
    in[TN_RANGE_EXTENT] = tn_int(f->spans.ir, s.lo->dtype, 1);
  } else if (s.lo != NULL) {
    const tn_node *less = tn_spans_op(&f->spans, TN_OP_SUB, s.hi, s.lo);
    in[TN_RANGE_MIN] = s.lo;
    in[TN_RANGE_EXTENT] =
        tn_spans_op(&f->spans, TN_OP_ADD, less, tn_int(f->spans.ir, less->dtype, 1));
  }
  return tn_node_new(f->spans.ir, TN_OP_RANGE, TN_DT_NONE, (tn_attr){0}, 2, in);
}

/* skips_written: a block with init reads what it updates, which goes without saying. */
static const tn_node *region_list(finder *f, const boxes *from, bool skips_written) {
  TN_VEC(const tn_node *) regions = {0};
  for (size_t i = 0; i < from->list.len; ++i) {
    const box *b = &from->list.data[i];
    const tn_node *ranges[TN_MAX_NDIM];
    if (skips_written && tn_map_find(&f->writes.at, b->buffer->id, NULL)) {
      continue;
    }
    for (uint32_t k = 0; k < b->ndim; ++k) {
      ranges[k] = range_of(f, b->dims[k], b->buffer->in[TN_BUFFER_SHAPE]->in[k]);
    }
    const tn_node *region = tn_region_new(f->spans.ir, b->buffer, b->ndim, ranges);
    TN_VEC_PUSH(&regions, region);
  }
  const tn_node *list = tn_list(f->spans.ir, (uint32_t)regions.len, regions.data);
  TN_VEC_DEINIT(&regions);
  return list;
}

static void finder_deinit(finder *f) {
  tn_arith_free(f->spans.arith);
  TN_VEC_DEINIT(&f->spans.vars);
  tn_map_deinit(&f->spans.var_at);
  TN_VEC_DEINIT(&f->hidden);
  tn_map_deinit(&f->is_hidden);
  TN_VEC_DEINIT(&f->matches);
  TN_VEC_DEINIT(&f->pointers);
  tn_map_deinit(&f->pointer_at);
  TN_VEC_DEINIT(&f->reads.list);
  tn_map_deinit(&f->reads.at);
  TN_VEC_DEINIT(&f->writes.list);
  tn_map_deinit(&f->writes.at);
  tn_map_deinit(&f->seen);
}

tn_status tn_tir_infer_regions(tn_ir *ir, const tn_node *block,
                               const tn_node *(*buffer_at)(void *ctx, const tn_node *data),
                               void *ctx, const tn_node **out_reads, const tn_node **out_writes) {
  finder f = {.spans = {.ir = ir, .arith = tn_arith_new(ir)}, .buffer_at = buffer_at, .ctx = ctx};
  const tn_node *iters = block->in[TN_BLOCK_ITERS];
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    const tn_node *iter = iters->in[i];
    tn_arith_bind_range(f.spans.arith, iter->in[TN_ITER_VAR], iter->in[TN_ITER_MIN],
                        iter->in[TN_ITER_EXTENT]);
  }
  visit_inside(&f, block);
  bool has_init = !tn_is_none(block->in[TN_BLOCK_INIT]);
  *out_reads = region_list(&f, &f.reads, has_init);
  *out_writes = region_list(&f, &f.writes, false);
  finder_deinit(&f);
  if (f.is_too_big) {
    return TN_ERR(TN_UNSUPPORTED, "an access of more than %d dimensions", TN_MAX_NDIM);
  }
  if (f.lost != NULL) {
    return TN_ERR(
        TN_INVALID,
        "'%s' lies over memory of no buffer that is known here: write the block's T.reads "
        "and T.writes",
        f.lost->attr.text);
  }
  return tn_ir_status(ir);
}
