/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Arenas, vectors, maps, hashes, random numbers. */
#include "tn_test.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/rng.h"
#include "base/vec.h"

static void arena_memory_is_zeroed_aligned_and_separate(void **state) {
  (void)state;
  tn_arena arena;
  tn_arena_init(&arena, 0);
  tn_rng rng = tn_rng_make(2);
  size_t n_bytes = 0;
  for (int i = 0; i < 2000; ++i) {
    size_t align = (size_t)1 << tn_rng_below(&rng, 8);
    size_t n = i % 500 == 0 ? 2000000 : tn_rng_below(&rng, 200);
    uint8_t *p = tn_arena_alloc(&arena, n, align);
    assert_int_equal((uintptr_t)p & (align - 1), 0);
    for (size_t k = 0; k < n; ++k) {
      assert_int_equal(p[k], 0);
    }
    memset(p, 0xff, n);
    n_bytes += n;
  }
  assert_int_equal(arena.n_bytes, n_bytes);
  assert_string_equal(tn_arena_strndup(&arena, "abcdef", 3), "abc");
  assert_string_equal(tn_arena_strndup(&arena, NULL, 0), "");
  expect_ok(tn_arena_status(&arena));
  tn_arena_deinit(&arena);
  assert_null(arena.head);
}

static void an_arena_past_its_limit_says_so_and_still_serves(void **state) {
  (void)state;
  tn_arena arena;
  tn_arena_init(&arena, 1000);
  (void)tn_arena_alloc(&arena, 1000, 8);
  expect_ok(tn_arena_status(&arena));
  assert_non_null(tn_arena_alloc(&arena, 1, 1));
  expect_error(tn_arena_status(&arena), TN_NO_MEMORY, "1000 bytes");
  assert_non_null(tn_arena_alloc(&arena, 100000, 8));
  expect_error(tn_arena_status(&arena), TN_NO_MEMORY, "1000 bytes");
  tn_arena_deinit(&arena);
}

static void vectors_keep_their_order(void **state) {
  (void)state;
  TN_VEC(int) v = {0};
  for (int i = 0; i < 1000; ++i) {
    TN_VEC_PUSH(&v, i);
  }
  assert_int_equal(v.len, 1000);
  assert_int_equal(TN_VEC_LAST(&v), 999);
  assert_int_equal(TN_VEC_POP(&v), 999);
  assert_int_equal(v.data[500], 500);
  TN_VEC_DEINIT(&v);
  assert_null(v.data);
}

enum { N_KEYS = 300 };

static void a_map_agrees_with_a_plain_table(void **state) {
  (void)state;
  tn_map map = {0};
  tn_rng rng = tn_rng_make(3);
  uint64_t want[N_KEYS] = {0}; /* 0: absent */
  assert_false(tn_map_find(&map, 1, NULL));
  tn_map_remove(&map, 1);
  size_t n = 0;
  for (int step = 0; step < 20000; ++step) {
    uint64_t key = tn_rng_below(&rng, N_KEYS);
    if (tn_rng_below(&rng, 2) == 0) {
      n += want[key] == 0 ? 1 : 0;
      want[key] = 1 + tn_rng_below(&rng, 1000);
      tn_map_set(&map, key << 32, want[key]);
    } else {
      n -= want[key] != 0 ? 1 : 0;
      want[key] = 0;
      tn_map_remove(&map, key << 32);
    }
    assert_int_equal(map.len, n);
  }
  for (uint64_t key = 0; key < N_KEYS; ++key) {
    uint64_t value = 0;
    assert_int_equal(tn_map_find(&map, key << 32, &value), want[key] != 0);
    assert_int_equal(value, want[key]);
  }
  tn_map_clear(&map);
  assert_false(tn_map_find(&map, 0, NULL));
  tn_map_deinit(&map);
}

static void a_strmap_keeps_the_order_of_insertion(void **state) {
  (void)state;
  tn_strmap map = {0};
  int values[100];
  assert_null(tn_strmap_find(&map, "k1"));
  tn_strmap_remove(&map, "k1");
  char key[16];
  for (int i = 0; i < 100; ++i) {
    (void)snprintf(key, sizeof key, "k%d", i);
    tn_strmap_set(&map, key, &values[i]);
  }
  tn_strmap_set(&map, "k5", &values[6]);
  tn_strmap_set(&map, "null", NULL);
  assert_true(tn_strmap_has(&map, "null"));
  assert_null(tn_strmap_find(&map, "null"));
  assert_ptr_equal(tn_strmap_find(&map, "k5"), &values[6]);
  for (int i = 0; i < 100; i += 2) {
    (void)snprintf(key, sizeof key, "k%d", i);
    tn_strmap_remove(&map, key);
  }
  assert_int_equal(map.len, 51);
  assert_string_equal(map.keys[0], "k1");
  assert_string_equal(map.keys[49], "k99");
  assert_string_equal(map.keys[50], "null");
  assert_ptr_equal(tn_strmap_find(&map, "k99"), &values[99]);
  assert_false(tn_strmap_has(&map, "k98"));
  tn_strmap_deinit(&map);
}

