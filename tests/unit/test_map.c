/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The --maintainers file: who is told about what. */
#include <string.h>

#include "../../server/deliver_map.h"
#include "mutate.h"
#include "tap.h"

static struct arena *a;
static struct deliver_map map;
static struct err err;

static int parse(const char *text)
{
	arena_reset(a);
	err = (struct err){ 0 };
	map = (struct deliver_map){ .standard = { .zone = "UTC", .digest_minute = 480, .improvements = DELIVER_WEEKLY } };
	return deliver_map_parse(a, "F", text, &map, &err);
}

/* "a@x b@y" of who is told about a benchmark. */
static const char *who(const char *benchmark)
{
	static char text[500];
	const struct deliver_target **list;
	size_t n;

	text[0] = 0;
	list = deliver_map_who(a, &map, benchmark, &n);
	for (size_t i = 0; i < n; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? " " : "", list[i]->name);
	return text;
}

static void test_sections(void)
{
	ok(!parse("# who is told\n"
		  "MEMORY MANAGEMENT\n"
		  "B:\tmprotect/*\n"
		  "B:  stress-ng/bigheap\n"
		  "X:\tmprotect/thp-total\n"
		  "M:\tMemory Management <mm@lab.example>\n"
		  "L:\tlist@lab.example\r\n"
		  "\n"
		  "# the rest\n"
		  "THE REST\n"
		  "B: *\n"
		  "M: all@lab.example\n"
		  "M: list@lab.example"), "a file with two sections: %s", err.message);
	is_str(who("mprotect/tw4m"), "mm@lab.example list@lab.example all@lab.example", "each is told once");
	is_str(who("stress-ng/bigheap"), "mm@lab.example list@lab.example all@lab.example", "any of the globs");
	is_str(who("mprotect/thp-total"), "all@lab.example list@lab.example", "but not what is excepted");
	is_str(who("mprotect"), "all@lab.example list@lab.example", "a glob is the whole name");
	ok(!parse(""), "an empty file names nobody");
	is_str(who("x"), "", "so nobody is told");
	ok(!parse("\n\n# nothing\n\n"), "comments and empty lines alone, too");
}

static void test_options(void)
{
	const struct deliver_target *t;

	ok(!parse("S\nB: *\n"
		  "M: a@x weekly improvements=never quiet=20:00-08:30 tz=Europe/Berlin digest=09:15\n"
		  "H: https://hooks.example/T0/secret slack\n"
		  "H: https://hooks.example/T1 name=mm-chat mattermost\n"
		  "H: https://user:word@other.example:8443/x?y json daily\n"
		  "M: b@x\n"), "options: %s", err.message);
	t = deliver_map_target(&map, OUTBOX_MAIL, "a@x");
	ok(t && t->regressions == DELIVER_WEEKLY && t->improvements == DELIVER_NEVER, "when");
	ok(t && t->quiet_from == 1200 && t->quiet_to == 510 && t->digest_minute == 555, "times of the day");
	is_str(t ? t->zone : "", "Europe/Berlin", "a time zone");
	t = deliver_map_target(&map, OUTBOX_MAIL, "b@x");
	ok(t && t->regressions == DELIVER_NOW && t->improvements == DELIVER_WEEKLY && t->digest_minute == 480,
	   "what is not said is as the options of the program say");
	t = map.n_targets > 1 ? map.targets[1] : NULL;
	ok(t && t->kind == OUTBOX_SLACK, "a webhook's kind");
	ok(t && !strncmp(t->name, "hooks.example-", 14) && !strstr(t->name, "secret"), "its name is not its URL");
	t = deliver_map_find(&map, "mm-chat");
	ok(t && t->kind == OUTBOX_MATTERMOST, "or it is called as the file says");
	ok(deliver_map_find(&map, "a@x") == map.targets[0] && !deliver_map_find(&map, "z@x"), "addresses are found, too");
	t = map.n_targets > 3 ? map.targets[3] : NULL;
	ok(t && !strncmp(t->name, "other.example:8443-", 19) && !strstr(t->name, "word"), "nor has it the password");
	ok(t && deliver_map_target(&map, t->kind, t->name) == t, "by that name it is found");
	ok(!parse("S\nB: *\nM: a@x daily\n\nT\nB: x\nM: a@x\n"), "who has options in one section may be in another");
	ok(map.n_targets == 1 && map.targets[0]->regressions == DELIVER_DAILY, "and has them there, too");
}

