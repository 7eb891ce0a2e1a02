/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Sizes that the types of a function's parameters leave open, by name: given with --size or seen in the
 * arrays that were given, and used to make the arguments that were not.
 *
 *   main(x: R.Tensor(("n", 8)), y: R.Tensor(("n", 3)))    x.npy has 5 rows: n is 5, y is (5, 3) */
#ifndef TN_TOOLS_SIZES_H
#define TN_TOOLS_SIZES_H

#include "cli.h"

enum { SIZES_MAX = 64, SIZES_NAME_BYTES = 64, SIZES_TEXT_BYTES = 256, SIZES_MAX_NDIM = 16 };

typedef struct sizes {
  int32_t n;
  struct {
    char name[SIZES_NAME_BYTES];
    int64_t value;      /* -1: not known */
    const char *option; /* the --size that gave it, else NULL */
  } items[SIZES_MAX];
} sizes;

/// Writes the open extent `i` of a type as its text has it, "n" or "n * 2", to `out`
/// [SIZES_TEXT_BYTES]. False for a number, and when it is longer than anything a person writes.
bool sizes_text(const tn_param_info *param, int32_t i, char *out);
/// Gathers the names from the parameters' types. Names past SIZES_MAX stay open.
void sizes_init(sizes *s, const tn_param_info *params, int32_t n_params);
/// Every value of --size has the form NAME=N; otherwise prints what is wrong and returns false.
bool sizes_check(const cli_args *args);
/// Takes the values of --size. Errors: INVALID for a name that no type has, naming those that there are.
tn_status sizes_set(sizes *s, const cli_args *args);
/// Takes the extents of the tensor given for `param`. INVALID where a --size says otherwise; what
/// disagrees with the type or with another array is left to the call, which checks every argument.
tn_status sizes_see(sizes *s, const tn_param_info *param, const DLTensor *dl);
/// The extents of `param` with its names replaced into `out_dims` [SIZES_MAX_NDIM]; -1 where one stays
/// open. False when there are such, or the rank is not known.
bool sizes_dims(const sizes *s, const tn_param_info *param, int64_t *out_dims);
/// The value of the size `name`; false when there is no such size or it is not known.
bool sizes_of(const sizes *s, const char *name, int64_t *out_value);
/// Takes the number given for the scalar parameter `name`, which may be a size of other parameters.
tn_status sizes_see_number(sizes *s, const char *name, int64_t value);
/// The name of the first open size of `param`, NULL when none is to blame.
const char *sizes_open_name(const sizes *s, const tn_param_info *param);

#endif
