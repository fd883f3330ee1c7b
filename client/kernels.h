/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `nsecwatch kernel`: what names of kernels say, by track and in order. */
#ifndef CLIENT_KERNELS_H
#define CLIENT_KERNELS_H

#include "options.h"

int kernels(struct arena *a, const struct options *o);	/* the exit code */

#endif
