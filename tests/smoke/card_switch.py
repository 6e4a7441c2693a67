#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A kernel card between two hosts, each in a network namespace, that are one hop apart by its rules
alone: it translates addresses and ports and switches frames between its two ports.  The hosts' own
stacks speak TCP, UDP and ICMP through it; frames with VLAN tags are made and looked at by hand.

usage: card_switch.py WEIR
"""
import os
import random
import re
import select
import socket
import struct
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # no __pycache__ among the sources

# pylint: disable=wrong-import-position
from gentest import ones_sum
from xdpcardtest import why_not
from labtest import veth_tells

CARD = "t5nex47"
VIRTUAL = {4: "203.0.113.80", 6: "2001:db8:3::80"}  # what the client speaks to
SERVER = {4: "192.0.2.2", 6: "2001:db8:2::2"}
STAND_IN = {4: "192.0.2.77", 6: "2001:db8:2::77"}  # for whom the server takes the client where NAT is `all`
CLIENT = {4: "198.51.100.1", 6: "2001:db8:1::1"}
MACS = {"c0": "02:00:00:00:00:c0", "pa": "02:00:00:00:00:0a", "pb": "02:00:00:00:00:0b", "s0": "02:00:00:00:00:50"}
SMAC = "02:00:00:00:00:77"
BYTES = 300000
SOL_PACKET, PACKET_AUXDATA = 263, 8
failures = []


def check(ok, text):
    if not ok:
        failures.append(text)
        print("FAILED:", text, flush=True)


# --- what runs inside a host's namespace ---


def data():
    return random.Random(5).randbytes(BYTES)


def read_all(s):
    got = b""
    while True:
        piece = s.recv(65536)
        if not piece:
            return got
        got += piece


def echo(family, kind, port):
    """Answers one peer; what comes back is what came."""
    s = socket.socket(socket.AF_INET if family == "4" else socket.AF_INET6,
                      socket.SOCK_STREAM if kind == "tcp" else socket.SOCK_DGRAM)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.settimeout(20)
    s.bind(("", int(port)))
    if kind == "tcp":
        s.listen()
    print("ready", flush=True)
    if kind == "udp":
        for _ in range(40):
            s.sendto(*s.recvfrom(65536))
        return 0
    c, peer = s.accept()
    c.settimeout(20)
    c.sendall(read_all(c))
    c.close()
    print(peer[0], peer[1])
    return 0


def speak(family, kind, address, port):
    s = socket.socket(socket.AF_INET if family == "4" else socket.AF_INET6,
                      socket.SOCK_STREAM if kind == "tcp" else socket.SOCK_DGRAM)
    s.settimeout(10)
    if kind == "udp":
        s.bind(("", 4444))
    s.connect((address, int(port)))
    if kind == "tcp":
        s.sendall(data())
        s.shutdown(socket.SHUT_WR)
        return int(read_all(s) != data())
    for n in range(40):
        text = data()[:n * 37]
        s.send(text)
        if s.recv(65536) != text:
            return 1
    return 0


def ping(family, address):
    """0 if three echo requests are answered; a late answer to an earlier one does not count."""
    six = family == "6"
    s = socket.socket(socket.AF_INET6 if six else socket.AF_INET, socket.SOCK_RAW, 58 if six else 1)
    s.connect((address, 0))
    for n in range(3):
        echoed = struct.pack(">HH", 77, n) + data()[:301]
        head = b"\x80\0\0\0" if six else b"\x08\0\0\0"  # the kernel makes ICMPv6's sum
        if not six:
            head = b"\x08\0" + struct.pack(">H", 0xFFFF ^ ones_sum(head + echoed))
        s.send(head + echoed)
        while True:
            if not select.select([s], [], [], 1)[0]:
                return 1
            answer = s.recv(65536)[0 if six else 20:]
            if answer[0] == (129 if six else 0) and answer[4:] == echoed:
                break
    return 0


def with_tag(frame, aux):
    """The kernel hands a tag over beside the frame."""
    for level, kind, text in aux:
        if (level, kind) == (SOL_PACKET, PACKET_AUXDATA):
            status, _, _, _, _, tci, tpid = struct.unpack("IIIHHHH", text)
            if status & 0x10:
                return frame[:12] + struct.pack(">HH", tpid, tci) + frame[12:]
    return frame


def frames(name):
    """Prints what came in on an interface, in hex, when standard input ends."""
    s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    s.bind((name, 0))
    s.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
    print("ready", flush=True)
    seen = []
    while True:
        readable = select.select([s, sys.stdin], [], [])[0]
        if s not in readable:
            print(*seen, sep="\n")
            return 0
        frame, aux, _, addr = s.recvmsg(65536, 1000)
        if addr[2] != 4:  # not our own going out
            seen.append(with_tag(frame, aux).hex())


def inject(name, *frames_hex):
    s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    s.bind((name, 0))
    for text in frames_hex:
        s.send(bytes.fromhex(text))
    return 0


# --- outside ---


class Host:
    """A process that holds a network namespace."""

    def __init__(self):
        self.holder = subprocess.Popen(["unshare", "-n", "sleep", "600"])
        own = os.readlink("/proc/self/ns/net")
        end = time.monotonic() + 10
        while os.readlink(f"/proc/{self.holder.pid}/ns/net") == own and time.monotonic() < end:
            time.sleep(0.01)

    def inside(self, *words):
        return ["nsenter", "-t", str(self.holder.pid), "-n", *words]

    def run(self, *words, ok=True):
        return subprocess.run(self.inside(*words), check=ok, capture_output=True, text=True, timeout=60)

    def start(self, *words):
        p = subprocess.Popen(self.inside(sys.executable, __file__, *words), stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, text=True)
        check(p.stdout.readline() == "ready\n", f"{words} is not ready")
        return p

    def end(self):
        self.holder.kill()
        self.holder.wait()


def host(interface, addresses, gateways):
    h = Host()
    peer = "pa" if interface == "c0" else "pb"
    subprocess.run(["ip", "link", "add", peer, "address", MACS[peer], "type", "veth", "peer", "name", interface,
                    "address", MACS[interface], "netns", str(h.holder.pid)], check=True)
    subprocess.run(["ip", "link", "set", peer, "up"], check=True)
    h.run("sysctl", "-qw", "net.ipv6.conf.all.accept_dad=0", "net.ipv6.conf.default.accept_dad=0")
    h.run("ip", "link", "set", interface, "up")
    # Whole checksums, as a wire has them; and a veth takes what is switched to its other end only with GRO
    # on, switched on while it is up.
    h.run("ethtool", "-K", interface, "tx", "off", "gro", "on")
    for family in (4, 6):
        h.run("ip", "addr", "add", addresses[family] + ("/24" if family == 4 else "/64"), "dev", interface)
        h.run("ip", "route", "add", "default", "via", gateways[family], "dev", interface)
        for neighbour in (gateways[family], STAND_IN[family]):
            h.run("ip", "neigh", "replace", neighbour, "lladdr", MACS[peer], "nud", "permanent", "dev", interface)
    return h


def way(there, back, family, match, nat, back_match, back_nat):
    """Rules for one protocol, to the server and back."""
    out = ["filter", str(there), "type", f"ipv{family}", "iport", "0", "dip", VIRTUAL[family], *match.split(),
           "action", "switch", "eport", "1", "dmac", MACS["s0"], "smac", SMAC, *nat.split()]
    home = ["filter", str(back), "type", f"ipv{family}", "iport", "1", "sip", SERVER[family], *back_match.split(),
            "action", "switch", "eport", "0", "dmac", MACS["c0"], "smac", SMAC, *back_nat.split()]
    return [out, home]


def rules(family, at):
    server, virtual, stand_in, client = SERVER[family], VIRTUAL[family], STAND_IN[family], CLIENT[family]
    icmp = 1 if family == 4 else 58
    return [
        *way(at, at + 4, family, "proto 6 dport 80", f"nat dip-dp nat_dip {server} nat_dport 8080",
             "proto 6 sport 8080", f"nat sip-sp nat_sip {virtual} nat_sport 80"),
        *way(at + 8, at + 12, family, "proto 17 dport 53",
             f"nat all nat_dip {server} nat_dport 5353 nat_sip {stand_in} nat_sport 7777",
             f"proto 17 sport 5353 dip {stand_in} dport 7777",
             f"nat all nat_dip {client} nat_dport 4444 nat_sip {virtual} nat_sport 53"),
        *way(at + 16, at + 20, family, f"proto {icmp}", f"nat dip nat_dip {server}",
             f"proto {icmp}", f"nat sip-sp nat_sip {virtual}"),
    ]


def fault(f):
    """What is wrong with the sums of a frame without a tag, or None."""
    if f[12:14] == b"\x08\x00":
        if ones_sum(f[14:34]) != 0xFFFF:
            return "IPv4 header"
        end, proto, l4, pseudo = 14 + struct.unpack(">H", f[16:18])[0], f[23], 34, f[26:34]
    else:
        end, proto, l4, pseudo = 54 + struct.unpack(">H", f[18:20])[0], f[20], 54, f[22:54]
    pseudo += struct.pack(">HH", proto, end - l4)
    if proto == 1:
        pseudo = b""
    return None if ones_sum(pseudo + f[l4:end]) == 0xFFFF else f"protocol {proto}"


class Lab:
    def __init__(self, weir):
        self.weir = weir
        self.client = host("c0", CLIENT, {4: "198.51.100.254", 6: "2001:db8:1::fe"})
        self.server = host("s0", SERVER, {4: "192.0.2.254", 6: "2001:db8:2::fe"})

    def adapter(self, *words):
        p = subprocess.run([self.weir, "adapter", *words], capture_output=True, text=True, timeout=60, check=False)
        check(p.returncode == 0, f"{words}: {p.stdout}{p.stderr}")

    def card(self, *words):
        p = subprocess.run([self.weir, "cxgbetool", CARD, *words], capture_output=True, text=True, timeout=60,
                           check=False)
        check(p.returncode == 0, f"{words}: {p.stdout}{p.stderr}")
        return p.stdout

    def create(self, mode, lines):
        self.adapter("create", CARD, "pa", "pb", "--mode", mode)
        for line in lines:
            self.card(*line)

    def delete(self):
        self.adapter("delete", CARD)

    def hits(self):
        return {int(m[1]): int(m[2]) for m in re.finditer(r"^ *(\d+) +(\d+) ", self.card("filter", "list"), re.M)}

    def speak(self, family, kind, port, bind):
        p = self.server.start("echo", str(family), kind, bind)
        out = self.client.run(sys.executable, __file__, "speak", str(family), kind, VIRTUAL[family], port, ok=False)
        check(out.returncode == 0, f"{kind} over IPv{family}: {out.stderr}")
        text = p.communicate(timeout=30)[0]
        return text.split()

    def ping(self, family, ok=True):
        out = self.client.run(sys.executable, __file__, "ping", str(family), VIRTUAL[family], ok=False)
        check((out.returncode == 0) == ok, f"echo over IPv{family}: {out.returncode} {out.stderr}")

    def sums(self, text):
        """The sums of UDP and ICMP frames that a host has captured; TCP's are put together by GRO."""
        seen = 0
        for line in text.split():
            f = bytes.fromhex(line)
            if f[6:12].hex(":") != SMAC or (f[23] if f[12:14] == b"\x08\x00" else f[20]) == 6:
                continue
            seen += 1
            check(fault(f) is None, f"{fault(f)}: {line}")
        check(seen > 80, f"{seen} frames captured")

    def whole(self, mode):
        self.create(mode, rules(4, 0) + rules(6, 100))
        taps = [self.client.start("frames", "c0"), self.server.start("frames", "s0")]
        for family in (4, 6):
            peer = self.speak(family, "tcp", "80", "8080")
            check(peer[:1] == [CLIENT[family]], f"the server saw {peer}")
            self.speak(family, "udp", "53", "5353")
            self.ping(family)
        for tap in taps:
            self.sums(tap.communicate(timeout=30)[0])
        hits = self.hits()
        check(len(hits) == 12 and min(hits.values()) >= 3, f"hits {hits}")
        for h in (self.client, self.server):
            text = h.run("nstat", "-az", "TcpInCsumErrors", "UdpInCsumErrors", "Udp6InCsumErrors", "IcmpInCsumErrors",
                         "Icmp6InCsumErrors").stdout
            check(text.count("Csum") == 5 and not re.search(r"Errors +[1-9]", text), text)
        self.delete()
        print(f"{mode}: hits {hits}")


