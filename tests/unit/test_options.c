/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The client's command line and settings: where a value comes from, and what a mistake is told as. */
#include "tap.h"

#include <stdint.h>
#include <unistd.h>

#include "../../client/file.h"
#include "../../client/options.h"

static char base[] = "/tmp/nsecwatch-options.XXXXXX", home[64];

static void clear(void)
{
	static const char *const names[] = { "URL",	"TOKEN",     "TOKEN_FILE", "CA_FILE",
					     "TIMEOUT", "RETRY_FOR", "SPOOL",	   "MACHINE" };
	char name[64];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(name, sizeof(name), "NSECWATCH_%s", names[i]);
		unsetenv(name);
	}
}

#define MANY 16

static int read_words(struct arena *a, struct options *o, struct err *err, const char *const *words)
{
	char *argv[MANY] = { arena_strdup(a, "nsecwatch") };
	int argc = 1;

	for (; words[argc - 1]; argc++)
		argv[argc] = arena_strdup(a, words[argc - 1]);
	*err = (struct err){ 0 };
	return options_read(a, argc, argv, o, err);
}

#define READ(...) read_words(a, &o, &err, (const char *const[]){ __VA_ARGS__, NULL })

static void settings_file(const char *name, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", home, name);
	unlink(path);
	if (*text)
		file_write(path, text, strlen(text));
}

static const char *path(struct arena *a, const char *name)
{
	return arena_printf(a, "%s/%s", home, name);
}

static void places(struct arena *a)
{
	struct options o;
	struct err err;

	clear();
	ok(!READ("push", "x"), "a push without any setting");
	is_str(o.url, "http://127.0.0.1:8080", "has the table's defaults");
	ok(o.retry_for_s == 30 && !o.token && o.n_words == 1, "all of them");
	settings_file("config", "\n# what the lab has\n  url =  https://file/ \r\nretry-for=7\ntoken = "
				"filetoken\nmachine = a b\n");
	ok(!READ("push", "x"), "with a settings file");
	is_str(o.url, "https://file",
	       "the file wins over a default; blanks, line ends and the last slash apart");
	is_str(o.token, "filetoken", "it may hold the token");
	is_str(o.machine, "a b", "and a blank inside a value");
	setenv("NSECWATCH_URL", "http://env", 1);
	ok(!READ("push", "x") && !strcmp(o.url, "http://env") && o.retry_for_s == 7,
	   "the environment wins over the file");
	ok(!READ("push", "--url", "http://flag", "x") && !strcmp(o.url, "http://flag"),
	   "a flag wins over the environment");
	ok(!READ("push", "--url=http://flag", "x") && !strcmp(o.url, "http://flag"),
	   "--name=value is the same");
	ok(!READ("check", "--base", "6.16") && !o.selectors.n,
	   "another command's setting is no selector of check");
	ok(READ("push", "--config", path(a, "none"), "x") && strstr(err.message, "none"),
	   "a file that was named must be there");
	settings_file("other", "retry-for = 9\n");
	ok(!READ("push", "--config", path(a, "other"), "x") && o.retry_for_s == 9, "--config names another");
	clear();
	settings_file("config", "");
	settings_file("other", "");
}

static void tokens(struct arena *a)
{
	struct options o;
	struct err err;

	clear();
	settings_file("token", "  nsw_a \nsecond line\n");
	ok(!READ("push", "--token-file", path(a, "token"), "x"), "a token from a file");
	is_str(o.token, "nsw_a", "is its first line");
	setenv("NSECWATCH_TOKEN", "nsw_env", 1);
	ok(!READ("push", "x") && !strcmp(o.token, "nsw_env"), "or from the environment");
	ok(!READ("push", "--token-file", path(a, "token"), "x") && !strcmp(o.token, "nsw_a"),
	   "a flag's file wins over that");
	setenv("NSECWATCH_TOKEN_FILE", path(a, "token"), 1);
	ok(READ("push", "x"), "both in one place are a mistake");
	unsetenv("NSECWATCH_TOKEN_FILE");
	settings_file("config", arena_printf(a, "token-file = %s\n", path(a, "token")));
	ok(!READ("push", "x") && !strcmp(o.token, "nsw_env"),
	   "the environment's token wins over the settings file's file");
	setenv("NSECWATCH_TOKEN", "nsw_x\r\nHost: evil", 1);
	ok(READ("push", "x") && !strstr(err.message, "nsw_x"),
	   "a token that would end its header is refused, and not printed");
	clear();
	ok(READ("push", "--token", "nsw_secret", "x") && !strstr(err.message, "nsw_secret"),
	   "no token on the command line");
	settings_file("config", "");
	ok(READ("push", "--token-file", path(a, "gone"), "x") && strstr(err.message, "gone"),
	   "a file that is not there is told");
	settings_file("token", "");
}

