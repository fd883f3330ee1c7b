/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who may do how much: limits with a bounded memory, addresses behind proxies, where a change was made, limits of tokens. */
#include "../../server/calc_token.h"
#include "../../server/web_limit.h"
#include "../../server/web_peer.h"
#include "../../server/web_session.h"

#include "../../lib/tm.h"
#include "tap.h"

static struct web_limit_key address(const char *text)
{
	uint8_t b[16];

	if (!net_parse_host(text, strlen(text), b, NULL))
		abort();
	return web_limit_address(b);
}

static enum web_limit_answer take(struct web_limit *l, const char *text, web_limit_seat *seat)
{
	struct web_limit_key key = address(text);
	int retry;

	return web_limit_take(l, &key, seat, &retry);
}

static void test_rates(void)
{
	struct web_limit *l = web_limit_new(3, 0), *none = web_limit_new(0, 0);
	struct web_limit_key key = address("203.0.113.7");
	int good = 0, retry = 0;

	for (int i = 0; i < 5; i++)
		good += take(l, "203.0.113.7", NULL) == WEB_LIMIT_GOOD;
	ok(good == 3, "three a minute are three at once");
	ok(web_limit_take(l, &key, NULL, &retry) == WEB_LIMIT_TOO_OFTEN && retry >= 1 && retry <= 20, "then one each 20 s: %d", retry);
	ok(take(l, "203.0.113.8", NULL) == WEB_LIMIT_GOOD, "the neighbour has its own");
	good = 0;
	for (int i = 0; i < 4; i++)
		good += take(l, i % 2 ? "2001:db8:1:2::1" : "2001:db8:1:2:ffff::9", NULL) == WEB_LIMIT_GOOD;
	ok(good == 3, "an IPv6 network of 64 bits is one");
	ok(take(l, "2001:db8:1:3::1", NULL) == WEB_LIMIT_GOOD, "the next is another");
	good = 0;
	for (int i = 0; i < 1000; i++)
		good += take(none, "203.0.113.7", NULL) == WEB_LIMIT_GOOD;
	ok(good == 1000, "no limit is none");
	web_limit_free(l);
	web_limit_free(none);
}

static void test_at_once(void)
{
	struct web_limit *l = web_limit_new(0, 2);
	web_limit_seat a, b, c;

	ok(take(l, "203.0.113.7", &a) == WEB_LIMIT_GOOD && take(l, "203.0.113.7", &b) == WEB_LIMIT_GOOD && a && b, "two at once");
	ok(take(l, "203.0.113.7", &c) == WEB_LIMIT_TOO_MANY && !c, "and no third");
	web_limit_give(l, &a);
	ok(!a && take(l, "203.0.113.7", &c) == WEB_LIMIT_GOOD, "but when one is done");
	web_limit_give(l, &b);
	web_limit_give(l, &c);
	web_limit_give(l, &c);
	ok(take(l, "203.0.113.7", &a) == WEB_LIMIT_GOOD && take(l, "203.0.113.7", &b) == WEB_LIMIT_GOOD, "given back once each");
	web_limit_give(l, &a);
	web_limit_give(l, &b);
	web_limit_free(l);
}

/* A million addresses: the table does not grow, and who has something under way keeps its count. */
static void test_many(void)
{
	struct web_limit *l = web_limit_new(0, 1);
	web_limit_seat mine, other;
	size_t refused = 0;
	char text[64];

	take(l, "203.0.113.7", &mine);
	for (unsigned i = 0; i < 1000000; i++) {
		snprintf(text, sizeof(text), "2001:db8:%x:%x::1", i >> 16, i & 0xffff);
		refused += take(l, text, &other) != WEB_LIMIT_GOOD;
		web_limit_give(l, &other);
	}
	ok(!refused, "each of a million is served");
	ok(take(l, "203.0.113.7", &other) == WEB_LIMIT_TOO_MANY, "the count of what is under way outlives them");
	web_limit_give(l, &mine);
	web_limit_free(l);
}

static void test_persons(void)
{
	struct web_limit *l = web_limit_new(1, 0);
	struct web_limit_key a = web_limit_person(7, "x"), b = web_limit_person(8, "x"), c = web_limit_person(-1, "x"), d = web_limit_person(-1, "y");
	int retry;

	ok(!web_limit_take(l, &a, NULL, &retry) && !web_limit_take(l, &b, NULL, &retry) && !web_limit_take(l, &c, NULL, &retry) &&
	   !web_limit_take(l, &d, NULL, &retry) && web_limit_take(l, &c, NULL, &retry) && web_limit_take(l, &a, NULL, &retry),
	   "tokens by their number, people by their name");
	web_limit_free(l);
}

static const char *forwarded(const struct net_list *proxies, const char *list)
{
	static char text[NET_TEXT];
	uint8_t b[16];

	return web_peer_forwarded(proxies, list, b) ? net_format(b, text) : NULL;
}

