/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "up_listen.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "web_tls.h"

static struct addrinfo *look_up(const char *host, int port, bool passive, int *error)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = passive ? AI_PASSIVE : 0 }, *found = NULL;
	char service[16];

	snprintf(service, sizeof(service), "%d", port);
	*error = getaddrinfo(*host ? host : NULL, service, &hints, &found);
	return *error ? NULL : found;
}

static int in_use(const char *given, int port, struct err *err)
{
	return err_set(err, ERR_SETUP,
		       "%s is in use by another program (`ss -ltnp 'sport = :%d'` names it): stop it, or take another port: --listen ADDR:PORT or NSECWATCH_LISTEN",
		       given, port);
}

int up_listen_check(const char *given, const char *host, int *port, struct err *err)
{
	struct sockaddr_storage bound = { .ss_family = AF_UNSPEC };
	socklen_t len = sizeof(bound);
	int error = 0, on = 1, ret = -1, fd;
	struct addrinfo *at = look_up(host, *port, true, &error);

	if (!at)
		return err_set(err, ERR_SETUP, "--listen %s: %s", given, gai_strerror(error));
	fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));	/* TIME_WAIT is no hindrance */
	if (fd < 0 || bind(fd, at->ai_addr, at->ai_addrlen) || listen(fd, 1)) {
		if (errno == EADDRINUSE) {
			in_use(given, *port, err);
			ret = 1;
		} else if (errno == EACCES) {
			err_set(err, ERR_SETUP, "--listen %s: ports below 1024 are for root: take a higher one", given);
		} else {
			err_set(err, ERR_SETUP, "--listen %s: %s", given, strerror(errno));
		}
		goto out;
	}
	if (!*port && !getsockname(fd, (struct sockaddr *)&bound, &len))
		*port = ntohs(bound.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&bound)->sin6_port :
							    ((struct sockaddr_in *)&bound)->sin_port);
	ret = 0;
out:
	if (fd >= 0)
		close(fd);
	freeaddrinfo(at);
	return ret;
}

/* Listening on all addresses is answering on this machine's own. */
static const char *near(const char *host)
{
	if (!*host || !strcmp(host, "0.0.0.0"))
		return "127.0.0.1";
	return strcmp(host, "::") ? host : "::1";
}

static bool says_ready(int fd, bool tls)
{
	static const char ask[] = "GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
	char answer[16] = "";
	size_t got = 0;
	ssize_t n;

	if (tls)
		got = web_tls_ask(fd, ask, sizeof(ask) - 1, answer, 12);
	else if (send(fd, ask, sizeof(ask) - 1, MSG_NOSIGNAL) != (ssize_t)sizeof(ask) - 1)
		return false;
	while (!tls && got < 12 && (n = recv(fd, answer + got, 12 - got, 0)) > 0)
		got += (size_t)n;
	return got == 12 && !memcmp(answer, "HTTP/1.", 7) && !memcmp(answer + 8, " 200", 4);
}

bool up_listen_ready(const char *host, int port, bool tls)
{
	struct timeval patience = { .tv_sec = 2 };
	int error, fd;
	struct addrinfo *at = look_up(near(host), port, false, &error);
	bool ready = false;

	if (!at)
		return false;
	fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0) {
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
		ready = !connect(fd, at->ai_addr, at->ai_addrlen) && says_ready(fd, tls);
		close(fd);
	}
	freeaddrinfo(at);
	return ready;
}

void up_listen_text(const char *host, int port, char *out, size_t size)
{
	bool v6 = strchr(host, ':');

	snprintf(out, size, "%s%s%s:%d", v6 ? "[" : "", host, v6 ? "]" : "", port);
}

void up_listen_url(const char *host, int port, bool tls, char *out, size_t size)
{
	char text[300];

	up_listen_text(near(host), port, text, sizeof(text));
	snprintf(out, size, "%s://%s/", tls ? "https" : "http", text);
}
