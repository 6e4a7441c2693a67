#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`weir adapter check`: what the rules of a card say of the frames of a capture.

usage: adapter_check.py WEIR
"""
import json
import struct
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

# pylint: disable=wrong-import-position
from cardtest import Place, capture, frame
from labtest import Failures
from xdpcardtest import Rig, why_not

f = Failures()

RULES = """filter 0 frag 1 action drop
filter 10 action pass dport 49152:0xc000
filter 20 iport 0 action pass dport 8080 proto 6
filter 30 iport 1 action drop dport 8080 proto 6
filter 40 sip 192.0.2.77 action switch eport 1
filter 90 action drop proto 6
"""
# Frames, and what is said of them by port 0 and by port 1.
FRAMES = [
    (frame("198.18.0.5", "198.19.1.1", 17, 1000, 9, frag=0x2000), "drop 0", "drop 0"),
    (frame("198.18.0.5", "198.19.1.1", 6, 80, 50000), "pass 10", "pass 10"),
    (frame("198.18.0.5", "198.19.1.1", 6, 4000, 8080), "pass 20", "drop 30"),
    (frame("192.0.2.77", "198.19.1.1", 17, 4000, 53), "switch 40", "switch 40"),
    (frame("198.18.0.5", "198.19.1.1", 6, 4000, 22), "drop 90", "drop 90"),
    (frame("198.18.0.5", "198.19.1.1", 17, 4000, 22), "pass -", "pass -"),
    (frame("198.18.0.5", "198.19.1.1", 6, 4000, 22)[:14], "pass -", "pass -"),
    (b"\xff" * 6 + b"\x02\0\0\0\0\x07" + b"\x08\x06" + b"\0" * 46, "pass -", "pass -"),
]


def raw(path, frames, link=1, wire=None):
    with open(path, "wb") as h:
        h.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, link))
        for x in frames:
            h.write(struct.pack("<IIII", 0, 0, len(x), wire or len(x)) + x)


def says(place, *args):
    r = place.run("weir", "adapter", "check", place.card, *args)
    f.check(r.returncode == 0 and r.stderr == "", "check %s: %r" % (args, r))
    return r.stdout.splitlines()


def refused(place, status, text, *args):
    r = place.run("weir", "adapter", "check", *args)
    f.check(r.returncode == status and r.stdout == "" and text in r.stderr, "check %s: %r" % (args, r))


def verdicts(place):
    """The same for a card wherever it is: it has the rules and two ports."""
    cap = place.path("in.pcap")
    capture(cap, [x for x, _, _ in FRAMES])
    before = place.tool("filter", "list").stdout
    for port in (0, 1):
        want = ["%d %s" % (i + 1, x[1 + port]) for i, x in enumerate(FRAMES)]
        f.check(says(place, cap, "--port", str(port)) == want, "port %d: not %s" % (port, want))
    f.check(says(place, cap) == says(place, "--port", "0", cap), "port 0 is the default")
    objects = [json.loads(x) for x in says(place, cap, "--json")]
    want = [x[1].split() for x in FRAMES]
    f.check([(o["frame"], o["verdict"], o["idx"]) for o in objects] ==
            [(i + 1, v, None if n == "-" else int(n)) for i, (v, n) in enumerate(want)], "json: %s" % objects)
    f.check(place.tool("filter", "list").stdout == before, "asking counts nowhere:\n%s" % before)
    # More than a request holds, in order, also of long frames.
    many = [FRAMES[i % 5][0] for i in range(1500)] + [FRAMES[i % 5][0].ljust(9000, b"\0") for i in range(20)]
    capture(cap, many)
    got = says(place, cap)
    f.check(got == ["%d %s" % (i + 1, FRAMES[i % 5][1]) for i in range(1520)], "1520 frames: %s" % got[:3])
    refused(place, 22, "port 2: %s has 2 ports" % place.card, place.card, cap, "--port", "2")


def refusals(place):
    cap, good = place.path("bad.pcap"), FRAMES[1][0]
    raw(cap, [good, good[:13]])
    refused(place, 1, "bad.pcap: frame 2: 13 bytes, and an Ethernet header alone has 14", place.card, cap)
    raw(cap, [good], link=113)
    refused(place, 1, "bad.pcap: link type is LINUX_SLL (113), not Ethernet", place.card, cap)
    raw(cap, [good], wire=1500)
    refused(place, 1, "frame 1: only 60 of its 1500 bytes were captured", place.card, cap)
    raw(cap, [good, b"\0" * 20000])
    refused(place, 1, "frame 2: 20000 bytes, and at most 16384 can be tried", place.card, cap)
    raw(cap, [])
    refused(place, 1, "bad.pcap: holds no frame", place.card, cap)
    raw(cap, [good])
    with open(cap, "r+b") as h:
        h.truncate(60)
    refused(place, 1, "bad.pcap: frame 1: ", place.card, cap)
    place.write("bad.pcap", "nonsense")
    refused(place, 1, "bad.pcap: ", place.card, cap)
    refused(place, 1, "none.pcap: No such file or directory", place.card, place.path("none.pcap"))
    raw(cap, [good])
    refused(place, 2, "a capture are needed", place.card)
    refused(place, 2, "--port: a number is missing", place.card, cap, "--port")
    refused(place, 2, "--port: ", place.card, cap, "--port", "4")
    refused(place, 2, "--port: ", place.card, cap, "--port", "-1")
    refused(place, 2, "--nft is not an option of check", place.card, cap, "--nft")
    refused(place, 2, "too is one word too many", place.card, cap, "too")
    refused(place, 2, "t5nex7", "t5nex7", cap)


def requests(place):
    """The word as others may send it to the router."""
    for args, text in ((("0",), "a port and frames are needed"), (("x", "00"), "'x'"), (("0", "abc"), "'abc' is no frame"),
                       (("0", "AB"), "'AB' is no frame"), (("0", "ab" * 13), "a frame of 13 bytes")):
        r = place.run("weir", "ctl", place.card, "check", *args)
        f.check(r.returncode in (22, 90) and text in r.stderr, "ctl check %s: %r" % (args, r))


def in_a_router(place):
    place.card = "t5nex0"
    r = place.router("--port", "igb2=null", "--port", "igb3=null")
    for line in RULES.splitlines():
        f.check(place.tool(*line.split()).returncode == 0, line)
    verdicts(place)
    refusals(place)
    requests(place)
    r.stop()


def in_the_kernel(rig):
    script = "".join("cxgbetool %s %s\n" % (rig.card, line) for line in RULES.splitlines())
    r = rig.adapter("create", rig.card, "v0", "v1", "--rules", rig.write("rules.sh", script))
    f.check(r.returncode == 0, "create: %r" % r)
    verdicts(rig)
    # By the port's own MAC, which for the second port is another one.
    to_own = FRAMES[4][0]
    capture(rig.path("in.pcap"), [to_own, b"\2\0\0\0\0\2" + to_own[6:], b"\xff" * 6 + to_own[6:]])
    f.check(rig.tool("filter", "85", "matchtype", "0", "action", "drop").returncode == 0, "a rule of own frames")
    for port, want in (("0", ["1 drop 85", "2 drop 90", "3 drop 90"]), ("1", ["1 drop 90", "2 drop 85", "3 drop 90"])):
        f.check(says(rig, rig.path("in.pcap"), "--port", port) == want, "own MAC at port " + port)
    refusals(rig)
    r = rig.run("setpriv", "--reuid", "65534", "--clear-groups", "--inh-caps=-all", "weir", "adapter", "check", rig.card,
                rig.path("in.pcap"))
    f.check(r.returncode != 0 and r.stdout == "", "without privileges: %r" % r)


def main():
    place = Place(sys.argv[1])
    try:
        in_a_router(place)
    finally:
        place.end()
    why = why_not()
    if why is not None:
        print("cards in the kernel: skipped:", why)
    else:
        rig = Rig(sys.argv[1])
        try:
            in_the_kernel(rig)
        finally:
            rig.end()
    f.end()


main()