def passed(lab):
    """Echo requests that reach the kernel behind port 0."""
    tap = subprocess.Popen([sys.executable, __file__, "frames", "pa"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                           text=True)
    tap.stdout.readline()
    lab.ping(4, ok=False)
    return sum(line[24:28] == "0800" and line[46:48] == "01" for line in tap.communicate(timeout=30)[0].split())


def a_port_that_is_gone_drops(lab):
    lab.create("native", rules(4, 0))
    lab.ping(4)
    before = lab.hits()[16]
    subprocess.run(["ip", "link", "del", "pb"], check=True)
    check(passed(lab) == 0, "frames for a port that is gone passed")
    check(lab.hits()[16] == before + 1, "frames for a port that is gone are no hits")
    lab.card("filter", "16", "delete")
    check(passed(lab) == 1, "without a rule, frames do not pass")
    lab.delete()


def udp(dport, tag=b"", ttl=9):
    """A frame for the virtual server, 60 bytes long without a tag."""
    payload = bytes(range(18))
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 46, 7, 0, ttl, 17, 0, socket.inet_aton(CLIENT[4]),
                     socket.inet_aton(VIRTUAL[4]))
    ip = ip[:10] + struct.pack(">H", 0xFFFF ^ ones_sum(ip)) + ip[12:]
    l4 = struct.pack(">HHHH", 9999, dport, 26, 0) + payload
    l4 = l4[:6] + struct.pack(">H", 0xFFFF ^ ones_sum(ip[12:20] + b"\0\x11\0\x1a" + l4)) + l4[8:]
    return bytes.fromhex((MACS["pa"] + MACS["c0"]).replace(":", "")) + tag + b"\x08\0" + ip + l4


