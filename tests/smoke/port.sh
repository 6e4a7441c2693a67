#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Ports on real interfaces: a veth pair in a network namespace made here, a TAP device, memif.
# usage: port.sh PORT_PROBE
set -u

probe=$(readlink -f "$1")
if [ "$(id -u)" -ne 0 ]; then
	echo "skipped: it needs root for network namespaces, packet sockets and XDP"
	exit 77
fi
ns=weir-port-$$
tmp=$(mktemp -d)
pids=
trap 'for p in $pids; do kill -9 "$p" 2>/dev/null; done; ip netns del "$ns" 2>/dev/null; rm -rf "$tmp"' EXIT
if ! ip netns add "$ns" 2>"$tmp/err"; then
	echo "skipped: no network namespaces here: $(cat "$tmp/err")"
	exit 77
fi
in_ns() {
	ip netns exec "$ns" "$@"
}
# The kernel's own frames (router solicitations and the like) would only be noise.
in_ns sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
ip -n "$ns" link add va type veth peer name vb
ip -n "$ns" link set vb up

failed=0
fail() {
	echo "FAILED: $*"
	failed=1
}

# expect STATUS TEXT COMMAND ...: the probe ends so, and what it prints holds the text, in one line.
expect() {
	local status=$1 text=$2 out e
	shift 2
	out=$(in_ns "$probe" "$@" 2>&1)
	e=$?
	[ "$e" -eq "$status" ] || fail "$*: exit $e, not $status: $out"
	[[ $out == *"$text"* ]] || fail "$*: '$text' is not in: $out"
	if [ "$status" -eq 2 ] && [ "$(wc -l <<<"$out")" -ne 1 ]; then
		fail "$*: not one line: $out"
	fi
}

# wait_for COMMAND ...: at most 5 seconds.
wait_for() {
	local i
	for ((i = 0; i < 100; i++)); do
		"$@" >/dev/null 2>&1 && return 0
		sleep 0.05
	done
	return 1
}

attached() {
	ip -n "$ns" -d link show "$1" | grep -q 'prog/xdp'
}

# shellcheck disable=SC2317 # called by wait_for
gone() {
	! "$@"
}

is_down() {
	! ip -n "$ns" link show "$1" | grep -q '[<,]UP[,>]'
}

# 1. Opened again and again, the interface comes up and goes down again.
expect 0 'va by AF_XDP (native, copy mode), brought up' open xdp:va 20
expect 0 'va by AF_XDP' open va 2
expect 0 'va by AF_XDP' open netmap:va-0 2
expect 0 'va by AF_PACKET, brought up' open afpacket:va 20
expect 0 'TAP device wt0' open tap:wt0 20
is_down va || fail 'va was down before and is up now'
attached va && fail 'an XDP program is left on va'
ip -n "$ns" link show wt0 2>/dev/null && fail 'wt0 is left'

# 2. Frames pass, in order and undamaged.
expect 0 'received 20000 of 20000' loop xdp:va xdp:vb 20000
expect 0 'received 20000 of 20000' loop afpacket:va afpacket:vb 20000
expect 0 'received 20000 of 20000' loop xdp:va afpacket:vb 20000
expect 0 'received 2000 of 2000' loop tap:wt0 afpacket:wt0 2000

# 3. What cannot be opened is named.
expect 2 "no interface 'vx'" open xdp:vx 1
expect 2 "no interface 'vx'" open afpacket:vx 1
expect 2 "no interface 'vx'" open vx 1
expect 2 'the interface has 1 queue' open netmap:va-1 1
expect 2 'is there already' open tap:vb 1
expect 2 'lower one or use afpacket:' open xdp:lo 1
expect 2 'no server there' open "memif:$tmp/none" 1
expect 2 'no such PCI device' open ffff:1f:1f.7 1
expect 2 'is there already' open "memif:$probe,server" 1

# 4. A killed process leaves nothing: no program, no device.
ip netns exec "$ns" "$probe" hold xdp:vb >"$tmp/hold" 2>&1 &
pid=$!
pids="$pids $pid"
wait_for attached vb || fail "xdp:vb is not attached: $(cat "$tmp/hold")"
expect 2 'another XDP program' open xdp:vb 1
kill -9 "$pid"
wait "$pid" 2>/dev/null
wait_for gone attached vb || fail 'an XDP program outlives its process'
expect 0 'vb by AF_XDP' open xdp:vb 2
ip netns exec "$ns" "$probe" hold tap:wt0 >"$tmp/hold" 2>&1 &
pid=$!
pids="$pids $pid"
wait_for ip -n "$ns" link show wt0 || fail "tap:wt0 is not there: $(cat "$tmp/hold")"
kill -9 "$pid"
wait "$pid" 2>/dev/null
wait_for gone ip -n "$ns" link show wt0 || fail 'a TAP device outlives its process'

# 5. Two processes over memif.
"$probe" rx "memif:$tmp/sock,server" 2000 20 >"$tmp/rx" 2>&1 &
pid=$!
pids="$pids $pid"
wait_for grep -q ready "$tmp/rx" || fail "memif server: $(cat "$tmp/rx")"
expect 0 '2000 counted' tx "memif:$tmp/sock" 2000
wait "$pid" || fail "memif server: $(cat "$tmp/rx")"
[ ! -e "$tmp/sock" ] || fail 'the socket is left'

# 6. An ordinary user is told, not crashed.
chmod 755 "$tmp"
cp "$probe" "$tmp/probe" && chmod 755 "$tmp/probe"
as_nobody() {
	in_ns setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs --bounding-set=-all \
		--inh-caps=-all env -u XDG_RUNTIME_DIR "$tmp/probe" "$@" 2>&1
}
for p in xdp:vb afpacket:vb tap:wt0; do
	out=$(as_nobody open "$p" 1)
	e=$?
	if [ "$e" -ne 2 ] || [[ $out != *"needs root"* ]]; then
		fail "nobody: $p: exit $e: $out"
	fi
done
for p in mem:x null; do
	out=$(as_nobody open "$p" 5) || fail "nobody: $p: $out"
done
if [ -e /tmp/dpdk ] && [ -z "$(ls -A /tmp/dpdk)" ]; then
	fail '/tmp/dpdk is left'
fi

[ "$failed" -eq 0 ] && echo 'ports on interfaces: all as expected'
exit "$failed"
