// SPDX-License-Identifier: BSD-2-Clause
// env.c - starting DPDK's environment so that it asks for nothing, prints nothing and leaves
// nothing: no files in hugetlbfs, no runtime folder, no sockets, no PCI devices taken that were not
// named.
#include "port/dpdklog.h"
#include "port/internal.h"

#include "base/cpu.h"

#include <errno.h>
#include <fcntl.h>
#include <rte_build_config.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MEMORY_MB = 512, MEMORY_MB_MIN = 64, MEMORY_MB_MAX = 1024 * 1024, ARGS_MAX = 96 };

static struct {
	bool tried, up;
	unsigned cpu[CPU_MAX]; // [0] the caller's, then the workers'
	unsigned n_cpus;
	unsigned mb;
	bool transparent;
	cpu_set_t before;
	char text[256];
	// EAL keeps pointers into its arguments.
	char *argv[ARGS_MAX];
	int argc;
} env;

bool env_started(void)
{
	return env.up;
}

bool env_transparent(void)
{
	return env.transparent;
}

size_t env_memory_bytes(void)
{
	return (size_t)env.mb << 20;
}

int env_worker_cpu(unsigned index, unsigned *cpu, struct err *err)
{
	if (index + 1 >= env.n_cpus)
		return err_set(err, EINVAL,
			"worker %u: the process was started with %u worker CPU%s", index,
			env.n_cpus == 0 ? 0 : env.n_cpus - 1, env.n_cpus == 2 ? "" : "s");
	*cpu = env.cpu[index + 1];
	return 0;
}

// The CPUs the process may use, from first_cpu on, wrapping around.
static int choose_cpus(const struct port_env *e, struct err *err)
{
	unsigned all[CPU_MAX], n = cpu_allowed(all, CPU_MAX), first = 0, want = e->n_workers + 1;

	if (e->first_cpu > 0 || (e->first_cpu == 0 && e->n_workers > 0))
		while (first < n && all[first] != (unsigned)e->first_cpu)
			first++;
	if (first == n)
		return err_set(err, EINVAL, "CPU %d: the process may not run there", e->first_cpu);
	if (want > n)
		return err_set(err, ENOTSUP,
			"%u worker%s and the main thread need %u CPUs of their own, and this process may "
			"use %u: give it more (taskset, cpuset), or the machine",
			e->n_workers, e->n_workers == 1 ? "" : "s", want, n);
	for (unsigned i = 0; i < want; i++)
		env.cpu[i] = all[(first + i) % n];
	env.n_cpus = want;
	return 0;
}

// mb in whole huge pages, 0 if fewer are free: munmap() of a part of one fails, and what it was asked
// to give back would stay reserved for the life of the process.
static size_t huge_bytes(unsigned mb)
{
	struct machine m;
	size_t page;

	machine_read(&m);
	if (m.huge_page_kb == 0 || m.huge_pages_free * m.huge_page_kb / 1024 < mb)
		return 0;
	page = (size_t)m.huge_page_kb << 10;
	return (((size_t)mb << 20) + page - 1) / page * page;
}

// Whether the kernel would give us that much in huge pages now.  EAL cannot be asked twice in one
// process, so a failed start with huge pages could not be mended.
static bool huge_pages_free(unsigned mb)
{
	size_t size = huge_bytes(mb);
	void *p;

	if (size == 0)
		return false;
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1,
		0);
	if (p == MAP_FAILED)
		return false;
	return munmap(p, size) == 0;
}

// Whether the kernel gives them to those who ask.
static bool transparent_pages(void)
{
	char text[128] = "";
	FILE *f = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "re");

	if (f == NULL)
		return false;
	if (fgets(text, sizeof(text), f) == NULL)
		text[0] = '\0';
	fclose(f);
	return strstr(text, "[always]") != NULL || strstr(text, "[madvise]") != NULL;
}

static void arg(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static void arg(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (env.argc < ARGS_MAX - 1 && vasprintf(&env.argv[env.argc], fmt, ap) >= 0)
		env.argc++;
	va_end(ap);
}

static void free_args(void)
{
	for (int i = 0; i < ARGS_MAX; i++) {
		free(env.argv[i]);
		env.argv[i] = NULL;
	}
	env.argc = 0;
}

bool env_pci_named(const char *pci)
{
	for (int i = 0; i < env.argc; i++)
		if (strcmp(env.argv[i], pci) == 0)
			return true;
	return false;
}

// A named PCI device is let in; all others, and the bus if none is named, stay out.
static bool pci_args(const struct port_env *e)
{
	bool any = false;
	char pci[SPEC_NAME_MAX];

	for (unsigned i = 0; i < e->n_names; i++) {
		if (!port_spec_pci(e->names[i], pci))
			continue;
		arg("-a");
		arg("%s", pci);
		any = true;
	}
	if (!any)
		arg("--no-pci");
	return any;
}

// Returns whether there is a PCI device.
static bool all_args(const struct port_env *e, unsigned mb, bool huge, const char *prefix)
{
	arg("weir");
	arg("--lcores");
	arg("0@%u", env.cpu[0]);
	arg("--file-prefix");
	arg("%s", prefix);
	arg("--no-telemetry");
	arg("--force-max-simd-bitwidth=512");
	arg("--log-level=error");
	// --in-memory excludes --no-huge; --no-shconf is the part of it that matters there.
	if (huge)
		arg("--in-memory");
	else
		arg("--no-shconf");
	if (!huge)
		arg("--no-huge");
	arg("-m");
	arg("%u", mb);
	return pci_args(e);
}

// EAL insists on a runtime folder PLACE/dpdk/PREFIX, in which it makes nothing as we start it.  It is
// shown one that exists, that of its own drivers, so that none is made: a process that is killed while
// it starts leaves nothing, and nothing need be writable.
struct runtime {
	char path[sizeof(RTE_EAL_PMD_PATH)];
	const char *place, *prefix;
	char *before; // RUNTIME_DIRECTORY of the environment
};

static void divert_runtime(struct runtime *r)
{
	const char *old = getenv("RUNTIME_DIRECTORY");
	char *last, *middle;

	r->before = old != NULL ? strdup(old) : NULL;
	r->place = "/tmp";
	r->prefix = "weir";
	snprintf(r->path, sizeof(r->path), "%s", RTE_EAL_PMD_PATH);
	last = access(r->path, F_OK) == 0 ? strrchr(r->path, '/') : NULL;
	if (last != NULL) {
		*last = '\0';
		middle = strrchr(r->path, '/');
		if (middle != NULL && strcmp(middle, "/dpdk") == 0) {
			*middle = '\0';
			r->place = r->path;
			r->prefix = last + 1;
		}
	}
	setenv("RUNTIME_DIRECTORY", r->place, 1);
}

static void restore_runtime(struct runtime *r)
{
	if (r->before != NULL)
		setenv("RUNTIME_DIRECTORY", r->before, 1);
	else
		unsetenv("RUNTIME_DIRECTORY");
	free(r->before);
}

// EAL says the worst of its errors on standard error itself, and again in its log.
static int init_in_silence(int argc, char **argv)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC), keep = dup(STDERR_FILENO), n;

	fflush(stderr);
	if (null >= 0 && keep >= 0)
		dup2(null, STDERR_FILENO);
	n = rte_eal_init(argc, argv);
	if (null >= 0 && keep >= 0)
		dup2(keep, STDERR_FILENO);
	if (null >= 0)
		close(null);
	if (keep >= 0)
		close(keep);
	return n;
}

