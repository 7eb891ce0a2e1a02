/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What the instructions of a checked program do: loops and blocks say where the run stands, each
 * access is compared with its buffer, the regions of the blocks around it and the cells of its
 * memory. */
#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "tir/interp/check_priv.h"

enum { MAX_SCOPES = 1 << 26 };
static const uint32_t many = UINT32_MAX; /* the key of a read by several instances of a scope */

typedef struct access {
  const tn_ins *in;
  const tn_ibuf *buf;
  const tn_node *buffer;
  bool is_store;
  uint32_t n_halves; /* half bytes of the lane */
  tn_shadow *shadow;
  uint64_t at; /* half bytes from the start of the memory */
  int64_t index[TN_MAX_NDIM];
} access;

/* ---- where the run stands ---- */

static tn_status tick(tn_tir_checker *check) {
  if (check->clock == UINT32_MAX) {
    return TN_ERR(TN_UNSUPPORTED, "a checked run of more than %u turns of parallel loops",
                  UINT32_MAX);
  }
  ++check->clock;
  return NULL;
}

static tn_status begin_loop(tn_ivm *vm, const tn_ins *in) {
  tn_tir_checker *check = vm->check;
  vm->slots[in->d].u = ++check->n_marks;
  if (in->a > 0) {
    TN_TRY(tick(check));
    tn_check_fork *fork = &check->forks.data[vm->n_outer_forks + (uint32_t)in->a - 1];
    *fork = (tn_check_fork){.start = check->clock,
                            .turn = check->clock,
                            .is_lanes = in->b != 0,
                            .is_parallel = in->c != 0,
                            .mark = in};
  }
  return NULL;
}

static tn_status begin_turn(tn_ivm *vm, const tn_ins *in) {
  TN_TRY(tick(vm->check));
  vm->check->forks.data[vm->n_outer_forks + (uint32_t)in->a].turn = vm->check->clock;
  return NULL;
}

static uint64_t hash_slots(const tn_ivm *vm, uint64_t seed, const int32_t *slots, int32_t n) {
  for (int32_t i = 0; i < n; ++i) {
    seed = tn_hash_mix(seed, vm->slots[slots[i]].u);
  }
  return seed;
}

static uint64_t node_bits(tn_check_node node) { return (uint64_t)node.scope << 32 | node.key; }

static tn_status begin_instance(tn_ivm *vm, const tn_ins *in) {
  tn_tir_checker *check = vm->check;
  const tn_iblock *block = &vm->prog->blocks.data[in->a];
  tn_ivm_block *now = &vm->blocks[in->a];
  const int32_t *axes = &vm->prog->lists.data[block->axes];
  uint32_t level = vm->n_outer_nodes + (uint32_t)in->b;
  tn_check_node outer = level == 0 ? (tn_check_node){0, 0} : check->nodes.data[level - 1];
  uint64_t mark = vm->slots[block->mark].u;
  uint64_t order = hash_slots(vm, node_bits(outer), axes + block->n_spatial, block->n_ordered);
  if (now->scope == 0 || now->mark != mark || now->order != order) {
    if (check->scopes.len == MAX_SCOPES) {
      return TN_ERR(TN_NO_MEMORY, "a checked run of more than %d runs of loops around blocks",
                    (int)MAX_SCOPES);
    }
    uint32_t depth = check->scopes.data[outer.scope].depth + 1;
    TN_VEC_PUSH(&check->scopes, (tn_check_scope){outer, depth});
    *now = (tn_ivm_block){mark, order, (uint32_t)check->scopes.len - 1};
  }
  uint32_t key = (uint32_t)(hash_slots(vm, 1, axes, block->n_spatial) >> 32);
  check->nodes.data[level] = (tn_check_node){now->scope, key == many ? 0 : key};
  return NULL;
}

/* ---- bounds ---- */

