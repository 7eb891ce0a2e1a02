/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Hash maps with linear probing; at most two thirds full. Removal closes the gap instead of leaving
 * a tombstone, so that a map which lives long does not slow down. */
#include "base/vec.h"

#include <string.h>

#include "base/check.h"
#include "base/hash.h"

void *tn_vec_grow(void *data, size_t *cap, size_t len, size_t elem_bytes) {
  TN_CHECK(len < PTRDIFF_MAX / 2 / elem_bytes, "array of %zu elements cannot grow", len);
  size_t new_cap = len < 8 ? 8 : len * 2;
  void *grown = realloc(data, new_cap * elem_bytes);
  TN_CHECK(grown != NULL, "out of memory: array of %zu elements", new_cap);
  *cap = new_cap;
  return grown;
}

void tn_map_deinit(tn_map *map) {
  free(map->slots);
  free(map->used);
  *map = (tn_map){0};
}

/* A table that was large once, and is little used since, starts anew: clearing all of it each time
 * would make many small uses cost as much as the one large. */
void tn_map_clear(tn_map *map) {
  enum { FEW_SLOTS = 64, SPARSE = 16 };
  if (map->cap > FEW_SLOTS && map->len < map->cap / SPARSE) {
    tn_map_deinit(map);
  } else if (map->cap != 0) {
    memset(map->used, 0, map->cap);
  }
  map->len = 0;
}

/* The slot of `key`, or the free slot where it would go; cap must not be 0. */
static size_t map_slot(const tn_map *map, uint64_t key) {
  size_t i = (size_t)tn_hash_mix(0, key) & (map->cap - 1);
  while (map->used[i] != 0 && map->slots[2 * i] != key) {
    i = (i + 1) & (map->cap - 1);
  }
  return i;
}

static void map_put(tn_map *map, uint64_t key, uint64_t value) {
  size_t i = map_slot(map, key);
  if (map->used[i] == 0) {
    map->used[i] = 1;
    map->slots[2 * i] = key;
    ++map->len;
  }
  map->slots[2 * i + 1] = value;
}

static void map_grow(tn_map *map) {
  tn_map grown = {.cap = map->cap == 0 ? 16 : map->cap * 2};
  grown.slots = calloc(grown.cap, 2 * sizeof *grown.slots);
  grown.used = calloc(grown.cap, 1);
  TN_CHECK(grown.slots != NULL && grown.used != NULL, "out of memory: map of %zu", grown.cap);
  for (size_t i = 0; i < map->cap; ++i) {
    if (map->used[i] != 0) {
      map_put(&grown, map->slots[2 * i], map->slots[2 * i + 1]);
    }
  }
  tn_map_deinit(map);
  *map = grown;
}

void tn_map_set(tn_map *map, uint64_t key, uint64_t value) {
  if (3 * (map->len + 1) > 2 * map->cap) {
    map_grow(map);
  }
  map_put(map, key, value);
}

bool tn_map_find(const tn_map *map, uint64_t key, uint64_t *out_value) {
  if (map->len == 0) {
    return false;
  }
  size_t i = map_slot(map, key);
  if (map->used[i] == 0) {
    return false;
  }
  if (out_value != NULL) {
    *out_value = map->slots[2 * i + 1];
  }
  return true;
}

void tn_map_remove(tn_map *map, uint64_t key) {
  if (map->len == 0) {
    return;
  }
  size_t gap = map_slot(map, key);
  if (map->used[gap] == 0) {
    return;
  }
  size_t mask = map->cap - 1;
  --map->len;
  for (size_t i = (gap + 1) & mask; map->used[i] != 0; i = (i + 1) & mask) {
    size_t home = (size_t)tn_hash_mix(0, map->slots[2 * i]) & mask;
    if (((i - home) & mask) >= ((i - gap) & mask)) { /* its way from home leads over the gap */
      map->slots[2 * gap] = map->slots[2 * i];
      map->slots[2 * gap + 1] = map->slots[2 * i + 1];
      gap = i;
    }
  }
  map->used[gap] = 0;
}

