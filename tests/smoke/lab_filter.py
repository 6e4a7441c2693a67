#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`weir lab` with filters: probes, hits, wrong rules, the built-in sets, the same rules by nftables (root).

usage: lab_filter.py WEIR
"""
import os
import shutil
import sys

from labtest import BUSY, TOP, Failures, lab, load, place, results

f = Failures()
FEW = ["--runs", "4", "--seconds", "0.1", "--no-aa", "-4"]


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as h:
        h.write(text)


def conditions(where, **scripts):
    """A folder with the ready experiment's base, and a condition with each script."""
    mine = os.path.join(where, "mine")
    shutil.copytree(os.path.join(TOP, "labs/filter15/base"), os.path.join(mine, "base"))
    write(os.path.join(mine, "a-default", "sysctl.conf"), "# forwarding alone\n")
    for name, text in scripts.items():
        write(os.path.join(mine, name, "cxgbetool.sh"), text)
    return mine


def rules(*words):
    return "".join("cxgbetool t5nex0 filter %s\n" % w for w in words)


def check_hits(found, arm, told):
    """Every frame of the valid runs, and both probes of every run, have met a rule of the listing."""
    runs = [r for r in found["runs"] if r["arm"] == arm and r["valid"]]
    if not runs:
        # On a machine that is too busy no run may be steady; any other reason is a fault.
        why = {r["gate"] for r in found["runs"] if r["arm"] == arm}
        f.check(why <= BUSY, "no valid run: %s" % why)
        return
    filt = [x for x in found["filters"] if x["arm"] == arm][0]
    mine = [x for x in found["rules"] if x["arm"] == arm]
    frames = sum(r["offered"] for r in runs)
    f.check(filt["frames"] == frames > 0, "frames of the valid runs: %s" % filt)
    f.check(filt["has_hits"], "Weir's card counts")
    hit = [x for x in mine if x["flows"] > 0]
    f.check(len(hit) == 1 and hit[0]["index"] == told and hit[0]["flows"] == 2000, "the rule the traffic meets: %s" % hit)
    # Of the probes some meet the same rule.
    f.check(frames + 2 * len(runs) <= hit[0]["hits"] <= frames + 2 * len(runs) * filt["n_probes"], "hits: %s" % hit)
    f.check(filt["hits"] <= frames + 2 * len(runs) * filt["n_probes"], "all hits: %s" % filt)
    f.check(filt["hits"] >= frames + 2 * len(runs) * (filt["n_probes"] - 1), "probes that meet a rule: %s" % filt)


def ready(weir):
    """The experiment that comes with Weir."""
    where = place()
    r = lab(weir, [*FEW, "-o", "out", os.path.join(TOP, "labs/filter15")], where)
    if f.check(r.returncode == 0, "filter15: exit %d: %s%s" % (r.returncode, r.stdout[-1500:], r.stderr)):
        found = load(os.path.join(where, "out"))
        arms = [a["condition"] for a in found["arms"]]
        f.check(arms == ["card-rules", "none-default"], "filter15: arms %s" % arms)
        filt = found["filters"]
        f.check(len(filt) == 1 and filt[0]["n_rules"] == 15 and filt[0]["n_probes"] == 16 and filt[0]["n_silent"] == 0,
                "filter15: %s" % filt)
        check_hits(found, 0, 102)
        f.check("Filters: frames made from the rules" in r.stdout, "filter15: the table tells of the filter")
        with open(os.path.join(where, "out/report.html"), encoding="utf-8") as h:
            page = h.read()
        f.check("<h2>Filters</h2>" in page and "15 rules, 16 probes before and after each run" in page, "filter15: report")
        for rel in "conf/card-rules/cxgbetool.sh", "manifest.json":
            f.check(os.path.exists(os.path.join(where, "out", rel)), "filter15: no %s" % rel)
    shutil.rmtree(where)


def stopped(weir, name, script, *says):
    """Rules that stop the traffic: said before anything is measured."""
    where = place()
    mine = conditions(where, b=script)
    r = lab(weir, [*FEW, "--conditions", "b", "-o", "out", mine], where)
    f.check(r.returncode == 4 and r.stderr.count("\n") == 1 and all(x in r.stderr for x in says),
            "%s: exit %d: %s%s" % (name, r.returncode, r.stdout[-500:], r.stderr))
    f.check(not os.path.exists(os.path.join(where, "out")), "%s: leaves results" % name)
    shutil.rmtree(where)


def wrong_rules(weir):
    stopped(weir, "all is dropped", rules("1 proto 17 action drop"),
            "b: rule 1 (proto 17 action drop) drops 2000 of the traffic's 2000 flows", "give --src and --dst ")
    stopped(weir, "some is dropped", rules("7 sip 198.18.10.64/26 action drop"), "drops 740 of the traffic's 2000 flows")
    stopped(weir, "it is sent elsewhere", rules("3 proto 17 action switch eport 1"), "rule 3 (proto 17 action switch eport 1) sends elsewhere or changes")


def by_tos(weir):
    """The generator's frames have TOS 0x10; a rule that does not count its hits voids nothing."""
    where = place()
    script = "cxgbetool t5nex0 filter mode tos proto frag\n"
    mine = conditions(where, b=script + rules("1 tos 0x10 proto 17 action pass", "2 proto 17 action drop"),
                      c=script + rules("1 tos 0x10 action pass hitcnts 0", "2 proto 17 action drop"))
    r = lab(weir, [*FEW, "--runs", "2", "--conditions", "b,c", "-o", "out", mine], where)
    if f.check(r.returncode in (0, 3), "tos: exit %d: %s%s" % (r.returncode, r.stdout[-1500:], r.stderr)):
        found = load(os.path.join(where, "out"))
        check_hits(found, 0, 1)
        why = {x["gate"] for x in found["runs"] if not x["valid"]}
        f.check(why <= BUSY, "tos: void for %s" % why)
    shutil.rmtree(where)


