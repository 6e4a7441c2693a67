#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What xdp-filter can say: sources that are dropped, none of them the traffic's.  It knows no order of rules,
# no protocol but TCP and UDP, and no prefixes.
set -eu
xdp-filter load -m native -f ipv4,udp,tcp "$WEIR_IN"
i=1
while [ "$i" -le 15 ]; do
	xdp-filter ip -m src "198.18.200.$i"
	i=$((i + 1))
done