/* Pinned: hashes are stored in files. */
/* Names given out and taken back as scopes do, in any order, against a plain table. */
static void a_strmap_agrees_with_a_plain_table(void **state) {
  (void)state;
  enum { N_NAMES = 40 };
  tn_rng rng = tn_rng_make(11);
  tn_strmap map = {0};
  int values[N_NAMES];
  bool is_in[N_NAMES] = {false};
  char key[16];
  for (int step = 0; step < 4000; ++step) {
    int k = (int)tn_rng_below(&rng, N_NAMES);
    (void)snprintf(key, sizeof key, "n%d", k);
    bool is_last = map.len > 0 && tn_rng_below(&rng, 2) == 0;
    if (is_last) {
      (void)snprintf(key, sizeof key, "%s", map.keys[map.len - 1]);
      k = atoi(key + 1);
    }
    if (is_in[k] || is_last) {
      tn_strmap_remove(&map, key);
      is_in[k] = false;
    } else {
      tn_strmap_set(&map, key, &values[k]);
      is_in[k] = true;
    }
    size_t n_in = 0;
    for (int i = 0; i < N_NAMES; ++i) {
      (void)snprintf(key, sizeof key, "n%d", i);
      assert_ptr_equal(tn_strmap_find(&map, key), is_in[i] ? &values[i] : NULL);
      n_in += is_in[i];
    }
    assert_int_equal(map.len, n_in);
  }
  tn_strmap_deinit(&map);
}

static void hashes_never_change(void **state) {
  (void)state;
  const char text[] = "the quick brown fox";
  assert_int_equal(tn_hash_bytes(0, text, 19), 0x308a72227a78de4);
  assert_int_equal(tn_hash_mix(1, 2), 0x62d326fa62f0570c);
  tn_hash128 h = tn_hash128_bytes((tn_hash128){1, 2}, text, 19);
  assert_int_equal(h.hi, 0xb4bfa3b7c33d41f0);
  assert_int_equal(h.lo, 0x8bbdc6b1ceebc80f);
}

static void every_byte_of_a_long_run_shows_in_its_hash(void **state) {
  (void)state;
  static char run[1003];
  tn_map seen = {0};
  tn_map_set(&seen, tn_hash_bytes(0, run, sizeof run), 1);
  tn_map_set(&seen, tn_hash128_bytes((tn_hash128){1, 2}, run, sizeof run).hi, 1);
  tn_map_set(&seen, tn_hash128_bytes((tn_hash128){1, 2}, run, sizeof run).lo, 1);
  for (size_t i = 0; i < sizeof run; ++i) {
    run[i] = 1;
    tn_map_set(&seen, tn_hash_bytes(0, run, sizeof run), 1);
    tn_hash128 h = tn_hash128_bytes((tn_hash128){1, 2}, run, sizeof run);
    tn_map_set(&seen, h.hi, 1);
    tn_map_set(&seen, h.lo, 1);
    run[i] = 0;
    tn_map_set(&seen, tn_hash_bytes(0, run, i), 1);
  }
  assert_int_equal(seen.len, 3 + 4 * sizeof run);
  tn_map_deinit(&seen);
}

static void hashes_tell_apart_what_looks_alike(void **state) {
  (void)state;
  assert_int_not_equal(tn_hash_bytes(0, "", 0), tn_hash_bytes(0, "\0", 1));
  assert_int_not_equal(tn_hash_bytes(0, "a\0", 2), tn_hash_bytes(0, "a", 1));
  assert_int_not_equal(tn_hash_mix(1, 2), tn_hash_mix(2, 1));
  assert_int_not_equal(tn_hash_mix(0, 0), 0);
  tn_map seen = {0};
  for (uint64_t a = 0; a < 100; ++a) {
    for (uint64_t b = 0; b < 100; ++b) {
      tn_map_set(&seen, tn_hash_mix(a, b), 1);
    }
  }
  assert_int_equal(seen.len, 10000);
  tn_map_deinit(&seen);
}

static void random_numbers_repeat_and_stay_in_range(void **state) {
  (void)state;
  tn_rng a = tn_rng_make(42);
  tn_rng b = tn_rng_make(42);
  tn_rng other = tn_rng_make(43);
  /* pinned: seeds stand in test names and records */
  assert_int_equal(tn_rng_next(&a), 0x15780b2e0c2ec716);
  assert_int_equal(tn_rng_next(&b), 0x15780b2e0c2ec716);
  assert_int_not_equal(tn_rng_next(&other), 0x15780b2e0c2ec716);
  bool seen[7] = {false};
  for (int i = 0; i < 1000; ++i) {
    int64_t x = tn_rng_range(&a, -3, 3);
    assert_true(x >= -3 && x <= 3);
    seen[x + 3] = true;
    double u = tn_rng_unit(&a);
    assert_true(u >= 0 && u < 1);
  }
  for (int i = 0; i < 7; ++i) {
    assert_true(seen[i]);
  }
  (void)tn_rng_range(&a, INT64_MIN, INT64_MAX);
  assert_int_equal(tn_rng_below(&a, 1), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arena_memory_is_zeroed_aligned_and_separate),
      cmocka_unit_test(an_arena_past_its_limit_says_so_and_still_serves),
      cmocka_unit_test(vectors_keep_their_order),
      cmocka_unit_test(a_map_agrees_with_a_plain_table),
      cmocka_unit_test(a_strmap_keeps_the_order_of_insertion),
      cmocka_unit_test(a_strmap_agrees_with_a_plain_table),
      cmocka_unit_test(hashes_never_change),
      cmocka_unit_test(every_byte_of_a_long_run_shows_in_its_hash),
      cmocka_unit_test(hashes_tell_apart_what_looks_alike),
      cmocka_unit_test(random_numbers_repeat_and_stay_in_range),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
