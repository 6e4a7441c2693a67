#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The rules of card-15 for the forward hook.  IPv6 passes, as it does there.
set -eu
nft -f - <<RULES
table ip lab {
	chain forward {
		type filter hook forward priority 0; policy accept;
		ip frag-off & 0x3fff != 0 drop
		meta l4proto { tcp, udp } th dport & 0x8000 == 0x8000 accept
		iifname "$WEIR_IN" tcp dport 80 accept
		iifname "$WEIR_IN" tcp dport 443 accept
		iifname "$WEIR_IN" udp dport 443 accept
		iifname "$WEIR_IN" ip saddr 198.18.200.4 tcp dport 22 accept
		iifname "$WEIR_IN" ip saddr 198.18.200.4 ip protocol icmp accept
		iifname "$WEIR_IN" udp sport 67 udp dport 68 accept
		iifname "$WEIR_OUT" ip saddr 198.19.200.0/24 ip protocol icmp accept
		iifname "$WEIR_OUT" ip saddr 198.19.200.0/24 tcp dport 80 accept
		iifname "$WEIR_OUT" ip saddr 198.19.200.0/24 tcp dport 443 accept
		iifname "$WEIR_OUT" ip saddr 198.19.200.0/24 udp dport 53 accept
		ip protocol tcp drop
		ip protocol icmp drop
		ip saddr 198.18.10.0/25 ip daddr 198.19.10.0/27 ip protocol udp accept
	}
}
RULES
