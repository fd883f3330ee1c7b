/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LIB_VERSION_H
#define LIB_VERSION_H

extern const char version_text[];	/* `git describe` of what was built */

#endif
