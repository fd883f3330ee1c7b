/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A list of what is refused (EPERM), not of what is allowed: libraries change what they call from version to version. */
#include "confine.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "../lib/log.h"

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCH AUDIT_ARCH_RISCV64
#elif defined(__powerpc64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ARCH AUDIT_ARCH_PPC64LE
#elif defined(__s390x__)
#define ARCH AUDIT_ARCH_S390X
#endif

/* Sanitizers look into their own process when it ends, and run a program to name what they found. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WATCHED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WATCHED 1
#endif
#endif

static const int refused[] = {
#ifndef WATCHED
	SYS_execve, SYS_execveat, SYS_ptrace,
#endif
	/* other processes, and the kernel's more daring parts */
	SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, SYS_pidfd_getfd, SYS_bpf, SYS_perf_event_open, SYS_userfaultfd,
	SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register, SYS_add_key, SYS_request_key, SYS_keyctl,
	/* another view of the machine */
	SYS_unshare, SYS_setns, SYS_chroot, SYS_pivot_root, SYS_mount, SYS_umount2, SYS_move_mount, SYS_open_tree, SYS_fsopen,
	SYS_open_by_handle_at, SYS_personality,
	/* the machine itself */
	SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_reboot, SYS_swapon, SYS_swapoff, SYS_acct,
	SYS_settimeofday, SYS_clock_settime, SYS_adjtimex, SYS_sethostname, SYS_setdomainname, SYS_quotactl, SYS_syslog,
	/* other users */
	SYS_setuid, SYS_setgid, SYS_setreuid, SYS_setregid, SYS_setresuid, SYS_setresgid, SYS_setgroups, SYS_capset, SYS_mknodat,
};
static const int listening[] = { SYS_listen, SYS_accept4,
#ifdef SYS_accept
				 SYS_accept,
#endif
};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define MOST (COUNT(refused) + COUNT(listening))

#ifdef ARCH
static int install(bool listens)
{
	struct sock_filter code[2 * MOST + 8];
	struct sock_fprog program = { .filter = code };
	size_t n = 0;

	/* a call by another table of numbers (32 bit, x32) is none of ours */
	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
	code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
	code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
#endif
	for (size_t i = 0; i < MOST; i++) {
		bool listen = i >= COUNT(refused);
		int number = listen ? listening[i - COUNT(refused)] : refused[i];

		if (listen && listens)
			break;
		code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1);
		code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	}
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	program.len = (unsigned short)n;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
#else
static int install(bool listens)
{
	(void)listens;
	errno = ENOSYS;
	return -1;
}
#endif

void confine_process(bool listens)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || install(listens))
		log_event(LOG_WARN, "this kernel does not take privileges away (seccomp)", "error=\"%s\"", strerror(errno));
#ifndef WATCHED
	/* serve and watch may be one user: what the one has in its environment and memory is nothing for the other */
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
}
