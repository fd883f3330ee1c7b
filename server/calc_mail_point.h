/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a change began, as git and regzbot name it. */
#ifndef SERVER_CALC_MAIL_POINT_H
#define SERVER_CALC_MAIL_POINT_H

#include "calc_mail.h"

/* "v6.17-rc1", "next-20260213", a commit: what git calls the kernel, or the upstream tag under it. */
const char *calc_mail_point(struct arena *a, const struct cat_kernel *k);
/* The one commit that a variant takes out, and nothing else of it; NULL. */
const char *calc_mail_reverted(struct arena *a, const struct cat_kernel *k);
/* The commit, where a revert of it restores most of the change, else "v6.16..v6.17-rc1". */
const char *calc_mail_introduced(struct arena *a, const struct calc_mail *m);

#endif
