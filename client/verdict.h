/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waiting until the server has judged runs. */
#ifndef CLIENT_VERDICT_H
#define CLIENT_VERDICT_H

#include "http.h"

/* Prints the verdict on the runs. 1: something became slower, 0: nothing did, -1: err. */
int verdict_wait(struct http *h, struct arena *a, const struct options *o, const char *const *runs, size_t n,
		 struct err *err);

#endif
