#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# weir router from end to end, in memory: a capture in, a capture out, the account, and what it
# refuses.
# usage: router.sh WEIR MANUAL
# shellcheck disable=SC2317 # functions are called by check
set -u

weir=$1
manual=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
WEIR_RUNTIME_DIR=$work/run # beside whatever else runs here
export WEIR_RUNTIME_DIR

check() { # NAME COMMAND...
	name=$1
	shift
	if ! "$@"; then
		echo "failed: $name"
		failed=1
	fi
}

# has TEXT FILE
has() {
	grep -qF -- "$1" "$2" || {
		echo "no '$1' in:"
		cat "$2"
		return 1
	}
}

# refused STATUS TEXT ARGUMENT...
refused() {
	want=$1
	text=$2
	shift 2
	timeout 30 "$weir" router "$@" >"$work/out" 2>&1
	got=$?
	[ "$got" -eq "$want" ] || {
		echo "exit status $got instead of $want: $*"
		cat "$work/out"
		return 1
	}
	has "$text" "$work/out"
}

# An account that could not be printed is no success.
refused_output() {
	"$weir" router --conf "$work" --port igb2=null --seconds 1 >/dev/full 2>"$work/out"
	[ $? -eq 1 ] && has "standard output: No space left on device" "$work/out"
}

cat >"$work/rc.conf" <<'RC'
gateway_enable="YES"
ifconfig_igb2="inet 198.18.0.209/25 ether 02:00:00:00:00:01"
ifconfig_igb3="inet 198.19.0.209/25 mtu 1000"
static_routes="receiver"
route_receiver="-net 198.19.0.0/16 198.19.0.203"
static_arp_pairs="receiver"
static_arp_receiver="198.19.0.203 00:1b:21:c4:95:7b"
RC

# pcap FILE COUNT: frames from 198.18.0.203 to 198.19.10.1, TTL 1 in every second one.
pcap() {
	{
		printf '\324\303\262\241\002\000\004\000\000\000\000\000\000\000\000\000'
		printf '\377\377\000\000\001\000\000\000'
		i=0
		while [ "$i" -lt "$2" ]; do
			printf '\000\000\000\000\000\000\000\000\074\000\000\000\074\000\000\000'
			printf '\002\000\000\000\000\001\000\033\041\304\225\172\010\000'
			if [ $((i % 2)) -eq 0 ]; then
				printf '\105\000\000\056\000\000\000\000\100\021\343\315'
			else
				printf '\105\000\000\056\000\000\000\000\001\021\042\316'
			fi
			printf '\306\022\000\313\306\023\012\001\007\320\007\320\000\032\000\000'
			printf '\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000'
			i=$((i + 1))
		done
	} >"$1"
}

pcap "$work/in.pcap" 100
timeout 60 "$weir" router --conf "$work" --port "igb2=pcap:$work/in.pcap" \
	--port "igb3=pcap:,$work/out.pcap" --drain >"$work/out" 2>"$work/err"
check "drain ends well" [ $? -eq 0 ]
check "account" has "in 100, made here 0, sent 50, queued 0" "$work/out"
check "drops by reason" has "dropped 50 ip4-ttl: TTL does not allow another hop" "$work/out"
check "the capture holds what was sent" [ "$(wc -c <"$work/out.pcap")" -eq $((24 + 50 * 76)) ]

timeout 60 "$weir" router --conf "$work" --port "igb2=pcap:$work/in.pcap" --port igb3=null \
	--loop --seconds 1 --report 100 --json >"$work/out" 2>"$work/err"
check "loop ends by time" [ $? -eq 0 ]
check "reports" [ "$(grep -c '"cpu_ns":[1-9][0-9]*,"in":[1-9]' "$work/out")" -ge 5 ]
check "json account" has '"drops": {"ip4-ttl":' "$work/out"

# A signal ends it as well, with the account.
timeout -s INT 2 "$weir" router --conf "$work" --port "igb2=pcap:$work/in.pcap" --port igb3=null \
	--loop >"$work/out" 2>"$work/err"
check "account after a signal" has "queued 0" "$work/out"

# Every option of the help is in the manual, and the other way round.
"$weir" router --help | sed -n 's/^ *\(-h, \)\{0,1\}--\([a-z]*\) .*/\2/p' | sort >"$work/help"
sed -n 's/^\.It.* Fl -\([a-z]*\).*/\1/p; s/^\.It Fl h , Fl -\(help\)/\1/p' "$manual" | sort -u >"$work/man"
check "help and manual agree" cmp "$work/help" "$work/man"
check "they name options" [ "$(wc -l <"$work/help")" -eq 12 ]

check "no conf" refused 2 "--conf and at least one --port are needed" --port igb2=null
check "no such option" refused 2 "--help" --bogus
check "bad port" refused 2 "'igb2' is not of the form IF=PORT" --conf "$work" --port igb2
check "bad seconds" refused 2 "--seconds: '0' is not above 0" --conf "$work" --port igb2=null --seconds 0
check "nothing to drain" refused 2 "--drain: no port receives from a capture" \
	--conf "$work" --port igb2=null --drain
check "a capture of another user" refused 2 "--user: not with a port that writes a capture" \
	--conf "$work" --port "igb2=pcap:,$work/out.pcap" --user nobody
check "no card's name" refused 2 "--name: 'eth0' is no card's name" \
	--conf "$work" --port igb2=null --name eth0
check "no such folder" refused 1 "$work/none" --conf "$work/none" --port igb2=null
check "an empty folder" refused 1 "the folder of settings is empty" --conf "" --port igb2=null
check "a file for a folder" refused 1 "is no folder; the settings are read from" \
	--conf "$work/rc.conf" --port igb2=null
check "no such interface" refused 1 "has no interface 'ix0'; it has igb2, igb3" --conf "$work" --port ix0=null
check "no such capture" refused 1 "none.pcap" --conf "$work" --port "igb2=pcap:$work/none.pcap"
check "an interface twice" refused 1 "the interface 'igb2' is given two ports" \
	--conf "$work" --port igb2=null --port igb2=null
check "what has no port is named" refused 0 \
	"rc.conf:5: the route 'receiver' is left out: igb3 has no port" \
	--conf "$work" --port igb2=null --seconds 1
check "a full disk" refused_output
echo "gateway 1" >"$work/sysctl.conf"
check "a malformed file" refused 1 "sysctl.conf:1: " --conf "$work" --port igb2=null

[ "$failed" -eq 0 ] && echo "router: all good"
exit "$failed"
