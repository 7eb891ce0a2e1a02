/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Prints the loop level: functions, statements, blocks, buffers. Loops from 0 without annotations
 * fuse into T.grid, block axes bound to whole loops into T.axis.remap; everything else is spelled
 * out. */
#include "script/print_priv.h"

#include <string.h>

/* ---- buffers ---- */

/* `A.data` names the pointer of a buffer that made its own. */
static void name_data(tn_printer *p, const tn_node *buffer) {
  const tn_node *data = buffer->in[TN_BUFFER_DATA];
  if (tn_pr_is_defined(p, data)) {
    return;
  }
  const char *name = tn_pr_name(p, buffer);
  size_t len = strlen(name);
  char *text = tn_arena_alloc(&p->arena, len + 6, 1);
  memcpy(text, name, len);
  memcpy(text + len, ".data", 5);
  tn_map_set(&p->names, data->id, (uint64_t)(uintptr_t)text);
  TN_VEC_PUSH(&p->scope, (tn_name_entry){.id = data->id, .name = NULL});
}

static tn_visit define_symbol(const tn_node *n, void *ctx) {
  tn_printer *p = ctx;
  if (tn_is(n, TN_OP_VAR) && !tn_dtype_is_handle(n->dtype) && !tn_pr_is_defined(p, n)) {
    char text[TN_DTYPE_TEXT_BYTES];
    const char *name = tn_pr_define(p, n, n->attr.text);
    tn_pr_line(p);
    tn_buf_printf(p->out, "%s = T.%s()\n", name, tn_dtype_print(n->dtype, text));
  }
  return TN_DESCEND;
}

void tn_pr_symbols(tn_printer *p, const tn_node *n) { (void)tn_walk_distinct(n, define_symbol, p); }

/* Sizes that a buffer's shape, strides and offset mention for the first time. */
static void define_buffer_symbols(tn_printer *p, const tn_node *buffer) {
  tn_pr_symbols(p, buffer->in[TN_BUFFER_SHAPE]);
  tn_pr_symbols(p, buffer->in[TN_BUFFER_STRIDES]);
  tn_pr_symbols(p, buffer->in[TN_BUFFER_ELEM_OFFSET]);
}

static void print_shape(tn_printer *p, const tn_node *shape) {
  tn_pr_tuple(p, shape->n_in, shape->in);
}

static bool is_default_align(const tn_node *buffer) {
  return tn_is_int(buffer->in[TN_BUFFER_ALIGN], 64);
}

/* Keyword arguments shared by match_buffer, alloc_buffer and decl_buffer; with_data: the pointer is
 * not the buffer's own. */
static void print_buffer_rest(tn_printer *p, const tn_node *buffer, bool with_data) {
  if (buffer->dtype != TN_DT_F32) {
    tn_buf_puts(p->out, ", ");
    tn_pr_dtype(p, buffer->dtype);
  }
  if (with_data) {
    tn_buf_puts(p->out, ", data=");
    tn_pr_expr(p, buffer->in[TN_BUFFER_DATA], 0);
  }
  const tn_node *strides = buffer->in[TN_BUFFER_STRIDES];
  if (!tn_is_none(strides)) {
    tn_buf_puts(p->out, ", strides=");
    tn_pr_tuple(p, strides->n_in, strides->in);
  }
  /* beside an offset_factor a missing offset means a free one */
  if (!tn_is_int(buffer->in[TN_BUFFER_ELEM_OFFSET], 0) ||
      !tn_is_int(buffer->in[TN_BUFFER_OFFSET_FACTOR], 1)) {
    tn_buf_puts(p->out, ", elem_offset=");
    tn_pr_expr(p, buffer->in[TN_BUFFER_ELEM_OFFSET], 0);
  }
  if (strcmp(buffer->in[TN_BUFFER_SCOPE]->attr.text, "global") != 0) {
    tn_buf_puts(p->out, ", scope=");
    tn_pr_expr(p, buffer->in[TN_BUFFER_SCOPE], 0);
  }
  if (!is_default_align(buffer)) {
    tn_buf_printf(p->out, ", align=%lld", (long long)buffer->in[TN_BUFFER_ALIGN]->attr.i64);
  }
  if (!tn_is_int(buffer->in[TN_BUFFER_OFFSET_FACTOR], 1)) {
    tn_buf_printf(p->out, ", offset_factor=%lld",
                  (long long)buffer->in[TN_BUFFER_OFFSET_FACTOR]->attr.i64);
  }
  const tn_node *separators = buffer->in[TN_BUFFER_AXIS_SEPARATORS];
  if (!tn_is_none(separators) && separators->n_in > 0) {
    tn_buf_puts(p->out, ", axis_separators=");
    tn_pr_expr(p, separators, 0);
  }
  tn_buf_puts(p->out, ")\n");
}