static int64_t index_at(const tn_ivm *vm, const tn_ins *in, uint32_t n_dims, uint32_t k) {
  int32_t slot = n_dims > 2 ? vm->lists[in->b + (int32_t)k] : k == 0 ? in->b : in->c;
  return vm->slots[slot].i;
}

/* "A[3, 4]"; the lane of a vector element is not shown. */
static const char *element(const access *a, tn_buf *out) {
  uint32_t ndim = tn_buffer_ndim(a->buffer);
  tn_buf_printf(out, "%s[", a->buffer->attr.text);
  for (uint32_t k = 0; k < ndim; ++k) {
    tn_buf_printf(out, "%s%" PRId64, k > 0 ? ", " : "", a->index[k]);
  }
  tn_buf_putc(out, ']');
  return tn_buf_text(out);
}

/* False: a finding, and nothing can be accessed. */
static tn_status check_bounds(tn_ivm *vm, access *a, bool *out_ok) {
  const tn_ibuf *buf = a->buf;
  const char *name = a->buffer->attr.text;
  const char *verb = a->is_store ? "written" : "read";
  uint64_t at = (uint64_t)buf->offset;
  *out_ok = false;
  uint32_t n_dims = buf->ndim + (tn_dtype_lanes(a->buffer->dtype) > 1 ? 1 : 0);
  for (uint32_t k = 0; k < n_dims; ++k) {
    int64_t index = index_at(vm, a->in, n_dims, k);
    if ((uint64_t)index >= (uint64_t)buf->dims[k].extent) {
      return tn_check_report(vm, a->in, "index-out-of-bounds", a->buffer,
                             "index %" PRId64 " of dimension %u of buffer '%s', which is %s, is "
                             "outside [0, %" PRId64 ")",
                             index, k, name, verb, buf->dims[k].extent);
    }
    a->index[k] = index;
    at += (uint64_t)index * (uint64_t)buf->dims[k].stride;
  }
  if (at >= buf->n_ok) {
    tn_buf text = TN_BUF_INIT;
    tn_status st = tn_check_report(vm, a->in, "outside-memory", a->buffer,
                                   "%s, which is %s, lies outside the memory behind the buffer",
                                   element(a, &text), verb);
    tn_buf_deinit(&text);
    return st;
  }
  if (a->is_store && buf->is_const) {
    return tn_check_report(vm, a->in, "store-to-constant", a->buffer,
                           "buffer '%s' is constant and cannot be stored to", name);
  }
  a->at = tn_dtype_is_packed(a->buffer->dtype) ? at : 2 * at;
  *out_ok = true;
  return NULL;
}

/* ---- regions ---- */

static bool is_inside(const tn_ivm *vm, const tn_iregion *r, uint32_t k, int64_t index) {
  uint32_t ndim = tn_buffer_ndim(vm->prog->buffers.data[r->buffer]);
  int64_t min = vm->slots[vm->prog->lists.data[r->ranges + (int32_t)k]].i;
  int64_t extent = vm->slots[vm->prog->lists.data[r->ranges + (int32_t)(ndim + k)]].i;
  return index >= min && index - min < extent;
}

/* The element of the region's buffer at that place of memory; where strides do not tell which that
 * is, nothing is claimed. */
static bool holds_place(const tn_ivm *vm, const tn_iregion *r, const access *a) {
  const tn_ibuf *buf = &vm->bufs[r->buffer];
  const tn_node *node = vm->prog->buffers.data[r->buffer];
  int64_t unit = tn_dtype_is_packed(node->dtype) ? 1 : 2;
  int64_t rest = (int64_t)a->at - buf->offset * unit;
  int64_t last = INT64_MAX;
  for (uint32_t k = 0; k < tn_buffer_ndim(node); ++k) {
    int64_t stride = buf->dims[k].stride * unit;
    if (buf->dims[k].extent == 1) {
      if (!is_inside(vm, r, k, 0)) {
        return false;
      }
      continue;
    }
    if (stride <= 0 || stride > last) {
      return true;
    }
    if (rest < 0 || rest / stride >= buf->dims[k].extent || !is_inside(vm, r, k, rest / stride)) {
      return false;
    }
    rest %= stride;
    last = stride;
  }
  return true;
}

