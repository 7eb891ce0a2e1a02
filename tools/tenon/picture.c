/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* From pixels to the tensor of an input: where its channels, height and width stand, what the pixels
 * go through (--preprocess), and its element type. */
#include "picture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "pixels.h"
#include "tenon/abi/exec.h"

bool picture_is_path(const char *path) {
  static const char *const endings[] = {".png", ".jpg", ".jpeg"};
  const char *dot = strrchr(path, '.');
  for (size_t i = 0; dot != NULL && i < sizeof endings / sizeof *endings; ++i) {
    if (strcasecmp(dot, endings[i]) == 0) {
      return true;
    }
  }
  return false;
}

bool picture_mode_of(const cli_args *args, picture_mode *out_mode) {
  static const char *const names[] = {"none", "scale01", "imagenet"};
  const char *text = cli_value(args, "preprocess");
  *out_mode = PICTURE_NONE;
  for (size_t i = 0; text != NULL && i < sizeof names / sizeof *names; ++i) {
    if (strcmp(text, names[i]) == 0) {
      *out_mode = (picture_mode)i;
      return true;
    }
  }
  if (text != NULL) {
    (void)cli_usage(args, "--preprocess %s: none, scale01 or imagenet is needed", text);
    return false;
  }
  return true;
}

static tn_status refuse(const char *path, const tn_param_info *param, const char *why) {
  char text[4096];
  (void)snprintf(text, sizeof text, "%s as argument %s: %s: %s", path, param->name, param->text,
                 why);
  return tn_status_make(TN_INVALID, text);
}

/* Which of an input's extents are what; -1: it has none such. */
typedef struct layout {
  int32_t batch;
  int32_t channels;
  int32_t height;
  int32_t width;
} layout;

static bool is_channels(int64_t extent) { return extent == 1 || extent == 3; }

static bool layout_of(const tn_param_info *param, layout *out) {
  int32_t n = param->ndim;
  if (n == 2) {
    *out = (layout){-1, -1, 0, 1};
    return true;
  }
  if (n != 3 && n != 4) {
    return false;
  }
  const int64_t *dims = param->dims;
  int32_t first = n - 3;
  if (is_channels(dims[first])) {
    *out = (layout){first - 1, first, first + 1, first + 2};
  } else if (is_channels(dims[n - 1])) {
    *out = (layout){first - 1, n - 1, first, first + 1};
  } else {
    return false;
  }
  return out->batch < 0 || dims[0] < 0 || dims[0] == 1;
}

/* The nearest whole number, halves to the even one. */
static int32_t half_rounded(int32_t n) { return (n / 2) + ((n % 2 != 0) && (n / 2) % 2 != 0); }

/* ImageNet's evaluation: the shorter side to 256/224 of the cut, then its middle. */
static tn_status cut_middle(pixels *p, int32_t side) {
  enum { MAX_PIXELS = 64 << 20 };
  int32_t shorter = p->height < p->width ? p->height : p->width;
  int32_t longer = p->height < p->width ? p->width : p->height;
  int32_t near = (int32_t)lround(side * 256.0 / 224.0);
  int64_t far = lround((double)near * longer / shorter);
  if (far > MAX_PIXELS / near) {
    return tn_status_make(TN_UNSUPPORTED, "a picture as long and narrow as this one");
  }
  bool is_tall = p->height > p->width;
  tn_status st = pixels_resize(p, is_tall ? (int32_t)far : near, is_tall ? near : (int32_t)far);
  if (st == NULL) {
    pixels_crop(p, half_rounded(p->height - side), half_rounded(p->width - side), side, side);
  }
  return st;
}

