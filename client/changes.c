/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "changes.h"

#include <math.h>
#include <stdio.h>

#include "../chart/table.h"
#include "../lib/jsonw.h"
#include "changes_draw.h"
#include "changes_file.h"
#include "say.h"

struct work {
	struct arena *a;
	const struct options *o;
	struct change *detector;
	struct buf out;
	struct jsonw j;
};

static const char *confidence(const struct change_found *f)
{
	return f->state == CHANGE_SUSPECT ? "none" : f->clear ? "strong" : "weak";
}

static void json_change(struct jsonw *j, const struct change_found *f)
{
	jsonw_object(j);
	jsonw_ki64(j, "index", (int64_t)f->index);
	jsonw_ki64(j, "lo", (int64_t)f->lo);
	jsonw_ki64(j, "hi", (int64_t)f->hi);
	jsonw_knum(j, "percent", f->percent);
	jsonw_key(j, "ci");
	jsonw_array(j);
	jsonw_num(j, f->ci_lo);
	jsonw_num(j, f->ci_hi);
	jsonw_array_end(j);
	jsonw_kstr(j, "confidence", confidence(f));
	jsonw_kstr(j, "state", change_state_word(f->state));
	jsonw_knum(j, "before", f->before);
	jsonw_knum(j, "after", f->after);
	jsonw_ki64(j, "runs_before", (int64_t)f->runs_before);
	jsonw_ki64(j, "runs_after", (int64_t)f->runs_after);
	jsonw_knum(j, "noise_percent", f->noise_percent);
	jsonw_object_end(j);
}

static void print_change(struct work *w, const struct change_found *f)
{
	if (w->o->json)
		json_change(&w->j, f);
	else
		jsonw_i64(&w->j, (int64_t)f->index);
}

/* All runs known at once. */
static void whole(struct work *w, const struct changes_series *s)
{
	const struct change_list *l;

	for (size_t i = 0; i < s->n; i++)
		change_add(w->detector, &s->runs[i]);
	l = change_find(w->detector);
	if (w->o->text) {
		changes_draw(w->a, &w->out, s, l);
		return;
	}
	for (size_t i = 0; i < l->n; i++)
		print_change(w, &l->found[i]);
	if (l->suspect)
		print_change(w, &l->last);
}

static void say_now(struct work *w, size_t seen, const struct change_found *f)
{
	if (w->o->text) {
		buf_printf(&w->out, "  after %zu runs: %s from %zu on\n", seen,
			   isnan(f->percent) ? changes_draw_step(w->a, f) : table_percent(w->a, f->percent), f->index);
		return;
	}
	jsonw_array(&w->j);
	jsonw_i64(&w->j, (int64_t)seen);
	jsonw_i64(&w->j, (int64_t)f->index);
	jsonw_array_end(&w->j);
}

/* Run by run, each change said once and for good, as alerts are: [runs seen, index]. */
static void run_by_run(struct work *w, const struct changes_series *s)
{
	struct change_said *said = arena_array(w->a, struct change_said, s->n);
	size_t *of = arena_array(w->a, size_t, s->n), n_said = 0;

	for (size_t seen = 1; seen <= s->n; seen++) {
		const struct change_list *l;

		change_add(w->detector, &s->runs[seen - 1]);
		l = change_find(w->detector);
		change_match(l, said, n_said, of);
		for (size_t i = 0; i < l->n; i++) {
			const struct change_found *f = &l->found[i];

			if (!f->clear || !f->large || of[i] != SIZE_MAX)
				continue;
			said[n_said++] = (struct change_said){ f->index, f->after > f->before };
			say_now(w, seen, f);
		}
	}
}

static void each(struct work *w, const struct changes_series *s)
{
	change_clear(w->detector);
	if (w->o->text) {
		if (w->o->online)
			table_para(&w->out, 2, table_clean(w->a, s->name));
		(w->o->online ? run_by_run : whole)(w, s);
		return;
	}
	buf_puts(&w->out, w->j.comma ? ",\n" : "\n");
	w->j.comma = false;
	jsonw_key(&w->j, s->name);
	jsonw_array(&w->j);
	if (w->o->online)
		run_by_run(w, s);
	else
		whole(w, s);
	jsonw_array_end(&w->j);
}

int changes(struct arena *a, const struct options *o)
{
	struct work w = { .a = a, .o = o, .detector = change_new(a) };
	struct changes_file file;
	struct err err = { 0 };

	if (changes_file_read(a, o->words[0], &file, &err))
		return say("%s: %s", o->words[0], err.message);
	buf_init(&w.out);
	w.j = jsonw_begin(&w.out);
	if (!o->text)
		jsonw_object(&w.j);
	for (size_t i = 0; i < file.n; i++) {
		each(&w, &file.series[i]);
		fwrite(w.out.p, 1, w.out.len, stdout);
		buf_clear(&w.out);
	}
	if (!o->text)
		fputs("\n}\n", stdout);
	buf_fini(&w.out);
	return 0;
}
