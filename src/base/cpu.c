// SPDX-License-Identifier: BSD-2-Clause
#include "base/cpu.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

unsigned cpu_allowed(unsigned *cpus, unsigned max)
{
	cpu_set_t set;
	unsigned n = 0;

	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return 0;
	for (unsigned i = 0; i < CPU_SETSIZE && n < max; i++)
		if (CPU_ISSET(i, &set))
			cpus[n++] = i;
	return n;
}

int cpu_pin(unsigned cpu, struct err *err)
{
	cpu_set_t set;

	if (cpu >= CPU_SETSIZE)
		return err_set(err, EINVAL, "CPU %u: there is no such CPU", cpu);
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) != 0)
		return err_set(err, errno, "CPU %u: %s", cpu, strerror(errno));
	return 0;
}

// The text behind "key<blanks><sep><blanks>" of the first such line of path, quotes stripped.
static bool file_value(const char *path, const char *key, char sep, char *out, size_t size)
{
	FILE *f = fopen(path, "re");
	char line[4096];
	bool found = false;
	size_t n = strlen(key);

	if (f == NULL)
		return false;
	while (!found && fgets(line, sizeof(line), f) != NULL) {
		char *p = line + n;

		if (strncmp(line, key, n) != 0)
			continue;
		p += strspn(p, " \t");
		if (sep != 0 && *p++ != sep)
			continue;
		p += strspn(p, " \t\"");
		p[strcspn(p, "\"\n")] = '\0';
		snprintf(out, size, "%s", p);
		found = true;
	}
	fclose(f);
	return found;
}

static unsigned long meminfo(const char *key)
{
	char text[64];

	return file_value("/proc/meminfo", key, ':', text, sizeof(text)) ? strtoul(text, NULL, 10)
									 : 0;
}

void machine_read(struct machine *m)
{
	struct utsname u;
	char flags[4096];
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	memset(m, 0, sizeof(*m));
	if (!file_value("/proc/cpuinfo", "model name", ':', m->model, sizeof(m->model)))
		snprintf(m->model, sizeof(m->model), "unknown");
	if (uname(&u) == 0)
		snprintf(m->kernel, sizeof(m->kernel), "%.40s %.60s %.20s", u.sysname, u.release,
			u.machine);
	if (!file_value("/etc/os-release", "PRETTY_NAME", '=', m->distro, sizeof(m->distro)))
		snprintf(m->distro, sizeof(m->distro), "unknown");
	m->n_cpus = n > 0 ? (unsigned)n : 0;
	m->virtualised = file_value("/proc/cpuinfo", "flags", ':', flags, sizeof(flags)) &&
			 strstr(flags, " hypervisor") != NULL;
	if (!file_value("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "", 0, m->governor,
		    sizeof(m->governor)))
		snprintf(m->governor, sizeof(m->governor), "none");
	m->memory_mb = meminfo("MemTotal") / 1024;
	m->huge_pages_free = meminfo("HugePages_Free");
	m->huge_page_kb = meminfo("Hugepagesize");
}