static void print_alloc_buffer(tn_printer *p, const tn_node *buffer) {
  define_buffer_symbols(p, buffer);
  tn_pr_line(p);
  tn_buf_printf(p->out, "%s = T.alloc_buffer(", tn_pr_define(p, buffer, buffer->attr.text));
  print_shape(p, buffer->in[TN_BUFFER_SHAPE]);
  print_buffer_rest(p, buffer, false);
  name_data(p, buffer);
}

static void print_match(tn_printer *p, const tn_node *buffer, const tn_node *source) {
  define_buffer_symbols(p, buffer);
  tn_pr_line(p);
  const char *name = tn_pr_define(p, buffer, buffer->attr.text);
  tn_buf_printf(p->out, "%s = T.match_buffer(", name);
  tn_pr_expr(p, source, 0);
  tn_buf_puts(p->out, ", ");
  print_shape(p, buffer->in[TN_BUFFER_SHAPE]);
  print_buffer_rest(p, buffer, tn_pr_is_defined(p, buffer->in[TN_BUFFER_DATA]));
  name_data(p, buffer);
}

static void print_decl(tn_printer *p, const tn_node *n) {
  const tn_node *buffer = n->in[0];
  define_buffer_symbols(p, buffer);
  tn_pr_line(p);
  tn_buf_printf(p->out, "%s = T.decl_buffer(", tn_pr_define(p, buffer, buffer->attr.text));
  print_shape(p, buffer->in[TN_BUFFER_SHAPE]);
  print_buffer_rest(p, buffer, true);
}

/* ---- loops ---- */

static bool is_plain_loop(const tn_node *n) {
  return tn_is(n, TN_OP_FOR) && n->attr.i64 == TN_FOR_SERIAL && tn_is_int(n->in[TN_FOR_MIN], 0) &&
         tn_is_none(n->in[TN_FOR_THREAD]) && tn_is_none(n->in[TN_FOR_ANNOTATIONS]);
}

typedef struct tn_uses {
  const tn_node *const *loops;
  uint32_t n;
} tn_uses;

static tn_visit find_use(const tn_node *n, void *ctx) {
  const tn_uses *uses = ctx;
  for (uint32_t i = 0; i < uses->n; ++i) {
    if (uses->loops[i]->in[TN_FOR_VAR] == n) {
      return TN_STOP;
    }
  }
  return TN_DESCEND;
}

static void define_loop(tn_printer *p, const tn_node *loop) {
  const tn_node *var = loop->in[TN_FOR_VAR];
  (void)tn_pr_define(p, var, var->attr.text);
  if (tn_is_int(loop->in[TN_FOR_MIN], 0)) {
    tn_map_set(&p->domains, var->id, (uint64_t)(uintptr_t)loop->in[TN_FOR_EXTENT]);
  }
}

enum { MAX_GRID = 32 };

