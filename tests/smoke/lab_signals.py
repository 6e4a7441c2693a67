#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`weir lab` interrupted at many moments leaves no process (and so no namespace), no
interface and no half file.

usage: lab_signals.py WEIR
"""
import os
import shutil
import signal
import subprocess
import sys
import time

from labtest import TOP, Failures, interfaces, of_session, place

MOMENTS = [0.02, 0.1, 0.25, 0.5, 0.8, 1.3, 2.1]
f = Failures()


def gone(sid, seconds=10):
    """Waits until nothing of the session is left."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and of_session(sid):
        time.sleep(0.05)
    return not of_session(sid)


def interrupt(weir, args, sig, after):
    where = place()
    what = "%s after %.2f s of %s" % (signal.Signals(sig).name, after, args)
    links = interfaces()
    p = subprocess.Popen([weir, "lab", *args], cwd=where, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         stdin=subprocess.DEVNULL, start_new_session=True)
    time.sleep(after)
    p.send_signal(sig)
    try:
        _, err = p.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        p.kill()
        _, err = p.communicate()
        f.check(False, "%s: does not end" % what)
    f.check(p.returncode == -sig, "%s: exit %d: %s" % (what, p.returncode, err))
    f.check(gone(p.pid), "%s: processes are left: %s" % (what, of_session(p.pid)))
    f.check(interfaces() == links, "%s: interfaces: %s" % (what, set(interfaces()) ^ set(links)))
    left = [os.path.join(d, n) for d, ds, ns in os.walk(where) for n in ds + ns]
    if sig == signal.SIGKILL:
        # What nobody could remove any more goes when the next experiment writes there.
        left = [x for x in left if ".weir-partial-" not in x and not x.endswith("/runs")]
    f.check(left == [], "%s: files are left: %s" % (what, left))
    shutil.rmtree(where)


def during_script(weir):
    """A set-up script that takes its time is stopped too."""
    where = place()
    shutil.copytree(os.path.join(TOP, "labs/nftables/base"), os.path.join(where, "lab", "base"))
    os.mkdir(os.path.join(where, "lab", "slow"))
    with open(os.path.join(where, "lab", "slow", "setup.sh"), "w", encoding="utf-8") as h:
        h.write("sleep 25 &\nsleep 25\n")
    for sig in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        start = time.monotonic()
        interrupt(weir, ["--dut", "linux", "-4", os.path.join(where, "lab")], sig, 1.5)
        f.check(time.monotonic() - start < 15, "%s in a script: ends after %.0f s" % (sig, time.monotonic() - start))
    shutil.rmtree(where)


def main():
    weir = os.path.realpath(sys.argv[1])
    runs = [["--quick"]]
    if os.geteuid() == 0:
        runs.append(["--dut", "linux", "-4", os.path.join(TOP, "labs/nftables")])
    for args in runs:
        for i, after in enumerate(MOMENTS):
            interrupt(weir, args, (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)[i % 3], after)
    if len(runs) == 2:
        during_script(weir)
    if len(runs) == 1:
        print("skipped: interrupting the kernel in namespaces needs root")
    f.end()


main()
