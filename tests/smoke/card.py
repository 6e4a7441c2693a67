#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The card of a running `weir router`, driven by cxgbetool from shell scripts while traffic flows.

usage: card.py WEIR
"""
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time

from cardtest import TRAFFIC, Place, capture, rows, script_for
from labtest import Failures, wait_for

f = Failures()

# A web server at port 0, a network behind port 1.
SCRIPT = script_for("t5nex0")
HEADER = (" Idx     Hits FCoE Port      vld:VLAN  Prot MPS Frag                  DIP                  SIP"
          "     DPORT     SPORT Action")
ANY4 = "    00000000/00000000"  # 21 characters with the blank before


def row(idx, port, prot, frag, sip, dport, action):
    return ("%4d  0/0  %s 0:0000/0:0000 %s 0/0  %s%s%s %s 0000/0000 %s"
            % (idx, port, prot, frag, ANY4, sip, dport, action))


ROWS = {
    0: row(0, "0/0", "00/00", "1/1", ANY4, "0000/0000", "Drop"),
    10: row(10, "0/0", "00/00", "0/0", ANY4, "c000/c000", "Pass: Q=RSS"),
    20: row(20, "0/7", "06/ff", "0/0", ANY4, "1f90/ffff", "Pass: Q=RSS"),
    30: row(30, "0/7", "11/ff", "0/0", "    c6120700/ffffff00", "0035/ffff", "Pass: Q=RSS"),
    40: row(40, "1/7", "01/ff", "0/0", "    c000024d/ffffffff", "0000/0000", "Pass: Q=RSS"),
    90: row(90, "0/0", "06/ff", "0/0", ANY4, "0000/0000", "Drop"),
    91: row(91, "0/0", "11/ff", "0/0", ANY4, "0000/0000", "Drop"),
}


def script(place, text=SCRIPT):
    place.write("rules.sh", text)
    return place.run("sh", place.path("rules.sh"))


def listing(place, name="t5nex0"):
    r = place.run("cxgbetool", name, "filter", "list")
    f.check(r.returncode == 0 and r.stderr == "", "filter list: %d %s" % (r.returncode, r.stderr))
    return r.stdout


def loop(place, **kw):
    return place.router("--port", "igb2=pcap:" + place.path("in.pcap"), "--port", "igb3=null", "--loop", **kw)


def once(place, *args, **kw):
    return place.router("--port", "igb2=pcap:" + place.path("in.pcap"), "--port", "igb3=null", *args, **kw)


def expect_hits(times):
    want = {i: 0 for i in ROWS}
    for _, rule in TRAFFIC:
        if rule is not None:
            want[rule] += times
    return want


def the_script_and_its_listing(place):
    r = loop(place)
    s = script(place)
    f.check(s.returncode == 0 and s.stdout == "" and s.stderr == "", "the script: %r" % s)
    lines = listing(place).splitlines()
    f.check(lines[0] == HEADER, "the header:\n%s\n%s" % (lines[0], HEADER))
    f.check(wait_for(lambda: all(int(rows(listing(place))[i][0]) > 0 for i, n in expect_hits(1).items() if n), 30),
            "every rule that packets match counts hits")
    got = rows(listing(place))
    for i, want in ROWS.items():
        f.check(i in got and got[i][1] == want, "rule %d:\n%s\n%s" % (i, got.get(i), want))
    f.check(list(got) == sorted(ROWS), "the rows' order: %s" % list(got))
    f.check(got[40][0] == "0", "a rule of the other port counts nothing: %s" % got[40][0])
    # Twice the packets, twice the hits.
    time.sleep(1)
    later = rows(listing(place))
    grown = {i: int(later[i][0]) - int(got[i][0]) for i in ROWS}
    f.check(1.8 < grown[90] / grown[91] < 2.2, "hits of rule 90 beside those of 91: %s" % grown)
    s = script(place)
    f.check(s.returncode == 16 and s.stderr == "cxgbetool: CHELSIO_T4_SET_FILTER: Device busy\n" and s.stdout == "",
            "a second run: %r" % s)
    return r


def commands_under_traffic(place):
    """Adds, deletes and lists while packets flow; two clients at once."""
    def one(i):
        return subprocess.Popen(["sh", "-ec", "for k in 1 2 3 4 5 6 7 8 9 10; do cxgbetool t5nex0 filter %d dport $k "
                                 "action drop; cxgbetool t5nex0 filter list >/dev/null; cxgbetool t5nex0 filter %d "
                                 "delete; done" % (200 + i, 200 + i)], env=place.env)
    both = [one(0), one(1)]
    f.check([p.wait(timeout=300) for p in both] == [0, 0], "adds, lists and deletes of two scripts at once")
    f.check(sorted(rows(listing(place))) == sorted(ROWS), "the table is as it was")
    # A client killed in the middle of its request, and one that never reads.
    path = place.path("run/weir-t5nex0.sock")
    for text in (b"adapter filter 300 act", b"rules\nrules\nrules\n", b"\xff\x00\n", b"x" * 70000):
        s = socket.socket(socket.AF_UNIX)
        s.connect(path)
        s.send(text[:60000])
        s.close()
    for after in (0.0, 0.002, 0.005, 0.01):
        p = subprocess.Popen(["cxgbetool", "t5nex0", "filter", "list"], env=place.env, stdout=subprocess.DEVNULL)
        time.sleep(after)
        p.kill()
        p.wait()
    f.check(sorted(rows(listing(place))) == sorted(ROWS), "half a request does nothing")


def words(place):
    t = place.tool
    r = place.run("cxgbetool", "-h")
    f.check(r.returncode == 0 and r.stdout.startswith("usage: cxgbetool") and r.stderr == "", "-h: %r" % r)
    for args in ((), ("t5nex0",), ("-x",)):
        r = place.run("cxgbetool", *args)
        f.check(r.returncode == 22 and r.stderr.startswith("usage: cxgbetool") and r.stdout == "", "%s: %r" % (args, r))
    r = place.run("cxgbetool", "eth0", "filter", "list")
    f.check(r.returncode == 22 and r.stderr == 'cxgbetool: invalid nexus "eth0"\n', "bad nexus: %r" % r)
    r = place.run("cxgbetool", "t5nex7", "filter", "list")
    f.check(r.returncode == 2 and "weir-t5nex7.sock" in r.stderr and "--name t5nex7" in r.stderr, "no router: %r" % r)
    r = t("bogus")
    f.check(r.returncode == 22 and r.stderr == 'cxgbetool: invalid command "bogus"\n', "bad command: %r" % r)
    r = t("filter", "a b'\"\n")
    f.check(r.returncode == 22 and "a b'\"\n" in r.stderr, "odd words arrive whole: %r" % r)
    r = subprocess.run(["cxgbetool", "t5nex0", b"\xff\xfe"], env=place.env, capture_output=True, check=False)
    f.check(r.returncode == 22 and b'invalid command "\xff\xfe"' in r.stderr, "bytes arrive whole: %r" % r)
    r = t("filter", "92", "dport", "1", "action", "drop", stdout=None, preexec_fn=lambda: os.close(1))
    f.check(r.returncode == 0, "standard output closed: %r" % r)
    with open("/dev/full", "w", encoding="utf-8") as full:
        r = t("filter", "list", stdout=full)
    f.check(r.returncode == 1 and "standard output" in r.stderr, "standard output full: %r" % r)
    r = t("stdio", input="filter 92 delete\n\nfilter list\nquit\n", stdin=None)
    f.check(r.returncode == 0 and r.stdout.startswith("> > >  Idx ") and r.stdout.endswith("\n> ") and "\n  92" not in r.stdout,
            "stdio: %r" % r)
    r = t("stdio", input="filter 92 delete\n", stdin=None)
    f.check(r.returncode == 22 and r.stdout == "> > ", "stdio's status is its last command's: %r" % r)
    long = "filter 93 " + "dport 1 " * 20
    r = t("stdio", input=long + "\nquit\n", stdin=None)
    f.check(r.returncode == 7 and "more than 127 characters" in r.stderr, "a long line: %r" % r)
    r = t("stdio", input="filter mode " + "x " * 14 + "\nquit\n", stdin=None)
    f.check("first 15" in r.stderr, "many words: %r" % r)
    f.check(sorted(rows(listing(place))) == sorted(ROWS), "the table is as it was")


def asking(place, router):
    r = place.run("weir", "ctl")
    f.check(r.returncode == 0 and r.stdout.startswith("t5nex0: weir ") and ", 7 rules" in r.stdout, "ctl: %r" % r)
    r = place.run("weir", "ctl", "t5nex0")
    for text in ("interface ", "igb2 ", "dropped ", " filter ", "cycles a packet", "router "):
        f.check(text in r.stdout, "ctl t5nex0: no %r in %s" % (text, r.stdout))
    r = place.run("weir", "ctl", "t5nex0", "drops")
    f.check(re.search(r"^ *\d+  filter ", r.stdout, re.M) is not None, "ctl drops: %r" % r)
    r = place.run("weir", "ctl", "t5nex0", "rules", "90", "91")
    f.check(re.search(r"^ *90 +\d+  .*proto 6", r.stdout, re.M) is not None and len(r.stdout.splitlines()) == 3,
            "ctl rules: %r" % r)
    r = place.run("weir", "ctl", "t5nex0", "rules", "90", "5")
    f.check(r.returncode == 22 and "there is no rule 5" in r.stderr and re.search(r"^ *90 ", r.stdout, re.M), "no rule 5: %r" % r)
    r = place.run("weir", "ctl", "info")
    f.check(r.returncode == 2 and "weir ctl t5nex0 info" in r.stderr, "the name forgotten: %r" % r)
    r = place.run("weir", "ctl", "t5nex0", "rules", "--json")
    objects = [json.loads(l) for l in r.stdout.splitlines()]
    f.check([o["idx"] for o in objects] == sorted(ROWS) and all(o["type"] == "rule" for o in objects), "json: %r" % r)
    r = place.run("weir", "ctl", "t5nex0", "stats", "--json")
    total = [o for o in map(json.loads, r.stdout.splitlines()) if o["type"] == "total"][0]
    f.check(total["in"] + total["made"] > 0, "total: %r" % total)
    r = place.run("weir", "ctl", "t5nex0", "nonsense")
    f.check(r.returncode == 22 and "'nonsense' is none of" in r.stderr, "ctl nonsense: %r" % r)
    r = place.run("weir", "ctl", "t5nex0", "metrics")
    f.check(r.stdout.endswith("# EOF\n") and 'weir_rule_hits_total{card="t5nex0",region="filter",index="90"} ' in r.stdout
            and 'weir_dropped_packets_total{reason="filter"} ' in r.stdout, "metrics: %s" % r.stdout[-400:])
    r = place.run("weir", "top", "--once", "t5nex0")
    for text in ("t5nex0  up ", "packets/s", "igb2 ", "adapter ", "filter ", "hits/s"):
        f.check(text in r.stdout, "top --once: no %r in %s" % (text, r.stdout))
    m = re.search(r"^igb2 +([\d.]+)( [kM])?", r.stdout, re.M)
    f.check(m is not None and float(m.group(1)) > 0, "top: a rate: %s" % r.stdout)
    r = place.run("weir", "top", "--count", "2", "t5nex0")
    f.check(r.returncode == 0 and r.stdout.count("packets/s  in ") == 2, "top --count 2: %r" % r)
    with subprocess.Popen(["nohup", "weir", "top", "--count", "2", "t5nex0"], env=place.env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as p:
        first = p.stdout.readline()
        p.send_signal(signal.SIGHUP)
        text = first + p.stdout.read()
    f.check(p.returncode == 0 and text.count("packets/s  in ") == 2, "nohup weir top: %d %r" % (p.returncode, text))
    r = place.run("weir", "adapter", "list")
    f.check(re.search(r"^t5nex0 +router +7  igb2 igb3  -  +-  +pid %d$" % router.p.pid, r.stdout, re.M) is not None, "adapter list: %r" % r)
    r = place.run("weir", "adapter", "rules", "t5nex0", "40")
    f.check(re.search(r"^ *40 +0  .*sip 192\.0\.2\.77", r.stdout, re.M) is not None, "adapter rules: %r" % r)
    r = place.run("weir", "adapter", "export", "t5nex0", "--nft")
    f.check(r.returncode == 0 and "8080" in r.stdout and "igb2" in r.stdout, "export: %r" % r)
    r = place.run("weir", "adapter", "export", "t5nex0", "--ipchains")
    f.check(r.returncode == 22 and "'ipchains' is none of" in r.stderr, "export to nothing: %r" % r)


def caps(pid):
    """Capabilities in force and permitted, and no_new_privs, of all threads."""
    found = set()
    for tid in os.listdir("/proc/%d/task" % pid):
        with open("/proc/%d/task/%s/status" % (pid, tid), encoding="utf-8") as h:
            text = h.read()
        found.add(tuple(re.search(r"^%s:\s*(\w+)" % k, text, re.M).group(1) for k in ("CapEff", "CapPrm", "NoNewPrivs")))
    return found


def ends_and_names(place, router):
    """Two routers, foreign users, signals, a killed one and its dead socket."""
    none = ("0" * 16, "0" * 16, "1")
    f.check(caps(router.p.pid) == {none}, "privileges: %s" % caps(router.p.pid))
    second = once(place, wait=False)
    f.check(second.p.wait(timeout=60) == 1 and "--name t5nex1" in second.said()[1], "a taken name: %r" % (second.said(),))
    third = once(place, name="t5nex3")
    r = place.run("cxgbetool", "t5nex3", "filter", "5", "dport", "5", "action", "drop")
    f.check(r.returncode == 0 and sorted(rows(listing(place, "t5nex3"))) == [5], "the other card: %r" % r)
    f.check(sorted(rows(listing(place))) == sorted(ROWS), "each card has its own rules")
    r = place.run("weir", "top", "--once")
    f.check(r.returncode == 1 and "t5nex0 t5nex3" in r.stderr, "top of two: %r" % r)
    if os.geteuid() == 0:
        os.chmod(place.dir, 0o755)
        r = place.run("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "cxgbetool", "t5nex0", "filter", "list")
        f.check(r.returncode == 13 and r.stdout == "" and "Permission denied" in r.stderr, "another user: %r" % r)
    f.check(third.stop(signal.SIGINT) == 0 and "in %d, " % len(TRAFFIC) in third.said()[0], "SIGINT: %r" % (third.said(),))
    f.check(not os.path.exists(place.path("run/weir-t5nex3.sock")), "its socket is gone")
    f.check(router.stop(signal.SIGKILL) == -9 and os.path.exists(place.path("run/weir-t5nex0.sock")), "killed")
    r = place.tool("filter", "list")
    f.check(r.returncode == 2 and "there is no card 't5nex0'" in r.stderr, "a dead socket: %r" % r)
    r = place.run("weir", "ctl")
    f.check(r.returncode == 1 and "no router runs" in r.stderr, "nobody runs: %r" % r)
    again = once(place)
    f.check(listing(place) == "", "an empty table prints nothing")
    f.check(again.stop() == 0, "SIGTERM: %r" % (again.said(),))


def exact_hits_and_saving(place):
    """Rules of a start script are there before the first packet; a file keeps them."""
    place.write("conf/cxgbetool.sh", SCRIPT)
    r = once(place)
    want = expect_hits(1)
    f.check(wait_for(lambda: {i: int(h) for i, (h, _) in rows(listing(place)).items()} == want, 30),
            "hits:\n%s\n%s" % (listing(place), want))
    r.stop()
    os.unlink(place.path("conf/cxgbetool.sh"))
    saved = place.path("saved.sh")
    r = once(place, "--save", saved)
    f.check("filter" not in place.read("saved.sh"), "an empty table is kept as such")
    script(place)
    place.tool("filter", "93", "action", "switch", "eport", "1", "nat", "all", "nat_dip", "192.0.2.1", "nat_sip",
               "192.0.2.2", "nat_dport", "1", "nat_sport", "2", "proto", "17", "dport", "77")
    before = rows(listing(place))
    f.check(wait_for(lambda: "filter 93 " in place.read("saved.sh"), 30), "the file follows: %s" % place.read("saved.sh"))
    r.stop(signal.SIGKILL)
    r = once(place, "--save", saved)
    after = rows(listing(place))
    f.check({i: x[1] for i, x in before.items()} == {i: x[1] for i, x in after.items()}, "restored: %s" % after)
    s = place.run("weir", "adapter", "rules", "t5nex0", "93")
    f.check("nat all" in s.stdout and "nat_sport 2" in s.stdout, "NAT is restored: %r" % s)
    place.tool("filter", "93", "delete")
    f.check(r.stop() == 0 and "filter 93 " not in place.read("saved.sh"), "written at the end: %s" % place.read("saved.sh"))
    text = place.read("saved.sh")
    r = once(place)
    s = place.run("sh", saved)
    f.check(s.returncode == 0 and rows(listing(place)).keys() == ROWS.keys(), "sh runs the file: %r" % s)
    s = place.run("weir", "adapter", "save", "t5nex0", place.path("copy.sh"))
    f.check(s.returncode == 0 and [l for l in place.read("copy.sh").splitlines() if l.startswith("cx")]
            == [l for l in text.splitlines() if l.startswith("cx")], "adapter save: %r" % s)
    s = place.run("weir", "adapter", "save", "t5nex0")
    f.check(s.returncode == 0 and s.stdout == place.read("copy.sh"), "adapter save to standard output: %r" % s)
    r.stop()
    place.write("saved.sh", "cxgbetool t5nex0 filter 1 dport\n")
    r = once(place, "--save", saved, wait=False)
    f.check(r.p.wait(timeout=60) == 1 and "saved.sh:1: " in r.said()[1], "a damaged file: %r" % (r.said(),))
    f.check(place.read("saved.sh").startswith("cxgbetool"), "is left alone")
    for cut in ("", "cxgbetool t5nex0 filter 1 proto 6"):
        place.write("saved.sh", cut)
        r = once(place, "--save", saved, wait=False)
        f.check(r.p.wait(timeout=60) == 1 and "so rules are missing" in r.said()[1], "cut short: %r" % (r.said(),))
        f.check(place.read("saved.sh") == cut, "a file cut short is left alone")
    r = once(place, "--save", place.path("none/saved.sh"), wait=False)
    f.check(r.p.wait(timeout=60) == 1 and "none/saved.sh" in r.said()[1], "no folder for it: %r" % (r.said(),))


def rules_of_one_index(place):
    """A T6 has a region for rules of prio 1, whose indices may be those of others."""
    place.write("conf/cxgbetool.sh", "cxgbetool t6nex0 filter 5 proto 6 prio 1 action drop\n"
                "cxgbetool t6nex0 filter 5 proto 17 action drop\n"
                "cxgbetool t6nex0 filter 0 proto 1 action pass\n")
    r = once(place, name="t6nex0")

    def hits():
        s = place.run("weir", "ctl", "t6nex0", "metrics")
        found = re.findall(r'^weir_rule_hits_total{card="t6nex0",region="(\w+)",index="(\d+)"} (\d+)$', s.stdout, re.M)
        return sorted(found)
    want = [("filter", "0", "1"), ("filter", "5", "3"), ("prio", "5", "4")]
    f.check(wait_for(lambda: hits() == want, 30), "metrics of a T6: %s" % hits())
    s = place.run("weir", "top", "--once", "t6nex0")
    found = re.findall(r"^ *(\d) +(\d+) +(\d+)  .*\bproto (\d+)\b", s.stdout, re.M)
    f.check(sorted(found) == [("0", "0", "1", "1"), ("5", "0", "3", "17"), ("5", "0", "4", "6")],
            "what no longer grows has no rate: %s" % s.stdout)
    r.stop()
    os.unlink(place.path("conf/cxgbetool.sh"))


def as_another_user(place):
    if os.geteuid() != 0:
        print("not root: --user was not tried")
        return
    os.chmod(place.dir, 0o755)
    r = once(place, "--user", "nobody")
    with open("/proc/%d/status" % r.p.pid, encoding="utf-8") as h:
        ids = re.search(r"^Uid:\s*(.*)$", h.read(), re.M).group(1).split()
    f.check(set(ids) == {"65534"}, "--user: uid %s" % ids)
    f.check(caps(r.p.pid) == {("0" * 16, "0" * 16, "1")}, "--user: %s" % caps(r.p.pid))
    f.check(place.tool("filter", "1", "dport", "1", "action", "drop").returncode == 0, "root drives it")
    f.check(r.stop() == 0, "--user ends: %r" % (r.said(),))
    r = once(place, "--user", "no-such-user", wait=False)
    f.check(r.p.wait(timeout=60) == 1 and "no user 'no-such-user'" in r.said()[1], "no such user: %r" % (r.said(),))


def flags(ns, link):
    r = subprocess.run(["ip", "-n", ns, "-s", "-j", "link", "show", link], capture_output=True, text=True, check=True)
    one = json.loads(r.stdout)[0]
    return one["flags"], one["stats64"]["rx"]["packets"]


def on_linux_interfaces(place):
    """Real packets between namespaces; interfaces are as they were afterwards, without privileges in between."""
    if os.geteuid() != 0:
        print("not root: Linux interfaces were not tried")
        return
    near, far = "weirc%da" % os.getpid(), "weirc%db" % os.getpid()
    inside = ["ip", "netns", "exec", far]
    setup = "set -e; ip netns add %s; ip netns add %s\n" % (near, far)
    setup += "ip netns exec %s sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1\n" % near
    for i in "01":
        setup += "ip link add r%s netns %s type veth peer name g%s netns %s\n" % (i, near, i, far)
        setup += "ip -n %s link set g%s up; ip netns exec %s ethtool -K g%s tx off >/dev/null\n" % (far, i, far, i)

    def send(dport, n, rate):
        return subprocess.Popen([*inside, place.weir, "gen", "-i", "afpacket:g0", "-f", "tx", "-n", str(n), "-R", str(rate),
                                 "-s", "198.18.0.5:4000", "-d", "198.19.1.1:%d" % dport, "-D", "02:00:00:00:00:01"],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        r = subprocess.run(["sh", "-c", setup], capture_output=True, text=True, check=False)
        if r.returncode != 0:
            print("Linux interfaces were not tried: %s" % r.stderr.strip())
            return
        r = place.router("--port", "igb2=afpacket:r0", "--port", "igb3=netmap:r1", prefix=["ip", "netns", "exec", near])
        f.check({c[0] for c in caps(r.p.pid)} == {"0" * 16} and {c[1] for c in caps(r.p.pid)} == {"0" * 16, "0" * 12 + "1000"},
                "capabilities: %s" % caps(r.p.pid))
        f.check("UP" in flags(near, "r0")[0], "the interface is up")
        place.tool("filter", "51", "iport", "1", "action", "drop")
        s = place.run("weir", "adapter", "export", "t5nex0", "--nft")
        f.check(s.returncode == 0 and '"r1"' in s.stdout and "igb" not in s.stdout, "export names the ports: %r" % s)
        place.tool("filter", "51", "delete")
        place.tool("filter", "50", "proto", "17", "dport", "53", "action", "drop")
        before = flags(far, "g1")[1]
        both = [send(53, 1500, 1000), send(54, 1500, 1000)]
        while any(p.poll() is None for p in both):
            for i in ("60", "61"):
                place.tool("filter", i, "proto", "17", "dport", i, "action", "drop")
                listing(place)
                place.tool("filter", i, "delete")
        f.check(wait_for(lambda: flags(far, "g1")[1] - before == 1500, 30), "passed: %d" % (flags(far, "g1")[1] - before))
        f.check(rows(listing(place))[50][0] == "1500", "dropped: %s" % listing(place))
        f.check(r.stop() == 0 and "1500 filter: " in r.said()[0], "the account: %r" % (r.said(),))
        f.check("UP" not in flags(near, "r0")[0] and "UP" not in flags(near, "r1")[0], "the interfaces are down again")
    finally:
        for ns in (near, far):
            subprocess.run(["ip", "netns", "del", ns], stderr=subprocess.DEVNULL, check=False)


def main():
    place = Place(sys.argv[1])
    capture(place.path("in.pcap"), [x for x, _ in TRAFFIC])
    try:
        router = the_script_and_its_listing(place)
        commands_under_traffic(place)
        words(place)
        asking(place, router)
        ends_and_names(place, router)
        exact_hits_and_saving(place)
        rules_of_one_index(place)
        as_another_user(place)
        on_linux_interfaces(place)
    finally:
        place.end()
    f.end()


main()
