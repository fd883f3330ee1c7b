/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which alert a step belongs to: ranges of kernels that overlap, and what they narrow to. */
#include <math.h>

#include "../../server/detect_pairs.h"
#include "../../server/detect_range.h"
#include "tap.h"

/* Kernels A < B < C < D < E of one track. */
static struct cat_kernel k[5];

static struct detect_range range(const char *letters)
{
	return (struct detect_range){ &k[letters[0] - 'A'], &k[letters[1] - 'A'] };
}

static int overlapping(const char *a, const char *b, const char *c, const char *step)
{
	struct detect_range list[3], s = range(step);
	const char *all[] = { a, b, c };
	size_t n = 0;

	while (n < 3 && all[n]) {
		list[n] = range(all[n]);
		n++;
	}
	return detect_range_find(list, n, &s);
}

static void narrows(const char *x, const char *y, const char *to)
{
	struct detect_range p = range(x), q = range(y), r = detect_range_narrowed(&p, &q), s = detect_range_narrowed(&q, &p);
	struct detect_range want = range(to);

	ok(r.from == want.from && r.to == want.to, "%s and %s narrow to %s", x, y, to);
	ok(s.from == want.from && s.to == want.to, "the other way round, too");
}

static void test_ids(void)
{
	struct uuid a, b;
	char text[UUID_TEXT];

	detect_alerts_id("mainline", "6.16", "6.17-rc1", "mprotect/tw4m", true, &a);
	detect_alerts_id("mainline", "6.16", "6.17-rc1", "mprotect/tw4m", true, &b);
	ok(uuid_equal(&a, &b), "the same step has the same id");
	is_str(uuid_format(&a, text), "53140a14-ad8f-8ed3-aaea-99e7b7434f4d", "today and tomorrow: Message-IDs hang on it");
	detect_alerts_id("mainline", "6.16", "6.17-rc1", "mprotect/tw4m", false, &b);
	ok(!uuid_equal(&a, &b), "the other direction has another");
	detect_alerts_id("mainline", "6.1", "66.17-rc1", "mprotect/tw4m", true, &b);
	ok(!uuid_equal(&a, &b), "names do not run into each other");
}

/* Points of a series: values, with the boots of each in `boots` ("1123"). What the step to the last but `back` is worth. */
static enum calc_worth worth(const double *value, const char *boots, size_t back, bool siblings)
{
	struct history_point point[20] = { 0 };
	struct history_series s = { .point = point, .n = strlen(boots) };

	for (size_t i = 0; i < s.n; i++)
		point[i].side = (struct stats_side){ .runs = 1, .boots = boots[i] - '0', .log_mean = log(value[i]) };
	return detect_pairs_worth(&s, s.n - 1 - back, siblings);
}

static void test_worth(void)
{
	static const double up[] = { 1, 2, 2 }, spike[] = { 1, 2, 1.1 }, late[] = { 1, 1, 2, 2 }, dip[] = { 2, 1, 2 };
	static const double many[] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2 }, odd[] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1 };

	ok(worth(up, "33", 0, false) == WORTH_PROVEN, "several boots on either side are proof");
	ok(worth(up, "31", 0, false) == WORTH_SUSPECT, "one boot is a suspicion");
	ok(worth(up, "12", 0, false) == WORTH_PROVEN, "the second boot of the new kernel is proof");
	ok(worth(up, "11", 0, false) == WORTH_SUSPECT, "so is one boot against the only other one");
	ok(worth(late, "111", 0, false) == WORTH_NONE, "but not in a series of several kernels");
	ok(worth(late, "111", 0, true) == WORTH_SUSPECT, "unless its siblings say the same");
	ok(worth(up, "311", 1, false) == WORTH_PROVEN, "the next kernel bears it out");
	ok(worth(up, "111", 1, false) == WORTH_NONE, "against the first kernel's one boot it does not");
	ok(worth(late, "1111", 1, false) == WORTH_PROVEN, "two kernels on either side are proof");
	ok(worth(spike, "313", 1, true) == WORTH_NONE, "the next kernel shows an outlier");
	ok(worth(spike, "313", 0, true) == WORTH_NONE, "and the way back from it is nothing");
	ok(worth(spike, "333", 1, false) == WORTH_PROVEN, "several boots are no outlier");
	ok(worth(spike, "333", 0, false) == WORTH_PROVEN, "and the way back is a step");
	ok(worth(dip, "111", 0, true) == WORTH_NONE, "an outlier below is one, too");
	ok(worth(many, "11111111113", 0, false) == WORTH_PROVEN, "in a long history several boots of the newest are proof");
	ok(worth(many, "11111111111", 0, true) == WORTH_NONE, "one is left to change detection");
	ok(worth(odd, "333333333333", 1, false) == WORTH_NONE, "what the next kernel does not have is no level");
}

int main(void)
{
	for (int i = 0; i < 5; i++) {
		k[i].key[0] = (uint8_t)(i + 1);
		k[i].key_len = 1;
	}
	k[3].key[0] = 3;	/* D is C and something more */
	k[3].key_len = 2;
	ok(detect_range_order(&k[2], &k[3]) == -1 && detect_range_order(&k[3], &k[2]) == 1, "a longer key comes later");
	ok(detect_range_order(&k[2], &k[2]) == 0, "a kernel is beside itself");

	ok(overlapping(NULL, NULL, NULL, "AB") == -1, "without alerts there is none");
	ok(overlapping("AB", NULL, NULL, "AB") == 0, "the same range");
	ok(overlapping("AC", NULL, NULL, "AB") == 0, "a part at the start");
	ok(overlapping("AC", NULL, NULL, "BC") == 0, "a part at the end");
	ok(overlapping("BC", NULL, NULL, "AD") == 0, "more than all of it");
	ok(overlapping("AB", NULL, NULL, "BC") == -1, "neighbours only touch");
	ok(overlapping("BC", NULL, NULL, "AB") == -1, "on either side");
	ok(overlapping("AB", "DE", "BC", "AE") == 0, "of several the first in kernel order");
	ok(overlapping("DE", "BC", "AB", "AE") == 2, "wherever it stands in the list");
	ok(overlapping("DE", "BC", "AB", "BE") == 1, "of those that overlap");

	narrows("AC", "AB", "AB");
	narrows("AC", "BC", "BC");
	narrows("AD", "BE", "BD");
	narrows("AE", "BC", "BC");
	test_ids();
	test_worth();
	return done();
}
