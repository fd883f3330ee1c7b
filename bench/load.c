/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * HTTP load from this machine, connections kept alive.
 *   load PORT CLIENTS SECONDS get FILE [HEADER]...	a line of FILE is a path; each is asked once, in turn
 *   load PORT CLIENTS SECONDS post PATH FILE [HEADER]...	a line is a body; of each request's own id is made
 *							what stands in it as "00000000-0000-4000-8000-000000000000"
 * The lines are gone through from the one that BENCH_FROM says (0), round and round.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "measure.h"

#define ID "00000000-0000-4000-8000-000000000000"
#define HEAD_MAX 8192
#define READ_SIZE (256 * 1024)

static struct {
	uint16_t port;
	const char *post;		/* the path, or NULL: GET */
	struct measure_lines lines;
	size_t *id_at;			/* in each body; SIZE_MAX: none */
	size_t from;
	char headers[4096];
	uint64_t first_id;		/* of this process: unique among those that ran before */
} conf;

struct link {
	int fd;
	char head[HEAD_MAX];		/* of the request */
	char *body;			/* room for the longest, with this request's id */
	char *in;			/* READ_SIZE + 1 */
};

static void dial(struct link *l)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(conf.port),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int one = 1;

	l->fd = socket(AF_INET, SOCK_STREAM, 0);
	if (l->fd < 0 || connect(l->fd, (struct sockaddr *)&a, sizeof(a)))
		measure_die("port %u: %s", conf.port, strerror(errno));
	setsockopt(l->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
}

static void *open_link(struct client *c)
{
	struct link *l = measure_alloc(1, sizeof(*l));
	size_t longest = 0;

	(void)c;
	for (size_t i = 0; i < conf.lines.n; i++)
		longest = conf.lines.len[i] > longest ? conf.lines.len[i] : longest;
	l->body = measure_alloc(longest + 1, 1);
	l->in = measure_alloc(READ_SIZE + 1, 1);
	dial(l);
	return l;
}

static void close_link(struct client *c)
{
	struct link *l = c->own;

	close(l->fd);
	free(l->body);
	free(l->in);
	free(l);
}

static void send_all(const struct link *l, struct iovec *v, int n)
{
	while (n) {
		ssize_t sent = writev(l->fd, v, n);

		if (sent < 0 && errno != EINTR)
			measure_die("sending: %s", strerror(errno));
		for (; sent > 0 && n; v++, n--) {
			if ((size_t)sent < v->iov_len) {
				v->iov_base = (char *)v->iov_base + sent;
				v->iov_len -= (size_t)sent;
				break;
			}
			sent -= (ssize_t)v->iov_len;
		}
	}
}

static void send_request(struct link *l, uint64_t number)
{
	size_t i = (conf.from + number) % conf.lines.n, len = conf.lines.len[i];
	struct iovec v[2] = { { l->head, 0 }, { l->body, len } };
	char id[sizeof(ID)];
	int n;

	if (!conf.post) {
		n = snprintf(l->head, HEAD_MAX, "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n%s\r\n", conf.lines.line[i], conf.headers);
	} else {
		memcpy(l->body, conf.lines.line[i], len);
		if (conf.id_at[i] != SIZE_MAX) {
			uint64_t u = conf.first_id + number;

			snprintf(id, sizeof(id), "%08x-0000-4000-8000-%012llx", (unsigned)(u >> 32),
				 (unsigned long long)(u & 0xffffffff));
			memcpy(l->body + conf.id_at[i], id, sizeof(id) - 1);
		}
		n = snprintf(l->head, HEAD_MAX,
			     "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n%s\r\n",
			     conf.post, len, conf.headers);
	}
	if (n < 0 || n >= HEAD_MAX)
		measure_die("a request's head of %d bytes", n);
	v[0].iov_len = (size_t)n;
	send_all(l, v, conf.post ? 2 : 1);
}

static size_t receive(const struct link *l, size_t at)
{
	ssize_t n;

	do
		n = read(l->fd, l->in + at, READ_SIZE - at);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		measure_die("receiving: %s", n ? strerror(errno) : at >= READ_SIZE ? "a head too long" : "connection closed");
	l->in[at + (size_t)n] = '\0';
	return (size_t)n;
}

/* The value of a header in the head at l->in, or NULL. */
static const char *header(const struct link *l, const char *name)
{
	const char *found = strcasestr(l->in, name);

	return found ? found + strlen(name) : NULL;
}

static void receive_answer(struct link *l, struct client *c)
{
	const char *length, *timing;
	size_t got = 0, size, left;
	int status, close_after;
	char *end;

	l->in[0] = '\0';
	while (!(end = strstr(l->in, "\r\n\r\n")))
		got += receive(l, got);
	*end = '\0';			/* the body is no place to look for headers */
	status = atoi(l->in + strlen("HTTP/1.1 "));
	length = header(l, "\r\nContent-Length: ");
	timing = header(l, "\r\nServer-Timing: ");
	close_after = header(l, "\r\nConnection: close") != NULL;
	if (!length)
		measure_die("an answer without Content-Length: %s", l->in);
	size = strtoul(length, NULL, 10);
	c->hits += timing && !strncmp(timing, "hit", 3);
	c->bytes += size;
	got -= (size_t)(end + 4 - l->in);
	if ((status < 200 || status > 299) && !c->bad++)
		fprintf(stderr, "bench: status %d: %.200s\n", status, end + 4);
	for (left = size - got; left; left -= receive(l, 0))
		;
	if (close_after) {
		close(l->fd);
		dial(l);
	}
}

static void work(struct client *c)
{
	send_request(c->own, measure_next());
	receive_answer(c->own, c);
}

static void find_ids(void)
{
	conf.id_at = measure_alloc(conf.lines.n, sizeof(*conf.id_at));
	for (size_t i = 0; i < conf.lines.n; i++) {
		const char *at = strstr(conf.lines.line[i], ID);

		conf.id_at[i] = at ? (size_t)(at - conf.lines.line[i]) : SIZE_MAX;
	}
}

static void read_arguments(int argc, char **argv, unsigned *clients, double *seconds)
{
	const char *from = getenv("BENCH_FROM");
	int at = 5;

	if (argc < 6 || (strcmp(argv[4], "get") && strcmp(argv[4], "post")) || (argv[4][0] == 'p' && argc < 7))
		measure_die("usage: load PORT CLIENTS SECONDS get FILE [HEADER]... | post PATH FILE [HEADER]...");
	conf.port = (uint16_t)measure_count(argv[1], "port");
	*clients = measure_count(argv[2], "clients");
	*seconds = measure_seconds(argv[3]);
	if (argv[4][0] == 'p')
		conf.post = argv[at++];
	conf.lines = measure_read(argv[at++]);
	conf.from = from ? strtoul(from, NULL, 10) : 0;
	for (size_t n = 0; at < argc; at++) {
		n += (size_t)snprintf(conf.headers + n, sizeof(conf.headers) - n, "%s\r\n", argv[at]);
		if (n >= sizeof(conf.headers))
			measure_die("headers too long");
	}
}

int main(int argc, char **argv)
{
	const struct measure_work http = { open_link, work, close_link };
	struct timespec t;
	unsigned clients;
	double seconds;

	read_arguments(argc, argv, &clients, &seconds);
	clock_gettime(CLOCK_REALTIME, &t);
	/* microseconds, and less than one id a microsecond is made */
	conf.first_id = (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
	find_ids();
	measure_run(&http, clients, seconds);
	return 0;
}
