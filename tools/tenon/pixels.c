/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Picture files through libpng and libjpeg. Both leave by longjmp when a file is broken: what has to
 * be given back lies in a struct that outlives the jump, and the functions that jump hold nothing. A
 * file is hostile: its size is looked at before memory is taken for it. */
#include "pixels.h"

#include <errno.h>
#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h> /* wants stdio before it */

enum { MAX_PIXELS = 64 << 20, MAX_SIDE = 1 << 16, MESSAGE_BYTES = 256 };

typedef struct reading {
  FILE *file;
  pixels p;
  jmp_buf out;
  char message[MESSAGE_BYTES];
  png_structp png;
  png_infop info;
  struct jpeg_decompress_struct jpeg;
  struct jpeg_error_mgr jpeg_errors;
  png_bytep *rows;
} reading;

static void fail(reading *r, const char *message) {
  (void)snprintf(r->message, sizeof r->message, "%s", message);
  longjmp(r->out, 1);
}

static void take_memory(reading *r, uint32_t height, uint32_t width) {
  if (height == 0 || width == 0 || height > MAX_SIDE || width > MAX_SIDE ||
      (uint64_t)height * width > MAX_PIXELS) {
    (void)snprintf(r->message, sizeof r->message,
                   "%u x %u pixels; a picture has 1 to %d million of them", width, height,
                   MAX_PIXELS >> 20);
    longjmp(r->out, 1);
  }
  r->p.height = (int32_t)height;
  r->p.width = (int32_t)width;
  r->p.rgb = calloc((size_t)height * width, 3);
  if (r->p.rgb == NULL) {
    fail(r, "no memory for its pixels");
  }
}

/* ---- PNG ---- */

static void png_failed(png_structp png, png_const_charp text) {
  fail(png_get_error_ptr(png), text);
}

static void png_warned(png_structp png, png_const_charp text) {
  (void)png;
  (void)text;
}

static void read_png(reading *r) {
  r->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, r, png_failed, png_warned);
  r->info = r->png != NULL ? png_create_info_struct(r->png) : NULL;
  if (r->info == NULL) {
    fail(r, "no memory for reading it");
  }
  png_set_user_limits(r->png, MAX_SIDE, MAX_SIDE);
  png_init_io(r->png, r->file);
  png_read_info(r->png, r->info);
  take_memory(r, png_get_image_height(r->png, r->info), png_get_image_width(r->png, r->info));
  png_set_expand(r->png);
  png_set_strip_16(r->png);
  png_set_gray_to_rgb(r->png);
  png_set_strip_alpha(r->png);
  (void)png_set_interlace_handling(r->png);
  png_read_update_info(r->png, r->info);
  if (png_get_rowbytes(r->png, r->info) != 3 * (size_t)r->p.width) {
    fail(r, "its pixels are not red, green and blue");
  }
  r->rows = malloc(sizeof *r->rows * (size_t)r->p.height);
  if (r->rows == NULL) {
    fail(r, "no memory for its rows");
  }
  for (int32_t y = 0; y < r->p.height; ++y) {
    r->rows[y] = r->p.rgb + 3 * (size_t)r->p.width * (size_t)y;
  }
  png_read_image(r->png, r->rows);
  png_read_end(r->png, NULL);
}

/* ---- JPEG ---- */

static void jpeg_failed(j_common_ptr jpeg) {
  char text[JMSG_LENGTH_MAX];
  jpeg->err->format_message(jpeg, text);
  fail(jpeg->client_data, text);
}

/* libjpeg only warns of data that ends early or is garbled, and goes on with grey. */
static void jpeg_said(j_common_ptr jpeg, int level) {
  if (level < 0) {
    jpeg_failed(jpeg);
  }
}

static void read_jpeg(reading *r) {
  r->jpeg.err = jpeg_std_error(&r->jpeg_errors);
  r->jpeg_errors.error_exit = jpeg_failed;
  r->jpeg_errors.emit_message = jpeg_said;
  r->jpeg.client_data = r;
  jpeg_create_decompress(&r->jpeg);
  r->jpeg.client_data = r;
  jpeg_stdio_src(&r->jpeg, r->file);
  (void)jpeg_read_header(&r->jpeg, TRUE);
  take_memory(r, r->jpeg.image_height, r->jpeg.image_width);
  r->jpeg.out_color_space = JCS_RGB;
  (void)jpeg_start_decompress(&r->jpeg);
  while (r->jpeg.output_scanline < r->jpeg.output_height) {
    JSAMPROW row = r->p.rgb + 3 * (size_t)r->p.width * r->jpeg.output_scanline;
    (void)jpeg_read_scanlines(&r->jpeg, &row, 1);
  }
  (void)jpeg_finish_decompress(&r->jpeg);
}

/* ---- files ---- */

static tn_status error_of(tn_code code, const char *path, const char *what) {
  char text[4096 + MESSAGE_BYTES];
  (void)snprintf(text, sizeof text, "%s: %s", path, what);
  return tn_status_make(code, text);
}

static bool read_any(reading *r) {
  unsigned char head[8] = {0};
  if (setjmp(r->out) != 0) {
    return false;
  }
  size_t n = fread(head, 1, sizeof head, r->file);
  rewind(r->file);
  if (n == sizeof head && png_sig_cmp(head, 0, sizeof head) == 0) {
    read_png(r);
  } else if (n > 2 && head[0] == 0xff && head[1] == 0xd8) {
    read_jpeg(r);
  } else {
    fail(r, "it is neither a PNG nor a JPEG file");
  }
  return true;
}