def tags_come_and_go(lab, mode):
    nat = f"action switch eport 1 nat dip nat_dip {SERVER[4]}"
    lab.create(mode, [f"filter {i} iport 0 proto 17 dport {100 + i} {nat} vlan {vlan}".split()
                      for i, vlan in enumerate(("+100", "=200", "none"))])
    tagged = b"\x81\0\xa0\x05"  # priority 5, ID 5
    cases = [(udp(100), b"\x81\0\0\x64"), (udp(100, tagged), b"\x81\0\0\x64" + tagged),
             (udp(101), b""), (udp(101, tagged), b"\x81\0\xa0\xc8"), (udp(102, tagged), b"")]
    tap = lab.server.start("frames", "s0")
    lab.client.run(sys.executable, __file__, "inject", "c0", *(frame.hex() for frame, _ in cases))
    got = [bytes.fromhex(x) for x in tap.communicate(timeout=30)[0].split() if x.startswith(cases[0][0].hex()[:24])]
    check(len(got) == len(cases), f"{mode}: {len(got)} frames with tags")
    for f, (sent, tag) in zip(got, cases):
        check(f[12:12 + len(tag)] == tag, f"{mode}: {f.hex()} should have {tag.hex()}")
        bare = f[:12] + f[12 + len(tag):]
        check(fault(bare) is None and bare[30:34] == socket.inet_aton(SERVER[4]), f"{mode}: {f.hex()}")
        check(len(bare) == 60 and bare[34:40] == sent[-26:-20], f"{mode}: {f.hex()} for {sent.hex()}")
    lab.delete()


