/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright The Tenon authors. */
/* What the files of this room share and nobody else sees. */
#ifndef TN_TIR_TIR_PRIV_H
#define TN_TIR_TIR_PRIV_H

#include "base/check.h"
#include "tir/tir.h"

#endif
