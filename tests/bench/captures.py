# SPDX-License-Identifier: BSD-2-Clause
"""The traffic of all rows: 2000 flows of smallest UDP frames, in a fixed random order.

IPv4: 198.18.10.1-100 to 198.19.10.1-20, 60 bytes.  IPv6: 20 sources in 2001:2:0:1::/64 to 100
destinations in 2001:2:0:8001::/64, 62 bytes.  Port 2000 to 2000, all checksums right.
"""
import ipaddress
import os
import random
import struct

ROUTER_MAC = "02:00:00:00:00:01"  # of the router's receiving port
SENDER_MAC = "02:00:00:00:00:02"
SOURCES4, DESTINATIONS4 = ("198.18.10.1", 100), ("198.19.10.1", 20)
SOURCES6, DESTINATIONS6 = ("2001:2:0:1::1", 20), ("2001:2:0:8001::1", 100)


def checksum(data):
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def addresses(first_and_count):
    first, count = first_and_count
    return [(ipaddress.ip_address(first) + i).packed for i in range(count)]


def udp(pseudo, payload):
    head = struct.pack("!HHHH", 2000, 2000, 8 + len(payload), 0)
    total = checksum(pseudo + head + payload) or 0xFFFF
    return head[:6] + struct.pack("!H", total) + payload


def frame4(src, dst):
    payload = bytes(18)
    body = udp(src + dst + struct.pack("!BBH", 0, 17, 8 + len(payload)), payload)
    head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(body), 0, 0, 64, 17, 0) + src + dst
    return b"\x08\x00" + head[:10] + struct.pack("!H", checksum(head)) + head[12:] + body


def frame6(src, dst):
    body = udp(src + dst + struct.pack("!IHBB", 8, 0, 0, 17), b"")
    return b"\x86\xdd" + struct.pack("!IHBB", 0x60000000, len(body), 17, 64) + src + dst + body


def write(path, frames):
    link = bytes.fromhex((ROUTER_MAC + SENDER_MAC).replace(":", ""))
    random.Random(1).shuffle(frames)
    with open(path, "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for i, frame in enumerate(frames):
            n = len(link) + len(frame)
            f.write(struct.pack("<IIII", 0, i, n, n) + link + frame)


def make(folder):
    """{"4": path, "6": path}"""
    paths = {v: os.path.join(folder, f"flows{v}.pcap") for v in "46"}
    write(paths["4"], [frame4(s, d) for d in addresses(DESTINATIONS4) for s in addresses(SOURCES4)])
    write(paths["6"], [frame6(s, d) for d in addresses(DESTINATIONS6) for s in addresses(SOURCES6)])
    return paths