def a_port_that_cannot_send_is_told(lab):
    rule = "filter 3 action switch eport 1 nat dip nat_dip 192.0.2.2".split()
    for mode, gro, warned in (("native", "off", True), ("native", "on", False), ("skb", "off", False)):
        lab.server.run("ethtool", "-K", "s0", "gro", gro)
        lab.create(mode, [])
        p = subprocess.run([lab.weir, "cxgbetool", CARD, *rule], capture_output=True, text=True, timeout=60, check=False)
        check(p.returncode == 0 and ("warning: pb: its driver cannot send" in p.stderr) == warned and
              (p.stderr != "") == warned, f"{mode}, GRO {gro}: {p.stderr}")
        lab.delete()
    lab.server.run("ethtool", "-K", "s0", "gro", "on")


def inside(weir):
    lab = Lab(weir)
    try:
        for mode in ("native", "skb"):
            lab.whole(mode)
            tags_come_and_go(lab, mode)
        if veth_tells():
            a_port_that_cannot_send_is_told(lab)
        a_port_that_is_gone_drops(lab)
    finally:
        if os.path.exists(f"/sys/fs/bpf/weir/{CARD}"):
            lab.delete()
        lab.client.end()
        lab.server.end()
    print(f"{len(failures)} failures")
    return 1 if failures else 0


def main():
    roles = {"echo": echo, "speak": speak, "ping": ping, "frames": frames, "inject": inject, "inside": inside}
    if sys.argv[1] in roles:
        return roles[sys.argv[1]](*sys.argv[2:])
    no = why_not()
    if no is not None:
        print("skipped:", no)
        return 77
    # A bpffs of its own keeps the card out of sight.
    script = 'ip link set lo up; mount -t bpf bpf /sys/fs/bpf && exec "$@"'
    return subprocess.run(["unshare", "-n", "-m", "sh", "-ec", script, "sh", sys.executable, __file__, "inside",
                           os.path.abspath(sys.argv[1])], check=False).returncode


sys.exit(main())
