/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Open sizes. A parameter's extents are numbers, and an open one is negative there; its name stands in
 * the text of the type, R.Tensor(("n", 8), ...) or T.Buffer((n, 8), ...), as the item at its place. */
#include "sizes.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_name(const char *text, size_t len) {
  bool is_word = len > 0 && len < SIZES_NAME_BYTES && !isdigit((unsigned char)text[0]);
  for (size_t i = 0; is_word && i < len; ++i) {
    is_word = isalnum((unsigned char)text[i]) || text[i] == '_';
  }
  return is_word;
}

/* The name at place `i` of a type's shape; false for a number or an expression. */
static bool name_at(const tn_param_info *param, int32_t i, char *out) {
  const char *p = strstr(param->text, "((");
  int32_t depth = 0;
  if (p == NULL || param->dims[i] >= 0) {
    return false;
  }
  for (p += 2; i > 0 && *p != '\0'; ++p) {
    depth += *p == '(' ? 1 : *p == ')' ? -1 : 0;
    i -= *p == ',' && depth == 0;
  }
  p += strspn(p, " \"");
  size_t len = strcspn(p, ",)\"");
  if (!is_name(p, len)) {
    return false;
  }
  memcpy(out, p, len);
  out[len] = '\0';
  return true;
}

static int32_t find(const sizes *s, const char *name) {
  for (int32_t i = 0; i < s->n; ++i) {
    if (strcmp(s->items[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}

/* The item of the open extent `i` of `param`, or -1. */
static int32_t item_at(const sizes *s, const tn_param_info *param, int32_t i) {
  char name[SIZES_NAME_BYTES];
  return name_at(param, i, name) ? find(s, name) : -1;
}

void sizes_init(sizes *s, const tn_param_info *params, int32_t n_params) {
  *s = (sizes){0};
  for (int32_t j = 0; j < n_params; ++j) {
    for (int32_t i = 0; i < params[j].ndim && s->n < SIZES_MAX; ++i) {
      char *name = s->items[s->n].name;
      if (name_at(&params[j], i, name) && find(s, name) < 0) {
        s->items[s->n++].value = -1;
      }
    }
  }
}

static bool parse(const char *text, size_t *out_len, int64_t *out_value) {
  const char *equals = strchr(text, '=');
  char *end = NULL;
  if (equals == NULL || equals == text || !isdigit((unsigned char)equals[1])) {
    return false;
  }
  errno = 0;
  *out_value = strtoll(equals + 1, &end, 10);
  *out_len = (size_t)(equals - text);
  return errno == 0 && *end == '\0';
}

bool sizes_check(const cli_args *args) {
  size_t len = 0;
  int64_t value = 0;
  for (int32_t i = 0; cli_value_at(args, "size", i) != NULL; ++i) {
    if (!parse(cli_value_at(args, "size", i), &len, &value)) {
      (void)cli_usage(args, "--size %s: NAME=N is needed, a name of the types and a whole number",
                      cli_value_at(args, "size", i));
      return false;
    }
  }
  return true;
}

static tn_status unknown_name(const sizes *s, const char *option) {
  char text[1024];
  size_t at = (size_t)snprintf(text, sizeof text, "--size %.200s: the types have no such size%s",
                               option, s->n > 0 ? "; they have " : "");
  for (int32_t i = 0; i < s->n && at < sizeof text; ++i) {
    at +=
        (size_t)snprintf(text + at, sizeof text - at, "%s%s", i > 0 ? ", " : "", s->items[i].name);
  }
  return tn_status_make(TN_INVALID, text);
}

tn_status sizes_set(sizes *s, const cli_args *args) {
  for (int32_t i = 0; cli_value_at(args, "size", i) != NULL; ++i) {
    const char *option = cli_value_at(args, "size", i);
    char name[SIZES_NAME_BYTES] = "";
    size_t len = 0;
    int64_t value = 0;
    int32_t item = -1;
    if (parse(option, &len, &value) && len < sizeof name) {
      memcpy(name, option, len);
      item = find(s, name);
    }
    if (item < 0) {
      return unknown_name(s, option);
    }
    s->items[item].value = value;
    s->items[item].option = option;
  }
  return NULL;
}

tn_status sizes_see(sizes *s, const tn_param_info *param, const DLTensor *dl) {
  for (int32_t i = 0; i < param->ndim && param->ndim == dl->ndim; ++i) {
    int32_t item = item_at(s, param, i);
    if (item < 0 || s->items[item].value == dl->shape[i]) {
      continue;
    }
    if (s->items[item].option != NULL) {
      char text[512];
      (void)snprintf(text, sizeof text, "--size %.200s: the array for %.100s has %lld there",
                     s->items[item].option, param->name, (long long)dl->shape[i]);
      return tn_status_make(TN_INVALID, text);
    }
    if (s->items[item].value < 0) {
      s->items[item].value = dl->shape[i];
    }
  }
  return NULL;
}

bool sizes_dims(const sizes *s, const tn_param_info *param, int64_t *out_dims) {
  bool is_known = param->ndim >= 0 && param->ndim <= SIZES_MAX_NDIM;
  for (int32_t i = 0; i < param->ndim && i < SIZES_MAX_NDIM; ++i) {
    int32_t item = item_at(s, param, i);
    out_dims[i] = item >= 0 ? s->items[item].value : param->dims[i];
    is_known = is_known && out_dims[i] >= 0;
  }
  return is_known;
}

const char *sizes_open_name(const sizes *s, const tn_param_info *param) {
  for (int32_t i = 0; i < param->ndim; ++i) {
    int32_t item = item_at(s, param, i);
    if (item >= 0 && s->items[item].value < 0) {
      return s->items[item].name;
    }
  }
  return NULL;
}
