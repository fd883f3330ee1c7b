/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sweep as a resource, as text for a mail and as a picture. */
#ifndef SERVER_API_SWEEP_H
#define SERVER_API_SWEEP_H

#include "calc_sweep.h"
#include "web.h"

int api_sweep(struct req *rq, struct err *err);

/*
 * Facts as one sentence: "6.17-rc1 is slower than 6.16 from 40 KiB up, by +14 % .. +150 %:
 * per page +150 %, fixed cost +1.5 %."
 */
const char *api_sweep_sentence(struct arena *a, const struct sweep *s, const struct sweep_ratio *r);
/* All sentences of the one group there is; NULL with several groups, or none. */
const char *api_sweep_sentences(struct arena *a, const struct sweep *s);
/* The ratio of the kernel that r's kernel is a variant of, in the same group; NULL: none. */
const struct sweep_ratio *api_sweep_fixes(const struct sweep *s, const struct sweep_ratio *r);

void api_sweep_text(struct buf *out, struct arena *a, const struct sweep *s);
void api_sweep_svg(struct buf *out, struct arena *a, const struct sweep *s);

#endif
