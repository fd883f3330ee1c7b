/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `nsecwatch compare --local`: two files (or folders) of results, judged as the server would; needs none. */
#ifndef CLIENT_LOCAL_H
#define CLIENT_LOCAL_H

#include "options.h"

int local_compare(struct arena *a, const struct options *o);	/* the exit code */

#endif
