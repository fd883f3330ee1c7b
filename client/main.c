/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lab client: what machines of a lab and CI jobs run. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "../lib/version.h"
#include "bench.h"
#include "bisect.h"
#include "changes.h"
#include "collect.h"
#include "gate.h"
#include "kernels.h"
#include "local.h"
#include "options.h"
#include "parse.h"
#include "push.h"
#include "say.h"


static int run(struct arena *a, const struct options *o)
{
	if (!strcmp(o->command, "bench"))
		return bench(a, o);
	if (!strcmp(o->command, "bisect start"))
		return bisect_start(a, o);
	if (!strcmp(o->command, "bisect judge"))
		return bisect_judge(a, o);
	if (!strcmp(o->command, "bisect log"))
		return bisect_log(a, o);
	if (!strcmp(o->command, "collect"))
		return collect(a, o);
	if (!strcmp(o->command, "push"))
		return push(a, o);
	if (!strcmp(o->command, "check"))
		return gate_check(a, o);
	if (!strcmp(o->command, "compare"))
		return o->local ? local_compare(a, o) : gate_compare(a, o);
	if (!strcmp(o->command, "parse"))
		return parse(o);
	if (!strcmp(o->command, "detect"))
		return changes(a, o);
	if (!strcmp(o->command, "kernel"))
		return kernels(a, o);
	printf("nsecwatch %s\n", version_text);
	return 0;
}

int main(int argc, char **argv)
{
	struct arena *a = arena_new();
	struct err err = { 0 };
	struct options o;
	int status = 0;

	setlinebuf(stdout); /* in order with what goes to standard error */
	signal(SIGPIPE, SIG_IGN); /* a server that hangs up is an error, not our end */
	if (options_read(a, argc, argv, &o, &err)) {
		say("%s", err.message);
		status = o.command && !strcmp(o.command, "bisect judge") ? BISECT_ABORT : OPTIONS_USAGE;
	} else if (o.help) {
		options_help(&o, stdout);
	} else {
		status = run(a, &o);
	}
	if (fflush(stdout) || ferror(stdout))
		status = say("standard output: cannot be written");
	arena_free(a);
	return status;
}
