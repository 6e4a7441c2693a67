#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The systemd unit, as systemd itself checks it.
# usage: unit.sh WEIR UNIT
set -u

weir=$(realpath "$1")
unit=$2
if ! command -v systemd-analyze >/dev/null; then
	echo "there is no systemd-analyze to check the unit with"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The program that was built stands in for the one that may not be installed yet.
sed "s|^ExecStart=[^ ]*|ExecStart=$weir|" "$unit" >"$work/weir-router@t5nex0.service"
if ! systemd-analyze verify --man=no "$work/weir-router@t5nex0.service" >"$work/out" 2>&1 || [ -s "$work/out" ]; then
	cat "$work/out"
	exit 1
fi
# Every option the unit uses is one that the program has.
sed -n 's/^ExecStart=//p' "$unit" | grep -o -- '--[a-z]*' >"$work/options"
"$weir" router --help | grep -o -- '--[a-z]*' >"$work/known"
if grep -vxFf "$work/known" "$work/options"; then
	echo "weir router has no such option"
	exit 1
fi
echo "the unit is good"
