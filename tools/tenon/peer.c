/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* The table of peers. */
#include "peer.h"

#include <string.h>

static const peer_kind *const kinds[] = {&peer_ort,      &peer_openblas, &peer_onednn,
                                         &peer_openvino, &peer_pytorch,  &peer_tvm};

const peer_kind *peer_find_kind(const char *name) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    if (strcmp(kinds[i]->name, name) == 0) {
      return kinds[i];
    }
  }
  return NULL;
}
