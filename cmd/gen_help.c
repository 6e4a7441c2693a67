// SPDX-License-Identifier: BSD-2-Clause
// gen_help.c - the table of pkt-gen's options; help and getopt() are made from it.
#include "gen_opts.h"

#include <assert.h>

static const struct option_help {
	int letter;
	const char *name; // of a long option
	const char *arg;
	const char *text;
} table[] = {
	{'i', NULL, "port", "the port; required"},
	{'f', NULL, "function", "tx rx ping pong txseq rxseq (rx)"},
	{'n', NULL, "count", "packets to send or receive, 0 = without end (0)"},
	{'l', NULL, "bytes", "frame length without CRC (60; IPv6 62); a second -l: the least"},
	{'b', NULL, "packets", "most packets a visit of the port (512; live 262144; ping, pong 1)"},
	{'4', NULL, NULL, "IPv4 (so by default)"},
	{'6', NULL, NULL, "IPv6"},
	{'s', NULL, "range", "source addresses and ports, A[:P][-B[:Q]] or [G@][A]:P-[G@][B]:Q"},
	{'d', NULL, "range", "destination addresses and ports"},
	{'S', NULL, "mac", "source MAC (the port's own)"},
	{'D', NULL, "mac", "destination MAC (ff:ff:ff:ff:ff:ff)"},
	{'p', NULL, "threads", "threads, each with a queue of its own (1)"},
	{'c', NULL, "cpus", "CPUs that -a counts over, 0 = all (all)"},
	{'a', NULL, "cpu", "bind thread i to CPU (a + i) mod c"},
	{'R', NULL, "rate", "packets a second and thread, 0 = as fast as possible (0)"},
	{'w', NULL, "seconds", "wait for the link (2; 0 on ports without one)"},
	{'W', NULL, NULL, "rx, rxseq: stop after a second without packets"},
	{'T', NULL, "ms", "report interval (1000)"},
	{'N', NULL, NULL, "plain numbers in reports"},
	{'B', NULL, NULL, "count CRC, preamble and gap in bit rates"},
	{'A', NULL, NULL, "average and deviation of the last 15 reports"},
	{'X', NULL, NULL, "dump every packet"},
	{'v', NULL, NULL, "more to read; may be repeated"},
	{'z', NULL, NULL, "random source address and port"},
	{'Z', NULL, NULL, "random destination address and port"},
	{'P', NULL, "file", "send the frames of a capture, again and again"},
	{0, "pcap-timing", NULL, "with -P: at the distances of the capture"},
	{0, "pcap-once", NULL, "with -P: each frame once"},
	{'r', NULL, NULL, "rubbish: send what the buffers hold"},
	{'C', NULL, "tx[,rx[,txr[,rxr]]]", "descriptors and rings of the port"},
	{'o', NULL, "bits", "1 prefetch, 2 access, 4 copy, 8 memcpy, 64 dump, ... ORed"},
	{'F', NULL, "1", "fragments of a packet; only 1"},
	{'M', NULL, "bytes", "refused: fragments are netmap's"},
	{'H', NULL, "0", "virtio-net header; only 0"},
	{'I', NULL, NULL, "refused: indirect buffers are VALE's"},
	{'U', NULL, NULL, "accepted: checksums are always right"},
	{'h', "help", NULL, "this text"},
};

enum { N_OPTIONS = sizeof(table) / sizeof(table[0]) };
static_assert(2 * N_OPTIONS + 2 <= GEN_LETTERS_MAX, "room for all letters");

void gen_help_print(FILE *out, const char *self)
{
	char left[64];

	fprintf(out, "usage: %s -i port [options]\n\n", self);
	for (unsigned i = 0; i < N_OPTIONS; i++) {
		const struct option_help *o = &table[i];
		int n = 0;

		if (o->letter != 0)
			n = snprintf(left, sizeof(left), "-%c%s", o->letter,
				o->name != NULL ? ", " : "");
		if (o->name != NULL)
			n += snprintf(left + n, sizeof(left) - (size_t)n, "--%s", o->name);
		if (o->arg != NULL)
			snprintf(left + n, sizeof(left) - (size_t)n, " %s", o->arg);
		fprintf(out, "  %-24s %s\n", left, o->text);
	}
	fprintf(out,
		"\nPorts: an interface (eth0), xdp:IF, live:IF, afpacket:IF, netmap:IF, tap:NAME, null, "
		"\npcap:IN[,OUT], mem:NAME, memif:SOCKET, a PCI address.  pkt-gen(8) is the "
		"manual.\n");
}

void gen_help_letters(char letters[GEN_LETTERS_MAX])
{
	size_t n = 0;

	letters[n++] = ':'; // a missing argument is told from an unknown option
	for (unsigned i = 0; i < N_OPTIONS; i++) {
		if (table[i].letter == 0)
			continue;
		letters[n++] = (char)table[i].letter;
		if (table[i].arg != NULL)
			letters[n++] = ':';
	}
	letters[n] = '\0';
}
