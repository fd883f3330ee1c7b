/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The head of a draft: machine, kernel, configuration, times; and the submission it becomes. */
#include "submission_build.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "../lib/jsonw.h"
#include "../lib/must.h"
#include "kernel_json.h"

const struct draft_at submission_build_at_json = {
	.machine = "/machine/name", .isa = "/machine/isa", .uarch = "/machine/uarch",
	.kernel = "/kernel", .variant = "/kernel/variant", .commit = "/kernel/commit",
	.thp = "/config/thp", .base_page_kib = "/config/base_page_kib",
	.boot_id = "/boot_id", .started_at = "/started_at", .finished_at = "/finished_at",
	.results = "/results",
};

const struct draft_at submission_build_at_query = {
	.machine = "machine", .isa = "isa", .uarch = "uarch",
	.kernel = "kernel", .variant = "kernel", .commit = "commit",
	.thp = "thp", .base_page_kib = "base_page_kib",
	.boot_id = "boot_id", .started_at = "started_at", .finished_at = "finished_at",
	.results = "", .query = true,
};

const char submission_build_said[] = "";

void submission_build_init(struct draft *d, struct arena *a, const struct draft_at *at, const char *format)
{
	*d = (struct draft){ .a = a, .at = at, .format = format, .cpu = CPU_ID_NONE,
			     .started_at = TM_NONE, .finished_at = TM_NONE };
	d->problems = problems_new(a);
	d->warnings = problems_new(a);
	d->left_out = problems_new(a);
	buf_init(&d->scratch);
}

void submission_build_fini(struct draft *d)
{
	buf_fini(&d->scratch);
}

const char *submission_build_bad_text(const char *text, size_t n, size_t max)
{
	if (!n)
		return "is empty";
	if (n > max)
		return max == SUBMISSION_NAME_MAX ? "is longer than 200 bytes" : "is too long";
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			return "has a control character in it";
	if (text[0] == ' ' || text[n - 1] == ' ')
		return "begins or ends with a blank";
	return NULL;
}

const char *submission_build_bad_name(const char *text, size_t max)
{
	return submission_build_bad_text(text, strlen(text), max);
}

/* 0 when the text is absent or good; said texts are bad without another word. */
static int check_text(struct draft *d, const char *at, const char *what, const char *text)
{
	const char *bad;

	if (!text)
		return 0;
	if (text == submission_build_said)
		return -1;
	bad = submission_build_bad_name(text, SUBMISSION_NAME_MAX);
	return bad ? problems_add(d->problems, at, "%s %s", what, bad) : 0;
}

static char *lower(struct arena *a, const char *s)
{
	char *p = arena_strdup(a, s);

	for (char *c = p; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return p;
}

static bool is_slug(const char *s)
{
	if (!isalnum((unsigned char)*s))
		return false;
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && !strchr("._+-", *s))
			return false;
	return true;
}

/* One name for one instruction set. */
static const char *isa_word(struct arena *a, const char *text)
{
	static const char *const same[][2] = {
		{ "amd64", "x86_64" }, { "x86-64", "x86_64" }, { "x64", "x86_64" },
		{ "arm64", "aarch64" }, { "ppc64el", "ppc64le" },
	};
	const char *s = lower(a, text);

	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++)
		if (!strcmp(s, same[i][0]))
			return same[i][1];
	return s;
}

static int slug_of(struct draft *d, const char *at, const char *what, const char **text)
{
	if (check_text(d, at, what, *text))
		return -1;
	if (!*text)
		return 0;
	if (!is_slug(*text))
		return problems_add(d->problems, at, "%s is one word of letters, digits and ._+-", what);
	*text = !strcmp(what, "isa") ? isa_word(d->a, *text) : lower(d->a, *text);
	return 0;
}

static const char *isa_of_vendor(const char *vendor)
{
	if (vendor && (!strcmp(vendor, "AuthenticAMD") || !strcmp(vendor, "GenuineIntel") ||
		       !strcmp(vendor, "HygonGenuine") || !strcmp(vendor, "CentaurHauls")))
		return "x86_64";
	return NULL;
}

static void finish_machine_name(struct draft *d, struct submission *sub)
{
	if (!d->machine)
		problems_add(d->problems, d->at->machine, d->at->query ?
			     "machine=NAME is needed: this format does not say which machine it was" :
			     "the machine needs a name");
	check_text(d, d->at->machine, "the machine's name", d->machine);
	sub->machine = d->machine;
}