def refused(weir):
    where = place()
    mine = conditions(where, b=rules("1 proto 6 action drop", "2 dport 80:x proto 6"), c="echo no\n", d=rules("1 iport 3"))
    for name, says in (("b", "b/cxgbetool.sh:2: "), ("c", "c/cxgbetool.sh:1: "), ("d", "d/cxgbetool.sh:1: ")):
        r = lab(weir, [*FEW, "--conditions", "a-default," + name, mine], where)
        f.check(r.returncode == 4 and says in r.stderr and r.stderr.count("\n") == 1,
                "%s: exit %d: %s" % (name, r.returncode, r.stderr))
    r = lab(weir, [*FEW, "--dut", "wire", "--out", "null", "--in", "mem:x", "--dmac", "2:0:0:0:0:1", "--conditions", "b", mine], where)
    f.check(r.returncode == 5 and "cxgbetool.sh" in r.stderr and "setup.sh" in r.stderr, "wire: exit %d: %s" % (r.returncode, r.stderr))
    r = lab(weir, ["--conditions", "15-best"], where)
    f.check(r.returncode == 4 and "'15-best'" in r.stderr, "15-best: exit %d: %s" % (r.returncode, r.stderr))
    f.check(sorted(os.listdir(where)) == ["mine"], "refusals leave %s" % os.listdir(where))
    shutil.rmtree(where)


def built_in(weir):
    """The sets of the lab without a folder, two sizes of the three; the first, the last and no rule."""
    where = place()
    names = ["forwarding", "15-first", "15-never", "1000-last"]
    r = lab(weir, ["--runs", "2", "--seconds", "0.05", "--conditions", ",".join(names), "-o", "out"], where)
    if f.check(r.returncode in (0, 3), "built in: exit %d: %s%s" % (r.returncode, r.stdout[-1500:], r.stderr)):
        found = load(os.path.join(where, "out"))
        arms = [a["name"] for a in found["arms"]]
        f.check(arms == ["forwarding inet4", "15 rules, first", "15 rules, never", "1,000 rules, last", "forwarding inet6",
                         "forwarding inet4 again"], "built in: arms %s" % arms)
        f.check([x["n_rules"] for x in found["filters"]] == [15, 15, 1000], "built in: %s" % found["filters"])
        check_hits(found, 1, 0)
        check_hits(found, 3, 999)
        met = [x for x in found["rules"] if x["arm"] == 2 and x["flows"] > 0]
        f.check(met == [], "built in: the traffic meets %s" % met)
        compared = [(found["arms"][c["a"]]["name"], found["arms"][c["b"]]["name"]) for c in found["comparisons"] if not c["aa"]]
        f.check(compared == [("forwarding inet4", n) for n in arms[1:5]], "built in: comparisons %s" % compared)
        for n in names[1:]:
            f.check(os.path.exists(os.path.join(where, "out/conf", n, "cxgbetool.sh")), "built in: conf of %s" % n)
    shutil.rmtree(where)


def by_nftables(weir):
    """The same folders on the kernel: the probes see the rules there too; what nft cannot say is named."""
    where = place()
    r = lab(weir, [*FEW, "--dut", "linux", os.path.join(TOP, "labs/filter15-linux")], where)
    if f.check(r.returncode == 0, "linux: exit %d: %s%s" % (r.returncode, r.stdout[-1500:], r.stderr)):
        found = load(os.path.join(where, results(r.stdout)))
        arm = {a["condition"]: a for a in found["arms"]}
        f.check(all(a["n"] == 4 for a in found["arms"]), "linux: valid runs %s" % [a["n"] for a in found["arms"]])
        f.check(found["filters"][0]["n_rules"] == 15 and not found["filters"][0]["has_hits"] and
                {r["hits"] for r in found["filters"] + found["rules"]} == {None}, "linux: %s" % found["filters"])
        for name in "card-rules", "forward-chain":
            f.check(arm[name]["cycles_per_packet"] > arm["none-default"]["cycles_per_packet"], "linux: %s costs nothing" % name)
    # A setup.sh that takes the rules away again: the probes notice.
    mine = conditions(where, b=rules("1 proto 6 action drop"))
    write(os.path.join(mine, "b", "setup.sh"), "nft flush ruleset\n")
    r = lab(weir, [*FEW, "--runs", "1", "--dut", "linux", "--conditions", "b", "-o", "gone", mine], where)
    f.check(r.returncode == 3 and "before the traffic: a frame that rule 1 (proto 6 action drop) must drop came through" in r.stdout,
            "linux without the rules: exit %d: %s%s" % (r.returncode, r.stdout[-800:], r.stderr))
    shutil.rmtree(os.path.join(mine, "b"))
    write(os.path.join(mine, "c", "cxgbetool.sh"), rules("1 proto 6 action switch eport 1 swapmac 1"))
    r = lab(weir, [*FEW, "--dut", "linux", "--conditions", "c", mine], where)
    f.check(r.returncode == 5 and "c/cxgbetool.sh: nftables cannot carry it: " in r.stderr, "linux, switch: exit %d: %s" % (r.returncode, r.stderr))
    shutil.rmtree(where)


def main():
    weir = os.path.realpath(sys.argv[1])
    ready(weir)
    wrong_rules(weir)
    by_tos(weir)
    refused(weir)
    built_in(weir)
    if os.geteuid() == 0 and shutil.which("nft"):
        by_nftables(weir)
    else:
        print("left out: nftables needs root and nft")
    f.end()


main()
