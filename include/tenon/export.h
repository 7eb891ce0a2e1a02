/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What the shared libraries export: they are built with hidden visibility, and TN_API opens a name.
 */
#ifndef TN_TENON_EXPORT_H
#define TN_TENON_EXPORT_H

#define TN_API __attribute__((visibility("default")))

#endif
