// SPDX-License-Identifier: BSD-2-Clause
// spec.h - a port's name taken apart.  Pure text: nothing is opened, nothing looked up.
#pragma once

#include "base/err.h"

#include <limits.h>
#include <stdbool.h>

enum port_kind {
	PORT_MEM,
	PORT_PCAP,
	PORT_NULL,
	PORT_XDP,
	PORT_LIVE,
	PORT_AFPACKET,
	PORT_TAP,
	PORT_MEMIF,
	PORT_PCI,
	PORT_KINDS
};

enum { SPEC_NAME_MAX = 32, SPEC_PATH_MAX = PATH_MAX };

struct port_spec {
	enum port_kind kind;
	bool chosen;              // XDP because no kind was written
	bool server;              // memif: we listen
	int queue;                // XDP: the one queue asked for, -1 = from the first
	char name[SPEC_NAME_MAX]; // pair, interface, TAP device, or PCI address with its domain
	char in[SPEC_PATH_MAX];   // pcap: the capture read, "" = none; memif: the socket
	char out[SPEC_PATH_MAX];  // pcap: the capture written, "" = none
};

// -EINVAL with a sentence that quotes the name; *out is then undefined.
int port_spec_parse(const char *text, struct port_spec *out, struct err *err);

// A PCI address, with or without domain, as written in full ("0000:03:00.0") into out
// (SPEC_NAME_MAX bytes); false if text is not one.
bool port_spec_pci(const char *text, char *out);
