/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Tensor expressions: loop functions built from C, without text. A tensor is what a formula over its
 * indices says; tn_te_create_prim_func makes the loops and blocks of it.
 *
 *   const tn_node *n = tn_te_int(te, 128);
 *   const tn_node *A = tn_te_placeholder(te, "A", TN_DT_F32, TN_TE_LIST(n, n));
 *   const tn_node *B = tn_te_placeholder(te, "B", TN_DT_F32, TN_TE_LIST(n, n));
 *   tn_te_begin(te, "C", TN_TE_LIST(n, n));
 *   const tn_node *i = tn_te_axis(te, 0, "i");
 *   const tn_node *j = tn_te_axis(te, 1, "j");
 *   const tn_node *k = tn_te_reduce_axis(te, "k", n);
 *   const tn_node *product = tn_te_mul(te, tn_te_read(te, A, TN_TE_LIST(i, k)),
 *                                      tn_te_read(te, B, TN_TE_LIST(k, j)));
 *   const tn_node *C = tn_te_end_reduce(te, TN_TE_SUM, product);
 *   st = tn_te_create_prim_func(te, "matmul", TN_TE_LIST(A, B, C), &program);
 *
 * Tensors, axes and values are all `const tn_node *`, belong to the builder and are never NULL. No
 * call but the last returns a status: the first mistake is kept, what follows it does nothing, and
 * tn_te_create_prim_func reports it. A builder is used by one thread at a time. Guide:
 * docs/tensor_expressions.md. */
#ifndef TN_TENON_TE_H
#define TN_TENON_TE_H

#include "tenon/dtype.h"
#include "tenon/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_te tn_te;
typedef struct tn_node tn_node;
typedef struct tn_program tn_program; /* tenon/compiler.h */

/// Some nodes as two arguments, how many and which: tn_te_read(te, A, TN_TE_LIST(i, j)).
#define TN_TE_LIST(...)                                                                \
  (uint32_t)(sizeof((const tn_node *const[]){__VA_ARGS__}) / sizeof(const tn_node *)), \
      (const tn_node *const[]) {                                                       \
    __VA_ARGS__                                                                        \
  }

/// The caller frees it; the programs made with it stay.
TN_API tn_status tn_te_create(tn_te **out_te);
/// NULL is fine.
TN_API void tn_te_free(tn_te *te);

/* ---- tensors ---- */

/// A size or number known when the function is called: an extent of tensors, or a parameter of its
/// own.
TN_API const tn_node *tn_te_var(tn_te *te, const char *name, tn_dtype dtype);
/// An input. shape: extents of 32 or 64 bits, made of numbers and tn_te_var.
TN_API const tn_node *tn_te_placeholder(tn_te *te, const char *name, tn_dtype dtype, uint32_t ndim,
                                        const tn_node *const *shape);
/// Begins the formula of a tensor, which a call of the tn_te_end family ends; one at a time. A name
/// that is taken gets a number.
TN_API void tn_te_begin(tn_te *te, const char *name, uint32_t ndim, const tn_node *const *shape);
/// The index along dimension `d` of the tensor begun. name: of its loop; NULL: "i0", "i1" ...; what
/// was given first stays.
TN_API const tn_node *tn_te_axis(tn_te *te, uint32_t d, const char *name);
/// An index from 0 to extent - 1 that the formula is reduced over. name: NULL: "k0", "k1" ...
TN_API const tn_node *tn_te_reduce_axis(tn_te *te, const char *name, const tn_node *extent);
/// Promises that no reduce axis of the tensor begun is empty. Without it, one whose extent is not a
/// number makes the initial value a block of its own, which also runs where there is nothing to
/// reduce.
TN_API void tn_te_assume_nonempty(tn_te *te);
/// tensor[axes] = value. The tensor has the value's type.
TN_API const tn_node *tn_te_end(tn_te *te, const tn_node *value);
/// Several tensors of one shape, NAME_v0, NAME_v1 ..., at most TN_TE_MAX_OUTPUTS; out_tensors has
/// room for n.
TN_API void tn_te_end_many(tn_te *te, uint32_t n, const tn_node *const *values,
                           const tn_node **out_tensors);
enum { TN_TE_MAX_OUTPUTS = 8 };

/// Reductions that have a name. The greatest of no floats is -inf, of no integers the least of the
/// type; the least likewise. MAX and MIN are T.max and T.min: with NaN among the values, what comes
/// out hangs on their order. MAXIMUM and MINIMUM give NaN then.
typedef enum tn_te_reduction {
  TN_TE_SUM,
  TN_TE_PROD,
  TN_TE_MAX,
  TN_TE_MIN,
  TN_TE_MAXIMUM,
  TN_TE_MINIMUM
} tn_te_reduction;
/// tensor[axes] = the values of all reduce axes taken together.
TN_API const tn_node *tn_te_end_reduce(tn_te *te, tn_te_reduction reduction, const tn_node *value);

