#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A router of Linux without a card and with one that forwards: what comes out is the same.  Root.

    source: s0 -- d0 :router: d1 -- k0 :sink

usage: forward.py WEIR
"""
import ipaddress
import os
import select
import socket
import struct
import subprocess
import sys
import time

from labtest import Failures, veth_tells
from xdpcardtest import why_not

f = Failures()
NAMES = {who: "weir-fwd-%d-%s" % (os.getpid(), who) for who in ("source", "router", "sink")}
CARD = "t6nex%d" % (os.getpid() % 1000000)
MAC = {"s0": "020000000050", "d0": "0200000000d0", "d1": "0200000000d1", "k0": "02000000006b"}
ALL = 3  # ETH_P_ALL

ROUTER = """
sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1 net.ipv4.icmp_ratelimit=0 \
    net.ipv4.icmp_msgs_per_sec=100000 net.ipv4.icmp_msgs_burst=100000 net.ipv6.icmp.ratelimit=0 \
    net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.d0.rp_filter=0 net.ipv4.conf.d1.rp_filter=0
ip addr add 198.18.0.1/24 dev d0; ip addr add 198.19.0.1/24 dev d1
ip -6 addr add 2001:2::1/64 dev d0 nodad; ip -6 addr add 2001:2:0:8000::1/64 dev d1 nodad
ip neigh add 198.18.0.2 lladdr 02:00:00:00:00:50 dev d0; ip neigh add 198.19.0.2 lladdr 02:00:00:00:00:6b dev d1
ip neigh add 198.18.0.3 lladdr 02:00:00:00:00:51 dev d0
ip -6 neigh add fe80::77 lladdr 02:00:00:00:00:52 dev d0
ip -6 neigh add 2001:2::2 lladdr 02:00:00:00:00:50 dev d0; ip -6 neigh add 2001:2:0:8000::2 lladdr 02:00:00:00:00:6b dev d1
ip route add 198.18.10.0/24 via 198.18.0.2; ip route add 198.19.10.0/24 via 198.19.0.2
ip route add 198.19.11.0/24 via 198.19.0.2 mtu lock 1000; ip route add 198.18.12.0/24 via 198.18.0.3
ip route add blackhole 198.19.14.0/24; ip route add unreachable 198.19.15.0/24; ip route add prohibit 198.19.16.0/24
ip -6 route add 2001:2:0:10::/64 via 2001:2::2; ip -6 route add 2001:2:0:8010::/64 via 2001:2:0:8000::2
ip -6 route add 2001:2:0:8011::/64 via 2001:2:0:8000::2 mtu lock 1300; ip -6 route add unreachable 2001:2:0:8015::/64
"""


def sh(who, script):
    r = subprocess.run(["nsenter", "--net=/run/netns/" + NAMES[who], "sh", "-ec", script], capture_output=True,
                       text=True, check=False)
    if r.returncode != 0:
        raise SystemExit("%s: %s%s" % (who, r.stdout, r.stderr))
    return r.stdout


def weir(*words):
    return subprocess.run(["nsenter", "--net=/run/netns/" + NAMES["router"], WEIR, "adapter", *words],
                          capture_output=True, text=True, check=False)


def build():
    for name in NAMES.values():
        subprocess.run(["ip", "netns", "add", name], check=True)
    for a, b, left, right in ("source", "router", "s0", "d0"), ("router", "sink", "d1", "k0"):
        subprocess.run(["ip", "link", "add", left, "netns", NAMES[a], "type", "veth", "peer", "name", right,
                        "netns", NAMES[b]], check=True)
        for who, dev in (a, left), (b, right):
            quiet = "" if who == "router" else "sysctl -qw net.ipv6.conf.all.disable_ipv6=1\n"
            mac = ":".join(MAC[dev][i:i + 2] for i in range(0, 12, 2))
            sh(who, quiet + "ip link set %s address %s\nip link set %s up\nethtool -K %s gro on" % (dev, mac, dev, dev))
    sh("router", ROUTER)


def unmake():
    weir("delete", CARD)
    for name in NAMES.values():
        subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)


class Wire:
    """A station's end of a cable: frames out, and those that come in."""

    def __init__(self, who, dev):
        here = os.open("/proc/self/ns/net", os.O_RDONLY)
        there = os.open("/run/netns/" + NAMES[who], os.O_RDONLY)
        setns(there)
        self.s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL))
        self.s.bind((dev, ALL))
        setns(here)
        os.close(here)
        os.close(there)
        self.s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)

    def take(self):
        """Frames of IP that the router sent to a station (its own multicast reports come when they like)."""
        got = []
        while select.select([self.s], [], [], 0)[0]:
            frame, (_, _, kind, _, _) = self.s.recvfrom(65536)
            if kind != socket.PACKET_OUTGOING and not frame[0] & 1 and frame[12:14] in (b"\x08\x00", b"\x86\xdd"):
                got.append(frame)
        return got


def setns(fd):
    import ctypes  # os.setns came with Python 3.12
    if ctypes.CDLL(None, use_errno=True).setns(fd, 0x40000000) != 0:
        raise OSError(ctypes.get_errno(), "setns")


