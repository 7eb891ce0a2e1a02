/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* SVG by hand: rectangles and texts. */
#include "chart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  CELL_W = 84,
  CELL_H = 44,
  LEFT = 90,
  TOP = 64,
  BAR_H = 26,
  BAR_W = 420,
  NAME_W = 150,
  CHAR_W = 8
};

/* A text as SVG has it. */
static void put_text(FILE *out, int x, int y, const char *anchor, const char *text) {
  fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">", x, y, anchor);
  for (const char *c = text; *c != '\0'; ++c) {
    switch (*c) {
      case '<':
        fputs("&lt;", out);
        break;
      case '>':
        fputs("&gt;", out);
        break;
      case '&':
        fputs("&amp;", out);
        break;
      default:
        fputc(*c, out);
        break;
    }
  }
  fputs("</text>\n", out);
}

static void put_head(FILE *out, int width, int height, const char *title) {
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
          "font-family=\"sans-serif\" font-size=\"13\">\n"
          "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
          width, height);
  put_text(out, width / 2, 22, "middle", title);
}

/* From pale (0, the slowest) to green (1, the fastest). */
static void put_rect(FILE *out, int x, int y, int w, int h, double share) {
  int red = 250 - (int)(190 * share);
  int blue = 235 - (int)(125 * share);
  fprintf(out,
          "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"rgb(%d,%d,%d)\" "
          "stroke=\"white\"/>\n",
          x, y, w, h, red, 245 - (int)(65 * share), blue);
}

static void put_time(char *out, size_t n_bytes, double us) {
  if (us >= 1e6) {
    (void)snprintf(out, n_bytes, "%.3g s", us * 1e-6);
  } else if (us >= 1e3) {
    (void)snprintf(out, n_bytes, "%.3g ms", us * 1e-3);
  } else {
    (void)snprintf(out, n_bytes, "%.3g us", us);
  }
}

char *chart_draw_heat(const chart_heat *heat) {
  char *svg = NULL;
  size_t n_bytes = 0;
  FILE *out = open_memstream(&svg, &n_bytes);
  if (out == NULL) {
    return NULL;
  }
  int32_t n = heat->n_rows * heat->n_cols;
  double best = heat->us[0];
  for (int32_t i = 1; i < n; ++i) {
    best = heat->us[i] < best ? heat->us[i] : best;
  }
  put_head(out, LEFT + heat->n_cols * CELL_W + 20, TOP + heat->n_rows * CELL_H + 20, heat->title);
  put_text(out, LEFT + heat->n_cols * CELL_W / 2, 40, "middle", heat->col_title);
  put_text(out, 10, TOP - 8, "start", heat->row_title);
  for (int32_t j = 0; j < heat->n_cols; ++j) {
    put_text(out, LEFT + j * CELL_W + CELL_W / 2, TOP - 8, "middle", heat->cols[j]);
  }
  for (int32_t i = 0; i < n; ++i) {
    char text[32];
    int x = LEFT + i % heat->n_cols * CELL_W;
    int y = TOP + i / heat->n_cols * CELL_H;
    put_rect(out, x, y, CELL_W, CELL_H, best / heat->us[i]);
    if (isinf(heat->us[i])) {
      (void)snprintf(text, sizeof text, "refused");
    } else {
      put_time(text, sizeof text, heat->us[i]);
    }
    put_text(out, x + CELL_W / 2, y + 19, "middle", text);
    if (heat->gflops[i] > 0) {
      (void)snprintf(text, sizeof text, "%.3g GF/s", heat->gflops[i]);
      put_text(out, x + CELL_W / 2, y + 36, "middle", text);
    }
    if (i % heat->n_cols == 0) {
      put_text(out, LEFT - 10, y + CELL_H / 2 + 5, "end", heat->rows[i / heat->n_cols]);
    }
  }
  fputs("</svg>\n", out);
  return fclose(out) == 0 ? svg : NULL;
}

char *chart_draw_bars(const chart_bars *bars) {
  char *svg = NULL;
  size_t n_bytes = 0;
  FILE *out = open_memstream(&svg, &n_bytes);
  if (out == NULL) {
    return NULL;
  }
  double most = 0;
  int name_w = NAME_W;
  for (int32_t i = 0; i < bars->n; ++i) {
    int w = 20 + CHAR_W * (int)strlen(bars->names[i]);
    name_w = w > name_w ? w : name_w;
    most = bars->values[i] > most ? bars->values[i] : most;
  }
  put_head(out, name_w + BAR_W + 150, TOP + bars->n * BAR_H, bars->title);
  for (int32_t i = 0; i < bars->n; ++i) {
    char text[64];
    double share = most > 0 ? bars->values[i] / most : 0;
    int y = TOP - 20 + i * BAR_H;
    put_text(out, name_w - 10, y + 17, "end", bars->names[i]);
    put_rect(out, name_w, y, 1 + (int)(share * BAR_W), BAR_H - 4, share);
    (void)snprintf(text, sizeof text, "%.3g %s", bars->values[i], bars->unit);
    put_text(out, name_w + 8 + (int)(share * BAR_W), y + 17, "start", text);
  }
  if (bars->mark > 0 && bars->mark <= most) {
    int x = name_w + (int)(bars->mark / most * BAR_W);
    fprintf(out, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"black\"/>\n", x, TOP - 24,
            x, TOP - 20 + bars->n * BAR_H);
  }
  fputs("</svg>\n", out);
  return fclose(out) == 0 ? svg : NULL;
}
