#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""pkt-gen on a veth pair in a network namespace made here; every frame is looked at by a packet socket.

usage: gen.py WEIR
"""
import os
import re
import signal
import socket
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # no __pycache__ among the sources

# pylint: disable=wrong-import-position
from gentest import LAB4, LAB6, Tap, frame_fault, in_a_namespace, total

GEN = [os.path.abspath(sys.argv[1]), "gen"]
KINDS = ["xdp:va", "afpacket:va", "va", "netmap:va"]
failures = []


def check(ok, text):
    if not ok:
        failures.append(text)
        print("FAILED:", text, flush=True)


def run(*args, timeout=60):
    return subprocess.run([*GEN, *args], capture_output=True, text=True, timeout=timeout, check=False)


def end(p, seconds):
    """The rest of what a process says, after SIGINT if it does not end by itself.

    communicate() would lose what reading by lines has buffered.
    """
    try:
        p.wait(seconds)
    except subprocess.TimeoutExpired:
        p.send_signal(signal.SIGINT)
    err = p.stderr.read()
    out = p.stdout.read()
    p.wait()
    return out, err


def lab_lines_send_2000_right_flows():
    for port in KINDS:
        for args, length, l3, l4 in ((LAB4, 60, slice(26, 34), slice(34, 38)), (LAB6, 62, slice(22, 54), slice(54, 58))):
            tap = Tap("vb")
            out = run("-i", port, "-f", "tx", "-n", "4000", "-R", "40000", *args)
            what = f"{port} length {length}"
            check(out.returncode == 0 and total(out.stdout) == (4000, 4000 * length), f"{what}: {out.stdout}{out.stderr}")
            frames = tap.read(4000, 1.0)
            tap.close()
            check(len(frames) == 4000, f"{what}: {len(frames)} of 4000 frames arrived")
            faults = {frame_fault(f, length) for f in frames}
            check(faults <= {None}, f"{what}: {faults}")
            check({f[:12] for f in frames} <= {bytes.fromhex("0008a20933da001b21c4957a")}, f"{what}: MAC addresses")
            flows = [f[l3] + f[l4] for f in frames]
            check(len(set(flows)) == 2000 and flows[:2000] == flows[2000:], f"{what}: {len(set(flows))} flows")


def a_receiver_counts_what_comes():
    for port in ("xdp:vb", "afpacket:vb"):
        p = subprocess.Popen([*GEN, "-i", port, "-f", "rx", "-w", "1", "-W", "-N", "-T", "200"],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for line in p.stderr:
            if "waiting for initial packets" in line:
                break
        s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
        s.bind(("va", 0))
        for i in range(3000):
            s.send(bytes.fromhex("020000000001" "020000000002" "88b5") + bytes(46 + i % 100))
            if i % 10 == 0:  # slow enough for a receiver that a busy machine keeps waiting
                time.sleep(0.001)
        s.close()
        out, err = end(p, 30)
        want = sum(60 + i % 100 for i in range(3000))
        check(p.returncode == 0 and total(out) == (3000, want), f"{port}: {out}{err}")
        check(re.search(r"main_thread \[\d+\] [1-9]\d* pps \([1-9]", err), f"{port}: {err}")


def a_sequence_arrives_whole():
    for tx, rx in (("xdp:va", "afpacket:vb"), ("afpacket:va", "xdp:vb")):
        p = subprocess.Popen([*GEN, "-i", rx, "-f", "rxseq", "-w", "0", "-n", "20000"], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
        for line in p.stderr:
            if "Ready..." in line:
                break
        out = run("-i", tx, "-f", "txseq", "-w", "1", "-n", "20000", "-R", "20000")
        check(total(out.stdout)[0] == 20000, f"{tx}: {out.stdout}{out.stderr}")
        got, err = end(p, 5)
        check(total(got)[0] == 20000 and "Sequence" not in err, f"{tx} to {rx}: {got}{err}")


def pings_are_answered():
    for family in ([], ["-6", "-l", "74"]):
        p = subprocess.Popen([*GEN, "-i", "afpacket:vb", "-f", "pong", "-w", "0"], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
        for line in p.stderr:
            if "Ready..." in line:
                break
        out = run("-i", "afpacket:va", "-f", "ping", "-w", "1", "-n", "500", "-T", "200", *family)
        p.send_signal(signal.SIGINT)
        back, err = end(p, 10)
        m = re.search(r"^RTT over (\d+) packets: min (\d+) av (\d+) ns$", out.stdout, re.M)
        check(m and int(m[1]) == 500 and 0 < int(m[2]) <= int(m[3]), f"{family}: {out.stdout}{out.stderr}")
        check(total(back)[0] == 500, f"{family}: {back}{err}")


def a_rate_is_held():
    out = run("-i", "afpacket:va", "-f", "tx", "-w", "1", "-n", "30000", "-R", "10000", "-N")
    m = re.search(r"in (\d+\.\d+) seconds", out.stdout)
    # A sender held up at its very last burst is late by as much as this machine held it up.
    check(m and 2.99 <= float(m[1]) <= 3.1, f"30000 packets at 10000 a second: {out.stdout}")


def too_long_and_missing_are_refused():
    out = run("-i", "afpacket:va", "-f", "tx", "-w", "0", "-n", "1", "-l", "1515")
    check(out.returncode == 255 and "1514" in out.stderr, f"1515 bytes: {out.returncode} {out.stderr}")
    out = run("-i", "afpacket:va", "-f", "tx", "-w", "1", "-n", "1", "-l", "1514")
    check(out.returncode == 0 and total(out.stdout) == (1, 1514), f"1514 bytes: {out.stdout}{out.stderr}")
    for line in (["-f", "tx", *LAB4], ["-f", "rx", "-w", "4"]):
        out = run("-i", "igb2", *line)
        check(out.returncode == 255 and "igb2" in out.stderr and "Sent" not in out.stdout, f"igb2: {out.stderr}")


def inside():
    ip = lambda *a: subprocess.run(["ip", *a], check=True)
    for name in ("all", "default"):
        with open(f"/proc/sys/net/ipv6/conf/{name}/disable_ipv6", "w", encoding="ascii") as f:
            f.write("1")
    ip("link", "add", "va", "type", "veth", "peer", "name", "vb")
    ip("link", "set", "va", "up")
    ip("link", "set", "vb", "up")
    lab_lines_send_2000_right_flows()
    a_receiver_counts_what_comes()
    a_sequence_arrives_whole()
    pings_are_answered()
    a_rate_is_held()
    too_long_and_missing_are_refused()
    print(f"{len(failures)} failures")
    return 1 if failures else 0


sys.exit(in_a_namespace(inside))
