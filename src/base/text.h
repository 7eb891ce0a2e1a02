/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* Characters of UTF-8 text that may come from anywhere, and what of it may be shown to a person. */
#ifndef TN_BASE_TEXT_H
#define TN_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/// Bytes of the character at text[0], len >= 1; a byte that starts no UTF-8 character counts as
/// one.
size_t tn_text_char_bytes(const char *text, size_t len);
/// True for what a terminal would obey rather than show: control characters, signs that turn the
/// direction of writing, bytes that are no UTF-8. n_bytes: of the character.
bool tn_text_is_control(const char *text, size_t n_bytes);
/// Puts '?' in the place of each such character. Ends of lines and tabs stay when `keeps_lines`.
void tn_text_hide_controls(char *text, bool keeps_lines);

#endif
