#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A card beside another XDP program, xdp-loader's, and the sentences where it must be alone.

usage: xdp_beside.py WEIR

Dispatchers are for the first network namespace, so one interface of the test's is there; no frame comes out of
it that both programs have let pass.
"""
import concurrent.futures
import glob
import json
import os
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # no __pycache__ among the sources

# pylint: disable=wrong-import-position
import killed
from cardtest import frame
from labtest import Failures, wait_for
from xdpcardtest import FIRST, Rig, in_turn, ip, why_not

f = Failures()
TCP = frame("198.18.0.5", "198.19.1.1", 6, 4000, 22)
UDP = frame("198.18.0.5", "198.19.1.1", 17, 4000, 53)
# Of xdp-filter: allows what it has been told of, so it drops all; and counts by verdict.
OTHER, OTHER_NAME, COUNTS = "xdpfilt_alw_all.o", "xdpfilt_alw_all", "xdp_stats_map"
FOLDERS = ("/usr/lib/x86_64-linux-gnu/bpf", "/usr/lib/aarch64-linux-gnu/bpf", "/usr/lib/bpf")
POINTS, NEVER = 12, 1 << 30
FRAMES = 2000
NO_TRAMPOLINES = "this kernel has no BPF trampolines"
NOT_FIRST = "libxdp's dispatcher is safe in the first network namespace only"


def other_program():
    return next((p for p in (os.path.join(d, OTHER) for d in FOLDERS) if os.path.exists(p)), None)


class Beside(Rig):
    """With an interface in the first namespace, whose other end is w9 in the outer one."""

    def __init__(self, weir):
        super().__init__(weir, pairs=1)
        self.iface = "wb%d" % os.getpid()
        self.can = False  # whether the kernel can do dispatchers
        self.appear()

    def appear(self):
        ip("-n", self.outside, "link", "add", "w9", "type", "veth", "peer", "name", self.iface + "x")
        ip("-n", self.outside, "link", "set", self.iface + "x", "netns", str(os.getpid()))
        ip("link", "set", self.iface + "x", "name", self.iface, "address", "02:00:00:00:00:01")
        subprocess.run(["sh", "-c", "echo 1 > /proc/sys/net/ipv6/conf/%s/disable_ipv6" % self.iface], check=False)
        ip("link", "set", self.iface, "up")
        ip("-n", self.outside, "link", "set", "w9", "up")
        # Or cards warn that nothing can be switched to the interface.
        super().run("ethtool", "-K", "w9", "gro", "on", ns=self.outside)

    def disappear(self):
        ip("link", "del", self.iface)

    def run(self, *cmd, ns=FIRST, env=None, **kw):
        return super().run(*cmd, ns=ns, env=env, **kw)

    def loader(self, *words):
        r = self.run("xdp-loader", *words)
        f.check(r.returncode == 0, "xdp-loader %s: %r" % (words, r))
        return r.stdout

    def programs(self):
        """name -> id of the components of the interface's dispatcher, in their order; None: there is none."""
        lines = self.loader("status", self.iface).splitlines()
        found = {w[2]: int(w[3]) for w in (line.split() for line in lines) if w[:1] == ["=>"]}
        return found if any("xdp_dispatcher" in line for line in lines) else None

    def seen(self):
        """How many frames the other program has counted."""
        number = self.programs()[OTHER_NAME]
        show = json.loads(subprocess.run(["bpftool", "-j", "prog", "show", "id", str(number)], check=True,
                                         capture_output=True).stdout)
        for m in show["map_ids"]:
            out = subprocess.run(["bpftool", "-j", "map", "dump", "id", str(m)], capture_output=True, check=False).stdout
            name = json.loads(subprocess.run(["bpftool", "-j", "map", "show", "id", str(m)], check=True,
                                             capture_output=True).stdout)["name"]
            if COUNTS.startswith(name):
                return sum(int("".join(x[2:] for x in reversed(v["value"][:8])), 16)
                           for e in json.loads(out) for v in e["values"])
        raise SystemExit("no counts of %s" % OTHER_NAME)

    def state(self):
        o = self.listed()[self.card]
        return o["states"][0], o["programs"][0], o["modes"][0]

    def returned(self):
        """How many frames have come out of the interface."""
        r = super().run("ip", "-j", "-s", "link", "show", "w9", ns=self.outside)
        return json.loads(r.stdout)[0]["stats64"]["rx"]["packets"]

    def folders(self):
        """libxdp's, of any interface."""
        return glob.glob("/sys/fs/bpf/xdp/dispatch-*")

    def end(self):
        super().end()
        subprocess.run(["ip", "link", "del", self.iface], capture_output=True, check=False)


