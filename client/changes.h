/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `nsecwatch detect`: where the series of a file changed their level. Needs no server. */
#ifndef CLIENT_CHANGES_H
#define CLIENT_CHANGES_H

#include "options.h"

int changes(struct arena *a, const struct options *o);	/* the exit code */

#endif