/* `for i, j in T.grid(a, b):` for nested plain loops whose extents do not depend on each other. */
static bool print_grid(tn_printer *p, const tn_node *n) {
  const tn_node *loops[MAX_GRID];
  uint32_t n_loops = 0;
  const tn_node *body = n;
  for (; n_loops < MAX_GRID && is_plain_loop(body); body = body->in[TN_FOR_BODY]) {
    tn_uses uses = {.loops = loops, .n = n_loops};
    bool is_left = n_loops > 0 && (tn_loop_exits(body->in[TN_FOR_BODY]) & TN_EXIT_BREAK) != 0;
    if (is_left || !tn_walk_distinct(body->in[TN_FOR_EXTENT], find_use, &uses)) {
      break;
    }
    loops[n_loops++] = body;
  }
  if (n_loops < 2) {
    return false;
  }
  tn_buf extents = TN_BUF_INIT;
  tn_buf *out = p->out;
  p->out = &extents;
  for (uint32_t i = 0; i < n_loops; ++i) {
    tn_buf_puts(p->out, i > 0 ? ", " : "");
    tn_pr_expr(p, loops[i]->in[TN_FOR_EXTENT], 1);
  }
  p->out = out;
  tn_pr_line(p);
  tn_buf_puts(p->out, "for ");
  for (uint32_t i = 0; i < n_loops; ++i) {
    define_loop(p, loops[i]);
    tn_buf_printf(p->out, "%s%s", i > 0 ? ", " : "", tn_pr_name(p, loops[i]->in[TN_FOR_VAR]));
  }
  tn_buf_printf(p->out, " in T.grid(%s):\n", tn_buf_text(&extents));
  tn_buf_deinit(&extents);
  tn_pr_suite(p, body);
  return true;
}

static void print_for(tn_printer *p, const tn_node *n) {
  static const char *const kinds[] = {"T.serial", "T.parallel", "T.vectorized", "T.unroll",
                                      "T.thread_binding"};
  size_t mark = tn_pr_enter(p);
  if (print_grid(p, n)) {
    tn_pr_leave(p, mark);
    return;
  }
  bool has_annotations = !tn_is_none(n->in[TN_FOR_ANNOTATIONS]);
  bool is_range = n->attr.i64 == TN_FOR_SERIAL && !has_annotations;
  tn_buf head = TN_BUF_INIT;
  tn_buf *out = p->out;
  p->out = &head;
  tn_buf_printf(p->out, "%s(", is_range ? "range" : kinds[n->attr.i64]);
  if (!tn_is_int(n->in[TN_FOR_MIN], 0)) {
    tn_pr_expr(p, n->in[TN_FOR_MIN], 1);
    tn_buf_puts(p->out, ", ");
  }
  tn_pr_stop(p, n->in[TN_FOR_MIN], n->in[TN_FOR_EXTENT]);
  if (!tn_is_none(n->in[TN_FOR_THREAD])) {
    tn_buf_puts(p->out, ", thread=");
    tn_pr_expr(p, n->in[TN_FOR_THREAD], 0);
  }
  if (has_annotations) {
    tn_buf_puts(p->out, ", annotations=");
    tn_pr_dict(p, n->in[TN_FOR_ANNOTATIONS]);
  }
  p->out = out;
  define_loop(p, n);
  tn_pr_line(p);
  tn_buf_printf(p->out, "for %s in %s):\n", tn_pr_name(p, n->in[TN_FOR_VAR]), tn_buf_text(&head));
  tn_buf_deinit(&head);
  tn_pr_suite(p, n->in[TN_FOR_BODY]);
  tn_pr_leave(p, mark);
}

/* ---- blocks ---- */

/* A spatial or reduce axis that runs over exactly what its loop variable runs over. */
static bool is_remap_axis(const tn_printer *p, const tn_node *iter) {
  uint64_t extent = 0;
  return (iter->attr.i64 == TN_ITER_SPATIAL || iter->attr.i64 == TN_ITER_REDUCE) &&
         tn_is(iter->in[TN_ITER_BINDING], TN_OP_VAR) && tn_is_int(iter->in[TN_ITER_MIN], 0) &&
         tn_map_find(&p->domains, iter->in[TN_ITER_BINDING]->id, &extent) &&
         (const tn_node *)(uintptr_t)extent == iter->in[TN_ITER_EXTENT];
}