static void test_forwarded(struct arena *a)
{
	struct net_list proxies;
	struct err err;

	ok(!net_parse_list(a, "127.0.0.1, 10.0.0.0/8,fd00::/8", &proxies, &err) && proxies.n == 3, "networks");
	is_str(forwarded(&proxies, "203.0.113.7"), "203.0.113.7", "one proxy, one client");
	is_str(forwarded(&proxies, "6.6.6.6, 203.0.113.7, 10.1.2.3"), "203.0.113.7", "what the client claimed counts for nothing");
	is_str(forwarded(&proxies, "203.0.113.7:4711 , [fd00::1]:80"), "203.0.113.7", "with ports");
	is_str(forwarded(&proxies, "[2001:db8::5]"), "2001:db8::5", "IPv6 in brackets");
	is_str(forwarded(&proxies, "::ffff:203.0.113.7"), "203.0.113.7", "an IPv4 address written as IPv6 is the same");
	is_str(forwarded(&proxies, "10.0.0.1"), NULL, "only ours: nobody before them is told");
	is_str(forwarded(&proxies, "203.0.113.7, unknown"), NULL, "behind what cannot be read nothing counts");
	is_str(forwarded(&proxies, ""), NULL, "empty");
	is_str(forwarded(&proxies, ",,"), NULL, "commas");
	ok(net_parse_list(a, "10.0.0.0/33", &proxies, &err) && strstr(err.message, "10.0.0.0/33"), "no network: %s", err.message);
}

static int made_here(const char *origin, const char *fetch_site, const char *host, const char *public_url, bool https)
{
	struct web_origin o = { .origin = origin, .fetch_site = fetch_site, .host = host, .public_url = public_url, .https = https };
	struct err err;

	return !web_session_origin(&o, true, &err);
}

static void test_origin(void)
{
	struct web_origin none = { .host = "lab" };
	struct err err;

	ok(made_here("http://lab:8080", NULL, "lab:8080", NULL, false), "the same host and port");
	ok(made_here("http://LAB", "same-origin", "lab:80", NULL, false), "the scheme's own port is none");
	ok(!made_here("http://lab:8081", NULL, "lab:8080", NULL, false), "another port is another site");
	ok(!made_here("http://lab.evil.example", NULL, "lab", NULL, false), "a longer name is another");
	ok(!made_here("http://evil.example/lab", NULL, "lab", NULL, false), "so is another host");
	ok(!made_here("null", NULL, "lab", NULL, false), "a sandboxed page is none of ours");
	ok(!made_here("", NULL, "", NULL, false) && !made_here("http://", NULL, "", NULL, false), "nothing is not the same as nothing");
	ok(!made_here("http://lab", "cross-site", "lab", NULL, false) && !made_here("http://lab", "same-site", "lab", NULL, false) &&
	   !made_here(NULL, "none", "lab", NULL, false), "what the browser says of the site");
	ok(made_here(NULL, "same-origin", "lab", NULL, false), "one of both will do");
	ok(made_here("https://perf.example", NULL, "backend:8080", "https://perf.example/", true), "behind a proxy that changes Host");
	ok(!made_here("http://perf.example", NULL, "perf.example", NULL, true), "over HTTPS no plain page is ours");
	ok(made_here("https://perf.example", NULL, "perf.example:443", NULL, true), "over HTTPS");
	ok(web_session_origin(&none, true, &err) && err.kind == ERR_FORBIDDEN && !web_session_origin(&none, false, &err),
	   "no word at all: a program, that sends no cookie");
}

static void test_proof(void)
{
	struct req rq = { .way = AUTH_SESSION, .csrf = "0123", .token = { .id = 1, .name = "x" } };
	struct err err;

	ok(!web_session_proof(&rq, "0123", &err), "the proof");
	ok(web_session_proof(&rq, "0124", &err) && web_session_proof(&rq, "", &err) && web_session_proof(&rq, NULL, &err) &&
	   web_session_proof(&rq, "01234", &err) && web_session_proof(&rq, "012", &err), "nothing else");
	rq.csrf = NULL;
	ok(web_session_proof(&rq, NULL, &err) && web_session_proof(&rq, "", &err), "none is not the same as none");
}

static void test_limits_of_tokens(struct arena *a)
{
	const char *globs = NULL;
	int64_t end;
	struct err err;

	ok(!calc_token_globs(a, " milan-*, rome-1", &globs, &err) && !strcmp(globs, "milan-*\nrome-1\n"), "names with commas");
	ok(calc_token_lets(globs, "milan-01") && calc_token_lets(globs, "rome-1") && !calc_token_lets(globs, "rome-10") &&
	   !calc_token_lets(globs, "Milan-01") && !calc_token_lets(globs, "a-milan-01") && !calc_token_lets(globs, ""), "let in what fits wholly");
	ok(calc_token_lets(NULL, "any"), "no limit");
	ok(!calc_token_globs(a, "", &globs, &err) && !globs && calc_token_globs(a, "a,,b", &globs, &err) && calc_token_globs(a, "a\nb", &globs, &err) &&
	   calc_token_globs(a, ",", &globs, &err), "an empty name would let nobody in: %s", err.message);
	ok(!calc_token_end("90d", 1000, &end, &err) && end == 1000 + 90LL * 86400 * 1000000 && !calc_token_end("12h", 0, &end, &err) &&
	   end == 12LL * 3600 * 1000000, "from now");
	ok(!calc_token_end("2027-01-01T00:00:00Z", 0, &end, &err) && calc_token_end("1970-01-02T00:00:00Z", tm_now_usec(), &end, &err), "a time to come");
	ok(calc_token_end("soon", 0, &end, &err) && calc_token_end("0d", 0, &end, &err) && calc_token_end("-1d", 0, &end, &err) &&
	   calc_token_end("d", 0, &end, &err) && calc_token_end("99999999999999999d", 0, &end, &err), "no time: %s", err.message);
}

int main(void)
{
	struct arena *a = arena_new();

	test_rates();
	test_at_once();
	test_many();
	test_persons();
	test_forwarded(a);
	test_origin();
	test_proof();
	test_limits_of_tokens(a);
	arena_free(a);
	return done();
}
