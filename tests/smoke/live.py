#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""pkt-gen by live frames on a veth pair in a network namespace made here.

usage: live.py WEIR
"""
import ctypes
import glob
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # no __pycache__ among the sources

# pylint: disable=wrong-import-position
from gentest import LAB4, LAB6, Tap, frame_fault, in_a_namespace, total
from labtest import veth_tells

GEN = [os.path.abspath(sys.argv[1]), "gen"]
ONE = "-s 10.0.0.1 -d 10.1.0.1 -S 02:00:00:00:00:01 -D 02:00:00:00:00:02 -w 0".split()
LIVE = "va" if veth_tells() else "live:va"
failures = []


def check(ok, text):
    if not ok:
        failures.append(text)
        print("FAILED:", text, flush=True)


def run(*args, before=(), timeout=60):
    return subprocess.run([*before, *GEN, *args], capture_output=True, text=True, timeout=timeout, check=False)


def ip(*words):
    subprocess.run(["ip", *words], check=True)


def gro(on):
    subprocess.run(["ethtool", "-K", "vb", "gro", "on" if on else "off"], check=True)


def opened(out):
    m = re.search(r"opened as (.*); ", out.stderr)
    return m[1] if m else out.stderr


def a_bare_name_means_live_frames_where_they_are_known_to_pass():
    line = ["-f", "tx", "-n", "10", *ONE]
    gro(True)
    if not veth_tells():
        out = run("-i", "va", *line)
        check("AF_XDP" in opened(out) and "(live:va does)" in opened(out), out.stderr)
        return
    out = run("-i", "va", *line)
    check(opened(out) == "va by XDP live frames" and total(out.stdout) == (10, 600), out.stderr)
    out = run("-i", "netmap:va", *line)
    check(opened(out) == "va by XDP live frames", out.stderr)
    for port in ("xdp:va", "netmap:va-0"):
        out = run("-i", port, *line)
        check(opened(out).startswith("va by AF_XDP (") and total(out.stdout)[0] == 10, out.stderr)
    gro(False)
    out = run("-i", "va", *line)
    check("AF_XDP" in opened(out) and "not by live frames: " in opened(out), out.stderr)
    out = run("-i", "live:va", *line)
    check(out.returncode == 255 and "GRO" in out.stderr and "Sent" not in out.stdout, out.stderr)
    gro(True)
    ip("tuntap", "add", "dev", "tp0", "mode", "tap")
    out = run("-i", "tp0", *line)
    check("AF_XDP" in opened(out) and "(live:tp0 does)" in opened(out), out.stderr)
    ip("link", "del", "tp0")


def live_frames_are_only_sent():
    for function in ("rx", "ping", "pong", "rxseq"):
        out = run("-i", "live:va", "-f", function)
        check(out.returncode == 255 and "only sent" in out.stderr, f"{function}: {out.stderr}")


def capture(folder):
    """Frames of several lengths, and their file."""
    frames = [bytes([2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x88, 0xB5]) + bytes((i * j) % 251 for j in range(n))
              for i, n in enumerate((0, 46, 50, 51, 700, 1500, 1))]
    path = os.path.join(folder, "frames.pcap")
    with open(path, "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for i, frame in enumerate(frames):
            f.write(struct.pack("<IIII", 0, i * 1000, len(frame), len(frame)) + frame)
    return path, frames


def send_and_take(port, args, n):
    tap = Tap("vb")
    out = run("-i", port, "-n", str(n), "-R", "20000", *args, "-w", "0")
    frames = tap.read(n, 1.0)
    tap.close()
    check(out.returncode == 0 and total(out.stdout)[0] == n, f"{port} {args}: {out.stdout}{out.stderr}")
    check(total(out.stdout)[1] == sum(map(len, frames)), f"{port} {args}: {total(out.stdout)} bytes")
    return frames


def frames_are_those_that_a_socket_sends():
    with tempfile.TemporaryDirectory() as folder:
        path, frames = capture(folder)
        for args in (["-f", "tx", *LAB4], ["-f", "tx", *LAB6], ["-f", "tx", *ONE], ["-f", "tx", "-l", "1514", *ONE],
                     ["-f", "txseq", *LAB4], ["-f", "txseq", "-6", "-l", "200"],
                     ["-f", "tx", "-s", "10.0.0.9:5-10.0.0.1:2", "-d", "10.1.0.1:65535-10.1.0.3:65530", "-l", "65"],
                     ["-f", "tx", "-s", "10.0.0.1-10.1.0.0", "-l", "43", "-b", "100"],
                     ["-f", "tx", "-P", path]):
            live, socket = (send_and_take(port, args, 3000) for port in (LIVE, "xdp:va"))
            check(len(live) == 3000 and live == socket, f"{args}: {len(live)} and {len(socket)} frames, not the same")
        check(live[:7] == frames and live[7:14] == frames, "the capture's frames")


def random_frames_are_right_ones():
    frames = send_and_take(LIVE, ["-f", "tx", "-z", "-Z", "-l", "600", "-l", "60"], 3000)
    check(len(frames) == 3000 and {frame_fault(f, len(f)) for f in frames} == {None}, "random frames")
    check({len(f) < 600 and len(f) >= 60 for f in frames} == {True}, "lengths")
    check(len({len(f) for f in frames}) > 30 and len({f[26:38] for f in frames}) == 3000, "not very random")


def counts_rates_and_threads_hold():
    for n in (1, 63, 5001):
        tap = Tap("vb")
        out = run("-i", LIVE, "-f", "tx", "-p", "1" if n == 1 else "2", "-R", "20000", "-n", str(n), *ONE)
        got = len(tap.read(n + 1, 0.5))
        tap.close()
        check(total(out.stdout)[0] == n == got, f"-n {n}: {got} frames; {out.stdout}{out.stderr}")
    out = run("-i", LIVE, "-f", "tx", "-n", "30000", "-R", "10000", *ONE)
    m = re.search(r"in (\d+\.\d+) seconds", out.stdout)
    check(m and 2.99 <= float(m[1]) <= 3.1, f"30000 packets at 10000 a second: {out.stdout}")
    out = run("-i", LIVE, "-f", "tx", "-n", "3", "-X", *ONE)
    check(out.stdout.count("len    60]") == 3, f"-X: {out.stdout}")


def a_far_end_may_go_away_and_come_back():
    p = subprocess.Popen([*GEN, "-i", LIVE, "-f", "tx", "-T", "200", "-N", *ONE], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True)

    def until(pattern):
        for line in p.stderr:
            if re.search(pattern, line):
                return line
        return ""

    sends = r"main_thread \[\d+\] [1-9]\d* pps "
    check(until(sends), "no packets at first")
    ip("link", "set", "vb", "down")
    why = until("poll error")
    check("poll error on queue 0: " in why and "timeout" not in why, why)
    with open(f"/proc/{p.pid}/schedstat", encoding="ascii") as f:
        before = int(f.read().split()[0])
        time.sleep(1)
        f.seek(0)
        check(int(f.read().split()[0]) - before < 300e6, "it is busy with nothing")
    ip("link", "set", "vb", "up")
    check(until(sends), "no packets afterwards")
    p.send_signal(signal.SIGINT)
    check(p.wait(10) == 0, "after SIGINT")
    p.stdout.close()
    p.stderr.close()


def programs_and_maps(pid):
    found = []
    for path in glob.glob(f"/proc/{pid}/fdinfo/*"):
        with open(path, encoding="ascii") as f:
            found += re.findall(r"^(prog_id|map_id|link_id):\s*(\d+)", f.read(), re.M)
    return sorted({(kind, int(number)) for kind, number in found})


def a_killed_sender_leaves_nothing():
    libbpf = ctypes.CDLL("libbpf.so.1")
    by_id = {"prog_id": libbpf.bpf_prog_get_fd_by_id, "map_id": libbpf.bpf_map_get_fd_by_id,
             "link_id": libbpf.bpf_link_get_fd_by_id}

    def there(thing):
        fd = by_id[thing[0]](ctypes.c_uint32(thing[1]))
        if fd >= 0:
            os.close(fd)
        return fd >= 0

    p = subprocess.Popen([*GEN, "-i", LIVE, "-f", "tx", "-p", "2", "-T", "100", *ONE], stdout=subprocess.DEVNULL,
                         stderr=subprocess.PIPE, text=True)
    for line in p.stderr:
        if "main_thread" in line and not re.search(r" 0(\.000)? pps", line):
            break
    things = programs_and_maps(p.pid)
    check({kind for kind, _ in things} == {"prog_id", "map_id", "link_id"} and all(map(there, things)), f"{things}")
    p.kill()
    p.wait()
    p.stderr.close()
    end = time.monotonic() + 10
    while any(map(there, things)) and time.monotonic() < end:
        time.sleep(0.05)
    check(not any(map(there, things)), f"left: {[t for t in things if there(t)]}")
    for name in ("va", "vb"):
        text = subprocess.run(["ip", "link", "show", name], capture_output=True, text=True, check=True).stdout
        check("xdp" not in text and "UP" in text, text)


def a_missing_capability_is_named():
    for cap in ("perfmon", "bpf", "net_admin"):
        out = run("-i", "live:va", "-f", "tx", "-n", "1", *ONE,
                  before=["setpriv", f"--bounding-set=-sys_admin,-{cap}", "--inh-caps=-all", "--"])
        check(out.returncode == 255 and f"(CAP_{cap.upper()})" in out.stderr, f"{cap}: {out.stderr}")


def inside():
    for name in ("all", "default"):
        with open(f"/proc/sys/net/ipv6/conf/{name}/disable_ipv6", "w", encoding="ascii") as f:
            f.write("1")
    ip("link", "add", "va", "type", "veth", "peer", "name", "vb")
    ip("link", "set", "va", "up")
    ip("link", "set", "vb", "up")
    a_bare_name_means_live_frames_where_they_are_known_to_pass()
    live_frames_are_only_sent()
    frames_are_those_that_a_socket_sends()
    random_frames_are_right_ones()
    counts_rates_and_threads_hold()
    a_far_end_may_go_away_and_come_back()
    a_killed_sender_leaves_nothing()
    a_missing_capability_is_named()
    print(f"{len(failures)} failures")
    return 1 if failures else 0


sys.exit(in_a_namespace(inside))
