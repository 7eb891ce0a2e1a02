/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The thread pool: pieces, nesting, errors, many callers; and how many threads it makes by itself.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "base/file.h"
#include "runtime/cpu_count.h"
#include "tenon/runtime.h"
#include "tn_test.h"

enum { N_MARKS = 1000 };

typedef struct marks {
  tn_pool *pool;
  _Atomic(int32_t) count[N_MARKS];
  _Atomic(int32_t) n_pieces;
} marks;

static int32_t mark(void *ctx, int64_t begin, int64_t end) {
  marks *m = ctx;
  atomic_fetch_add(&m->n_pieces, 1);
  for (int64_t i = begin; i < end; ++i) {
    atomic_fetch_add(&m->count[i], 1);
  }
  return 0;
}

static void every_index_runs_once(void **state) {
  (void)state;
  const int64_t sizes[] = {0, 1, 2, 3, 4, 5, 63, 999, N_MARKS, -5};
  for (int32_t n_threads = 1; n_threads <= 5; ++n_threads) {
    tn_pool *pool = NULL;
    expect_ok(tn_pool_create(n_threads, &pool));
    assert_int_equal(tn_pool_n_threads(pool), n_threads);
    for (size_t s = 0; s < TN_N_ROWS(sizes); ++s) {
      marks m = {0};
      assert_int_equal(tn_pool_for(pool, mark, &m, sizes[s]), 0);
      for (int64_t i = 0; i < N_MARKS; ++i) {
        expect_true(m.count[i] == (i < sizes[s]), "threads %d, size %lld, index %lld", n_threads,
                    (long long)sizes[s], (long long)i);
      }
      expect_true(m.n_pieces <= n_threads, "%d pieces", m.n_pieces);
    }
    tn_pool_free(pool);
  }
}

static int32_t nested(void *ctx, int64_t begin, int64_t end) {
  marks *m = ctx;
  for (int64_t i = begin; i < end; ++i) {
    int32_t code = tn_pool_for(m->pool, mark, m, 100);
    if (code != 0) {
      return code;
    }
  }
  return 0;
}

static void nested_loops_run_serially(void **state) {
  (void)state;
  marks m = {0};
  expect_ok(tn_pool_create(4, &m.pool));
  assert_int_equal(tn_pool_for(m.pool, nested, &m, 8), 0);
  for (int i = 0; i < 100; ++i) {
    assert_int_equal(m.count[i], 8);
  }
  assert_int_equal(m.n_pieces, 8); /* each in one piece */
  tn_pool_free(m.pool);
}

static int32_t fail_some(void *ctx, int64_t begin, int64_t end) {
  (void)ctx;
  return begin >= 50 ? (int32_t)end : 0;
}

static void an_error_ends_the_loop_and_the_pool_lives(void **state) {
  (void)state;
  tn_pool *pool = NULL;
  marks m = {0};
  expect_ok(tn_pool_create(4, &pool));
  for (int i = 0; i < 200; ++i) {
    int32_t code = tn_pool_for(pool, fail_some, NULL, 100);
    expect_true(code == 75 || code == 100, "code %d", code);
  }
  assert_int_equal(tn_pool_for(pool, mark, &m, 10), 0);
  tn_pool_free(pool);
}

static void *call_often(void *arg) {
  marks *m = arg;
  for (int i = 0; i < 100; ++i) {
    tn_pool_for(m->pool, mark, m, 10);
  }
  return NULL;
}

static void many_threads_may_share_a_pool(void **state) {
  (void)state;
  marks m = {0};
  pthread_t threads[4];
  expect_ok(tn_pool_create(3, &m.pool));
  for (int i = 0; i < 4; ++i) {
    assert_int_equal(pthread_create(&threads[i], NULL, call_often, &m), 0);
  }
  for (int i = 0; i < 4; ++i) {
    pthread_join(threads[i], NULL);
  }
  assert_int_equal(m.count[0], 400);
  assert_int_equal(m.count[9], 400);
  tn_pool_free(m.pool);
}