# --- frames --------------------------------------------------------------------------------------------

def cksum(data):
    data += b"\0" * (len(data) % 2)
    s = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    while s >> 16:
        s = (s & 0xffff) + (s >> 16)
    return ~s & 0xffff


def packed(a):
    return ipaddress.ip_address(a).packed


def l4(proto, src, dst, data):
    pseudo = src + dst + struct.pack("!II", len(data) + 8, proto)
    if proto in (1, 58):
        head = struct.pack("!BBHHH", 8 if proto == 1 else 128, 0, 0, 7, 7)
        s = cksum((pseudo if proto == 58 else b"") + head + data)
        return head[:2] + struct.pack("!H", s) + head[4:] + data
    if proto == 17:
        head = struct.pack("!HHHH", 1000, 2000, len(data) + 8, 0)
        return head[:6] + struct.pack("!H", cksum(pseudo + head + data) or 0xffff) + data
    head = struct.pack("!HHIIBBHHH", 1000, 80, 1, 1, 0x50, 0x10, 1000, 0, 0)
    pseudo = src + dst + struct.pack("!II", len(data) + 20, proto)
    return head[:16] + struct.pack("!H", cksum(pseudo + head + data)) + head[18:] + data


SERIAL = [0]


def ip4(dst, src="198.18.10.1", ttl=64, proto=17, size=20, off=0, opt=b"", mac="d0", bad=0, tail=b"", ihl=None):
    SERIAL[0] += 1
    s, d = packed(src), packed(dst)
    body = l4(proto, s, d, struct.pack("!I", SERIAL[0]) + bytes(size - 4))
    if off & 0x1fff:
        body = body[8:] + bytes(8)
    head = struct.pack("!BBHHHBBH4s4s", 0x40 | (5 + len(opt) // 4), 0, 20 + len(opt) + len(body), SERIAL[0], off, ttl,
                       proto, 0, s, d) + opt
    head = head[:10] + struct.pack("!H", cksum(head) ^ bad) + head[12:]
    return pad(bytes.fromhex(MAC.get(mac, mac) + MAC["s0"]) + b"\x08\x00" + head + body + tail)


def ip6(dst, src="2001:2:0:10::1", ttl=64, proto=17, size=20, ext=b"", ext_type=0):
    SERIAL[0] += 1
    s, d = packed(src), packed(dst)
    body = ext + l4(proto, s, d, struct.pack("!I", SERIAL[0]) + bytes(size - 4))
    head = struct.pack("!IHBB", 0x6 << 28, len(body), ext_type if ext else proto, ttl) + s + d
    return pad(bytes.fromhex(MAC["d0"] + MAC["s0"]) + b"\x86\xdd" + head + body)


def pad(frame):
    return frame + bytes(max(0, 60 - len(frame)))


def table():
    """(what, frame), of which the first kind is what a card forwards by itself."""
    far, far6 = "198.19.10.1", "2001:2:0:8010::1"
    plain = [("UDP of %d" % n, ip4(far, size=n)) for n in (4, 5, 18, 100, 1000, 1472)]
    plain += [("TCP", ip4(far, proto=6)), ("ping", ip4(far, proto=1)), ("TTL 2", ip4(far, ttl=2)),
              ("first fragment", ip4(far, off=0x2000)), ("later fragment", ip4(far, off=5)),
              ("DF", ip4(far, off=0x4000)), ("IPv6", ip6(far6)), ("IPv6, 1452", ip6(far6, size=1452)),
              ("IPv6 TCP", ip6(far6, proto=6)), ("IPv6 ping", ip6(far6, proto=58)), ("hop limit 2", ip6(far6, ttl=2)),
              ("as long as the route's MTU", ip4("198.19.11.1", size=972))]
    other = [("TTL 1", ip4(far, ttl=1)), ("TTL 0", ip4(far, ttl=0)), ("hop limit 1", ip6(far6, ttl=1)),
             ("record route", ip4(far, opt=bytes([7, 7, 4, 0, 0, 0, 0, 1]))),
             ("router alert", ip6(far6, ext=bytes([17, 0, 5, 2, 0, 0, 1, 0]))),
             ("too long, DF", ip4("198.19.11.1", size=1200, off=0x4000)), ("too long", ip4("198.19.11.1", size=1200)),
             ("too long, IPv6", ip6("2001:2:0:8011::1", size=1400)),
             ("no route", ip4("203.0.113.1")), ("no IPv6 route", ip6("2001:db8::1")),
             ("blackhole", ip4("198.19.14.1")), ("unreachable", ip4("198.19.15.1")), ("prohibit", ip4("198.19.16.1")),
             ("unreachable IPv6", ip6("2001:2:0:8015::1")), ("redirect", ip4("198.18.12.1", src="198.18.0.2")),
             ("the host itself", ip4("198.18.0.1", proto=1)), ("the host behind", ip4("198.19.0.1", proto=1)),
             ("the host itself, IPv6", ip6("2001:2::1", proto=58)), ("a port of the host", ip4("198.18.0.1")),
             ("broadcast", ip4("198.18.0.255")), ("multicast", ip4("224.0.0.5")), ("link-local", ip6("fe80::77")),
             ("source link-local", ip6(far6, src="fe80::77")), ("source its own", ip4(far, src="198.19.0.1")),
             ("source 127", ip4(far, src="127.0.0.1")), ("source ::", ip6(far6, src="::")),
             ("wrong sum", ip4(far, bad=0x100)), ("another station", ip4(far, mac="0200000000ee")),
             ("bytes behind", ip4(far, size=100, tail=bytes(9)))]
    return plain, other


def normal(frame):
    """Without padding; of what the router itself says, without the number it gives its packets."""
    ip = frame[14:]
    if ip[0] >> 4 == 4:
        ip = ip[:struct.unpack("!H", ip[2:4])[0]]
        if ipaddress.ip_address(ip[12:16]) in OWN:
            ip = ip[:4] + b"\0\0" + ip[6:10] + b"\0\0" + ip[12:]
    else:
        ip = ip[:40 + struct.unpack("!H", ip[4:6])[0]]
    return frame[:14] + ip


OWN = {ipaddress.ip_address(a) for a in ("198.18.0.1", "198.19.0.1")}
KEPT = {"Ip": ("InHdrErrors", "InAddrErrors", "OutNoRoutes", "FragOKs", "FragCreates", "FragFails"),
        "Icmp": ("OutMsgs", "OutDestUnreachs", "OutTimeExcds", "OutRedirects", "OutEchoReps")}


def counters():
    lines = sh("router", "cat /proc/net/snmp").splitlines()
    found = {}
    for names, values in zip(lines[::2], lines[1::2]):
        group = names.split(":")[0]
        found.update({(group, k): int(v) for k, v in zip(names.split()[1:], values.split()[1:])})
    return found


def send(frames):
    """All of them; what came out on both sides, sorted, and what the counters made of it."""
    near.take()
    far.take()
    before = counters()
    for frame in frames:
        near.s.send(frame)
    got, last = ([], []), time.monotonic()
    while time.monotonic() - last < 0.5:
        for side, wire in enumerate((near, far)):
            new = wire.take()
            got[side].extend(normal(x) for x in new)
            if new:
                last = time.monotonic()
        select.select([near.s, far.s], [], [], 0.05)
    after = counters()
    return [sorted(x) for x in got], {k: after[k] - before.get(k, 0) for k in after}


def compare(what, frames, redirects):
    sh("router", "sysctl -qw net.ipv4.conf.all.send_redirects=%d net.ipv4.conf.d0.send_redirects=%d" % (redirects, redirects))
    kernel, counted = send(frames)
    r = weir("create", CARD, "d0", "d1", "--mode", "native" if veth_tells() else "skb", "--forward")
    f.check(r.returncode == 0, "create: %d %s" % (r.returncode, r.stderr))
    card, counted_too = send(frames)
    r = weir("delete", CARD)
    f.check(r.returncode == 0, "delete: %d %s" % (r.returncode, r.stderr))
    for side, a, b in zip(("source", "sink"), kernel, card):
        missing, extra = [x for x in a if x not in b], [x for x in b if x not in a]
        f.check(a == b, "%s, towards the %s: %d frames, %d with the card; without it alone: %s; with it alone: %s" % (
            what, side, len(a), len(b), [x.hex() for x in missing[:3]], [x.hex() for x in extra[:3]]))
    for group, names in KEPT.items():
        for name in names:
            f.check(counted[group, name] == counted_too[group, name], "%s: %s%s %d, with the card %d" % (
                what, group, name, counted[group, name], counted_too[group, name]))
    return kernel, counted["Ip", "ForwDatagrams"], counted_too["Ip", "ForwDatagrams"]


def main():
    global near, far
    build()
    near, far = Wire("source", "s0"), Wire("sink", "k0")
    plain, other = table()
    only4 = [x for _, x in plain if x[12:14] == b"\x08\x00"]
    kernel, by_kernel, left = compare("plain frames", [x for _, x in plain], 1)
    f.check(len(kernel[1]) == len(plain), "plain frames: %d of %d came through" % (len(kernel[1]), len(plain)))
    # Of each CPU the first frame is left to the kernel.
    f.check(by_kernel == len(only4) and left <= min(os.cpu_count(), len(only4) // 2),
            "plain frames: the kernel forwarded %d of %d, with the card %d" % (by_kernel, len(only4), left))
    for what, frame in other:
        compare(what, [frame], 1)
    compare("redirects switched off", [ip4("198.18.12.1", src="198.18.0.2")], 0)
    sh("router", "sysctl -qw net.ipv4.conf.d0.forwarding=0")
    compare("forwarding switched off", only4, 1)


WEIR = os.path.realpath(sys.argv[1])
no = why_not()
if no is not None:
    print("skipped:", no)
    sys.exit(77)
try:
    main()
finally:
    unmake()
f.end()