static bool holds(const tn_ivm *vm, const tn_iregion *r, const access *a) {
  if (r->ranges < 0) {
    return true;
  }
  if (r->buffer != a->in->a) {
    return holds_place(vm, r, a);
  }
  for (uint32_t k = 0; k < tn_buffer_ndim(a->buffer); ++k) {
    if (!is_inside(vm, r, k, a->index[k])) {
      return false;
    }
  }
  return true;
}

typedef enum cover { COVERED, COVERED_AS_UPDATE, NOT_COVERED, NOT_NAMED } cover;

/* A block with an init reads what it updates, which goes without saying. */
static cover covers(const tn_ivm *vm, const tn_iblock *block, const access *a) {
  bool has_init = !tn_is_none(block->node->in[TN_BLOCK_INIT]);
  cover best = NOT_NAMED;
  for (int32_t i = 0; i < block->n_regions; ++i) {
    const tn_iregion *r = &vm->prog->regions.data[block->first_region + i];
    bool is_update = !a->is_store && has_init && r->is_write;
    if (vm->bufs[r->buffer].mem != a->buf->mem || (r->is_write != a->is_store && !is_update)) {
      continue;
    }
    if (!holds(vm, r, a)) {
      best = best == NOT_NAMED ? NOT_COVERED : best;
    } else if (!is_update) {
      return COVERED;
    } else {
      best = COVERED_AS_UPDATE;
    }
  }
  return best;
}

static tn_status check_regions(tn_ivm *vm, const access *a) {
  const tn_iwhere *where = tn_check_where(vm, a->in);
  for (; where != NULL; where = where->outer < 0 ? NULL : &vm->prog->wheres.data[where->outer]) {
    const tn_iblock *block = where->block < 0 ? NULL : &vm->prog->blocks.data[where->block];
    if (block == NULL || block->n_regions < 0 || (int32_t)a->buf->mem >= block->first_mem) {
      continue;
    }
    cover c = covers(vm, block, a);
    if (c == COVERED_AS_UPDATE) {
      return NULL;
    }
    if (c != COVERED) {
      tn_buf text = TN_BUF_INIT;
      tn_status st = tn_check_report(
          vm, a->in, "undeclared-access", a->buffer, "block '%s' %s %s, which its %s not declare%s",
          block->node->in[TN_BLOCK_LABEL]->attr.text, a->is_store ? "writes" : "reads",
          element(a, &text), a->is_store ? "T.writes does" : "T.reads does",
          c == NOT_NAMED ? "" : ": it names other elements");
      tn_buf_deinit(&text);
      return st;
    }
  }
  return NULL;
}

/* ---- cells ---- */

typedef enum clash { NO_CLASH, CLASH_OF_TURNS, CLASH_OF_INSTANCES } clash;

typedef struct standing {
  uint32_t n_forks;
  tn_check_node node;
} standing;

static standing stand(const tn_ivm *vm, const tn_ins *in) {
  const tn_iwhere *where = tn_check_where(vm, in);
  uint32_t n_nodes = vm->n_outer_nodes + (where == NULL ? 0 : (uint32_t)where->n_nodes);
  standing s = {.n_forks = vm->n_outer_forks + (where == NULL ? 0 : (uint32_t)where->n_forks)};
  if (n_nodes > 0) {
    s.node = vm->check->nodes.data[n_nodes - 1];
  }
  return s;
}

