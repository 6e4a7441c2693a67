#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`weir stat` beyond the original: --modern, --json, refusals, full disks, the manual.

usage: stat.py WEIR MANUAL
"""
import json
import os
import re
import subprocess
import sys
import tempfile

WEIR, MANUAL = sys.argv[1:3]
failed = []


def run(*argv, text="", out=subprocess.PIPE):
    r = subprocess.run([WEIR, "stat", *argv], input=text, stdout=out, stderr=subprocess.PIPE, text=True,
                       timeout=120, check=False)
    return r.stdout, r.stderr, r.returncode


def expect(what, ok, seen=""):
    if not ok:
        failed.append(what)
        print("failed: %s\n%s" % (what, seen))


def surplus_words_are_refused():
    for argv in (["version", "foo"], ["--version", "foo"], ["--help", "foo"]):
        r = subprocess.run([WEIR, *argv], capture_output=True, text=True, timeout=60, check=False)
        expect("%s is refused" % argv, r.returncode == 2 and r.stdout == "" and "'foo'" in r.stderr, r)


def refused(sentence, *argv):
    out, err, rc = run(*argv)
    expect("%s is refused" % (argv,), rc == 2 and out == "" and sentence in err, (out, err, rc))


def comparisons(a, b, c):
    out, err, rc = run("--modern", "--json", a, b, c)
    expect("--json exits 0 in silence", rc == 0 and err == "", err)
    r = json.loads(out)
    expect("three sets are described", [s["n"] for s in r["sets"]] == [8, 8, 8], out)
    faster, same = r["comparisons"]
    expect("the verdicts", (faster["verdict"], same["verdict"]) == ("faster", "equivalent"), out)
    expect("p of separated sets", abs(faster["p"] - 2 / 12870) < 1e-9, out)
    expect("Holm's correction", abs(faster["p_adjusted"] - 2 * faster["p"]) < 1e-9, out)
    expect("the interval holds the effect",
           faster["effect_interval"][0] <= faster["effect"] <= faster["effect_interval"][1], out)

    slower = json.loads(run("--modern", "--json", "--smaller-is-better", "--seed", "7", a, b)[0])["comparisons"][0]
    expect("smaller is better", slower["verdict"] == "slower" and slower["seed"] == 7, slower)
    loud = json.loads(run("--modern", "--json", "--noise", "6%", "--margin", "7", a, b)[0])["comparisons"][0]
    expect("noise floor and margin", loud["verdict"] == "equivalent" and loud["margin"] == 0.07, loud)
    blocks = json.loads(run("--modern", "--json", "--blocks", a, b)[0])["comparisons"][0]
    expect("blocks", blocks["test"] == "exact Wilcoxon signed-rank" and blocks["verdict"] == "faster", blocks)

    out = run("--modern", "-A", a, b)[0]
    expect("the box comes first", out.startswith("x %s\n+ %s\n    N  " % (a, b)), out)
    for part in ("%s against %s: faster\n" % (b, a), "\teffect: +4.998% (95%: 4.", "exact Mann-Whitney: p = 0.000155;",
                 "Welch's t: difference of means 5 ", "Hodges-Lehmann shift: 5 ", "seed 1)"):
        expect("the text holds %r" % part, part in out, out)


def manual():
    told = set(re.findall(r"^\t(-\S+) ", run("--help")[0].replace("\tconfidence", "\t-c "), re.M))
    page = {"-" + w for w in re.findall(r"^\.It Fl (\S+)", open(MANUAL, encoding="utf-8").read(), re.M)}
    expect("help and manual tell the same options", told == page, sorted(told ^ page))


def main():
    with tempfile.TemporaryDirectory() as folder:
        def file(name, values):
            path = os.path.join(folder, name)
            with open(path, "w", encoding="ascii") as f:
                f.write("\n".join(map(str, values)) + "\n")
            return path

        base = [100, 101, 99, 100.5, 99.5, 100.2, 99.8, 100.1]
        a, b, c = file("a", base), file("b", [v + 5 for v in base]), file("c", base[::-1])
        comparisons(a, b, c)
        surplus_words_are_refused()
        refused("--blocks goes with --modern", "--blocks", a, b)
        refused("two files or more", "--modern", a)
        refused("do not go with it", "--modern", "--json", "-s", a, b)
        refused("not a percentage", "--modern", "--margin", "x", a, b)
        refused("not a percentage", "--modern", "--margin", "0", a, b)
        refused("not a percentage", "--modern", "--noise", "-1", a, b)
        refused("not a number from 1", "--modern", "--seed", "0", a, b)
        refused("not a number from 1", "--modern", "--seed", "99999999999999999999", a, b)
        refused("weir stat: illegal option -- z\nUnknown option\nUsage: ", "-z", a)
        refused("weir stat: illegal option -- nope\n", "--nope", a)
        refused("weir stat: option requires an argument -- w\n", a, "-w")
        refused("weir stat: option requires an argument -- seed\n", a, "--seed")
        refused("Unable to move beyond left margin.", "-w", "1", a)
        refused('Invalid data "nan" on line 4 in ', file("n", [1, 2, 3, "nan"]))
        refused("Cannot open '': No such file", "")
        refused("Cannot read %s: Is a directory" % folder, folder)
        few = json.loads(run("--modern", "--json", a, file("f", [1, 2, 3]))[0])["comparisons"][0]
        expect("three values prove nothing", few["verdict"] == "invalid" and "effect" not in few, few)
        with open("/dev/full", "w", encoding="ascii") as full:
            _, err, rc = run("-n", a, out=full)
        expect("a full disk is said", rc == 2 and "No space left" in err, err)
        out, err, rc = run("-n", "-q", text="1\n2\n3\n")
        expect("standard input", rc == 0 and out.startswith("x   3 "), out + err)
    manual()
    print("%d checks failed" % len(failed))
    return 1 if failed else 0


sys.exit(main())