def done(r, text):
    f.check(r.returncode == 0 and r.stdout == "" and r.stderr == "", "%s: %r" % (text, r))
    return r


def refused(r, sentence, text):
    f.check(r.returncode == 1 and r.stdout == "" and sentence in r.stderr and r.stderr.count("\n") == 1,
            "%s: %r" % (text, r))


def alone(rig, r, why, text):
    """It was created, said to be alone for the reason, and is; it goes again."""
    done(r, text)
    f.check(r.alone == [(rig.listed()[rig.card]["ports"][0], why)], "%s: %s" % (text, r.alone))
    f.check(rig.state() == ("attached", "alone", "native"), "%s: %s" % (text, rig.state()))
    done(rig.adapter("delete", rig.card), "delete: " + text)


def alone_for_a_reason(rig):
    create = ("weir", "adapter", "create", rig.card, rig.iface)
    alone(rig, rig.run("weir", "adapter", "create", rig.card, "v0", ns=rig.inside), NOT_FIRST if rig.can else NO_TRAMPOLINES,
          "another namespace")
    alone(rig, rig.run(*create, env={"LIBXDP_SKIP_DISPATCHER": "1"}), "LIBXDP_SKIP_DISPATCHER is set", "the variable")
    r = rig.run("setpriv", "--bounding-set=-sys_admin", *create)
    alone(rig, r, "libxdp's dispatcher needs CAP_SYS_ADMIN, which is missing", "no CAP_SYS_ADMIN")


def only_program(rig):
    """A program that is in no dispatcher is refused by its name, and stays."""
    r = rig.run("xdp-loader", "load", "-m", "native", rig.iface, other_program(), env={"LIBXDP_SKIP_DISPATCHER": "1"})
    f.check(r.returncode == 0, "xdp-loader: %r" % r)
    why = "it is in no dispatcher of libxdp" if rig.can else "a card must be the only one, as " + NO_TRAMPOLINES
    r = rig.adapter("create", rig.card, rig.iface)
    refused(r, "%s: it has an XDP program already: %s (id " % (rig.iface, OTHER_NAME), "a taken interface")
    f.check(why in r.stderr, "and why: %r" % r)
    f.check(rig.listed() == {}, "no card is left: %s" % rig.listed())
    rig.loader("unload", rig.iface, "--all")


def counted(rig, hits, seen, text):
    f.check(wait_for(lambda: rig.hits() == {1: hits}), "%s: hits: %s, not %d" % (text, rig.hits(), hits))
    if seen is not None:
        f.check(wait_for(lambda: rig.seen() == seen), "%s: the other saw %s, not %d" % (text, rig.seen(), seen))


