#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Routing daemons beside a card that forwards: BIRD or FRR speaks OSPF through its ports and fills the kernel's
tables, and the card's frames follow what it learns, loses and finds elsewhere.

    west: w0 -- d0 :router: d1 -- e0 :east    announces 198.19.10.0/24 and 2001:2:0:8010::/64
                           d2 -- s0 :south    announces them as well, at a higher cost

usage: routing.py WEIR bird|frr
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # no __pycache__ among the sources

# pylint: disable=wrong-import-position
from daemons import KINDS
from labtest import Failures, veth_tells, wait_for
from xdpcardtest import why_not

f = Failures()
CARD = "t5nex%d" % os.getpid()
STATIONS = ("west", "router", "east", "south")
NAMES = {who: "weir-ospf-%d-%s" % (os.getpid(), who) for who in STATIONS}
# The router's ends come first; a link's number is in its networks.
LINKS = (("d0", "west", "w0"), ("d1", "east", "e0"), ("d2", "south", "s0"))
NET = {4: "198.19.10.0/24", 6: "2001:2:0:8010::/64"}
HOST = {4: "198.19.10.1", 6: "2001:2:0:8010::1"}
HOME = {4: "198.18.10.1", 6: "2001:2:0:10::1"}
N = 200


def enter(who, *cmd):
    return ["nsenter", "--net=/run/netns/" + NAMES[who], *cmd]


def sh(who, script):
    r = subprocess.run(enter(who, "sh", "-ec", script), capture_output=True, text=True, check=False)
    if r.returncode != 0:
        raise SystemExit("%s: %s%s" % (who, r.stdout, r.stderr))
    return r.stdout


def build():
    for name in NAMES.values():
        subprocess.run(["ip", "netns", "add", name], check=True)
    sh("router", "sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1")
    for who in STATIONS:
        sh(who, "sysctl -qw net.ipv6.conf.default.accept_dad=0; ip link set lo up\n"
                "ip link add net0 type veth peer name net1; ip link set net0 up; ip link set net1 up")
    for i, (port, who, far) in enumerate(LINKS):
        subprocess.run(["ip", "link", "add", port, "netns", NAMES["router"], "type", "veth", "peer", "name", far,
                        "netns", NAMES[who]], check=True)
        for side, dev, host in ("router", port, 1), (who, far, 2):
            sh(side, "ip addr add 198.18.%d.%d/24 dev %s; ip -6 addr add 2001:2:0:%d::%d/64 dev %s nodad; ip link set %s up"
               % (i, host, dev, i + 1, host, dev, dev))
        # What a cable does: the frames that leave a station are whole, and the last hop takes them.
        sh(who, "ethtool -K %s tx off gro on" % far)
    announce("west", HOME[4] + "/32", HOME[6] + "/128")
    for who in "east", "south":
        announce(who, HOST[4] + "/24", HOST[6] + "/64")


def announce(who, *addresses, how="add"):
    for a in addresses:
        sh(who, "ip addr %s %s dev net0%s" % (how, a, " nodad" if how == "add" and ":" in a else ""))


def withdraw(who):
    announce(who, HOST[4] + "/24", HOST[6] + "/64", how="del")


def way(family):
    """The port that the router's kernel sends the announced network out of, by the daemon's route; None without one."""
    out = sh("router", "ip -%d route show %s proto %s" % (family, NET[family], KIND.PROTO))
    m = re.search(r" dev (\w+)", out)
    return m[1] if m else None


def goes_by(port):
    return wait_for(lambda: (way(4), way(6)) == (port, port), 30)


def forwarded():
    """How many frames the card has forwarded that came in by each port."""
    r = subprocess.run(enter("router", WEIR, "adapter", "list", "--json"), capture_output=True, text=True, check=True)
    return next(o for o in map(json.loads, r.stdout.splitlines()) if o["name"] == CARD)["forwarded"]


def received(who, family):
    """UDP datagrams for a port that nobody listens at."""
    where = "snmp6" if family == 6 else "snmp"
    text = sh(who, "cat /proc/net/" + where)
    if family == 6:
        return int(re.search(r"^Udp6NoPorts\s+(\d+)", text, re.M)[1])
    names, values = re.findall(r"^Udp: (.*)$", text, re.M)
    return int(dict(zip(names.split(), values.split()))["NoPorts"])


