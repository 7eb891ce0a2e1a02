/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Pictures of the data set in a terminal: one character stands for two pixels, one above the other.
 * The outermost columns, nearly always black, are left out: three pictures of 26 fill 80 columns.
 */
#include "picture.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CUT = 1, SHOWN = PICTURE_SIZE - 2 * CUT };

const char *picture_class_name(int number) {
  static const char *const names[] = {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
                                      "Sandal",      "Shirt",   "Sneaker",  "Bag",   "Ankle boot"};
  return number >= 0 && number < 10 ? names[number] : "?";
}

/* The 24 greys of a 256-colour terminal are the colours 232 to 255. */
static int grey(uint8_t pixel) { return 232 + pixel * 24 / 256; }

static void print_line(const uint8_t *upper, const uint8_t *lower, bool has_colour) {
  static const char ramp[] = " .:-=+*#%@";
  for (int x = CUT; x < CUT + SHOWN; ++x) {
    if (has_colour) {
      printf("\033[38;5;%dm\033[48;5;%dm\xe2\x96\x80", grey(upper[x]), grey(lower[x])); /* U+2580 */
    } else {
      putchar(ramp[(upper[x] + lower[x]) / 2 * 10 / 256]);
    }
  }
  fputs(has_colour ? "\033[0m" : "", stdout);
}

static void print_captions(const picture *pictures, int n, bool is_truth) {
  for (int i = 0; i < n; ++i) {
    char text[SHOWN + 1];
    bool is_right = pictures[i].predicted == pictures[i].truth;
    (void)snprintf(text, sizeof text, "%s %s%s", is_truth ? "true:     " : "predicted:",
                   picture_class_name(is_truth ? pictures[i].truth : pictures[i].predicted),
                   is_right || is_truth ? "" : " !");
    printf("%-*s%s", i + 1 < n ? SHOWN + 1 : 0, text, i + 1 < n ? "" : "\n");
  }
}

void picture_print_row(const picture *pictures, int n) {
  const char *term = getenv("TERM");
  bool has_colour = isatty(STDOUT_FILENO) && term != NULL && strcmp(term, "dumb") != 0;
  for (int y = 0; y < PICTURE_SIZE; y += 2) {
    for (int i = 0; i < n; ++i) {
      const uint8_t *upper = pictures[i].pixels + y * PICTURE_SIZE;
      print_line(upper, upper + PICTURE_SIZE, has_colour);
      fputs(i + 1 < n ? " " : "\n", stdout);
    }
  }
  print_captions(pictures, n, false);
  print_captions(pictures, n, true);
  putchar('\n');
}
