/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands and their options: what is read, and --help, are made from this. */
#include "options_impl.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "../lib/must.h"

const struct options_command options_commands[] = {
	{ "collect", COLLECT, NULL, 0, 0, "prints what this machine is, as JSON: the context of results" },
	{ "push", PUSH, " FILE...|DIR|-", 1, SIZE_MAX, "sends results; keeps them while the server is away" },
	{ "check", CHECK, " --base KERNEL", 0, 0,
	  "is --head slower than --base? exit code 3 if so: a CI gate" },
	{ "compare", COMPARE, " BASE HEAD", 2, 2,
	  "prints the server's table of two kernels; --local: of two files" },
	{ "parse", PARSE, " FILE...|-", 1, SIZE_MAX,
	  "prints what would be stored, or all that is wrong; sends nothing" },
	{ "detect", DETECT, " FILE|-", 1, 1, "prints where series changed their level; needs no server" },
	{ "kernel", KERNEL, " NAME...|-", 1, SIZE_MAX,
	  "prints what names of kernels say, by track and in order" },
	{ "bench", BENCH, " NAME...", 0, SIZE_MAX,
	  "measures memory calls of this kernel; prints results to push" },
	{ "bisect start", BISECT_START, " [FILE...]", 0, SIZE_MAX,
	  "copies results of a good and a bad kernel, from the server or from files" },
	{ "bisect judge", BISECT_JUDGE, " [FILE...]", 0, SIZE_MAX,
	  "is this kernel good (0), bad (1), or can't that be told (125)? for git bisect run" },
	{ "bisect log", BISECT_LOG, NULL, 0, 0, "prints what was judged, how surely, and draws it" },
	{ "version", VERSION, NULL, 0, 0, "prints the version" },
	{ NULL, 0, NULL, 0, 0, NULL },
};

#define AT(field) offsetof(struct options, field)

