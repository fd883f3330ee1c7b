/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The mail of an alert: its words, names that would break it, commands over several lines, where a change began. */
#include "../../server/calc_mail.h"
#include "../../server/calc_mail_command.h"
#include "../../server/calc_mail_point.h"
#include "../../server/calc_mail_regzbot.h"
#include <unistd.h>

#include "tap.h"

static struct cat_benchmark benchmark = { .id = 1, .name = "mprotect/tw4m" };
static struct cat_metric metric = { .id = 1, .name = "latency", .unit = "ns/call", .better = BETTER_LOWER };
static struct cat_machine machine = { .id = 1, .name = "milan-01", .isa = "x86_64", .uarch = "epyc-milan", .facts = "{}" };
static struct cat_config config = { .id = 1, .thp = "always", .base_page_kib = 4, .flavour = "" };
static struct cat_kernel kernels[] = { { .id = 1, .name = "6.16", .base = "6.16", .track = "mainline" },
				       { .id = 2, .name = "6.17-rc1", .base = "6.17", .rc = 1, .track = "mainline" } };
static struct cat_param params[][1] = { { { "threads", "1", true, 1 } }, { { "threads", "2", true, 2 } } };
static struct cat_series series[2];
static struct db_change changes[2];
static struct calc_alert_row rows[2];
static struct compare_row sides[2];
static const struct compare_row *picked[2];
static const char *machine_names[] = { "milan-01" }, *thp_names[] = { "always" };
static struct db_alert row;
static struct calc_alert alert;
static struct compare pair;
static struct calc_mail mail;

/* Two rows of a regression, 3 boots x 5 repetitions a kernel. */
static struct calc_mail *story(struct arena *a)
{
	row = (struct db_alert){ .track = "mainline", .regression = true, .state = "new", .n_series = 2,
				 .worst_percent = 50, .created_at = INT64_C(1771000200) * 1000000,
				 .changed_at = TM_NONE, .due_at = TM_NONE, .restored_percent = NAN };
	memset(&row.id, 0x42, sizeof(row.id));
	for (int i = 0; i < 2; i++) {
		series[i] = (struct cat_series){ .id = i + 1, .benchmark = &benchmark, .metric = &metric, .machine = &machine,
						   .config = &config, .params = "{}", .param = params[i], .n_params = 1 };
		changes[i] = (struct db_change){ i + 1, 1, 2, 1000, 1250 + 250 * i, 25 + 25 * i, "regression", "strong",
						 1e-6, 3, 3 };
		rows[i] = (struct calc_alert_row){ &series[i], &kernels[0], &kernels[1], &changes[i] };
		sides[i] = (struct compare_row){
			.series = &series[i], .base = { 3, 3, 15, 1000, 8, 990, 1010, log(1000), .008 },
			.head = { 3, 3, 15, 1250 + 250 * i, 12, 1240, 1260, log(1250), .01 },
			.change_percent = 25 + 25 * i, .direction = COMPARE_WORSE, .tested = true, .noise_percent = .8,
			.detectable_percent = 2.4, .verdict = COMPARE_REGRESSION, .confidence = COMPARE_STRONG,
			.restored_percent = NAN, .remaining_percent = NAN };
		picked[i] = &sides[i];
	}
	alert = (struct calc_alert){ .alert = &row, .from = &kernels[0], .to = &kernels[1], .benchmark = &benchmark,
				     .machines = machine_names, .thp = thp_names, .n_machines = 1, .n_thp = 1,
				     .rows = rows, .n_rows = 2 };
	pair = (struct compare){ .base = &kernels[0], .head = &kernels[1], .rows = sides, .n_rows = 2 };
	mail = (struct calc_mail){ .alert = &alert, .pair = &pair, .rows = picked, .n_rows = 2, .extent = { NAN, NAN },
				   .look = { .public_url = "https://perf.example/" } };
	mail.places = calc_matrix(a, &pair, "uarch", "thp");
	mail.modes = calc_matrix(a, &pair, "benchmark", "thp");
	return &mail;
}

/* Columns of the longest line that is no link. */
static size_t longest_line(const char *text)
{
	size_t most = 0;

	for (const char *p = text; *p; p += strcspn(p, "\n"), p += *p == '\n') {
		size_t n = 0;

		for (const char *c = p; *c && *c != '\n'; c++)
			n += ((unsigned char)*c & 0xc0) != 0x80;
		if (strncmp(p, "http", 4) && n > most)
			most = n;
	}
	return most;
}

