// SPDX-License-Identifier: BSD-2-Clause
// napi.h - kernel threads that receive for a network interface ("threaded NAPI", Linux 5.12).
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct napi {
	pid_t pid;
	clockid_t clock;  // its CPU time, exact at any moment
	uint64_t last_ns; // as read last
};

// The threads named after an interface; names are not unique, other namespaces may have the same.
struct napi_list {
	pid_t pid[512];
	unsigned n;
};

// Whether kernel threads are visible here at all (not in a container's process namespace).
bool napi_visible(void);

void napi_list(const char *iface, struct napi_list *out);

// The one thread of iface that is not in `before`.  Waits up to five seconds for further ones to go:
// they are of a namespace that is being taken down.  -ENOENT if there is none, -EEXIST if several
// stay.
int napi_find(const char *iface, const struct napi_list *before, struct napi *out, struct err *err);

// Whether the thread is still that of iface.
bool napi_alive(const struct napi *n, const char *iface);

// Binds it to a CPU; fifo: it takes the CPU from every ordinary thread as soon as it has work.
int napi_pin(const struct napi *n, unsigned cpu, bool fifo, struct err *err);

// CPU time so far; of a thread that is gone, as it was read last.
uint64_t napi_cpu_ns(struct napi *n);
