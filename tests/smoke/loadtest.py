# SPDX-License-Identifier: BSD-2-Clause
"""What the tests of `weir adapter load` share, whoever has the card: scripts, trials, and what can end them.

A card's place has .card, .env, .adapter(*words), .hits(), .write(name, text), and .enter, what comes before a command.
"""
import fcntl
import os
import select
import signal
import subprocess
import termios
import time

from labtest import wait_for


class Loads:
    """A card that has the rules of `old`, and scripts of other ones."""

    def __init__(self, place, f):
        self.place, self.f = place, f
        self.old = self.script("old.sh", "filter mode frag proto tos iport", "filter 0 frag 1 action drop",
                               "filter 8 type ipv6 dport 22 action drop", "filter 90 tos 4 proto 6 action drop")
        self.new = self.script("new.sh", "filter 5 proto 17 action drop", "filter 6 ivlan 3 action pass")
        self.bad = self.script("bad.sh", "filter 5 proto 17 action drop", "filter 5 proto 6 action drop")
        self.before = None

    def begin(self):
        """Once the card has the rules of `old`."""
        self.before = self.saved()
        self.f.check(self.before.count("cxgbetool") == 4, "the rules: %s" % self.before)

    def script(self, name, *lines):
        return self.place.write(name, "#!/bin/sh\n" + "".join("cxgbetool %s %s\n" % (self.place.card, x) for x in lines))

    def saved(self):
        return "\n".join(x for x in self.place.adapter("save", self.place.card).stdout.splitlines() if x[:1] != "#")

    def is_old(self):
        return self.saved() == self.before

    def is_new(self):
        return set(self.place.hits()) == {5, 6}

    def load(self, path, status, text, *more):
        r = self.place.adapter("load", self.place.card, path, *more)
        self.f.check(r.returncode == status and r.stdout == "" and (text in r.stderr if text else r.stderr == ""),
                     "load: %r" % r)

    def start(self, seconds, path=None, **kw):
        """The command, once its rules are in force and it asks."""
        kw.setdefault("stdin", subprocess.PIPE)
        p = subprocess.Popen([*self.place.enter, "weir", "adapter", "load", self.place.card, path or self.new, "--try",
                              str(seconds)], env=self.place.env, text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, **kw)
        asked, end = b"", time.monotonic() + 60
        while b"keep them: " not in asked and select.select([p.stderr], [], [], max(0, end - time.monotonic()))[0]:
            piece = os.read(p.stderr.fileno(), 4096)
            if not piece:
                break
            asked += piece
        # On a slow machine the short ones may be over before another command has looked.
        self.f.check(b"keep them: " in asked and (seconds < 10 or self.is_new()), "the new rules are in force: %r" % asked)
        return p

    def ends(self, p, status, text, what, word=None):
        if word is None:
            p.wait(timeout=60)  # its standard input stays open
        out, err = p.communicate(word, timeout=60)
        self.f.check(p.returncode == status and out == "" and text in err,
                     "%s: %d %r" % (what, p.returncode, (out, err)))

    def is_back(self, what):
        self.f.check(wait_for(self.is_old), "%s: %s" % (what, self.saved()))


def refused(c):
    """What is wrong changes nothing."""
    c.load(c.bad, 1, "bad.sh:3: ")
    c.is_back("a script that fails")
    c.load(c.place.path("none.sh"), 1, "none.sh: ")
    c.load(c.new, 2, "--try: a number of seconds is missing", "--try")
    c.load(c.new, 2, "--try: ", "--try", "0")
    c.load(c.new, 2, "--try: ", "--try", "100000")
    c.load(c.new, 2, "--soon is not an option of load", "--soon")
    c.load(c.bad, 1, "bad.sh:3: ", "--try", "5")
    c.is_back("a script that fails, on trial")
    other = c.script("other.sh", "filter 5 proto 17 action drop").replace("other.sh", "nexus.sh")
    with open(other, "w", encoding="ascii") as h:
        h.write("cxgbetool t4nex77 filter 1 proto 6 action drop\n")
    c.load(other, 1, "nexus.sh:1: there is no t4nex77 here: the card is %s" % c.place.card)
    c.is_back("a script for another card")


def answers(c):
    c.ends(c.start(60), 1, "not confirmed: the rules are what they were", "n", word="n\n")
    c.is_back("n")
    for word in ("", "\n", "yess\n", "y"):
        c.ends(c.start(60), 1, "not confirmed", "%r" % word, word=word)
        c.is_back("%r" % word)
    begin = time.monotonic()
    c.ends(c.start(2), 1, "not confirmed", "silence")
    c.f.check(1.9 < time.monotonic() - begin < 20, "after two seconds")
    c.is_back("silence")
    for word in ("y\n", "yes\n"):
        c.ends(c.start(60), 0, ": the rules stay", "%r" % word, word=word)
        c.f.check(c.is_new(), "%r: %s" % (word, c.saved()))
        c.load(c.old, 0, "")


def signals(c):
    for sig in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        p = c.start(60)
        p.send_signal(sig)
        status = -9 if sig == signal.SIGKILL else 1
        c.ends(p, status, "" if status < 0 else "not confirmed", "signal %d" % sig)
        c.is_back("signal %d" % sig)
    # Stopped, the command does not stop the time.
    p = c.start(2)
    p.send_signal(signal.SIGSTOP)
    c.is_back("stopped")
    p.send_signal(signal.SIGCONT)
    c.ends(p, 1, "not confirmed", "stopped")


def on_a_terminal(c):
    def start():
        ours, its = os.openpty()
        p = c.start(60, stdin=its, close_fds=True, preexec_fn=lambda: (os.setsid(), fcntl.ioctl(0, termios.TIOCSCTTY, 0)))
        os.close(its)
        return ours, p

    ours, p = start()
    os.write(ours, b"y\n")
    c.ends(p, 0, "the rules stay", "y at a terminal")
    os.close(ours)
    c.f.check(c.is_new(), "kept: %s" % c.saved())
    c.load(c.old, 0, "")
    ours, p = start()
    os.close(ours)  # the connection is lost
    c.ends(p, 1, "", "the terminal goes away")
    c.is_back("the terminal goes away")


def killed_anywhere(c, step=1):
    """Old rules or new ones, and old ones in the end."""
    for i in range(0, 30, step):
        p = subprocess.Popen([*c.place.enter, "weir", "adapter", "load", c.place.card, c.new, "--try", "60"],
                             env=c.place.env, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(i * 0.003)
        p.kill()
        p.wait()
        p.stdin.close()
        c.is_back("killed after %d ms" % (i * 3))