static void print_remap(tn_printer *p, const tn_node *iters) {
  tn_buf kinds = TN_BUF_INIT;
  tn_buf bindings = TN_BUF_INIT;
  tn_pr_line(p);
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    const tn_node *iter = iters->in[i];
    tn_buf_putc(&kinds, iter->attr.i64 == TN_ITER_SPATIAL ? 'S' : 'R');
    tn_buf_printf(&bindings, "%s%s", i > 0 ? ", " : "", tn_pr_name(p, iter->in[TN_ITER_BINDING]));
  }
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    const tn_node *var = iters->in[i]->in[TN_ITER_VAR];
    tn_buf_printf(p->out, "%s%s", i > 0 ? ", " : "", tn_pr_define(p, var, var->attr.text));
  }
  tn_buf_printf(p->out, " = T.axis.remap(\"%s\", [%s])\n", tn_buf_text(&kinds),
                tn_buf_text(&bindings));
  tn_buf_deinit(&kinds);
  tn_buf_deinit(&bindings);
}

static void print_axis(tn_printer *p, const tn_node *iter) {
  static const char *const kinds[] = {"spatial", "reduce", "scan", "opaque"};
  tn_buf head = TN_BUF_INIT;
  tn_buf *out = p->out;
  p->out = &head;
  tn_buf_printf(p->out, "T.axis.%s(", kinds[iter->attr.i64]);
  if (tn_is_int(iter->in[TN_ITER_MIN], 0)) {
    tn_pr_expr(p, iter->in[TN_ITER_EXTENT], 1);
  } else {
    tn_buf_putc(p->out, '(');
    tn_pr_expr(p, iter->in[TN_ITER_MIN], 1);
    tn_buf_puts(p->out, ", ");
    tn_pr_stop(p, iter->in[TN_ITER_MIN], iter->in[TN_ITER_EXTENT]);
    tn_buf_putc(p->out, ')');
  }
  tn_buf_puts(p->out, ", ");
  tn_pr_expr(p, iter->in[TN_ITER_BINDING], 1);
  p->out = out;
  const tn_node *var = iter->in[TN_ITER_VAR];
  tn_pr_line(p);
  tn_buf_printf(p->out, "%s = %s)\n", tn_pr_define(p, var, var->attr.text), tn_buf_text(&head));
  tn_buf_deinit(&head);
}

static void print_axes(tn_printer *p, const tn_node *iters) {
  bool is_remap = iters->n_in > 0;
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    is_remap = is_remap && is_remap_axis(p, iters->in[i]);
  }
  if (is_remap) {
    print_remap(p, iters);
    return;
  }
  for (uint32_t i = 0; i < iters->n_in; ++i) {
    print_axis(p, iters->in[i]);
  }
}

static void print_regions(tn_printer *p, const char *name, const tn_node *regions) {
  tn_pr_line(p);
  tn_buf_printf(p->out, "%s(", name);
  tn_pr_exprs(p, regions->n_in, regions->in);
  tn_buf_puts(p->out, ")\n");
}

static void print_block_body(tn_printer *p, const tn_node *n) {
  for (uint32_t i = 0; i < n->in[TN_BLOCK_ALLOCS]->n_in; ++i) {
    print_alloc_buffer(p, n->in[TN_BLOCK_ALLOCS]->in[i]);
  }
  for (uint32_t i = 0; i < n->in[TN_BLOCK_MATCHES]->n_in; ++i) {
    const tn_node *match = n->in[TN_BLOCK_MATCHES]->in[i];
    print_match(p, match->in[TN_MATCH_BUFFER], match->in[TN_MATCH_REGION]);
  }
  if (!tn_is_none(n->in[TN_BLOCK_INIT])) {
    tn_pr_line(p);
    tn_buf_puts(p->out, "with T.init():\n");
    tn_pr_suite(p, n->in[TN_BLOCK_INIT]);
  }
  tn_pr_stmt(p, n->in[TN_BLOCK_BODY]);
}