static void sleeping_workers_wake_up(void **state) {
  (void)state;
  tn_pool *pool = NULL;
  expect_ok(tn_pool_create(2, &pool));
  for (int i = 0; i < 5; ++i) {
    marks m = {0};
    assert_int_equal(tn_pool_for(pool, mark, &m, 2), 0);
    assert_int_equal(m.n_pieces, 2);
    usleep(3000); /* long past the spinning */
  }
  tn_pool_free(pool);
}

static void thread_counts_are_checked(void **state) {
  (void)state;
  tn_pool *pool = NULL;
  expect_error(tn_pool_create(-1, &pool), TN_INVALID, "-1 threads");
  expect_error(tn_pool_create(100000, &pool), TN_INVALID, "100000 threads");
  expect_ok(tn_pool_create(0, &pool));
  assert_int_equal(tn_pool_n_threads(pool), tn_cpu_count());
  tn_pool_free(pool);
}

static void the_cgroup_limit_is_read_from_both_versions(void **state) {
  (void)state;
  const struct {
    const char *proc;
    const char *folder;
    const char *files[2][2];
    int32_t want;
  } rows[] = {
      {"0::/a/b\n", "/a/b", {{"cpu.max", "200000 100000\n"}}, 2},
      {"0::/a/b\n", "/a", {{"cpu.max", "150000 100000\n"}}, 2},
      {"0::/a/b\n", "/a/b", {{"cpu.max", "max 100000\n"}}, 0},
      {"0::/\n", "", {{"cpu.max", "50000 100000\n"}}, 1},
      {"0::/a\n", "/other", {{"cpu.max", "50000 100000\n"}}, 0},
      {"3:cpu,cpuacct:/x\n",
       "/cpu/x",
       {{"cpu.cfs_quota_us", "300000\n"}, {"cpu.cfs_period_us", "100000\n"}},
       3},
      {"3:cpu,cpuacct:/x\n",
       "/cpu/x",
       {{"cpu.cfs_quota_us", "-1\n"}, {"cpu.cfs_period_us", "100000\n"}},
       0},
      {"2:cpuset:/x\n",
       "/cpu/x",
       {{"cpu.cfs_quota_us", "300000\n"}, {"cpu.cfs_period_us", "100000\n"}},
       0},
      {"nonsense", "/a", {{"cpu.max", ""}}, 0},
  };
  for (size_t i = 0; i < TN_N_ROWS(rows); ++i) {
    char *root = NULL;
    char path[512];
    char command[600];
    expect_ok(tn_dir_make_temp(&root));
    snprintf(path, sizeof path, "%s/r%s", root, rows[i].folder);
    expect_ok(tn_dir_create(path));
    for (int k = 0; k < 2 && rows[i].files[k][0] != NULL; ++k) {
      snprintf(path, sizeof path, "%s/r%s/%s", root, rows[i].folder, rows[i].files[k][0]);
      expect_ok(tn_file_write(path, rows[i].files[k][1], strlen(rows[i].files[k][1])));
    }
    char proc[512];
    snprintf(proc, sizeof proc, "%s/proc", root);
    snprintf(path, sizeof path, "%s/r", root);
    expect_ok(tn_file_write(proc, rows[i].proc, strlen(rows[i].proc)));
    int32_t got = tn_cgroup_cpu_limit(proc, path);
    expect_true(got == rows[i].want, "row %zu: got %d, want %d", i, got, rows[i].want);
    snprintf(command, sizeof command, "rm -r '%s'", root);
    assert_int_equal(system(command), 0);
    free(root);
  }
  assert_int_equal(tn_cgroup_cpu_limit("/nowhere", "/nowhere"), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_index_runs_once),
      cmocka_unit_test(nested_loops_run_serially),
      cmocka_unit_test(an_error_ends_the_loop_and_the_pool_lives),
      cmocka_unit_test(many_threads_may_share_a_pool),
      cmocka_unit_test(sleeping_workers_wake_up),
      cmocka_unit_test(thread_counts_are_checked),
      cmocka_unit_test(the_cgroup_limit_is_read_from_both_versions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