/* What the kernel's name and the CPU's ids tell of the machine, where it does not say so. */
static void finish_machine(struct draft *d, struct submission *sub)
{
	const char *given = d->isa;

	slug_of(d, d->at->isa, "isa", &d->isa);
	slug_of(d, d->at->uarch, "uarch", &d->uarch);
	if (given && sub->kernel.isa && d->isa && strcmp(d->isa, sub->kernel.isa))
		problems_add(d->warnings, d->at->isa, "isa is %s, the kernel's name says %s", d->isa,
			     sub->kernel.isa);
	if (!d->isa)
		d->isa = sub->kernel.isa;
	if (!d->isa)
		d->isa = isa_of_vendor(d->cpu.vendor);
	d->cpu.isa = d->isa;
	if (!d->uarch)
		d->uarch = uarch_slug(&d->cpu);
	sub->isa = d->isa ? d->isa : "unknown";
	sub->uarch = d->uarch ? d->uarch : "unknown";
	sub->machine_facts = d->machine_facts ? d->machine_facts : "{}";
}

static const char *kernel_place(const struct draft *d)
{
	return d->kernel_at ? d->kernel_at : d->at->kernel;
}

/* The variant that hangs off the base kernel; the running kernel's own name keeps its place as release. */
static void finish_variant(struct draft *d, struct submission *sub)
{
	struct kernel running = sub->kernel;
	struct err err = { 0 };

	if (running.is_variant) {
		problems_add(d->problems, d->at->variant, "the release says by itself what was changed; "
			     "say it in one of the two places");
		return;
	}
	if (!d->n_reverts && !d->n_applies) {
		problems_add(d->problems, d->at->variant, "reverts or applies is needed: what makes it a variant");
		return;
	}
	if (d->variant_base) {
		if (kernel_parse(d->a, d->variant_base, &sub->kernel, &err)) {
			problems_add(d->problems, d->at->variant, "base: %s", err.message);
			return;
		}
		if (sub->kernel.is_variant) {
			problems_add(d->problems, d->at->variant, "base: a variant of a variant; name the kernel "
				     "both come from, and all reverts and patches");
			return;
		}
	}
	if (kernel_make_variant(d->a, &sub->kernel, d->reverts, d->n_reverts, d->applies, d->n_applies, &err)) {
		problems_add(d->problems, d->at->variant, "%s", err.message);
		return;
	}
	sub->kernel.release = running.release;
	sub->kernel.flavour = running.flavour;
	sub->kernel.base_page_kib = running.base_page_kib;
	if (running.isa)
		sub->kernel.isa = running.isa;
}

static const char *variant_text(struct draft *d, const struct kernel *k)
{
	struct jsonw j = jsonw_begin(&d->scratch);

	buf_clear(&d->scratch);
	kernel_json_variant(&j, k);
	return arena_strndup(d->a, d->scratch.p, d->scratch.len);
}

static bool is_commit(const char *s)
{
	size_t n = strspn(s, "0123456789abcdefABCDEF");

	return n >= 7 && n <= 64 && !s[n];
}

static void finish_kernel(struct draft *d, struct submission *sub)
{
	struct err err = { 0 };

	if (d->commit && d->commit != submission_build_said && !is_commit(d->commit))
		problems_add(d->problems, d->at->commit, "a commit is 7 to 64 hex digits");
	sub->commit = d->commit;
	if (d->kernel == submission_build_said)
		return;
	if (!d->kernel && d->has_variant)
		d->kernel = d->variant_base;
	if (!d->kernel) {
		problems_add(d->problems, d->at->kernel, d->at->query ?
			     "kernel=RELEASE is needed (as `uname -r` gives it): this file does not say which kernel it was" :
			     "the kernel is needed: a release as `uname -r` gives it, or {\"release\": ...}");
		return;
	}
	if (kernel_parse(d->a, d->kernel, &sub->kernel, &err)) {
		problems_add(d->problems, kernel_place(d), "%s", err.message);
		return;
	}
	if (d->has_variant)
		finish_variant(d, sub);
	if (sub->kernel.is_variant)
		sub->kernel_variant = variant_text(d, &sub->kernel);
	sub->flavour = sub->kernel.flavour ? sub->kernel.flavour : "";
}

static void finish_thp(struct draft *d, struct submission *sub)
{
	struct thp thp = { .slug = "unknown" };
	struct err err = { 0 };
	size_t bad = 0;

	if (d->thp == submission_build_said)
		return;
	if (d->thp) {
		if (thp_from_slug(d->a, d->thp, &thp, &err))
			problems_add(d->problems, d->at->thp, "%s", err.message);
	} else if (d->n_thp_files) {
		if (thp_from_files(d->a, d->thp_files, d->n_thp_files, thp_pmd_kib(sub->isa, sub->base_page_kib),
				   &thp, &bad, &err))
			problems_add(d->problems, d->thp_at ? d->thp_at[bad] : d->at->thp, "%s", err.message);
	}
	sub->thp = thp.slug;
	sub->thp_complete = thp.complete;
}

