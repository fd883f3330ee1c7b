/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Public lists to suggest for a draft, by benchmark (MAINTAINERS has them by file). The first
 * that matches counts; a person reads them before anything is sent.
 */
#ifndef SERVER_CALC_MAIL_LISTS_H
#define SERVER_CALC_MAIL_LISTS_H

static const struct {
	const char *glob, *list;
} calc_mail_lists[] = {
	{ "mprotect*", "linux-mm@kvack.org" },	    { "mremap*", "linux-mm@kvack.org" },
	{ "mmap*", "linux-mm@kvack.org" },	    { "munmap*", "linux-mm@kvack.org" },
	{ "madvise*", "linux-mm@kvack.org" },	    { "mm/*", "linux-mm@kvack.org" },
	{ "vm-scalability/*", "linux-mm@kvack.org" }, { "*page_fault*", "linux-mm@kvack.org" },
	{ "*/bigheap*", "linux-mm@kvack.org" },	    { "*/mmap*", "linux-mm@kvack.org" },
	{ "*/mprot*", "linux-mm@kvack.org" },	    { "*/brk*", "linux-mm@kvack.org" },
	{ "*/mremap*", "linux-mm@kvack.org" },	    { "*/thp*", "linux-mm@kvack.org" },
	{ "fio/*", "linux-block@vger.kernel.org" }, { "*/fs*", "linux-fsdevel@vger.kernel.org" },
	{ "*/open*", "linux-fsdevel@vger.kernel.org" }, { "netperf/*", "netdev@vger.kernel.org" },
	{ "iperf*", "netdev@vger.kernel.org" },	    { "tbench*", "netdev@vger.kernel.org" },
	{ "*/sock*", "netdev@vger.kernel.org" },    { "*futex*", "linux-kernel@vger.kernel.org" },
	{ "*bpf*", "bpf@vger.kernel.org" },	    { "*io_uring*", "io-uring@vger.kernel.org" },
	{ "kvm*", "kvm@vger.kernel.org" },	    { "rcu*", "rcu@vger.kernel.org" },
};

#endif