/* The outermost fork of which an earlier turn did what has that stamp; -1: none. */
static int32_t fork_between(const tn_tir_checker *check, uint32_t n_forks, uint32_t stamp,
                            bool ignores_lanes) {
  for (uint32_t i = 0; i < n_forks; ++i) {
    const tn_check_fork *f = &check->forks.data[i];
    if (f->start <= stamp && stamp < f->turn && !(ignores_lanes && f->is_lanes)) {
      return (int32_t)i;
    }
  }
  return -1;
}

/* The scope of which a and b are in different instances; 0: none. */
static uint32_t split(const tn_tir_checker *check, tn_check_node a, tn_check_node b) {
  const tn_check_scope *scopes = check->scopes.data;
  while (a.scope != b.scope) {
    if (scopes[a.scope].depth > scopes[b.scope].depth) {
      a = scopes[a.scope].outer;
    } else if (scopes[a.scope].depth < scopes[b.scope].depth) {
      b = scopes[b.scope].outer;
    } else {
      a = scopes[a.scope].outer;
      b = scopes[b.scope].outer;
    }
  }
  return a.key != b.key ? a.scope : 0;
}

/* Equal values of two lanes may meet. */
static bool is_same_value(const tn_ivm *vm, const access *a) {
  uint64_t bits = tn_ivm_lane_bits(tn_dtype_elem(a->buffer->dtype), vm->slots[a->in->d]);
  if (a->n_halves < 2) {
    return ((bits ^ ((uint64_t)(uint8_t)a->buf->data[a->at / 2] >> (4 * (a->at & 1)))) & 15) == 0;
  }
  return memcmp(&bits, a->buf->data + a->at / 2, a->n_halves / 2) == 0;
}

static const char *loop_kind(const tn_node *loop) {
  bool is_for = tn_is(loop, TN_OP_FOR);
  return is_for && loop->attr.i64 == TN_FOR_PARALLEL     ? "parallel loop"
         : is_for && loop->attr.i64 == TN_FOR_VECTORIZED ? "vectorized loop"
                                                         : "loop over threads";
}

static void print_line(uint32_t line, tn_buf *out) {
  if (line != 0) {
    tn_buf_printf(out, " (line %u)", line);
  }
}

static tn_status report_turns(tn_ivm *vm, const access *a, int32_t fork, bool did_write,
                              uint32_t line) {
  const tn_iwhere *where = tn_check_where(vm, a->in);
  const tn_iwhere *loop = NULL;
  for (; where != NULL; where = where->outer < 0 ? NULL : &vm->prog->wheres.data[where->outer]) {
    if (where->block < 0 && where->n_forks + (int32_t)vm->n_outer_forks == fork + 1) {
      loop = where; /* the outermost with so many is the fork itself */
    }
  }
  tn_buf text = TN_BUF_INIT;
  tn_buf_printf(&text, "a turn of the %s%s%s", loop == NULL ? "loop around the call" : "",
                loop == NULL ? "" : loop_kind(loop->node), loop == NULL ? "" : " over '");
  if (loop != NULL) {
    tn_buf_printf(&text, "%s'", loop->node->in[0]->attr.text);
  }
  tn_buf_printf(&text, " %s ", a->is_store ? "writes" : "reads");
  element(a, &text);
  tn_buf_printf(&text, ", which another one %s", did_write ? "wrote" : "read");
  print_line(line, &text);
  tn_status st = tn_check_report(vm, a->in, "loop-race", a->buffer, "%s", tn_buf_text(&text));
  tn_buf_deinit(&text);
  return st;
}

static tn_status report_instances(tn_ivm *vm, const access *a, bool did_write, uint32_t line) {
  tn_buf text = TN_BUF_INIT;
  element(a, &text);
  tn_buf_printf(&text, " is %s, which an instance with other spatial axes %s",
                a->is_store ? "written" : "read", did_write ? "wrote" : "read");
  print_line(line, &text);
  tn_status st = tn_check_report(vm, a->in, "axis-race", a->buffer, "%s", tn_buf_text(&text));
  tn_buf_deinit(&text);
  return st;
}

/* ---- memory that each turn may have for itself ---- */

