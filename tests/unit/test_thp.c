/* SPDX-License-Identifier: GPL-2.0-or-later */
/* THP states to slugs: the table of corpus/thp.md (section 6) and its traps, real sysfs listings, command lines. */
#include "mutate.h"
#include "shared.h"

#include "../../ingest/thp.h"

static struct arena *a;

#define FILES_MAX 64

/* "enabled=always; hugepages-64kB/enabled=always inherit [madvise] never" to files. */
static size_t files_of(const char *text, struct thp_file files[FILES_MAX])
{
	char *rest = arena_strdup(a, text), *part;
	size_t n = 0;

	while ((part = strsep(&rest, ";")) != NULL) {
		char *value = strchr(part, '=');

		if (!value || n == FILES_MAX)
			continue;
		*value++ = 0;
		files[n++] = (struct thp_file){ part + strspn(part, " "), value };
	}
	return n;
}

static void gives(const char *text, int pmd_kib, const char *slug, bool complete)
{
	struct thp_file files[FILES_MAX];
	size_t n = files_of(text, files), bad = 99;
	struct thp thp;
	struct err err;

	if (thp_from_files(a, files, n, pmd_kib, &thp, &bad, &err)) {
		ok(0, "%s: %s", text, err.message);
		return;
	}
	is_str(thp.slug, slug, text);
	ok(thp.complete == complete, "%s: %s", text, complete ? "complete" : "not complete");
}

static void refused(const char *text, size_t at)
{
	struct thp_file files[FILES_MAX];
	size_t n = files_of(text, files), bad = 99;
	struct thp thp;
	struct err err;

	ok(thp_from_files(a, files, n, 0, &thp, &bad, &err) == -1 && err.kind == ERR_INVALID && bad == at,
	   "refused, naming file %zu: %s (%s)", at, text, err.message);
}

static void table(void)
{
	gives("enabled=always [madvise] never; hugepages-16kB=never; hugepages-32kB=never; "
	      "hugepages-64kB=never; "
	      "hugepages-128kB=never; hugepages-256kB=never; hugepages-512kB=never; hugepages-1024kB=never; "
	      "hugepages-2048kB=inherit",
	      0, "madvise", true);
	gives("enabled=always; hugepages-2048kB=always", 0, "always", false);
	gives("enabled=never; hugepages-2048kB=inherit; hugepages-64kB=always", 0, "never+64k-always", false);
	gives("enabled=always; hugepages-2048kB=never; hugepages-64kB=inherit", 0, "never+64k-always", false);
	gives("enabled=always; hugepages-1024kB=inherit; hugepages-16kB=inherit; hugepages-32kB=inherit; "
	      "hugepages-64kB=inherit; "
	      "hugepages-128kB=inherit; hugepages-256kB=inherit; hugepages-512kB=inherit; "
	      "hugepages-2048kB=inherit",
	      0, "always+16k-always+32k-always+64k-always+128k-always+256k-always+512k-always+1m-always",
	      true);
	gives("enabled=always; hugepages-2048kB=inherit; prctl=1", 0, "always+prctl-off", false);
	gives("enabled=always; hugepages-2048kB=inherit; prctl=3", 0, "always+prctl-advised", false);
	gives("enabled=always; prctl=0", 0, "always", false);
	gives("enabled=[always] madvise never", 0, "always", false);
	gives("enabled=none", 0, "none", true);
	gives("", 0, "unknown", false);
}

