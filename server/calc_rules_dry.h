/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a rule would have done over all that was measured: "would have fired 14 times, here". */
#ifndef SERVER_CALC_RULES_DRY_H
#define SERVER_CALC_RULES_DRY_H

#include "calc_rules.h"

struct rules_firing {		/* one alert: a benchmark, two kernels, a direction */
	const struct cat_benchmark *benchmark;
	const struct cat_kernel *from, *to;
	bool regression;
	size_t n_series;
	double worst_percent;
	const struct cat_machine **machines;
	size_t n_machines, cap_machines;
};

struct rules_dry {
	size_t n_series;		/* that the rule looks at */
	struct rules_firing *list;	/* by track, first bad kernel, benchmark */
	size_t n, cap;
};

int calc_rules_dry_run(struct catalog *c, struct db *db, struct arena *a, const struct calc_rule *rule,
		       struct rules_dry *out, struct err *err);

#endif
