#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`weir adapter load`: all rules of a card at once, and on trial: taken back unless confirmed.

usage: xdp_try.py WEIR
"""
import fcntl
import os
import signal
import subprocess
import sys
import termios
import time

sys.dont_write_bytecode = True  # no __pycache__ among the sources

# pylint: disable=wrong-import-position
from cardtest import Place, frame
from labtest import Failures
from xdpcardtest import Rig, wait_for, why_not

f = Failures()
UDP = frame("198.18.0.5", "198.19.1.1", 17, 1000, 9)
FRAGMENT = frame("198.18.0.5", "198.19.1.1", 17, 1000, 9, frag=0x2000)


class Cards:
    """A card with rules, and scripts of other ones."""

    def __init__(self, rig):
        self.rig = rig
        self.old = self.script("old.sh", "filter mode frag proto tos iport", "filter 0 frag 1 action drop",
                               "filter 8 type ipv6 dport 22 action drop", "filter 90 tos 4 proto 6 action drop")
        self.new = self.script("new.sh", "filter 5 proto 17 action drop", "filter 6 ivlan 3 action pass")
        self.bad = self.script("bad.sh", "filter 5 proto 17 action drop", "filter 5 proto 6 action drop")
        r = rig.adapter("create", rig.card, "v0", "v1", "--rules", self.old)
        f.check(r.returncode == 0, "create: %r" % r)
        self.before = self.saved()
        f.check(self.before.count("cxgbetool") == 4, "the rules: %s" % self.before)

    def script(self, name, *lines):
        return self.rig.write(name, "#!/bin/sh\n" + "".join("cxgbetool %s %s\n" % (self.rig.card, x) for x in lines))

    def saved(self):
        return "\n".join(x for x in self.rig.adapter("save", self.rig.card).stdout.splitlines() if x[:1] != "#")

    def is_old(self):
        return self.saved() == self.before

    def is_new(self):
        return set(self.rig.hits()) == {5, 6}

    def start(self, seconds, path=None, **kw):
        """The command, once its rules are in force."""
        kw.setdefault("stdin", subprocess.PIPE)
        p = subprocess.Popen(["nsenter", "--net=/run/netns/" + self.rig.inside, "weir", "adapter", "load", self.rig.card,
                              path or self.new, "--try", str(seconds)], env=self.rig.env, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, **kw)
        f.check(wait_for(self.is_new), "the new rules are in force")
        return p

    def ends(self, p, status, text, what, word=None):
        if word is None:
            p.wait(timeout=60)  # its standard input stays open
        out, err = p.communicate(word, timeout=60)
        f.check(p.returncode == status and out == "" and text in err, "%s: %d %r" % (what, p.returncode, (out, err)))


def for_good(c):
    def load(path, status, text, *more):
        r = c.rig.adapter("load", c.rig.card, path, *more)
        f.check(r.returncode == status and r.stdout == "" and (text in r.stderr if text else r.stderr == ""), "load: %r" % r)

    load(c.bad, 1, "bad.sh:3: ")
    f.check(c.is_old(), "a script that fails changes nothing: %s" % c.saved())
    load(c.rig.path("none.sh"), 1, "none.sh: ")
    load(c.new, 2, "--try: a number of seconds is missing", "--try")
    load(c.new, 2, "--try: ", "--try", "0")
    load(c.new, 2, "--try: ", "--try", "100000")
    load(c.new, 2, "--soon is not an option of load", "--soon")
    load(c.bad, 1, "bad.sh:3: ", "--try", "5")
    f.check(c.is_old(), "nor on trial: %s" % c.saved())
    c.rig.send(0, [UDP] * 50 + [FRAGMENT] * 20)
    f.check(wait_for(lambda: c.rig.hits()[0] == 20), "hits: %s" % c.rig.hits())
    load(c.new, 0, "")
    f.check(c.is_new() and not any(c.rig.hits().values()), "loaded, hits begin at 0: %s" % c.rig.hits())
    c.rig.send(0, [UDP] * 50 + [FRAGMENT] * 20)
    f.check(wait_for(lambda: c.rig.hits() == {5: 70, 6: 0}), "the new rules count: %s" % c.rig.hits())
    f.check(" mode " not in c.saved(), "the mode is that of a new card: %s" % c.saved())
    load(c.old, 0, "")
    f.check(c.is_old(), "loaded: %s" % c.saved())
    r = c.rig.adapter("load", c.rig.other, c.new)
    f.check(r.returncode == 1 and "there is no card '%s'" % c.rig.other in r.stderr, "no card: %r" % r)


def answers(c):
    p = c.start(60)
    c.ends(p, 1, "not confirmed: the rules are what they were", "n", word="n\n")
    f.check(c.is_old(), "n: %s" % c.saved())
    for word in ("", "\n", "yess\n", "y"):
        c.ends(c.start(60), 1, "not confirmed", "%r" % word, word=word)
        f.check(c.is_old(), "%r: %s" % (word, c.saved()))
    begin = time.monotonic()
    p = c.start(2)
    c.ends(p, 1, "not confirmed", "silence")
    f.check(1.9 < time.monotonic() - begin < 20, "after two seconds")
    f.check(c.is_old(), "silence: %s" % c.saved())
    for word in ("y\n", "yes\n"):
        c.ends(c.start(60), 0, ": the rules stay", "%r" % word, word=word)
        f.check(c.is_new(), "%r: %s" % (word, c.saved()))
        f.check(c.rig.adapter("load", c.rig.card, c.old).returncode == 0, "back again")


def guard_of(p):
    """The process that watches over p."""
    with open("/proc/%d/task/%d/children" % (p.pid, p.pid), encoding="ascii") as h:
        return int(h.read().split()[0])


def ends_of_the_command(c):
    for sig in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        p = c.start(60)
        p.send_signal(sig)
        status = -9 if sig == signal.SIGKILL else 1
        c.ends(p, status, "" if status < 0 else "not confirmed", "signal %d" % sig)
        f.check(wait_for(c.is_old), "signal %d: %s" % (sig, c.saved()))
    # The guard does not listen to the terminal, and one that is killed is replaced.
    p = c.start(60)
    for sig in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGTSTP):
        os.kill(guard_of(p), sig)
    f.check(c.is_new() and p.poll() is None, "the guard goes on")
    os.kill(guard_of(p), signal.SIGKILL)
    c.ends(p, 1, "not confirmed: the rules are what they were", "the guard killed")
    f.check(c.is_old(), "the guard killed: %s" % c.saved())
    # Stopped, the command does not stop the time.
    p = c.start(2)
    p.send_signal(signal.SIGSTOP)
    f.check(wait_for(c.is_old), "stopped: %s" % c.saved())
    p.send_signal(signal.SIGCONT)
    c.ends(p, 1, "not confirmed", "stopped")


def on_a_terminal(c):
    def start():
        ours, its = os.openpty()
        return ours, c.start(60, stdin=its, close_fds=True, preexec_fn=lambda: (
            os.setsid(), fcntl.ioctl(0, termios.TIOCSCTTY, 0))), its

    ours, p, its = start()
    os.close(its)
    os.write(ours, b"y\n")
    c.ends(p, 0, "the rules stay", "y at a terminal")
    os.close(ours)
    f.check(c.is_new(), "kept: %s" % c.saved())
    f.check(c.rig.adapter("load", c.rig.card, c.old).returncode == 0, "back again")
    ours, p, its = start()
    os.close(its)
    os.close(ours)  # the connection is lost
    c.ends(p, 1, "", "the terminal goes away")
    f.check(wait_for(c.is_old), "the terminal goes away: %s" % c.saved())


def others_meanwhile(c):
    p = c.start(60)
    f.check(c.rig.tool("filter", "7", "proto", "6", "action", "drop").returncode == 0, "another command on trial")
    c.ends(p, 1, "not confirmed", "n", word="n\n")
    f.check(c.is_old(), "all is back: %s" % c.saved())
    p = c.start(60)
    f.check(c.rig.adapter("delete", c.rig.card).returncode == 0, "delete on trial")
    c.ends(p, 1, "STILL IN FORCE: there is no card", "n", word="n\n")
    c.__init__(c.rig)


def killed_anywhere(c):
    """Old rules or new ones, and old ones in the end."""
    for i in range(30):
        p = subprocess.Popen(["weir", "adapter", "load", c.rig.card, c.new, "--try", "60"], env=c.rig.env,
                             stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(i * 0.003)
        p.kill()
        p.wait()
        p.stdin.close()
        f.check(wait_for(c.is_old), "killed after %d ms: %s" % (i * 3, c.saved()))


def in_a_router(weir):
    place = Place(weir)
    try:
        router = place.router("--port", "igb2=null", "--port", "igb3=null")
        place.write("rules.sh", "cxgbetool t5nex0 filter 1 proto 6 action drop\n")
        r = place.run("weir", "adapter", "load", "t5nex0", place.path("rules.sh"), "--try", "5")
        f.check(r.returncode == 1 and "t5nex0 is the card of a running router" in r.stderr, "a router: %r" % r)
        router.stop()
    finally:
        place.end()


def main():
    in_a_router(sys.argv[1])
    why = why_not()
    if why is not None:
        print("skipped:", why)
        sys.exit(77)
    # A caller's `nohup` or `&` would have the command under test ignore them.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    rig = Rig(sys.argv[1])
    try:
        c = Cards(rig)
        for_good(c)
        answers(c)
        ends_of_the_command(c)
        on_a_terminal(c)
        others_meanwhile(c)
        killed_anywhere(c)
    finally:
        rig.end()
    f.end()


main()
