#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# 24 rules that match none of the test's packets, then one that accepts them.
set -eu
{
	echo 'table inet lab {'
	echo '	chain forward {'
	echo '		type filter hook forward priority 0; policy drop;'
	i=1
	while [ "$i" -le 24 ]; do
		echo "		udp dport $((10000 + i)) drop"
		i=$((i + 1))
	done
	echo "		iifname \"$WEIR_IN\" accept"
	echo '	}'
	echo '}'
} | nft -f -
