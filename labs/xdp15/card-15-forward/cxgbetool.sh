#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A server's rules on the card: port 0 faces the sources (igb2), port 1 the destinations (igb3).  The first
# rule that matches a frame that comes in decides; a frame that matches none passes.
set -eu

# no fragments, from either side
cxgbetool t5nex0 filter 5 frag 1 action drop

# answers to what was asked from behind: ports from 32768 on
cxgbetool t5nex0 filter 10 dport 32768:0x8000 action pass

# what the server offers: HTTP, HTTPS, QUIC
cxgbetool t5nex0 filter 20 iport 0 dport 80 proto 6 action pass
cxgbetool t5nex0 filter 30 iport 0 dport 443 proto 6 action pass
cxgbetool t5nex0 filter 40 iport 0 dport 443 proto 17 action pass

# one station may log in and ping
cxgbetool t5nex0 filter 50 iport 0 sip 198.18.200.4 dport 22 proto 6 action pass
cxgbetool t5nex0 filter 60 iport 0 sip 198.18.200.4 proto 1 action pass

# DHCP answers
cxgbetool t5nex0 filter 70 iport 0 sport 67 dport 68 proto 17 action pass

# what the net behind may ask for: ping, HTTP, HTTPS, DNS
cxgbetool t5nex0 filter 80 iport 1 sip 198.19.200.0/24 proto 1 action pass
cxgbetool t5nex0 filter 81 iport 1 sip 198.19.200.0/24 dport 80 proto 6 action pass
cxgbetool t5nex0 filter 82 iport 1 sip 198.19.200.0/24 dport 443 proto 6 action pass
cxgbetool t5nex0 filter 83 iport 1 sip 198.19.200.0/24 dport 53 proto 17 action pass

# no other TCP and ICMP, and of UDP only the test's
cxgbetool t5nex0 filter 100 proto 6 action drop
cxgbetool t5nex0 filter 101 proto 1 action drop
cxgbetool t5nex0 filter 102 sip 198.18.10.0/25 dip 198.19.10.0/27 proto 17 action pass
