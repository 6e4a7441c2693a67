#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Processes that start at the same moment where there are huge pages for some of them only: each
# starts, with the pages that are left for it.  usage: pages.sh WEIR
set -u

weir=$1
nr=/proc/sys/vm/nr_hugepages
work=$(mktemp -d)
before=$(cat $nr)
trap 'echo "$before" 2>/dev/null >$nr; rm -rf "$work"' EXIT

free=$(sed -n 's/^HugePages_Free: *//p' /proc/meminfo)
if ! echo $((before + 200 - free)) 2>/dev/null >$nr ||
	[ "$(sed -n 's/^HugePages_Free: *//p' /proc/meminfo)" -lt 200 ]; then
	echo "skipped: it needs root and 200 huge pages"
	exit 77
fi

for i in 1 2 3 4 5 6; do
	timeout 60 "$weir" gen -i null -f tx -n 1000 -w 0 >"$work/$i" 2>&1 || echo "status $?" >>"$work/$i" &
done
wait

failed=0
for i in 1 2 3 4 5 6; do
	if ! grep -q "^Sent 1000 packets" "$work/$i" || grep -q "^status" "$work/$i"; then
		cat "$work/$i"
		failed=1
	fi
done
grep -qh "2 MiB pages" "$work"/* || {
	echo "none had huge pages"
	failed=1
}

# What a process asked for and did not take is free for the next one.
reserved() { sed -n 's/^HugePages_Rsvd: *//p' /proc/meminfo; }
timeout 30 "$weir" gen -i null -f rx -w 0 >"$work/rx" 2>&1 &
rx=$!
for _ in $(seq 100); do
	grep -q "2 MiB pages" "$work/rx" && [ "$(reserved)" -eq 0 ] && break
	sleep 0.1
done
grep -q "2 MiB pages" "$work/rx" && [ "$(reserved)" -ne 0 ] && {
	echo "$(reserved) huge pages stay reserved while a receiver runs"
	failed=1
}
kill "$rx"
wait "$rx"
exit $failed
