/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "web_tls.h"

#include <errno.h>
#include <fcntl.h>
#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../lib/log.h"
#include "../lib/must.h"
#include "../lib/tm.h"

#define CHAIN_MAX 16			/* certificates in a file */
#define SOON_DAYS 14			/* before its end a certificate is spoken of in the log */

/* A certificate and its key. A handshake may still be using one when the next comes: all stay until the end. */
struct pair {
	struct pair *before;
	gnutls_pcert_st chain[CHAIN_MAX];
	unsigned n;
	gnutls_privkey_t key;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pair *current;		/* under lock */

/* ---- files ---- */

static int read_file(const char *option, const char *name, gnutls_datum_t *data, struct err *err)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return err_set(err, ERR_SETUP, "%s %s: %s", option, name, strerror(errno));
	close(fd);
	if (gnutls_load_file(name, data))
		return err_set(err, ERR_SETUP, "%s %s: it cannot be read", option, name);
	return 0;
}

static int check_times(const char *name, gnutls_x509_crt_t first, struct err *err)
{
	int64_t now = tm_now_usec() / 1000000, ends = gnutls_x509_crt_get_expiration_time(first);
	char when[TM_TEXT];

	if (gnutls_x509_crt_get_activation_time(first) > now) {
		tm_format(gnutls_x509_crt_get_activation_time(first) * INT64_C(1000000), when);
		return err_set(err, ERR_SETUP, "--tls-cert %s: it is valid from %s on, and this machine's clock says that it is not so late yet",
			       name, when);
	}
	tm_format(ends * INT64_C(1000000), when);
	if (ends < now)
		return err_set(err, ERR_SETUP, "--tls-cert %s: it expired at %s: renew it, then start again (or send SIGHUP)", name, when);
	if (ends - now < SOON_DAYS * 86400)
		log_event(LOG_WARN, "the TLS certificate expires soon", "at=%s", when);
	return 0;
}

static int check_first(const char *name, gnutls_x509_crt_t first, unsigned char id[64], size_t *id_len, struct err *err)
{
	int bad = gnutls_x509_crt_get_key_id(first, 0, id, id_len);

	if (bad < 0)
		return err_set(err, ERR_SETUP, "--tls-cert %s: its public key: %s", name, gnutls_strerror(bad));
	return check_times(name, first, err);
}

static int read_chain(struct pair *p, const char *name, unsigned char id[64], size_t *id_len, struct err *err)
{
	gnutls_x509_crt_t *list = NULL;
	gnutls_datum_t data = { 0 };
	unsigned n = 0, kept;
	int bad, ret = -1;

	if (read_file("--tls-cert", name, &data, err))
		return -1;
	bad = gnutls_x509_crt_list_import2(&list, &n, &data, GNUTLS_X509_FMT_PEM, GNUTLS_X509_CRT_LIST_SORT);
	gnutls_free(data.data);
	if (bad < 0)
		return err_set(err, ERR_SETUP, "--tls-cert %s: no certificates in PEM form, the server's own first: %s", name, gnutls_strerror(bad));
	kept = n;
	if (n > CHAIN_MAX)
		err_set(err, ERR_SETUP, "--tls-cert %s: %u certificates; at most %d make a chain", name, n, CHAIN_MAX);
	else if ((bad = gnutls_pcert_import_x509_list(p->chain, list, &kept, 0)) < 0)
		err_set(err, ERR_SETUP, "--tls-cert %s: %s", name, gnutls_strerror(bad));
	else
		ret = check_first(name, list[0], id, id_len, err);
	p->n = n <= CHAIN_MAX && bad >= 0 ? kept : 0;	/* pair_free() has them, whatever is wrong with the first */
	for (unsigned i = 0; i < n; i++)
		gnutls_x509_crt_deinit(list[i]);
	gnutls_free(list);
	return ret;
}

static int read_key(struct pair *p, const char *name, const unsigned char *id, size_t id_len, struct err *err)
{
	unsigned char mine[64];
	size_t mine_len = sizeof(mine);
	gnutls_x509_privkey_t key;
	gnutls_datum_t data = { 0 };
	int bad;

	if (read_file("--tls-key", name, &data, err))
		return -1;
	must(!gnutls_x509_privkey_init(&key));
	bad = gnutls_x509_privkey_import2(key, &data, GNUTLS_X509_FMT_PEM, NULL, 0);
	gnutls_memset(data.data, 0, data.size);
	gnutls_free(data.data);
	if (bad == GNUTLS_E_DECRYPTION_FAILED)
		err_set(err, ERR_SETUP, "--tls-key %s: it is encrypted: write it without a password, readable for serve alone", name);
	else if (bad < 0)
		err_set(err, ERR_SETUP, "--tls-key %s: no private key in PEM form: %s", name, gnutls_strerror(bad));
	else if (gnutls_x509_privkey_get_key_id(key, 0, mine, &mine_len) < 0 || mine_len != id_len || memcmp(mine, id, id_len))
		bad = err_set(err, ERR_SETUP, "--tls-key %s: it is not the key of the certificate in --tls-cert", name);
	if (!bad)
		bad = gnutls_privkey_init(&p->key) || gnutls_privkey_import_x509(p->key, key, GNUTLS_PRIVKEY_IMPORT_COPY) ?
			      err_set(err, ERR_SETUP, "--tls-key %s: it cannot be used", name) : 0;
	gnutls_x509_privkey_deinit(key);
	return bad ? -1 : 0;
}