static void traps(void)
{
	gives("transparent_hugepages/enabled=[always] madvise never; hugepages-2048Kb/enabled=[always] "
	      "inherit madvise never",
	      0, "always", false); /* the seed: plural and wrong case */
	gives("/sys/kernel/mm/transparent_hugepage/hugepages-64kB/enabled=always inherit [madvise] never; "
	      "/sys/kernel/mm/transparent_hugepage/enabled=always madvise [never]\n",
	      0, "never+64k-madvise", false);
	gives("hugepages-64kB=inherit; hugepages-2048kB=never", 0, "never+64k-unknown",
	      false); /* the global word is needed */
	gives("hugepages-2048kB=madvise", 0, "madvise", false); /* and here it is not */
	gives("hugepages-64kB=always", 0, "unknown+64k-always", false);
	gives("enabled=Always", 0, "always", false);
	gives("enabled=never; defrag=always defer defer+madvise [madvise] never; shmem_enabled=[never] "
	      "force; "
	      "khugepaged/defrag=1; anon_beside_full=0; hugepages-8kB/shmem_enabled=[never] advise; "
	      "hugepages-64kB/stats/anon_fault_alloc=17; use_zero_page=1",
	      0, "never", false);
	gives("enabled=always; hugepages-2048kB=always", 524288, "always+2m-always",
	      false); /* arm64, 64K pages */
	gives("enabled=always; hugepages-2048kB=inherit; hpage_pmd_size=536870912", 0, "always+2m-always",
	      false);
	gives("enabled=madvise; hugepages-1024kB=inherit; hugepages-512kB=never; hugepages-256kB=never; "
	      "hugepages-128kB=never; "
	      "hugepages-64kB=never; hugepages-32kB=never; hugepages-16kB=never",
	      1024, "madvise", true); /* s390x */
	gives("enabled=never; hugepages-256kB=never; hugepages-512kB=never; hugepages-1024kB=never; "
	      "hugepages-2048kB=inherit; "
	      "hugepages-128kB/shmem_enabled=never",
	      0, "never", true); /* ppc64le: shmem-only 128kB tells the page size */
	refused("enabled=sometimes", 0);
	refused("enabled=always madvise never", 0);
	refused("enabled=[always] [never]", 0);
	refused("enabled=always [madvise never", 0);
	refused("enabled=inherit", 0);
	refused("enabled=defer", 0);
	refused("enabled=", 0);
	refused("defrag=never; hugepages-64kB=deny", 1);
	refused("enabled=always; hugepages-2000kB=always", 1);
	refused("enabled=always; hugepages-64MB=always", 1);
	refused("enabled=always; hugepages-4096kB=always", 1);
	refused("enabled=always; transparent_hugepage/enabled=never", 1);
	refused("enabled=always; prctl=2", 1);
	refused("hpage_pmd_size=2M", 0);
}

