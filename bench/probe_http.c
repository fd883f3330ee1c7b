/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bare libmicrohttpd: one epoll thread, one response made once, to whatever is asked. What a kept answer can cost at least.
 *   probe_http PORT FILE
 */
#include <arpa/inet.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "measure.h"

#define BODY_MAX (4 << 20)

static enum MHD_Result answer(void *cls, struct MHD_Connection *connection, const char *url, const char *method,
			      const char *version, const char *upload, size_t *upload_size, void **con_cls)
{
	struct MHD_Response *response = cls;

	(void)url;
	(void)method;
	(void)version;
	(void)upload;
	(void)upload_size;
	if (!*con_cls) {		/* answered in the first call, the connection would be closed */
		*con_cls = response;
		return MHD_YES;
	}
	return MHD_queue_response(connection, MHD_HTTP_OK, response);
}

static struct MHD_Response *read_response(const char *path)
{
	char *body = measure_alloc(BODY_MAX, 1);
	struct MHD_Response *response;
	FILE *f = fopen(path, "rb");
	size_t n;

	if (!f)
		measure_die("%s: cannot be read", path);
	n = fread(body, 1, BODY_MAX, f);
	fclose(f);
	response = MHD_create_response_from_buffer(n, body, MHD_RESPMEM_PERSISTENT);
	if (!response || MHD_add_response_header(response, "Content-Type", "application/json") != MHD_YES)
		measure_die("%s: no response could be made of it", path);
	return response;
}

int main(int argc, char **argv)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

	if (argc != 3)
		measure_die("usage: probe_http PORT FILE");
	at.sin_port = htons((uint16_t)measure_count(argv[1], "port"));
	if (!MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD, 0, NULL, NULL, answer, read_response(argv[2]),
			      MHD_OPTION_SOCK_ADDR, &at, MHD_OPTION_CONNECTION_LIMIT, 1000u, MHD_OPTION_END))
		measure_die("port %s: libmicrohttpd did not start", argv[1]);
	for (;;)
		pause();
}