static void finish_config(struct draft *d, struct submission *sub)
{
	int named = sub->kernel.base_page_kib;
	int kib = d->base_page_kib;

	if (kib && (kib < 1 || kib > 1024 || (kib & (kib - 1))))
		problems_add(d->problems, d->at->base_page_kib, "a page size in KiB is a power of two from 1 to 1024");
	if (kib && named && kib != named)
		problems_add(d->warnings, d->at->base_page_kib, "base pages of %d KiB, the kernel's name says %d",
			     kib, named);
	sub->base_page_kib = kib ? kib : named;
	finish_thp(d, sub);
}

#define DAY_USEC (86400 * (int64_t)1000000)

static void finish_times(struct draft *d, struct submission *sub)
{
	check_text(d, d->at->boot_id, "boot_id", d->boot_id);
	sub->boot_id = d->boot_id;
	if (!d->boot_id)
		problems_add(d->warnings, d->at->boot_id, "no boot_id: the run counts as a boot of its own");
	if (d->started_at == TM_NONE)
		problems_add(d->warnings, d->at->started_at, "no started_at: the time of arrival is taken");
	else if (d->started_at > d->now + DAY_USEC)
		problems_add(d->warnings, d->at->started_at, "this lies in the future");
	if (d->started_at != TM_NONE && d->finished_at != TM_NONE && d->finished_at < d->started_at)
		problems_add(d->problems, d->at->finished_at, "it ended before it began");
	sub->started_at = d->started_at == TM_NONE ? d->now : d->started_at;
	sub->finished_at = d->finished_at;
}

static void finish_results(struct draft *d, struct submission *sub)
{
	struct not_imported *out;
	size_t more = d->left_out->total - d->left_out->n;
	size_t n = d->left_out->n + (more > 0);

	if (!d->n_results && !d->empty && !d->problems->total) {
		if (!d->left_out->n)
			problems_add(d->problems, d->at->results, d->lenient ? "no result in this file" : "no results");
		for (size_t i = 0; i < d->left_out->n; i++)
			problems_add(d->problems, d->left_out->list[i].at, "%s", d->left_out->list[i].message);
	}
	sub->results = d->results;
	sub->n_results = d->n_results;
	sub->n_failed = d->n_failed;
	if (!n)
		return;
	out = sub->not_imported = arena_array(d->a, struct not_imported, n);
	for (size_t i = 0; i < d->left_out->n; i++)
		out[i] = (struct not_imported){ d->left_out->list[i].at, d->left_out->list[i].message };
	if (more)
		out[n - 1] = (struct not_imported){ "", arena_printf(d->a, "and %zu more", more) };
	sub->n_not_imported = n;
}

/* All that is wrong as one error; the arguments of a query are the caller's syntax, not the document's. */
static int refuse(const struct draft *d, size_t from_query, struct err *err)
{
	const struct problems *p = d->problems;
	const char *at = p->list[0].at;

	err_set(err, from_query ? ERR_BAD_ARGUMENT : ERR_INVALID, "%s%s%s", at, *at ? ": " : "", p->list[0].message);
	if (p->total > 1)
		err_prefix(err, "%zu problems, the first", p->total);
	err->problems = p;
	return -1;
}

static bool is_argument(const struct draft_at *at, const char *where)
{
	return at->query && *where && strncmp(where, "line ", 5) && *where != '/';
}

static size_t blamed_arguments(const struct draft *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->problems->n; i++)
		n += is_argument(d->at, d->problems->list[i].at);
	return n;
}

void submission_build_head(struct draft *d)
{
	struct submission *sub = arena_zalloc(d->a, sizeof(*sub));

	sub->flavour = "";
	finish_machine_name(d, sub);
	finish_kernel(d, sub);
	finish_machine(d, sub);
	finish_config(d, sub);
	finish_times(d, sub);
	d->sub = sub;
}

struct submission *submission_build_finish(struct draft *d, const void *content, size_t content_len, struct err *err)
{
	struct submission *sub;

	if (!d->sub)
		submission_build_head(d);
	sub = d->sub;
	finish_results(d, sub);
	if (d->problems->total) {
		refuse(d, blamed_arguments(d), err);
		return NULL;
	}
	sha256(content, content_len, sub->content_sha256);
	sub->run_id_given = d->run_id_given;
	if (d->run_id_given)
		sub->run_id = d->run_id;
	else
		uuid_v8_of(&sub->run_id, sub->content_sha256);
	sub->environment = d->environment ? d->environment : "{}";
	sub->source = d->source ? d->source : "{}";
	sub->labels = d->labels ? d->labels : "{}";
	sub->format = d->format;
	sub->warnings = d->warnings;
	return sub;
}