static void test_words(void)
{
	struct arena *a = arena_new();
	struct calc_mail *m = story(a);
	struct buf b, again;

	buf_init(&b);
	buf_init(&again);
	calc_mail_subject(&b, m);
	is_str(b.p, "[REGRESSION] mprotect/tw4m: +25.0 % .. +50.0 % since v6.17-rc1", "the subject says it all");
	buf_clear(&b);
	calc_mail_text(&b, m);
	if (getenv("SHOW"))
		fputs(b.p, stderr);
	ok(strstr(b.p, "mprotect/tw4m is slower with v6.17-rc1 than with v6.16: +25.0 % ..\n+50.0 %, on 1 machine.\n") == b.p,
	   "the first sentence says what, since when, by how much and where");
	ok(!!strstr(b.p, "how sure:   3 boots x 5 repetitions a kernel; noise 0.8 %, 2.4 % would\n            be seen; 2 strong, 0 weak\n"), "how sure that is");
	ok(!!strstr(b.p, "      1000 \u00b1 0.8%     +50.0%      1500 \u00b1 0.8%  latency threads=2\n"), "two columns with their spread");
	ok(!!strstr(b.p, "\nhttps://perf.example/alerts/42424242-4242-4242-4242-424242424242\n"), "a link to the alert");
	ok(!!strstr(b.p, "\nhttps://perf.example/compare?base=6.16&head=6.17-rc1&benchmark=mprotect/tw4m\n"), "and one to all rows");
	ok(!!strstr(b.p, "\n\n#regzbot introduced: v6.16..v6.17-rc1\n"), "regzbot's paragraph is its own");
	ok(longest_line(b.p) <= 72, "72 columns");
	calc_mail_text(&again, m);
	is_str(again.p, b.p, "the same again");
	m->look.public_url = NULL;
	buf_clear(&b);
	calc_mail_text(&b, m);
	ok(!strstr(b.p, "http"), "no links without a public address");
	buf_fini(&b);
	buf_fini(&again);
	arena_free(a);
}

/* Names are other people's: whatever is in them, a header stays a header and the text narrow. */
static void test_hostile(void)
{
	static const char evil[] = "x\r\nBcc: all@example.com\r\n\r\n<img onerror=1>\u202e\xe2\x80\xa8";
	static char name[400];
	struct arena *a = arena_new();
	struct calc_mail *m = story(a);
	struct cat_kernel odd = { .id = 3, .name = name, .base = "6.17", .rc = 1, .track = "local" };
	const char *commands[] = { evil };
	const char *end;
	struct buf b;

	memset(name, 'k', sizeof(name) - 1);
	memcpy(name, "6.17+x \n&", 9);
	benchmark.name = evil;
	machine.name = evil;
	alert.to = &odd;
	pair.head = &odd;
	m->commands[0] = commands[0];
	m->n_commands = 1;
	buf_init(&b);
	calc_mail_eml(&b, m);
	end = strstr(b.p, "\r\n\r\n");
	ok(end && !strstr(b.p, "\nBcc:"), "no name makes a header");
	ok(end && strstr(b.p, "\r\nSubject: =?UTF-8?B?") && strstr(b.p, "\r\nSubject:") < end, "such a subject is encoded");
	for (const char *p = b.p; *p; p++)
		if ((*p == '\n') != (p > b.p && p[-1] == '\r')) {
			ok(0, "no bare CR or LF at byte %zu", (size_t)(p - b.p));
			break;
		}
	buf_clear(&b);
	calc_mail_text(&b, m);
	ok(longest_line(b.p) <= 72, "a name of 399 bytes does not widen the text");
	ok(!strstr(b.p, "\u202e") && !strstr(b.p, "\nBcc:"), "control and bidi characters of a name do not come through");
	ok(!!strstr(b.p, "#regzbot introduced: v6.16..v6.17-rc1\n"), "an odd name is the tag under it to regzbot");
	alert.n_rows = m->n_rows = pair.n_rows = 0;
	m->places = calc_matrix(a, &pair, "uarch", "thp");
	m->modes = calc_matrix(a, &pair, "benchmark", "thp");
	buf_clear(&b);
	calc_mail_text(&b, m);
	ok(b.len > 0, "an alert without rows still has a text");
	benchmark.name = "mprotect/tw4m";
	machine.name = "milan-01";
	buf_fini(&b);
	arena_free(a);
}

/* A state, and the paragraphs that it asks for. */
static const char *paragraphs(struct arena *a, struct calc_mail *m, const char *state, const char *report)
{
	struct buf b;
	const char *text;

	row.state = state;
	row.report_url = report;
	buf_init(&b);
	calc_mail_regzbot(&b, a, m);
	text = arena_strdup(a, b.p);
	buf_fini(&b);
	return text;
}

