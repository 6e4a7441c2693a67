# SPDX-License-Identifier: BSD-2-Clause
"""What tests of cards in the kernel share: two namespaces with veth pairs, a folder of commands, traffic."""
import ctypes
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time

LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNET = 0x40000000
FIRST = "first"  # the namespace that the test itself is in
# What create and attach say where no other program can join, as in the namespaces of these tests.
ALONE = re.compile(r"^weir adapter: (\S+): (.*): the card is alone on it, no other XDP program can join\n", re.M)


def capability_missing():
    """The first one that is needed and not there, or None.  CAP_SYS_ADMIN stands for the two younger ones."""
    with open("/proc/self/status", encoding="ascii") as h:
        caps = int(re.search(r"^CapEff:\s*(\S+)", h.read(), re.M)[1], 16)
    for name, bits in (("CAP_BPF", (39, 21)), ("CAP_NET_ADMIN", (12,)), ("CAP_PERFMON", (38, 21))):
        if not any(caps >> bit & 1 for bit in bits):
            return name
    return None


def why_not():
    """Why there can be no card here, or None."""
    if os.geteuid() != 0:
        return "making network namespaces needs root"
    missing = capability_missing()
    if missing is not None:
        return missing + " is missing, without which no card is made"
    if not os.path.exists("/sys/fs/bpf"):
        return "this kernel has no BPF"
    r = subprocess.run(["unshare", "-n", "true"], capture_output=True, text=True, check=False)
    return "no network namespace can be made: " + r.stderr.strip() if r.returncode != 0 else None


def ip(*words):
    subprocess.run(["ip", *words], check=True)


def in_turn(tests, rig):
    """Says of each how long it took."""
    for test in tests:
        start = time.monotonic()
        test(rig)
        print("%s: %.1f s" % (test.__name__, time.monotonic() - start), flush=True)


class Rig:
    """A namespace with interfaces v0, v1 ..., whose other ends w0, w1, ... are in a second one."""

    def __init__(self, weir, pairs=2):
        self.weir = os.path.realpath(weir)
        self.dir = tempfile.mkdtemp(prefix="weir-xdp.")
        os.mkdir(self.path("bin"))
        for name in ("weir", "cxgbetool"):
            os.symlink(os.path.join(os.path.dirname(self.weir), name), self.path("bin/" + name))
        self.env = {**os.environ, "WEIR_RUNTIME_DIR": self.path("run"),
                    "PATH": self.path("bin") + ":" + os.environ["PATH"]}
        unit = os.getpid()
        self.card = "t5nex%d" % unit
        self.other = "t6nex%d" % unit
        self.inside, self.outside = "weirin%d" % unit, "weirout%d" % unit
        self.enter = ["nsenter", "--net=/run/netns/" + self.inside]
        try:
            for ns in (self.inside, self.outside):
                ip("netns", "add", ns)
                self.quiet(ns)
            for i in range(pairs):
                self.pair(i)
        except BaseException:
            self.end()
            raise

    @staticmethod
    def quiet(ns):
        """No frames but the test's."""
        for what in ("all", "default"):
            subprocess.run(["nsenter", "--net=/run/netns/" + ns, "sh", "-c",
                            "echo 1 > /proc/sys/net/ipv6/conf/%s/disable_ipv6" % what], check=True)

    def pair(self, i):
        ip("-n", self.inside, "link", "add", "v%d" % i, "address", "02:00:00:00:00:%02x" % (i + 1), "type", "veth",
           "peer", "name", "w%d" % i, "netns", self.outside)
        ip("-n", self.inside, "link", "set", "v%d" % i, "up")
        ip("-n", self.outside, "link", "set", "w%d" % i, "up")

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as h:
            h.write(text)
        return self.path(name)

    def run(self, *cmd, ns=None, env=None, **kw):
        """With the interfaces that a card was said to be alone on, and why, in .alone, no longer in .stderr."""
        enter = [] if ns == FIRST else ["nsenter", "--net=/run/netns/" + (ns or self.inside)]
        r = subprocess.run([*enter, *cmd], text=True, env={**self.env, **(env or {})}, check=False, timeout=120,
                           stdin=subprocess.DEVNULL, capture_output=True, **kw)
        r.alone = ALONE.findall(r.stderr)
        r.stderr = ALONE.sub("", r.stderr)
        return r

    def adapter(self, *words, **kw):
        return self.run("weir", "adapter", *words, **kw)

    def tool(self, *words, name=None, **kw):
        return self.run("cxgbetool", name or self.card, *words, **kw)

    def listed(self):
        """name -> object of `weir adapter list --json`, of this test's cards."""
        r = self.adapter("list", "--json")
        all_cards = [json.loads(line) for line in r.stdout.splitlines()]
        return {o["name"]: o for o in all_cards if o["name"] in (self.card, self.other)}

    def send(self, i, frames):
        """From the other end of v<i>."""
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                with open("/run/netns/" + self.outside, "rb") as h:
                    if LIBC.setns(h.fileno(), CLONE_NEWNET) == 0:
                        s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
                        s.bind(("w%d" % i, 0))
                        for x in frames:
                            s.send(x)
                        status = 0
            finally:
                os._exit(status)
        if os.waitpid(pid, 0)[1] != 0:
            raise SystemExit("frames could not be sent")

    def hits(self, name=None):
        """index -> hits, of `weir adapter rules`."""
        r = self.adapter("rules", name or self.card, "--json")
        return {o["idx"]: o["hits"] for o in map(json.loads, r.stdout.splitlines())}

    def end(self):
        for name in (self.card, self.other):
            subprocess.run([self.path("bin/weir"), "adapter", "delete", name], capture_output=True, check=False)
        for ns in (self.inside, self.outside):
            subprocess.run(["ip", "netns", "del", ns], capture_output=True, check=False)
        shutil.rmtree(self.dir)