def beside(rig):
    # The other is there first.
    rig.loader("load", "-m", "native", rig.iface, other_program())
    done(rig.adapter("create", rig.card, rig.iface), "create beside")
    names = list(rig.programs())
    own = names[0]
    f.check(own in ("weir_card", "weir_card_fixed") and names[1:] == [OTHER_NAME], "the programs: %s" % names)
    f.check(rig.state() == ("attached", "dispatcher", "native"), "the list: %s" % (rig.state(),))
    done(rig.tool("filter", "1", "proto", "6", "action", "drop"), "a rule")
    rig.send(9, [TCP] * 5 + [UDP] * 4)
    counted(rig, 5, 4, "the other first")
    refused(rig.adapter("create", rig.other, rig.iface), "of another card", "two cards")
    # It leaves, and comes back; the card and its hits stay.
    rig.loader("unload", rig.iface, "--id", str(rig.programs()[OTHER_NAME]))
    f.check(list(rig.programs()) == [own], "the card stays: %s" % rig.programs())
    rig.send(9, [TCP] * 3)
    counted(rig, 8, None, "the other is gone")
    rig.loader("load", "-m", "native", rig.iface, other_program())
    f.check(list(rig.programs()) == [own, OTHER_NAME], "the other joins: %s" % rig.programs())
    rig.send(9, [TCP] * 2 + [UDP] * 7)
    counted(rig, 10, 7, "the card first")
    # Commands of another namespace find it.
    o = {k: json.loads(line)[k] for line in rig.adapter("list", "--json", ns=rig.outside).stdout.splitlines()
         if json.loads(line)["name"] == rig.card for k in ("states", "programs")}
    f.check(o == {"states": ["attached"], "programs": ["dispatcher"]}, "from elsewhere: %s" % o)
    # The card leaves, also by a command from elsewhere; the other goes on.
    done(rig.adapter("delete", rig.card, ns=rig.outside), "delete")
    f.check(list(rig.programs()) == [OTHER_NAME], "the other stays: %s" % rig.programs())
    rig.send(9, [TCP] * 6)
    f.check(wait_for(lambda: rig.seen() == 13), "it sees all: %d" % rig.seen())
    f.check(not os.path.exists("/sys/fs/bpf/weir/" + rig.card), "no pin is left")
    rig.loader("unload", rig.iface, "--all")
    f.check(rig.programs() is None and rig.folders() == [], "nothing is left: %s" % rig.folders())


def paced(frames):
    for x in frames:
        time.sleep(0.001)
        yield x


def others_come_and_go(rig):
    """While frames arrive, each of which the card has to drop."""
    done(rig.adapter("create", rig.card, rig.iface), "create")
    done(rig.tool("filter", "1", "proto", "6", "action", "drop"), "a rule")
    changes = 0
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        sending = pool.submit(rig.send, 9, paced([TCP] * FRAMES))
        while changes < 5 or not sending.done():
            rig.loader("load", "-m", "native", rig.iface, other_program())
            rig.loader("unload", rig.iface, "--id", str(rig.programs()[OTHER_NAME]))
            changes += 1
        sending.result()
    f.check(wait_for(lambda: rig.hits() == {1: FRAMES}), "%d changes: of %d frames the card met %s" % (changes, FRAMES, rig.hits()))
    print("another program came and went %d times under %d frames" % (changes, FRAMES))
    done(rig.adapter("delete", rig.card), "delete")


def modes(rig):
    rig.loader("load", "-m", "skb", rig.iface, other_program())
    refused(rig.adapter("create", rig.card, rig.iface, "--mode", "native"),
            "%s: the XDP programs it has are in skb mode, not in native mode" % rig.iface, "another mode")
    r = rig.adapter("create", rig.card, rig.iface)
    f.check(r.returncode == 0 and r.stderr == "weir adapter: %s: the XDP programs it has are in skb mode: attached in skb "
            "mode, which works but costs more\n" % rig.iface, "their mode: %r" % r)
    f.check(rig.state() == ("attached", "dispatcher", "skb"), "the list: %s" % (rig.state(),))
    done(rig.tool("filter", "1", "proto", "6", "action", "drop"), "a rule")
    rig.send(9, [TCP] * 5 + [UDP] * 4)
    counted(rig, 5, 4, "skb mode")
    done(rig.adapter("delete", rig.card), "delete")
    rig.loader("unload", rig.iface, "--all")
    done(rig.adapter("create", rig.card, rig.iface, "--mode", "skb"), "skb mode")
    f.check(rig.state() == ("attached", "dispatcher", "skb"), "the list: %s" % (rig.state(),))
    done(rig.adapter("delete", rig.card), "delete")