/* Notes in which forks all accesses to scratch memory were. One outside of a parallel loop whose
 * turns share it: they can not each have their own then. */
static tn_status keep_loops(tn_ivm *vm, const access *a, const standing *now, bool *found) {
  tn_shadow *s = a->shadow;
  const tn_check_fork *forks = vm->check->forks.data;
  if (!s->is_used) {
    s->is_used = true;
    s->loops.len = 0;
    for (uint32_t i = 0; i < now->n_forks; ++i) {
      TN_VEC_PUSH(&s->loops, forks[i].mark);
    }
    return NULL;
  }
  uint32_t n = 0;
  while (n < s->loops.len && n < now->n_forks && s->loops.data[n] == forks[n].mark) {
    ++n;
  }
  s->loops.len = n;
  if (n >= s->n_shared) {
    return NULL;
  }
  tn_buf text = TN_BUF_INIT;
  *found = true;
  s->n_shared = 0;
  tn_status st =
      tn_check_report(vm, a->in, "loop-race", a->buffer,
                      "%s is %s outside of a parallel loop whose turns share '%s': two "
                      "of them write one element",
                      element(a, &text), a->is_store ? "written" : "read", a->buffer->attr.text);
  tn_buf_deinit(&text);
  return st;
}

/* Turns of that fork may share the memory as far as is known: nothing outside has touched it. What
 * a turn reads of another one is found when it reads. */
static bool may_share(const tn_ivm *vm, const access *a, int32_t fork) {
  tn_shadow *s = a->shadow;
  bool may = a->is_store && s->is_scratch && vm->check->forks.data[fork].is_parallel &&
             (size_t)fork < s->loops.len;
  if (may && s->n_shared <= (uint32_t)fork) {
    s->n_shared = (uint32_t)fork + 1;
  }
  return may;
}

/* Whether an earlier access (a write or a read) and this one may be at once. */
static tn_status meet(tn_ivm *vm, const access *a, const standing *now, uint32_t stamp,
                      tn_check_node node, bool did_write, uint32_t line, bool *found) {
  bool same = a->is_store && did_write && is_same_value(vm, a);
  int32_t fork = fork_between(vm->check, now->n_forks, stamp, same);
  if (fork >= 0 && !may_share(vm, a, fork)) {
    *found = true;
    return report_turns(vm, a, fork, did_write, line);
  }
  if (split(vm->check, node, now->node) != 0) {
    *found = true;
    return report_instances(vm, a, did_write, line);
  }
  return NULL;
}

static void note_write(tn_cell *cell, uint32_t stamp, tn_check_node node, uint32_t line) {
  cell->w_stamp = stamp;
  cell->w_node = node;
  cell->w_line = line;
}

/* Of several reads that may be at once the first stands for all: what may run beside a later one
 * may run beside it too. Instances have no such order: there "several" is noted. */
static void note_read(tn_tir_checker *check, tn_cell *cell, const standing *now, uint32_t line) {
  if (cell->r_stamp != 0 && fork_between(check, now->n_forks, cell->r_stamp, false) >= 0) {
    return;
  }
  uint32_t scope = cell->r_stamp == 0 ? 0 : split(check, cell->r_node, now->node);
  cell->r_stamp = check->clock;
  cell->r_node = scope == 0 ? now->node : (tn_check_node){scope, many};
  cell->r_line = line;
}

