# SPDX-License-Identifier: BSD-2-Clause
"""A card in the kernel beside the kernel's own ways, on a veth pair in native mode.

The device's end receives in a kernel thread of its own on the second CPU; source (live frames) and sink
are on the first, or on the second as well, where how far apart the two are does not matter.  Cost is that
thread's CPU time over the packets it took off the ring, also those that the sink's ring then had no room for.
"""
import json
import os
import re
import subprocess
import time

from process import WARM_S, WINDOW_S, WINDOWS, Busy, Measured, NotMeasured, Process, thread_ns
from veth import Lab, Sink, ip
from weir import RULES15, Generator, many_rules

NEAR_WAIT_S = 600
DROP = "proto 17 action drop"  # in the place of the last rule, which is about all of the traffic


def rules_of(n, last=None):
    rules = list(RULES15) if n == len(RULES15) else [*many_rules(n - len(RULES15) + 1)][:-1] + RULES15
    return rules if last is None else rules[:-1] + [last]


class ThreadMeasured(Measured):
    share_min = 0.0  # it sleeps when there is nothing to take

    def __init__(self, what, windows, handoffs):
        super().__init__(what, windows)
        if not handoffs:
            return
        self.handoff_ns = sum(handoffs) / len(handoffs)
        if not alike(handoffs):
            raise Busy(f"{what}: the CPUs were moved, from {handoffs[0]:.0f} to {handoffs[1]:.0f} ns apart")


def handoff_ns(env):
    """Of a cache line from one CPU to the other and back."""
    r = subprocess.run([f"{env.build}/tests/bench/bench_handoff", *map(str, env.cpus)], capture_output=True,
                       text=True, check=False)
    if r.returncode != 0:
        raise NotMeasured(r.stderr.strip())
    return float(r.stdout)


def wait_until_near(env):
    """Whose CPUs a host moves may see them near each other for seconds only."""
    end = time.monotonic() + NEAR_WAIT_S
    while env.near is not None and handoff_ns(env) > env.near:
        if time.monotonic() > end:
            raise NotMeasured(f"the CPUs were not within {env.near:g} ns of each other for {NEAR_WAIT_S} s")
        time.sleep(0.5)


def alike(handoffs):
    """Whether the CPUs were as far apart each time: what two of them do together depends on that."""
    return max(handoffs) < 1.5 * min(handoffs)


def command(ns, *words, text=None):
    """In the network namespace alone: bpffs and the runtime folder are the machine's."""
    r = subprocess.run(["nsenter", f"--net=/run/netns/{ns}", *words], input=text, capture_output=True,
                       text=True, check=False)
    if r.returncode != 0:
        raise NotMeasured(f"{words[0]} {words[1]}: {(r.stderr or r.stdout).strip()}")
    return r.stdout


def napi_threads(interface):
    found = set()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/comm", encoding="ascii") as f:
                if re.fullmatch(rf"napi/{interface}-\d+", f.read().strip()):
                    found.add(int(pid))
        except OSError:
            pass  # it has ended
    return found


