# SPDX-License-Identifier: BSD-2-Clause
"""The classifier's figures: bench_classify holds both sides and takes their turns itself, so one run
of it measures all the rows of a round."""
import json

from process import Figure, NotMeasured, run

PASSES = 3  # in each round
SECONDS_MAX = 120


class Turns:
    """What the last run measured and no row has taken yet: {(key, side): Figure}."""

    def __init__(self):
        self.left = {}

    def take(self, env, key, side):
        if (key, side) not in self.left:
            self.left = figures(*measure(env))
        if (key, side) not in self.left:
            raise NotMeasured(f"bench_classify did not measure {key}")
        return self.left.pop((key, side))


def measure(env):
    """The lines it wrote, and its share of a CPU."""
    cmd = [f"{env.build}/tests/bench/bench_classify", *env.pages, "-m", "1024", "-l",
           str(env.cpus[1]), "--no-pci", "--no-telemetry", "--log-level=lib.eal:error",
           "--force-max-simd-bitwidth=512", "--", "--passes", str(PASSES)]
    output, _, share = run(cmd, SECONDS_MAX)
    return [json.loads(line) for line in output.splitlines()], share


def figures(lines, share):
    """Of sets of one size, build, memory and change are those of the kind that is worst."""
    out = {}

    def put(key, weir, peer):
        known = out.get((key, "weir"))
        if known is None or weir > known.ns:
            out[key, "weir"], out[key, "peer"] = Figure(weir, share), Figure(peer, share)

    for x in lines:
        size = x["rules"]
        if x["what"] == "lookup":
            put(("lookup", x["set"], size, x["keys"]), x["weir"], x["peer"])
            put(("tables", x["set"], size, x["keys"]), x["tables"], x["peer"])
            put(("scalar", x["set"], size, x["keys"]), x["tables_all"]["scalar"],
                x["peer_all"]["scalar"])
        elif x["what"] == "build":
            put(("build", size), x["weir_ms"], x["peer_ms"])
            put(("memory", size), x["weir_mb"], x["peer_mb"])
        elif x["what"] == "update":
            put(("update", size), max(x["add_p90_us"], x["delete_p90_us"]), x["peer_us"])
    return out
