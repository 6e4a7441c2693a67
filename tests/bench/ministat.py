#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""CPU time of this build's ministat on a million values over that of Debian's, run in turns.

usage: ministat.py BUILD
The last line is the verdict; exit status 1 if the median ratio is above the goal.
"""
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile

DEBIAN = "/usr/bin/ministat"
GOAL = 0.4
ROUNDS = 9


def cpu(program, files):
    """User and system time of one run, in seconds, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run(["ministat", *files], executable=program, stdout=subprocess.PIPE, check=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, out


def measure(weir, name, files):
    cpu(weir, files), cpu(DEBIAN, files)  # files into the cache
    ours, theirs = [], []
    for _ in range(ROUNDS):
        ours.append(cpu(weir, files)[0])
        theirs.append(cpu(DEBIAN, files)[0])
    ratio = statistics.median(a / b for a, b in zip(ours, theirs))
    print("%-24s %6.3f s  Debian's %6.3f s  ratio %.2f" % (
        name, statistics.median(ours), statistics.median(theirs), ratio))
    return ratio


def main():
    weir = os.path.join(sys.argv[1], "cmd", "weir")
    if not os.access(DEBIAN, os.X_OK):
        print("no %s to compare with (Debian package ministat)" % DEBIAN)
        return 77
    rng = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.join(folder, n) for n in "ab"]
        for i, f in enumerate(files):
            with open(f, "w", encoding="ascii") as h:
                h.writelines("%.2f\n" % rng.gauss(8.2e6 + 1e5 * i, 2e5) for _ in range(1000001))
        ratios = [
            measure(weir, "1,000,001 values, -n", ["-n", files[0]]),
            measure(weir, "with the picture", [files[0]]),
            measure(weir, "two sets and the test", ["-A", *files]),
        ]
        # The same figures but for the formulas that differ.
        a, b = (cpu(p, ["-n", files[0]])[1].split()[:-1] for p in (weir, DEBIAN))
        if a != b:
            print("the figures differ: %s against %s" % (a, b))
            return 1
    good = max(ratios) <= GOAL
    print("ministat: %s: at most %.2f of Debian's time, goal %.2f" % ("passed" if good else "FAILED", max(ratios), GOAL))
    return 0 if good else 1


sys.exit(main())
