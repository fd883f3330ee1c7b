/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "submission.h"

#include "../lib/must.h"

const char *better_word(enum better better)
{
	switch (better) {
	case BETTER_LOWER:
		return "lower";
	case BETTER_HIGHER:
		return "higher";
	case BETTER_NEUTRAL:
		break;
	}
	must(better == BETTER_NEUTRAL);
	return "neutral";
}

const char *result_status_word(enum result_status status)
{
	switch (status) {
	case RESULT_OK:
		return "ok";
	case RESULT_FAILED:
		return "failed";
	case RESULT_SKIPPED:
		break;
	}
	must(status == RESULT_SKIPPED);
	return "skipped";
}
