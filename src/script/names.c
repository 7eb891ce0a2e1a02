/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Scopes of the text: a stack of bindings with an undo list, looked up by the address of the
 * interned name, so that a file with 100,000 names costs no more a name than one with ten. Names
 * that left a dataflow block or a branch are remembered, because using them afterwards deserves a
 * better answer than "undefined". */
#include <stdarg.h>
#include <string.h>

#include "base/check.h"
#include "script/reader.h"

static uint64_t key_of(const char *name) { return (uint64_t)(uintptr_t)name; }

void tn_scopes_deinit(tn_scopes *scopes) {
  TN_VEC_DEINIT(&scopes->bindings);
  TN_VEC_DEINIT(&scopes->frames);
  tn_map_deinit(&scopes->current);
  tn_map_deinit(&scopes->memory);
  tn_map_deinit(&scopes->gone);
}

/* The BUFFER that a name stands for, or NULL. */
static const tn_node *buffer_of(tn_val val) {
  bool is_buffer = tn_val_is_node(val, TN_OP_BUFFER) || val.kind == TN_VAL_CELL;
  return is_buffer ? val.node : NULL;
}

/* Back to `index`, what was there before; 0: nothing. */
static void restore(tn_map *map, uint64_t key, uint32_t index) {
  if (index == 0) {
    tn_map_remove(map, key);
  } else {
    tn_map_set(map, key, index);
  }
}

void tn_scopes_push(tn_scopes *scopes, tn_frame_kind kind) {
  TN_VEC_PUSH(&scopes->frames, (tn_frame){.base = scopes->bindings.len, .kind = kind});
}

void tn_scopes_pop(tn_scopes *scopes) {
  tn_frame frame = TN_VEC_POP(&scopes->frames);
  while (scopes->bindings.len > frame.base) {
    tn_binding binding = TN_VEC_POP(&scopes->bindings);
    const tn_node *buffer = buffer_of(binding.val);
    restore(&scopes->current, key_of(binding.name), binding.outer);
    if (buffer != NULL) {
      restore(&scopes->memory, buffer->in[TN_BUFFER_DATA]->id, binding.same_memory);
    }
    if (frame.kind == TN_FRAME_DATAFLOW || frame.kind == TN_FRAME_BRANCH) {
      tn_map_set(&scopes->gone, key_of(binding.name), (uint64_t)frame.kind);
    }
  }
  if (frame.kind == TN_FRAME_FUNCTION) {
    tn_map_clear(&scopes->gone);
  }
}

const tn_binding *tn_scopes_find(const tn_scopes *scopes, const char *name) {
  uint64_t index = 0;
  (void)tn_map_find(&scopes->current, key_of(name), &index);
  while (index > scopes->hidden_from && index <= scopes->hidden_to) {
    index = scopes->bindings.data[index - 1].outer;
  }
  return index == 0 ? NULL : &scopes->bindings.data[index - 1];
}

bool tn_scopes_is_local(const tn_scopes *scopes, const char *name) {
  const tn_binding *binding = tn_scopes_find(scopes, name);
  return binding != NULL && binding->frame == (uint32_t)scopes->frames.len;
}

void tn_scopes_set(tn_scopes *scopes, const char *name, tn_val val) {
  uint64_t index = 0;
  (void)tn_map_find(&scopes->current, key_of(name), &index);
  tn_binding binding = {
      .name = name, .outer = (uint32_t)index, .frame = (uint32_t)scopes->frames.len, .val = val};
  const tn_node *buffer = buffer_of(val);
  if (buffer != NULL) {
    uint64_t before = 0;
    uint32_t data = buffer->in[TN_BUFFER_DATA]->id;
    (void)tn_map_find(&scopes->memory, data, &before);
    binding.same_memory = (uint32_t)before;
    tn_map_set(&scopes->memory, data, scopes->bindings.len + 1);
  }
  TN_VEC_PUSH(&scopes->bindings, binding);
  tn_map_set(&scopes->current, key_of(name), scopes->bindings.len);
}

const tn_node *tn_scopes_buffer(const tn_scopes *scopes, const tn_node *data) {
  uint64_t index = 0;
  return tn_map_find(&scopes->memory, data->id, &index) ? scopes->bindings.data[index - 1].val.node
                                                        : NULL;
}

/* ---- problems ---- */

tn_val tn_read_fail(tn_reader *r, const tn_ast *ast, const char *id, const char *hint,
                    const char *fmt, ...) {
  tn_buf text = TN_BUF_INIT;
  va_list args;
  va_start(args, fmt);
  tn_buf_vprintf(&text, fmt, args);
  va_end(args);
  tn_note_macros(r, &text);
  tn_diags_add(r->diags, id, tn_ast_pos(ast, r->source), hint, "%s", tn_buf_text(&text));
  tn_buf_deinit(&text);
  return tn_val_error();
}

bool tn_read_ok(tn_reader *r, const tn_ast *ast, const char *id, tn_status st) {
  if (st == NULL) {
    return true;
  }
  bool is_unsupported = tn_status_code(st) == TN_UNSUPPORTED;
  tn_read_fail(r, ast, is_unsupported ? "unsupported" : id, NULL, "%s", tn_status_message(st));
  tn_status_free(st);
  return false;
}

char *tn_near_of(const char *name, const char *const *candidates, size_t n) {
  const char *near = tn_near_name(name, candidates, n);
  if (near == NULL) {
    return NULL;
  }
  tn_buf text = TN_BUF_INIT;
  tn_buf_printf(&text, "did you mean '%s'?", near);
  return tn_buf_take(&text);
}

char *tn_near_visible(tn_reader *r, const char *name) {
  if (r->diags->n >= TN_MAX_DIAGS) {
    return NULL; /* nobody will read it */
  }
  TN_VEC(const char *) names = {0};
  for (size_t i = 0; i < r->scopes.bindings.len; ++i) {
    bool is_hidden = i >= r->scopes.hidden_from && i < r->scopes.hidden_to;
    if (!is_hidden && !tn_val_is_error(r->scopes.bindings.data[i].val)) {
      TN_VEC_PUSH(&names, r->scopes.bindings.data[i].name);
    }
  }
  char *hint = tn_near_of(name, names.data, names.len);
  TN_VEC_DEINIT(&names);
  return hint;
}

char *tn_near_key(const tn_strmap *map, const char *name) {
  TN_VEC(const char *) names = {0};
  for (size_t i = 0; i < map->len; ++i) {
    TN_VEC_PUSH(&names, map->keys[i]);
  }
  char *hint = tn_near_of(name, names.data, names.len);
  TN_VEC_DEINIT(&names);
  return hint;
}

void tn_define(tn_reader *r, const tn_ast *name, tn_val val) {
  TN_ASSERT(name->kind == TN_AST_NAME || name->kind == TN_AST_PARAM || name->kind == TN_AST_DEF,
            "a name");
  bool is_taken = tn_scopes_is_local(&r->scopes, name->text) &&
                  !tn_val_is_error(tn_scopes_find(&r->scopes, name->text)->val);
  if (!r->is_graph && is_taken && strcmp(name->text, "_") != 0) {
    tn_read_fail(r, name, "name-reused", NULL,
                 "'%s' is defined already in this block; a value cannot be changed: use another "
                 "name, or a buffer for "
                 "what changes",
                 name->text);
    return;
  }
  if (val.kind == TN_VAL_NODE && (tn_is(val.node, TN_OP_VAR) || tn_is(val.node, TN_OP_BUFFER))) {
    tn_mark(r, val.node, name);
  }
  tn_scopes_set(&r->scopes, name->text, val);
}
