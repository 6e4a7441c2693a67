#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The systemd units, as systemd itself checks them.
# usage: unit.sh WEIR UNIT...
set -u

weir=$(realpath "$1")
shift
if ! command -v systemd-analyze >/dev/null; then
	echo "there is no systemd-analyze to check the units with"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for unit in "$@"; do
	name=$(basename "$unit" @.service)@t5nex0.service
	# The program that was built stands in for the one that may not be installed yet.
	sed "s|^\(Exec[A-Z][a-z]*\)=[^ ]*|\1=$weir|" "$unit" >"$work/$name"
	if ! systemd-analyze verify --man=no "$work/$name" >"$work/out" 2>&1 || [ -s "$work/out" ]; then
		cat "$work/out"
		exit 1
	fi
	# Every option the unit uses is one that the program has.
	command=$(sed -n 's/^ExecStart=[^ ]* \([a-z]*\) .*/\1/p' "$unit")
	sed -n 's/^Exec[A-Z][a-z]*=//p' "$unit" | grep -o -- '--[a-z]*' >"$work/options"
	"$weir" "$command" --help | grep -o -- '--[a-z]*' >"$work/known"
	if grep -vxFf "$work/known" "$work/options"; then
		echo "$name: weir $command has no such option"
		exit 1
	fi
done
echo "the units are good"
