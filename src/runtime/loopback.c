/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The loopback device: memory that is not ours, for tests. An allocation reserves a range of
 * addresses without access, which gives pointers that are unique, may be added to, and fault when
 * followed; the bytes lie elsewhere and are reached only by copy, which finds the range and refuses
 * what leaves it. */
#include <string.h>
#include <sys/mman.h>

#include "runtime/device.h"
#include "runtime/mem.h"

typedef struct loop_block {
  struct loop_block *next;
  char *guard; /* the addresses handed out; no access */
  size_t guard_bytes;
  char *bytes; /* the contents */
  size_t n_bytes;
} loop_block;

typedef struct loop_ctx {
  pthread_mutex_t lock;
  loop_block *blocks;
} loop_ctx;

enum { GUARD_UNIT = 4096 };

static tn_status loop_alloc(void *ctx, int32_t device_id, size_t n_bytes, size_t align,
                            void **out_ptr) {
  (void)device_id;
  loop_ctx *loop = ctx;
  if (align > GUARD_UNIT || n_bytes > PTRDIFF_MAX - GUARD_UNIT) {
    return tn_mem_error("a loopback tensor", n_bytes);
  }
  loop_block *block = tn_mem_alloc(sizeof *block);
  char *bytes = block == NULL ? NULL : tn_mem_alloc(n_bytes);
  size_t guard_bytes = (n_bytes / GUARD_UNIT + 1) * GUARD_UNIT;
  void *guard = bytes == NULL ? MAP_FAILED
                              : mmap(NULL, guard_bytes, PROT_NONE,
                                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (guard == MAP_FAILED) {
    tn_mem_free(bytes);
    tn_mem_free(block);
    return tn_mem_error("a loopback tensor", n_bytes);
  }
  *block =
      (loop_block){.guard = guard, .guard_bytes = guard_bytes, .bytes = bytes, .n_bytes = n_bytes};
  pthread_mutex_lock(&loop->lock);
  block->next = loop->blocks;
  loop->blocks = block;
  pthread_mutex_unlock(&loop->lock);
  *out_ptr = guard;
  return NULL;
}

static void free_block(loop_block *block) {
  munmap(block->guard, block->guard_bytes);
  tn_mem_free(block->bytes);
  tn_mem_free(block);
}

static void loop_free(void *ctx, int32_t device_id, void *ptr) {
  (void)device_id;
  loop_ctx *loop = ctx;
  pthread_mutex_lock(&loop->lock);
  for (loop_block **at = &loop->blocks; *at != NULL; at = &(*at)->next) {
    if ((*at)->guard == ptr) {
      loop_block *block = *at;
      *at = block->next;
      free_block(block);
      break;
    }
  }
  pthread_mutex_unlock(&loop->lock);
}

/* The contents behind a device address; NULL when [ptr, ptr + n_bytes) is not inside one
 * allocation. */
static char *find_bytes(const loop_ctx *loop, const void *ptr, size_t n_bytes) {
  for (const loop_block *b = loop->blocks; b != NULL; b = b->next) {
    uintptr_t at = (uintptr_t)ptr - (uintptr_t)b->guard;
    if ((uintptr_t)ptr >= (uintptr_t)b->guard && at <= b->n_bytes && n_bytes <= b->n_bytes - at) {
      return b->bytes + at;
    }
  }
  return NULL;
}

static tn_status loop_copy(void *ctx, void *dst, DLDevice dst_dev, const void *src,
                           DLDevice src_dev, size_t n_bytes) {
  loop_ctx *loop = ctx;
  if (n_bytes == 0) {
    return NULL;
  }
  tn_status st = NULL;
  pthread_mutex_lock(&loop->lock);
  void *to = dst_dev.device_type == kDLExtDev ? find_bytes(loop, dst, n_bytes) : dst;
  const void *from = src_dev.device_type == kDLExtDev ? find_bytes(loop, src, n_bytes) : src;
  if (to == NULL || from == NULL) {
    st = TN_ERR(TN_INVALID, "copy of %zu bytes leaves the loopback memory it %s", n_bytes,
                to == NULL ? "goes to" : "comes from");
  } else {
    memmove(to, from, n_bytes);
  }
  pthread_mutex_unlock(&loop->lock);
  return st;
}

static void loop_free_ctx(void *ctx) {
  loop_ctx *loop = ctx;
  while (loop->blocks != NULL) {
    loop_block *block = loop->blocks;
    loop->blocks = block->next;
    free_block(block);
  }
  pthread_mutex_destroy(&loop->lock);
  tn_mem_free(loop);
}

tn_status tn_loopback_add(tn_device_table *table) {
  static const tn_device_ops ops = {
      .name = "loopback",
      .device_type = kDLExtDev,
      .n_devices = 1,
      .alloc = loop_alloc,
      .free = loop_free,
      .copy = loop_copy,
      .free_ctx = loop_free_ctx,
  };
  loop_ctx *loop = tn_mem_alloc(sizeof *loop);
  if (loop == NULL) {
    return tn_mem_error("the loopback device", sizeof *loop);
  }
  pthread_mutex_init(&loop->lock, NULL);
  tn_status st = tn_device_table_add(table, &ops, loop);
  if (st != NULL) {
    loop_free_ctx(loop);
  }
  return st;
}
