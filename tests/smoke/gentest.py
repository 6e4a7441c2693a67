# SPDX-License-Identifier: BSD-2-Clause
"""What the tests of pkt-gen on a veth pair share: the lab's command lines, a packet socket, frames."""
import os
import re
import select
import socket
import struct
import subprocess
import sys

LAB4 = ("-l 60 -d 198.19.10.1:2000-198.19.10.20 -D 00:08:a2:09:33:da "
        "-s 198.18.10.1:2000-198.18.10.100 -S 00:1b:21:c4:95:7a -w 1 -U").split()
LAB6 = ("-l 62 -6 -d [2001:2:0:8001::1]-[2001:2:0:8001::64] -D 00:08:a2:09:33:da "
        "-s [2001:2:0:1::1]-[2001:2:0:1::14] -S 00:1b:21:c4:95:7a -w 1 -U").split()


class Tap:
    """All frames that come in on an interface."""

    def __init__(self, name):
        self.s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        self.s.setsockopt(socket.SOL_SOCKET, 33, 64 << 20)  # SO_RCVBUFFORCE
        self.s.bind((name, 0))

    def read(self, want, seconds=5.0):
        """UDP frames from the wire, until `want` came or it is quiet for that long."""
        out = []
        while len(out) < want and select.select([self.s], [], [], seconds)[0]:
            frame, addr = self.s.recvfrom(65536)
            if addr[2] != 4:  # not our own going out
                out.append(frame)
        return out

    def close(self):
        self.s.close()


def ones_sum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def frame_fault(f, length):
    """What is wrong with a frame that pkt-gen sent, or None."""
    if len(f) != length:
        return f"{len(f)} bytes"
    if f[12:14] == b"\x08\x00":
        if ones_sum(f[14:34]) != 0xFFFF or f[14:16] != b"\x45\x10" or f[22:24] != b"\x40\x11":
            return "IPv4 header"
        addresses, udp = f[26:34], f[34:]
    elif f[12:14] == b"\x86\xdd":
        if f[20:22] != b"\x11\x40":
            return "IPv6 header"
        addresses, udp = f[22:54], f[54:]
    else:
        return "ethertype"
    if struct.unpack(">H", udp[4:6])[0] != len(udp) or udp[6:8] == b"\0\0":
        return "UDP header"
    if ones_sum(addresses + struct.pack(">HH", 17, len(udp)) + udp) != 0xFFFF:
        return "UDP checksum"
    return None


def total(text):
    """Packets of the last lines."""
    m = re.search(r"^(?:Sent|Received) (\d+) packets (\d+) bytes", text, re.M)
    return (int(m[1]), int(m[2])) if m else (0, 0)


def in_a_namespace(inside):
    """inside() in a network namespace of this script's own, or 77; the exit status."""
    if os.environ.get("WEIR_GEN_INSIDE"):
        return inside()
    if os.geteuid() != 0:
        print("skipped: it needs root for network namespaces and packet sockets")
        return 77
    # An unnamed namespace: it is gone with the last process in it, whatever happens.
    probe = subprocess.run(["unshare", "-n", "true"], capture_output=True, text=True, check=False)
    if probe.returncode != 0:
        print("skipped: no network namespaces here:", probe.stderr.strip())
        return 77
    return subprocess.run(["unshare", "-n", sys.executable, *sys.argv], check=False,
                          env={**os.environ, "WEIR_GEN_INSIDE": "1"}).returncode
