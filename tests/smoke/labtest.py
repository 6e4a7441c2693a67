# SPDX-License-Identifier: BSD-2-Clause
"""What the tests of `weir lab` share."""
import atexit
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

TOP = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))

# The gates that runs fail where the machine's other work takes the CPUs away.
BUSY = {"unsteady", "generator-limited"}


def veth_tells():
    """Whether a veth says if frames of XDP pass to its other end: from Linux 6.3 on.  Before, neither does weir
    send live frames into one unasked, nor does a native card forward to one."""
    return tuple(int(x) for x in re.match(r"(\d+)\.(\d+)", os.uname().release).groups()) >= (6, 3)


def wait_for(what, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if what():
            return True
        time.sleep(0.02)
    return False


class Failures:
    def __init__(self):
        self.n = 0

    def check(self, ok, what):
        if not ok:
            self.n += 1
            print("FAILED:", what)
        return ok

    def end(self):
        print("%d failed" % self.n)
        sys.exit(1 if self.n else 0)


def place(uid=None):
    """A fresh folder to work in, that user's, gone when the test is."""
    d = tempfile.mkdtemp(prefix="weir-lab-test.")
    atexit.register(shutil.rmtree, d, ignore_errors=True)
    if uid is not None:
        os.chown(d, uid, uid)
    return d


def lab(weir, args, cwd, user=None, timeout=300):
    """Runs `weir lab ARGS` without a terminal.  Made again: an experiment that a busy machine left
    without an undisturbed interval, or whose tester could not hold its rate there."""
    cmd = [weir, "lab", *args]
    if user is not None:
        cmd = ["setpriv", "--reuid=%d" % user, "--regid=%d" % user, "--clear-groups", *cmd]
    for attempt in range(3):
        if attempt > 0 and "-o" in args:
            shutil.rmtree(os.path.join(cwd, args[args.index("-o") + 1]), ignore_errors=True)
        p = subprocess.Popen(cmd, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             stdin=subprocess.DEVNULL, start_new_session=True)
        try:
            out, err = p.communicate(timeout=timeout)
        finally:
            p.kill()
        left = of_session(p.pid)
        r = subprocess.CompletedProcess(cmd, p.returncode, out, err + ("left: %s\n" % left if left else ""))
        if r.returncode != 3 or not any(gate in r.stdout for gate in BUSY):
            break
    return r


def results(stdout):
    """The folder a table names, and its results.json."""
    folder = [l for l in stdout.splitlines() if l.startswith("results: ")][-1][len("results: "):]
    return folder


def load(folder):
    with open(os.path.join(folder, "results.json"), encoding="utf-8") as f:
        return json.load(f)


def too_busy(found):
    """Whether runs are void, and nothing but the machine's other work made them so."""
    gates = {run["gate"] for run in found["runs"] if not run["valid"]}
    return gates and gates <= BUSY


def measured(f, r, where, what):
    """The results of an experiment that went well; None if it did not, or if this machine was too busy."""
    found = load(os.path.join(where, results(r.stdout))) if "\nresults: " in r.stdout else None
    if r.returncode == 3 and found and too_busy(found):
        print("skipped: %s: other work of this machine made runs void, again and again" % what)
        return None
    ok = f.check(r.returncode == 0, "%s: exit %d: %s%s" % (what, r.returncode, r.stdout[-800:], r.stderr))
    return found if ok else None


def interfaces():
    return sorted(os.listdir("/sys/class/net"))


def of_session(sid):
    """Processes of that session that are no zombies: what `weir lab`, started in a session of its own,
    left behind.  They are what keeps its namespaces."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % pid, encoding="utf-8") as f:
                name, rest = f.read().rsplit(")", 1)
        except OSError:
            continue
        state, fields = rest.split()[0], rest.split()
        if int(fields[3]) == sid and state != "Z":
            found[int(pid)] = name
    return found