static void test_wrong(void)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{ "B: *\n", "F: line 1: a heading is needed first" },
		{ "S\nM: a@x\n", "F: line 1: S names no benchmark: B: * is all" },
		{ "S\nB: *\n\nT\nB: x\nM: a@x", "F: line 1: S names nobody: M: or H: is needed" },
		{ "S\nB: *\nM: nobody\n", "F: line 3: an address is needed, as mm-perf@lab.example" },
		{ "S\nB: *\nM: a@x>\r\n", "F: line 3: an address is needed, as mm-perf@lab.example" },
		{ "S\nB: *\nM: A <a@x\tb>\n", "F: line 3: an address is needed, as mm-perf@lab.example" },
		{ "S\nB: *\nH: file:///etc/passwd\n", "F: line 3: a URL is needed, as https://..." },
		{ "S\nB: *\nH: https://x matrix\n", "F: line 3: matrix needs secret=FILE: an access token" },
		{ "S\nB: *\nM: a@x slack\n", "F: line 3: \"slack\" is no option of an address" },
		{ "S\nB: *\nM: a@x sometimes\n", "F: line 3: \"sometimes\" is no option of an address" },
		{ "S\nB: *\nM: a@x quiet=20:00\n", "F: line 3: quiet=20:00: two times of the day are needed, as quiet=20:00-08:00" },
		{ "S\nB: *\nM: a@x quiet=24:00-08:00\n",
		  "F: line 3: quiet=24:00-08:00: two times of the day are needed, as quiet=20:00-08:00" },
		{ "S\nB: *\nM: a@x tz=x;y\n", "F: line 3: tz=x;y: a time zone is needed, as tz=Europe/Berlin" },
		{ "S\nB: *\nM: a@x digest=8\n", "F: line 3: digest=8: a time of the day is needed, as digest=08:00" },
		{ "S\nB: *\nM: a@x improvements=x\n", "F: line 3: improvements=x: now, daily, weekly or never is needed" },
		{ "S\nB: *\nM: a@x daily\nM: a@x weekly\n", "F: line 4: it has other options in line 3" },
		{ "S\nB: *\nH: https://x name=a/b\n", "F: line 3: name=a/b: a word of letters, digits, - and . is needed" },
		{ "S\nB: *\nH: https://x name=a\nH: https://y name=a\n", "F: line 4: another one is called a" },
		{ "S\nB: *\nW: x\n", "F: line 3: W: is not known here: B, X, M, L or H is needed" },
		{ "S\nB:\n", "F: line 2: B: says nothing" },
		{ "S\nhello\n", "F: line 2: \"hello\": a letter and a colon are needed, or an empty line before a heading" },
		{ "S\nB: *\nH: https://x secret=/dev/null/x\n", "F: line 3: /dev/null/x: Not a directory" },
		{ "S\nB: *\nH: https://x secret=/\n", "F: line 3: /: Is a directory" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ok(parse(bad[i].text) == -1, "%s", bad[i].message);
		is_str(err.message, bad[i].message, "is what is said");
	}
}

/* Whatever stands in the file: it is read, or refused with its line. */
static void test_noise(void)
{
	static const char start[] = "S\nB: *\nX: a/*\nM: N <a@x> weekly quiet=20:00-08:00 tz=Europe/Berlin\n"
				    "H: https://u:p@h:1/x slack name=n digest=08:00 improvements=never\n\nT\nB: b\nL: a@x\n";
	char text[1000];
	int read = 0, told = 0;

	for (int i = 0; i < 3000; i++) {
		strcpy(text, start);
		for (int k = 0; k < i % 7 + 1; k++)
			mutate(text, sizeof(text), "\n\t :<>@=-#BXMHLZ*/\"0a\x7f\xc3");
		if (!parse(text))
			read++;
		else
			told += !strncmp(err.message, "F: line ", 8) && err.kind == ERR_SETUP;
	}
	ok(read > 100 && told > 100 && read + told == 3000, "%d noisy files are read, %d refused with the line", read, told);
}

int main(void)
{
	a = arena_new();
	test_noise();
	test_sections();
	test_options();
	test_wrong();
	arena_free(a);
	return done();
}
