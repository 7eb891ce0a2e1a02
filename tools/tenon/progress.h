/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* One line on a terminal that says what is being done, for anything that takes longer than a second;
 * nothing where standard error is no terminal. */
#ifndef TN_TOOLS_PROGRESS_H
#define TN_TOOLS_PROGRESS_H

/// From now on this is being done ("compiling", "lower_blocks"); either may be "". Any thread of the
/// tool's own may call it; texts are copied.
void progress_say(const char *what, const char *part);
/// Nothing is being done any more; takes the line away. To be called before anything is printed.
void progress_end(void);

#endif
