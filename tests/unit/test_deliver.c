/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An alert as JSON, the message it travels in, and what addresses are taken. */
#include "../../server/calc_alert.h"
#include "../../server/calc_group.h"
#include "../../server/deliver.h"
#include "../../server/watch_send.h"
#include "tap.h"

static const struct deliver from_watch = { .mail_from = "watch@lab.example" };

/* The value of a header with its folding undone; NULL without. Freed at the next call. */
static const char *header(const char *message, const char *name)
{
	static struct buf value;
	const char *p, *end = strstr(message, "\r\n\r\n");
	char start[64];

	if (!value.p)
		buf_init(&value);
	buf_clear(&value);
	snprintf(start, sizeof(start), "\r\n%s: ", name);
	p = strstr(message, start);
	if (!p || p > end)
		return NULL;
	for (p += strlen(start); strncmp(p, "\r\n", 2) || p[2] == ' '; p++)
		if (*p != '\r' && *p != '\n')
			buf_putc(&value, *p);
	return value.p;
}

/* Lines before the blank one. */
static size_t count_headers(const char *message)
{
	const char *end = strstr(message, "\r\n\r\n");
	size_t n = 1;

	for (const char *p = message; p < end; p++)
		n += !strncmp(p, "\r\n", 2) && p[2] != ' ';
	return n;
}

static size_t longest_line(const char *text, const char *newline)
{
	size_t longest = 0;

	while (*text) {
		const char *end = strstr(text, newline);
		size_t n = end ? (size_t)(end - text) : strlen(text);

		longest = n > longest ? n : longest;
		text += n + (end ? strlen(newline) : 0);
	}
	return longest;
}

static void message(struct buf *out, const char *subject, const char *body)
{
	struct deliver_mail mail = { .to = "mm@lists.example", .subject = subject, .body = body, .message_id = "0198-alert",
				     .date = INT64_C(1771000200) * 1000000 };

	buf_clear(out);
	deliver_message(out, &from_watch, &mail);
}

static void test_message(void)
{
	static const char evil[] = "x\r\nBcc: everybody@example\r\n\r\nbody";
	struct buf m;
	size_t n;

	buf_init(&m);
	message(&m, "[REGRESSION] mprotect/tw4m", "one\n\ntwo\n");
	is_str(header(m.p, "Subject"), "[REGRESSION] mprotect/tw4m", "a plain subject stays as it is");
	is_str(header(m.p, "Message-ID"), "<0198-alert@lab.example>", "the Message-ID is made of the alert's id");
	is_str(header(m.p, "Content-Transfer-Encoding"), "7bit", "ASCII says 7bit");
	ok(!strncmp(m.p, "Date: Fri, 13 Feb 2026 16:30:00 +0000\r\n", 39), "the date is RFC 5322's");
	is_str(strstr(m.p, "\r\n\r\n") + 4, "one\r\n\r\ntwo\r\n", "lines of the body end in CRLF");
	n = count_headers(m.p);

	message(&m, evil, "text\n");
	ok(count_headers(m.p) == n && !strstr(m.p, "\r\nBcc"), "a subject cannot begin another header");
	is_str(strstr(m.p, "\r\n\r\n") + 4, "text\r\n", "nor end the headers");
	message(&m, "a\nBcc: x@example", "text\n");
	ok(count_headers(m.p) == n && !strstr(m.p, "\nBcc"), "a bare newline is no way out either");
	message(&m, "=?UTF-8?B?QUJD?=", "text\n");
	ok(!strstr(m.p, "Subject: =?UTF-8?B?QUJD?="), "a subject that looks encoded is encoded itself");

	message(&m, "gr\xc3\xb6\xc3\x9f" "er als \xe2\x88\x9e", "\xc2\xb5s\n");
	is_str(header(m.p, "Subject"), "=?UTF-8?B?Z3LDtsOfZXIgYWxzIOKIng==?=", "a subject beyond ASCII is an encoded word");
	is_str(header(m.p, "Content-Transfer-Encoding"), "8bit", "a body beyond ASCII says 8bit");
	buf_fini(&m);
}

