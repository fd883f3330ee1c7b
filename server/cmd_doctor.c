/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `nsecwatchd doctor`: looks, changes nothing, and says of what is wrong the cure. What serve and watch would run with is
 * what their environment says (the same NSECWATCH_* as theirs must be set here, as systemd's EnvironmentFile= has them).
 * Exit status 1: something is bad, not only worth a look.
 */
#include "cmd_doctor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <unistd.h>

#include "../lib/jsonw.h"
#include "../lib/tm.h"
#include "../lib/version.h"
#include "cmd.h"
#include "up.h"
#include "watch.h"

#define FREE_LEAST ((uint64_t)1 << 30)

void cmd_doctor_say(struct doctor *d, enum doctor_level level, const char *check, const char *cure, const char *fmt, ...)
{
	struct doctor_finding *f;
	va_list ap;

	if (d->n == DOCTOR_MOST)
		return;
	f = &d->findings[d->n++];
	va_start(ap, fmt);
	*f = (struct doctor_finding){ level, check, arena_vprintf(d->a, fmt, ap), cure };
	va_end(ap);
	d->bad += level == DOCTOR_BAD;
	d->warned += level == DOCTOR_WARN;
}

/* ---- what serve and watch are told ---- */

static void look_at_command(struct doctor *d, const char *name)
{
	char *argv[] = { arena_strdup(d->a, "nsecwatchd"), arena_strdup(d->a, name), NULL };
	struct err err = { 0 };
	struct conf conf;

	if (conf_parse(&conf, 2, argv, &err) || (!strcmp(name, "watch") && watch_check(&conf, &err))) {
		cmd_doctor_say(d, DOCTOR_BAD, name, "correct it in the environment (or the EnvironmentFile= of its unit)",
			       "%s would not start: %s", name, err.message);
		return;
	}
	cmd_doctor_say(d, DOCTOR_OK, name, NULL, "its environment is good");
	if (!strcmp(name, "watch")) {
		d->time_zone = arena_strdup(d->a, conf.time_zone);
		if (!conf.smtp_url && !conf.webhook_url && !conf.maintainers)
			cmd_doctor_say(d, DOCTOR_INFO, "alerts", "--smtp-url and --mail-to, --webhook-url, or --maintainers FILE of watch",
				       "nobody is told of alerts by this environment");
		if (!conf.public_url)
			cmd_doctor_say(d, DOCTOR_WARN, "alerts", "--public-url, of serve and watch", "links in alerts have no address to begin with");
	} else {
		d->workers = conf.workers;
		d->http_connections = conf.max_connections;
	}
}

/* A file with a secret is for its owner alone. */
static void look_at_secret(struct doctor *d, const char *what, const char *path)
{
	struct stat st;

	if (!path || !*path)
		return;
	if (stat(path, &st)) {
		cmd_doctor_say(d, DOCTOR_BAD, "permissions", "correct the path, or make the file", "%s: %s: %s", what, path, strerror(errno));
	} else if (st.st_mode & 077) {
		cmd_doctor_say(d, DOCTOR_BAD, "permissions", arena_printf(d->a, "chmod 600 %s", path),
			       "%s: %s may be read by others (mode %03o)", what, path, (unsigned)st.st_mode & 0777);
	} else {
		cmd_doctor_say(d, DOCTOR_OK, "permissions", NULL, "%s: %s is for its owner alone", what, path);
	}
}

static void look_at_files(struct doctor *d, const struct conf *conf)
{
	char *token = arena_printf(d->a, "%s/admin.token", conf->data);

	look_at_secret(d, "--smtp-password-file", getenv("NSECWATCH_SMTP_PASSWORD_FILE"));
	look_at_secret(d, "--webhook-secret-file", getenv("NSECWATCH_WEBHOOK_SECRET_FILE"));
	look_at_secret(d, "--maintainers", getenv("NSECWATCH_MAINTAINERS"));
	if (!conf->db && !access(token, F_OK))
		look_at_secret(d, "the first token", token);
	if (conf->db && strstr(conf->db, "password="))
		cmd_doctor_say(d, DOCTOR_WARN, "permissions", "put it into ~/.pgpass or PGPASSFILE",
			       "the conninfo has a password in it, which ps shows where it stands on a command line");
}

/* ---- the machine ---- */

static void look_at_disk(struct doctor *d, const char *path)
{
	struct statvfs fs;
	double share;
	uint64_t left;

	if (statvfs(path, &fs))
		return;
	left = (uint64_t)fs.f_bavail * fs.f_frsize;
	share = fs.f_blocks ? 100.0 * (double)fs.f_bavail / (double)fs.f_blocks : 100;
	if (left < FREE_LEAST || share < 5)
		cmd_doctor_say(d, left < FREE_LEAST / 8 ? DOCTOR_BAD : DOCTOR_WARN, "disk",
			       "make room, or drop old repetitions: nsecwatchd retain --raw 12m", "%s: %.1f GB free (%.0f %%)", path,
			       (double)left / 1e9, share);
	else
		cmd_doctor_say(d, DOCTOR_OK, "disk", NULL, "%s: %.1f GB free (%.0f %%)", path, (double)left / 1e9, share);
}

static void look_at_machine(struct doctor *d, const struct conf *conf)
{
	struct timex t = { 0 };
	struct rlimit files;
	int state = adjtimex(&t);

	if (state == TIME_ERROR || (state >= 0 && (t.status & STA_UNSYNC)))
		cmd_doctor_say(d, DOCTOR_WARN, "clock", "run chrony or systemd-timesyncd", "nothing keeps this machine's clock right");
	else if (state >= 0)
		cmd_doctor_say(d, DOCTOR_OK, "clock", NULL, "this machine's clock is kept right");
	if (!getrlimit(RLIMIT_NOFILE, &files) && files.rlim_cur < (rlim_t)d->http_connections + (rlim_t)d->workers + 64)
		cmd_doctor_say(d, DOCTOR_WARN, "limits", "LimitNOFILE= of its unit, or ulimit -n",
			       "%llu open files are allowed here: serve takes fewer than its --max-connections %d",
			       (unsigned long long)files.rlim_cur, d->http_connections);
	if (!conf->db)
		look_at_disk(d, conf->data);
}

/* ---- telling ---- */

static const char *const words[] = { "ok", "info", "warn", "BAD" };

static void tell(const struct doctor *d)
{
	for (size_t i = 0; i < d->n; i++) {
		const struct doctor_finding *f = &d->findings[i];

		printf("%-4s  %-12s %s\n", words[f->level], f->check, f->message);
		if (f->cure)
			printf("%18s cure: %s\n", "", f->cure);
	}
	printf("%zu looked at, %zu bad, %zu worth a look\n", d->n, d->bad, d->warned);
}

static void tell_json(const struct doctor *d)
{
	struct buf out;
	struct jsonw j;

	buf_init(&out);
	j = jsonw_begin(&out);
	jsonw_object(&j);
	jsonw_kstr(&j, "program", version_text);
	jsonw_ki64(&j, "bad", (int64_t)d->bad);
	jsonw_ki64(&j, "warnings", (int64_t)d->warned);
	jsonw_key(&j, "findings");
	jsonw_array(&j);
	for (size_t i = 0; i < d->n; i++) {
		jsonw_object(&j);
		jsonw_kstr(&j, "level", d->findings[i].level == DOCTOR_BAD ? "bad" : words[d->findings[i].level]);
		jsonw_kstr(&j, "check", d->findings[i].check);
		jsonw_kstr(&j, "message", d->findings[i].message);
		jsonw_kstr(&j, "cure", d->findings[i].cure);
		jsonw_object_end(&j);
	}
	jsonw_array_end(&j);
	jsonw_object_end(&j);
	puts(out.p);
	buf_fini(&out);
}

int cmd_doctor(const struct conf *conf, struct err *err)
{
	struct doctor d = { .a = arena_new(), .workers = 16, .http_connections = 4096 };
	const char *conninfo = conf->db;
	struct err why = { 0 };
	int ret = 0;

	look_at_command(&d, "serve");
	look_at_command(&d, "watch");
	look_at_files(&d, conf);
	look_at_machine(&d, conf);
	if (!conninfo && up_find_db(conf, &conninfo, &why))
		cmd_doctor_say(&d, DOCTOR_BAD, "database", "name it: --db, or --data of a running `nsecwatchd up`", "%s", why.message);
	else
		cmd_doctor_database(&d, conninfo);
	if (conf->json)
		tell_json(&d);
	else
		tell(&d);
	if (d.bad)
		ret = err_set(err, ERR_SETUP, "%zu thing%s to be cured", d.bad, d.bad == 1 ? " is" : "s are");
	arena_free(d.a);
	return ret;
}
