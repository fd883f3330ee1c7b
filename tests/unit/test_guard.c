/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a webhook may lead. */
#include <arpa/inet.h>
#include <string.h>

#include "../../server/deliver_guard.h"
#include "tap.h"

static const char *asked(const char *allowed, const char *address)
{
	struct sockaddr_in6 six = { .sin6_family = AF_INET6 };
	struct sockaddr_in four = { .sin_family = AF_INET };
	struct arena *a = arena_new();
	struct net_list allow;
	struct err err = { 0 };
	const char *what = "not asked";

	if (net_parse_list(a, allowed, &allow, &err))
		what = "not parsed";
	else if (inet_pton(AF_INET, address, &four.sin_addr) == 1)
		what = deliver_guard_refuses(&allow, (struct sockaddr *)&four);
	else if (inet_pton(AF_INET6, address, &six.sin6_addr) == 1)
		what = deliver_guard_refuses(&allow, (struct sockaddr *)&six);
	arena_free(a);
	return what;
}

static void test_refused(void)
{
	static const char *const bad[] = {
		"127.0.0.1", "127.255.255.255", "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "172.16.0.1",
		"172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1", "100.100.100.200", "100.127.255.255",
		"168.63.129.16", "192.0.0.192", "192.0.2.1", "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9",
		"224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "::ffff:10.1.2.3",
		"::ffff:169.254.169.254", "::127.0.0.1", "64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1",
		"2002:7f00:1::", "2002:a00:1::1", "2001::1", "2001:db8::1", "fc00::1", "fd00:ec2::254", "fdff::1", "fe80::1",
		"febf::1", "fec0::1", "ff02::1", "100::1",
	};
	static const char *const good[] = {
		"1.1.1.1", "9.255.255.255", "11.0.0.1", "100.63.255.255", "100.128.0.1", "128.0.0.1", "126.255.255.255",
		"169.253.1.1", "172.15.255.255", "172.32.0.1", "192.167.1.1", "192.169.1.1", "198.17.1.1", "198.20.1.1",
		"223.255.255.255", "2606:4700::1111", "2a00::1", "64:ff9b::101:101", "2002:101:101::1", "::ffff:1.1.1.1",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ok(asked("", bad[i]) && strcmp(asked("", bad[i]), "not asked"), "%s is refused", bad[i]);
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		ok(!asked("", good[i]), "%s is not", good[i]);
	is_str(asked("", "::ffff:127.0.0.1"), "a loopback address", "and it is said what it is");
}

static void test_allowed(void)
{
	static const char *const bad[] = { "x", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0/8", "::/129", "localhost" };

	ok(!asked("127.0.0.0/8", "127.0.0.1"), "what is allowed is not refused");
	ok(!asked("127.0.0.0/8", "::ffff:127.0.0.1"), "nor in its other spelling");
	ok(!asked("127.0.0.0/8", "64:ff9b::127.0.0.1"), "nor through NAT64");
	ok(asked("127.0.0.0/8", "10.0.0.1") != NULL, "everything else still is");
	ok(!asked("10.1.0.0/17, fd00::/8", "10.1.127.255"), "a network of odd bits");
	ok(asked("10.1.0.0/17, fd00::/8", "10.1.128.0") != NULL, "ends where it ends");
	ok(!asked("10.1.0.0/17,fd00::/8", "fd12::1"), "a list");
	ok(!asked("10.1.2.3", "10.1.2.3") && asked("10.1.2.3", "10.1.2.4"), "a single address");
	ok(!asked("0.0.0.0/0", "10.1.2.3") && asked("0.0.0.0/0", "::1"), "all of IPv4 is not all");
	ok(!asked("::/0", "10.1.2.3") && !asked("::/0", "::1"), "but all of IPv6 is");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ok(!strcmp(asked(bad[i], "1.1.1.1"), "not parsed"), "%s is no network", bad[i]);
}

static void test_hosts(void)
{
	static const struct net_list none;

	ok(deliver_guard_refuses_host(&none, "127.0.0.1") != NULL, "an address as host");
	ok(deliver_guard_refuses_host(&none, "[::1]") != NULL, "in brackets");
	ok(deliver_guard_refuses_host(&none, "[fe80::1%25eth0]") != NULL, "with a zone");
	ok(!deliver_guard_refuses_host(&none, "hooks.example"), "a name is looked up later");
	ok(!deliver_guard_refuses_host(&none, "1.1.1.1"), "a public address");
}

int main(void)
{
	test_refused();
	test_allowed();
	test_hosts();
	return done();
}