static void test_long_subjects(void)
{
	struct buf m, s;

	buf_init(&m);
	buf_init(&s);
	for (int i = 0; i < 60; i++)
		buf_puts(&s, "word ");
	message(&m, s.p, "");
	ok(longest_line(m.p, "\r\n") <= 78, "a long subject is folded");
	for (int i = 0; i < 100; i++)
		buf_puts(&s, "\xc3\xa4\xe2\x82\xac");
	message(&m, s.p, "");
	ok(longest_line(m.p, "\r\n") <= 78, "a long subject beyond ASCII too");
	ok(!strstr(m.p, "\xc3"), "and no byte of it goes out raw");
	buf_clear(&s);
	for (int i = 0; i < 300; i++)
		buf_putc(&s, 'x');
	message(&m, s.p, "");
	ok(longest_line(m.p, "\r\n") <= 78, "a word longer than a line too");
	buf_fini(&s);
	buf_fini(&m);
}

static int check(const char *webhook, const char *smtp, const char *from, const char *to)
{
	struct conf conf = { .webhook_url = webhook, .smtp_url = smtp, .mail_from = from, .mail_to = to,
			     .webhook_format = "webhook", .improvements = "weekly", .digest_at = "08:00", .time_zone = "UTC",
			     .webhook_allow = "127.0.0.1" };
	struct arena *a = arena_new();
	struct err err = { 0 };
	struct deliver_map map;
	struct deliver d;
	int ret = deliver_map_load(a, &conf, &map, &err) || deliver_init(&d, a, &conf, &map, &err) ? -1 : 0;

	arena_free(a);
	return ret;
}

static void test_check(void)
{
	static const char *const bad[] = { "", "x", "@x", "x@", "a b@x", "a@x>\r\nDATA", "a@x,b@x", "\xc3\xa4@x", "<a@x>" };

	ok(!check("https://hooks.example/T0?x=1", NULL, NULL, NULL), "a webhook by https");
	ok(!check("http://127.0.0.1:8000/", NULL, NULL, NULL), "or http");
	ok(check("http://127.0.0.2:8000/", NULL, NULL, NULL), "not to an address that is private and not allowed");
	ok(check("http://[::1]/", NULL, NULL, NULL), "of either family");
	ok(check("file:///etc/passwd", NULL, NULL, NULL), "not by file");
	ok(check("ftp://x/", NULL, NULL, NULL), "not by ftp");
	ok(check("https://", NULL, NULL, NULL), "not without a host");
	ok(!check(NULL, "smtp://mail.example", "a@x", "b@y"), "mail by smtp");
	ok(!check(NULL, "smtps://mail.example:465", "a@x", "b@y"), "or smtps");
	ok(check(NULL, "https://mail.example", "a@x", "b@y"), "not by https");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ok(check(NULL, "smtp://m", bad[i], "b@y"), "no sender: %zu", i);
		ok(!*bad[i] || check(NULL, "smtp://m", "a@x", bad[i]), "no recipient: %zu", i);
	}
}

static void test_delay(void)
{
	bool grows = true;

	for (int64_t i = 1; i < 12; i++)
		grows &= watch_send_delay_ms(i, 0.999) < watch_send_delay_ms(i + 1, 0.999);
	ok(grows, "each failure waits longer");
	ok(watch_send_delay_ms(1, 0) >= 500 && watch_send_delay_ms(1, 1) <= 1000, "the first a second at most");
	ok(watch_send_delay_ms(1000000000, 1) <= 3600 * 1000, "none longer than an hour");
	ok(watch_send_delay_ms(5, 0.1) != watch_send_delay_ms(5, 0.9), "with jitter");
	ok(watch_send_random("a", 1) != watch_send_random("b", 1), "which two deliveries do not share");
	ok(watch_send_random("a", 1) != watch_send_random("a", 2), "nor two attempts");
	ok(watch_send_random("a", 1) == watch_send_random("a", 1), "but which is always the same");
	ok(watch_send_random("a", 1) >= 0 && watch_send_random("a", 1) < 1, "a share of one");
}

