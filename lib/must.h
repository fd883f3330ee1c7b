/* SPDX-License-Identifier: GPL-2.0-or-later */
/* must(expr): ends the process for what only a bug can break. Never compiled out. */
#ifndef LIB_MUST_H
#define LIB_MUST_H

#define must(expr) ((expr) ? (void)0 : must_fail(#expr, __FILE__, __LINE__))

void must_fail(const char *expr, const char *file, int line) __attribute__((noreturn));

#endif
