/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Which bytes of a text are a character, and which characters are commands; see text.h. */
#include "base/text.h"

#include <stdint.h>
#include <string.h>

size_t tn_text_char_bytes(const char *text, size_t len) {
  uint8_t first = (uint8_t)text[0];
  size_t want = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  for (size_t i = 1; i < want; ++i) {
    if (i >= len || ((uint8_t)text[i] & 0xc0) != 0x80) {
      return 1;
    }
  }
  return want;
}

bool tn_text_is_control(const char *text, size_t n_bytes) {
  uint8_t first = (uint8_t)text[0];
  uint8_t second = n_bytes > 1 ? (uint8_t)text[1] : 0;
  uint8_t third = n_bytes > 2 ? (uint8_t)text[2] : 0;
  bool is_c1 = n_bytes == 2 && first == 0xc2 && second < 0xa0;
  bool is_turn = n_bytes == 3 && first == 0xe2 && /* U+202A..U+202E, U+2066..U+2069 */
                 ((second == 0x80 && third >= 0xaa && third <= 0xae) ||
                  (second == 0x81 && third >= 0xa6 && third <= 0xa9));
  return first < 0x20 || first == 0x7f || is_c1 || is_turn || (n_bytes == 1 && first >= 0x80);
}

void tn_text_hide_controls(char *text, bool keeps_lines) {
  char *to = text;
  size_t len = strlen(text);
  for (size_t i = 0; i < len;) {
    size_t n_bytes = tn_text_char_bytes(text + i, len - i);
    bool stays = keeps_lines && (text[i] == '\n' || text[i] == '\t');
    if (!stays && tn_text_is_control(text + i, n_bytes)) {
      *to++ = '?';
    } else {
      memmove(to, text + i, n_bytes);
      to += n_bytes;
    }
    i += n_bytes;
  }
  *to = '\0';
}
