/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hackbench, of rt-tests or perf bench's ancestor: "Running in process mode with 2 groups
 * using 20 file descriptors each (== 40 tasks)", "Each sender will pass 200 messages of
 * 100 bytes", "Time: 0.183". Runs of the same shape are repetitions. Pipes or sockets
 * is told by the command's line only.
 */
#include "format_sink.h"

#include <stdio.h>
#include <string.h>

#include "format_text.h"

struct reading {
	struct format_sink k;
	struct format_lines lines;
	const char *transport;		/* of the command's line, or NULL */
	bool is_set;			/* a mode was said */
};

static bool take_mode(struct reading *rd, const char *line)
{
	struct format_sink *k = &rd->k;
	double groups, fds;
	char mode[16];

	if (sscanf(line, "Running in %15s mode with %lf groups using %lf file", mode, &groups, &fds) != 3)
		return false;
	rd->is_set = true;
	k->n_params = 0;
	format_sink_text(k, "mode", strncmp(mode, "thread", 6) ? "process" : "threads");
	format_sink_number(k, "groups", groups);
	format_sink_number(k, "file_descriptors", fds);
	format_sink_text(k, "transport", rd->transport);
	return true;
}

static bool take_messages(struct reading *rd, const char *line)
{
	double messages, size;

	if (sscanf(line, "Each sender will pass %lf messages of %lf bytes", &messages, &size) != 2)
		return false;
	format_sink_number(&rd->k, "messages", messages);
	format_sink_number(&rd->k, "message_bytes", size);
	return true;
}

/* "2026-07-19 18:06:13 hackbench -g 256 --pipe", "$ hackbench -p" */
static bool take_command(struct reading *rd, const char *line)
{
	const char *at = strstr(line, "hackbench ");

	if (!at || (at > line && at[-1] != ' ' && at[-1] != '/'))
		return false;
	rd->transport = strstr(at, "--pipe") || strstr(at, " -p ") || !strcmp(at + strlen(at) - 3, " -p") ? "pipe" : "socket";
	format_source(rd->k.f, &rd->k.d, "hackbench", NULL, at);
	return true;
}

static bool take_time(struct reading *rd, const char *line)
{
	struct draft_result r = { .in = "line", .index = rd->lines.number, .benchmark = "hackbench", .metric = "time", .unit = "s",
				  .better = BETTER_LOWER };
	double v;
	int end = 0;

	if (sscanf(line, "Time: %lf%n", &v, &end) != 1 || line[end])
		return false;
	if (rd->is_set)
		format_sink_add(&rd->k, &r, v);
	else
		format_left_out_line(&rd->k.d, rd->lines.number, "expected \"Running in process mode with 2 groups ...\" before it");
	return true;
}

static bool is_ours(const char *line)
{
	return format_text_starts(line, "Running in ") && strstr(line, " mode with ") && strstr(line, " groups using ");
}

int format_hackbench_read(struct format_file *f, struct err *err)
{
	struct reading rd = { .lines = { f->text, f->text + f->len, 0 } };
	bool ours = false;
	char *line;

	format_sink_init(&rd.k, f, "hackbench");
	while ((line = format_text_line(&rd.lines, f->a))) {
		bool mode = take_mode(&rd, line);

		ours |= mode;
		if (mode || take_messages(&rd, line) || take_time(&rd, line) || take_command(&rd, line))
			continue;
		if (strstr(line, "SENDER:") || strstr(line, "fork()") || strstr(line, "(error"))
			format_left_out_line(&rd.k.d, rd.lines.number, "hackbench failed: %.200s", line);
	}
	if (!ours) {
		format_sink_fini(&rd.k);
		return err_set(err, ERR_INVALID, "hackbench's output: expected \"Running in process mode with 2 groups using 20 "
			       "file descriptors each\"");
	}
	format_sink_end(&rd.k);
	return 0;
}

int format_hackbench_sniff(const char *text, size_t len)
{
	return format_text_any_line(text, len, is_ours) ? 85 : 0;
}
