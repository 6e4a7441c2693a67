// SPDX-License-Identifier: BSD-2-Clause
// lab_cmd.h - what the parts of `weir lab` share.
#pragma once

#include "lab/lab.h"

// Exit statuses; lab(8) tells them.
enum {
	LAB_OK = 0,
	LAB_SLOWER = 1,       // --fail-if-slower: slower than allowed, proven
	LAB_INCONCLUSIVE = 2, // --fail-if-slower: neither proven nor excluded
	LAB_INVALID = 3,      // the measurement is not valid, or could not be made
	LAB_USAGE = 4,        // command line, or a condition's files
	LAB_REFUSED = 5,      // the environment does not allow it
};

enum lab_device { DEVICE_WEIR, DEVICE_LINUX, DEVICE_XDP, DEVICE_WIRE };

struct lab_cmd {
	enum lab_device device;
	const char *dir;    // of conditions; NULL = built in
	const char *report; // `weir lab report FOLDER`
	const char *only, *baseline;
	const char *out, *in; // --dut wire: ports
	bool has_dmac;
	struct mac dmac;
	const char *linux_ports; // "afpacket" or "xdp"
	bool owner;              // --i-own-this-network
	bool json, quick, help;
	unsigned n_aa;         // --aa
	double fail_if_slower; // fraction; below 0 = not asked
	uint64_t rate, len[2]; // 0 = default; len: IPv4, IPv6
	bool only4, only6;
	const char *src[2], *dst[2]; // ranges, IPv4 and IPv6; NULL = default
	struct lab_options o;
	struct lab_traffic traffic[2];
	char command[1024];
};

// 0, or -EINVAL with the sentence.
int lab_cmd_parse(struct lab_cmd *c, int argc, char **argv, struct err *err);
void lab_cmd_usage(FILE *out);

// --aa: c->n_aa experiments in which all arms are the same; prints a verdict each and the count.
// Returns the exit status.
int lab_cmd_aa(struct lab_cmd *c, struct dut *d, const struct lab_conditions *conditions);
