# SPDX-License-Identifier: BSD-2-Clause
"""What the tests of a running router's card share: frames, captures, a router with a control socket."""
import os
import re
import shutil
import signal
import struct
import subprocess
import tempfile
import time

RC = """gateway_enable="YES"
ifconfig_igb2="inet 198.18.0.209/25 ether 02:00:00:00:00:01"
ifconfig_igb3="inet 198.19.0.209/25 ether 02:00:00:00:00:02"
static_routes="receiver"
route_receiver="-net 198.19.0.0/16 198.19.0.203"
static_arp_pairs="receiver"
static_arp_receiver="198.19.0.203 00:1b:21:c4:95:7b"
"""


def ip4(text):
    return bytes(int(x) for x in text.split("."))


def cksum(data):
    s = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    while s >> 16:
        s = (s & 0xFFFF) + (s >> 16)
    return ~s & 0xFFFF


def frame(src, dst, proto, sport, dport, frag=0):
    """An Ethernet frame for the router, its UDP or TCP checksum left out (0)."""
    l4 = struct.pack("!HH", sport, dport) + (b"\0" * 16 if proto == 6 else b"\0\x1a\0\0" + b"x" * 18)
    if proto == 1:
        l4 = b"\x08\0\xf7\xff" + b"\0" * 22
    head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(l4), 1, frag, 64, proto, 0) + ip4(src) + ip4(dst)
    head = head[:10] + struct.pack("!H", cksum(head)) + head[12:]
    return (bytes.fromhex("020000000001") + bytes.fromhex("001b21c4957a") + b"\x08\0" + head + l4).ljust(60, b"\0")


# A firewall as the Chelsio document's, smaller: fragments go, answers and some services pass, the rest goes.
RULES = """#!/bin/sh
set -euf

# no fragments
cxgbetool %(card)s filter 0  frag 1 action drop
cxgbetool %(card)s filter 10 action pass dport 49152:0xc000
cxgbetool %(card)s filter 20 iport 0 action pass dport 8080 proto 6
cxgbetool %(card)s filter 30 iport 0 action pass sip 198.18.7.0/24 dport 53 proto 17
cxgbetool %(card)s filter 40 iport 1 action pass sip 192.0.2.77 proto 1
cxgbetool %(card)s filter 90 action drop proto 6
cxgbetool %(card)s filter 91 action drop proto 17
"""


def script_for(card):
    return RULES % {"card": card}


# What arrives at port 0, and the rule that each frame meets first (None: it passes unmatched).
TRAFFIC = [
    (frame("198.18.0.5", "198.19.1.1", 17, 1000, 9, frag=0x2000), 0),
    (frame("198.18.0.5", "198.19.1.1", 6, 80, 50000), 10),
    (frame("198.18.0.5", "198.19.1.1", 6, 4000, 8080), 20),
    (frame("198.18.7.9", "198.19.1.1", 17, 4000, 53), 30),
    (frame("198.18.8.9", "198.19.1.1", 17, 4000, 53), 91),
    (frame("192.0.2.77", "198.19.1.1", 1, 0, 0), None),
    (frame("198.18.0.5", "198.19.1.1", 6, 4000, 22), 90),
    (frame("198.18.0.5", "198.19.1.1", 6, 4000, 23), 90),
]


def capture(path, frames):
    with open(path, "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for x in frames:
            f.write(struct.pack("<IIII", 0, 0, len(x), len(x)) + x)


class Place:
    """A folder with configuration, links and sockets; all routers started in it end with it."""

    def __init__(self, weir):
        self.weir = os.path.realpath(weir)
        self.dir = tempfile.mkdtemp(prefix="weir-card.")
        os.mkdir(self.path("conf"))
        self.write("conf/rc.conf", RC)
        os.mkdir(self.path("bin"))
        for name in ("weir", "cxgbetool"):
            os.symlink(os.path.join(os.path.dirname(self.weir), name), self.path("bin/" + name))
        self.env = {**os.environ, "WEIR_RUNTIME_DIR": self.path("run"),
                    "PATH": self.path("bin") + ":" + os.environ["PATH"]}
        self.routers = []

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as f:
            return f.read()

    def run(self, *cmd, **kw):
        kw.setdefault("stdin", subprocess.DEVNULL)
        kw.setdefault("timeout", 90)
        kw.setdefault("stdout", subprocess.PIPE)
        kw.setdefault("stderr", subprocess.PIPE)
        return subprocess.run(cmd, text=True, env=self.env, check=False, **kw)

    def tool(self, *words, **kw):
        return self.run("cxgbetool", "t5nex0", *words, **kw)

    def router(self, *args, **kw):
        return Router(self, args, **kw)

    def end(self):
        for r in self.routers:
            r.kill()
        shutil.rmtree(self.dir)


class Router:
    """`weir router` in the background; ready when its control socket answers."""

    def __init__(self, place, args, name="t5nex0", prefix=(), wait=True):
        self.place = place
        self.name = name
        cmd = [*prefix, place.path("bin/weir"), "router", "--conf", place.path("conf"), "--memory", "256", *args]
        if name != "t5nex0":
            cmd += ["--name", name]
        self.out = tempfile.TemporaryFile("w+")
        self.err = tempfile.TemporaryFile("w+")
        self.p = subprocess.Popen(cmd, env=place.env, stdin=subprocess.DEVNULL, stdout=self.out, stderr=self.err)
        place.routers.append(self)
        if wait:
            self.ready()

    def ready(self):
        end = time.monotonic() + 60
        while time.monotonic() < end and self.p.poll() is None:
            r = self.place.run("weir", "ctl", "--json", self.name, "info")
            if r.returncode == 0 and '"pid":%d' % self.p.pid in r.stdout:
                return
            time.sleep(0.05)
        raise SystemExit("the router did not start: " + self.said()[1])

    def said(self):
        self.out.seek(0)
        self.err.seek(0)
        return self.out.read(), self.err.read()

    def stop(self, sig=signal.SIGTERM):
        """Its exit status."""
        self.p.send_signal(sig)
        return self.p.wait(timeout=60)

    def kill(self):
        if self.p.poll() is None:
            self.p.kill()
            self.p.wait()
        self.out.close()
        self.err.close()


def rows(listing):
    """index -> (hits, the row with the hits taken out)"""
    found = {}
    for line in listing.splitlines()[1:]:
        m = re.match(r"^( *\d+) ( *\d+| *-)( .*)$", line)
        found[int(m.group(1))] = (m.group(2).strip(), m.group(1) + m.group(3))
    return found
