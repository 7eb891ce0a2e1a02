/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* A trained network as plain C functions: classifies the pictures that come in and counts how many it
 * gets right. Knows nothing of Tenon but the header that was written for this model:
 *
 *   tenon compile examples/fashion_resnet18/model.onnx -o fashion.so --header fashion.h
 *   cc classify.c ./fashion.so -o classify
 *   zcat t10k-images-idx3-ubyte.gz | ./classify t10k-labels-idx1-ubyte
 *
 * Files: a head of 16 bytes, then 28 * 28 bytes a picture; a head of 8, then a byte a label. */
#include <stdio.h>
#include <stdlib.h>

#include "fashion.h"

enum { N_PIXELS = 28 * 28, N_CLASSES = 10, BATCH = 50, IMAGES_HEAD = 16, LABELS_HEAD = 8 };

static int skip(FILE *file, int n_bytes) {
  unsigned char head[IMAGES_HEAD];
  return fread(head, 1, (size_t)n_bytes, file) == (size_t)n_bytes;
}

static int largest(const float *logits) {
  int best = 0;
  for (int i = 1; i < N_CLASSES; ++i) {
    best = logits[i] > logits[best] ? i : best;
  }
  return best;
}

/* Everything a call needs, taken once. */
typedef struct buffers {
  unsigned char bytes[BATCH * N_PIXELS];
  unsigned char labels[BATCH];
  float pixels[BATCH * N_PIXELS];
  float logits[BATCH * N_CLASSES];
} buffers;

static int classify(fashion_model *model, FILE *labels, int limit) {
  int64_t n_bytes = fashion_main_workspace_bytes(model, BATCH);
  void *workspace = n_bytes < 0 ? NULL : malloc((size_t)n_bytes);
  buffers *b = malloc(sizeof *b);
  int n_right = 0;
  int n_all = 0;
  int code = workspace == NULL || b == NULL ? FASHION_NO_MEMORY : FASHION_OK;
  size_t n = 1;
  while (code == FASHION_OK && n > 0 && n_all < limit) {
    size_t want = limit - n_all < BATCH ? (size_t)(limit - n_all) : (size_t)BATCH;
    n = fread(b->bytes, N_PIXELS, want, stdin);
    n = fread(b->labels, 1, n, labels);
    for (size_t i = 0; i < n * N_PIXELS; ++i) {
      b->pixels[i] = (float)b->bytes[i] / 255.0F;
    }
    code = fashion_main(model, (int64_t)n, b->pixels, b->logits, workspace, (size_t)n_bytes);
    for (size_t i = 0; code == FASHION_OK && i < n; ++i) {
      n_right += largest(b->logits + i * N_CLASSES) == b->labels[i];
      ++n_all;
    }
  }
  if (code == FASHION_OK) {
    printf("%d of %d right\n", n_right, n_all);
  } else {
    fprintf(stderr, "classify: code %d %s\n", code, fashion_error(model));
  }
  free(workspace);
  free(b);
  return code;
}

int main(int argc, char **argv) {
  FILE *labels = argc > 1 ? fopen(argv[1], "rb") : NULL;
  int limit = argc > 2 ? atoi(argv[2]) : 1 << 20;
  int n_threads = argc > 3 ? atoi(argv[3]) : 1;
  fashion_model *model = NULL;
  if (labels == NULL || !skip(stdin, IMAGES_HEAD) || !skip(labels, LABELS_HEAD)) {
    fprintf(stderr, "usage: classify LABELS [LIMIT [THREADS]] < IMAGES\n");
    return 2;
  }
  int code = fashion_init(n_threads, &model);
  code = code == FASHION_OK ? classify(model, labels, limit) : code;
  fashion_free(model);
  fclose(labels);
  return code == FASHION_OK ? 0 : 1;
}
