/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Measurements as drawings in SVG. */
#ifndef TN_TOOLS_CHART_H
#define TN_TOOLS_CHART_H

#include "variants.h"

/// Times of all combinations of two knobs.
typedef struct chart_heat {
  const char *title;
  const char *row_title;
  const char *col_title;
  int32_t n_rows;
  int32_t n_cols;
  const char *rows[MAX_VARIANTS];
  const char *cols[MAX_VARIANTS];
  double us[MAX_VARIANTS];     /* row after row; infinite: refused */
  double gflops[MAX_VARIANTS]; /* 0: not known */
} chart_heat;

/// Rates one after another, or times where there are no rates.
typedef struct chart_bars {
  const char *title;
  int32_t n;
  const char *names[MAX_VARIANTS];
  double values[MAX_VARIANTS];
  const char *unit; /* "GFLOP/s" */
  double mark;      /* a line across the bars at this value; 0: none */
} chart_bars;

/// A whole SVG file; the caller frees it. NULL without memory.
char *chart_draw_heat(const chart_heat *heat);
char *chart_draw_bars(const chart_bars *bars);

#endif
