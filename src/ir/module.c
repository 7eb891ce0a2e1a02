/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Modules: tables of names and functions in one tn_ir. An index by the hashes of the names says
 * where a function stood when the index was made; functions only ever move towards the front since
 * then, by as many places as functions were removed, so a search starts there and goes back. */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "ir/ir.h"

void tn_module_init(tn_module *module, tn_ir *ir, const char *name) {
  *module = (tn_module){.ir = ir, .name = tn_ir_text(ir, name)};
  module->attrs = tn_node_new(ir, TN_OP_DICT, TN_DT_NONE, (tn_attr){0}, 0, NULL);
}

void tn_module_deinit(tn_module *module) {
  free(module->funcs);
  free(module->index);
  *module = (tn_module){0};
}

static void reserve(tn_module *module, uint32_t cap) {
  if (cap <= module->cap) {
    return;
  }
  module->cap = cap < 8 ? 8 : 2 * cap;
  module->funcs = realloc(module->funcs, module->cap * sizeof *module->funcs);
  TN_CHECK(module->funcs != NULL, "out of memory: module of %u functions", module->cap);
}

static uint64_t hash_of(const char *name) { return tn_hash_bytes(0, name, strlen(name)); }

static void index_put(tn_module *module, uint64_t hash, uint32_t at) {
  uint32_t mask = module->index_cap - 1;
  uint32_t slot = (uint32_t)hash & mask;
  while (module->index[slot].at != 0) {
    slot = (slot + 1) & mask;
  }
  module->index[slot].hash = hash;
  module->index[slot].at = at + 1;
  ++module->n_indexed;
}

static void index_rebuild(tn_module *module) {
  module->index_cap = 16;
  while (module->index_cap < 4 * module->n_funcs) {
    module->index_cap *= 2;
  }
  free(module->index);
  module->index = calloc(module->index_cap, sizeof *module->index);
  TN_CHECK(module->index != NULL, "out of memory: index of %u functions", module->n_funcs);
  module->n_indexed = 0;
  module->n_removed = 0;
  for (uint32_t i = 0; i < module->n_funcs; ++i) {
    index_put(module, module->funcs[i].hash, i);
  }
}

void tn_module_init_copy(tn_module *module, const tn_module *src) {
  *module = *src;
  module->funcs = NULL;
  module->cap = 0;
  module->index = NULL;
  reserve(module, src->n_funcs);
  for (uint32_t i = 0; i < src->n_funcs; ++i) {
    module->funcs[i] = src->funcs[i];
  }
  index_rebuild(module);
}

static bool is_at(const tn_module *module, uint32_t i, uint64_t hash, const char *name) {
  return module->funcs[i].hash == hash && strcmp(module->funcs[i].name, name) == 0;
}

/* The place of a function, or n_funcs. */
static uint32_t index_of(const tn_module *module, const char *name) {
  uint64_t hash = hash_of(name);
  uint32_t mask = module->index_cap - 1;
  for (uint32_t slot = (uint32_t)hash & mask; module->index_cap > 0 && module->index[slot].at != 0;
       slot = (slot + 1) & mask) {
    uint32_t end = module->index[slot].at; /* one past where it stood */
    uint32_t begin = end - 1 > module->n_removed ? end - 1 - module->n_removed : 0;
    for (uint32_t i = end < module->n_funcs ? end : module->n_funcs;
         module->index[slot].hash == hash && i > begin; --i) {
      if (is_at(module, i - 1, hash, name)) {
        return i - 1;
      }
    }
  }
  return module->n_funcs;
}

const tn_node *tn_module_find(const tn_module *module, const char *name) {
  uint32_t i = index_of(module, name);
  return i < module->n_funcs ? module->funcs[i].func : NULL;
}

void tn_module_set(tn_module *module, const char *name, const tn_node *func) {
  uint32_t i = index_of(module, name);
  if (i == module->n_funcs) {
    reserve(module, module->n_funcs + 1);
    module->funcs[i].name = tn_ir_text(module->ir, name);
    module->funcs[i].hash = hash_of(name);
    ++module->n_funcs;
    if (2 * (module->n_indexed + 1) > module->index_cap) {
      index_rebuild(module);
    } else {
      index_put(module, module->funcs[i].hash, i);
    }
  }
  module->funcs[i].func = func;
}

void tn_module_remove(tn_module *module, const char *name) {
  uint32_t i = index_of(module, name);
  if (i == module->n_funcs) {
    return;
  }
  --module->n_funcs;
  ++module->n_removed;
  memmove(&module->funcs[i], &module->funcs[i + 1], (module->n_funcs - i) * sizeof *module->funcs);
}