def taken_off(rig):
    """By xdp-loader unload --all; and rules that such a program cannot have."""
    done(rig.adapter("create", rig.card, rig.iface), "create")
    done(rig.tool("filter", "1", "proto", "6", "action", "drop"), "a rule")
    rig.loader("unload", rig.iface, "--all")
    f.check(rig.state()[:2] == ("not attached", None), "taken off: %s" % (rig.state(),))
    done(rig.adapter("attach", rig.card), "attach")
    f.check(rig.state()[:2] == ("attached", "dispatcher"), "and back: %s" % (rig.state(),))
    rig.send(9, [TCP] * 5)
    counted(rig, 5, None, "attached again")
    tag = ("filter", "2", "proto", "17", "action", "switch", "eport", "0", "vlan", "=9")
    done(rig.tool(*tag), "a tag that is rewritten")
    before = rig.returned()
    rig.send(9, [UDP] * 6)
    f.check(wait_for(lambda: rig.hits() == {1: 5, 2: 6} and rig.returned() == before + 6),
            "switched frames: %s, %d of 6 came back" % (rig.hits(), rig.returned() - before))
    r = rig.tool("filter", "3", "proto", "17", "action", "switch", "eport", "0", "vlan", "+9")
    if list(rig.programs()) == ["weir_card"]:
        done(r, "a tag that is inserted")
        done(rig.adapter("delete", rig.card), "delete")
        return
    f.check(r.returncode != 0 and "vlan: %s has its program in libxdp's dispatcher" % rig.iface in r.stderr,
            "a tag cannot be inserted here: %r" % r)
    f.check(sorted(rig.hits()) == [1, 2], "and is not: %s" % rig.hits())
    done(rig.adapter("delete", rig.card), "delete")
    # A card with such rules is alone, where it can be.
    script = rig.write("tag.sh", "cxgbetool %s filter 1 proto 6 action switch eport 0 vlan +9\n" % rig.card)
    why = ("in libxdp's dispatcher this kernel lets no program insert or remove VLAN tags, as rules of the card do")
    alone(rig, rig.adapter("create", rig.card, rig.iface, "--rules", script), why, "rules with tags")
    rig.loader("load", "-m", "native", rig.iface, other_program())
    refused(rig.adapter("create", rig.card, rig.iface, "--rules", script), why, "rules with tags beside another program")
    rig.loader("unload", rig.iface, "--all")


def interface_gone(rig):
    rig.loader("load", "-m", "native", rig.iface, other_program())
    done(rig.adapter("create", rig.card, rig.iface), "create")
    done(rig.tool("filter", "1", "proto", "6", "action", "drop"), "a rule")
    rig.disappear()
    f.check(rig.state()[:2] == ("gone", None), "gone: %s" % (rig.state(),))
    refused(rig.adapter("attach", rig.card), "%s: there is no such interface" % rig.iface, "attach")
    done(rig.adapter("delete", rig.card), "delete")
    f.check(rig.folders() == [], "libxdp's pins are gone: %s" % rig.folders())
    rig.appear()
    done(rig.adapter("create", rig.card, rig.iface), "create")
    done(rig.tool("filter", "1", "proto", "6", "action", "drop"), "a rule")
    rig.send(9, [TCP] * 2)
    counted(rig, 2, None, "before")
    rig.disappear()
    rig.appear()
    f.check(rig.state()[:2] == ("gone", None), "another one of the name: %s" % (rig.state(),))
    done(rig.adapter("attach", rig.card), "attach")
    f.check(rig.state() == ("attached", "dispatcher", "native"), "it is back: %s" % (rig.state(),))
    f.check(len(rig.folders()) == 1, "and libxdp's pins are the new ones: %s" % rig.folders())
    rig.send(9, [TCP] * 3)
    counted(rig, 5, None, "and filters")
    done(rig.adapter("delete", rig.card), "delete")
    r = rig.adapter("create", rig.card, rig.iface, "--forward")
    f.check(r.returncode == 0 and rig.state() == ("attached", "dispatcher", "native"), "it forwards: %r %s" % (r, rig.state()))
    done(rig.adapter("delete", rig.card), "delete")
    done(rig.adapter("create", rig.card, rig.iface), "create")
    # Renamed it is the same.
    ip("link", "set", rig.iface, "down")
    ip("link", "set", rig.iface, "name", rig.iface + "y", "up")
    done(rig.adapter("attach", rig.card), "attach when renamed")
    f.check(rig.state()[:2] == ("attached", "dispatcher"), "renamed: %s" % (rig.state(),))
    ip("link", "set", rig.iface + "y", "down")
    ip("link", "set", rig.iface + "y", "name", rig.iface, "up")
    done(rig.adapter("delete", rig.card), "delete")
    f.check(rig.folders() == [] and rig.programs() is None, "nothing is left: %s" % rig.folders())