static void print_block(tn_printer *p, const tn_node *n) {
  size_t mark = tn_pr_enter(p);
  tn_pr_line(p);
  tn_buf_puts(p->out, "with T.block(");
  tn_pr_string(p, n->in[TN_BLOCK_LABEL]->attr.text);
  tn_buf_puts(p->out, "):\n");
  p->indent++;
  print_axes(p, n->in[TN_BLOCK_ITERS]);
  if (!tn_is_int(n->in[TN_BLOCK_PREDICATE], 1)) {
    tn_pr_line(p);
    tn_buf_puts(p->out, "T.where(");
    tn_pr_expr(p, n->in[TN_BLOCK_PREDICATE], 0);
    tn_buf_puts(p->out, ")\n");
  }
  print_regions(p, "T.reads", n->in[TN_BLOCK_READS]);
  print_regions(p, "T.writes", n->in[TN_BLOCK_WRITES]);
  if (!tn_is_none(n->in[TN_BLOCK_ANNOTATIONS])) {
    tn_pr_line(p);
    tn_buf_puts(p->out, "T.block_attr(");
    tn_pr_dict(p, n->in[TN_BLOCK_ANNOTATIONS]);
    tn_buf_puts(p->out, ")\n");
  }
  print_block_body(p, n);
  p->indent--;
  tn_pr_leave(p, mark);
}

/* The block that the reader makes for a function-level T.alloc_buffer; it prints as a comment. */
static bool is_implicit_root(const tn_node *n) {
  return tn_is(n, TN_OP_BLOCK) && strcmp(n->in[TN_BLOCK_LABEL]->attr.text, "root") == 0 &&
         n->in[TN_BLOCK_ITERS]->n_in == 0 && tn_is_int(n->in[TN_BLOCK_PREDICATE], 1) &&
         n->in[TN_BLOCK_READS]->n_in == 0 && n->in[TN_BLOCK_WRITES]->n_in == 0 &&
         n->in[TN_BLOCK_ALLOCS]->n_in > 0 && n->in[TN_BLOCK_MATCHES]->n_in == 0 &&
         tn_is_none(n->in[TN_BLOCK_INIT]) && tn_is_none(n->in[TN_BLOCK_ANNOTATIONS]);
}

/* ---- other statements ---- */

static void print_store(tn_printer *p, const tn_node *n) {
  const tn_node *const *indices = n->in + TN_STORE_INDICES;
  uint32_t n_indices = n->n_in - TN_STORE_INDICES;
  if (tn_is_none(n->in[TN_STORE_PREDICATE])) {
    tn_pr_access(p, n->in[TN_STORE_BUFFER], n_indices, indices);
    tn_buf_puts(p->out, " = ");
    tn_pr_expr(p, n->in[TN_STORE_VALUE], 0);
    return;
  }
  tn_buf_printf(p->out, "%s.vstore([", tn_pr_name(p, n->in[TN_STORE_BUFFER]));
  tn_pr_exprs(p, n_indices, indices);
  tn_buf_puts(p->out, "], ");
  tn_pr_expr(p, n->in[TN_STORE_VALUE], 1);
  tn_buf_puts(p->out, ", predicate=");
  tn_pr_expr(p, n->in[TN_STORE_PREDICATE], 1);
  tn_buf_putc(p->out, ')');
}

static void print_bind(tn_printer *p, const tn_node *n) {
  const tn_node *var = n->in[TN_BIND_VAR];
  char text[TN_DTYPE_TEXT_BYTES];
  tn_buf value = TN_BUF_INIT;
  tn_buf *out = p->out;
  p->out = &value;
  tn_pr_expr(p, n->in[TN_BIND_VALUE], 0);
  p->out = out;
  tn_buf_printf(p->out, "%s: T.%s = %s", tn_pr_define(p, var, var->attr.text),
                tn_dtype_print(var->dtype, text), tn_buf_text(&value));
  tn_buf_deinit(&value);
}

