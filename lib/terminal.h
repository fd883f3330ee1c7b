/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a SIGHUP means: that the terminal went away (the program is to end), or, sent by a person or by systemd, that files are
 * to be read anew. The kernel takes the terminal from its processes before it signals them.
 */
#ifndef LIB_TERMINAL_H
#define LIB_TERMINAL_H

#include <stdbool.h>

bool terminal_is_there(void);	/* whether the process has a controlling terminal now */

#endif
