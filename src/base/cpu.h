// SPDX-License-Identifier: BSD-2-Clause
// cpu.h - which CPUs this process may use, and what machine this is.
#pragma once

#include "base/err.h"

#include <stdbool.h>

enum { CPU_MAX = 1024 };

// CPUs of the process's affinity mask, ascending, into cpus[0..max-1]; returns how many.
unsigned cpu_allowed(unsigned *cpus, unsigned max);

// Binds the calling thread to one CPU.
int cpu_pin(unsigned cpu, struct err *err);

struct machine {
	char model[128];   // processor name as /proc/cpuinfo gives it
	char kernel[128];  // uname: system, release, machine
	char distro[128];  // PRETTY_NAME of os-release
	unsigned n_cpus;   // online
	bool virtualised;  // the hypervisor flag is set
	char governor[32]; // of CPU 0, "none" where the kernel offers none
	unsigned long memory_mb;
	unsigned long huge_pages_free; // of the default size
	unsigned long huge_page_kb;    // that size
};

// Never fails: what cannot be read is "unknown" or 0.
void machine_read(struct machine *m);
