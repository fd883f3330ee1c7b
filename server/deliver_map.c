/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "deliver_map.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../lib/buf.h"
#include "../lib/mime.h"
#include "../lib/must.h"
#include "calc_select.h"

#define FILE_MOST (1 << 20)
#define WORD_MOST 2000

struct reading {
	struct arena *a;
	struct deliver_map *map;
	const char *file;
	int line;
	struct deliver_section *section;	/* the one under work, or NULL */
	int section_line;
	struct err *err;
};

/* "HH:MM" as minutes of the day: -1 where it is none. */
static int minutes(const char *s, size_t n)
{
	int h, m;

	if (n != 5 || s[2] != ':' || strspn(s, "0123456789") != 2 || strspn(s + 3, "0123456789") < 2)
		return -1;
	h = (s[0] - '0') * 10 + s[1] - '0';
	m = (s[3] - '0') * 10 + s[4] - '0';
	return h < 24 && m < 60 ? h * 60 + m : -1;
}

/* What a webhook understands. */
static int hook_kind(const char *word, enum outbox_kind *kind)
{
	if (!strcmp(word, "json")) {
		*kind = OUTBOX_WEBHOOK;
		return 0;
	}
	return db_outbox_kind_parse(word, kind) || *kind == OUTBOX_MAIL ? -1 : 0;
}

static bool when_of(const char *word, enum deliver_when *when)
{
	static const char *const words[] = { "now", "daily", "weekly", "never" };

	for (int i = 0; i < 4; i++)
		if (!strcmp(words[i], word)) {
			*when = (enum deliver_when)i;
			return true;
		}
	return false;
}

