/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "change.h"

#include <math.h>
#include <string.h>

#include "change_own.h"

struct change *change_new(struct arena *a)
{
	struct change *c = arena_zalloc(a, sizeof(*c));

	c->a = a;
	change_models();
	return c;
}

void change_clear(struct change *c)
{
	c->n = c->added = c->n_positive = 0;
}

/* Old content is kept only of what was added; the rest is made anew. */
static void grow(struct change *c)
{
	size_t cap = c->cap ? 2 * c->cap : 64;
	double **kept[] = { &c->value, &c->sd, &c->reps, &c->boots, &c->ln };
	double **made[] = { &c->y, &c->x, &c->w, &c->sw, &c->swx, &c->swxx, &c->s2, &c->tmp, &c->ratio, &c->local };

	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		*kept[i] = arena_grow(c->a, *kept[i], c->cap * sizeof(double), cap * sizeof(double));
	c->index = arena_grow(c->a, c->index, c->cap * sizeof(size_t), cap * sizeof(size_t));
	for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++)
		*made[i] = arena_array(c->a, double, cap + 1);
	c->clipped = arena_array(c->a, uint8_t, cap);
	c->mark = arena_array(c->a, uint8_t, cap);
	c->cut = arena_array(c->a, size_t, cap);
	c->cand = arena_array(c->a, size_t, cap);
	c->last = arena_array(c->a, size_t, cap);
	c->found = arena_array(c->a, struct change_found, cap / 2 + 1);
	c->outliers = arena_array(c->a, size_t, cap);
	c->cap = cap;
}

void change_add(struct change *c, const struct change_run *run)
{
	size_t i = c->n;

	c->added++;
	if (!isfinite(run->value))
		return;
	if (c->n == c->cap)
		grow(c);
	c->value[i] = run->value;
	c->sd[i] = run->sd > 0 && isfinite(run->sd) ? run->sd : NAN;
	c->reps[i] = run->reps > 1 ? (double)run->reps : 1;
	c->boots[i] = run->boots > 1 ? (double)run->boots : 1;
	c->ln[i] = run->value > 0 ? log(run->value) : NAN;
	c->n_positive += run->value > 0;
	c->index[i] = c->added - 1;
	c->n++;
}

const struct change_list *change_find(struct change *c)
{
	c->list = (struct change_list){ .found = c->found, .outliers = c->outliers };
	c->n_cut = 0;
	if (c->n < 2)
		return &c->list;
	change_prepare(c);
	change_split(c);
	change_tail(c);
	change_report(c);
	return &c->list;
}

void change_match(const struct change_list *l, const struct change_said *said, size_t n, size_t *of)
{
	for (size_t i = 0; i < l->n; i++)
		of[i] = SIZE_MAX;
	for (size_t k = 0; k < n; k++) {
		size_t best = SIZE_MAX, least = CHANGE_SAME + 1;

		for (size_t i = 0; i < l->n; i++) {
			const struct change_found *f = &l->found[i];
			size_t d = f->index < said[k].index ? said[k].index - f->index : f->index - said[k].index;

			if (of[i] == SIZE_MAX && d < least && (f->after > f->before) == said[k].up) {
				best = i;
				least = d;
			}
		}
		if (best != SIZE_MAX)
			of[best] = k;
	}
}

const char *change_state_word(enum change_state state)
{
	static const char *const words[] = { "suspect", "likely", "certain" };

	return words[state];
}