static void slugs(void)
{
	static const struct {
		const char *text, *slug; /* NULL: refused */
	} rows[] = {
		{ "always", "always" },
		{ "Always", "always" },
		{ "none", "none" },
		{ "unknown", "unknown" },
		{ "never+64k-always", "never+64k-always" },
		{ "never+1m-always+64K-Always", "never+64k-always+1m-always" },
		{ "never+1024k-always", "never+1m-always" },
		{ "never+64kB-madvise", "never+64k-madvise" },
		{ "madvise+64k-never", "madvise" },
		{ "never 64k-always", "never+64k-always" },
		{ "madvise+prctl-off", "madvise+prctl-off" },
		{ "never+64k-always+prctl-advised", "never+64k-always+prctl-advised" },
		{ "always+512m-always", "always+512m-always" },
		{ "never+64k-unknown", "never+64k-unknown" },
		{ "", NULL },
		{ "inherit", NULL },
		{ "defer", NULL },
		{ "64k-thp", NULL },
		{ "no THP", NULL },
		{ "pte-mapped-2M thp", NULL },
		{ "always+", NULL },
		{ "+64k-always", NULL },
		{ "always+64k", NULL },
		{ "always+65k-always", NULL },
		{ "always+8k-always", NULL },
		{ "always+64k-inherit", NULL },
		{ "always+prctl-off+64k-always", NULL },
		{ "never+64k-always+64k-madvise", NULL },
		{ "none+64k-always", NULL },
		{ "always+prctl-off+prctl-off", NULL },
		{ "always+64-always", NULL },
		{ "always+99999999999999999999m-always", NULL },
		{ "al\x01ways", NULL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct thp thp, again;
		struct err err;
		int ret = thp_from_slug(a, rows[i].text, &thp, &err);

		if (!rows[i].slug) {
			ok(ret == -1 && err.kind == ERR_INVALID && strstr(err.message, "expected"),
			   "refused: \"%s\"", rows[i].text);
			continue;
		}
		is_str(ret ? err.message : thp.slug, rows[i].slug, rows[i].text);
		ok(!ret && !thp_from_slug(a, thp.slug, &again, &err) && !strcmp(again.slug, thp.slug),
		   "%s: canonical", rows[i].text);
	}
}

static void cmdlines(void)
{
	static const struct {
		const char *cmdline, *global, *slug;
		int pmd_kib;
	} rows[] = {
		{ "ro thp_anon=16K-64K:always;128K,512K:inherit;256K:madvise;1M-2M:never quiet", "madvise",
		  "never+16k-always+32k-always+64k-always+128k-madvise+256k-madvise+512k-madvise", 0 },
		{ "transparent_hugepage=madvise", NULL, "madvise", 0 },
		{ "transparent_hugepage=never transparent_hugepage=always", NULL, "always", 0 },
		{ "transparent_hugepage=always", "never", "never", 0 }, /* sysfs at run time is the truth */
		{ "thp_anon=64K:always", "always", "never+64k-always",
		  0 }, /* overrides the PMD size's inherit */
		{ "thp_anon=64K:always thp_anon=128k:madvise", NULL, "never+64k-always+128k-madvise", 0 },
		{ "thp_anon=8K:inherit transparent_hugepage=always", NULL, "always",
		  0 }, /* invalid, ignored as a whole */
		{ "thp_anon=64K:always;8K:never transparent_hugepage=always", NULL, "always", 0 },
		{ "thp_anon=64K:inherit", NULL, "never+64k-unknown", 0 },
		{ "thp_anon=2M:always", NULL, "always", 0 },
		{ "thp_anon=2M:always", NULL, "never+2m-always", 524288 },
		{ "quiet splash", "always", NULL, 0 },
		{ "", NULL, NULL, 0 },
		{ "transparent_hugepage=defer", NULL, NULL, 0 },
		{ "thp_anon=", NULL, NULL, 0 },
		{ "thp_anon=64K", NULL, NULL, 0 },
		{ "thp_anon=:always", NULL, NULL, 0 },
		{ "thp_anon=64K:always,128K:never", NULL, NULL, 0 },
		{ "thp_anon=1M-64K:always", NULL, NULL, 0 },
		{ "thp_anon=48K:always", NULL, NULL, 0 },
		{ "thp_anon=4M:always", NULL, NULL, 0 },
		{ "thp_shmem=64K:always", NULL, NULL, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct thp thp;
		struct err err;
		int ret = thp_from_cmdline(a, rows[i].cmdline, rows[i].global, rows[i].pmd_kib, &thp, &err);

		if (rows[i].slug)
			is_str(ret ? err.message : thp.slug, rows[i].slug, rows[i].cmdline);
		else
			ok(ret == -1, "says nothing: \"%s\"", rows[i].cmdline);
	}
}

static void pmd_sizes(void)
{
	ok(thp_pmd_kib("x86_64", 4) == 2048 && thp_pmd_kib("x86_64", 0) == 2048, "x86-64: 2 MiB");
	ok(thp_pmd_kib("aarch64", 4) == 2048 && thp_pmd_kib("aarch64", 16) == 32768 &&
		   thp_pmd_kib("aarch64", 64) == 524288,
	   "arm64: by its base page");
	ok(thp_pmd_kib("ppc64le", 64) == 2048 && thp_pmd_kib("s390x", 4) == 1024 &&
		   thp_pmd_kib("riscv64", 4) == 2048,
	   "ppc64le, s390x, riscv64");
	ok(!thp_pmd_kib("vax", 0) && !thp_pmd_kib(NULL, 0) && !thp_pmd_kib("x86_64", 64), "not known is 0");
}

/* "enabled:always [madvise] never" lines of the corpus' listing. */
static void listing(void)
{
	const char *text = shared_text("thp-sysfs/x86_64_4k_6.18_default.txt");
	struct thp_file files[FILES_MAX];
	struct thp thp;
	struct err err;
	size_t n = 0, bad;
	char *rest, *line;

	if (!text)
		return;
	for (rest = arena_strdup(a, text); (line = strsep(&rest, "\n")) != NULL && n < FILES_MAX;) {
		char *colon = strchr(line, ':');

		if (!colon)
			continue;
		*colon = 0;
		files[n++] = (struct thp_file){ line, colon + 1 };
	}
	ok(n > 20 && !thp_from_files(a, files, n, 0, &thp, &bad, &err) && !strcmp(thp.slug, "madvise") &&
		   thp.complete,
	   "a real listing of 6.18 on x86-64 is madvise, and complete");
}

/* The seed's paste: "$ cat PATH" and under it the text. */
static void paste(void)
{
	const char *text = shared_text("thp-sysfs/seed_rome_always.txt");
	struct thp_file files[FILES_MAX];
	const char *name = NULL;
	struct thp thp;
	struct err err;
	size_t n = 0, bad;
	char *rest, *line;

	if (!text)
		return;
	for (rest = arena_strdup(a, text); (line = strsep(&rest, "\n")) != NULL && n < FILES_MAX;) {
		if (!strncmp(line, "$ cat ", 6))
			name = line + 6;
		else if (*line && name)
			files[n++] = (struct thp_file){ name, line };
	}
	ok(n == 2 && !thp_from_files(a, files, n, 0, &thp, &bad, &err) && !strcmp(thp.slug, "always") &&
		   !thp.complete,
	   "the seed's Rome is always, and not complete");
}

/* A slug that is accepted means itself again. */
static int slug_wrong(const char *text)
{
	struct thp thp, again;
	struct err err;

	if (thp_from_slug(a, text, &thp, &err))
		return err.kind != ERR_INVALID || !*err.message;
	return thp_from_slug(a, thp.slug, &again, &err) || strcmp(again.slug, thp.slug) != 0;
}

/* What files and a command line give is a slug. */
static int others_wrong(const char *files_text, const char *cmdline)
{
	struct thp_file files[FILES_MAX];
	size_t n = files_of(files_text, files), bad = 99;
	struct thp thp, again;
	struct err err;

	if (thp_from_files(a, files, n, 0, &thp, &bad, &err)) {
		if (bad >= n)
			return 1;
	} else if (thp_from_slug(a, thp.slug, &again, &err) || strcmp(again.slug, thp.slug) != 0) {
		return 1;
	}
	if (thp_from_cmdline(a, cmdline, NULL, 0, &thp, &err))
		return 0;
	return thp_from_slug(a, thp.slug, &again, &err) || strcmp(again.slug, thp.slug) != 0;
}

static void broken(void)
{
	static const char bytes[] = "+-0123456789kmgKB;:,=[]/ aelnrvw\x01\xff";
	char slug[200], files[400], cmdline[200];
	int wrong = 0;

	for (int i = 0; i < 60000; i++) {
		strcpy(slug, i % 2 ? "never+64k-always+1m-madvise+prctl-off" : "madvise+16k-unknown");
		strcpy(files,
		       "enabled=always [madvise] never;hugepages-64kB/enabled=inherit;hugepages-2048kB=never;"
		       "hpage_pmd_size=2097152;prctl=3;hugepages-8kB/shmem_enabled=[never] force");
		strcpy(cmdline, "quiet thp_anon=16K-64K:always;128K,512K:inherit;1M-2M:never "
				"transparent_hugepage=madvise");
		for (int m = 1 + i % 4; m; m--) {
			mutate(slug, sizeof(slug), bytes);
			mutate(files, sizeof(files), bytes);
			mutate(cmdline, sizeof(cmdline), bytes);
		}
		wrong += slug_wrong(slug) || others_wrong(files, cmdline);
		if (i % 1000 == 0)
			arena_reset(a);
	}
	ok(!wrong, "60,000 broken slugs, files and command lines: none crashes, what is accepted is a slug");
}

int main(void)
{
	a = arena_new();
	table();
	traps();
	slugs();
	cmdlines();
	pmd_sizes();
	listing();
	paste();
	broken();
	arena_free(a);
	return done();
}
