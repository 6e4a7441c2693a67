#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`weir lab --dut linux` with and without rules, and `--dut wire` with a namespace as the box.  Root.

usage: lab_linux.py WEIR
"""
import os
import shutil
import subprocess
import sys

from labtest import TOP, Failures, interfaces, lab, load, place, results

f = Failures()
QUICK = ["--runs", "4", "--seconds", "0.2", "--no-aa"]


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as h:
        h.write(text)


def rules(weir):
    """24 rules cost the kernel something, and a rule that drops half the sources shows as loss."""
    where = place()
    mine = os.path.join(where, "mine")
    shutil.copytree(os.path.join(TOP, "labs/nftables"), mine)
    write(os.path.join(mine, "half", "setup.sh"),
          "nft add table ip t\n"
          "nft add chain ip t c '{ type filter hook forward priority 0; }'\n"
          "nft add rule ip t c ip saddr 198.18.10.51-198.18.10.100 drop\n"
          "test \"$WEIR_IN\" = igb2 -a \"$WEIR_OUT\" = igb3 -a \"$WEIR_CONDITION\" = half -a -e setup.sh\n")
    args = ["--runs", "8", "--seconds", "0.2", "--no-aa", "--dut", "linux", "-4", mine]
    r = lab(weir, [*args, "--fail-if-slower", "5"], where)
    if not f.check(r.returncode == 1, "linux: exit %d: %s%s" % (r.returncode, r.stdout[-1500:], r.stderr)):
        return
    arm = {a["condition"]: a for a in load(os.path.join(where, results(r.stdout)))["arms"]}
    f.check(sorted(arm) == ["half", "none-default", "rules-25"], "linux: arms %s" % sorted(arm))
    f.check(arm["rules-25"]["cycles_per_packet"] > 1.2 * arm["none-default"]["cycles_per_packet"],
            "linux: 25 rules cost %s, none %s cycles" % (arm["rules-25"]["cycles_per_packet"],
                                                         arm["none-default"]["cycles_per_packet"]))
    f.check(arm["half"]["loss"] >= 0.5, "linux: half is dropped, loss %s" % arm["half"]["loss"])
    f.check(arm["none-default"]["loss"] < 0.5, "linux: loss without rules %s" % arm["none-default"]["loss"])
    shutil.rmtree(where)


def both_devices(weir):
    """The same folders on the kernel, IPv4 and IPv6."""
    where = place()
    r = lab(weir, [*QUICK, "--dut", "linux", os.path.join(TOP, "labs/redirect")], where)
    f.check(r.returncode == 0, "linux redirect: exit %d: %s%s" % (r.returncode, r.stdout[-1500:], r.stderr))
    f.check("redirect-0 inet6 against redirect-1-default inet6" in r.stdout, "linux redirect: verdict")
    shutil.rmtree(where)


def failing_script(weir):
    where = place()
    mine = os.path.join(where, "mine")
    shutil.copytree(os.path.join(TOP, "labs/nftables/base"), os.path.join(mine, "base"))
    write(os.path.join(mine, "broken", "setup.sh"), "echo no such thing as this >&2\nexit 3\n")
    r = lab(weir, [*QUICK, "--dut", "linux", "-4", mine], where)
    f.check(r.returncode == 4 and "setup.sh" in r.stderr and "no such thing as this" in r.stderr,
            "broken script: exit %d: %s" % (r.returncode, r.stderr))
    r = lab(weir, [*QUICK, "-4", mine], where)
    f.check(r.returncode == 4 and "setup.sh" in r.stderr, "script for Weir's router: exit %d: %s" % (r.returncode, r.stderr))
    f.check(sorted(os.listdir(where)) == ["mine"], "broken script leaves %s" % os.listdir(where))
    shutil.rmtree(where)


BOX = """
set -e
sysctl -qw net.ipv6.conf.default.disable_ipv6=1 net.ipv4.ip_forward=1
ip link add wa type veth peer name ba
ip link add wb type veth peer name bb
ip link set wb address 02:00:00:00:00:a1
for i in wa wb ba bb; do ip link set $i up; done
mount -t tmpfs none /run
ip netns add box
ip link set ba netns box
ip link set bb netns box
in_box() { ip netns exec box "$@"; }
in_box sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv4.ip_forward=1
in_box ip link set ba address 02:00:00:00:00:b0
in_box ip link set ba up
in_box ip link set bb up
in_box ip addr add 198.18.0.209/25 dev ba
in_box ip addr add 198.19.0.209/25 dev bb
in_box ip route add 198.18.0.0/16 via 198.18.0.203
in_box ip route add 198.19.0.0/16 via 198.19.0.203
in_box ip neigh add 198.18.0.203 lladdr 02:00:00:00:00:a0 dev ba
in_box ip neigh add 198.19.0.203 lladdr 02:00:00:00:00:a1 dev bb
exec "$@"
"""


def box(weir):
    """An unknown box: a namespace that forwards between two veths."""
    where = place()
    for load_args, lossless in ((["--rate", "20000"], True), ([], False)):
        cmd = ["unshare", "-n", "-m", "sh", "-c", BOX, "sh", weir, "lab", *QUICK, "-4", "--dut", "wire", "--out", "xdp:wa",
               "--in", "xdp:wb", "--dmac", "02:00:00:00:00:b0", *load_args]
        for _ in range(3):
            r = subprocess.run(cmd, cwd=where, capture_output=True, text=True, timeout=300, check=False)
            if r.returncode != 3:
                break
        if not f.check(r.returncode == 0, "wire %s: exit %d: %s%s" % (load_args, r.returncode, r.stdout[-1500:], r.stderr)):
            continue
        found = load(os.path.join(where, results(r.stdout)))
        arm = found["arms"][0]
        # A busy machine may make one run void as often as it is tried.
        f.check(arm["n"] >= 2, "wire: %d runs" % arm["n"])
        f.check("came back" in found["basis"], "wire: basis %s" % found["basis"])
        if lossless:
            f.check(abs(arm["median_pps"] / 20000 - 1) < 0.05, "wire: %s pps at 20000" % arm["median_pps"])
            f.check(arm["loss"] < 0.01, "wire: loss %s at 20000 pps" % arm["loss"])
        else:
            f.check(arm["median_pps"] > 20000, "wire: %s pps" % arm["median_pps"])
    shutil.rmtree(where)


def at_once(weir):
    """Experiments in one namespace and in another, whose kernel threads have the same names."""
    where = place()
    args = [weir, "lab", "--dut", "linux", "-4", "--runs", "4", "--seconds", "0.05", "--no-aa"]
    running = []
    for i in range(3):
        inside = ["unshare", "-n"] if i == 2 else []
        running.append(subprocess.Popen([*inside, *args, "-o", "out%d" % i, os.path.join(TOP, "labs/nftables")],
                                        cwd=where, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
    for p in running:
        out, err = p.communicate(timeout=300)
        # Void runs are no wonder on a machine this busy.
        f.check(p.returncode in (0, 3) and err == "" and "verdict: " in out, "at once: exit %d: %s" % (p.returncode, err))
    shutil.rmtree(where)


def main():
    weir = os.path.realpath(sys.argv[1])
    if os.geteuid() != 0:
        print("skipped: it needs root for network namespaces and kernel threads")
        sys.exit(77)
    links = interfaces()
    rules(weir)
    both_devices(weir)
    failing_script(weir)
    box(weir)
    at_once(weir)
    f.check(interfaces() == links, "interfaces are left: %s" % (set(interfaces()) ^ set(links)))
    f.end()


main()
