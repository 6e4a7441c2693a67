# SPDX-License-Identifier: BSD-2-Clause
"""The rows of the table.  measure(env) gives {side: Measured or seconds} of one round."""
import os
import random
import re

import change
import classify
import kernel
from process import Figure, Measured, NotMeasured, Testpmd, run
from veth import Lab, Sink
import weir
from weir import Generator, Router


class Row:
    unit = "ns"
    weir = "weir router"
    peer = "testpmd mac"
    at_most = None   # goal for weir's cost over the peer's
    at_least = None  # goal for weir's speed over the peer's
    below = None     # goal for weir's figure itself
    rounds = None    # at most: more are not worth their time
    weir_of = None   # the row before it whose measurement of Weir serves for this one too

    def __init__(self, name, text, **fields):
        self.name, self.text = name, text
        self.__dict__.update(fields)

    def ratio(self, weir, peer):
        return weir / peer if self.at_least is None else peer / weir

    def met(self, ratio, weir):
        if self.below is not None:
            return weir <= self.below
        if self.at_most is not None:
            return ratio <= self.at_most
        return None if self.at_least is None else ratio >= self.at_least

    def goal(self):
        if self.below is not None:
            return f"<= {self.below} {self.unit}"
        if self.at_most is not None:
            return f"<= {self.at_most}"
        return "-" if self.at_least is None else f">= {self.at_least}"

    def sides(self, env):
        """[(key, function)]: measured one after the other, in turns first."""
        raise NotImplementedError

    def fair(self, _sides):
        """Whether the machine was the same for both."""
        return True


class Forward(Row):
    """pcap in (repeated from memory), null out."""

    def sides(self, env):
        pcap = env.pcaps[self.version]
        return [("weir", lambda: self.router(env, pcap, env.conf)),
                ("peer", lambda: self.testpmd(env, pcap))]

    def router(self, env, pcap, conf):
        with Router(env.build, conf, f"pcap:{pcap}", "null", env.folder, options=["--loop"]) as r:
            return Measured("weir router", r.own_windows())

    def testpmd(self, env, pcap):
        vdevs = [f"net_pcap0,rx_pcap={pcap},infinite_rx=1", "net_null0,no-rx=1"]
        with Testpmd(self.mode, vdevs, env.folder, env.cpus, env.pages) as t:
            t.connect()
            return Measured(f"testpmd {self.mode}", t.windows(t.worker(), lambda: t.sent(1)))


class Filtered(Forward):
    """The same with a card's rules, of which the flows match the last one; beside the router without
    rules."""

    peer = "weir router"

    def sides(self, env):
        conf = weir.write_rules(env.folder, self.rules)
        pcap = env.pcaps[self.version]
        return [("weir", lambda: self.router(env, pcap, conf)),
                ("peer", lambda: self.router(env, pcap, env.conf))]


class Generate(Row):
    weir = "weir gen"
    peer = "testpmd txonly-multi-flow"

    def sides(self, env):
        return [("weir", lambda: self.gen(env)), ("peer", lambda: self.testpmd(env))]

    def gen(self, env):
        with Generator(env.build, "null", env.folder, env.cpus[1]) as g:
            return Measured("weir gen", g.own_windows(g.sender()))

    def testpmd(self, env):
        with Testpmd("txonly", ["net_null0,no-rx=1"], env.folder, env.cpus, env.pages,
                     options=["--txonly-multi-flow", "--txpkts=60"]) as t:
            t.connect()
            return Measured("testpmd txonly", t.windows(t.worker(), lambda: t.sent(0)))


class VethSend(Row):
    """One interface sends; the far end drops by XDP and counts what arrived."""

    weir = "weir gen"
    peer = "testpmd txonly"

    def sides(self, env):
        return [("weir", lambda: self.gen(env)), ("peer", lambda: self.testpmd(env))]

    def gen(self, env):
        with Lab() as lab, Sink(env.build, "k1", lab.sink, env.folder) as sink, \
                Generator(env.build, f"{self.kind}:d1", env.folder, env.cpus[1], lab.dut) as g:
            return Measured("weir gen", g.windows(g.sender(), sink.count), queued=True)

    def testpmd(self, env):
        with Lab() as lab, Sink(env.build, "k1", lab.sink, env.folder) as sink, \
                Testpmd("txonly", [f"{self.driver}0,iface=d1"], env.folder, env.cpus, env.pages,
                        lab.dut, options=["--txpkts=60"]) as t:
            t.connect()
            return Measured("testpmd txonly", t.windows(t.worker(), sink.count), queued=True)