/* An alert of the story: three sizes, two machines, two THP modes. */
static struct cat_benchmark benchmark = { .id = 1, .name = "mprotect/tw4m" };
static struct cat_metric metric = { .id = 1, .name = "latency", .unit = "ns/call", .better = BETTER_LOWER };
static struct cat_machine machines[] = { { .id = 1, .name = "milan-01", .isa = "x86_64", .uarch = "epyc-milan", .facts = "{}" },
					 { .id = 2, .name = "rome-01", .isa = "x86_64", .uarch = "epyc-rome", .facts = "{}" } };
static struct cat_config configs[] = { { 1, "always", 4, "", NULL }, { 2, "never+64k-always", 0, "", NULL } };
static struct cat_kernel kernels[] = { { .id = 1, .name = "6.16", .track = "mainline" },
				       { .id = 2, .name = "6.17-rc1", .track = "mainline" } };
static struct cat_param params[][1] = { { { "size_kib", "40", true, 40 } }, { { "size_kib", "400", true, 400 } },
					{ { "size_kib", "4000", true, 4000 } } };
static struct cat_series series[6];
static struct db_change changes[6];
static struct calc_alert_row rows[6];
static const char *machine_names[] = { "milan-01", "rome-01" }, *thp_names[] = { "always", "never+64k-always" };
static struct db_alert row = { .track = "mainline", .regression = true, .state = "new", .n_series = 6,
			       .worst_percent = 134.61, .created_at = INT64_C(1771000200) * 1000000 };

static struct calc_alert story(void)
{
	static const double before[] = { 2071, 3453, 18804 }, after[] = { 2362, 5993, 44116 };

	for (int i = 0; i < 6; i++) {
		series[i] = (struct cat_series){ .id = i + 1, .benchmark = &benchmark, .metric = &metric,
						   .machine = &machines[i / 3], .config = &configs[i / 3], .params = "{}",
						   .param = params[i % 3], .n_params = 1 };
		changes[i] = (struct db_change){ i + 1, 1, 2, before[i % 3], after[i % 3],
						 (after[i % 3] / before[i % 3] - 1) * 100, "regression",
						 i % 3 ? "strong" : "weak", 0.01, 3, 2 };
		rows[i] = (struct calc_alert_row){ &series[i], &kernels[0], &kernels[1], &changes[i] };
	}
	memset(&row.id, 0x42, sizeof(row.id));
	return (struct calc_alert){ .alert = &row, .from = &kernels[0], .to = &kernels[1], .benchmark = &benchmark,
				    .machines = machine_names, .thp = thp_names, .n_machines = 2, .n_thp = 2,
				    .rows = rows, .n_rows = 6 };
}

static void test_json(void)
{
	struct calc_alert al = story();
	struct calc_group group = { .why = "one step, one benchmark" };
	struct buf b;
	struct jsonw j;

	al.group = &group;
	buf_init(&b);
	j = jsonw_begin(&b);
	calc_alert_json(&j, &al, "https://perf.example", true);
	ok(!!strstr(b.p, "\"kind\":\"regression\",\"benchmark\":\"mprotect/tw4m\",\"track\":\"mainline\",\"from\":\"6.16\","
			 "\"to\":\"6.17-rc1\",\"worst_percent\":134.61,\"n_series\":6,"
			 "\"machines\":[\"milan-01\",\"rome-01\"],\"thp\":[\"always\",\"never+64k-always\"]"),
	   "JSON has the alert");
	ok(!!strstr(b.p, "\"url\":\"https://perf.example/alerts/42424242"), "with an absolute address where asked for");
	ok(!!strstr(b.p, "\"base_page_kib\":null"), "an unknown page size is null");
	buf_clear(&b);
	j = jsonw_begin(&b);
	calc_alert_json(&j, &al, NULL, false);
	ok(!strstr(b.p, "\"rows\"") && strstr(b.p, "\"url\":\"/alerts/"), "a list has no rows and relative addresses");
	buf_fini(&b);
}

int main(void)
{
	test_message();
	test_long_subjects();
	test_check();
	test_delay();
	test_json();
	return done();
}
