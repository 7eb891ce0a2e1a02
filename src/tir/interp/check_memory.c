/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Shadows of memory. An argument's shadow is found by its address, so that one array given twice,
 * or a part of memory of the graph level, has one. A cell stands for `grain` half bytes, two of
 * which make a byte because elements of 4 bits exist; a view of smaller elements makes the cells
 * smaller. */
#include <stdlib.h>
#include <string.h>

#include "tir/interp/check_priv.h"

/* Of cells in all: 2 GiB, 64 million elements. */
static const size_t max_bytes = (size_t)1 << 31;

static tn_status no_room(const tn_shadow *s) {
  return TN_ERR(TN_NO_MEMORY,
                "a checked run keeps 32 bytes for each element: more than 2 GiB with those of an "
                "array of %zu bytes",
                s->n_bytes);
}

static void free_cells(tn_tir_checker *check, tn_shadow *s) {
  check->n_shadow_bytes -= s->n_cells * sizeof *s->cells;
  free(s->cells);
  s->cells = NULL;
  s->n_cells = 0;
}

static tn_status make_cells(tn_tir_checker *check, tn_shadow *s, size_t grain) {
  size_t n = (2 * s->n_bytes + grain - 1) / grain;
  size_t n_bytes = 0;
  if (!tn_mul_size(n, sizeof *s->cells, &n_bytes) || n_bytes > max_bytes - check->n_shadow_bytes) {
    return no_room(s);
  }
  s->cells = calloc(n == 0 ? 1 : n, sizeof *s->cells);
  if (s->cells == NULL) {
    return no_room(s);
  }
  s->grain = grain;
  s->n_cells = n;
  check->n_shadow_bytes += n_bytes;
  for (size_t i = 0; s->is_written && i < n; ++i) {
    s->cells[i].w_stamp = 1;
  }
  return NULL;
}

static tn_shadow *new_shadow(tn_tir_checker *check, const void *data, size_t n_bytes) {
  tn_shadow *s = calloc(1, sizeof *s);
  TN_CHECK(s != NULL, "no memory for a shadow");
  s->data = data;
  s->n_bytes = n_bytes;
  TN_VEC_PUSH(&check->shadows, s);
  return s;
}

/* The shadow of memory that holds all of these bytes. */
static tn_shadow *find_shadow(const tn_tir_checker *check, const char *data, size_t n_bytes) {
  for (size_t i = check->shadows.len; i-- > 0;) {
    tn_shadow *s = check->shadows.data[i];
    if (data >= s->data && data + n_bytes <= s->data + s->n_bytes) {
      return s;
    }
  }
  return NULL;
}

static void drop_shadow(tn_tir_checker *check, tn_shadow *s) {
  for (size_t i = 0; i < check->shadows.len; ++i) {
    if (check->shadows.data[i] == s) {
      check->shadows.data[i] = TN_VEC_POP(&check->shadows);
      break;
    }
  }
  free_cells(check, s);
  TN_VEC_DEINIT(&s->loops);
  free(s);
}

