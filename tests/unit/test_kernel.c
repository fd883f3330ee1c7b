/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel names: the corpus (where it is there), own inputs, phrases, refusals, and a walk over broken names. */
#include "shared.h"

#include "../../ingest/kernel.h"

#define LINES_MAX 400
#define COLUMNS 17

enum column { STRING, KIND, UPSTREAM, RC, COMMITS, HASH, NEXT_DATE, TRACK, BUILD, VARIANT, ARCH, PAGE, DIRTY };

static struct arena *a;

static struct kernel parse(const char *text)
{
	struct kernel k;
	struct err err;

	if (kernel_parse(a, text, &k, &err)) {
		ok(0, "%s parses: %s", text, err.message);
		memset(&k, 0, sizeof(k));
		k.name = k.identity = k.track = k.base = k.flavour = "";
	}
	return k;
}

/* --- kernels.tsv --- */

static const char *flavour_of_variant(const char *variant, const char *track)
{
	static const char *const none[] = { "generic", "default", "arch1", "pr3", "KMI 8", "microsoft-standard-WSL2" };

	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		if (!strcmp(variant, none[i]))
			return "";
	if (!strcmp(variant, "PREEMPT_RT"))
		return "rt";
	if (!strcmp(variant, "asahi"))
		return "16k";
	if (!strcmp(track, "local") || !strcmp(track, "mm") || !strcmp(track, "next"))
		return "";	/* words of a local version */
	return variant;
}

static void check_row(char *const col[COLUMNS])
{
	struct kernel k = parse(col[STRING]);
	char text[128];
	int page = atoi(col[PAGE]);

	/* "6.8.x", and Debian's 6.1.170: what the string cannot tell is the third number */
	if (strstr(col[UPSTREAM], ".x") || (!strcmp(col[TRACK], "debian") && !strncmp(col[BUILD], "ABI", 3))) {
		snprintf(text, sizeof(text), "%d.%d", k.version[0], k.version[1]);
		ok(!strncmp(text, col[UPSTREAM], strlen(text)) && col[UPSTREAM][strlen(text)] == '.' && k.base_only,
		   "%s: upstream %s, patch level hidden", col[STRING], col[UPSTREAM]);
	} else {
		snprintf(text, sizeof(text), "%d.%d.%d", k.version[0], k.version[1], k.version[2]);
		is_str(text, col[UPSTREAM], arena_printf(a, "%s: upstream", col[STRING]));
	}
	ok(k.rc == atoi(col[RC]), "%s: rc %d", col[STRING], k.rc);
	ok(k.distance == atoll(col[COMMITS]), "%s: %s commits after", col[STRING], col[COMMITS]);
	is_str(k.hash, *col[HASH] ? col[HASH] : NULL, arena_printf(a, "%s: hash", col[STRING]));
	ok(k.next_date == atoi(col[NEXT_DATE]), "%s: date %d", col[STRING], k.next_date);
	if (!strcmp(col[TRACK], "stable"))
		snprintf(text, sizeof(text), "stable-%d.%d", k.version[0], k.version[1]);
	is_str(k.track, strcmp(col[TRACK], "stable") ? col[TRACK] : text, arena_printf(a, "%s: track", col[STRING]));
	is_str(k.flavour, flavour_of_variant(col[VARIANT], col[TRACK]), arena_printf(a, "%s: flavour", col[STRING]));
	ok(k.base_page_kib == page, "%s: base page %d", col[STRING], k.base_page_kib);
	ok(k.dirty == (*col[DIRTY] != 0), "%s: dirty", col[STRING]);
	ok(!k.is_variant, "%s: no variant", col[STRING]);
}

