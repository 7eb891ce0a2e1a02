/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Pictures as arguments: a .png or .jpg becomes the tensor that a network of pictures takes. */
#ifndef TN_TOOLS_PICTURE_H
#define TN_TOOLS_PICTURE_H

#include "cli.h"

/// What --preprocess says.
typedef enum picture_mode {
  PICTURE_NONE,    /* 0..255, at the input's height and width */
  PICTURE_SCALE01, /* the same, divided by 255 */
  PICTURE_IMAGENET /* shorter side to 256, the middle 224 x 224, /255, mean and deviation of ImageNet */
} picture_mode;

/// True when the path ends in .png, .jpg or .jpeg, in any case.
bool picture_is_path(const char *path);
/// The value of --preprocess ("none" when it was not given). False after printing what is wrong.
bool picture_mode_of(const cli_args *args, picture_mode *out_mode);
/// Reads the picture for parameter `param`: [N,C,H,W], [N,H,W,C], without N, or [H,W], with 1 or 3
/// channels, by its extents; those that are open follow the picture. Elements are floats or uint8
/// (which imagenet only cuts out). Errors name the file.
tn_status picture_load(const char *path, const tn_param_info *param, picture_mode mode,
                       tn_tensor **out_tensor);

#endif