class Device(Lab):
    """The kernel as a router between d0 and d1, its threads bound."""

    def __init__(self, env):
        super().__init__()
        self.env, self.undo, self.forwarder = env, [], None
        self.before = napi_threads("d0") | napi_threads("k1")

    def __enter__(self):
        super().__enter__()
        try:
            self.route()
        except NotMeasured:
            self.__exit__()
            raise
        return self

    def route(self):
        command(self.dut, "sysctl", "-qw", "net.ipv4.ip_forward=1", "net.ipv4.conf.all.rp_filter=0",
                "net.ipv4.conf.d0.rp_filter=0", "net.ipv4.conf.all.send_redirects=0")
        for net, dev, mac in ("18", "d0", "7a"), ("19", "d1", "7b"):
            ip("-n", self.dut, "addr", "add", f"198.{net}.0.209/24", "dev", dev)
            ip("-n", self.dut, "neigh", "add", f"198.{net}.0.203", "lladdr", f"00:1b:21:c4:95:{mac}",
               "dev", dev)
            ip("-n", self.dut, "route", "add", f"198.{net}.0.0/16", "via", f"198.{net}.0.203")
        command(self.dut, "ethtool", "-K", "d0", "gro", "on")

    def __exit__(self, *_):
        for step in reversed(self.undo):
            step()
        super().__exit__()

    # --- what the frames meet ---------------------------------------------------------------------

    def card(self, rules, forward=False, mode="native"):
        """A card of those rules; its name."""
        name = f"t6nex{os.getpid()}"
        weir = f"{self.env.build}/cmd/weir"
        script = os.path.join(self.env.folder, "card.sh")
        with open(script, "w", encoding="ascii") as f:
            f.writelines(f"cxgbetool {name} filter {i} {rule}\n" for i, rule in enumerate(rules))
        command(self.dut, weir, "adapter", "create", name, "d0", "d1", "--mode", mode, "--rules",
                script, *(["--forward"] if forward else []))
        delete = lambda: subprocess.run([weir, "adapter", "delete", name], capture_output=True, check=False)
        self.undo.append(delete)
        if forward:
            self.forwarder = name
        return name

    def check(self, windows):
        """Frames that a card is said to forward must not have taken the kernel's way."""
        if self.forwarder is None:
            return
        weir = f"{self.env.build}/cmd/weir"
        for line in command(self.dut, weir, "adapter", "list", "--json").splitlines():
            card = json.loads(line)
            if card["name"] == self.forwarder and \
                    sum(card["forwarded"]) >= 0.99 * sum(n for _, n, _ in windows):
                return
        raise NotMeasured("the card left frames to the kernel")

    def nft(self, rules):
        """The same rules as the card exports them."""
        name = self.card(rules)
        text = command(self.dut, f"{self.env.build}/cmd/weir", "adapter", "export", name, "--nft", "d0",
                       "d1")
        self.undo.pop()()
        command(self.dut, "nft", "-f", "-", text=text)

    def xdp_filter(self, features):
        """The sources, each by an entry of its own."""
        unload = lambda: subprocess.run(
            ["nsenter", f"--net=/run/netns/{self.dut}", "xdp-filter", "unload", "d0"],
            capture_output=True, check=False)
        command(self.dut, "xdp-filter", "load", "-m", "native", "-f", features, "d0")
        self.undo.append(unload)
        for i in range(1, 101):
            command(self.dut, "xdp-filter", "ip", "-m", "src", f"198.18.10.{i}")

    # --- measuring --------------------------------------------------------------------------------

    def thread(self, ns, interface, cpu):
        """The interface's receiving thread, bound to the CPU."""
        command(ns, "ip", "link", "show", interface)
        subprocess.run(["ip", "netns", "exec", ns, "sh", "-c",
                        f"echo 1 > /sys/class/net/{interface}/threaded"], check=True)
        for _ in range(100):
            new = napi_threads(interface) - self.before
            if len(new) == 1:
                pid = new.pop()
                os.sched_setaffinity(pid, {cpu})
                return pid
            time.sleep(0.02)
        raise Busy(f"{interface}: {len(new)} receiving threads go by this name")

    def windows(self, one_cpu):
        """(CPU ns, packets, wall ns) of the thread of d0."""
        env = self.env
        source = env.cpus[1 if one_cpu else 0]
        with Process(["sleep", "60"], env.folder, self.dut) as inside:
            self.thread(self.sink, "k1", source)
            pid = self.thread(self.dut, "d0", env.cpus[1])

            def look():
                before = thread_ns(pid, pid), time.monotonic_ns()
                n = received(inside.p.pid, "d0")
                after = thread_ns(pid, pid), time.monotonic_ns()
                return (before[0] + after[0]) / 2, n, (before[1] + after[1]) / 2

            with Generator(env.build, "live:s0", env.folder, source, self.src) as g:
                g.report()
                time.sleep(WARM_S)
                result = []
                for _ in range(2 * WINDOWS):
                    g.check()
                    a = look()
                    time.sleep(WINDOW_S / 2)
                    result.append(tuple(y - x for x, y in zip(a, look())))
                return result


def received(pid, interface):
    with open(f"/proc/{pid}/net/dev", encoding="ascii") as f:
        return int(re.search(rf"^\s*{interface}:\s*\d+\s+(\d+)", f.read(), re.M)[1])


def measure(env, what, set_up, one_cpu):
    apart = (lambda: []) if one_cpu else lambda: [handoff_ns(env)]
    if not one_cpu:
        wait_until_near(env)
    # The sink first: a card asks whether d1's other end takes frames.
    with Device(env) as d, Sink(env.build, "k1", d.sink, env.folder):
        set_up(d)
        handoffs = apart()
        windows = d.windows(one_cpu)
        handoffs += apart()
        d.check(windows)
        return ThreadMeasured(what, windows, handoffs)
