# SPDX-License-Identifier: BSD-2-Clause
"""Veth pairs between network namespaces made here, and gone with the block that made them.

    src: s0 -- d0 :dut: d1 -- k1 :sink
"""
import os
import subprocess

from captures import ROUTER_MAC
from process import NotMeasured, Process, read_line


def ip(*words):
    r = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    if r.returncode != 0:
        raise NotMeasured(f"ip {' '.join(words)}: {r.stderr.strip()}")


class Lab:
    def __init__(self):
        if os.geteuid() != 0:
            raise NotMeasured("needs root (network namespaces)")
        self.src, self.dut, self.sink = (f"weir-bench-{os.getpid()}-{x}" for x in "abc")

    def __enter__(self):
        try:
            for ns in (self.src, self.dut, self.sink):
                ip("netns", "add", ns)
                # The kernel's own router solicitations would be counted too.
                subprocess.run(["ip", "netns", "exec", ns, "sysctl", "-qw",
                                "net.ipv6.conf.all.disable_ipv6=1",
                                "net.ipv6.conf.default.disable_ipv6=1"], check=False)
            self.pair(self.src, "s0", self.dut, "d0")
            self.pair(self.dut, "d1", self.sink, "k1")
            ip("-n", self.dut, "link", "set", "d0", "address", ROUTER_MAC)
        except NotMeasured:
            self.__exit__()
            raise
        return self

    @staticmethod
    def pair(ns_a, a, ns_b, b):
        ip("link", "add", a, "netns", ns_a, "type", "veth", "peer", "name", b, "netns", ns_b)
        ip("-n", ns_a, "link", "set", a, "up")
        ip("-n", ns_b, "link", "set", b, "up")

    def __exit__(self, *_):
        for ns in (self.src, self.dut, self.sink):
            subprocess.run(["ip", "netns", "del", ns], capture_output=True, check=False)


class Sink(Process):
    """Drops and counts what arrives."""

    def __init__(self, build, interface, ns, folder):
        super().__init__([f"{build}/tests/bench/bench_sink", interface], folder, ns,
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        read_line(self, 10)

    def count(self):
        self.p.stdin.write(b"\n")
        return int(read_line(self, 5))
