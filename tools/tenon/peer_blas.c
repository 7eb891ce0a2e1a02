/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Libraries of matrix products as peers of models that are one: two float32 matrices as inputs, no
 * weights. Whether the model is a product is seen by what comes out. */
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "../../bench/gemm_peers.h"
#include "peer.h"

typedef struct blas_lib {
  gemm_peers all;
  const gemm_peer *peer; /* one of them */
} blas_lib;

typedef struct blas_model {
  gemm_race race;
  gemm_peer_call call;
  tn_tensor *out; /* owned */
} blas_model;

/* oneDNN's begins with these; more follows. */
typedef struct dnnl_numbers {
  int major;
  int minor;
  int patch;
} dnnl_numbers;

typedef union version_symbol {
  void *object;
  const char *(*of_blas)(void);
  const dnnl_numbers *(*of_dnnl)(void);
} version_symbol;

/* "OpenBLAS 0.3.21 NO_LAPACKE ..." and three numbers; "" where neither is told. */
static void read_version(const gemm_peer *peer, char *out) {
  const char *files[] = {"libopenblas.so.0", "libdnnl.so.3", "libdnnl.so.2"};
  out[0] = '\0';
  for (size_t i = peer->cblas != NULL ? 0 : 1; i < (peer->cblas != NULL ? 1 : 3); ++i) {
    void *library = dlopen(files[i], RTLD_NOW | RTLD_NOLOAD);
    version_symbol symbol = {NULL};
    if (library != NULL) {
      symbol.object = dlsym(library, peer->cblas != NULL ? "openblas_get_config" : "dnnl_version");
    }
    if (symbol.object != NULL && peer->cblas != NULL) {
      (void)sscanf(symbol.of_blas(), "OpenBLAS %31s", out);
    } else if (symbol.object != NULL) {
      const dnnl_numbers *v = symbol.of_dnnl();
      (void)snprintf(out, PEER_VERSION_BYTES, "%d.%d.%d", v->major, v->minor, v->patch);
      return;
    }
  }
}

static tn_status find(const char *name, void **out_lib, char *out_version) {
  blas_lib *lib = calloc(1, sizeof *lib);
  char text[96];
  if (lib == NULL) {
    return tn_status_make(TN_NO_MEMORY, "no memory for a peer");
  }
  gemm_peers_init(&lib->all, 1);
  for (int32_t i = 0; i < lib->all.n; ++i) {
    if (strcasecmp(lib->all.at[i].name, name) == 0) {
      lib->peer = &lib->all.at[i];
    }
  }
  if (lib->peer == NULL) {
    free(lib);
    (void)snprintf(text, sizeof text, "%s is missing", name);
    return tn_status_make(TN_NOT_FOUND, text);
  }
  read_version(lib->peer, out_version);
  *out_lib = lib;
  return NULL;
}

static void close_model(void *ctx) {
  blas_model *m = ctx;
  if (m != NULL) {
    tn_tensor_release(m->out);
    free(m);
  }
}

/* A float32 matrix, else NULL. */
static const DLTensor *matrix(const tn_arg *arg) {
  const DLTensor *dl = tn_arg_dl(arg);
  return dl != NULL && tn_dl_dtype(dl) == TN_DT_F32 && dl->ndim == 2 ? dl : NULL;
}

static tn_status open_model(void *ctx, const peer_job *job, void **out_model) {
  const blas_lib *lib = ctx;
  const DLTensor *a = job->n_args == 2 ? matrix(&job->args[0]) : NULL;
  const DLTensor *b = job->n_args == 2 ? matrix(&job->args[1]) : NULL;
  if (a == NULL || b == NULL || a->shape[1] != b->shape[0]) {
    return tn_status_make(TN_UNSUPPORTED,
                          "a library of products takes two float32 matrices as inputs");
  }
  blas_model *m = calloc(1, sizeof *m);
  const int64_t shape[] = {a->shape[0], b->shape[1]};
  tn_status st = m == NULL ? tn_status_make(TN_NO_MEMORY, "no memory for a product")
                           : tn_tensor_create(TN_DT_F32, 2, shape, NULL, &m->out);
  if (st != NULL) {
    free(m);
    return st;
  }
  m->race = (gemm_race){.m = shape[0],
                        .n = shape[1],
                        .k = a->shape[1],
                        .n_threads = job->n_threads,
                        .a = tn_tensor_data(tn_arg_tensor(&job->args[0])),
                        .b = tn_tensor_data(tn_arg_tensor(&job->args[1])),
                        .c = tn_tensor_data(m->out)};
  m->call = (gemm_peer_call){lib->peer, &m->race};
  gemm_peers_set_threads(&lib->all, job->n_threads);
  *out_model = m;
  return NULL;
}

static tn_status run(void *ctx) {
  blas_model *m = ctx;
  return gemm_peer_run(&m->call);
}

static tn_status result(void *ctx, tn_arg *out_ret) {
  blas_model *m = ctx;
  *out_ret = tn_arg_of_tensor(m->out);
  tn_arg_retain(out_ret);
  return NULL;
}

const peer_kind peer_openblas = {"openblas", find, open_model, run, result, close_model, free};
const peer_kind peer_onednn = {"onednn", find, open_model, run, result, close_model, free};
