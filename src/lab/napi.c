// SPDX-License-Identifier: BSD-2-Clause
#include "lab/napi.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIND_TICKS = 500 };

// The name of a thread without the newline; "" when it is gone.
static void comm(pid_t pid, char *out, int size)
{
	char path[64];
	FILE *f;

	out[0] = '\0';
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	f = fopen(path, "re");
	if (f == NULL)
		return;
	if (fgets(out, size, f) != NULL)
		out[strcspn(out, "\n")] = '\0';
	fclose(f);
}

// "napi/igb2-8193"; kernels before 5.17 cut the name to 15 characters.
static bool named_after(const char *name, const char *iface)
{
	size_t n = strlen(iface);

	if (strncmp(name, "napi/", 5) != 0)
		return false;
	name += 5;
	if (strlen(name) == 10 && n >= 10)
		return strncmp(name, iface, 10) == 0;
	return strncmp(name, iface, n) == 0 && name[n] == '-' &&
	       strspn(name + n + 1, "0123456789") == strlen(name + n + 1);
}

bool napi_visible(void)
{
	char name[64];

	comm(2, name, sizeof(name));
	return strcmp(name, "kthreadd") == 0;
}

void napi_list(const char *iface, struct napi_list *out)
{
	DIR *d = opendir("/proc");
	const struct dirent *e;

	out->n = 0;
	while (d != NULL && (e = readdir(d)) != NULL) {
		pid_t pid = (pid_t)strtol(e->d_name, NULL, 10);
		char name[64];

		if (pid <= 0 || out->n == sizeof(out->pid) / sizeof(out->pid[0]))
			continue;
		comm(pid, name, sizeof(name));
		if (named_after(name, iface))
			out->pid[out->n++] = pid;
	}
	if (d != NULL)
		closedir(d);
}

static bool listed(const struct napi_list *l, pid_t pid)
{
	for (unsigned i = 0; i < l->n; i++)
		if (l->pid[i] == pid)
			return true;
	return false;
}

// How many there are that are not in `before`; *pid is one of them.
static unsigned find_new(const char *iface, const struct napi_list *before, pid_t *pid)
{
	struct napi_list now;
	unsigned n = 0;

	napi_list(iface, &now);
	for (unsigned i = 0; i < now.n; i++)
		if (!listed(before, now.pid[i])) {
			*pid = now.pid[i];
			n++;
		}
	return n;
}

int napi_find(const char *iface, const struct napi_list *before, struct napi *out, struct err *err)
{
	const struct timespec tick = {0, 10000000};
	unsigned n;

	*out = (struct napi){0};
	n = find_new(iface, before, &out->pid);
	for (unsigned i = 0; n > 1 && i < FIND_TICKS; i++) {
		nanosleep(&tick, NULL);
		n = find_new(iface, before, &out->pid);
	}
	if (n == 0)
		return err_set(err, ENOENT, "%s: it has no receiving kernel thread", iface);
	if (n > 1)
		return err_set(
			err, EEXIST, "%s: %u receiving kernel threads go by this name", iface, n);
	if (clock_getcpuclockid(out->pid, &out->clock) != 0)
		return err_set(
			err, ENOENT, "%s: the CPU time of its kernel thread cannot be read", iface);
	return 0;
}

bool napi_alive(const struct napi *n, const char *iface)
{
	char name[64];

	comm(n->pid, name, sizeof(name));
	return named_after(name, iface);
}

int napi_pin(const struct napi *n, unsigned cpu, bool fifo, struct err *err)
{
	struct sched_param p = {.sched_priority = 1};
	cpu_set_t set;

	if (cpu >= CPU_SETSIZE)
		return err_set(err, EINVAL, "CPU %u: there is no such CPU", cpu);
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(n->pid, sizeof(set), &set) != 0)
		return err_set(err, errno, "binding a receiving kernel thread to CPU %u: %s", cpu,
			strerror(errno));
	if (fifo && sched_setscheduler(n->pid, SCHED_FIFO, &p) != 0)
		return err_set(err, errno, "giving a receiving kernel thread precedence: %s",
			strerror(errno));
	return 0;
}

uint64_t napi_cpu_ns(struct napi *n)
{
	struct timespec t;

	if (clock_gettime(n->clock, &t) == 0)
		n->last_ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
	return n->last_ns;
}