static void print_alloc(tn_printer *p, const tn_node *n) {
  const tn_node *var = n->in[TN_ALLOC_VAR];
  tn_buf_printf(p->out, "%s = T.allocate(", tn_pr_define(p, var, var->attr.text));
  tn_pr_expr(p, n->in[TN_ALLOC_EXTENTS], 0);
  tn_buf_puts(p->out, ", ");
  tn_pr_dtype(p, n->dtype);
  tn_buf_puts(p->out, ", ");
  tn_pr_expr(p, n->in[TN_ALLOC_SCOPE], 0);
  if (!tn_is_int(n->in[TN_ALLOC_COND], 1)) {
    tn_buf_puts(p->out, ", condition=");
    tn_pr_expr(p, n->in[TN_ALLOC_COND], 0);
  }
  if (!tn_is_none(n->in[TN_ALLOC_ANNOTATIONS])) {
    tn_buf_puts(p->out, ", annotations=");
    tn_pr_dict(p, n->in[TN_ALLOC_ANNOTATIONS]);
  }
  tn_buf_putc(p->out, ')');
}

static void print_const_alloc(tn_printer *p, const tn_node *n) {
  const tn_node *var = n->in[TN_CONST_ALLOC_VAR];
  const tn_array *array = n->in[TN_CONST_ALLOC_ARRAY]->attr.array;
  tn_buf_printf(p->out, "%s = T.allocate_const([", tn_pr_define(p, var, var->attr.text));
  for (int64_t i = 0; i < tn_array_n_elems(array); ++i) {
    tn_buf_puts(p->out, i > 0 ? ", " : "");
    tn_pr_element(p, array, i);
  }
  tn_buf_puts(p->out, "], ");
  tn_pr_dtype(p, array->dtype);
  tn_buf_puts(p->out, ", [");
  for (int32_t i = 0; i < array->ndim; ++i) {
    tn_buf_printf(p->out, "%s%lld", i > 0 ? ", " : "", (long long)array->shape[i]);
  }
  tn_buf_puts(p->out, "])");
}

static void print_if(tn_printer *p, const tn_node *n) {
  tn_pr_line(p);
  tn_buf_puts(p->out, "if ");
  tn_pr_expr(p, n->in[TN_IF_COND], 0);
  tn_buf_puts(p->out, ":\n");
  tn_pr_suite(p, n->in[TN_IF_THEN]);
  if (!tn_is_none(n->in[TN_IF_ELSE])) {
    tn_pr_line(p);
    tn_buf_puts(p->out, "else:\n");
    tn_pr_suite(p, n->in[TN_IF_ELSE]);
  }
}

static void print_with_attr(tn_printer *p, const tn_node *n) {
  tn_pr_line(p);
  tn_buf_puts(p->out, "with T.attr(");
  tn_pr_expr(p, n->in[TN_ATTR_NODE], 1);
  tn_buf_puts(p->out, ", ");
  tn_pr_string(p, n->attr.text);
  tn_buf_puts(p->out, ", ");
  tn_pr_expr(p, n->in[TN_ATTR_VALUE], 1);
  tn_buf_puts(p->out, "):\n");
  tn_pr_suite(p, n->in[TN_ATTR_BODY]);
}

static void print_launch(tn_printer *p, const tn_node *n) {
  size_t mark = tn_pr_enter(p);
  tn_pr_line(p);
  tn_buf_puts(p->out, "with T.launch_thread(");
  tn_pr_string(p, n->attr.text);
  tn_buf_puts(p->out, ", ");
  tn_pr_expr(p, n->in[TN_LAUNCH_EXTENT], 1);
  tn_buf_printf(p->out, ") as %s:\n",
                tn_pr_define(p, n->in[TN_LAUNCH_VAR], n->in[TN_LAUNCH_VAR]->attr.text));
  tn_pr_suite(p, n->in[TN_LAUNCH_BODY]);
  tn_pr_leave(p, mark);
}