static void describe(unsigned mb, bool huge)
{
	int n;
	struct machine m;

	machine_read(&m);
	if (huge && m.huge_page_kb >= 1024)
		n = snprintf(env.text, sizeof(env.text), "%lu MiB", m.huge_page_kb / 1024);
	else
		n = snprintf(env.text, sizeof(env.text), "%ld KiB", sysconf(_SC_PAGESIZE) / 1024);
	n += snprintf(env.text + n, sizeof(env.text) - (size_t)n, " pages%s, %u MB, CPU%s",
		env.transparent ? " (frames in transparent huge pages)" : "", mb,
		env.n_cpus == 1 ? "" : "s");
	for (unsigned i = 0; i < env.n_cpus && n < (int)sizeof(env.text) - 16; i++)
		n += snprintf(env.text + n, sizeof(env.text) - (size_t)n, " %u", env.cpu[i]);
}

static int check(const struct port_env *e, unsigned mb, struct err *err)
{
	if (env.tried)
		return err_set(err, EINVAL, "packet I/O can be started only once in a process");
	if (mb < MEMORY_MB_MIN || mb > MEMORY_MB_MAX)
		return err_set(err, EINVAL, "memory %u MB: outside %u..%u", mb, MEMORY_MB_MIN,
			MEMORY_MB_MAX);
	if (e->n_names > ARGS_MAX / 4)
		return err_set(err, EINVAL, "%u ports are too many", e->n_names);
	return choose_cpus(e, err);
}

// Between trying for huge pages and taking them another process may take them too, if only to try,
// and EAL cannot be started a second time: one start at a time.  -1 if that cannot be arranged.
static int lock_huge_pages(void)
{
	int fd = open("/sys/kernel/mm/hugepages", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		flock(fd, LOCK_EX);
	return fd;
}

int port_init(const struct port_env *e, struct err *err)
{
	unsigned mb = e->memory_mb == 0 ? MEMORY_MB : e->memory_mb;
	bool huge = e->pages != PAGES_SMALL;
	struct runtime runtime;
	int code, lock = -1;

	code = check(e, mb, err);
	if (code < 0)
		return code;
	if (huge && huge_bytes(mb) > 0)
		lock = lock_huge_pages();
	if (huge && !huge_pages_free(mb)) {
		if (lock >= 0)
			close(lock);
		if (e->pages == PAGES_HUGE)
			return err_set(err, ENOMEM,
				"huge pages: %u MB are not free (see vm.nr_hugepages)", mb);
		huge = false;
		lock = -1;
	}
	env.tried = true;
	sched_getaffinity(0, sizeof(env.before), &env.before);
	env.mb = mb;
	divert_runtime(&runtime);
	env.transparent = !all_args(e, mb, huge, runtime.prefix) && !huge &&
			  e->pages != PAGES_SMALL && transparent_pages();
	dpdklog_start();
	// EAL shuffles the array it gets; ours stays whole for freeing.
	char *argv[ARGS_MAX];

	memcpy(argv, env.argv, sizeof(argv));
	code = init_in_silence(env.argc, argv);
	restore_runtime(&runtime);
	if (lock >= 0)
		close(lock);
	if (code < 0) {
		code = rte_errno > 0 ? rte_errno : EINVAL;
		if (port_limit()[0] != '\0')
			code = ENOMEM; // the loader's and the drivers' errors all come of it
		err_set(err, code, "packet I/O does not start: %s%s", dpdklog_reason(),
			port_limit());
		sched_setaffinity(0, sizeof(env.before), &env.before);
		dpdklog_stop();
		return -code;
	}
	describe(mb, huge);
	env.up = true;
	return 0;
}

void port_fini(void)
{
	if (!env.up)
		return;
	port_close_all();
	env.up = false;
	rte_eal_cleanup();
	dpdklog_stop();
	free_args();
	sched_setaffinity(0, sizeof(env.before), &env.before);
}

const char *port_env_text(void)
{
	return env.text;
}