void tn_strmap_deinit(tn_strmap *map) {
  for (size_t i = 0; i < map->len; ++i) {
    free(map->keys[i]);
  }
  free(map->keys);
  free(map->values);
  free(map->slots);
  *map = (tn_strmap){0};
}

/* The slot of `key`, or the free slot where it would go; n_slots must not be 0. */
static size_t strmap_slot(const tn_strmap *map, const char *key) {
  size_t i = (size_t)tn_hash_bytes(0, key, strlen(key)) & (map->n_slots - 1);
  while (map->slots[i] != 0 && strcmp(map->keys[map->slots[i] - 1], key) != 0) {
    i = (i + 1) & (map->n_slots - 1);
  }
  return i;
}

static void strmap_fill_slots(tn_strmap *map) {
  memset(map->slots, 0, map->n_slots * sizeof *map->slots);
  for (size_t i = 0; i < map->len; ++i) {
    map->slots[strmap_slot(map, map->keys[i])] = (uint32_t)(i + 1);
  }
}

static void strmap_grow(tn_strmap *map) {
  size_t cap = map->cap == 0 ? 8 : map->cap * 2;
  TN_CHECK(cap < UINT32_MAX / 2, "map of %zu names cannot grow", map->len);
  char **keys = realloc(map->keys, cap * sizeof *keys);
  void **values = realloc(map->values, cap * sizeof *values);
  uint32_t *slots = realloc(map->slots, 2 * cap * sizeof *slots);
  TN_CHECK(keys != NULL && values != NULL && slots != NULL, "out of memory: map of %zu names", cap);
  map->keys = keys;
  map->values = values;
  map->slots = slots;
  map->cap = cap;
  map->n_slots = 2 * cap;
  strmap_fill_slots(map);
}

void tn_strmap_set(tn_strmap *map, const char *key, void *value) {
  if (map->n_slots != 0) {
    uint32_t at = map->slots[strmap_slot(map, key)];
    if (at != 0) {
      map->values[at - 1] = value;
      return;
    }
  }
  if (map->len == map->cap) {
    strmap_grow(map);
  }
  char *copy = strdup(key);
  TN_CHECK(copy != NULL, "out of memory: map key");
  size_t slot = strmap_slot(map, key);
  map->keys[map->len] = copy;
  map->values[map->len] = value;
  map->slots[slot] = (uint32_t)++map->len;
}

void *tn_strmap_find(const tn_strmap *map, const char *key) {
  if (map->len == 0) {
    return NULL;
  }
  uint32_t at = map->slots[strmap_slot(map, key)];
  return at == 0 ? NULL : map->values[at - 1];
}

bool tn_strmap_has(const tn_strmap *map, const char *key) {
  return map->len != 0 && map->slots[strmap_slot(map, key)] != 0;
}

/* Empties a slot; those behind it that could not stand nearer to home move up. */
static void strmap_clear_slot(tn_strmap *map, size_t gap) {
  size_t mask = map->n_slots - 1;
  for (size_t i = (gap + 1) & mask; map->slots[i] != 0; i = (i + 1) & mask) {
    const char *key = map->keys[map->slots[i] - 1];
    size_t home = (size_t)tn_hash_bytes(0, key, strlen(key)) & mask;
    if (((i - home) & mask) >= ((i - gap) & mask)) {
      map->slots[gap] = map->slots[i];
      gap = i;
    }
  }
  map->slots[gap] = 0;
}

/* The newest key goes in constant time (scopes give names back in this order), others shift what
 * came after. */
void tn_strmap_remove(tn_strmap *map, const char *key) {
  size_t slot = map->len == 0 ? 0 : strmap_slot(map, key);
  uint32_t at = map->len == 0 ? 0 : map->slots[slot];
  if (at == 0) {
    return;
  }
  size_t i = at - 1;
  if (i + 1 == map->len) {
    strmap_clear_slot(map, slot);
    free(map->keys[--map->len]);
    return;
  }
  free(map->keys[i]);
  memmove(map->keys + i, map->keys + i + 1, (map->len - i - 1) * sizeof *map->keys);
  memmove(map->values + i, map->values + i + 1, (map->len - i - 1) * sizeof *map->values);
  --map->len;
  strmap_fill_slots(map);
}