/* k of a name "base_k", at most `max`; 0 for any other name. */
static uint32_t number_after(const char *name, const char *base, size_t base_len, uint32_t max) {
  if (strncmp(name, base, base_len) != 0 || name[base_len] != '_' || name[base_len + 1] == '0') {
    return 0;
  }
  uint64_t k = 0;
  for (const char *p = name + base_len + 1; *p != '\0'; ++p) {
    if (*p < '0' || *p > '9' || k > max) {
      return 0;
    }
    k = 10 * k + (uint64_t)(*p - '0');
  }
  return k > max ? 0 : (uint32_t)k;
}

/* One look at all names finds the smallest free number: trying one after the other would look at
 * all names for each. */
const char *tn_module_fresh_name(const tn_module *module, const char *base) {
  uint32_t n = module->n_funcs;
  if (index_of(module, base) == n) {
    return tn_ir_text(module->ir, base);
  }
  uint8_t *is_taken = calloc((size_t)n + 2, 1);
  TN_CHECK(is_taken != NULL, "out of memory: %u names", n);
  for (uint32_t i = 0; i < n; ++i) {
    is_taken[number_after(module->funcs[i].name, base, strlen(base), n)] = 1;
  }
  uint32_t k = 1;
  while (is_taken[k] != 0) {
    ++k;
  }
  free(is_taken);
  tn_buf text = TN_BUF_INIT;
  tn_buf_printf(&text, "%s_%u", base, k);
  const char *name = tn_ir_text(module->ir, tn_buf_text(&text));
  tn_buf_deinit(&text);
  return name;
}

/* Runs tn_equal and puts `prefix` before the path of a difference. */
static bool equal_at(const char *prefix, const tn_node *a, const tn_node *b, tn_buf *out_path) {
  tn_buf path = TN_BUF_INIT;
  bool is_equal = tn_equal(a, b, true, &path);
  if (!is_equal && out_path != NULL) {
    tn_buf_printf(out_path, "%s: %s", prefix, tn_buf_text(&path));
  }
  tn_buf_deinit(&path);
  return is_equal;
}

const char *tn_func_pool_add(tn_func_pool *pool, tn_module *module, const tn_node *func) {
  tn_hash128 hash = tn_structural_hash(func);
  for (size_t i = 0; i < pool->items.len; ++i) {
    const tn_pooled_func *made = &pool->items.data[i];
    if (made->hash.hi == hash.hi && made->hash.lo == hash.lo &&
        tn_equal(made->func, func, true, NULL)) {
      return made->name;
    }
  }
  const char *name = tn_module_fresh_name(module, func->attr.text);
  const tn_node *named = tn_node_new(module->ir, TN_OP_PRIM_FUNC, TN_DT_NONE,
                                     (tn_attr){.text = name}, func->n_in, func->in);
  tn_module_set(module, name, named);
  TN_VEC_PUSH(&pool->items, ((tn_pooled_func){hash, name, func}));
  return name;
}

void tn_func_pool_deinit(tn_func_pool *pool) { TN_VEC_DEINIT(&pool->items); }

bool tn_module_equal(const tn_module *a, const tn_module *b, tn_buf *out_path) {
  if (!equal_at("attributes", a->attrs, b->attrs, out_path)) {
    return false;
  }
  for (uint32_t i = 0; i < a->n_funcs; ++i) {
    const char *name = a->funcs[i].name;
    const tn_node *other = tn_module_find(b, name);
    if (other == NULL && out_path != NULL) {
      tn_buf_printf(out_path, "%s: only in the first module", name);
    }
    if (other == NULL || !equal_at(name, a->funcs[i].func, other, out_path)) {
      return false;
    }
  }
  for (uint32_t i = 0; i < b->n_funcs; ++i) {
    if (tn_module_find(a, b->funcs[i].name) == NULL) {
      if (out_path != NULL) {
        tn_buf_printf(out_path, "%s: only in the second module", b->funcs[i].name);
      }
      return false;
    }
  }
  return true;
}

tn_hash128 tn_module_hash(const tn_module *module) {
  tn_hash128 sum = tn_structural_hash(module->attrs);
  for (uint32_t i = 0; i < module->n_funcs;
       ++i) { /* a sum: the order of functions does not count */
    const char *name = module->funcs[i].name;
    tn_hash128 hash = tn_structural_hash(module->funcs[i].func);
    hash = tn_hash128_bytes(hash, name, strlen(name));
    sum.hi += hash.hi;
    sum.lo += hash.lo;
  }
  return sum;
}
