/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one piece of C++: std::to_chars() of libstdc++ is the well-kept implementation of
 * Ryu (Adams, PLDI 2018) that a Debian has. Ten times as fast as asking printf for 15, 16
 * and 17 digits, and answers are mostly numbers.
 */
#include <charconv>

extern "C" int num_shortest(char *out, int size, double d);

/* Writes finite d in the fewest digits that read back the same; no NUL. Returns the length; size 32 is always enough. */
extern "C" int num_shortest(char *out, int size, double d)
{
	return static_cast<int>(std::to_chars(out, out + size, d).ptr - out);
}