SEND = """
import socket, sys
s = socket.socket(socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET, socket.SOCK_DGRAM)
s.bind((sys.argv[2], 0))
lost = 0
for i in range(int(sys.argv[3])):
    try:
        s.sendto(b"x" * 100, (sys.argv[1], 9))
    except OSError:
        lost += 1
print(lost)
"""


def send(family, n):
    """Datagrams from west to the announced host."""
    subprocess.run(enter("west", sys.executable, "-c", SEND, HOST[family], HOME[family], str(n)), check=True,
                   capture_output=True)


def arrive(who):
    """Datagrams arrive there and nowhere else, and the card forwards them."""
    for family in 4, 6:
        # The first ones find the next hop's neighbour, by the kernel.
        f.check(wait_for(lambda family=family: probe(who, family)), "%s: IPv%d arrives" % (who, family))
        before = {w: received(w, family) for w in ("east", "south")}
        card = forwarded()[0]
        send(family, N)
        f.check(wait_for(lambda family=family: received(who, family) - before[who] == N),
                "%s: IPv%d: %d of %d" % (who, family, received(who, family) - before[who], N))
        other = "south" if who == "east" else "east"
        f.check(received(other, family) == before[other], "IPv%d: some went to %s" % (family, other))
        took = forwarded()[0] - card
        # One frame in 1024 of each CPU is left to the kernel.
        f.check(N - os.cpu_count() <= took <= N + 10, "%s: IPv%d: the card forwarded %d of %d" % (who, family, took, N))


def probe(who, family):
    before = received(who, family)
    send(family, 1)
    return wait_for(lambda: received(who, family) > before, 1)


def nothing_goes():
    """Without a route the kernel says so, and the card forwards nothing."""
    before = {(w, v): received(w, v) for w in ("east", "south") for v in (4, 6)}
    card = forwarded()[0]
    for family in 4, 6:
        send(family, N)
    time.sleep(0.3)
    f.check(all(received(w, v) == n for (w, v), n in before.items()), "no route, and still datagrams arrive")
    took = forwarded()[0] - card
    f.check(took < 10, "no route: the card forwarded %d" % took)


def learnt():
    return f.check(goes_by("d1"), "the cheaper way is learnt: %s %s" % (way(4), way(6))) and f.check(
        wait_for(lambda: sh("west", "ip route show %s; ip -6 route show %s" % (NET[4], NET[6])).count("proto " + KIND.PROTO) == 2),
        "west learns it by the router") and f.check(
        # Without a way back to the sender the card leaves IPv4 to the kernel.
        wait_for(lambda: all(sh("router", "ip -%d route show %s" % (v, HOME[v])) for v in (4, 6))), "the router learns the way back")


def follow():
    arrive("east")
    withdraw("east")
    f.check(goes_by("d2"), "the way left is taken: %s %s" % (way(4), way(6)))
    arrive("south")
    withdraw("south")
    f.check(goes_by(None), "no way is left: %s %s" % (way(4), way(6)))
    nothing_goes()
    announce("east", HOST[4] + "/24", HOST[6] + "/64")
    f.check(goes_by("d1"), "it is back: %s %s" % (way(4), way(6)))
    arrive("east")


def main():
    why = why_not()
    if why is None and KIND.there() is None:
        why = "there is no %s (package %s)" % (KIND.PROGRAM, KIND.PACKAGE)
    if why is not None:
        print("skipped: " + why)
        return 77
    folder, running = tempfile.mkdtemp(prefix="weir-routing."), []
    os.chmod(folder, 0o755)
    try:
        build()
        r = subprocess.run(enter("router", WEIR, "adapter", "create", CARD, "d0", "d1", "d2", "--forward",
                                 "--mode", "native" if veth_tells() else "skb"), check=False, capture_output=True, text=True)
        if r.returncode != 0:
            raise SystemExit("create: exit %d: %s" % (r.returncode, r.stderr))
        for i, who in enumerate(STATIONS):
            running.append(KIND(folder, who, i + 1, enter(who)))
        if learnt():
            follow()
        if f.n:
            for d in running:
                print("%s:\n%s" % (d.who, d.said()[-2000:]))
    finally:
        for d in running:
            d.end()
        subprocess.run(enter("router", WEIR, "adapter", "delete", CARD), check=False, capture_output=True)
        for name in NAMES.values():
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)
        shutil.rmtree(folder)
    return f.end()


WEIR, KIND = os.path.abspath(sys.argv[1]), KINDS[sys.argv[2]]
if __name__ == "__main__":
    sys.exit(main())