static void print_line_stmt(tn_printer *p, const tn_node *n) {
  tn_pr_line(p);
  switch ((tn_op)n->op) {
    case TN_OP_STORE:
      print_store(p, n);
      break;
    case TN_OP_BIND:
      print_bind(p, n);
      break;
    case TN_OP_ALLOC:
      print_alloc(p, n);
      break;
    case TN_OP_CONST_ALLOC:
      print_const_alloc(p, n);
      break;
    case TN_OP_EVAL:
      if (tn_is(n->in[0], TN_OP_INTRIN) || tn_is(n->in[0], TN_OP_INVOKE)) {
        tn_pr_expr(p, n->in[0], 0);
      } else {
        tn_buf_puts(p->out, "T.evaluate(");
        tn_pr_expr(p, n->in[0], 0);
        tn_buf_putc(p->out, ')');
      }
      break;
    case TN_OP_ASSERT:
      tn_buf_puts(p->out, "assert ");
      tn_pr_expr(p, n->in[TN_ASSERT_COND], 1);
      tn_buf_puts(p->out, ", ");
      tn_pr_expr(p, n->in[TN_ASSERT_MESSAGE], 1);
      break;
    case TN_OP_BREAK:
    case TN_OP_CONTINUE:
      tn_buf_puts(p->out, tn_op_info_get((tn_op)n->op)->text);
      break;
    case TN_OP_RETURN:
      tn_buf_puts(p->out, tn_is_none(n->in[0]) ? "return" : "return ");
      if (!tn_is_none(n->in[0])) {
        tn_pr_expr(p, n->in[0], 0);
      }
      break;
    default:
      tn_pr_graph_expr(p, n);
  }
  tn_buf_putc(p->out, '\n');
}

void tn_pr_stmt(tn_printer *p, const tn_node *n) {
  switch ((tn_op)n->op) {
    case TN_OP_SEQ:
      for (uint32_t i = 0; i < n->n_in; ++i) {
        tn_pr_stmt(p, n->in[i]);
      }
      if (n->n_in == 0) {
        tn_pr_line(p);
        tn_buf_puts(p->out, "pass\n");
      }
      break;
    case TN_OP_FOR:
      print_for(p, n);
      break;
    case TN_OP_BLOCK:
      print_block(p, n);
      break;
    case TN_OP_IF:
      print_if(p, n);
      break;
    case TN_OP_WHILE:
      tn_pr_line(p);
      tn_buf_puts(p->out, "while ");
      tn_pr_expr(p, n->in[TN_WHILE_COND], 0);
      tn_buf_puts(p->out, ":\n");
      tn_pr_suite(p, n->in[TN_WHILE_BODY]);
      break;
    case TN_OP_ATTR:
      print_with_attr(p, n);
      break;
    case TN_OP_LAUNCH:
      print_launch(p, n);
      break;
    case TN_OP_DECL:
      print_decl(p, n);
      break;
    default:
      print_line_stmt(p, n);
  }
}

void tn_pr_suite(tn_printer *p, const tn_node *body) {
  size_t mark = tn_pr_enter(p);
  p->indent++;
  tn_pr_stmt(p, body);
  p->indent--;
  tn_pr_leave(p, mark);
}

/* ---- functions ---- */

static bool has_constant_shape(const tn_node *buffer) {
  const tn_node *shape = buffer->in[TN_BUFFER_SHAPE];
  for (uint32_t i = 0; i < shape->n_in; ++i) {
    if (!tn_is(shape->in[i], TN_OP_INT)) {
      return false;
    }
  }
  return true;
}

/* `A: T.Buffer(...)` says all there is to say about the buffer. */
static bool is_buffer_param(const tn_node *buffer) {
  return !tn_is_none(buffer) && tn_buffer_is_plain(buffer) && has_constant_shape(buffer);
}

static void print_param(tn_printer *p, const tn_node *param, const tn_node *buffer) {
  char text[TN_DTYPE_TEXT_BYTES];
  if (!is_buffer_param(buffer)) {
    bool is_same = !tn_is_none(buffer) && strcmp(param->attr.text, buffer->attr.text) == 0;
    tn_buf name = TN_BUF_INIT;
    tn_buf_printf(&name, is_same ? "%s_handle" : "%s", param->attr.text);
    tn_buf_printf(p->out, "%s: T.%s", tn_pr_define(p, param, name.data),
                  tn_dtype_print(param->dtype, text));
    tn_buf_deinit(&name);
    return;
  }
  tn_buf_printf(p->out, "%s: T.Buffer(", tn_pr_define(p, buffer, buffer->attr.text));
  print_shape(p, buffer->in[TN_BUFFER_SHAPE]);
  tn_buf_puts(p->out, ", ");
  tn_pr_dtype(p, buffer->dtype);
  tn_buf_putc(p->out, ')');
  name_data(p, buffer);
}