static void test_regzbot(void)
{
	static const char lore[] = "https://lore.kernel.org/linux-mm/20260213150810.12345-1-a@b.example/";
	static const char ticket[] = "https://bugzilla.kernel.org/show_bug.cgi?id=220000";
	struct db_event why = { .action = "invalid", .details = "{\"text\":\"the firmware changed\\n#regzbot introduced: x\"}" };
	struct arena *a = arena_new();
	struct calc_mail *m = story(a);

	is_str(paragraphs(a, m, "acknowledged", NULL), "#regzbot introduced: v6.16..v6.17-rc1\n\n", "a first report introduces");
	is_str(paragraphs(a, m, "reported", lore), "", "what a list knows is not introduced again");
	is_str(paragraphs(a, m, "reported", ticket), "#regzbot introduced: v6.16..v6.17-rc1\n\n#regzbot monitor: "
	       "https://bugzilla.kernel.org/show_bug.cgi?id=220000\n\n", "a ticket is introduced and watched");
	row.fix_url = "https://lore.kernel.org/r/20260301.1@c.example";
	is_str(paragraphs(a, m, "fix-posted", lore), "#regzbot monitor: https://lore.kernel.org/r/20260301.1@c.example\n\n",
	       "a posted fix is watched");
	row.fix_commit = "0123456789abcdef0123456789abcdef01234567";
	is_str(paragraphs(a, m, "fixed", lore), "#regzbot fix: 0123456789abcdef0123456789abcdef01234567\n\n", "a fix is named");
	is_str(paragraphs(a, m, "fixed", NULL), "", "what was never reported needs no end");
	alert.events = &why;
	alert.n_events = 1;
	is_str(paragraphs(a, m, "invalid", lore), "#regzbot invalid: the firmware changed\n\n",
	       "a reason is one line: it gives no command of its own");
	row.merged = true;
	m->dup_of = "https://lore.kernel.org/all/20260212150810.12345-1-very-long-message-id-of-somebody@mail.b.example/";
	is_str(paragraphs(a, m, "invalid", lore), "#regzbot dup-of:\nhttps://lore.kernel.org/all/20260212150810.12345-1-very-long-"
	       "message-id-of-somebody@mail.b.example/\n\n", "a merged one is a duplicate, its link unbroken");
	is_str(calc_mail_lore_id(a, lore), "20260213150810.12345-1-a@b.example", "a link to lore names the message");
	is_str(calc_mail_lore_id(a, "https://lore.kernel.org/r/a%2Fb@c#r"), "a/b@c", "with its escapes undone");
	ok(!calc_mail_lore_id(a, "https://lore.kernel.org/r/a%0d%0aBcc:x@c"), "but never with what ends a header");
	is_str(calc_mail_lore_id(a, "https://lore.kernel.org/r/%zz@c%"), "%zz@c%", "what is no escape stays");
	ok(!calc_mail_lore_id(a, "https://example.com/r/a@c") && !calc_mail_lore_id(a, NULL), "other links name none");
	alert.events = NULL;
	alert.n_events = 0;
	arena_free(a);
}

static void test_recipients(void)
{
	struct arena *a = arena_new();
	struct calc_mail *m = story(a);
	struct buf b;

	buf_init(&b);
	calc_mail_eml(&b, m);
	ok(!!strstr(b.p, "\r\nTo: linux-mm@kvack.org\r\nCc: regressions@lists.linux.dev,\r\n linux-kernel@vger.kernel.org\r\n"),
	   "a list of the subsystem, and those that all regressions go to");
	ok(!!strstr(b.p, "\r\nFrom: nsecwatch <nsecwatch@perf.example>\r\n"), "from the host that links begin with");
	row.track = "stable-6.12";
	benchmark.name = "unheard/of";
	m->look.from = "lab@lab.example";
	buf_clear(&b);
	calc_mail_eml(&b, m);
	ok(!!strstr(b.p, "\r\nTo: linux-kernel@vger.kernel.org\r\nCc: regressions@lists.linux.dev,\r\n stable@vger.kernel.org\r\n"),
	   "of a stable release its list, too; of what nobody knows the one of all");
	ok(!!strstr(b.p, "\r\nFrom: nsecwatch <lab@lab.example>\r\n"), "from who is set to send");
	row.regression = false;
	m->look.from = "x@y\r\nBcc: z@z";
	buf_clear(&b);
	calc_mail_eml(&b, m);
	ok(!strstr(b.p, "\r\nCc:") && !strstr(b.p, "Bcc") && !strstr(b.p, "#regzbot"), "an improvement alarms nobody");
	benchmark.name = "mprotect/tw4m";
	buf_fini(&b);
	arena_free(a);
}

