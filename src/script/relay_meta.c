/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Constants of the #[metadata] section. Problems are told at the place of the program that names
 * the constant. */
#include <string.h>

#include "script/metadata.h"
#include "script/relay.h"

struct tn_relay_meta {
  tn_metadata *metadata;
  tn_map consts; /* number of a constant -> its CONST */
};

void tn_relay_meta_free(struct tn_relay_meta *meta) {
  if (meta != NULL) {
    tn_metadata_free(meta->metadata);
    tn_map_deinit(&meta->consts);
    free(meta);
  }
}

static tn_status open_meta(tn_relay_reader *r, struct tn_relay_meta **out) {
  struct tn_relay_meta *meta = calloc(1, sizeof *meta);
  if (meta == NULL) {
    return TN_ERR(TN_NO_MEMORY, "no memory for the metadata");
  }
  tn_status st = tn_metadata_parse(r->text + r->json->offset, r->json->len, &meta->metadata);
  if (st != NULL) {
    tn_relay_meta_free(meta);
    return st;
  }
  *out = meta;
  return NULL;
}

const tn_node *tn_relay_constant(tn_relay_reader *r, const tn_relay *ast) {
  uint64_t known = 0;
  tn_array array = {0};
  if (strcmp(ast->text, "relay.Constant") != 0) {
    return tn_relay_fail(r, ast, "bad-metadata", NULL, "'%s' in the metadata is no constant",
                         ast->text);
  }
  if (r->json == NULL) {
    return tn_relay_fail(r, ast, "missing-constant",
                         "print it with its metadata: show_meta_data=True",
                         "the text has no #[metadata] section with this constant");
  }
  if (r->meta == NULL && !tn_relay_ok(r, ast, "bad-metadata", open_meta(r, &r->meta))) {
    r->json = NULL; /* told once */
    return NULL;
  }
  if (tn_map_find(&r->meta->consts, (uint64_t)ast->i64, &known)) {
    return (const tn_node *)(uintptr_t)known;
  }
  if (!tn_relay_ok(r, ast, "bad-metadata",
                   tn_metadata_load(r->meta->metadata, "relay.Constant", ast->i64, &array))) {
    return NULL;
  }
  const tn_node *node = tn_const_new(r->ir, &array);
  tn_map_set(&r->meta->consts, (uint64_t)ast->i64, (uint64_t)(uintptr_t)node);
  return node;
}
