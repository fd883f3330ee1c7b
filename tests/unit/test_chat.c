/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What goes to webhooks: messages for chats, and the signature of the others. */
#include <string.h>

#include "../../server/deliver_http.h"
#include "../../server/watch_compose.h"
#include "tap.h"

static struct buf b;

static const char *chat(enum outbox_kind kind, const char *subject, const char *text, const char *link)
{
	buf_clear(&b);
	watch_compose_chat(&b, kind, subject, text, link);
	return b.p;
}

static void test_chats(void)
{
	static const char evil[] = "<!channel> `x` ```\n@all & <b>\n";

	is_str(chat(OUTBOX_SLACK, "a <b>", evil, "https://perf.example/alerts/1"),
	       "{\"text\":\"```\\na &lt;b&gt;\\n\\n&lt;!channel&gt; 'x' '''\\n@all &amp; &lt;b&gt;\\n```\\n"
	       "https://perf.example/alerts/1\"}", "Slack: nothing is markup, nobody is called");
	is_str(chat(OUTBOX_MATTERMOST, "a <b>", evil, NULL),
	       "{\"text\":\"```\\na \\u003cb>\\n\\n\\u003c!channel> 'x' '''\\n@all & \\u003cb>\\n```\"}",
	       "Mattermost: all of it is in one block of code");
	is_str(chat(OUTBOX_MATRIX, "a <b>", "x\n", "https://perf.example"),
	       "{\"msgtype\":\"m.notice\",\"body\":\"a \\u003cb>\\n\\nx\\nhttps://perf.example\\n\","
	       "\"format\":\"org.matrix.custom.html\",\"formatted_body\":\"\\u003cpre>\\u003ccode>a &lt;b&gt;\\n\\nx\\n"
	       "\\u003c/code>\\u003c/pre>https://perf.example\"}", "Matrix: text, and the same as HTML");
}

static void test_length(void)
{
	struct buf text;
	const char *said;

	buf_init(&text);
	for (int i = 1; i <= WATCH_COMPOSE_LINES + 3; i++)
		buf_printf(&text, "line %d\n", i);
	said = chat(OUTBOX_MATTERMOST, "s", text.p, NULL);
	ok(strstr(said, "line 40\\n(3 more lines)\\n") && !strstr(said, "line 41"), "a long text is cut, and says so");
	buf_clear(&text);
	buf_puts(&text, "one\ntwo");
	ok(strstr(chat(OUTBOX_MATTERMOST, "s", text.p, NULL), "one\\ntwo\\n```") != NULL, "a short one is whole");
	buf_fini(&text);
}

static void test_signature(void)
{
	char sign[DELIVER_HTTP_SIGNATURE];

	is_str(deliver_http_sign(sign, "It's a Secret to Everybody", 1771000200, "{\"a\":1}"),
	       "sha256=2c71b81a6fe7b4f4993f6a4e09fa6b0f4d7a5979867512bd192b4bca3cad9bd5",
	       "the signature is the HMAC of timestamp, dot and body");
}

int main(void)
{
	buf_init(&b);
	test_chats();
	test_length();
	test_signature();
	buf_fini(&b);
	return done();
}
