# SPDX-License-Identifier: BSD-2-Clause
"""Weir's side of the rows: its router and its generator, started as a user would."""
import json
import os
import random
import re
import subprocess
import time

from captures import DESTINATIONS4, ROUTER_MAC, SOURCES4
from process import (WARM_S, WINDOW_S, WINDOWS, NotMeasured, Process, find_thread, read_line,
                     thread_ns)

RC_CONF = f"""\
gateway_enable="YES"
ifconfig_igb2="inet 198.18.0.209/25 ether {ROUTER_MAC} -tso4 -tso6 -lro"
ifconfig_igb3="inet 198.19.0.209/25 -tso4 -tso6 -lro"
static_routes="generator receiver"
route_generator="-net 198.18.0.0/16 198.18.0.203"
route_receiver="-net 198.19.0.0/16 198.19.0.203"
static_arp_pairs="receiver generator"
static_arp_generator="198.18.0.203 00:1b:21:c4:95:7a"
static_arp_receiver="198.19.0.203 00:1b:21:c4:95:7b"
ipv6_gateway_enable="YES"
ipv6_activate_all_interfaces="YES"
ifconfig_igb2_ipv6="inet6 2001:2::209 prefixlen 64"
ifconfig_igb3_ipv6="inet6 2001:2:0:8000::209 prefixlen 64"
ipv6_static_routes="generator receiver"
ipv6_route_generator="2001:2:: -prefixlen 49 2001:2::203"
ipv6_route_receiver="2001:2:0:8000:: -prefixlen 49 2001:2:0:8000::203"
static_ndp_pairs="generator receiver"
static_ndp_generator="2001:2::203 00:1b:21:c4:95:7a"
static_ndp_receiver="2001:2:0:8000::203 00:1b:21:c4:95:7b"
"""


# The kinds of rules that a small firewall has; none is about the flows but the last.
RULES15 = """\
frag 1 action drop
dport 32768:0x8000 action pass
iport 0 dport 80 proto 6 action pass
iport 0 dport 443 proto 6 action pass
iport 0 dport 443 proto 17 action pass
iport 0 sip 1.2.3.4 dport 22 proto 6 action pass
iport 0 sip 1.2.3.4 proto 1 action pass
iport 0 sport 67 dport 68 proto 17 action pass
iport 1 sip 10.10.10.0/24 proto 1 action pass
iport 1 sip 10.10.10.0/24 dport 80 proto 6 action pass
iport 1 sip 10.10.10.0/24 dport 443 proto 6 action pass
iport 1 sip 10.10.10.0/24 dport 53 proto 17 action pass
proto 6 action drop
proto 1 action drop
proto 17 action pass
""".splitlines()


def many_rules(n):
    """Services of single hosts, then a rule for all UDP."""
    r = random.Random(n)
    for _ in range(n - 1):
        host = ".".join(str(r.randrange(256)) for _ in range(3))
        yield f"sip 10.{host} dport {r.randrange(1, 65536)} proto {r.choice((6, 17))} action drop"
    yield "proto 17 action pass"


def write_rules(folder, n):
    """The forwarding lab's router with a card of n rules; its folder."""
    conf = write_conf(folder, f"router-{n}")
    rules = RULES15 if n == len(RULES15) else many_rules(n)
    with open(os.path.join(conf, "cxgbetool.sh"), "w", encoding="ascii") as f:
        f.writelines(f"cxgbetool t5nex0 filter {i} {rule}\n" for i, rule in enumerate(rules))
    return conf


def write_conf(folder, name="router"):
    """The forwarding lab's router; its folder."""
    conf = os.path.join(folder, name)
    os.makedirs(conf, exist_ok=True)
    with open(os.path.join(conf, "rc.conf"), "w", encoding="ascii") as f:
        f.write(RC_CONF)
    with open(os.path.join(conf, "sysctl.conf"), "w", encoding="ascii") as f:
        f.write("net.inet.ip.redirect=0\nnet.inet6.ip6.redirect=0\n")
    return conf


class Router(Process):
    def __init__(self, build, conf, rx, tx, folder, ns=None, options=()):
        cmd = [f"{build}/cmd/weir", "router", "--conf", conf, "--port", f"igb2={rx}",
               "--port", f"igb3={tx}", "--report", str(int(WINDOW_S * 1000)), *options]
        # A socket of its own, whatever else runs here.
        super().__init__(cmd, folder, ns, stdout=subprocess.PIPE, bufsize=0,
                         env={**os.environ, "WEIR_RUNTIME_DIR": f"{folder}/run"})

    def own_windows(self):
        """As the router itself reports them: forwarded packets and the worker's CPU time."""
        result = []
        for i in range(int(WARM_S / WINDOW_S + 1) + WINDOWS):
            w = json.loads(read_line(self, 15))
            if i >= WARM_S / WINDOW_S:
                result.append((w["cpu_ns"], w["sent"], w["ns"]))
        return result

    def worker(self):
        read_line(self, 15)  # it forwards now
        # The pipe must not fill: nobody reads it from here on.
        tid = find_thread(self.p.pid, r"weir-worker-0")
        return tid


class Generator(Process):
    """pkt-gen sending the 2000 flows on one thread, bound to that CPU."""

    REPORT = re.compile(r"^(\d+\.\d+) main_thread .* \((\d+) pkts .* in (\d+) usec\)")

    def __init__(self, build, port, folder, cpu, ns=None, dmac=ROUTER_MAC):
        def span(first, count):
            head, last = first.rsplit(".", 1)
            return f"{first}:2000-{head}.{int(last) + count - 1}:2000"

        cmd = [f"{build}/cmd/pkt-gen", "-i", port, "-f", "tx", "-n", "0", "-l", "60", "-N",
               "-T", str(int(WINDOW_S * 1000)), "-a", str(cpu), "-D", dmac,
               "-s", span(*SOURCES4), "-d", span(*DESTINATIONS4)]
        super().__init__(cmd, folder, ns, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                         bufsize=0)
        self.p.stdout = self.p.stderr  # what read_line() reads

    def report(self):
        while True:
            m = self.REPORT.match(read_line(self, 15))
            if m:
                return float(m[1]), int(m[2]), int(m[3])

    def sender(self):
        """The thread that sends is the one that takes CPU time."""
        self.report()
        tasks = [int(t) for t in os.listdir(f"/proc/{self.p.pid}/task")]
        before = {t: thread_ns(self.p.pid, t) for t in tasks}
        time.sleep(0.05)
        return max(tasks, key=lambda t: thread_ns(self.p.pid, t) - before[t])

    def own_windows(self, tid):
        """Packets from its report lines; the thread's CPU time is read when a line comes, and
        taken back to the line's time stamp (in which little time the thread ran)."""
        points, total = [], 0
        for i in range(int(WARM_S / WINDOW_S + 1) + WINDOWS + 1):
            stamp, packets, _ = self.report()
            late = (time.time() - stamp) % 1000
            cpu = thread_ns(self.p.pid, tid) - late * 1e9
            total += packets
            if late > WINDOW_S / 4:
                continue  # this script was not on a CPU in time
            if i >= WARM_S / WINDOW_S:
                points.append((cpu, total, stamp))
        if len(points) < 3:
            raise NotMeasured("pkt-gen: its reports came too late")
        return [(b[0] - a[0], b[1] - a[1], ((b[2] - a[2]) % 1000) * 1e9)
                for a, b in zip(points, points[1:])]