/// A reduction of one's own, over n values at a time: argmax is one over pairs.
typedef struct tn_te_reducer {
  uint32_t n; ///< at most TN_TE_MAX_OUTPUTS
  /// Writes to `out` what so_far and value, n each, are together; associative and commutative.
  void (*combine)(tn_te *te, void *ctx, const tn_node *const *so_far, const tn_node *const *value,
                  const tn_node **out);
  void *ctx;
  const tn_node *const *identity; ///< n values that change nothing; their types are the tensors'
} tn_te_reducer;
/// The same with it: n values, n tensors, named as tn_te_end_many does (one: NAME alone).
TN_API void tn_te_end_reduce_with(tn_te *te, const tn_te_reducer *reducer,
                                  const tn_node *const *values, const tn_node **out_tensors);

/* ---- values ---- */
/* Types are promoted as in TVMScript: a bare integer takes the other side's type, bool -> int ->
 * wider int -> float -> wider float. */

/// tensor[indices]; an index may itself be read from a tensor.
TN_API const tn_node *tn_te_read(tn_te *te, const tn_node *tensor, uint32_t n_indices,
                                 const tn_node *const *indices);
/// A bare integer: int32 where it fits, else int64.
TN_API const tn_node *tn_te_int(tn_te *te, int64_t value);
/// A number of a type; one of an integer type must be whole and fit.
TN_API const tn_node *tn_te_number(tn_te *te, tn_dtype dtype, double value);
/// The least (greatest) value of a type; of floats -inf (inf).
TN_API const tn_node *tn_te_least(tn_te *te, tn_dtype dtype);
TN_API const tn_node *tn_te_greatest(tn_te *te, tn_dtype dtype);
TN_API const tn_node *tn_te_cast(tn_te *te, tn_dtype dtype, const tn_node *a);
TN_API const tn_node *tn_te_add(tn_te *te, const tn_node *a, const tn_node *b);
TN_API const tn_node *tn_te_sub(tn_te *te, const tn_node *a, const tn_node *b);
TN_API const tn_node *tn_te_mul(tn_te *te, const tn_node *a, const tn_node *b);
/// a / b; of integers toward zero.
TN_API const tn_node *tn_te_div(tn_te *te, const tn_node *a, const tn_node *b);
/// a // b and a % b, rounded down.
TN_API const tn_node *tn_te_floordiv(tn_te *te, const tn_node *a, const tn_node *b);
TN_API const tn_node *tn_te_floormod(tn_te *te, const tn_node *a, const tn_node *b);
/// T.min and T.max: a < b ? a : b and a > b ? a : b, so that NaN on either side gives b.
TN_API const tn_node *tn_te_min(tn_te *te, const tn_node *a, const tn_node *b);
TN_API const tn_node *tn_te_max(tn_te *te, const tn_node *a, const tn_node *b);
/// The smaller and the larger one; NaN where either is. b may be written out three times.
TN_API const tn_node *tn_te_minimum(tn_te *te, const tn_node *a, const tn_node *b);
TN_API const tn_node *tn_te_maximum(tn_te *te, const tn_node *a, const tn_node *b);
TN_API const tn_node *tn_te_eq(tn_te *te, const tn_node *a, const tn_node *b);
TN_API const tn_node *tn_te_ne(tn_te *te, const tn_node *a, const tn_node *b);
TN_API const tn_node *tn_te_lt(tn_te *te, const tn_node *a, const tn_node *b);
TN_API const tn_node *tn_te_le(tn_te *te, const tn_node *a, const tn_node *b);
TN_API const tn_node *tn_te_gt(tn_te *te, const tn_node *a, const tn_node *b);
TN_API const tn_node *tn_te_ge(tn_te *te, const tn_node *a, const tn_node *b);
TN_API const tn_node *tn_te_and(tn_te *te, const tn_node *a, const tn_node *b);
TN_API const tn_node *tn_te_or(tn_te *te, const tn_node *a, const tn_node *b);
TN_API const tn_node *tn_te_not(tn_te *te, const tn_node *a);
TN_API const tn_node *tn_te_neg(tn_te *te, const tn_node *a);
/// cond ? a : b with all three computed, so reads must stay inside their tensors.
TN_API const tn_node *tn_te_select(tn_te *te, const tn_node *cond, const tn_node *a,
                                   const tn_node *b);
/// cond ? a : b of which only the chosen one is computed: padding.
TN_API const tn_node *tn_te_if_then_else(tn_te *te, const tn_node *cond, const tn_node *a,
                                         const tn_node *b);
/// A function by its name in TVMScript: "exp", "sqrt", "pow", "clz" ... (T.exp and so on).
TN_API const tn_node *tn_te_call(tn_te *te, const char *name, uint32_t n_args,
                                 const tn_node *const *args);

/* ---- the function ---- */

/// Adds the public function `name` to *io_program, or where that is NULL makes a program of it,
/// which the caller frees. params: tensors and variables in the order in which it takes them; a
/// tensor that is no parameter is kept inside, one that no parameter needs is left out. The builder
/// can go on. Errors: what went wrong first, naming the tensor.
TN_API tn_status tn_te_create_prim_func(tn_te *te, const char *name, uint32_t n_params,
                                        const tn_node *const *params, tn_program **io_program);

#ifdef __cplusplus
}
#endif
#endif
