/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The bump allocator. Chunks come zeroed from calloc and grow from 16 KiB to 1 MiB; an object that
 * is larger gets a chunk of its own size. */
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"

struct tn_arena_chunk {
  tn_arena_chunk *older; /* owned */
  size_t n_bytes;        /* of the storage after this header */
};

enum { FIRST_CHUNK_BYTES = 16 << 10, LAST_CHUNK_BYTES = 1 << 20, RESERVE_BYTES = 1 << 20 };

void tn_arena_init(tn_arena *arena, size_t limit_bytes) {
  *arena = (tn_arena){.limit_bytes = limit_bytes};
}

void tn_arena_deinit(tn_arena *arena) {
  for (tn_arena_chunk *chunk = arena->head; chunk != NULL;) {
    tn_arena_chunk *older = chunk->older;
    free(chunk);
    chunk = older;
  }
  *arena = (tn_arena){0};
}

static void add_chunk(tn_arena *arena, size_t n_bytes) {
  size_t size = arena->head == NULL ? FIRST_CHUNK_BYTES : arena->head->n_bytes * 2;
  size = size > LAST_CHUNK_BYTES ? LAST_CHUNK_BYTES : size;
  size = size < n_bytes ? n_bytes : size;
  tn_arena_chunk *chunk = calloc(1, sizeof *chunk + size);
  TN_CHECK(chunk != NULL, "out of memory: arena chunk of %zu bytes", size);
  chunk->older = arena->head;
  chunk->n_bytes = size;
  arena->head = chunk;
  arena->next = (char *)(chunk + 1);
  arena->end = arena->next + size;
}

static size_t padding(const char *p, size_t align) { return (size_t)(-(uintptr_t)p & (align - 1)); }

void *tn_arena_alloc(tn_arena *arena, size_t n_bytes, size_t align) {
  TN_ASSERT(align != 0 && (align & (align - 1)) == 0, "alignment %zu", align);
  TN_CHECK(n_bytes < PTRDIFF_MAX / 2, "arena allocation of %zu bytes", n_bytes);
  size_t n_total = arena->n_bytes + n_bytes;
  if (arena->limit_bytes != 0 && n_total > arena->limit_bytes) {
    arena->is_exhausted = true;
    TN_CHECK(n_total - arena->limit_bytes <= RESERVE_BYTES,
             "arena limit of %zu bytes and its reserve are used up", arena->limit_bytes);
  }
  size_t pad = padding(arena->next, align);
  if (arena->head == NULL || (size_t)(arena->end - arena->next) < pad + n_bytes) {
    add_chunk(arena, n_bytes + align);
    pad = padding(arena->next, align);
  }
  char *p = arena->next + pad;
  arena->next = p + n_bytes;
  arena->n_bytes = n_total;
  return p;
}

char *tn_arena_strndup(tn_arena *arena, const char *text, size_t len) {
  char *copy = tn_arena_alloc(arena, len + 1, 1);
  if (len != 0) {
    memcpy(copy, text, len);
  }
  return copy; /* the memory is zeroed, so the NUL is there */
}

tn_status tn_arena_status(const tn_arena *arena) {
  if (!arena->is_exhausted) {
    return NULL;
  }
  return TN_ERR(TN_NO_MEMORY, "memory limit of %zu bytes exceeded", arena->limit_bytes);
}
