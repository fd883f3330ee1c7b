/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sentence about a comparison: counts, and what the cells that changed share. */
#include "tap.h"

#include "../../server/calc_facts.h"

static struct arena *a;

static const struct cat_metric latency = { .id = 1, .name = "latency", .unit = "ns/call", .better = BETTER_LOWER };
static const struct cat_benchmark mprotect = { .id = 1, .name = "mprotect/tw4m" }, mremap = { .id = 2, .name = "mremap" };
static const struct cat_param sizes[] = {
	{ "size_kib", "40", true, 40 }, { "size_kib", "400", true, 400 }, { "size_kib", "4000", true, 4000 },
	{ "size_kib", "40000", true, 40000 },
};
static const struct cat_config configs[] = { { .id = 1, .thp = "never" }, { .id = 2, .thp = "always" }, { .id = 3, .thp = "madvise" } };
static const struct cat_machine machines[] = {
	{ .id = 1, .name = "rome-01", .uarch = "epyc-rome" }, { .id = 2, .name = "milan-01", .uarch = "epyc-milan" },
	{ .id = 3, .name = "milan-02", .uarch = "epyc-milan" },
};

/* 4 sizes x 3 THP modes x 3 machines x 2 benchmarks */
#define CELLS 72

static struct compare_row *rows(struct compare *c)
{
	struct compare_row *r = arena_array(a, struct compare_row, CELLS);
	struct cat_series *s = arena_array(a, struct cat_series, CELLS);

	for (size_t i = 0; i < CELLS; i++) {
		s[i] = (struct cat_series){ .id = (int64_t)i + 1, .benchmark = i / 36 ? &mremap : &mprotect, .metric = &latency,
					    .machine = &machines[i / 12 % 3], .config = &configs[i / 4 % 3], .params = "{}",
					    .param = &sizes[i % 4], .n_params = 1 };
		r[i] = (struct compare_row){ .series = &s[i], .tested = true, .verdict = COMPARE_UNCHANGED };
	}
	*c = (struct compare){ .rows = r, .n_rows = CELLS, .unchanged = CELLS };
	return r;
}

static void set(struct compare *c, struct compare_row *r, enum compare_verdict v)
{
	c->unchanged--;
	r->verdict = v;
	*(v == COMPARE_REGRESSION ? &c->regressions : v == COMPARE_IMPROVEMENT ? &c->improvements : &c->inconclusive) += 1;
}

static bool large(const struct compare_row *r)
{
	return r->series->param->number >= 400;
}

static bool never(const struct compare_row *r)
{
	return r->series->config == &configs[0];
}

static void says(const struct compare *c, const char *text)
{
	const char *got = calc_facts(a, c);

	ok(!strcmp(got, text), "%s", text);
	if (strcmp(got, text))
		printf("# got: %s\n", got);
}

static void claims(void)
{
	struct compare c;
	struct compare_row *r = rows(&c);

	says(&c, "all 72 cells are unchanged.");
	for (size_t i = 0; i < CELLS; i++)
		if (large(&r[i]) && never(&r[i]))
			set(&c, &r[i], COMPARE_REGRESSION);
	says(&c, "18 of 72 cells regress, all at size >= 400 KiB and with THP never.");
	for (size_t i = 0; i < CELLS; i++)
		if (r[i].series->config == &configs[1] && r[i].series->benchmark == &mremap && r[i].series->machine != &machines[0] &&
		    r[i].series->param != &sizes[0])
			set(&c, &r[i], COMPARE_IMPROVEMENT);
	says(&c, "18 of 72 cells regress, all at size >= 400 KiB and with THP never; 6 improve, all at size >= 400 KiB, with THP always "
		 "and of mremap (6 of the 9 there).");
	r = rows(&c);
	set(&c, &r[13], COMPARE_REGRESSION);
	says(&c, "1 of 72 cells regresses, at size 400 KiB, with THP never and of mprotect/tw4m (1 of the 3 there).");
	r = rows(&c);
	for (size_t i = 0; i < CELLS; i++)
		if (i != 20)	/* nothing that a list of conditions would say shorter */
			set(&c, &r[i], COMPARE_REGRESSION);
	says(&c, "71 of 72 cells regress.");
	set(&c, &r[20], COMPARE_REGRESSION);
	says(&c, "all 72 cells regress.");
}

static void places(void)
{
	struct compare c;
	struct compare_row *r = rows(&c);

	for (size_t i = 0; i < CELLS; i++)
		if (r[i].series->machine->uarch == machines[1].uarch)
			set(&c, &r[i], COMPARE_IMPROVEMENT);
	says(&c, "48 of 72 cells improve, all on epyc-milan.");
	r = rows(&c);
	for (size_t i = 0; i < CELLS; i++)
		if (r[i].series->machine == &machines[2])
			set(&c, &r[i], COMPARE_REGRESSION);
	says(&c, "24 of 72 cells regress, all on milan-02.");
	r = rows(&c);
	for (size_t i = 0; i < CELLS; i++)
		if (r[i].series->param != &sizes[0] && r[i].series->param != &sizes[3])
			set(&c, &r[i], COMPARE_REGRESSION);
	says(&c, "36 of 72 cells regress, all at size from 400 KiB to 4000 KiB.");
}

static void unproven(void)
{
	struct compare c;
	struct compare_row *r = rows(&c);

	set(&c, &r[0], COMPARE_INCONCLUSIVE);
	says(&c, "no change is proven in 72 cells: 71 unchanged, 1 inconclusive.");
	for (size_t i = 0; i < CELLS; i++) {
		r[i].tested = false;
		r[i].verdict = COMPARE_INCONCLUSIVE;
		r[i].direction = never(&r[i]) ? COMPARE_WORSE : COMPARE_BETTER;
	}
	c.unchanged = 0;
	says(&c, "by number 24 of 72 cells are worse, all with THP never; 48 better, all with THP always or madvise; unproven, "
		 "there is no noise estimate.");
	for (size_t i = 0; i < CELLS; i++)
		r[i].direction = COMPARE_NO_DIRECTION;
	says(&c, "nothing can be said: there is no noise estimate.");
	c.n_rows = 0;
	says(&c, "nothing was measured with both.");
}

int main(void)
{
	a = arena_new();
	claims();
	places();
	unproven();
	arena_free(a);
	return done();
}