static void mistakes(struct arena *a)
{
	struct options o;
	struct err err;
	static const struct {
		const char *text, *told;
	} files[] = {
		{ "url = http://x\nnonsense\n", "line 2" },
		{ "frobnicate = 1\n", "frobnicate" },
		{ "kernel = 6.16\n", "no setting \"kernel\"" },
		{ "retry-for = soon\n", "line 1" },
		{ "url =\n", "empty" },
	};

	clear();
	ok(READ("frobnicate") && strstr(err.message, "frobnicate"), "an unknown command");
	ok(READ("push") && strstr(err.message, "FILE"), "push without a file");
	ok(!READ("push", "--spooled"), "unless it sends what waits");
	ok(READ("push", "--frob", "x") && strstr(err.message, "--frob"), "an unknown option");
	ok(READ("push", "--base", "6.16", "x") && strstr(err.message, "--base"), "another command's option");
	ok(READ("push", "x", "--kernel") && strstr(err.message, "--kernel RELEASE"),
	   "a value that is missing");
	ok(READ("push", "--wait=1", "x"), "a flag with a value");
	ok(READ("push", "--label", "nonsense", "x") && strstr(err.message, "KEY=VALUE"), "a label without =");
	ok(READ("push", "--base-page-kib", "four", "x"), "a page size that is no number");
	ok(READ("check") && strstr(err.message, "--base"), "check without a base");
	ok(READ("check", "--base", "6.16", "--max-regression", "-1"), "a percentage below nothing");
	ok(READ("compare", "6.16") && strstr(err.message, "BASE HEAD"), "compare with one kernel");
	ok(READ("collect", "x"), "a word too many");
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		settings_file("config", files[i].text);
		ok(READ("push", "x") && strstr(err.message, files[i].told), "in the settings file: %s",
		   files[i].told);
	}
	settings_file("config", "");
}

static void lists(struct arena *a)
{
	struct options o;
	struct err err;

	ok(!READ("check", "--base", "6.16", "--machine", "a*", "--machine", "b", "--base-page-kib", "4",
		 "--param", "size_kib=4?", "--max-regression", "2.5%"),
	   "selectors");
	ok(o.selectors.n == 4 && o.max_regression == 2.5, "all of them");
	is_str(o.selectors.list[0][0], "machine", "by name");
	is_str(o.selectors.list[1][1], "b", "repeated");
	is_str(o.selectors.list[2][0], "base_page_kib", "as the API spells it");
	is_str(o.selectors.list[3][0], "param.size_kib", "a parameter");
	ok(!READ("push", "--label", "a=b=c", "--", "--x", "-"), "a label, and files after --");
	ok(o.labels.n == 1 && !strcmp(o.labels.list[0][0], "a") && !strcmp(o.labels.list[0][1], "b=c"),
	   "the label");
	ok(o.n_words == 2 && !strcmp(o.words[0], "--x") && !strcmp(o.words[1], "-"), "the files");
}

int main(void)
{
	struct arena *a = arena_new();

	if (!mkdtemp(base))
		return 1;
	setenv("XDG_CONFIG_HOME", base, 1);
	snprintf(home, sizeof(home), "%s/nsecwatch", base);
	ok(!file_make_folders(home), "a home");
	places(a);
	tokens(a);
	mistakes(a);
	lists(a);
	ok(!rmdir(home) && !rmdir(base), "nothing is left behind");
	arena_free(a);
	return done();
}
