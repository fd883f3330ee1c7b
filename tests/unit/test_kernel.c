/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel names: the corpus (where it is there), own inputs, phrases, variants and refusals. */
#include "shared.h"

#include "../../ingest/kernel.h"

#define LINES_MAX 400
#define COLUMNS 17

enum column {
	STRING,
	KIND,
	UPSTREAM,
	RC,
	COMMITS,
	HASH,
	NEXT_DATE,
	TRACK,
	BUILD,
	VARIANT,
	ARCH,
	PAGE,
	DIRTY
};

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
	static const char *const none[] = { "generic", "default", "arch1",
					    "pr3",     "KMI 8",	  "microsoft-standard-WSL2" };

	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		if (!strcmp(variant, none[i]))
			return "";
	if (!strcmp(variant, "PREEMPT_RT"))
		return "rt";
	if (!strcmp(variant, "asahi"))
		return "16k";
	if (!strcmp(track, "local") || !strcmp(track, "mm") || !strcmp(track, "next"))
		return ""; /* words of a local version */
	return variant;
}

static void check_row(char *const col[COLUMNS])
{
	struct kernel k = parse(col[STRING]);
	char text[128];
	int page = atoi(col[PAGE]);

	/* "6.8.x", and Debian's 6.1.170: what the string cannot tell is the third number */
	if (strstr(col[UPSTREAM], ".x") ||
	    (!strcmp(col[TRACK], "debian") && !strncmp(col[BUILD], "ABI", 3))) {
		snprintf(text, sizeof(text), "%d.%d", k.version[0], k.version[1]);
		ok(!strncmp(text, col[UPSTREAM], strlen(text)) && col[UPSTREAM][strlen(text)] == '.' &&
			   k.base_only,
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
	is_str(k.track, strcmp(col[TRACK], "stable") ? col[TRACK] : text,
	       arena_printf(a, "%s: track", col[STRING]));
	is_str(k.flavour, flavour_of_variant(col[VARIANT], col[TRACK]),
	       arena_printf(a, "%s: flavour", col[STRING]));
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
			ok(kernel_parse(a, col[STRING], &k, &err) && err.kind == ERR_INVALID &&
				   strstr(err.message, "expected"),
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
	return o == KERNEL_BEFORE  ? "before"
	       : o == KERNEL_AFTER ? "after"
	       : o == KERNEL_SAME  ? "same"
				   : "unordered";
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
		ok(got == KERNEL_SAME && back == KERNEL_SAME && kernel_same_point(x, y), "%s: %s", names,
		   word_of(got));
	} else if (!strncmp(section, "apart ", 6)) {
		ok(strcmp(x->identity, y->identity) != 0, "%s: not one kernel", names);
		if (!strcmp(x->track, y->track) && !memcmp(x->version, y->version, sizeof(x->version)))
			ok(kernel_same_point(x, y), "%s: one upstream point", names);
		if (strstr(section, "flavours") && !strcmp(x->track, y->track))
			ok(strcmp(x->flavour, y->flavour) != 0, "%s: flavours apart", names);
	} else if (dated) {
		/* dates are not in the names: what is claimed at all, a stable kernel after its release, must agree */
		ok(got == KERNEL_UNORDERED || (got == KERNEL_BEFORE && back == KERNEL_AFTER), "%s: %s", names,
		   word_of(got));
	} else if (strcmp(x->track, "mainline") || strcmp(y->track, "mainline")) {
		ok(got == KERNEL_UNORDERED && back == KERNEL_UNORDERED, "%s: %s", names, word_of(got));
	}
}

static void check_section(const char *section, struct kernel *list, int n)
{
	for (int i = 0; i < n; i++)
		for (int j = i + 1; j < n; j++)
			check_pair(section, &list[i], &list[j]);
}

static int order_file(FILE *f)
{
	static struct kernel list[LINES_MAX];
	char line[512], section[128] = "";
	int n = 0, sections = 0;

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
	fclose(f);
	return sections;
}

static void corpus_order(void)
{
	FILE *f = shared_open("order.txt");
	int sections;

	if (!f)
		return;
	sections = order_file(f);
	ok(sections >= 20, "order.txt has %d sections", sections);
}

/* --- tests/data --- */

static FILE *data_open(const char *path)
{
	FILE *f = fopen(path, "r");

	ok(f != NULL, "%s is there (tests run in the root of the repository)", path);
	return f;
}

static void own_names(void)
{
	FILE *f = data_open("tests/data/kernel_names.tsv");
	char line[1024];

	while (f && fgets(line, sizeof(line), f)) {
		char *col[8];
		struct kernel k;

		shared_columns(line, col, 8);
		if (*col[0] == '#')
			continue;
		k = parse(col[0]);
		is_str(k.track, col[1], arena_printf(a, "%s: track", col[0]));
		is_str(k.base, col[2], arena_printf(a, "%s: base", col[0]));
		ok(k.rc == atoi(col[3]), "%s: rc %d", col[0], k.rc);
		is_str(k.flavour, col[4], arena_printf(a, "%s: flavour", col[0]));
		is_str(k.isa ? k.isa : "", col[5], arena_printf(a, "%s: isa", col[0]));
		ok(k.base_page_kib == atoi(col[6]), "%s: base page", col[0]);
		ok(k.base_only == (*col[7] != 0), "%s: %s", col[0],
		   k.base_only ? "but a base" : "a real version");
	}
	if (f)
		fclose(f);
}

static void own_order(void)
{
	FILE *f = data_open("tests/data/kernel_order.txt");

	if (f)
		ok(order_file(f) == 30, "every own section was read");
}

static void identities(void)
{
	static const char *const same[][2] = {
		{ "v6.17-rc1", "6.17.0-rc1" },
		{ "6.17", "v6.17.0" },
		{ "6.17-rc1", "Linux version 6.17.0-rc1 (builder@host) #1 SMP" },
		{ "6.17-rc1", "Linux v6.17-rc1" },
		{ "6.17-rc1+revert-cac1db8c3aad", "v6.17.0-rc1 with cac1db8c3aad reverted" },
		{ "6.17-rc1 with cac1db8c3aad and 0cc53520e68b reverted",
		  "6.17-rc1 without 0cc53520e68b, cac1db8c3aad" },
		{ "6.17-rc1 with cac1db8c3aad reverted",
		  "6.17-rc1 with cac1db8c3aad0123456789012345678901234567 reverted" },
		{ "6.17-rc1 with cac1db8c3aad and CAC1DB8C3AAD reverted", "6.17-rc1 minus cac1db8c3aad" },
	};
	static const char *const apart[][2] = {
		{ "6.16", "6.16.0-65.eln150.x86_64" },
		{ "6.17-rc1", "6.17-rc1+" },
		{ "6.17-rc1", "6.17.rc1" },
		{ "6.12", "6.12.1" },
		{ "6.17.0-rc1-00123-gcac1db8c3aad", "v6.17-rc1-123-gcac1db8c3aad" },
		{ "6.1.0-47-amd64", "6.1-47-amd64" },
		{ "6.17-rc1+apply-a", "6.17-rc1+apply-b" },
		{ "6.17.0-rc1-dirty", "6.17.0-rc1" },
	};

	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++)
		is_str(parse(same[i][0]).identity, parse(same[i][1]).identity,
		       arena_printf(a, "one kernel: %s, %s", same[i][0], same[i][1]));
	for (size_t i = 0; i < sizeof(apart) / sizeof(*apart); i++)
		ok(strcmp(parse(apart[i][0]).identity, parse(apart[i][1]).identity) != 0,
		   "two kernels: %s, %s", apart[i][0], apart[i][1]);
	ok(kernel_compare_names("6.17-rc2", "6.17.0-rc10") == KERNEL_BEFORE &&
		   kernel_compare_names("6.1-a", "6.9") == KERNEL_UNORDERED &&
		   kernel_compare_names("6.17", "x") == KERNEL_UNORDERED,
	   "stored names compare without being parsed by hand");
	is_str(parse("v6.17.0-rc1").name, "6.17.0-rc1", "a name is as spelled, without the v");
	is_str(parse("v6.17.0-rc1").release, "v6.17.0-rc1", "the release is as given");
}

/* --- variants --- */

static const char *const phrase_rows[][2] = {
	/* NULL: refused */
	{ "v6.17-rc1 with cac1db8c3aad reverted", "6.17-rc1+revert-cac1db8c3aad" },
	{ "6.17-rc1 with commit cac1db8c3aad reverted", "6.17-rc1+revert-cac1db8c3aad" },
	{ "6.17-rc1, with cac1db8c3aad (\"mm: optimize mprotect() by PTE batching\") reverted",
	  "6.17-rc1+revert-cac1db8c3aad" },
	{ "6.17-rc1 with cac1db8c3aad and 0cc53520e68b reverted",
	  "6.17-rc1+revert-cac1db8c3aad+revert-0cc53520e68b" },
	{ "6.17-rc1 + revert of cac1db8c3aad", "6.17-rc1+revert-cac1db8c3aad" },
	{ "6.17-rc1 + cac1db8c3aad reverted", "6.17-rc1+revert-cac1db8c3aad" },
	{ "6.17-rc1 with reverts of cac1db8c3aad, 0cc53520e68b, and 444fc9435e57",
	  "6.17-rc1+revert-cac1db8c3aad+revert-0cc53520e68b+revert-444fc9435e57" },
	{ "6.17-rc1 + revert of cac1db8c3aad + revert of 0cc53520e68b",
	  "6.17-rc1+revert-cac1db8c3aad+revert-0cc53520e68b" },
	{ "6.17-rc1 (with cac1db8c3aad reverted)", "6.17-rc1+revert-cac1db8c3aad" },
	{ "6.17-rc1 reverting cac1db8", "6.17-rc1+revert-cac1db8" },
	{ "6.17-rc1  minus  CAC1DB8C3AAD01", "6.17-rc1+revert-cac1db8c3aad" },
	{ "6.17-rc1+revert-cac1db8c3aad", "6.17-rc1+revert-cac1db8c3aad" },
	{ "6.17-rc1 revert-cac1db8c3aad", "6.17-rc1+revert-cac1db8c3aad" },
	{ "6.17-rc1++revert-cac1db8c3aad", "6.17-rc1++revert-cac1db8c3aad" },
	{ "6.17.0-rc1+revert-cac1db8c3aad+apply-x-1", "6.17.0-rc1+revert-cac1db8c3aad+apply-x-1" },
	{ "6.17-rc1 with \"mm/mprotect: Batch it, v2\" applied", "6.17-rc1+apply-mm-mprotect-batch-it-v2" },
	{ "6.17-rc1 with cac1db8c3aad reverted and \"X\" applied", "6.17-rc1+revert-cac1db8c3aad+apply-x" },
	{ "6.16.0-65.eln150.x86_64 with cac1db8c3aad reverted",
	  "6.16.0-65.eln150.x86_64+revert-cac1db8c3aad" },
	{ "6.17-rc1 with foo reverted", NULL },
	{ "6.17-rc1 with cac1db8c3aad", NULL },
	{ "6.17-rc1 something", NULL },
	{ "6.17-rc1 with cac1db8c3aad reverted and also this", NULL },
	{ "6.17-rc1 with", NULL },
	{ "6.17-rc1 and \"x", NULL },
	{ "6.17-rc1 with cac1db reverted", NULL },
	{ "6.17-rc1+revert-zzz", NULL },
	{ "6.17-rc1+revert-", NULL },
	{ "6.17-rc1+apply-", NULL },
	{ "with cac1db8c3aad reverted", NULL },
	{ "6.17 6.18", NULL },
	{ "5.14.0-503.23.1.el9_5.x86_64 rt", NULL },
	{ "6.17-rc4 ", NULL },
	{ "6.17-rc1 (", NULL },
	{ "6.17-rc1 \"", NULL },
	{ "6.17-rc1 +", NULL },
};

static void phrases(void)
{
	for (size_t i = 0; i < sizeof(phrase_rows) / sizeof(*phrase_rows); i++) {
		struct kernel k, again;
		struct err err;
		int ret = kernel_parse(a, phrase_rows[i][0], &k, &err);

		if (!phrase_rows[i][1]) {
			ok(ret == -1 && err.kind == ERR_INVALID && *err.message, "refused: %s (%s)",
			   phrase_rows[i][0], ret ? err.message : k.name);
			continue;
		}
		is_str(ret ? err.message : k.name, phrase_rows[i][1], phrase_rows[i][0]);
		if (!ret)
			ok(!kernel_parse(a, k.name, &again, &err) && !strcmp(again.identity, k.identity) &&
				   again.is_variant == k.is_variant,
			   "%s: its name means the same", phrase_rows[i][0]);
	}
	is_str(parse("v6.17-rc1 with cac1db8c3aad reverted").variant_base, "6.17-rc1",
	       "the base of a variant");
	ok(kernel_same_point(&(struct kernel){ .track = "", .identity = "a", .version = { 6, 17, 0 } },
			     &(struct kernel){ .track = "x", .identity = "b", .version = { 6, 17, 0 } }),
	   "one point in two tracks");
}

static int variant_of(struct kernel *k, const char *revert, const char *title, const char *url)
{
	struct kernel_patch patch = { title, url };
	struct err err;

	*k = parse("v6.17-rc1");
	return kernel_make_variant(a, k, &revert, revert != NULL, &patch, title || url, &err);
}

static void variants(void)
{
	char title[300];
	struct kernel k, l;

	ok(!variant_of(&k, "CAC1DB8C3AAD0123", NULL, NULL) && k.is_variant, "a variant by hand");
	is_str(k.name, "6.17-rc1+revert-cac1db8c3aad", "is named after twelve digits");
	is_str(k.reverts[0], "cac1db8c3aad0123", "and keeps all it was given");
	ok(k.key_len == parse("6.17-rc1").key_len && !memcmp(k.key, parse("6.17-rc1").key, k.key_len),
	   "it has its base's key");
	ok(!variant_of(&k, NULL, NULL, "https://lore.kernel.org/r/20260213-fix-v1-1@example.com/"),
	   "a patch without a title");
	is_str(k.name, "6.17-rc1+apply-20260213-fix-v1-1-example-com",
	       "is named after the end of its address");
	ok(variant_of(&k, NULL, NULL, NULL) == -1 && variant_of(&k, "", NULL, NULL) == -1 &&
		   variant_of(&k, "xyz", NULL, NULL) == -1 && variant_of(&k, NULL, "", "") == -1,
	   "nothing, and what is no commit, make none");
	memset(title, 'a', sizeof(title) - 1);
	title[sizeof(title) - 1] = 0;
	ok(!variant_of(&k, NULL, title, NULL) && strlen(k.name) < 80, "a long title is cut");
	title[290] = 'b';
	ok(!variant_of(&l, NULL, title, NULL) && strcmp(k.name, l.name),
	   "another long title gives another name");
	ok(!kernel_parse(a, k.name, &l, &(struct err){ 0 }) && !strcmp(k.identity, l.identity),
	   "and a cut name means the same");
}

/* --- refusals, odd input --- */

static const char *const refused_names[] = {
	"",
	" ",
	"v",
	"6",
	"6.x",
	"18.7.0",
	"v6.17-rc01",
	"6.17-rc0",
	"6.17-rc",
	"6.17-RC1",
	"6.17rc1",
	"6.017",
	"06.1",
	"6.17.",
	"6.17-",
	"6.17-rc1-",
	"1.2.3",
	"0.1",
	"10.0",
	"6.99999",
	"6.17.1.2.3",
	"latest",
	"next-",
	"next-2025081",
	"next-20251301",
	"next-20250230",
	"6.17.0-rc1-next-foo",
	"cac1db8c3aad",
	"6.17-rc1 ",
	" 6.17",
	"6.17\n",
	"6.17\t",
	"6.17\x7f",
	"6.17\xc2\x85",
	"6.17\xff",
	"6.17-\xc0\xaf",
	"6.17-\xed\xa0\x80",
	"6.17-\xf5\x80\x80\x80",
	"6.17-\xe4\xbf",
	"6.17-\xc3\xa4",
	"6.17/..",
	"6.17;x",
	"6.17'",
	"6.17<b>",
	"-6.17",
	"v v6.17",
	"vv6.17",
	"Linux version",
	"Linux",
};

static void refusals(void)
{
	char longest[KERNEL_NAME_MAX + 2];
	struct kernel k;
	struct err err;

	for (size_t i = 0; i < sizeof(refused_names) / sizeof(*refused_names); i++) {
		int ret = kernel_parse(a, refused_names[i], &k, &err);

		ok(ret == -1 && err.kind == ERR_INVALID && *err.message, "refused: \"%s\"",
		   arena_printf(a, "%zu", i));
		if (!ret)
			printf("# %s\n", refused_names[i]);
	}
	memset(longest, 'x', sizeof(longest));
	memcpy(longest, "6.17-", 5);
	longest[KERNEL_NAME_MAX + 1] = 0;
	ok(kernel_parse(a, longest, &k, &err) == -1, "a name of %d bytes is refused", KERNEL_NAME_MAX + 1);
	longest[KERNEL_NAME_MAX] = 0;
	ok(!kernel_parse(a, longest, &k, &err) && k.key_len <= KERNEL_KEY_MAX, "one of %d is not",
	   KERNEL_NAME_MAX);
}

int main(void)
{
	a = arena_new();
	corpus_rows();
	corpus_order();
	own_names();
	own_order();
	identities();
	phrases();
	variants();
	refusals();
	arena_free(a);
	return done();
}