tn_status pixels_read(const char *path, pixels *out) {
  reading *r = calloc(1, sizeof *r); /* on the heap: what a jump must not lose */
  if (r == NULL) {
    return error_of(TN_NO_MEMORY, path, "no memory for reading it");
  }
  r->file = fopen(path, "rb");
  if (r->file == NULL) {
    free(r);
    return error_of(TN_IO, path, strerror(errno));
  }
  bool is_ok = read_any(r);
  if (r->png != NULL) {
    png_destroy_read_struct(&r->png, &r->info, NULL);
  }
  if (r->jpeg.err != NULL) {
    jpeg_destroy_decompress(&r->jpeg);
  }
  (void)fclose(r->file);
  free(r->rows);
  tn_status st = NULL;
  if (is_ok) {
    *out = r->p;
  } else {
    free(r->p.rgb);
    st = error_of(TN_CORRUPT, path, r->message);
  }
  free(r);
  return st;
}

/* ---- resizing ---- */

/* One output pixel is a weighted sum of `n` input pixels from `first` on; weights sum to 2^22, so that
 * a sum of bytes stays below 2^31. */
enum { WEIGHT_BITS = 22 };

typedef struct taps {
  int32_t first;
  int32_t n;
} taps;

typedef struct filter {
  int32_t n_out;
  int32_t most; /* weights a pixel has at most */
  taps *taps;   /* [n_out] */
  int32_t *weights;
} filter;

static void filter_free(filter *f) {
  free(f->taps);
  free(f->weights);
}

static double triangle(double x) { return fabs(x) < 1 ? 1 - fabs(x) : 0; }

/* The triangle is as wide as two output pixels are when the picture shrinks, and as two input pixels
 * when it grows. */
static bool filter_make(int32_t n_in, int32_t n_out, filter *f) {
  double scale = (double)n_in / n_out;
  double width = scale > 1 ? scale : 1;
  *f = (filter){.n_out = n_out, .most = 2 * (int32_t)ceil(width) + 1};
  f->taps = calloc((size_t)n_out, sizeof *f->taps);
  f->weights = calloc((size_t)n_out * (size_t)f->most, sizeof *f->weights);
  double *exact = calloc((size_t)f->most, sizeof *exact);
  bool is_ok = f->taps != NULL && f->weights != NULL && exact != NULL;
  for (int32_t i = 0; is_ok && i < n_out; ++i) {
    double centre = (i + 0.5) * scale;
    int32_t first = (int32_t)(centre - width + 0.5);
    int32_t last = (int32_t)(centre + width + 0.5);
    double sum = 0;
    first = first < 0 ? 0 : first;
    last = last > n_in ? n_in : last;
    for (int32_t k = 0; k < last - first; ++k) {
      exact[k] = triangle((first + k - centre + 0.5) / width);
      sum += exact[k];
    }
    f->taps[i] = (taps){first, last - first};
    for (int32_t k = 0; k < last - first; ++k) {
      f->weights[i * f->most + k] = (int32_t)(exact[k] / sum * (1 << WEIGHT_BITS) + 0.5);
    }
  }
  free(exact);
  return is_ok;
}

/* Output pixels of one line, a byte each channel; `step`: bytes from one input pixel to the next. */
static void filter_line(const filter *f, const uint8_t *in, size_t in_step, uint8_t *out,
                        size_t out_step) {
  for (int32_t i = 0; i < f->n_out; ++i) {
    const int32_t *weights = &f->weights[i * f->most];
    for (int32_t c = 0; c < 3; ++c) {
      int64_t sum = INT64_C(1) << (WEIGHT_BITS - 1);
      for (int32_t k = 0; k < f->taps[i].n; ++k) {
        sum += (int64_t)in[(size_t)(f->taps[i].first + k) * in_step + (size_t)c] * weights[k];
      }
      sum >>= WEIGHT_BITS;
      out[(size_t)i * out_step + (size_t)c] = (uint8_t)(sum < 0 ? 0 : sum > 255 ? 255 : sum);
    }
  }
}

tn_status pixels_resize(pixels *p, int32_t height, int32_t width) {
  filter rows = {0};
  filter cols = {0};
  size_t wide = 3 * (size_t)width;
  uint8_t *half = calloc((size_t)p->height, wide);
  uint8_t *out = calloc((size_t)height, wide);
  bool is_ok = half != NULL && out != NULL && filter_make(p->width, width, &rows) &&
               filter_make(p->height, height, &cols);
  for (int32_t y = 0; is_ok && y < p->height; ++y) {
    filter_line(&rows, p->rgb + 3 * (size_t)p->width * (size_t)y, 3, half + wide * (size_t)y, 3);
  }
  for (int32_t x = 0; is_ok && x < width; ++x) {
    filter_line(&cols, half + 3 * (size_t)x, wide, out + 3 * (size_t)x, wide);
  }
  filter_free(&rows);
  filter_free(&cols);
  free(half);
  if (!is_ok) {
    free(out);
    return tn_status_make(TN_NO_MEMORY, "no memory for resizing a picture");
  }
  free(p->rgb);
  *p = (pixels){height, width, out};
  return NULL;
}

void pixels_crop(pixels *p, int32_t top, int32_t left, int32_t height, int32_t width) {
  for (int32_t y = 0; y < height; ++y) {
    const uint8_t *from = p->rgb + 3 * ((size_t)p->width * (size_t)(top + y) + (size_t)left);
    memmove(p->rgb + 3 * (size_t)width * (size_t)y, from, 3 * (size_t)width);
  }
  p->height = height;
  p->width = width;
}

void pixels_free(pixels *p) {
  free(p->rgb);
  *p = (pixels){0};
}