void tn_pr_func_attrs(tn_printer *p, char prefix, const char *name, const tn_node *attrs) {
  uint32_t n_shown = 0;
  for (uint32_t i = 0; i + 1 < attrs->n_in; i += 2) {
    bool is_symbol = strcmp(attrs->in[i]->attr.text, "global_symbol") == 0;
    if (is_symbol && tn_is(attrs->in[i + 1], TN_OP_STR) &&
        strcmp(attrs->in[i + 1]->attr.text, name) == 0) {
      continue;
    }
    if (n_shown == 0) {
      tn_pr_line(p);
    }
    if (n_shown++ == 0) {
      tn_buf_printf(p->out, "%c.func_attr({", prefix);
    } else {
      tn_buf_puts(p->out, ", ");
    }
    tn_pr_string(p, attrs->in[i]->attr.text);
    tn_buf_puts(p->out, ": ");
    tn_pr_expr(p, attrs->in[i + 1], 1);
  }
  if (n_shown > 0) {
    tn_buf_puts(p->out, "})\n");
  }
}

static void print_prim_body(tn_printer *p, const tn_node *func) {
  const tn_node *params = func->in[TN_PRIM_FUNC_PARAMS];
  for (uint32_t i = 0; i < params->n_in; ++i) {
    const tn_node *buffer = func->in[TN_PRIM_FUNC_BUFFERS]->in[i];
    if (!tn_is_none(buffer) && !is_buffer_param(buffer)) {
      print_match(p, buffer, params->in[i]);
    }
  }
  const tn_node *body = func->in[TN_PRIM_FUNC_BODY];
  if (is_implicit_root(body)) {
    tn_pr_line(p);
    tn_buf_puts(p->out, "# with T.block(\"root\"):\n");
    print_block_body(p, body);
  } else {
    tn_pr_stmt(p, body);
  }
}

static tn_visit find_invoke(const tn_node *n, void *ctx) {
  (void)ctx;
  return tn_is(n, TN_OP_INVOKE) ? TN_STOP : TN_DESCEND;
}

void tn_pr_prim_func(tn_printer *p, const char *name, const tn_node *func) {
  char text[TN_DTYPE_TEXT_BYTES];
  const tn_node *attrs = func->in[TN_PRIM_FUNC_ATTRS];
  const tn_node *params = func->in[TN_PRIM_FUNC_PARAMS];
  tn_pr_line(p);
  tn_buf_puts(p->out, tn_dict_find(attrs, "global_symbol") != NULL
                          ? "@T.prim_func\n"
                          : "@T.prim_func(private=True)\n");
  tn_pr_line(p);
  tn_buf_printf(p->out, "def %s(", name);
  for (uint32_t i = 0; i < params->n_in; ++i) {
    tn_buf_puts(p->out, i > 0 ? ", " : "");
    print_param(p, params->in[i], func->in[TN_PRIM_FUNC_BUFFERS]->in[i]);
  }
  tn_buf_putc(p->out, ')');
  if (!tn_is_none(func->in[TN_PRIM_FUNC_RET])) {
    tn_buf_printf(p->out, " -> T.%s", tn_dtype_print(func->in[TN_PRIM_FUNC_RET]->dtype, text));
  }
  tn_buf_puts(p->out, ":\n");
  p->indent++;
  tn_pr_func_attrs(p, 'T', name, attrs);
  if (!tn_walk_distinct(func->in[TN_PRIM_FUNC_BODY], find_invoke, NULL)) {
    tn_pr_line(p);
    tn_buf_printf(p->out, "cls = %s\n", p->module != NULL ? p->module->name : "Module");
  }
  print_prim_body(p, func);
  p->indent--;
}
