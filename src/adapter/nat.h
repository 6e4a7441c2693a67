// SPDX-License-Identifier: BSD-2-Clause
// nat.h - stateless translation: fixed addresses and ports are written into a packet, and the
// checksums they are part of follow (RFC 1624).
//
// As on the card, a rule knows nothing but the packet it meets:
//	- what the mode names and no word gives is written as 0;
//	- ports are those of TCP and UDP; a later fragment has none and gets addresses only;
//	- an address changes the checksum of TCP, UDP and ICMPv6; where it is not in the packet (later
//	  fragments) the first fragment's carries the change for all;
//	- a UDP checksum of 0 (none) stays 0; one that becomes 0 is written 0xffff (RFC 768);
//	- packets quoted in ICMP errors stay as they are;
//	- natseq and natflag look at TCP headers: a segment whose sequence number plus length is not
//	  below natseq, or that has FIN or RST, goes out untranslated.
#pragma once

#include "adapter/rewrite.h"
#include "packet/parse.h"

unsigned nat_parts(enum adapter_nat mode);

// Translates the packet at frame, of which h says where its headers lie, all of them in memory.
// partial: the upper-layer checksum field holds only the pseudo header's sum, not complemented, and
// somebody later adds the rest.  False: an upper-layer header whose checksum it has to change is cut
// off, and nothing is written.
bool nat_packet(const struct rewrite *r, uint8_t *frame, const struct hdrs *h, bool partial);
