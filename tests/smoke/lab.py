#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`weir lab` in memory: as root and as an ordinary user, folders of conditions, what it writes.

usage: lab.py WEIR
"""
import csv
import hashlib
import json
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time

from labtest import TOP, Failures, lab, load, measured, place, results, too_busy

NOBODY = 65534
f = Failures()


def check_files(where, r):
    """Everything the manual promises is in the folder, and says the same."""
    folder = os.path.join(where, results(r.stdout))
    arms = ["inet4", "inet6", "inet4 again"]
    found = load(folder)
    f.check([a["name"] for a in found["arms"]] == arms, "arms: %s" % [a["name"] for a in found["arms"]])
    for a in found["arms"]:
        f.check(a["n"] == 8, "%s: %d valid runs" % (a["name"], a["n"]))
        f.check(a["loss"] == 0, "%s: loss %s in memory" % (a["name"], a["loss"]))
        f.check(0 < a["min_pps"] <= a["median_pps"] <= a["max_pps"], "%s: order of min, median, max" % a["name"])
        imix = a["median_pps"] * (7 * (40 + 14) + 4 * (576 + 14) + (1500 + 14)) / 12 * 8
        f.check(abs(imix / a["imix_bps"] - 1) < 1e-6, "%s: IMIX estimate" % a["name"])
        values = [run["pps"] for run in found["runs"] if found["arms"][run["arm"]] is a and run["valid"]]
        with open(os.path.join(folder, a["name"].replace(" ", "-") + ".pps"), encoding="utf-8") as h:
            lines = [float(l) for l in h]
        f.check(len(lines) == 8 and all(abs(x / y - 1) < 1e-6 for x, y in zip(lines, values)), "%s.pps" % a["name"])
    for run in found["runs"]:
        if run["valid"]:
            out = run["dut_sent"] + run["dut_queued"] + sum(d["n"] for d in run["drops"])
            f.check(run["dut_in"] + run["dut_made"] == out, "run %d: account" % run["number"])
            f.check(run["offered"] == run["dut_in"] == run["received"] > 10000, "run %d: frames" % run["number"])
            f.check(run["turn_packets"] >= 48, "run %d: %s frames a turn" % (run["number"], run["turn_packets"]))
    blocks = [[run["arm"] for run in found["runs"] if run["valid"] and run["block"] == b] for b in range(8)]
    f.check(all(sorted(b) == [0, 1, 2] for b in blocks), "each block holds every arm once: %s" % blocks)
    f.check(all(blocks[i] == blocks[i + 1][::-1] for i in range(0, 8, 2)), "every second block mirrors: %s" % blocks)
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as h:
        manifest = json.load(h)
    f.check(manifest["seed"] == found["seed"], "seed of the manifest")
    names = set()
    for e in manifest["files"]:
        names.add(e["path"])
        with open(os.path.join(folder, e["path"]), "rb") as h:
            f.check(hashlib.sha256(h.read()).hexdigest() == e["sha256"], "sha256 of %s" % e["path"])
    there = {os.path.relpath(os.path.join(d, n), folder) for d, _, ns in os.walk(folder) for n in ns}
    # The page can be made again, by a later version too.
    f.check(there - names == {"manifest.json", "report.html"} and names <= there, "files: %s" % sorted(there ^ names))
    for need in ["results.json", "results.csv", "samples.jsonl", "compare.ministat", "report.txt",
                 "conf/forwarding/rc.conf", "conf/forwarding/sysctl.conf"]:
        f.check(need in names, "%s is missing" % need)
    with open(os.path.join(folder, "samples.jsonl"), encoding="utf-8") as h:
        samples = [json.loads(l) for l in h]
    f.check(len(samples) == sum(len(run["windows"]) for run in found["runs"]), "samples.jsonl: %d lines" % len(samples))
    with open(os.path.join(folder, "results.csv"), encoding="utf-8", newline="") as h:
        rows = list(csv.DictReader(h))
    pps = {int(x["run"]): float(x["value"]) for x in rows if x["metric"] == "pps"}
    f.check(all(abs(pps[run["number"]] - run["pps"]) <= 1e-6 * run["pps"] for run in found["runs"]), "results.csv: pps")
    with open(os.path.join(folder, "report.txt"), encoding="utf-8") as h:
        f.check(h.read().splitlines()[-1] == r.stdout.splitlines()[-1], "report.txt ends with the verdict")
    return folder


def default_lab(weir, user):
    who = "user %s" % user if user else "the caller"
    where = place(user)
    start = time.monotonic()
    r = lab(weir, ["--quick"], where, user)
    if not f.check(r.returncode == 0, "%s: exit %d: %s%s" % (who, r.returncode, r.stdout[-1500:], r.stderr)):
        return
    f.check(r.stderr == "", "%s: on standard error: %s" % (who, r.stderr))
    f.check(r.stdout.splitlines()[-1].startswith("verdict: inet6 against inet4: "), "%s: last line" % who)
    f.check("Noise floor of this machine" in r.stdout and "A/A: " in r.stdout, "%s: noise floor" % who)
    f.check("N           Min           Max        Median" in r.stdout, "%s: ministat box" % who)
    f.check(time.monotonic() - start < 250, "%s: took %.0f s" % (who, time.monotonic() - start))
    folder = check_files(where, r)
    # The same report again from the folder alone.
    before = open(os.path.join(folder, "report.txt"), encoding="utf-8").read()
    os.unlink(os.path.join(folder, "report.html"))
    again = subprocess.run([weir, "lab", "report", folder], capture_output=True, text=True, timeout=60, check=False)
    f.check(again.returncode == 0, "report: exit %d: %s" % (again.returncode, again.stderr))
    f.check(open(os.path.join(folder, "report.txt"), encoding="utf-8").read() == before, "report.txt differs")
    f.check(os.path.exists(os.path.join(folder, "report.html")), "report.html was not made again")
    f.check(sorted(os.listdir(where)) == ["runs"] and len(os.listdir(os.path.join(where, "runs"))) == 1,
            "leftovers: %s" % os.listdir(os.path.join(where, "runs")))
    shutil.rmtree(where)


def folders(weir):
    """The experiment that comes with Weir; a run of our own with a base, a note and a choice."""
    where = place()
    r = lab(weir, ["--runs", "4", "--seconds", "0.1", "-4", "--no-aa", "-o", "out", os.path.join(TOP, "labs/redirect")], where)
    found = measured(f, r, where, "redirect")
    if found:
        f.check({a["name"]: a["baseline"] for a in found["arms"]} ==
                {"redirect-0 inet4": False, "redirect-1-default inet4": True}, "redirect: arms")
        f.check(r.stdout.splitlines()[-1].startswith("verdict: redirect-0 inet4 against redirect-1-default inet4: "),
                "redirect: verdict: %s" % r.stdout.splitlines()[-1])
        f.check(os.path.exists(os.path.join(where, "out/conf/base/rc.conf")), "redirect: base is kept")

    mine = os.path.join(where, "mine")
    shutil.copytree(os.path.join(TOP, "labs/redirect/base"), os.path.join(mine, "base"))
    for name, text in (("a", ""), ("b", "dev.igb.2.fc=0\nhw.intr_storm_threshold=9000\n"), ("c", "nonsense here\n")):
        os.makedirs(os.path.join(mine, name, "etc"))
        with open(os.path.join(mine, name, "etc", "sysctl.conf"), "w", encoding="utf-8") as h:
            h.write(text)
    r = lab(weir, ["--quick", "-6", mine], where)
    f.check(r.returncode == 4 and "sysctl.conf:1" in r.stderr, "malformed line: exit %d: %s" % (r.returncode, r.stderr))
    f.check(not os.path.exists(os.path.join(where, "runs")), "a refused experiment leaves a folder")
    r = lab(weir, ["--runs", "4", "--seconds", "0.1", "--no-aa", "-6", "--conditions", "a,b", "--baseline", "b", mine], where)
    if measured(f, r, where, "mine"):
        f.check("verdict: a inet6 against b inet6: " in r.stdout, "mine: --baseline")
        f.check(len(re.findall("hw.intr_storm_threshold: ", r.stdout)) == 1, "mine: the note is shown once")
    # What cannot be kept with the results is said before the runs, not after them.
    os.symlink("/nonexistent", os.path.join(mine, "b", "notes"))
    start = time.monotonic()
    r = lab(weir, ["--runs", "50", "--seconds", "2", "--conditions", "a,b", mine], where)
    f.check(r.returncode == 4 and "b/notes: No such file" in r.stderr, "odd file: exit %d: %s" % (r.returncode, r.stderr))
    f.check(time.monotonic() - start < 30, "an odd file is found after the runs")
    os.unlink(os.path.join(mine, "b", "notes"))
    r = lab(weir, ["-o", "", mine], where)
    f.check(r.returncode == 4 and "-o: the name is empty" in r.stderr, "-o '': exit %d: %s" % (r.returncode, r.stderr))
    for args in (["--conditions", "a,x"], ["--baseline", "x", "--conditions", "a"]):
        r = lab(weir, [*args, mine], where)
        f.check(r.returncode == 4 and "'x'" in r.stderr, "%s: exit %d: %s" % (args, r.returncode, r.stderr))
    shutil.rmtree(where)


def partly_routed(weir):
    """Destinations without a route are loss with a name, and their ICMP errors confuse nobody."""
    where = place()
    r = lab(weir, ["--runs", "4", "--seconds", "0.1", "--conditions", "forwarding", "-4", "--no-aa", "-o", "out",
                   "--fail-if-slower", "50", "--dst", "198.19.255.1:2000-198.20.0.100"], where)
    found = measured(f, r, where, "partly routed")
    if found:
        for run in found["runs"]:
            if run["valid"]:
                drops = {d["name"]: d["n"] for d in run["drops"]}
                f.check(drops.get("ip4-no-route", 0) == run["offered"] - run["received"] > 0, "partly routed: %s" % run["drops"])
                f.check(run["dut_made"] > 0, "partly routed: no ICMP errors")
    shutil.rmtree(where)


def json_out(weir):
    where = place()
    r = lab(weir, ["--runs", "4", "--seconds", "0.1", "--conditions", "forwarding", "-4", "--json", "--rate", "200000",
                   "--seed", "7", "-o", "out"], where)
    found = json.loads(r.stdout) if r.stdout else None
    if r.returncode == 3 and found and too_busy(found):
        print("skipped: holding a rate: other work of this machine made runs void, again and again")
    elif f.check(r.returncode == 0, "--json: exit %d: %s" % (r.returncode, r.stderr)):
        f.check(found["seed"] == "0x7", "--seed")
        for run in found["runs"]:
            if run["valid"]:
                f.check(abs(run["offered_pps"] / 200000 - 1) < 0.02, "--rate: offered %s" % run["offered_pps"])
    os.mkdir(os.path.join(where, "old"))
    with open(os.path.join(where, "old", "mine"), "w", encoding="utf-8"):
        pass
    r = subprocess.run([weir, "lab", "--quick", "-o", "old"], cwd=where, capture_output=True, text=True, timeout=60, check=False)
    if "packet I/O does not start" in r.stderr:
        r = subprocess.run(r.args, cwd=where, capture_output=True, text=True, timeout=60, check=False)
    f.check(os.listdir(os.path.join(where, "old")) == ["mine"], "-o of an old folder changes it")
    f.check(r.returncode == 4 and "already there" in r.stderr, "-o of an old folder: exit %d: %s" % (r.returncode, r.stderr))
    r = lab(weir, ["--quick", "-o", "no/such/place"], where)
    f.check(r.returncode == 4 and "no/such/place" in r.stderr, "-o nowhere: exit %d: %s" % (r.returncode, r.stderr))
    shutil.rmtree(where)


def aa(weir):
    where = place()
    r = lab(weir, ["--aa", "2", "--runs", "8", "--seconds", "0.1"], where)
    if r.returncode == 3 and re.search(r", [12] invalid\n$", r.stdout) and os.getloadavg()[0] > os.cpu_count():
        print("skipped: --aa: other work of this machine made runs void, again and again")
        shutil.rmtree(where)
        return
    f.check(r.returncode == 0, "--aa: exit %d: %s%s" % (r.returncode, r.stdout, r.stderr))
    f.check(re.search(r"\nA/A: [012] of 2 experiments call a difference, 0 invalid\n$", r.stdout), "--aa: %s" % r.stdout)
    f.check(os.listdir(where) == [], "--aa leaves %s" % os.listdir(where))
    shutil.rmtree(where)


def progress(weir):
    """On a terminal, standard error shows a bar with the time left, and ends with a clean line."""
    where = place()
    me, other = pty.openpty()
    p = subprocess.Popen([weir, "lab", "--runs", "2", "--seconds", "0.1", "--conditions", "forwarding", "-4", "--no-aa"],
                         cwd=where, stderr=other, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    os.close(other)
    text = b""
    while True:
        if select.select([me], [], [], 120)[0]:
            try:
                got = os.read(me, 4096)
            except OSError:
                break
            if not got:
                break
            text += got
        else:
            break
    p.wait(timeout=60)
    f.check(re.search(rb"\[#* *\] \d+/2  \d+:\d\d left  inet4", text), "progress: %r" % text[-300:])
    f.check(text.endswith(b"\r\x1b[K"), "progress: ends with %r" % text[-20:])
    shutil.rmtree(where)


def usage(weir):
    for args, status, says in (
            (["--wrong"], 4, "--wrong"),
            (["--runs", "0"], 4, "--runs"),
            (["--seconds", "1x"], 4, "1x"),
            (["--len", "59"], 4, "59"),
            (["--len"], 4, "--len"),
            (["--src", "198.18.10.1-198.18.10.256"], 4, "--src"),
            (["-4", "-6"], 4, "exclude"),
            (["--dut", "bsd"], 4, "bsd"),
            (["--dut", "wire"], 4, "--out"),
            (["--in", "null"], 4, "--dut wire"),
            (["--quick", "--runs", "3"], 4, "--quick"),
            (["--name", "a\x1bb"], 4, "--name a?b: a control character"),
            (["a", "b"], 4, "'b'"),
            (["/no/such/folder"], 4, "/no/such/folder"),
            (["report", "/no/such/folder"], 4, "/no/such/folder"),
            (["report", ""], 4, "the name of the results folder is empty"),
            ([""], 4, "the name of the folder of conditions is empty"),
            ([os.path.join(TOP, "README.md")], 4, "Not a directory"),
            ([os.path.join(TOP, "labs")], 4, "give one of them: " + os.path.join(TOP, "labs/")),
            (["--conditions", "x", os.path.join(TOP, "labs/redirect")], 4, "there is redirect-0, redirect-1-default"),
            (["--ports", "x", "--dut", "linux"], 4, "'x' is not afpacket or xdp"),
            (["--dst", "10.1.0.1-10.1.0.9"], 4, "no route to 10.1.0.1"),
            (["--dut", "wire", "--out", "null", "--in", "null", "--dmac", "2:0:0:0:0:1", "-4", "--src", "10.0.0.1"], 5, "RFC 6815"),
    ):
        r = lab(weir, args, "/tmp")
        f.check(r.returncode == status and says in r.stderr and r.stdout == "" and r.stderr.count("\n") == 1,
                "%s: exit %d: %r" % (args, r.returncode, r.stderr))
    r = subprocess.run(["sh", "-c", 'ulimit -v 150000; exec "$0" lab --quick', weir], cwd="/tmp", capture_output=True,
                       text=True, timeout=60, check=False)
    # The address sanitizer does not even start under such a limit.
    f.check("AddressSanitizer" in r.stderr or
            (r.returncode == 5 and r.stderr.endswith("; ulimit -v allows this process 146 MB\n")),
            "ulimit -v: exit %d: %s" % (r.returncode, r.stderr))
    cpu = min(os.sched_getaffinity(0))
    r = subprocess.run(["taskset", "-c", str(cpu), weir, "lab", "--quick"], cwd="/tmp", capture_output=True, text=True,
                       timeout=60, check=False)
    f.check(r.returncode == 5 and "need 2 CPUs of their own, and this process may use 1: give it more" in r.stderr,
            "one CPU: exit %d: %s" % (r.returncode, r.stderr))
    help_text = subprocess.run([weir, "lab", "--help"], capture_output=True, text=True, timeout=60, check=True).stdout
    with open(os.path.join(TOP, "man/weir-lab.8"), encoding="utf-8") as h:
        page = h.read()
    told = set(re.findall(r"^  (?:-(\w)(?:, )?)?(?:--([a-z0-9-]+))?", help_text, re.M))
    in_page = set(re.findall(r"^\.It Fl (\w)\b", page, re.M)) | set(re.findall(r"Fl -([a-z0-9-]+)", page))
    for short, name in told:
        for x in filter(None, (short, name)):
            f.check(x in in_page, "weir-lab.8 does not know the option %s" % x)
    known = {x for t in told for x in t if x}
    for x in re.findall(r"^\.It Fl -([a-z0-9-]+)", page, re.M):
        f.check(x in known, "weir-lab.8 knows the option --%s, --help does not" % x)


def main():
    weir = os.path.realpath(sys.argv[1])
    usage(weir)
    default_lab(weir, None)
    if os.geteuid() == 0:
        default_lab(weir, NOBODY)
    folders(weir)
    partly_routed(weir)
    json_out(weir)
    aa(weir)
    progress(weir)
    f.end()


main()
