/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Pictures of the data set in a terminal. */
#ifndef TN_FASHION_PICTURE_H
#define TN_FASHION_PICTURE_H

#include <stdint.h>

enum { PICTURE_SIZE = 28, PICTURES_A_ROW = 3 };

typedef struct picture {
  const uint8_t *pixels; ///< [28, 28], 0 is black
  int predicted;         ///< class numbers, 0 to 9
  int truth;
} picture;

/// "Ankle boot"; "?" outside 0 to 9. Static storage.
const char *picture_class_name(int number);
/// Prints n pictures (at most PICTURES_A_ROW) side by side on 80 columns, with what was predicted
/// and what is true beneath: in shades of grey on a terminal, else in characters.
void picture_print_row(const picture *pictures, int n);

#endif