class LiveSend(Row):
    """Into a native XDP program that drops: by live frames, and by a socket."""

    weir = "weir gen, live frames"
    peer = "weir gen, AF_XDP"

    def sides(self, env):
        return [("weir", lambda: self.gen(env, "live")), ("peer", lambda: self.gen(env, "xdp"))]

    @staticmethod
    def gen(env, kind):
        with Lab() as lab, Sink(env.build, "k1", lab.sink, env.folder) as sink, \
                Generator(env.build, f"{kind}:d1", env.folder, env.cpus[1], lab.dut) as g:
            return Measured(f"weir gen by {kind}", g.windows(g.sender(), sink.count), queued=True)


class VethForward(Row):
    """From one interface to another, offered more than it can take; what arrives behind it
    counts.  The source runs on the first CPU, the forwarder on the second."""

    def sides(self, env):
        return [("weir", lambda: self.router(env)), ("peer", lambda: self.testpmd(env))]

    @staticmethod
    def source(env, lab):
        return Generator(env.build, "xdp:s0", env.folder, env.cpus[0], lab.src)

    def router(self, env):
        with Lab() as lab, Sink(env.build, "k1", lab.sink, env.folder) as sink, \
                Router(env.build, env.conf, f"{self.kind}:d0", f"{self.kind}:d1", env.folder,
                       lab.dut) as r, self.source(env, lab) as g:
            g.sender()
            return Measured("weir router", r.windows(r.worker(), sink.count), queued=True)

    def testpmd(self, env):
        vdevs = [f"{self.driver}0,iface=d0", f"{self.driver}1,iface=d1"]
        with Lab() as lab, Sink(env.build, "k1", lab.sink, env.folder) as sink, \
                Testpmd("mac", vdevs, env.folder, env.cpus, env.pages, lab.dut) as t:
            t.connect()
            with self.source(env, lab) as g:
                g.sender()
                return Measured("testpmd mac", t.windows(t.worker(), sink.count), queued=True)


class InKernel(Row):
    """A card in the kernel and a peer there, each set up by a function of kernel.Device."""

    weir = "card"
    one_cpu = False  # source and receiver, by turns

    def sides(self, env):
        return [("weir", lambda: kernel.measure(env, self.weir, self.card, self.one_cpu)),
                ("peer", lambda: kernel.measure(env, self.peer, self.other, self.one_cpu))]

    def fair(self, sides):
        return self.one_cpu or kernel.alike([side.handoff_ns for side in sides.values()])


def in_kernel_rows():
    drop15, drop500 = kernel.rules_of(15, kernel.DROP), kernel.rules_of(500, kernel.DROP)
    card15 = lambda d: d.card(drop15)
    for one_cpu, mark in (False, ""), (True, "-1cpu"):
        yield InKernel(f"card-drop15{mark}", "15 rules, the last drops", card=card15, one_cpu=one_cpu,
                       peer="xdp-filter, by source", other=lambda d: d.xdp_filter("ipv4,udp,ethernet"),
                       at_most=0.65)
        yield InKernel(f"card-drop15-nft{mark}", "15 rules, the last drops", card=card15, one_cpu=one_cpu,
                       weir_of=f"card-drop15{mark}", peer="nft ingress, the same",
                       other=lambda d: d.nft(drop15), at_most=0.21)
        yield InKernel(f"card-drop500{mark}", "500 rules, the last drops", card=lambda d: d.card(drop500),
                       one_cpu=one_cpu, peer="card, 15 rules", other=card15, at_most=1.15)
    yield InKernel("card-fwd", "forward, no rules", card=lambda d: d.card([], forward=True),
                   peer="Linux, forwarding", other=lambda d: None, at_least=2)
    yield InKernel("card-fwd15", "forward, 15 rules",
                   card=lambda d: d.card(kernel.rules_of(15), forward=True),
                   peer="Linux, no rules", other=lambda d: None, at_least=1.8)


class Change(Row):
    """One rule more or less, as whoever gives the command sees it."""

    unit = "ms"
    weir = "cxgbetool, add or delete"
    peer = "nft, add or delete"
    rounds = 3

    def sides(self, env):
        return [("weir", lambda: change.card(env)), ("peer", lambda: change.nft(env))]


