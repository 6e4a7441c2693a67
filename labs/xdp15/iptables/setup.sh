#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The rules of card-15 for iptables' forward chain.
set -eu
iptables-legacy-restore <<RULES
*filter
-A FORWARD -f -j DROP
-A FORWARD -p tcp --dport 32768:65535 -j ACCEPT
-A FORWARD -p udp --dport 32768:65535 -j ACCEPT
-A FORWARD -i $WEIR_IN -p tcp --dport 80 -j ACCEPT
-A FORWARD -i $WEIR_IN -p tcp --dport 443 -j ACCEPT
-A FORWARD -i $WEIR_IN -p udp --dport 443 -j ACCEPT
-A FORWARD -i $WEIR_IN -s 198.18.200.4 -p tcp --dport 22 -j ACCEPT
-A FORWARD -i $WEIR_IN -s 198.18.200.4 -p icmp -j ACCEPT
-A FORWARD -i $WEIR_IN -p udp --sport 67 --dport 68 -j ACCEPT
-A FORWARD -i $WEIR_OUT -s 198.19.200.0/24 -p icmp -j ACCEPT
-A FORWARD -i $WEIR_OUT -s 198.19.200.0/24 -p tcp --dport 80 -j ACCEPT
-A FORWARD -i $WEIR_OUT -s 198.19.200.0/24 -p tcp --dport 443 -j ACCEPT
-A FORWARD -i $WEIR_OUT -s 198.19.200.0/24 -p udp --dport 53 -j ACCEPT
-A FORWARD -p tcp -j DROP
-A FORWARD -p icmp -j DROP
-A FORWARD -s 198.18.10.0/25 -d 198.19.10.0/27 -p udp -j ACCEPT
COMMIT
RULES