/* A name of the time zone database; whether PostgreSQL has it is found out when it is asked. */
static bool is_zone(const char *s)
{
	return *s && strlen(s) < 64 && s[strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-/")] == 0;
}

/* What a webhook is called; an address has an @, the options' one a name of its own. */
static bool is_name(const char *s)
{
	return *s && strlen(s) <= 60 && strcmp(s, OUTBOX_DEFAULT) &&
	       s[strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-")] == 0;
}

static bool is_url(const char *s)
{
	char *scheme = NULL, *host = NULL;
	CURLU *u = curl_url();
	bool good;

	must(u);
	good = strstr(s, "://") && !curl_url_set(u, CURLUPART_URL, s, 0) && !curl_url_get(u, CURLUPART_SCHEME, &scheme, 0) &&
	       !curl_url_get(u, CURLUPART_HOST, &host, 0) && (!strcmp(scheme, "https") || !strcmp(scheme, "http"));
	curl_free(scheme);
	curl_free(host);
	curl_url_cleanup(u);
	return good;
}

/* What people and the database call a webhook whose URL nobody should see: its host, and some of its digest. */
static const char *webhook_name(struct arena *a, const char *url)
{
	const char *host = strstr(url, "://") + 3, *at;
	size_t n = strcspn(host, "/?#");
	uint8_t digest[32];
	char hex[65];

	at = memchr(host, '@', n);	/* user:password@ */
	n -= at ? (size_t)(at + 1 - host) : 0;
	host = at ? at + 1 : host;
	sha256(url, strlen(url), digest);
	hex_format(digest, 4, hex);
	return arena_printf(a, "%.*s-%s", (int)(n < 100 ? n : 100), host, hex);
}

__attribute__((format(printf, 2, 3))) static int wrong(struct reading *r, const char *fmt, ...)
{
	va_list ap;
	const char *text;

	va_start(ap, fmt);
	text = arena_vprintf(r->a, fmt, ap);
	va_end(ap);
	return err_set(r->err, ERR_SETUP, "%s: line %d: %s", r->file, r->line, text);
}

static int set_secret(struct reading *r, struct deliver_target *t, const char *name)
{
	char secret[CONF_SECRET];

	if (conf_secret_of_file(name, secret, r->err))
		return err_prefix(r->err, "%s: line %d", r->file, r->line);
	t->secret = arena_strdup(r->a, secret);
	return 0;
}

static int set_quiet(struct reading *r, struct deliver_target *t, const char *value)
{
	const char *dash = strchr(value, '-');

	t->quiet_from = dash ? minutes(value, (size_t)(dash - value)) : -1;
	t->quiet_to = dash ? minutes(dash + 1, strlen(dash + 1)) : -1;
	if (t->quiet_from < 0 || t->quiet_to < 0)
		return wrong(r, "quiet=%.40s: two times of the day are needed, as quiet=20:00-08:00", value);
	return 0;
}

/* One word behind an address or URL. */
static int set_word(struct reading *r, struct deliver_target *t, const char *word)
{
	bool hook = t->kind != OUTBOX_MAIL;
	const char *value = strchr(word, '=');
	enum outbox_kind kind;
	size_t n = value ? (size_t)(value++ - word) : strlen(word);

	if (!value && when_of(word, &t->regressions))
		return 0;
	if (!value && hook && !hook_kind(word, &kind)) {
		t->kind = kind;
		return 0;
	}
	if (value && n == 12 && !memcmp(word, "improvements", n))
		return when_of(value, &t->improvements) ? 0 : wrong(r, "%.60s: now, daily, weekly or never is needed", word);
	if (value && n == 5 && !memcmp(word, "quiet", n))
		return set_quiet(r, t, value);
	if (value && n == 2 && !memcmp(word, "tz", n)) {
		t->zone = arena_strdup(r->a, value);
		return is_zone(value) ? 0 : wrong(r, "%.60s: a time zone is needed, as tz=Europe/Berlin", word);
	}
	if (value && n == 6 && !memcmp(word, "digest", n)) {
		t->digest_minute = minutes(value, strlen(value));
		return t->digest_minute >= 0 ? 0 : wrong(r, "%.60s: a time of the day is needed, as digest=08:00", word);
	}
	if (value && hook && n == 6 && !memcmp(word, "secret", n))
		return set_secret(r, t, value);
	if (value && hook && n == 4 && !memcmp(word, "name", n)) {
		t->name = arena_strdup(r->a, value);
		return is_name(value) ? 0 : wrong(r, "%.60s: a word of letters, digits, - and . is needed", word);
	}
	return wrong(r, "\"%.60s\" is no option of %s", word, hook ? "a webhook" : "an address");
}

static bool same_text(const char *x, const char *y)
{
	return x && y ? !strcmp(x, y) : x == y;
}

static bool same_options(const struct deliver_target *x, const struct deliver_target *y)
{
	return x->kind == y->kind && x->regressions == y->regressions && x->improvements == y->improvements &&
	       !strcmp(x->zone, y->zone) && x->digest_minute == y->digest_minute && x->quiet_from == y->quiet_from &&
	       x->quiet_to == y->quiet_to && same_text(x->secret, y->secret) && !strcmp(x->name, y->name);
}

static struct deliver_target *find(const struct deliver_map *map, bool mail, const char *name)
{
	for (size_t i = 0; i < map->n_targets; i++)
		if ((map->targets[i]->kind == OUTBOX_MAIL) == mail && !strcmp(map->targets[i]->name, name))
			return map->targets[i];
	return NULL;
}

/* The target that stands for an address or URL: an option's, too. */
static struct deliver_target *known(const struct deliver_map *map, const struct deliver_target *t)
{
	for (size_t i = 0; i < map->n_targets; i++) {
		struct deliver_target *k = map->targets[i];

		if ((k->kind == OUTBOX_MAIL) == (t->kind == OUTBOX_MAIL) &&
		    (k->kind == OUTBOX_MAIL ? !strcmp(k->address, t->address) : !strcmp(k->url, t->url)))
			return k;
	}
	return NULL;
}

static struct deliver_target *keep_target(struct arena *a, struct deliver_map *map, const struct deliver_target *t)
{
	struct deliver_target *kept = arena_alloc(a, sizeof(*kept));
	size_t n = map->n_targets;

	*kept = *t;
	map->targets = arena_grow(a, map->targets, n * sizeof(*map->targets), (n + 1) * sizeof(*map->targets));
	map->targets[map->n_targets++] = kept;
	return kept;
}

static void add_to_section(struct arena *a, struct deliver_section *s, const struct deliver_target *t)
{
	for (size_t i = 0; i < s->n_targets; i++)
		if (s->targets[i] == t)
			return;
	s->targets = arena_grow(a, s->targets, s->n_targets * sizeof(*s->targets), (s->n_targets + 1) * sizeof(*s->targets));
	s->targets[s->n_targets++] = t;
}

/* "NAME <ADDRESS> words" or "ADDRESS words"; a URL and words. */
static int target_line(struct reading *r, bool mail, char *value)
{
	struct deliver_target t = r->map->standard, *k;
	char *open = mail ? strchr(value, '<') : NULL, *word, *save = NULL;
	bool options = false;

	t.line = r->line;
	t.kind = mail ? OUTBOX_MAIL : OUTBOX_WEBHOOK;
	word = strtok_r(open ? open + 1 : value, open ? ">" : " \t", &save);
	if (!word || (mail ? !mime_is_address(word) : !is_url(word)))
		return wrong(r, mail ? "an address is needed, as mm-perf@lab.example" : "a URL is needed, as https://...");
	t.address = mail ? word : NULL;
	t.url = mail ? NULL : word;
	t.name = mail ? word : webhook_name(r->a, word);
	while ((word = strtok_r(NULL, " \t", &save))) {
		options = true;
		if (set_word(r, &t, word))
			return -1;
	}
	if (t.kind == OUTBOX_MATRIX && !t.secret)
		return wrong(r, "matrix needs secret=FILE: an access token");
	k = known(r->map, &t);
	if (k && options && !same_options(k, &t))
		return k->line ? wrong(r, "it has other options in line %d", k->line) :
				 wrong(r, "it has other options on the command line");
	if (!k && find(r->map, mail, t.name))
		return wrong(r, "another one is called %s", t.name);
	add_to_section(r->a, r->section, k ? k : keep_target(r->a, r->map, &t));
	return 0;
}

static void add_glob(struct arena *a, const char ***list, size_t *n, const char *glob)
{
	*list = arena_grow(a, *list, *n * sizeof(**list), (*n + 1) * sizeof(**list));
	(*list)[(*n)++] = glob;
}

static int value_line(struct reading *r, char letter, char *value)
{
	if (!r->section)
		return wrong(r, "a heading is needed first");
	if (!*value)
		return wrong(r, "%c: says nothing", letter);
	switch (letter) {
	case 'B':
		add_glob(r->a, &r->section->benchmarks, &r->section->n_benchmarks, value);
		return 0;
	case 'X':
		add_glob(r->a, &r->section->excepts, &r->section->n_excepts, value);
		return 0;
	case 'M':
	case 'L':
		return target_line(r, true, value);
	case 'H':
		return target_line(r, false, value);
	}
	return wrong(r, "%c: is not known here: B, X, M, L or H is needed", letter);
}

static int end_section(struct reading *r)
{
	const struct deliver_section *s = r->section;

	r->section = NULL;
	if (!s)
		return 0;
	r->line = r->section_line;
	if (!s->n_benchmarks)
		return wrong(r, "%.60s names no benchmark: B: * is all", s->name);
	return s->n_targets ? 0 : wrong(r, "%.60s names nobody: M: or H: is needed", s->name);
}

static struct deliver_section *new_section(struct arena *a, struct deliver_map *map, const char *name)
{
	size_t n = map->n_sections, size = sizeof(*map->sections);

	map->sections = arena_grow(a, map->sections, n * size, (n + 1) * size);
	map->sections[n] = (struct deliver_section){ .name = name };
	return &map->sections[map->n_sections++];
}

static int text_line(struct reading *r, char *line)
{
	size_t n = strlen(line);

	while (n && strchr(" \t\r", line[n - 1]))
		line[--n] = 0;
	if (n > WORD_MOST)
		return wrong(r, "it is longer than %d bytes", WORD_MOST);
	if (*line == '#')
		return 0;
	if (!n)
		return end_section(r);
	if (*line >= 'A' && *line <= 'Z' && line[1] == ':')
		return value_line(r, *line, line + 2 + strspn(line + 2, " \t"));
	if (r->section)
		return wrong(r, "\"%.60s\": a letter and a colon are needed, or an empty line before a heading", line);
	r->section = new_section(r->a, r->map, line);
	r->section_line = r->line;
	return 0;
}

int deliver_map_parse(struct arena *a, const char *file, const char *text, struct deliver_map *map, struct err *err)
{
	struct reading r = { .a = a, .map = map, .file = file, .err = err };

	while (*text) {
		size_t n = strcspn(text, "\n");

		r.line++;
		if (text_line(&r, arena_strndup(a, text, n)))
			return -1;
		text += n + (text[n] == '\n');
	}
	return end_section(&r);
}

static int read_file(struct buf *out, const char *name, struct err *err)
{
	FILE *f = fopen(name, "re");
	size_t n;

	if (!f)
		return err_set(err, ERR_SETUP, "--maintainers %s: %s", name, strerror(errno));
	do {
		n = fread(buf_reserve(out, 65536), 1, 65536, f);
		out->len += n;
		out->p[out->len] = 0;
	} while (n && out->len <= FILE_MOST);
	n = (size_t)ferror(f);
	fclose(f);
	if (n)
		return err_set(err, ERR_SETUP, "--maintainers %s: %s", name, strerror(EIO));
	if (out->len > FILE_MOST || strlen(out->p) != out->len)
		return err_set(err, ERR_SETUP, "--maintainers %s: not a text of at most a megabyte", name);
	return 0;
}

/* What the options say of everybody. */
static int standards(const struct conf *conf, struct deliver_target *t, struct err *err)
{
	*t = (struct deliver_target){
		.zone = conf->time_zone,
		.digest_minute = minutes(conf->digest_at, strlen(conf->digest_at)),
	};
	if (t->digest_minute < 0)
		return err_set(err, ERR_SETUP, "--digest-at is \"%s\": a time of the day is needed, as 08:00", conf->digest_at);
	if (!is_zone(t->zone))
		return err_set(err, ERR_SETUP, "--time-zone is \"%s\": a name as Europe/Berlin is needed", conf->time_zone);
	if (!when_of(conf->improvements, &t->improvements))
		return err_set(err, ERR_SETUP, "--improvements is \"%s\": now, daily, weekly or never is needed",
			       conf->improvements);
	return 0;
}

static int option_targets(struct arena *a, const struct conf *conf, struct deliver_map *map, struct err *err)
{
	struct deliver_target t = map->standard;
	struct deliver_section *all = new_section(a, map, NULL);

	t.name = OUTBOX_DEFAULT;
	if (conf->mail_to && *conf->mail_to) {
		t.kind = OUTBOX_MAIL;
		t.address = conf->mail_to;
		if (!mime_is_address(t.address))
			return err_set(err, ERR_SETUP, "--mail-to: one plain address is needed, as mm-list@lab.example");
		add_to_section(a, all, keep_target(a, map, &t));
	}
	if (!conf->webhook_url || !*conf->webhook_url)
		return 0;
	t.address = NULL;
	t.url = conf->webhook_url;
	t.secret = conf->webhook_secret;
	if (!is_url(t.url))		/* it may hold a secret: it is not repeated */
		return err_set(err, ERR_SETUP, "--webhook-url is no URL that begins with https:// or http://");
	if (hook_kind(conf->webhook_format, &t.kind))
		return err_set(err, ERR_SETUP, "--webhook-format is \"%s\": json, slack, mattermost or matrix is needed",
			       conf->webhook_format);
	if (t.kind == OUTBOX_MATRIX && !t.secret)
		return err_set(err, ERR_SETUP, "--webhook-format matrix needs --webhook-secret-file: an access token");
	add_to_section(a, all, keep_target(a, map, &t));
	return 0;
}

/* Mail can go to any address, were it one that is no longer in the file. */
static void what_we_can(struct arena *a, const struct conf *conf, struct deliver_map *map)
{
	const char **names = arena_array(a, const char *, map->n_targets + 1);

	for (size_t i = 0; i < map->n_targets; i++)
		if (map->targets[i]->kind != OUTBOX_MAIL)
			names[map->able.n++] = map->targets[i]->name;
	map->able.targets = names;
	map->able.mail = conf->smtp_url && *conf->smtp_url && conf->mail_from && *conf->mail_from;
}

int deliver_map_load(struct arena *a, const struct conf *conf, struct deliver_map *map, struct err *err)
{
	struct buf text;
	int ret;

	*map = (struct deliver_map){ 0 };
	if (standards(conf, &map->standard, err) || option_targets(a, conf, map, err))
		return -1;
	if (conf->maintainers && *conf->maintainers) {
		buf_init(&text);
		ret = read_file(&text, conf->maintainers, err) || deliver_map_parse(a, conf->maintainers, text.p, map, err);
		buf_fini(&text);
		if (ret)
			return -1;
	}
	what_we_can(a, conf, map);
	for (size_t i = 0; i < map->n_targets && !map->able.mail; i++)
		if (map->targets[i]->kind == OUTBOX_MAIL)
			return err_set(err, ERR_SETUP, "--maintainers names mail addresses: --smtp-url and --mail-from are needed, too");
	return 0;
}

const struct deliver_target *deliver_map_target(const struct deliver_map *map, enum outbox_kind kind, const char *name)
{
	return find(map, kind == OUTBOX_MAIL, name);
}

const struct deliver_target *deliver_map_find(const struct deliver_map *map, const char *name)
{
	for (size_t i = 0; i < map->n_targets; i++)
		if (!strcmp(map->targets[i]->kind == OUTBOX_MAIL ? map->targets[i]->address : map->targets[i]->name, name))
			return map->targets[i];
	return NULL;
}

static bool one_of(const char *const *globs, size_t n, const char *benchmark)
{
	for (size_t i = 0; i < n; i++)
		if (calc_select_glob(globs[i], benchmark))
			return true;
	return false;
}

const struct deliver_target **deliver_map_who(struct arena *a, const struct deliver_map *map, const char *benchmark,
					      size_t *n)
{
	struct deliver_section who = { 0 };

	for (size_t i = 0; i < map->n_sections; i++) {
		const struct deliver_section *s = &map->sections[i];

		if (s->name && (!one_of(s->benchmarks, s->n_benchmarks, benchmark) ||
				one_of(s->excepts, s->n_excepts, benchmark)))
			continue;
		for (size_t k = 0; k < s->n_targets; k++)
			add_to_section(a, &who, s->targets[k]);
	}
	*n = who.n_targets;
	return who.targets;
}
