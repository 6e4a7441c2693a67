// SPDX-License-Identifier: BSD-2-Clause
// Linux keeps capabilities for each thread, and DPDK has threads of its own by now.  A thread can only
// change its own, so each is sent a signal whose handler gives them up.  glibc does the same for the
// user and groups.  Afterwards /proc is asked whether all have.
#include "privileges.h"

#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { THREADS_MAX = 512, WAIT_MS = 5000 };

static _Atomic unsigned given_up;

static int set_caps(uint64_t permitted, uint64_t effective)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {
		{.effective = (uint32_t)effective, .permitted = (uint32_t)permitted},
		{.effective = (uint32_t)(effective >> 32),
			.permitted = (uint32_t)(permitted >> 32)}};

	return (int)syscall(SYS_capset, &head, data);
}

static uint64_t permitted_caps(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {0};

	if (syscall(SYS_capget, &head, data) != 0)
		return 0;
	return (uint64_t)data[1].permitted << 32 | data[0].permitted;
}

// In each other thread.  Only system calls that a handler may make.
static void on_signal(int number)
{
	int e = errno;

	(void)number;
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	set_caps(0, 0);
	atomic_fetch_add(&given_up, 1);
	errno = e;
}

// Calls back for each thread but the calling one; stops at the first that is not 0.
static int each_thread(
	int (*each)(void *arg, pid_t tid, struct err *err), void *arg, struct err *err)
{
	DIR *d = opendir("/proc/self/task");
	pid_t self = (pid_t)syscall(SYS_gettid);
	struct dirent *e;
	int rc = 0;

	if (d == NULL)
		return err_set(err, errno, "/proc/self/task: %s", strerror(errno));
	while (rc == 0 && (e = readdir(d)) != NULL) {
		pid_t tid = (pid_t)atoi(e->d_name);

		if (tid > 0 && tid != self)
			rc = each(arg, tid, err);
	}
	closedir(d);
	return rc;
}

struct told {
	pid_t tid[THREADS_MAX];
	unsigned n;
};

static int tell(void *arg, pid_t tid, struct err *err)
{
	struct told *t = arg;

	for (unsigned i = 0; i < t->n; i++)
		if (t->tid[i] == tid)
			return 0;
	if (t->n == THREADS_MAX)
		return err_set(err, E2BIG, "more than %d threads", THREADS_MAX);
	if (syscall(SYS_tgkill, getpid(), tid, SIGRTMAX) != 0)
		return errno == ESRCH ? 0 : err_set(err, errno, "%s", strerror(errno));
	t->tid[t->n++] = tid;
	return 0;
}

// A thread that is new or was not told yet is told in the next round.
static int tell_all(struct err *err)
{
	struct sigaction act = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, old;
	struct timespec ms = {.tv_nsec = 1000000};
	struct told t = {.n = 0};
	unsigned before;
	int rc, waited = 0;

	sigfillset(&act.sa_mask);
	if (sigaction(SIGRTMAX, &act, &old) != 0)
		return err_set(err, errno, "signals: %s", strerror(errno));
	atomic_store(&given_up, 0);
	do {
		before = t.n;
		rc = each_thread(tell, &t, err);
		while (rc == 0 && atomic_load(&given_up) < t.n && waited++ < WAIT_MS)
			nanosleep(&ms, NULL);
	} while (rc == 0 && t.n != before);
	sigaction(SIGRTMAX, &old, NULL);
	return rc;
}

static int check(void *arg, pid_t tid, struct err *err)
{
	char path[64], line[256];
	unsigned long long caps = 1;
	FILE *f;

	(void)arg;
	snprintf(path, sizeof(path), "/proc/self/task/%d/status", (int)tid);
	f = fopen(path, "re");
	if (f == NULL)
		return errno == ENOENT ? 0 : err_set(err, errno, "%s: %s", path, strerror(errno));
	while (fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "CapPrm: %llx", &caps) == 1)
			break;
	fclose(f);
	if (caps != 0)
		return err_set(err, EPERM, "a thread kept its capabilities (%llx)", caps);
	return 0;
}

static int become(const char *user, struct err *err)
{
	const struct passwd *pw;

	errno = 0;
	pw = getpwnam(user);
	if (pw == NULL)
		return err_set(err, errno != 0 ? errno : EINVAL, "there is no user '%s'", user);
	if (initgroups(user, pw->pw_gid) != 0 ||
		setresgid(pw->pw_gid, pw->pw_gid, pw->pw_gid) != 0 ||
		setresuid(pw->pw_uid, pw->pw_uid, pw->pw_uid) != 0)
		return err_set(err, errno, "becoming the user '%s': %s", user, strerror(errno));
	return 0;
}

int privileges_drop(const struct privileges *p, struct err *err)
{
	uint64_t keep = (p->net_admin ? UINT64_C(1) << CAP_NET_ADMIN : 0) |
			(p->files ? UINT64_C(1) << CAP_DAC_OVERRIDE : 0);
	int rc = 0;

	keep &= permitted_caps();
	if (p->user != NULL) {
		prctl(PR_SET_KEEPCAPS, keep != 0, 0, 0, 0);
		rc = become(p->user, err);
		prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0);
	}
	if (rc == 0 && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || set_caps(keep, 0) != 0))
		rc = err_set(err, errno, "%s", strerror(errno));
	if (rc == 0)
		rc = tell_all(err);
	if (rc == 0)
		rc = each_thread(check, NULL, err);
	return rc == 0 ? 0 : err_context(err, "giving up privileges");
}

void privileges_raise(void)
{
	uint64_t kept = permitted_caps();

	if (kept != 0)
		set_caps(kept, kept);
}

void privileges_lower(void)
{
	set_caps(permitted_caps(), 0);
}
