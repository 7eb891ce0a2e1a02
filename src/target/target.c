/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Finds targets by text and picks the host's. Text is a row's name, "host", or what TVM users type:
 * "llvm" with -mcpu. */
#include "target/target.h"

#include <string.h>

#include "base/buf.h"
#include "ir/ir.h"
#include "target/target_priv.h"

/* Within an architecture from the least to the most capable; a machine that runs a row runs those
 * before it. */
static const tn_target_row *const rows[] = {&tn_target_x86_64_v2, &tn_target_x86_64_v3,
                                            &tn_target_x86_64_v4, &tn_target_aarch64,
                                            &tn_target_riscv64};
enum { N_ROWS = sizeof rows / sizeof rows[0] };

const tn_target *const *tn_target_all(uint32_t *out_n) {
  static const tn_target *const all[N_ROWS] = {
      &tn_target_x86_64_v2.target, &tn_target_x86_64_v3.target, &tn_target_x86_64_v4.target,
      &tn_target_aarch64.target, &tn_target_riscv64.target};
  *out_n = N_ROWS;
  return all;
}

const tn_target *tn_target_host(void) {
  for (uint32_t i = N_ROWS; i-- > 1;) {
    if (rows[i]->runs_here()) {
      return &rows[i]->target;
    }
  }
  return &rows[0]->target;
}

bool tn_target_runs_here(const tn_target *target) {
  for (uint32_t i = 0; i < N_ROWS; ++i) {
    if (strcmp(rows[i]->target.name, target->name) == 0) {
      return rows[i]->runs_here();
    }
  }
  return false;
}

static bool is_text(const char *a, size_t len, const char *b) {
  return strlen(b) == len && memcmp(a, b, len) == 0;
}

/* The row of a CPU name of `len` characters. */
static tn_status find_cpu(const char *name, size_t len, const tn_target **out_target) {
  if (is_text(name, len, "native") || is_text(name, len, "host")) {
    *out_target = tn_target_host();
    return NULL;
  }
  for (uint32_t i = 0; i < N_ROWS; ++i) {
    for (const char *const *cpu = rows[i]->cpus; *cpu != NULL; ++cpu) {
      if (is_text(name, len, *cpu)) {
        *out_target = &rows[i]->target;
        return NULL;
      }
    }
  }
  return TN_ERR(
      TN_NOT_FOUND,
      "unknown CPU '%.*s' after -mcpu=; a CPU as LLVM names it, such as haswell or znver4",
      (int)len, name);
}

/* Whether `triple` begins with an architecture's name of `n` characters. */
static bool is_arch(const char *triple, const char *arch, size_t n) {
  return strncmp(triple, arch, n) == 0 && triple[n] == '-';
}

bool tn_target_is_native(const tn_target *target) {
  const char *triple = target->triple;
  return is_arch(tn_target_host()->triple, triple, strcspn(triple, "-"));
}

/* The least row of a triple's architecture; the host's best one when that is its own. */
static tn_status find_triple(const char *triple, size_t len, const tn_target **out_target) {
  size_t n_arch = strcspn(triple, "-");
  n_arch = n_arch < len ? n_arch : len;
  const tn_target *host = tn_target_host();
  if (is_arch(host->triple, triple, n_arch)) {
    *out_target = host;
    return NULL;
  }
  for (uint32_t i = 0; i < N_ROWS; ++i) {
    if (is_arch(rows[i]->target.triple, triple, n_arch)) {
      *out_target = &rows[i]->target;
      return NULL;
    }
  }
  return TN_ERR(TN_NOT_FOUND,
                "no target for the triple '%.*s'; there are x86_64, aarch64 and riscv64", (int)len,
                triple);
}

/* The value of option `name` ("-mcpu") at `at`, written "-mcpu=x" or "-mcpu x"; NULL: another. */
static const char *option_value(const char *at, const char *name, size_t *out_len) {
  size_t n = strlen(name);
  if (strncmp(at, name, n) != 0 || (at[n] != '=' && at[n] != ' ')) {
    return NULL;
  }
  const char *value = at + n + (at[n] == '=' ? 1 : strspn(at + n, " "));
  *out_len = strcspn(value, " ");
  return value;
}

/* Options after "llvm": a CPU decides, else a triple; the others are read over. */
static tn_status find_llvm(const char *options, const tn_target **out_target) {
  *out_target = tn_target_host();
  bool has_cpu = false;
  for (const char *at = options; *(at += strspn(at, " ")) != '\0'; at += strcspn(at, " ")) {
    size_t len = 0;
    const char *value = option_value(at, "-mcpu", &len);
    if (value != NULL) {
      TN_TRY(find_cpu(value, len, out_target));
      has_cpu = true;
    }
    value = option_value(at, "-mtriple", &len);
    if (value != NULL && !has_cpu) {
      TN_TRY(find_triple(value, len, out_target));
    }
  }
  return NULL;
}

static tn_status unknown_target(const char *text) {
  const char *names[N_ROWS + 2] = {"host", "llvm"};
  tn_buf list = TN_BUF_INIT;
  for (uint32_t i = 0; i < N_ROWS; ++i) {
    names[i + 2] = rows[i]->target.name;
    tn_buf_printf(&list, ", %s", rows[i]->target.name);
  }
  const char *near = tn_near_name(text, names, N_ROWS + 2);
  tn_status st = TN_ERR(TN_NOT_FOUND, "unknown target '%s'; there are host, llvm%s%s%s%s", text,
                        tn_buf_text(&list), near == NULL ? "" : "; did you mean '",
                        near == NULL ? "" : near, near == NULL ? "" : "'?");
  tn_buf_deinit(&list);
  return st;
}

tn_status tn_target_find(const char *text, const tn_target **out_target) {
  const tn_target *found = NULL;
  if (strcmp(text, "host") == 0 || strcmp(text, "native") == 0) {
    found = tn_target_host();
  } else if (strncmp(text, "llvm", 4) == 0 && (text[4] == '\0' || text[4] == ' ')) {
    TN_TRY(find_llvm(text + 4, &found));
  }
  for (uint32_t i = 0; i < N_ROWS && found == NULL; ++i) {
    if (strcmp(rows[i]->target.name, text) == 0) {
      found = &rows[i]->target;
    }
  }
  if (found == NULL) {
    return unknown_target(text);
  }
  *out_target = found;
  return NULL;
}
