/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where serve listens, with TLS or without, and what of it changes at SIGHUP. */
#include "web_listen.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../lib/log.h"
#include "web_conn.h"
#include "web_tls.h"

#define MEMORY_LIMIT (64 * 1024)	/* per connection: its headers, and half of it the pieces bodies come in; cleared for each request */

static int listen_on(struct web *web, const struct web_listen_calls *calls, const struct addrinfo *at)
{
	const struct conf *conf = web->conf;
	unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_SUSPEND_RESUME | MHD_USE_ITC | MHD_USE_ERROR_LOG;
	const struct MHD_OptionItem tls[] = {
		{ MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)(uintptr_t)WEB_TLS_PRIORITIES },
		{ MHD_OPTION_HTTPS_CERT_CALLBACK, 0, (void *)(uintptr_t)web_tls_certificate() },
		{ MHD_OPTION_END, 0, NULL },
	}, *const more = conf->tls_cert ? tls : &tls[2];

	if (at->ai_family == AF_INET6)
		flags |= !*conf->listen_host ? MHD_USE_DUAL_STACK : MHD_USE_IPv6;
	if (conf->tls_cert)
		flags |= MHD_USE_TLS;
	web->daemon = MHD_start_daemon(
		flags, 0, NULL, NULL, calls->request, web, MHD_OPTION_EXTERNAL_LOGGER, calls->log, NULL,
		MHD_OPTION_SOCK_ADDR, at->ai_addr, MHD_OPTION_URI_LOG_CALLBACK, calls->uri, web,
		MHD_OPTION_NOTIFY_COMPLETED, calls->done, web, MHD_OPTION_NOTIFY_CONNECTION, web_conn_notify, web,
		MHD_OPTION_CONNECTION_LIMIT, web->connections_most + WEB_CONN_SPARE, MHD_OPTION_CONNECTION_TIMEOUT,
		(unsigned)conf->idle_timeout_s + 2, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY_LIMIT,
		MHD_OPTION_STRICT_FOR_CLIENT, 0, MHD_OPTION_LISTEN_BACKLOG_SIZE, 1024u,
		MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_ARRAY, more, MHD_OPTION_END);
	return web->daemon ? 0 : -1;
}

/* Every address of the machine: "::" takes IPv4 too, where the kernel has IPv6. */
static const char *any_address(void)
{
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return "0.0.0.0";
	close(fd);
	return "::";
}

int web_listen(struct web *web, const struct web_listen_calls *calls, struct err *err)
{
	struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE };
	const char *host = *web->conf->listen_host ? web->conf->listen_host : any_address();
	struct addrinfo *list = NULL;
	char port[8];
	int bad, failed = EADDRNOTAVAIL;

	if (web->conf->tls_cert && web_tls_load(web->conf, err))
		return -1;
	snprintf(port, sizeof(port), "%d", web->conf->listen_port);
	bad = getaddrinfo(host, port, &hints, &list);
	if (bad)
		return err_set(err, ERR_SETUP, "--listen %s: %s", web->conf->listen, gai_strerror(bad));
	for (struct addrinfo *at = list; at && !web->daemon; at = at->ai_next)
		if (listen_on(web, calls, at))
			failed = errno;
	freeaddrinfo(list);
	if (!web->daemon)
		return err_set(err, ERR_SETUP, "--listen %s: %s", web->conf->listen, strerror(failed));
	log_event(LOG_INFO, "listening", "host=%s port=%u tls=%s", host,
		  (unsigned)MHD_get_daemon_info(web->daemon, MHD_DAEMON_INFO_BIND_PORT)->port, web->conf->tls_cert ? "yes" : "no");
	return 0;
}

void web_listen_again(struct web *web)
{
	struct err err = { 0 };
	char quoted[800];

	if (!web->conf->tls_cert)
		log_event(LOG_INFO, "SIGHUP: there is no certificate to be read anew", NULL);
	else if (web_tls_load(web->conf, &err))
		log_event(LOG_ERROR, "the TLS certificate was not read anew, the one before stays", "error=%s",
			  log_quote(quoted, sizeof(quoted), err.message));
	else
		log_event(LOG_INFO, "the TLS certificate was read anew", NULL);
}