static void pair_free(struct pair *p)
{
	for (unsigned i = 0; i < p->n; i++)
		gnutls_pcert_deinit(&p->chain[i]);
	if (p->key)
		gnutls_privkey_deinit(p->key);
	free(p);
}

int web_tls_load(const struct conf *conf, struct err *err)
{
	struct pair *p = calloc(1, sizeof(*p));
	unsigned char id[64];
	size_t id_len = sizeof(id);

	must(p != NULL);
	if (read_chain(p, conf->tls_cert, id, &id_len, err) || read_key(p, conf->tls_key, id, id_len, err)) {
		pair_free(p);
		return -1;
	}
	must(!pthread_mutex_lock(&lock));
	p->before = current;
	current = p;
	must(!pthread_mutex_unlock(&lock));
	return 0;
}

void web_tls_unload(void)
{
	while (current) {
		struct pair *p = current;

		current = p->before;
		pair_free(p);
	}
}

static int give(gnutls_session_t session, const gnutls_datum_t *req_ca_dn, int nreqs, const gnutls_pk_algorithm_t *pk_algos,
		int pk_algos_length, gnutls_pcert_st **pcert, unsigned *pcert_length, gnutls_privkey_t *privkey)
{
	(void)session;
	(void)req_ca_dn;
	(void)nreqs;
	(void)pk_algos;
	(void)pk_algos_length;
	must(!pthread_mutex_lock(&lock));
	*pcert = current->chain;
	*pcert_length = current->n;
	*privkey = current->key;
	must(!pthread_mutex_unlock(&lock));
	return 0;
}

void *web_tls_certificate(void)
{
	return (void *)(uintptr_t)give;
}

size_t web_tls_ask(int fd, const char *ask, size_t n, char *answer, size_t size)
{
	gnutls_certificate_credentials_t nobody;
	gnutls_session_t session;
	size_t got = 0;
	ssize_t more = 1;

	must(!gnutls_certificate_allocate_credentials(&nobody));
	must(!gnutls_init(&session, GNUTLS_CLIENT | GNUTLS_NO_SIGNAL));
	gnutls_set_default_priority(session);
	gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, nobody);
	gnutls_transport_set_int(session, fd);
	if (!gnutls_handshake(session) && gnutls_record_send(session, ask, n) == (ssize_t)n)
		for (; got < size && more > 0; got += more > 0 ? (size_t)more : 0)
			more = gnutls_record_recv(session, answer + got, size - got);
	gnutls_deinit(session);
	gnutls_certificate_free_credentials(nobody);
	return got;
}

/* ---- who speaks plain HTTP here ---- */

/* What a browser or curl shows, in place of a handshake that fails without a reason. */
static void say_https(int fd)
{
	static const char text[] =
		"HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: 125\r\n\r\n"
		"{\"error\":{\"code\":\"bad_argument\",\"message\":\"this port speaks HTTPS: write https:// in front of the address\","
		"\"problems\":[]}}\n     ";
	char rest[4096];

	(void)!send(fd, text, sizeof(text) - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
	shutdown(fd, SHUT_WR);
	for (int i = 0; i < 16 && recv(fd, rest, sizeof(rest), MSG_DONTWAIT) > 0; i++)
		;			/* closed with bytes unread, it would be reset before they see the answer */
}

/* The first byte of a TLS handshake is 22; of a request line it is a letter. */
static ssize_t pull(gnutls_transport_ptr_t ptr, void *data, size_t size)
{
	struct web_tls_line *line = ptr;
	char first;

	if (!line->spoke && recv(line->fd, &first, 1, MSG_PEEK | MSG_DONTWAIT) == 1) {
		line->spoke = true;
		if (first >= 'A' && first <= 'Z') {
			say_https(line->fd);
			errno = ECONNRESET;
			return -1;
		}
	}
	return recv(line->fd, data, size, 0);
}

void web_tls_begin(struct web_tls_line *line, struct MHD_Connection *connection, int fd)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);

	line->fd = fd;
	line->session = info ? info->tls_session : NULL;
	if (!line->session)
		return;
	gnutls_transport_set_ptr2(line->session, line, (gnutls_transport_ptr_t)(intptr_t)fd);
	gnutls_transport_set_pull_function(line->session, pull);
}

void web_tls_send_last(const struct web_tls_line *line, const struct buf *out)
{
	if (gnutls_record_send(line->session, out->p, out->len) >= 0)
		gnutls_bye(line->session, GNUTLS_SHUT_WR);
}
