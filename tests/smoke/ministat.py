#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`ministat` of this build against Debian's (FreeBSD's of 2015) on random data, to the byte.

Three of Debian's formulas are older than current FreeBSD's: the median of an even count is the upper
of the two middle values, the deviation comes from the sum of squares (and loses digits), and the
error of the percentage leaves out the error of the base.  They are recomputed here from the data
and put into our output before it is compared.

usage: ministat.py WEIR [SEED]
"""
import math
import os
import random
import subprocess
import sys
import tempfile

DEBIAN = "/usr/bin/ministat"
CONFIDENCES = ["80", "90", "95", "98", "99", "99.5"]
COUNTS = [3, 4, 5, 6, 7, 9, 10, 21, 33, 50, 51, 52, 101]
ROUNDS = 120


def g(v, digits=6):
    return "%.*g" % (digits, v)


def run(argv, text=""):
    # Under its other name, whatever the file is called.
    r = subprocess.run(["ministat", *argv[1:]], executable=argv[0], input=text, capture_output=True, text=True, timeout=60, check=False)
    return r.stdout, r.stderr, r.returncode


def numbers(rng, n):
    """A sample as people measure them: rates, times, percentages, small integers."""
    kind = rng.randrange(5)
    base = 10 ** rng.uniform(-3, 7.5)
    if kind == 0:
        return ["%d" % rng.randrange(1, 40) for _ in range(n)]
    if kind == 1:
        return ["%.*f" % (rng.randrange(1, 5), rng.gauss(base, base / 50)) for _ in range(n)]
    if kind == 2:
        return ["%.17g" % rng.expovariate(1 / base) for _ in range(n)]
    if kind == 3:
        return ["%.6e" % rng.uniform(-base, base) for _ in range(n)]
    return [rng.choice(["8211578", "8259515.5", "8244041", "8235045.2"]) for _ in range(n)]


def older_deviation(v):
    total, squares = 0.0, 0.0
    for x in v:
        total += x
        squares += x * x
    return math.sqrt((squares - total * total / len(v)) / (len(v) - 1.0))


def older_error(a, b, t):
    pooled = math.sqrt((older_deviation(a) ** 2 + older_deviation(b) ** 2) / 2)
    return t * pooled * math.sqrt(2 / len(a)) * 100 / (sum(a) / len(a))


def older(out, sets, t):
    """Our output with Debian's formulas, for sets of equal counts."""
    values = [[float(x) for x in s] for s in sets]
    lines, i = out.split("\n"), -1
    for k, line in enumerate(lines):
        words = line.split()
        if len(words) == 7 and words[0] in "x+*%#@O" and words[1] == str(len(sets[0])):
            i += 1
            words[4] = g(sorted(values[i])[len(sets[0]) // 2], 8)
            words[6] = g(older_deviation(values[i]), 8)
            lines[k] = "%s %3s" % tuple(words[:2]) + "".join(" %13s" % w for w in words[2:])
        if line.startswith("\t") and "%" in line:
            lines[k] = line[: line.index("+/- ") + 4] + g(older_error(values[0], values[i], t)) + "%"
    return "\n".join(lines)


def write(folder, sets):
    names = []
    for i, s in enumerate(sets):
        names.append(os.path.join(folder, "set%d" % i))
        with open(names[-1], "w", encoding="ascii") as f:
            f.write("\n".join(s) + "\n")
    return names


def table():
    """The factors Debian uses, found by asking it: {(confidence, count): t}."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for conf in CONFIDENCES:
            for n in COUNTS:
                # Deviations -1, 0...0, 1: variance 2 / (n - 1) each, pooled the same.
                a = ["-1"] + ["0"] * (n - 2) + ["1"]
                b = ["999"] + ["1000"] * (n - 2) + ["1001"]
                out = run([DEBIAN, "-A", "-c", conf, *write(folder, [a, b])])[0]
                e = float(out.split("+/- ")[1].split()[0])
                found[conf, n] = round(e / math.sqrt(2 / (n - 1)) / math.sqrt(2 / n), 3)
    return found


def compare(weir, seed, options, sets, factors):
    """None if both print the same, else what differs."""
    with tempfile.TemporaryDirectory() as folder:
        names = write(folder, sets)
        ours = run([weir, *options, *names])
        plain = [o for o in options if o != "--compat"]
        theirs = run([DEBIAN, *plain, *names])
        default = run([weir, *plain, *names])
    conf = options[options.index("-c") + 1] if "-c" in options else "95"
    adapted = (older(ours[0], sets, factors[conf, len(sets[0])]), *ours[1:])
    # Without --compat only what is wrong in the original may differ.
    large = any(abs(float(x)) > 9e7 for s in sets for x in s)
    if default != ours and not large and conf != "99.5":
        return "seed %d, options %s: --compat changes what is right" % (seed, options)
    if adapted == theirs:
        return None
    return "seed %d, options %s, %s:\nours (adapted):\n%stheirs:\n%s" % (
        seed, options, sets, adapted, theirs)


def one(weir, seed, factors):
    rng = random.Random(seed)
    # Equal counts, so that one factor serves all sets; odd ones where the picture shows the median.
    n = rng.choice(COUNTS)
    options = ["--compat"]
    if n % 2 == 0 or rng.random() < 0.3:
        options.append("-A" if rng.random() < 0.8 else "-n")
    if rng.random() < 0.4:
        options.append("-s")
    if rng.random() < 0.5:
        options += ["-w", str(rng.randrange(2, 200))]
    if rng.random() < 0.5:
        options += ["-c", rng.choice(CONFIDENCES)]
    sets = [numbers(rng, n) for _ in range(rng.randrange(1, 8))]
    return compare(weir, seed, options, sets, factors)


# What both must say about these; (arguments, standard input).
ERRORS = [
    ([], ""), ([], "1\n2\n"), ([], "1\n2\nx\n3\n"), (["-n"], "1\n2\n3"), (["-n"], "1\r\n2\r\n3\r\n"),
    (["-n"], "# c\n1 # d\n\n 2\n\t3\n"), (["-n", "-C", "2"], "a 1\nb 2\nc 3\nd\n"),
    (["-n", "-d", ",;"], "1,9\n2;9\n3\n"), (["-C", "x"], ""), (["-C", "0"], ""), (["-C", "-4"], ""),
    (["-c", "94"], ""), (["-c", "x"], ""), (["-d", ""], ""), (["-w", "x"], ""), (["-w", "-1"], ""),
    (["/nonexistent"], ""), (["-n", "/nonexistent", "-"], "1\n2\n3\n"), (["-"] * 8, ""),
    (["-n", "-c", "99.50"], "1\n2\n3\n"), (["-w", "20"], "3\n3\n3\n"), (["-w", "20"], "1\n2\n3\n"),
]
# Where current FreeBSD's words differ from Debian's of 2015.
NEWER = [
    ('Invalid data "x" on', "Invalid data on"),
    ("[-Anqs] [-C column] [-c confidence] [-d delimiter(s)] [-w width] [file ...]]",
     "[-C column] [-c confidence] [-d delimiter(s)] [-Ans] [-w width] [file [file ...]]"),
    ("\t-q : suppress printing summary-statistics headers and data-set names\n", ""),
]


def same_errors(weir):
    wrong = []
    for argv, text in ERRORS:
        out, err, rc = run([weir, *argv], text)
        for new, old in NEWER:
            err = err.replace(new, old)
        if "Cannot open" in err and rc == 2:
            rc = 1
        if (out, err, rc) != run([DEBIAN, *argv], text):
            wrong.append("%s: %r against %r" % (argv, (out, err, rc), run([DEBIAN, *argv], text)))
    return wrong


def main():
    weir = sys.argv[1]
    if not os.access(DEBIAN, os.X_OK):
        print("skipped: no %s to compare with (Debian package ministat)" % DEBIAN)
        return 77
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    factors = table()
    wrong = [w for w in (one(weir, s, factors) for s in range(first, first + ROUNDS)) if w]
    wrong += same_errors(weir)
    for w in wrong[:5]:
        print(w)
    print("%d of %d outputs differ" % (len(wrong), ROUNDS + len(ERRORS)))
    return 1 if wrong else 0


sys.exit(main())
