#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The rules of card-15 as `weir adapter export --nft` writes them, at the ingress of the interfaces.
set -eu
nft -f - <<RULES
table netdev lab {
	chain ingress {
		type filter hook ingress devices = { "$WEIR_IN", "$WEIR_OUT" } priority 0; policy accept;
		meta protocol ip ip frag-off & 0x3fff != 0 counter drop
		meta protocol ip ip frag-off & 0x1fff == 0 meta l4proto { 6, 17 } th dport & 0x8000 == 0x8000 counter accept
		meta protocol ip iifname "$WEIR_IN" ip frag-off & 0x1fff == 0 meta l4proto 6 th dport 80 counter accept
		meta protocol ip iifname "$WEIR_IN" ip frag-off & 0x1fff == 0 meta l4proto 6 th dport 443 counter accept
		meta protocol ip iifname "$WEIR_IN" ip frag-off & 0x1fff == 0 meta l4proto 17 th dport 443 counter accept
		meta protocol ip iifname "$WEIR_IN" ip frag-off & 0x1fff == 0 meta l4proto 6 ip saddr 198.18.200.4 th dport 22 counter accept
		meta protocol ip iifname "$WEIR_IN" meta l4proto 1 ip saddr 198.18.200.4 counter accept
		meta protocol ip iifname "$WEIR_IN" ip frag-off & 0x1fff == 0 meta l4proto 17 th sport 67 th dport 68 counter accept
		meta protocol ip iifname "$WEIR_OUT" meta l4proto 1 ip saddr 198.19.200.0/24 counter accept
		meta protocol ip iifname "$WEIR_OUT" ip frag-off & 0x1fff == 0 meta l4proto 6 ip saddr 198.19.200.0/24 th dport 80 counter accept
		meta protocol ip iifname "$WEIR_OUT" ip frag-off & 0x1fff == 0 meta l4proto 6 ip saddr 198.19.200.0/24 th dport 443 counter accept
		meta protocol ip iifname "$WEIR_OUT" ip frag-off & 0x1fff == 0 meta l4proto 17 ip saddr 198.19.200.0/24 th dport 53 counter accept
		meta protocol ip meta l4proto 6 counter drop
		meta protocol ip meta l4proto 1 counter drop
		meta protocol ip meta l4proto 17 ip saddr 198.18.10.0/25 ip daddr 198.19.10.0/27 counter accept
	}
}
RULES
