/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Exchange of tensors with other libraries (DLPack, both forms), without copies. An imported tensor
 * is owned by a counted holder, whose end calls the foreign deleter once; an exported one holds a
 * reference to ours. */
#include "runtime/mem.h"
#include "runtime/tensor.h"

typedef struct foreign {
  tn_object obj;
  DLManagedTensor *plain; /* one of the two */
  DLManagedTensorVersioned *versioned;
} foreign;

static void destroy_foreign(tn_object *obj) {
  foreign *f = (foreign *)obj;
  if (f->plain != NULL && f->plain->deleter != NULL) {
    f->plain->deleter(f->plain);
  }
  if (f->versioned != NULL && f->versioned->deleter != NULL) {
    f->versioned->deleter(f->versioned);
  }
  tn_mem_free(f);
}

static const tn_object_type foreign_type = {destroy_foreign, "foreign tensor"};

/* Types of less than a byte are packed without gaps in DLPack unless a flag says that each element
 * has a byte. Tenon packs those of 4 bits and pads those of 6. */
static tn_status check_padding(const DLTensor *dl, bool is_padded) {
  char text[TN_DTYPE_TEXT_BYTES];
  bool is_other = dl->dtype.bits == 4 ? is_padded : dl->dtype.bits == 6 && !is_padded;
  if (is_other) {
    return TN_ERR(TN_UNSUPPORTED, "a DLPack tensor of %s %s", tn_dtype_print(tn_dl_dtype(dl), text),
                  is_padded ? "with a byte for each element: two to a byte are read"
                            : "without gaps: with a byte for each element it is read");
  }
  return NULL;
}

/* Until this has succeeded, the foreign tensor stays the caller's: the holder is attached last. */
static tn_status import(const DLTensor *dl, foreign **out_holder, tn_tensor **out_tensor) {
  tn_tensor *tensor = NULL;
  TN_TRY(tn_tensor_from_dl(dl, &tensor));
  foreign *holder = tn_mem_alloc(sizeof *holder);
  if (holder == NULL) {
    tn_tensor_release(tensor);
    return tn_mem_error("an imported tensor", sizeof *holder);
  }
  tn_object_init(&holder->obj, &foreign_type);
  tensor->owner = &holder->obj;
  *out_holder = holder;
  *out_tensor = tensor;
  return NULL;
}

tn_status tn_tensor_from_dlpack(DLManagedTensor *managed, tn_tensor **out_tensor) {
  foreign *holder = NULL;
  TN_TRY(check_padding(&managed->dl_tensor, false));
  TN_TRY(import(&managed->dl_tensor, &holder, out_tensor));
  holder->plain = managed;
  return NULL;
}

tn_status tn_tensor_from_dlpack_versioned(DLManagedTensorVersioned *managed,
                                          tn_tensor **out_tensor) {
  if (managed->version.major != DLPACK_MAJOR_VERSION) {
    return TN_ERR(TN_UNSUPPORTED,
                  "a DLPack tensor of version %u.%u; this library reads version %d.x",
                  managed->version.major, managed->version.minor, DLPACK_MAJOR_VERSION);
  }
  foreign *holder = NULL;
  bool is_padded = (managed->flags & DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED) != 0;
  TN_TRY(check_padding(&managed->dl_tensor, is_padded));
  TN_TRY(import(&managed->dl_tensor, &holder, out_tensor));
  holder->versioned = managed;
  (*out_tensor)->is_read_only = (managed->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0;
  return NULL;
}

/* Exported tensors carry explicit strides, which some consumers require. */
typedef struct exported {
  DLManagedTensor plain;
  DLManagedTensorVersioned versioned;
  int64_t strides[TN_MAX_NDIM];
} exported;

static void delete_plain(DLManagedTensor *self) {
  tn_tensor_release(self->manager_ctx);
  tn_mem_free((char *)self - offsetof(exported, plain));
}

static void delete_versioned(DLManagedTensorVersioned *self) {
  tn_tensor_release(self->manager_ctx);
  tn_mem_free((char *)self - offsetof(exported, versioned));
}

static tn_status export_new(tn_tensor *tensor, exported **out_exported) {
  exported *e = tn_mem_alloc(sizeof *e);
  if (e == NULL) {
    return tn_mem_error("an exported tensor", sizeof *e);
  }
  DLTensor dl = tensor->dl;
  tn_dl_strides(&dl, e->strides);
  dl.strides = e->strides;
  e->plain = (DLManagedTensor){.dl_tensor = dl, .manager_ctx = tensor, .deleter = delete_plain};
  e->versioned = (DLManagedTensorVersioned){
      .version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION},
      .manager_ctx = tensor,
      .deleter = delete_versioned,
      .flags = (tensor->is_read_only ? DLPACK_FLAG_BITMASK_READ_ONLY : 0) |
               (dl.dtype.bits == 6 ? DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED : 0),
      .dl_tensor = dl,
  };
  tn_tensor_retain(tensor);
  *out_exported = e;
  return NULL;
}

tn_status tn_tensor_to_dlpack(tn_tensor *tensor, DLManagedTensor **out_managed) {
  if (tensor->is_read_only) {
    return TN_ERR(
        TN_UNSUPPORTED,
        "a read-only tensor in the DLPack form without versions: use the versioned form or a copy");
  }
  if (tensor->dl.dtype.bits == 6) {
    return TN_ERR(TN_UNSUPPORTED,
                  "a tensor of float6, with a byte for each element, in the DLPack form without "
                  "versions, which cannot say so: use the versioned form");
  }
  exported *e = NULL;
  TN_TRY(export_new(tensor, &e));
  *out_managed = &e->plain;
  return NULL;
}

tn_status tn_tensor_to_dlpack_versioned(tn_tensor *tensor, DLManagedTensorVersioned **out_managed) {
  exported *e = NULL;
  TN_TRY(export_new(tensor, &e));
  *out_managed = &e->versioned;
  return NULL;
}
