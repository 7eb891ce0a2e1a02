/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A bump allocator: many objects, one owner, freed together.
 * With a limit, crossing it sets a sticky flag and a small reserve (1 MiB) keeps callers running
 * until a reader loop or the pass runner asks tn_arena_status; only past the reserve does it abort.
 * So allocation never returns NULL. */
#ifndef TN_BASE_ARENA_H
#define TN_BASE_ARENA_H

#include <stddef.h>

#include "base/status.h"

typedef struct tn_arena_chunk tn_arena_chunk;

typedef struct tn_arena {
  tn_arena_chunk *head; /* newest chunk; owned */
  char *next;           /* free space in the newest chunk */
  char *end;
  size_t n_bytes;     /* handed out so far */
  size_t limit_bytes; /* 0: none */
  bool is_exhausted;  /* sticky */
} tn_arena;

/// limit_bytes: 0 for none.
void tn_arena_init(tn_arena *arena, size_t limit_bytes);
void tn_arena_deinit(tn_arena *arena);

/// n_bytes may be 0. align: a power of two. The memory is zeroed.
void *tn_arena_alloc(tn_arena *arena, size_t n_bytes, size_t align);

/// Copies `len` bytes and adds a NUL.
char *tn_arena_strndup(tn_arena *arena, const char *text, size_t len);

/// NO_MEMORY once the limit was crossed, naming the limit; NULL before.
TN_MUST_USE tn_status tn_arena_status(const tn_arena *arena);

#define TN_ARENA_NEW(arena, type) ((type *)tn_arena_alloc((arena), sizeof(type), _Alignof(type)))
#define TN_ARENA_ARRAY(arena, type, n) \
  ((type *)tn_arena_alloc((arena), sizeof(type) * (size_t)(n), _Alignof(type)))

#endif