static void test_points(void)
{
	struct arena *a = arena_new();
	struct cat_kernel k = { .name = "6.17.0-0.rc1.17.eln150.x86_64", .base = "6.17", .rc = 1, .track = "eln" };
	struct cat_kernel revert = { .name = "r", .is_variant = true, .track = "mainline",
				     .variant = "{\"base\":\"6.17-rc1\",\"reverts\":[\"cac1db8c3aad\"]}" };
	struct calc_mail *m = story(a);

	is_str(calc_mail_point(a, &k), "v6.17-rc1", "a distribution's kernel is the tag it is built from");
	k.commit = "8f5ae30d69d7543eee0d70083daf4de8fe15d585";
	is_str(calc_mail_point(a, &k), "8f5ae30d69d7", "or its commit where that is known");
	k = (struct cat_kernel){ .name = "next-20260213", .base = "next", .track = "next" };
	is_str(calc_mail_point(a, &k), "next-20260213", "linux-next has tags");
	k = (struct cat_kernel){ .name = "6.17-rc1-12-gdeadbeef1234", .base = "6.17", .rc = 1, .distance = 12,
				 .track = "mainline" };
	is_str(calc_mail_point(a, &k), "deadbeef1234", "between tags it is the hash");
	k = (struct cat_kernel){ .name = "6.12.57", .base = "6.12.57", .track = "stable-6.12" };
	is_str(calc_mail_point(a, &k), "v6.12.57", "a stable release");
	m->fixes[0] = (struct mail_fix){ .kernel = &revert, .broken = &kernels[1], .n_rows = 2, .restored = 87 };
	m->n_fixes = 1;
	is_str(calc_mail_introduced(a, m), "cac1db8c3aad", "a revert that restores most names the commit");
	m->fixes[0].restored = 20;
	is_str(calc_mail_introduced(a, m), "v6.16..v6.17-rc1", "one that restores little does not");
	m->fixes[0].restored = 87;
	revert.variant = "{\"base\":\"6.17-rc1\",\"reverts\":[\"cac1db8c3aad\",\"1234567890ab\"]}";
	is_str(calc_mail_introduced(a, m), "v6.16..v6.17-rc1", "nor do two at once");
	arena_free(a);
}

/* What a shell makes of a command, an argument a line. */
static const char *arguments(const char *command, char *out, size_t size)
{
	char script[] = "/tmp/nsw-mail-XXXXXX", line[64];
	int fd = mkstemp(script);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	size_t n = 0;

	if (!f)
		return NULL;
	fprintf(f, "show() { for i; do printf '[%%s]' \"$i\"; done; }\nshow %s\n", command + strspn(command, " "));
	fclose(f);
	snprintf(line, sizeof(line), "sh %s", script);
	f = popen(line, "r");
	if (f) {
		n = fread(out, 1, size - 1, f);
		pclose(f);
	}
	unlink(script);
	out[n] = 0;
	return out;
}

static void test_commands(void)
{
	static const char *const commands[] = {
		"mprot_tw4m_regsize 400",
		"taskset -c 3 ./mprot_tw4m_regsize --sizes 4,40,400,4000,40000,400000,4000000,40000000 --iterations 40000000",
		"sh -c 'for i in 4 40 400 4000 40000 400000 4000000 40000000; do ./mprot_tw4m_regsize $i; done' --and --more",
		"echo \"a text in double quotes that is longer than any line of a mail may be, with \\\"quotes\\\" in it\" end",
		"./x --path=/a/very/long/path/without/any/blank/in/it/that/goes/on/and/on/and/on/and/on/and/on/and/on/to/the/end",
		"a\\ b\\ c\\ d\\ e\\ f\\ g\\ h\\ i\\ j\\ k\\ l\\ m\\ n\\ o\\ p\\ q\\ r\\ s\\ t\\ u\\ v\\ w\\ x\\ y\\ z\\ A\\ B\\ C\\ D\\ E",
	};
	char one[1000], many[1000];
	struct buf b;

	buf_init(&b);
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		buf_clear(&b);
		calc_mail_command(&b, commands[i]);
		ok(longest_line(b.p) <= 72, "a command of %zu bytes fits", strlen(commands[i]));
		is_str(arguments(b.p, many, sizeof(many)), arguments(commands[i], one, sizeof(one)), "and is the same to a shell");
	}
	/* cut everywhere: the end of a line meets each character */
	for (size_t pad = 0; pad < 70; pad++) {
		char command[300], dots[80];

		memset(dots, '.', pad);
		dots[pad] = 0;
		snprintf(command, sizeof(command), "%s'it is \\ quoted'\"so \\\\ is \\\"this\\\" one\"and\\ \\\\this=\u00e4\u00f6\u00fc%s", dots, dots);
		buf_clear(&b);
		calc_mail_command(&b, command);
		if (longest_line(b.p) > 72 || strcmp(arguments(b.p, many, sizeof(many)), arguments(command, one, sizeof(one)))) {
			ok(0, "cut with %zu before it: %s", pad, b.p);
			break;
		}
		if (pad == 69)
			ok(1, "wherever it is cut");
	}
	buf_fini(&b);
}

int main(void)
{
	test_words();
	test_hostile();
	test_recipients();
	test_regzbot();
	test_points();
	test_commands();
	return done();
}
