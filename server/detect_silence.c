/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "detect_silence.h"

#include <math.h>

#include "../lib/tm.h"
#include "calc_audit.h"
#include "calc_expect.h"
#include "calc_triage.h"
#include "detect_tell.h"

struct looking {
	const struct detect *d;
	struct db *db;
	struct arena *a;
	size_t *n;
};

static int put_event(struct looking *l, const struct db_alert *al, struct err *err)
{
	char id[UUID_TEXT];
	struct audit au;

	calc_audit_begin(&au, "watch", "alert", "open", uuid_format(&al->id, id));
	au.event.to_state = "new";
	jsonw_object(&au.json);
	jsonw_kstr(&au.json, "text", al->about);
	jsonw_object_end(&au.json);
	return calc_audit_end(&au, l->db, l->a, NULL, err);
}

/* Between the last kernel and itself: of a lab that never sent anything there is none to name. */
static int begin(struct looking *l, const struct calc_expect *x, struct err *err)
{
	int64_t machine = x->e->machine_id;
	struct db_alert al = { .machine_ids = &machine, .n_machines = 1 };

	if (!x->kernel)
		return 0;
	uuid_v7(&al.id);
	al.track = x->kernel->track;
	al.to_kernel_id = x->kernel->id;
	al.benchmark_id = x->benchmark->id;
	al.about = calc_expect_sentence(l->a, x);
	++*l->n;
	if (db_expectations_alert(l->db, &al, err) || db_expectations_set_alert(l->db, x->e->id, &al.id, err) ||
	    put_event(l, &al, err))
		return -1;
	return detect_tell(l->d->map, l->db, &al.id, x->benchmark->name, true, "opened", err);
}

static int end(struct looking *l, const struct calc_expect *x, struct err *err)
{
	struct triage t = { .action = LIFECYCLE_FIXED, .who = "watch", .due_at = TM_NONE, .until = TM_NONE, .verified = true,
			    .fixed_in = x->kernel, .restored_percent = NAN };
	struct db_alert *al;
	char at[TM_TEXT];

	++*l->n;
	if (db_expectations_set_alert(l->db, x->e->id, NULL, err) || db_alerts_get(l->db, l->a, &x->e->alert_id, &al, err))
		return -1;
	if (!al || al->merged || !calc_lifecycle_is_open(al->state))	/* somebody ended it before */
		return 0;
	t.text = arena_printf(l->a, "A run came at %s.", tm_format(x->last_at, at));
	return calc_triage_in_tx(l->d->catalog, l->db, l->a, &x->e->alert_id, &t, err);
}

static int look(struct looking *l, struct err *err)
{
	struct db_expectation *list;
	int64_t now = tm_now_usec();
	size_t n;

	if (db_catalog_refresh(l->d->catalog, l->db, err) || db_expectations_list(l->db, l->a, &list, &n, err))
		return -1;
	for (size_t i = 0; i < n; i++) {
		struct calc_expect x;

		if (calc_expect_look(l->d->catalog, l->db, l->a, &list[i], &x, err))
			return -1;
		if (!list[i].silent && now > x.due_at && begin(l, &x, err))
			return -1;
		if (list[i].silent && now <= x.due_at && end(l, &x, err))
			return -1;
	}
	return 0;
}

static int look_tx(struct db *db, void *arg, struct err *err)
{
	struct looking *l = arg;
	bool mine;
	int ret;

	*l->n = 0;
	l->db = db;
	if (db_alerts_lock(db, &mine, err))
		return -1;
	if (!mine)
		return 0;
	l->a = arena_new();
	ret = look(l, err);
	arena_free(l->a);
	return ret;
}

int detect_silence_look(const struct detect *d, struct db *db, size_t *n, struct err *err)
{
	struct looking l = { .d = d, .n = n };

	return db_tx(db, look_tx, &l, DETECT_DEADLINE_MS, err);
}