static tn_status check_cell(tn_ivm *vm, const access *a, const standing *now, tn_cell *cell,
                            bool *found) {
  if (!*found && !a->is_store && cell->w_stamp == 0) {
    tn_buf text = TN_BUF_INIT;
    *found = true;
    tn_status st = tn_check_report(vm, a->in, "never-written", a->buffer,
                                   "%s is read, and nothing has written it", element(a, &text));
    tn_buf_deinit(&text);
    TN_TRY(st);
  }
  if (!*found && cell->w_stamp != 0) {
    TN_TRY(meet(vm, a, now, cell->w_stamp, cell->w_node, true, cell->w_line, found));
  }
  if (!*found && a->is_store && cell->r_stamp != 0) {
    TN_TRY(meet(vm, a, now, cell->r_stamp, cell->r_node, false, cell->r_line, found));
  }
  uint32_t line = tn_ir_pos(vm->prog->ir, vm->prog->places.data[a->in - vm->prog->code.data]).line;
  if (a->is_store) {
    note_write(cell, vm->check->clock, now->node, line);
  } else {
    note_read(vm->check, cell, now, line);
  }
  return NULL;
}

static tn_status check_cells(tn_ivm *vm, access *a) {
  const tn_imem *mem = &vm->mems[a->buf->mem];
  const tn_shadow *s = mem->shadow;
  a->shadow = mem->shadow;
  standing now = stand(vm, a->in);
  bool found = false;
  if (s == NULL || s->cells == NULL) {
    return NULL;
  }
  if (s->is_scratch) {
    TN_TRY(keep_loops(vm, a, &now, &found));
  }
  uint64_t at = a->at + 2 * mem->shadow_at;
  for (uint64_t i = at / s->grain; i * s->grain < at + a->n_halves && i < s->n_cells; ++i) {
    TN_TRY(check_cell(vm, a, &now, &s->cells[i], &found));
  }
  return NULL;
}

/* ---- the instructions ---- */

static tn_status check_access(tn_ivm *vm, const tn_ins *in, bool is_store) {
  const tn_node *buffer = vm->prog->buffers.data[in->a];
  tn_dtype elem = tn_dtype_elem(buffer->dtype);
  access a = {.in = in, .buf = &vm->bufs[in->a], .buffer = buffer, .is_store = is_store};
  a.n_halves = tn_dtype_is_packed(elem) ? 1 : 2 * (uint32_t)tn_dtype_bytes(elem);
  bool is_ok = false;
  TN_TRY(check_bounds(vm, &a, &is_ok));
  if (!is_ok) {
    vm->skip = 1;
    if (!is_store) {
      vm->slots[in->d].u = 0;
    }
    return NULL;
  }
  TN_TRY(check_regions(vm, &a));
  return check_cells(vm, &a);
}

static tn_status check_divisor(tn_ivm *vm, const tn_ins *in) {
  if (vm->slots[in->b].u != 0) {
    return NULL;
  }
  vm->slots[in->d].u = 0;
  vm->skip = 1;
  return tn_check_report(vm, in, "division-by-zero", NULL, "integer division by zero");
}

static tn_status check_wide(const tn_ivm *vm, const tn_ins *in) {
  const tn_node *buffer = vm->prog->buffers.data[in->c];
  if (vm->slots[in->a].i == vm->slots[in->b].i) {
    return NULL;
  }
  return tn_check_report(vm, in, "index-overflow", buffer,
                         "an index of buffer '%s' is %" PRId64 ", which int32 wraps to %" PRId64,
                         buffer->attr.text, vm->slots[in->b].i, vm->slots[in->a].i);
}

tn_status tn_check_ins(tn_ivm *vm, const tn_ins *in) {
  vm->skip = 0;
  switch ((tn_icheck)in->x) {
    case TN_ICHECK_NONE:
      return NULL;
    case TN_ICHECK_LOAD:
      return check_access(vm, in, false);
    case TN_ICHECK_STORE:
      return check_access(vm, in, true);
    case TN_ICHECK_DIVISOR:
      return check_divisor(vm, in);
    case TN_ICHECK_WIDE:
      return check_wide(vm, in);
    case TN_ICHECK_MARK:
      return begin_loop(vm, in);
    case TN_ICHECK_TURN:
      return begin_turn(vm, in);
    case TN_ICHECK_BLOCK:
      return begin_instance(vm, in);
  }
  TN_UNREACHABLE();
}