static size_t gcd(size_t a, size_t b) {
  while (b != 0) {
    size_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* Cells of at most `grain`, which divides or is divided by what there is after all. */
static tn_status refine(tn_tir_checker *check, tn_shadow *s, size_t grain) {
  if (s->cells == NULL) {
    return make_cells(check, s, grain);
  }
  size_t finer = gcd(s->grain, grain);
  if (finer == s->grain) {
    return NULL;
  }
  tn_shadow old = *s;
  size_t times = old.grain / finer;
  check->n_shadow_bytes -= old.n_cells * sizeof *old.cells;
  tn_status st = make_cells(check, s, finer);
  if (st != NULL) {
    *s = old;
    check->n_shadow_bytes += old.n_cells * sizeof *old.cells;
    return st;
  }
  for (size_t i = 0; i < s->n_cells; ++i) {
    s->cells[i] = old.cells[i / times];
  }
  free(old.cells);
  return NULL;
}

tn_status tn_check_refine(tn_ivm *vm, uint32_t mem, uint64_t at, size_t n_halves) {
  tn_imem *m = &vm->mems[mem];
  if (m->shadow == NULL) {
    return NULL;
  }
  return refine(vm->check, m->shadow, gcd(n_halves, 2 * m->shadow_at + (size_t)at));
}

/* ---- a function's memory ---- */

tn_status tn_check_begin(tn_ivm *vm) {
  tn_tir_checker *check = vm->check;
  ++check->n_runs;
  vm->n_outer_forks = check->n_forks;
  vm->n_outer_nodes = check->n_nodes;
  while (check->forks.len < check->n_forks + (size_t)vm->prog->n_forks) {
    TN_VEC_PUSH(&check->forks, (tn_check_fork){0});
  }
  while (check->nodes.len < check->n_nodes + (size_t)vm->prog->n_nodes) {
    TN_VEC_PUSH(&check->nodes, (tn_check_node){0});
  }
  for (int32_t i = 0; i < vm->n_args; ++i) {
    tn_imem *m = &vm->mems[i];
    if (m->is_foreign) {
      continue;
    }
    m->shadow = find_shadow(check, m->data, m->n_bytes);
    if (m->shadow == NULL) {
      m->shadow = new_shadow(check, m->data, m->n_bytes);
      m->shadow->is_written = true;
    }
    m->shadow_at = (size_t)(m->data - m->shadow->data);
    size_t elem_bytes = tn_dtype_bytes(tn_dtype_elem(vm->args[i].array->dtype));
    TN_TRY(tn_check_refine(vm, (uint32_t)i, 0, 2 * elem_bytes));
  }
  return NULL;
}

/* Between calls of the graph level only what was written is of interest. */
static void settle(tn_tir_checker *check, tn_shadow *s) {
  size_t n_written = 0;
  for (size_t i = 0; i < s->n_cells; ++i) {
    bool is_written = s->cells[i].w_stamp != 0;
    s->cells[i] = (tn_cell){.w_stamp = is_written};
    n_written += is_written;
  }
  if (s->cells != NULL && (n_written == 0 || n_written == s->n_cells)) {
    s->is_written = n_written != 0;
    free_cells(check, s);
  }
}

void tn_check_end(tn_ivm *vm) {
  tn_tir_checker *check = vm->check;
  check->n_forks = vm->n_outer_forks;
  check->n_nodes = vm->n_outer_nodes;
  for (size_t i = (size_t)vm->n_args; vm->mems != NULL && i < vm->prog->mems.len; ++i) {
    if (vm->mems[i].shadow != NULL) { /* of what this function allocated */
      drop_shadow(check, vm->mems[i].shadow);
    }
  }
  if (--check->n_runs > 0) {
    return;
  }
  for (size_t i = check->shadows.len; i-- > 0;) {
    tn_shadow *s = check->shadows.data[i];
    if (s->is_kept) {
      settle(check, s);
    } else {
      drop_shadow(check, s);
    }
  }
  check->scopes.len = 1;
}

tn_status tn_check_alloc(tn_ivm *vm, uint32_t mem, size_t elem_bytes, bool is_scratch) {
  tn_imem *m = &vm->mems[mem];
  tn_shadow *s = m->shadow;
  if (s == NULL) {
    s = new_shadow(vm->check, m->data, m->n_bytes);
    m->shadow = s;
  }
  s->is_scratch = is_scratch;
  s->is_used = false;
  s->n_shared = 0;
  if (s->cells != NULL && s->n_bytes == m->n_bytes && s->grain <= 2 * elem_bytes) {
    memset(s->cells, 0, s->n_cells * sizeof *s->cells);
    s->data = m->data;
    return NULL;
  }
  free_cells(vm->check, s);
  s->data = m->data;
  s->n_bytes = m->n_bytes;
  return make_cells(vm->check, s, 2 * (elem_bytes == 0 ? 1 : elem_bytes));
}

void tn_check_wrote_all(tn_ivm *vm, uint32_t mem) {
  const tn_imem *m = &vm->mems[mem];
  if (m->shadow != NULL) {
    tn_tir_checker_wrote(vm->check, m->data, m->n_bytes);
  }
}

/* ---- the graph level's memory ---- */

void tn_tir_checker_fresh(tn_tir_checker *check, const void *data, size_t n_bytes) {
  new_shadow(check, data, n_bytes)->is_kept = true;
}

void tn_tir_checker_forget(tn_tir_checker *check, const void *data) {
  for (size_t i = 0; i < check->shadows.len; ++i) {
    if ((const void *)check->shadows.data[i]->data == data) {
      drop_shadow(check, check->shadows.data[i]);
      return;
    }
  }
}

void tn_tir_checker_wrote(tn_tir_checker *check, const void *data, size_t n_bytes) {
  tn_shadow *s = find_shadow(check, data, n_bytes);
  if (s == NULL || (s->cells == NULL && s->is_written)) {
    return;
  }
  size_t first = (size_t)((const char *)data - s->data);
  if (s->cells == NULL && first == 0 && n_bytes == s->n_bytes) {
    s->is_written = true;
    return;
  }
  tn_status st = refine(check, s, gcd(2 * first, 2 * n_bytes));
  if (st != NULL) { /* no room to tell parts apart: nothing is claimed about it */
    tn_status_free(st);
    free_cells(check, s);
    s->is_written = true;
    return;
  }
  for (size_t i = 2 * first / s->grain; i * s->grain < 2 * (first + n_bytes); ++i) {
    s->cells[i].w_stamp = s->cells[i].w_stamp == 0 ? 1 : s->cells[i].w_stamp;
  }
}

bool tn_tir_checker_is_written(const tn_tir_checker *check, const void *data, size_t n_bytes) {
  const tn_shadow *s = find_shadow(check, data, n_bytes);
  if (s == NULL || n_bytes == 0) {
    return true;
  }
  if (s->cells == NULL) {
    return s->is_written;
  }
  size_t first = (size_t)((const char *)data - s->data);
  for (size_t i = 2 * first / s->grain; i * s->grain < 2 * (first + n_bytes); ++i) {
    if (s->cells[i].w_stamp == 0) {
      return false;
    }
  }
  return true;
}