def killed_anywhere(rig):
    """Whatever create or delete left, attach and delete mend it."""
    numbers = killed.NUMBERS.get(os.uname().machine)
    if numbers is None:
        print("killed_anywhere: left out, as system calls of %s are not known here" % os.uname().machine)
        return
    env = {**rig.env, "ASAN_OPTIONS": "detect_leaks=0"}
    for words in (("create", rig.card, rig.iface), ("delete", rig.card)):
        cmd, left = [rig.path("bin/weir"), "adapter", *words], 0
        if words[0] == "delete":
            done(rig.adapter("create", rig.card, rig.iface), "create")
        status, n = killed.run(cmd, env, lambda nr, seen: nr == numbers[0], NEVER)
        f.check(status == 0 and n > 20, "%s: %s, %d boundaries" % (words[0], status, n))
        if words[0] == "create":
            done(rig.adapter("delete", rig.card), "delete")
        for at in sorted({1 + i * (n - 1) // (POINTS - 1) for i in range(POINTS)}):
            if words[0] == "delete":
                done(rig.adapter("create", rig.card, rig.iface), "create before %d" % at)
            killed.run(cmd, env, lambda nr, seen: nr == numbers[0], at)
            if rig.card in rig.listed():
                left += 1
                f.check(rig.state()[0] in ("attached", "not attached"), "%s killed at %d: %s" % (words[0], at, rig.state()))
                done(rig.adapter("attach", rig.card), "attach after %s, %d" % (words[0], at))
                f.check(rig.state()[:2] == ("attached", "dispatcher"), "%s, %d: %s" % (words[0], at, rig.state()))
                done(rig.adapter("delete", rig.card), "delete after %s, %d" % (words[0], at))
            # The folder of a trial goes with the next one.
            f.check(rig.programs() is None and all("-2147483647-" in x for x in rig.folders()),
                    "%s killed at %d: left: %s %s" % (words[0], at, rig.programs(), rig.folders()))
        f.check(left > 0, "%s: no card was left" % words[0])
        print("killed at %d of %d boundaries of a %s; a card was left %d times" % (POINTS, n, words[0], left))
    done(rig.adapter("create", rig.card, rig.iface), "create after all")
    f.check(len(rig.folders()) == 1, "no trial's folder: %s" % rig.folders())
    done(rig.adapter("delete", rig.card), "delete after all")


def main():
    no = why_not()
    if no is None and (other_program() is None or shutil.which("xdp-loader") is None):
        no = "there is no xdp-loader here, or not %s" % OTHER
    if no is None and not os.path.exists("/proc/sys/net/core/netdev_max_backlog"):
        no = "this is not the first network namespace"
    if no:
        print(no)
        return 77
    rig = Beside(sys.argv[1])
    try:
        r = rig.adapter("create", rig.card, rig.iface)
        done(r, "create")
        rig.can = r.alone == []
        if not rig.can:
            f.check(r.alone == [(rig.iface, NO_TRAMPOLINES)], "alone: %s" % r.alone)
            f.check(rig.state() == ("attached", "alone", "native"), "the list: %s" % (rig.state(),))
        done(rig.adapter("delete", rig.card), "delete")
        tests = [alone_for_a_reason, only_program]
        if rig.can:
            tests += [beside, others_come_and_go, modes, taken_off, interface_gone, killed_anywhere]
        else:
            print("beside another program: left out, as " + NO_TRAMPOLINES)
        in_turn(tests, rig)
    finally:
        rig.end()
    return f.end()


if __name__ == "__main__":
    sys.exit(main())
