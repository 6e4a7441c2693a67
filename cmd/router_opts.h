// SPDX-License-Identifier: BSD-2-Clause
// router_opts.h - the command line of `weir router`.
#pragma once

#include "path/path.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct router_options {
	const char *conf_dir;
	const char *port[PATH_PORTS_MAX]; // IF=NAME
	unsigned n_ports;
	uint64_t seconds, report_ms, memory_mb; // 0 = not given
	const char *name;                       // of card and control socket
	const char *save;                       // a file, or NULL
	const char *user;                       // to become, or NULL
	bool loop, drain, json;
};

// 0; else the exit status, or -1 for help.
int router_parse(struct router_options *o, int argc, char **argv);
void router_usage(FILE *out);

// The port in IF=PORT.
const char *router_port_text(const struct router_options *o, unsigned i);

// A port that receives from a capture (pcap:,OUT does not).
bool router_is_capture(const char *name);

// A port that writes one.
bool router_writes_capture(const char *name);