static void corpus_rows(void)
{
	FILE *f = shared_open("kernels.tsv");
	char line[1024];
	int rows = 0;

	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		char *col[COLUMNS];
		struct kernel k;
		struct err err;

		shared_columns(line, col, COLUMNS);
		if (!strcmp(col[STRING], "string"))
			continue;
		rows++;
		if (!strcmp(col[KIND], "bad"))
			ok(kernel_parse(a, col[STRING], &k, &err) && err.kind == ERR_INVALID && strstr(err.message, "expected"),
			   "%s is refused, saying what was expected", col[STRING]);
		else
			check_row(col);
	}
	ok(rows > 80, "kernels.tsv has %d rows", rows);
	fclose(f);
}

/* --- order.txt --- */

static const char *word_of(enum kernel_order o)
{
	return o == KERNEL_BEFORE ? "before" : o == KERNEL_AFTER ? "after" : o == KERNEL_SAME ? "same" : "unordered";
}

static int key_order(const struct kernel *x, const struct kernel *y)
{
	int d = memcmp(x->key, y->key, x->key_len < y->key_len ? x->key_len : y->key_len);

	return d ? d : (int)x->key_len - (int)y->key_len;
}

static void check_pair(const char *section, const struct kernel *x, const struct kernel *y)
{
	enum kernel_order got = kernel_compare(x, y), back = kernel_compare(y, x);
	const char *names = arena_printf(a, "%s: %s, %s", section, x->name, y->name);
	bool dated = strstr(section, "by-release-date") != NULL;

	if (!strncmp(section, "list ", 5) && !dated) {
		ok(got == KERNEL_BEFORE && back == KERNEL_AFTER, "%s: %s", names, word_of(got));
		if (!strcmp(x->track, y->track))
			ok(key_order(x, y) < 0, "%s: by key", names);
	} else if (!strncmp(section, "equal ", 6)) {
		ok(got == KERNEL_SAME && back == KERNEL_SAME && kernel_same_point(x, y), "%s: %s", names, word_of(got));
	} else if (!strncmp(section, "apart ", 6)) {
		ok(strcmp(x->identity, y->identity) != 0, "%s: not one kernel", names);
		if (!strcmp(x->track, y->track) && !memcmp(x->version, y->version, sizeof(x->version)))
			ok(kernel_same_point(x, y), "%s: one upstream point", names);
		if (strstr(section, "flavours") && !strcmp(x->track, y->track))
			ok(strcmp(x->flavour, y->flavour) != 0, "%s: flavours apart", names);
	} else if (strcmp(x->track, y->track) && *x->track) {
		/* different branches: nothing may be claimed but that a stable kernel follows the release it is of */
		ok(got == KERNEL_UNORDERED || (dated && (got == KERNEL_BEFORE || got == KERNEL_AFTER)), "%s: %s", names,
		   word_of(got));
	}
}

static void check_section(const char *section, struct kernel *list, int n)
{
	for (int i = 0; i < n; i++)
		for (int j = i + 1; j < n; j++)
			check_pair(section, &list[i], &list[j]);
}

static void corpus_order(void)
{
	FILE *f = shared_open("order.txt");
	static struct kernel list[LINES_MAX];
	char line[512], section[128] = "";
	int n = 0, sections = 0;

	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		char *hash = strchr(line, '#');

		if (hash && (hash == line || (hash[-1] == ' ' && strncmp(line, "Linux", 5))))
			*hash = 0;
		line[strcspn(line, "\n")] = 0;
		for (size_t len = strlen(line); len && line[len - 1] == ' ';)
			line[--len] = 0;
		if (*line == '[') {
			check_section(section, list, n);
			snprintf(section, sizeof(section), "%.*s", (int)strcspn(line + 1, "]"), line + 1);
			n = 0;
			sections++;
		} else if (*line && n < LINES_MAX) {
			list[n++] = parse(line);
		}
	}
	check_section(section, list, n);
	ok(sections >= 20, "order.txt has %d sections", sections);
	fclose(f);
}

int main(void)
{
	a = arena_new();
	corpus_rows();
	corpus_order();
	arena_free(a);
	return done();
}