class Ministat(Row):
    """A million values."""

    unit = "s"
    weir = "weir stat"
    peer = "Debian's ministat"

    def sides(self, env):
        values = self.values(env)
        outputs = {}
        return [("weir", lambda: self.run(f"{env.build}/cmd/ministat", values, outputs)),
                ("peer", lambda: self.run("/usr/bin/ministat", values, outputs))]

    @staticmethod
    def values(env):
        path = os.path.join(env.folder, "values")
        if not os.path.exists(path):
            r = random.Random(1)
            with open(path, "w", encoding="ascii") as f:
                f.writelines(f"{r.gauss(1e6, 2e4):.3f}\n" for _ in range(1000000))
        return path

    def run(self, program, values, outputs):
        output, cpu, share = run([program, "-n", values])
        outputs[program] = self.figures(output)
        if len(set(outputs.values())) > 1:
            raise NotMeasured(f"the two print different figures: {outputs}")
        return Figure(cpu, share)

    @staticmethod
    def figures(text):
        """N, min, max, median, average, deviation of the one data set."""
        for line in text.splitlines():
            if re.match(r"^[x ] +1000000 ", line):
                return tuple(line.split()[1 if line[0] == "x" else 0:])
        raise NotMeasured(f"ministat printed no figures: {text[:200]}")


class Classify(Row):
    """Weir's classifier and rte_acl, the same rules and keys, in bursts of 32.  Weir keeps the
    results of some thousand keys, as a router's worker does: 2000 keys are found again, 200,000 are
    not.  What the tables alone cost is in rows of their own."""

    unit = "cycles"
    weir = "classify"
    peer = "rte_acl"
    rounds = 3  # the program's passes are rounds too, and the peer builds for seconds
    turns = classify.Turns()

    def sides(self, env):
        return [(side, lambda side=side: self.turns.take(env, self.key, side))
                for side in ("weir", "peer")]


def classify_rows():
    sets = [("chelsio", 15)] + [(kind, size) for size in (100, 1000, 10000)
                                for kind in ("hosts", "wild", "ranges")]
    many = {2000: "", 200000: "-200k"}
    for kind, size in sets:
        for keys, mark in many.items():
            yield Classify(f"cl-{kind}-{size}{mark}", f"{size} rules, {keys} keys",
                           key=("lookup", kind, size, keys), at_most=1.0 if size == 10000 else 0.4)
        yield Classify(f"cl-tables-{kind}-{size}", f"{size} rules, nothing kept",
                       key=("tables", kind, size, 2000), weir="classify, tables alone")
    for kind, size in sets:
        yield Classify(f"cl-scalar-{kind}-{size}", f"{size} rules, 2000 keys",
                       key=("scalar", kind, size, 2000), weir="classify, scalar",
                       peer="rte_acl, scalar")
    for size, most_ms, most_us in (500, None, 50), (1000, 50, None), (10000, 1000, 1000):
        if most_ms is not None:
            yield Classify(f"cl-build-{size}", f"{size} rules, worst kind", key=("build", size),
                           unit="ms", below=most_ms)
            yield Classify(f"cl-memory-{size}", f"{size} rules, worst kind", key=("memory", size),
                           unit="MB")
        if most_us is not None:
            yield Classify(f"cl-change-{size}", f"one rule among {size}", key=("update", size),
                           unit="us", below=most_us, peer="rte_acl, built anew")


ROWS = [
    Forward("fwd4", "IPv4 pcap > null", version="4", mode="mac", at_most=1.37),
    Forward("fwd4-io", "IPv4 pcap > null", version="4", mode="io", peer="testpmd io",
            weir_of="fwd4"),
    Forward("fwd6", "IPv6 pcap > null", version="6", mode="mac", at_most=1.9),
    Filtered("fwd4-15", "+ 15 rules", version="4", rules=15, at_most=1.35),
    Filtered("fwd4-1000", "+ 1000 rules", version="4", rules=1000, at_most=1.5),
    Generate("gen4", "2000 flows > null", at_most=1.05),
    VethSend("xdp-tx", "send, AF_XDP on veth", kind="xdp", driver="net_af_xdp", at_least=0.95),
    VethSend("afp-tx", "send, AF_PACKET on veth", kind="afpacket", driver="net_af_packet",
             at_least=0.95),
    LiveSend("gen-live", "send, live frames on veth", at_least=7),
    VethForward("xdp-fwd", "IPv4 AF_XDP on veth", kind="xdp", driver="net_af_xdp", at_least=0.95),
    VethForward("afp-fwd", "IPv4 AF_PACKET on veth", kind="afpacket", driver="net_af_packet",
                at_least=0.95),
    *in_kernel_rows(),
    Change("card-change-1000", f"one of {change.RULES} rules", below=10),
    Ministat("ministat", "1,000,000 values", at_most=0.4),
    *classify_rows(),
]
