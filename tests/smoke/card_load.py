#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`weir adapter load` with the card of a running router: all rules at once, and on trial: taken back by the router.

usage: card_load.py WEIR
"""
import json
import signal
import socket
import sys
import time

sys.dont_write_bytecode = True  # no __pycache__ among the sources

# pylint: disable=wrong-import-position
import loadtest
from cardtest import TRAFFIC, Place, capture, frame
from labtest import Failures, wait_for

f = Failures()
UDP = frame("198.18.0.5", "198.19.1.1", 17, 1000, 9)
TCP = frame("198.18.0.5", "198.19.1.1", 6, 1000, 9)


class RouterPlace(Place):
    card, enter = "t5nex0", []

    def write(self, name, text):
        super().write(name, text)
        return self.path(name)

    def adapter(self, *words):
        return self.run("weir", "adapter", *words)

    def hits(self):
        r = self.adapter("rules", self.card, "--json")
        return {o["idx"]: o["hits"] for o in map(json.loads, r.stdout.splitlines())}

    def total(self):
        r = self.run("weir", "ctl", "--json", self.card, "stats")
        return next(o for o in map(json.loads, r.stdout.splitlines()) if o.get("type") == "total")

    def looped(self, frames, *more):
        """A router whose first port takes the frames in over and over."""
        capture(self.path("in.pcap"), frames)
        return self.router("--port", "igb2=pcap:" + self.path("in.pcap"), "--port", "igb3=null", "--loop", *more)


class Words:
    """A connection to the control socket."""

    def __init__(self, place):
        self.s = socket.socket(socket.AF_UNIX)
        self.s.connect(place.path("run/weir-%s.sock" % place.card))
        self.lines = self.s.makefile("r", encoding="utf-8")

    def ask(self, words):
        """(status, sentence, what was said)."""
        self.s.sendall((words + "\n").encode())
        said = []
        while True:
            o = json.loads(self.lines.readline())
            if "ok" in o:
                return o["status"], o.get("msg", ""), said
            said.append(o.get("out") or o.get("err"))

    def close(self):
        self.lines.close()
        self.s.close()


def for_good(c):
    loadtest.refused(c)
    c.load(c.new, 0, "")
    f.check(c.is_new() and " mode " not in c.saved(), "loaded: %s" % c.saved())
    f.check(wait_for(lambda: c.place.hits()[5] > 0 and c.place.hits()[6] == 0), "and in force: %s" % c.place.hits())
    warns = c.script("warns.sh", "filter 5 proto 17 action drop", "filter 6 dport 65616 action drop")
    c.load(warns, 0, "warns.sh:3: cxgbetool: warning: ")
    c.load(c.old, 0, "")
    f.check(c.is_old(), "loaded: %s" % c.saved())
    r = c.place.adapter("load", "t6nex9", c.new)
    f.check(r.returncode == 1 and "there is no card 't6nex9'" in r.stderr, "no card: %r" % r)


def hits_go_on(c):
    """The card that is taken back is the one that was there."""
    f.check(wait_for(lambda: c.place.hits()[0] > 0), "the old rules count: %s" % c.place.hits())
    p = c.start(60)
    f.check(wait_for(lambda: c.place.hits()[5] > 0), "the rules on trial count: %s" % c.place.hits())
    f.check(0 not in c.place.hits(), "and the old ones do not")
    before = c.place.total()["in"]
    f.check(wait_for(lambda: c.place.total()["in"] > before), "frames go on")
    c.ends(p, 1, "not confirmed", "n", word="n\n")
    f.check(c.place.hits()[0] > 0, "their hits are still there: %s" % c.place.hits())


def others_meanwhile(c):
    p = c.start(60)
    f.check(c.place.tool("filter", "7", "proto", "6", "action", "drop").returncode == 0, "another command on trial")
    f.check(set(c.place.hits()) == {5, 6, 7}, "changes what is on trial: %s" % c.place.hits())
    c.load(c.old, 1, "rules that another command loaded are on trial")
    c.load(c.old, 1, "rules that another command loaded are on trial", "--try", "5")
    c.ends(p, 1, "not confirmed", "n", word="n\n")
    f.check(c.is_old(), "all is back: %s" % c.saved())
    p = c.start(60)
    f.check(c.place.tool("filter", "7", "proto", "6", "action", "drop").returncode == 0, "another command on trial")
    c.ends(p, 0, "the rules stay", "y", word="y\n")
    f.check(set(c.place.hits()) == {5, 6, 7}, "what stays is what was in force: %s" % c.place.hits())
    c.load(c.old, 0, "")


def requests(c):
    """What programs may say, and what ends with their connection."""
    a, b = Words(c.place), Words(c.place)
    for words in ("load", "load begin now", "load rule", "load commit 1 2", "load keep it", "load fast"):
        f.check(a.ask(words)[0] == 22, "%s: %s" % (words, a.ask(words)))
    for words in ("load rule filter 1 proto 6 action drop", "load commit"):
        f.check(a.ask(words)[:2] == (16, "load: nothing was begun, or another command began to load meanwhile"), words)
    for words in ("load keep", "load back"):
        f.check(a.ask(words)[:2] == (2, "load: nothing of this connection is on trial"), words)
    f.check(a.ask("load begin")[0] == 0, "begin")
    f.check(a.ask("load rule filter 1 proto 6 action drop")[0] == 0, "rule")
    f.check(a.ask("load rule filter 1 proto 6 action drop") ==
            (16, "", ["cxgbetool: CHELSIO_T4_SET_FILTER: Device busy"]), "a rule twice")
    f.check(a.ask("load rule filter list")[2][1].split()[0] == "1", "any command of cxgbetool")
    f.check(c.is_old(), "nothing has changed")
    for seconds in ("0", "86401", "soon"):
        f.check(a.ask("load commit " + seconds)[0] in (22, 34), seconds)
    f.check(b.ask("load begin")[0] == 0, "another one begins")
    f.check(a.ask("load commit")[0] == 16, "and takes the place of the first")
    f.check(b.ask("load rule filter 5 proto 17 action drop")[0] == 0 and b.ask("load rule filter 6 ivlan 3")[0] == 0 and
            b.ask("load commit 60")[0] == 0 and c.is_new(), "on trial")
    f.check(a.ask("load keep")[0] == 2 and a.ask("load back")[0] == 2 and a.ask("load begin")[0] == 16, "not of others")
    a.close()
    f.check(c.is_new(), "whose end is nothing")
    b.close()
    c.is_back("the connection ends")
    a = Words(c.place)
    f.check(a.ask("load begin")[0] == 0 and a.ask("load commit 1")[0] == 0 and c.place.hits() == {},
            "no rules, on trial")
    begin = time.monotonic()
    c.is_back("a second is over")
    f.check(time.monotonic() - begin < 10, "after a second")
    f.check(a.ask("load keep")[0] == 2, "too late")
    f.check(a.ask("load begin")[0] == 0, "begun, not committed")
    a.close()
    f.check(c.is_old(), "not committed: %s" % c.saved())


def with_no_gap(place):
    """Two sets of which each drops all that comes: while one takes the place of the other, nothing gets through."""
    one, two = (place.write("%d.sh" % i, "".join("cxgbetool t5nex0 filter %d proto %d action drop\n" % (10 * i + k, proto)
                                                for k, proto in enumerate((6, 17)))) for i in (1, 2))
    place.write("conf/cxgbetool.sh", place.read("1.sh"))
    router = place.looped([UDP] * 50 + [TCP] * 50)
    session = Words(place)
    for i in range(12):
        r = place.adapter("load", "t5nex0", (two, one)[i % 2])
        f.check(r.returncode == 0, "load: %r" % r)
        want = {20, 21} if i % 2 == 0 else {10, 11}
        f.check(wait_for(lambda want=want: set(place.hits()) == want and min(place.hits().values()) > 0), "in force")
        for k in range(10):
            for words in ("begin", "rule filter 30 proto 6 action drop", "rule filter 31 proto 17 action drop", "commit 60",
                          "back" if k % 3 else "keep"):
                f.check(session.ask("load " + words)[0] == 0, words)
    session.close()
    t = place.total()
    f.check(t["in"] > 10000 and t["sent"] == t["made"] == 0, "what came was dropped: %s" % t)
    r = place.adapter("load", "t5nex0", place.write("none.sh", "#!/bin/sh\n"))
    f.check(r.returncode == 0 and wait_for(lambda: place.total()["sent"] > 0), "without rules it passes: %r" % r)
    f.check(router.stop() == 0, "the router: %r" % (router.said(),))


def the_router_ends(place):
    """What is on trial is not kept over a restart."""
    saved = place.path("kept.sh")
    place.write("conf/cxgbetool.sh", "cxgbetool t5nex0 filter 1 proto 6 action drop\n")
    for sig in (signal.SIGTERM, signal.SIGKILL):
        router = place.looped([UDP], "--save", saved)
        c = loadtest.Loads(place, f)
        before = place.read("kept.sh")
        p = c.start(60)
        place.tool("filter", "7", "proto", "6", "action", "drop")
        time.sleep(1.5)  # the file is written a second after a change
        f.check(place.read("kept.sh") == before, "what is on trial is not written: %s" % place.read("kept.sh"))
        router.stop(sig)
        c.ends(p, 1, "no word from the router, which takes rules on trial back if it runs", "the router ends")
        f.check(place.read("kept.sh") == before and "filter 1 " in before, "the file: %s" % place.read("kept.sh"))
    router = place.looped([UDP], "--save", saved)
    c.ends(c.start(60), 0, "the rules stay", "y", word="y\n")
    f.check(wait_for(lambda: "filter 5 " in place.read("kept.sh")), "what stays is kept: %s" % place.read("kept.sh"))
    c.ends(c.start(1), 1, "not confirmed", "silence")
    f.check(router.stop() == 0 and "rules on trial were not confirmed" in router.said()[1], "said: %r" % (router.said(),))


def main():
    # A caller's `nohup` or `&` would have the command under test ignore them.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    place = RouterPlace(sys.argv[1])
    try:
        c = loadtest.Loads(place, f)
        place.write("conf/cxgbetool.sh", place.read("old.sh"))
        router = place.looped([UDP] + [x for x, _ in TRAFFIC])
        c.begin()
        for test in (for_good, hits_go_on, others_meanwhile, requests, loadtest.answers, loadtest.signals,
                     loadtest.on_a_terminal):
            test(c)
        loadtest.killed_anywhere(c, 3)
        f.check(router.stop() == 0, "the router: %r" % (router.said(),))
        with_no_gap(place)
        the_router_ends(place)
    finally:
        place.end()
    f.end()


main()
