/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The checker of a run: what it found, each place once with a count, and the text of a finding:
 * what happened, and the loops' variables and the block's axes at that moment. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tir/interp/check_priv.h"

/* A run whose findings repeat without end (what is read outside may be a loop's condition)
 * stops. */
enum { MAX_REPORTS = 1000000 };

tn_tir_checker *tn_tir_checker_new(const tn_ir *ir) {
  tn_tir_checker *check = calloc(1, sizeof *check);
  TN_CHECK(check != NULL, "no memory for a checker");
  check->ir = ir;
  check->clock = 1; /* what was written before the run */
  TN_VEC_PUSH(&check->scopes, (tn_check_scope){{0, 0}, 0});
  return check;
}

void tn_tir_checker_free(tn_tir_checker *check) {
  if (check == NULL) {
    return;
  }
  for (int32_t i = 0; i < check->n_findings; ++i) {
    free(check->findings[i].message);
  }
  for (size_t i = 0; i < check->shadows.len; ++i) {
    free(check->shadows.data[i]->cells);
    TN_VEC_DEINIT(&check->shadows.data[i]->loops);
    free(check->shadows.data[i]);
  }
  TN_VEC_DEINIT(&check->shadows);
  TN_VEC_DEINIT(&check->scopes);
  TN_VEC_DEINIT(&check->forks);
  TN_VEC_DEINIT(&check->nodes);
  free(check);
}

/* ---- where it happened ---- */

const tn_iwhere *tn_check_where(const tn_ivm *vm, const tn_ins *in) {
  int32_t at = vm->prog->where_at.data[in - vm->prog->code.data];
  return at < 0 ? NULL : &vm->prog->wheres.data[at];
}

static const char *var_name(const tn_iwhere *where, int32_t i) {
  if (where->block >= 0) {
    return where->node->in[TN_BLOCK_ITERS]->in[i]->in[TN_ITER_VAR]->attr.text;
  }
  return where->node->in[0]->attr.text; /* FOR, LAUNCH and ATTR alike */
}

static void print_vars(const tn_ivm *vm, const tn_iwhere *where, tn_buf *out) {
  for (int32_t i = 0; i < where->n_vars; ++i) {
    int64_t value = vm->slots[vm->prog->lists.data[where->vars + i]].i;
    tn_buf_printf(out, "%s%s=%" PRId64, i > 0 ? ", " : "", var_name(where, i), value);
  }
}

/* "i=3, j=2": loops, the outermost first. */
static void print_loops(const tn_ivm *vm, const tn_iwhere *where, bool *is_first, tn_buf *out) {
  if (where->outer >= 0) {
    print_loops(vm, &vm->prog->wheres.data[where->outer], is_first, out);
  }
  if (where->block < 0) {
    tn_buf_puts(out, *is_first ? "; " : ", ");
    print_vars(vm, where, out);
    *is_first = false;
  }
}

/* "; block 'B' (vi=3); i=3" */
static void print_where(const tn_ivm *vm, const tn_ins *in, tn_buf *out) {
  const tn_iwhere *where = tn_check_where(vm, in);
  const tn_iwhere *block = where;
  bool is_first = true;
  while (block != NULL && (block->block < 0 || block->n_vars == 0)) {
    block = block->outer < 0 ? NULL : &vm->prog->wheres.data[block->outer];
  }
  if (block != NULL) {
    tn_buf_printf(out, "; block '%s' (", block->node->in[TN_BLOCK_LABEL]->attr.text);
    print_vars(vm, block, out);
    tn_buf_putc(out, ')');
  }
  if (where != NULL) {
    print_loops(vm, where, &is_first, out);
  }
}

/* ---- findings ---- */

static tn_status enough(tn_tir_checker *check) {
  check->is_over = true;
  return TN_ERR(TN_CANCELLED, "a checked run stops here: it has found enough");
}

static tn_finding *find(tn_tir_checker *check, const char *id, const tn_node *place,
                        const tn_node *about) {
  for (int32_t i = 0; i < check->n_findings; ++i) {
    tn_finding *f = &check->findings[i];
    if (f->place == place && f->about == about && strcmp(f->id, id) == 0) {
      return f;
    }
  }
  return NULL;
}

static void add(tn_tir_checker *check, const tn_finding *finding) {
  check->findings[check->n_findings] = *finding;
  check->findings[check->n_findings++].count = 1;
}

tn_status tn_check_report(const tn_ivm *vm, const tn_ins *in, const char *id, const tn_node *about,
                          const char *fmt, ...) {
  tn_tir_checker *check = vm->check;
  const tn_node *place = vm->prog->places.data[in - vm->prog->code.data];
  tn_finding *known = find(check, id, place, about);
  if (check->is_over || ++check->n_reports > MAX_REPORTS) {
    return enough(check);
  }
  if (known != NULL) {
    ++known->count;
    return NULL;
  }
  tn_buf text = TN_BUF_INIT;
  tn_buf_printf(&text, "%s: ", vm->prog->func->attr.text);
  va_list args;
  va_start(args, fmt);
  tn_buf_vprintf(&text, fmt, args);
  va_end(args);
  print_where(vm, in, &text);
  tn_pos pos = tn_ir_pos(vm->prog->ir, place);
  if (pos.source == 0) {
    pos = tn_ir_pos(vm->prog->ir, vm->prog->func);
  }
  add(check, &(tn_finding){id, place, about, pos, tn_buf_take(&text), 1});
  return check->n_findings == TN_MAX_DIAGS ? enough(check) : NULL;
}

void tn_tir_checker_add(tn_tir_checker *check, const char *id, const tn_node *place,
                        const char *fmt, ...) {
  tn_finding *known = find(check, id, place, NULL);
  if (known != NULL) {
    ++known->count;
  }
  if (known != NULL || check->n_findings == TN_MAX_DIAGS) {
    return;
  }
  tn_buf text = TN_BUF_INIT;
  va_list args;
  va_start(args, fmt);
  tn_buf_vprintf(&text, fmt, args);
  va_end(args);
  add(check, &(tn_finding){id, place, NULL, tn_ir_pos(check->ir, place), tn_buf_take(&text), 1});
}

tn_status tn_tir_checker_finish(tn_tir_checker *check, tn_status st) {
  tn_diags diags = {0};
  if (check->n_findings == 0) {
    return st;
  }
  for (int32_t i = 0; i < check->n_findings; ++i) {
    const tn_finding *f = &check->findings[i];
    if (f->count > 1) {
      tn_diags_add(&diags, f->id, f->pos, NULL, "%s; %" PRIu64 " times in all", f->message,
                   f->count);
    } else {
      tn_diags_add(&diags, f->id, f->pos, NULL, "%s", f->message);
    }
  }
  tn_status found = tn_diags_to_status(&diags, check->ir);
  if (st != NULL && !check->is_over) {
    tn_status both = TN_ERR(TN_INVALID, "%s\n%s", tn_status_message(found), tn_status_message(st));
    tn_status_free(found);
    found = both;
  } else if (check->is_over) {
    tn_status both =
        TN_ERR(TN_INVALID, "%s\nthe run stopped here: more may be wrong", tn_status_message(found));
    tn_status_free(found);
    found = both;
  }
  tn_status_free(st);
  return found;
}
