/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The project's one growing array and one hash map.
 *
 *   TN_VEC(int) v = {0};
 *   TN_VEC_PUSH(&v, 7);
 *   for (size_t i = 0; i < v.len; ++i) { use(v.data[i]); }
 *   TN_VEC_DEINIT(&v);
 *
 * tn_map: uint64 key -> uint64 value, open addressing. tn_strmap: text key (copied) -> pointer;
 * iterated in insertion order through `keys`/`values`. Both abort when the system has no memory. */
#ifndef TN_BASE_VEC_H
#define TN_BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define TN_VEC(type) \
  struct {           \
    type *data;      \
    size_t len;      \
    size_t cap;      \
  }
/// Grows `data` so that one more element fits; used by TN_VEC_PUSH.
void *tn_vec_grow(void *data, size_t *cap, size_t len, size_t elem_bytes);
#define TN_VEC_PUSH(v, ...)                                                       \
  do {                                                                            \
    if ((v)->len == (v)->cap) {                                                   \
      (v)->data = tn_vec_grow((v)->data, &(v)->cap, (v)->len, sizeof *(v)->data); \
    }                                                                             \
    (v)->data[(v)->len++] = (__VA_ARGS__);                                        \
  } while (0)
#define TN_VEC_POP(v) ((v)->data[--(v)->len])
#define TN_VEC_LAST(v) ((v)->data[(v)->len - 1])
#define TN_VEC_DEINIT(v) (free((v)->data), (v)->data = NULL, (v)->len = (v)->cap = 0)

typedef struct tn_map {
  uint64_t *slots; /* pairs key, value; owned */
  uint8_t *used;
  size_t cap; /* a power of two, or 0 */
  size_t len;
} tn_map;
void tn_map_deinit(tn_map *map);
void tn_map_clear(tn_map *map);
/// Sets key -> value, replacing an earlier value.
void tn_map_set(tn_map *map, uint64_t key, uint64_t value);
/// True and *out_value when present. out_value may be NULL.
bool tn_map_find(const tn_map *map, uint64_t key, uint64_t *out_value);
void tn_map_remove(tn_map *map, uint64_t key);

typedef struct tn_strmap {
  char **keys;   /* insertion order; owned copies */
  void **values; /* borrowed */
  size_t len;
  size_t cap;
  uint32_t *slots; /* index + 1; owned */
  size_t n_slots;
} tn_strmap;
void tn_strmap_deinit(tn_strmap *map);
void tn_strmap_set(tn_strmap *map, const char *key, void *value);
/// The value, or NULL when absent.
void *tn_strmap_find(const tn_strmap *map, const char *key);
bool tn_strmap_has(const tn_strmap *map, const char *key);
/// Removes `key`, keeping the order of the others; absent is fine.
void tn_strmap_remove(tn_strmap *map, const char *key);

#endif
