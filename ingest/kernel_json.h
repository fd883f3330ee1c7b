/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef INGEST_KERNEL_JSON_H
#define INGEST_KERNEL_JSON_H

#include "../lib/jsonw.h"
#include "kernel.h"

/* {"base":"6.17-rc1","reverts":["cac1db8c3aad"],"applies":[{"title":...,"url":...}]}; null of what is no variant. */
void kernel_json_variant(struct jsonw *j, const struct kernel *k);

#endif