static tn_status fit(const char *path, const tn_param_info *param, const layout *at,
                     picture_mode mode, pixels *p) {
  enum { IMAGENET_SIDE = 224, MAX_SIDE = 1 << 14 };
  int64_t height = param->dims[at->height];
  int64_t width = param->dims[at->width];
  if (mode == PICTURE_IMAGENET) {
    int64_t side = height >= 0 ? height : width >= 0 ? width : IMAGENET_SIDE;
    if ((height >= 0 && width >= 0 && height != width) || side < 1 || side > MAX_SIDE) {
      return refuse(path, param, "imagenet cuts out a square");
    }
    return cut_middle(p, (int32_t)side);
  }
  height = height < 0 ? p->height : height;
  width = width < 0 ? p->width : width;
  if (height < 1 || width < 1 || height > MAX_SIDE || width > MAX_SIDE) {
    return refuse(path, param, "no picture has that size");
  }
  return height == p->height && width == p->width
             ? NULL
             : pixels_resize(p, (int32_t)height, (int32_t)width);
}

/* What a pixel's byte becomes. channel 0..2: red, green, blue; 3: grey. */
static double value_of(const uint8_t *rgb, int32_t channel, picture_mode mode, bool is_bytes) {
  static const double mean[] = {0.485, 0.456, 0.406, 0.449};
  static const double deviation[] = {0.229, 0.224, 0.225, 0.226};
  enum { GREY = 3 };
  int32_t byte = channel == GREY ? (rgb[0] * 19595 + rgb[1] * 38470 + rgb[2] * 7471 + 0x8000) >> 16
                                 : rgb[channel];
  if (is_bytes || mode == PICTURE_NONE) {
    return byte;
  }
  double share = (double)((float)byte / 255.0F); /* as float32 networks were trained */
  return mode == PICTURE_SCALE01
             ? share
             : (double)(((float)share - (float)mean[channel]) / (float)deviation[channel]);
}

static void fill(const pixels *p, const layout *at, int32_t n_channels, picture_mode mode,
                 tn_tensor *tensor) {
  const DLTensor *dl = tn_tensor_dl(tensor);
  bool is_bytes = tn_dl_dtype(dl) == TN_DT_U8;
  bool is_first = at->channels < at->height;
  int64_t plane = (int64_t)p->height * p->width;
  for (int64_t i = 0; i < plane; ++i) {
    for (int32_t c = 0; c < n_channels; ++c) {
      double value = value_of(p->rgb + 3 * i, n_channels == 1 ? 3 : c, mode, is_bytes);
      int64_t to = is_first ? c * plane + i : i * n_channels + c;
      if (is_bytes) {
        ((uint8_t *)dl->data)[to] = (uint8_t)value;
      } else if (tn_dl_dtype(dl) == TN_DT_F64) {
        ((double *)dl->data)[to] = value;
      } else {
        ((float *)dl->data)[to] = (float)value;
      }
    }
  }
}

tn_status picture_load(const char *path, const tn_param_info *param, picture_mode mode,
                       tn_tensor **out_tensor) {
  layout at;
  pixels p = {0};
  int64_t dims[4];
  tn_tensor *tensor = NULL;
  if (param->kind != TN_EXEC_TY_TENSOR || param->ndim < 0 || !layout_of(param, &at)) {
    return refuse(path, param,
                  "a picture is [N,C,H,W], [N,H,W,C], the same without N, or [H,W], with N "
                  "1 and C 1 or 3; --shape gives an ONNX model's input its extents");
  }
  if (param->dtype != TN_DT_F32 && param->dtype != TN_DT_F64 && param->dtype != TN_DT_U8) {
    return refuse(path, param, "a picture has elements of float32, float64 or uint8");
  }
  int32_t n_channels = at.channels < 0 ? 1 : (int32_t)param->dims[at.channels];
  tn_status st = pixels_read(path, &p);
  st = st == NULL ? fit(path, param, &at, mode, &p) : st;
  if (st == NULL) {
    dims[0] = 1;
    dims[at.height] = p.height;
    dims[at.width] = p.width;
    if (at.channels >= 0) {
      dims[at.channels] = n_channels;
    }
    st = tn_tensor_create(param->dtype, param->ndim, dims, NULL, &tensor);
  }
  if (st == NULL) {
    fill(&p, &at, n_channels, mode, tensor);
    *out_tensor = tensor;
  }
  pixels_free(&p);
  return st;
}