/* clang-format off: a table */
const struct options_option options_table[] = {
	{ "url", "URL", TEXT, AT(url), "http://127.0.0.1:8080", ONLINE, true, "of the server" },
	{ "token", NULL, SECRET, AT(token), NULL, ONLINE, true,
	  "access token (environment or settings file only)" },
	{ "token-file", "FILE", TEXT, AT(token_file), NULL, ONLINE, true,
	  "whose first line is the access token" },
	{ "ca-file", "FILE", TEXT, AT(ca_file), NULL, ONLINE, true,
	  "certificates to trust instead of the system's" },
	{ "timeout", "SECONDS", INT, AT(timeout_s), "60", ONLINE, true, "for one answer of the server" },
	{ "retry-for", "SECONDS", INT, AT(retry_for_s), "30", ONLINE, true,
	  "how long to try again while the server is away" },
	{ "spool", "DIR", TEXT, AT(spool), NULL, PUSH, true,
	  "where results wait until the server has them (~/.local/state/nsecwatch/spool)" },
	{ "machine", "NAME", TEXT, AT(machine), NULL, COLLECT | PUSH | BENCH, true,
	  "the lab's name for the machine (its host name)" },
	{ "machine", "NAME", TEXT, AT(machine), NULL, PARSE, false, "the lab's name for the machine" },
	{ "context", "FILE", TEXT, AT(context), NULL, PUSH, false,
	  "what collect printed where the results were measured (else: this machine, now)" },
	{ "format", "NAME", TEXT, AT(format), "auto", READS, false,
	  "of the files; else they are recognised" },
	{ "kernel", "RELEASE", TEXT, AT(kernel), NULL, READS, false,
	  "as uname -r gives it, a tag or a phrase" },
	{ "thp", "STATE", TEXT, AT(thp), NULL, READS, false,
	  "always, madvise, never, never+64k-always, ..." },
	{ "uarch", "NAME", TEXT, AT(uarch), NULL, READS, false,
	  "micro-architecture: epyc-milan, neoverse-n1, ..." },
	{ "isa", "NAME", TEXT, AT(isa), NULL, READS, false, "x86_64, aarch64, ppc64le, s390x, riscv64" },
	{ "base-page-kib", "N", TEXT, AT(base_page_kib), NULL, READS, false, "4, 16, 64" },
	{ "boot-id", "ID", TEXT, AT(boot_id), NULL, READS, false, "the same for all runs of one boot" },
	{ "started-at", "TIME", TEXT, AT(started_at), NULL, READS, false, "2026-02-13T15:08:00Z" },
	{ "benchmark", "PREFIX", TEXT, AT(benchmark), NULL, READS, false,
	  "before the names of a file's benchmarks" },
	{ "label", "KEY=VALUE", LABEL, AT(labels), NULL, READS, false, "may be repeated" },
	{ "spooled", NULL, FLAG, AT(spooled), NULL, PUSH, false, "send what waits; no file needed" },
	{ "dry-run", NULL, FLAG, AT(dry_run), NULL, PUSH, false,
	  "the server checks and answers, and stores nothing" },
	{ "wait", NULL, FLAG, AT(wait), NULL, PUSH, false,
	  "for the verdict; exit code 3 where something became slower" },
	{ "wait-for", "SECONDS", INT, AT(wait_for_s), "300", PUSH, false, "how long" },
	{ "base", "KERNEL", TEXT, AT(base), NULL, CHECK, false, "what to judge against; also: previous" },
	{ "head", "KERNEL", TEXT, AT(head), "latest", CHECK, false, "what to judge; also: latest:TRACK" },
	{ "max-regression", "PERCENT", PERCENT, AT(max_regression), "5%", CHECK, false, "that passes" },
	{ "strict", NULL, FLAG, AT(strict), NULL, CHECK, false,
	  "what can't be told, and what did not run on --head, fails, too" },
	{ "fix", "KERNEL", TEXT, AT(fix), NULL, COMPARE, false,
	  "a third kernel (--local: file): what it brings back" },
	{ "local", NULL, FLAG, AT(local), NULL, COMPARE, false,
	  "BASE and HEAD are files or folders of results; needs no server" },
	{ "base", "KERNEL", TEXT, AT(base), NULL, COMPARE, false, "--local: whose results count in BASE" },
	{ "head", "KERNEL", TEXT, AT(head), NULL, COMPARE, false, "--local: whose results count in HEAD" },
	{ "format", "NAME", TEXT, AT(format), NULL, COMPARE, false, "--local: of the files; else they are recognised" },
	{ "json", NULL, FLAG, AT(json), NULL, COMPARE, false, "--local: the answer as JSON" },
	{ "good", "KERNEL", TEXT, AT(good), NULL, BISECT_START, false,
	  "whose results are good; or a file or folder of them" },
	{ "bad", "KERNEL", TEXT, AT(bad), NULL, BISECT_START, false, "the same of the bad one" },
	{ "local", NULL, FLAG, AT(local), NULL, BISECT_START, false, "--good and --bad are files or folders" },
	{ "error", "PERCENT", PERCENT, AT(error), "1%", BISECT_START, false, "of steps that may be judged wrongly" },
	{ "max-boots", "N", INT, AT(max_boots), "30", BISECT_START, false, "of a step; then it can't be told" },
	{ "noise", "PERCENT", PERCENT, AT(noise), NULL, BISECT_START, false,
	  "by which boots differ, where that is known better than these few boots tell" },
	{ "again", NULL, FLAG, AT(again), NULL, BISECT_START, false, "forgets the bisection that is under way" },
	{ "kernel", "RELEASE", TEXT, AT(kernel), NULL, BISECT_JUDGE, false,
	  "that is judged, where files hold several or do not say it; without a file: uname -r" },
	{ "commit", "SHA", TEXT, AT(commit), NULL, BISECT_JUDGE, false,
	  "that is judged (what git bisect has checked out here)" },
	{ "run", "COMMAND", TEXT, AT(run), NULL, BISECT_JUDGE, false,
	  "boots and measures once and prints results; it is run until it is sure" },
	{ "unsure", "CODE", INT, AT(unsure), NULL, BISECT_JUDGE, false,
	  "exit code while more boots are wanted, for scripts of your own (125)" },
	{ "ignore", "NAME", SELECTOR, AT(ignores), NULL, BISECT_START | BISECT_JUDGE, false,
	  "of the environment, with *: may differ; may be repeated" },
	{ "format", "NAME", TEXT, AT(format), NULL, BISECT_START | BISECT_JUDGE, false, "of the files; else they are recognised" },
	{ "json", NULL, FLAG, AT(json), NULL, BISECT_JUDGE | BISECT_LOG, false, "as JSON" },
	{ "svg", NULL, FLAG, AT(svg), NULL, BISECT_LOG, false, "as a picture: a strip of boots for each step" },
	{ "html", NULL, FLAG, AT(html), NULL, BISECT_LOG, false, "as a page, with picture and table" },
	{ "state", "DIR", TEXT, AT(state), ".nsecwatch-bisect", BISECTS, true, "where the bisection is kept" },
	{ "benchmark", "GLOB", SELECTOR, AT(selectors), NULL, PICKS, false,
	  "only these; this and what follows may be repeated" },
	{ "metric", "GLOB", SELECTOR, AT(selectors), NULL, PICKS, false, "what was measured: latency, ..." },
	{ "machine", "GLOB", SELECTOR, AT(selectors), NULL, PICKS, false, "the lab's name" },
	{ "uarch", "GLOB", SELECTOR, AT(selectors), NULL, PICKS, false, "epyc-*, neoverse-n1, ..." },
	{ "isa", "GLOB", SELECTOR, AT(selectors), NULL, PICKS, false, "x86_64, aarch64, ..." },
	{ "thp", "GLOB", SELECTOR, AT(selectors), NULL, PICKS, false,
	  "always, madvise, never+64k-always, ..." },
	{ "base-page-kib", "N", SELECTOR, AT(selectors), NULL, PICKS, false, "4, 16, 64" },
	{ "track", "GLOB", SELECTOR, AT(selectors), NULL, PICKS, false,
	  "of kernels: mainline, stable-6.16, eln, ..." },
	{ "param", "NAME=GLOB", PARAM, AT(selectors), NULL, PICKS, false, "a parameter of the benchmark" },
	{ "run", "ID", SELECTOR, AT(selectors), NULL, PICKS, false, "only what these runs measured" },
	{ "json", NULL, FLAG, AT(json), NULL, DETECT, false, "each change with its step, suspects and levels" },
	{ "text", NULL, FLAG, AT(text), NULL, DETECT, false, "the series drawn, with the changes between rows" },
	{ "online", NULL, FLAG, AT(online), NULL, DETECT, false,
	  "fed run by run: [runs seen, index] of each alert, said once" },
	{ "list", NULL, FLAG, AT(list), NULL, BENCH, false, "the benchmarks and what they measure" },
	{ "sizes", "LIST", TEXT, AT(sizes), "4K..1G", BENCH, false,
	  "of the region: 4K..1G (times 4), 4K..1G*2 (times 2), 4K,40K,400K" },
	{ "thp", "MODE", TEXT, AT(thp), "as-is", BENCH, false,
	  "as-is; off (this process only); advised (madvise); or a state to set, as root: never, always, "
	  "madvise, never+64k-always; several: never,always" },
	{ "mapping", "HOW", TEXT, AT(mapping), "as-is", BENCH, false,
	  "as-is; pte: huge pages are mapped by small entries; pmd: by huge ones, or it fails" },
	{ "precision", "PERCENT", PERCENT, AT(precision), "1%", BENCH, false,
	  "repeats until the 95 % interval of the mean is so narrow, both ways" },
	{ "reps", "N", INT, AT(reps), NULL, BENCH, false, "so many repetitions instead" },
	{ "cpu", "N", TEXT, AT(cpu), NULL, BENCH, false, "to run on (the last that is allowed)" },
	{ "label", "KEY=VALUE", LABEL, AT(labels), NULL, BENCH, false, "may be repeated" },
	{ "root", "DIR", TEXT, AT(root), "/", COLLECT | PUSH | BENCH, false,
	  "where proc and sys are: for images, and for tests" },
	{ "config", "FILE", TEXT, AT(config), NULL, ONLINE | COLLECT | PARSE | BENCH | BISECTS, false,
	  "settings: name = value lines (~/.config/nsecwatch/config)" },
	{ "help", NULL, FLAG, AT(help), NULL, ~0u, false, "this text" },
	{ NULL, NULL, TEXT, 0, NULL, 0, false, NULL },
};
/* clang-format on */

const struct options_command *options_command_of(const char *name)
{
	for (const struct options_command *c = options_commands; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

const char *options_variable(const struct options_option *o, char out[64])
{
	must(snprintf(out, 64, "NSECWATCH_%s", o->name) < 64);
	for (char *p = out; *p; p++)
		*p = *p == '-' ? '_' : (char)toupper((unsigned char)*p);
	return out;
}
