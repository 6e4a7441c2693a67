#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""pkt-gen's command line: help against manual, what is refused and how, streams and exit statuses.

usage: options.py WEIR MANUAL
Needs no root: everything runs on null and capture ports.
"""
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time

WEIR, MANUAL = sys.argv[1:3]
FOLDER = tempfile.TemporaryDirectory()
GEN = f"{FOLDER.name}/pkt-gen"
os.symlink(os.path.abspath(WEIR), GEN)
failures = []


def check(ok, text):
    if not ok:
        failures.append(text)
        print("FAILED:", text)


def story(out):
    return f"{out.args}: exit {out.returncode}, {out.stdout!r}, {out.stderr!r}"


def run(*args, timeout=60):
    return subprocess.run([GEN, *args], capture_output=True, text=True, timeout=timeout, check=False)


def help_and_manual_agree():
    out = run("--help")
    check(out.returncode == 0 and out.stderr == "", "--help goes to standard output and is no error")
    listed = re.findall(r"^  (?:-(\w))?(?:, )?(?:--([\w-]+))?(?: |$)", out.stdout, re.M)
    helped = {x for pair in listed for x in pair if x}
    text = open(MANUAL, encoding="utf-8").read()
    documented = set()
    for line in re.findall(r"^\.It (Fl .*)$", text, re.M):
        for word in re.split(r"[ ,]+", re.sub(r"\b(Fl|Ar|Ns|Op)\b", " ", line)):
            if re.fullmatch(r"\w", word) and not word.isdigit() or word in ("4", "6"):
                documented.add(word)
            elif word.startswith("-"):
                documented.add(word[1:])
    check(len(helped) > 35, f"help lists {len(helped)} options")
    check(helped == documented, f"only in help: {helped - documented}, only in manual: {documented - helped}")
    synopsis = text[text.index(".Sh SYNOPSIS") : text.index(".Sh DESCRIPTION")]
    for option in helped - {"help"}:
        check(
            re.search(rf"Fl (-{option}\b|{option} |\w*{option}\w*\n)|\| -{option}", synopsis),
            f"-{option} is not in the synopsis",
        )


# arguments (after -i null), what the message must name
REFUSED = [
    (["-f", "tx", "-s", "1.2.3"], "1.2.3"),
    (["-f", "tx", "-d", "1.2.3.4:70000"], "70000"),
    (["-f", "rx", "-d", "1.2.3.400"], "1.2.3.400"),
    (["-f", "tx", "-6", "-s", "10.0.0.1"], "10.0.0.1"),
    (["-f", "tx", "-6", "-s", "8@2001:2::1"], "8"),
    (["-f", "tx", "-S", "00:11:22:33:44"], "00:11:22:33:44"),
    (["-f", "tx", "-D", "00:11:22:33:44:5g"], "5g"),
    (["-f", "tx", "-n", "1M"], "1M"),
    (["-f", "tx", "-n", "-1"], "-1"),
    (["-f", "tx", "-n", "99999999999999999999"], "99999999999999999999"),
    (["-f", "tx", "-n", "3", "-p", "4"], "4 threads"),
    (["-f", "tx", "-l", "41"], "41"),
    (["-f", "tx", "-l", "15"], "15"),
    (["-f", "tx", "-l", "9597"], "9597"),
    (["-f", "tx", "-6", "-l", "60"], "62"),
    (["-f", "tx", "-l", "60", "-l", "61"], "61"),
    (["-f", "tx", "-l", "60", "-l", "60", "-l", "60"], "third"),
    (["-f", "txseq", "-l", "45"], "46"),
    (["-f", "ping", "-l", "50"], "54"),
    (["-f", "ping", "-s", "10.0.0.1-10.0.0.2"], "one address"),
    (["-f", "ping", "-p", "2"], "one thread"),
    (["-f", "nothing"], "nothing"),
    (["-b", "0"], "-b"),
    (["-b", "262145"], "262145"),
    (["-c", "1000"], "1000"),
    (["-p", "0"], "-p"),
    (["-T", "0"], "-T"),
    (["-w", "x"], "x"),
    (["-f", "rx", "-R", "5"], "-R"),
    (["-f", "tx", "-W"], "-W"),
    (["-f", "rx", "-z"], "-z"),
    (["-f", "rx", "-r"], "-r"),
    (["-f", "tx", "-I"], "VALE"),
    (["-f", "tx", "-F", "2"], "-F"),
    (["-f", "tx", "-M", "1024"], "-M"),
    (["-f", "tx", "-H", "12"], "virtio"),
    (["-f", "tx", "-o", "32"], "VALE"),
    (["-f", "tx", "-o", "128"], "128"),
    (["-f", "tx", "-C", "0"], "-C"),
    (["-f", "tx", "-C", "1,2,3,4,5"], "-C"),
    (["-f", "tx", "-C", "512,512,1,1", "-p", "2"], "rings"),
    (["-f", "tx", "-P", "/nonexistent.pcap"], "/nonexistent.pcap"),
    (["-f", "tx", "-P", ""], "-P: the name of the capture is empty"),
    (["-f", "tx", "-P", "/dev/null"], "/dev/null"),
    (["-f", "tx", "-P", "x", "-l", "60"], "-l"),
    (["-f", "rx", "-P", "x"], "-P"),
    (["-f", "tx", "--pcap-timing"], "--pcap-timing"),
    (["-f", "tx", "--pcap-once"], "--pcap-once"),
    (["-f", "tx", "-r", "-s", "10.0.0.1"], "-r"),
    (["-f", "tx", "extra"], "extra"),
    (["-f", "tx", "-Q"], "-Q"),
    (["-f", "tx", "--nothing"], "--nothing"),
    (["-f", "tx", "-n"], "-n"),
]


def mistakes_are_refused_in_words():
    for args, part in REFUSED:
        out = run("-i", "null", *args)
        first = out.stderr.split("\n")[0] if out.stderr else ""
        # A port is not opened for a line that cannot run, so the sentence comes first.
        sentence = [l for l in out.stderr.split("\n") if l.startswith("pkt-gen: ")]
        check(out.returncode == 255, f"{args}: exit {out.returncode}")
        check(len(sentence) == 1 and part in sentence[0], f"{args}: {part!r} not in {sentence or first!r}")
        check(out.stdout == "", f"{args}: something on standard output")
        check("usage" not in out.stderr, f"{args}: the sentence drowns in the usage")
    for args in ([], ["-f", "rx"]):
        out = run(*args)
        check(out.returncode == 255 and "port is missing" in out.stderr, f"{args}: {out.stderr!r}")
    out = run("-i", "no-such-port0", "-f", "rx")
    check(out.returncode == 255 and "no-such-port0" in out.stderr, f"unknown port: {out.stderr!r}")


def unknown_options_say_where_the_options_are():
    out = run("-i", "null", "-Q")
    check(out.stderr == "pkt-gen: -Q: bad option; `pkt-gen --help` lists the options\n", out.stderr)
    out = run("-h")
    check(out.returncode == 0 and out.stdout.startswith("usage: pkt-gen "), out.stdout)


LINE = re.compile(
    r"^\d{3}\.\d{6} main_thread \[\d+\] (\d+) pps \((\d+) pkts (\d+) bps in (\d+) usec\) "
    r"(\d+\.\d\d) avg_batch (\d+) min_space$"
)
TOTAL = re.compile(
    r"^(Sent|Received) (\d+) packets (\d+) bytes (\d+) events (\d+) bytes each in (\d+\.\d\d) seconds\.\n"
    r"Speed: (\d+) pps Bandwidth: (\d+) bps \(raw (\d+) bps\)\. Average batch: (\d+\.\d\d) pkts$",
    re.M,
)


def streams_and_lines():
    out = run("-i", "null", "-f", "tx", "-n", "3000", "-R", "10000", "-T", "50", "-N", "-U", "-w", "0",
              "-s", "198.18.10.1:2000-198.18.10.100", "-d", "198.19.10.1:2000-198.19.10.20",
              "-S", "00:1b:21:c4:95:7a", "-D", "00:08:a2:09:33:da")
    check(out.returncode == 0, f"exit {out.returncode}: {out.stderr}")
    lines = [LINE.match(l) for l in out.stderr.split("\n") if " main_thread " in l]
    check(len(lines) >= 3 and all(lines), f"interval lines: {out.stderr}")
    # A last interval of less than 10 ms is not reported, whatever a held-up sender did in it.
    reported = sum(int(m[2]) for m in lines if m)
    check(0 < reported <= 3000, f"the intervals add up to {reported}")
    for m in filter(None, lines):
        check(abs(int(m[1]) - int(m[2]) * 1e6 / int(m[4])) <= 0.5, f"pps of {m[0]}")
        check(abs(int(m[3]) - int(m[2]) * 480e6 / int(m[4])) <= 0.5, f"bps of {m[0]}")
    m = TOTAL.search(out.stdout)
    check(m and m[1] == "Sent" and m[2] == "3000" and m[3] == "180000" and m[5] == "60", story(out))
    check("main_thread" not in out.stdout and "Sent" not in out.stderr, "lines on the wrong stream")
    check(
        "198.18.10.1:2000-198.18.10.100 -> 198.19.10.1:2000-198.19.10.20 "
        "(00:1b:21:c4:95:7a -> 00:08:a2:09:33:da)" in out.stdout,
        "the addresses are missing",
    )
    for text in ("interface is null", "using default burst size: 512", "--- SPECIAL OPTIONS: copy",
                 "range is 198.18.10.1:2000 to 198.18.10.100:2000", "Sending 33 packets every  0.003300000 s",
                 "Wait 0 secs for phy reset", "Ready..."):
        check(text in out.stderr, f"{text!r} is missing")


def one_interval_holds_all():
    out = run("-i", "null", "-f", "tx", "-n", "3000", "-R", "10000", "-T", "60000", "-N", "-w", "0")
    lines = [LINE.match(l) for l in out.stderr.split("\n") if " main_thread " in l]
    check(len(lines) == 1 and lines[0] and lines[0][2] == "3000", story(out))


def end(p):
    """The rest of what a process says; communicate() would lose what reading by lines has buffered."""
    err = p.stderr.read()
    out = p.stdout.read()
    p.wait()
    return out, err


def nothing_moved():
    p = subprocess.Popen([GEN, "-i", "null", "-f", "rx", "-w", "0", "-T", "100"], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True)
    for line in p.stderr:
        if "waiting for initial packets" in line:
            break
    p.send_signal(signal.SIGTERM)
    out, err = end(p)
    check(p.returncode == 0 and out.endswith("Received nothing.\n"), f"{p.returncode} {out!r}")
    check("received control-C" in err, err)


def a_signal_ends_with_a_summary():
    for sig in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        p = subprocess.Popen([GEN, "-i", "null", "-f", "tx", "-w", "0", "-T", "50", "-R", "1000"],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for line in p.stderr:
            if " main_thread " in line:
                break
        p.send_signal(sig)
        out, _ = end(p)
        check(p.returncode == 0 and "\nSent " in out, f"{sig}: {p.returncode} {out!r}")


def nohup_is_heeded():
    p = subprocess.Popen(["nohup", GEN, "-i", "null", "-f", "tx", "-w", "0", "-T", "50", "-R", "1000"],
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    lines = 0
    for line in p.stderr:
        lines += " main_thread " in line
        if lines == 1:
            p.send_signal(signal.SIGHUP)
        if lines == 4:
            break
    p.send_signal(signal.SIGINT)
    out, _ = end(p)
    check(lines == 4 and p.returncode == 0 and "\nSent " in out, f"nohup: {lines} reports, {p.returncode} {out!r}")


def write_pcap(path, frames):
    with open(path, "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for t_us, data in frames:
            f.write(struct.pack("<IIII", t_us // 1000000, t_us % 1000000, len(data), len(data)) + data)


def read_pcap(path):
    """[(time in seconds, bytes)] of a capture with microseconds or nanoseconds."""
    data = open(path, "rb").read()
    unit = {0xA1B2C3D4: 1e-6, 0xA1B23C4D: 1e-9}[struct.unpack("<I", data[:4])[0]]
    at, out = 24, []
    while at < len(data):
        s, sub, n, _ = struct.unpack("<IIII", data[at : at + 16])
        out.append((s + sub * unit, data[at + 16 : at + 16 + n]))
        at += 16 + n
    return out


def captures(folder):
    given = [bytes([i]) * (60 + i) for i in range(5)]
    source, sent = f"{folder}/in.pcap", f"{folder}/out.pcap"
    write_pcap(source, [(1000000 + i * 40000, g) for i, g in enumerate(given)])
    out = run("-i", f"pcap:,{sent}", "-f", "tx", "-P", source, "-n", "12", "-w", "0")
    check(out.returncode == 0, story(out))
    check([f for _, f in read_pcap(sent)] == [given[i % 5] for i in range(12)], "a capture sent 2.4 times")
    start = time.monotonic()
    out = run("-i", f"pcap:,{sent}", "-f", "tx", "-P", source, "--pcap-timing", "--pcap-once", "-w", "0", "-N")
    took = time.monotonic() - start
    check(out.returncode == 0 and took >= 0.16, f"the capture's 160 ms were sent in {took}: {out.stderr}")
    m = TOTAL.search(out.stdout)
    check(m and m[2] == "5" and float(m[6]) >= 0.16, story(out))
    check([f for _, f in read_pcap(sent)] == given, "a capture sent once")
    # A receiver of a capture counts it and ends by itself.
    out = run("-i", f"pcap:{source}", "-f", "rx", "-w", "0", "-N")
    m = TOTAL.search(out.stdout)
    check(out.returncode == 0 and m and m.groups()[:3] == ("Received", "5", str(sum(map(len, given)))), story(out))
    out = run("-i", f"pcap:{source}", "-f", "rx", "-w", "0", "-N", "-n", "3", "-b", "1", "-X")
    m = TOTAL.search(out.stdout)
    check(m and m[2] == "3" and m[4] == "3", story(out))
    check(out.stdout.count("\nring 0 cur ") == 3 and "    0: 02 02 02" in out.stdout, story(out))


def a_cut_capture_is_refused(folder):
    cut = f"{folder}/snapped.pcap"
    write_pcap(cut, [(0, bytes(60)), (1, bytes(96))])
    with open(cut, "r+b") as f:
        f.seek(24 + 16 + 60 + 12)
        f.write(struct.pack("<I", 1514))
    for args in (["-i", "null", "-f", "tx", "-P", cut], ["-i", f"pcap:{cut}", "-f", "rx"]):
        out = run(*args, "-w", "0")
        check(out.returncode == 255 and "frame 2: only 96 of its 1514 bytes were captured" in out.stderr, story(out))


def flows_written(folder):
    sent = f"{folder}/flows.pcap"
    out = run("-i", f"pcap:,{sent}", "-f", "tx", "-n", "4000", "-w", "0",
              "-s", "198.18.10.1:2000-198.18.10.100", "-d", "198.19.10.1:2000-198.19.10.20")
    check(out.returncode == 0, story(out))
    keys = [f[26:38] for _, f in read_pcap(sent)]
    check(len(keys) == 4000 and len(set(keys)) == 2000, f"{len(keys)} packets, {len(set(keys))} flows")
    check(keys[:2000] == keys[2000:], "the second lap differs from the first")
    check(len({k[0:4] for k in keys[:100]}) == 100, "the source address does not go first")


def a_sequence_is_followed(folder):
    sent, cut = f"{folder}/seq.pcap", f"{folder}/cut.pcap"
    run("-i", f"pcap:,{sent}", "-f", "txseq", "-n", "100", "-w", "0", "-6", "-l", "70")
    frames = [f for _, f in read_pcap(sent)]
    check([struct.unpack(">I", f[62:66])[0] for f in frames] == list(range(100)), "numbers of txseq")
    out = run("-i", f"pcap:{sent}", "-f", "rxseq", "-w", "0")
    check("Sequence" not in out.stderr and out.returncode == 0, story(out))
    del frames[10:13]
    write_pcap(cut, [(i, f) for i, f in enumerate(frames + [frames[5]])])
    out = run("-i", f"pcap:{cut}", "-f", "rxseq", "-w", "0")
    check("Sequence GAP: exp 10 found 13" in out.stderr, story(out))
    check("Sequence OUT OF ORDER: exp 100 found 5" in out.stderr, story(out))


def threads_share_the_count():
    if len(os.sched_getaffinity(0)) < 2:
        return
    out = run("-i", "null", "-f", "tx", "-p", "2", "-n", "1001", "-N", "-w", "0")
    # The null port has one queue a thread, or says that it has not.
    if out.returncode == 0:
        m = TOTAL.search(out.stdout)
        check(m and m[2] == "1001", story(out))
    else:
        check("queue" in out.stderr, story(out))


def main():
    help_and_manual_agree()
    mistakes_are_refused_in_words()
    unknown_options_say_where_the_options_are()
    streams_and_lines()
    one_interval_holds_all()
    nothing_moved()
    a_signal_ends_with_a_summary()
    nohup_is_heeded()
    captures(FOLDER.name)
    flows_written(FOLDER.name)
    a_cut_capture_is_refused(FOLDER.name)
    a_sequence_is_followed(FOLDER.name)
    threads_share_the_count()
    print(f"{len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())
