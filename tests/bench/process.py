# SPDX-License-Identifier: BSD-2-Clause
"""Processes that move packets, and what one of their threads spends on a packet.

A measurement is a number of short windows.  In each one the thread's own CPU time (schedstat) is
set against the packets it moved, so that time in which somebody else had the CPU does not count;
and the tenth percentile over the windows is taken, so that windows in which a neighbour on the same
physical core slowed it down do not count either.  (Where the kernel's queues lie between the thread
and the counter, the packets of a window are not quite those of its CPU time: there it is the median.)
What can neither be counted out is a machine that
is busy all the time: then the thread's share of its CPU is low, and the measurement is refused.
"""
import glob
import json
import os
import re
import resource
import select
import signal
import socket
import statistics
import subprocess
import time

WINDOWS, WINDOW_S, WARM_S = 10, 0.15, 0.4


class NotMeasured(Exception):
    """With the reason, for the user."""


class Busy(NotMeasured):
    """The machine was, so that another try may help."""


class Measured:
    """Of windows: (CPU ns, packets, wall ns)."""

    share_min = 0.8  # of its CPU that a polling thread must have had

    def __init__(self, what, windows, queued=False):
        costs = [c / n for c, n, _ in windows if n > 0]
        if len(costs) < 5:
            raise Busy(f"{what}: moved no packets")
        self.share = statistics.median(c / w for c, _, w in windows)
        # CPU time a packet.
        self.ns = statistics.median(costs) if queued else statistics.quantiles(
            costs, n=10, method="inclusive")[0]
        if self.share < self.share_min:
            raise Busy(f"{what}: had only {self.share:.0%} of its CPU; the machine is busy")


class Figure:
    """In the place of a Measured: what a whole run took, in whatever unit the row has."""

    def __init__(self, figure, share):
        self.ns, self.share = figure, share


def run(cmd, seconds_max=None):
    """A program from its start to its end: (output, CPU seconds, share of a CPU)."""
    name = os.path.basename(cmd[0])
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    try:
        r = subprocess.run(cmd, capture_output=True, text=True, check=False, timeout=seconds_max)
    except FileNotFoundError as e:
        raise NotMeasured(f"{cmd[0]} is not there") from e
    except subprocess.TimeoutExpired as e:
        raise NotMeasured(f"{name} takes more than {seconds_max} s") from e
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if r.returncode != 0:
        said = r.stderr.strip().splitlines()
        raise NotMeasured(f"{name}: exit {r.returncode}: {said[-1] if said else ''}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return r.stdout, cpu, cpu / wall


def thread_ns(pid, tid):
    with open(f"/proc/{pid}/task/{tid}/schedstat", encoding="ascii") as f:
        return int(f.read().split()[0])


def find_thread(pid, pattern):
    """The thread of that name."""
    for tid in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{tid}/comm", encoding="ascii") as f:
            if re.match(pattern, f.read()):
                return int(tid)
    raise NotMeasured(f"process {pid} has no thread '{pattern}'")


ALL_CPUS = os.sched_getaffinity(0)  # this script binds itself later


def in_namespace(ns, cmd):
    return cmd if ns is None else ["ip", "netns", "exec", ns, *cmd]


class Process:
    """A program that runs until stop(); its messages go to a log file."""

    def __init__(self, cmd, folder, ns=None, **streams):
        self.name = os.path.basename(cmd[0])
        self.log_path = os.path.join(folder, f"{self.name}.log")
        self.log = open(self.log_path, "w+", encoding="utf-8", errors="replace")
        streams = {"stdin": subprocess.DEVNULL, "stdout": self.log, "stderr": self.log, **streams}
        self.p = subprocess.Popen(in_namespace(ns, cmd), **streams,
                                  preexec_fn=lambda: os.sched_setaffinity(0, ALL_CPUS))

    def check(self):
        if self.p.poll() is not None:
            self.log.seek(0)
            lines = [x for x in self.log.read().splitlines() if x.strip()]
            raise NotMeasured(f"{self.name} ended early: {lines[-1] if lines else 'no message'}")

    def stop(self):
        if self.p.poll() is None:
            self.p.send_signal(signal.SIGINT)
            try:
                self.p.wait(5)
            except subprocess.TimeoutExpired:
                self.p.kill()
                self.p.wait()
        self.log.close()
        for stream in (self.p.stdin, self.p.stdout):
            if stream:
                stream.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def windows(self, tid, count):
        """count() tells the packets so far; it is asked between two readings of the CPU time."""
        result = []

        def look():
            before = thread_ns(self.p.pid, tid), time.monotonic_ns()
            n = count()
            after = thread_ns(self.p.pid, tid), time.monotonic_ns()
            return (before[0] + after[0]) / 2, n, (before[1] + after[1]) / 2

        time.sleep(WARM_S)
        for _ in range(WINDOWS):
            self.check()
            a = look()
            time.sleep(WINDOW_S)
            b = look()
            result.append(tuple(y - x for x, y in zip(a, b)))
        return result


class Testpmd(Process):
    """dpdk-testpmd with one forwarding core, asked for its counters by its telemetry socket."""

    serial = 0

    def __init__(self, mode, vdevs, folder, cpus, pages, ns=None, options=()):
        Testpmd.serial += 1
        self.prefix = f"weir-bench-{os.getpid()}-{Testpmd.serial}"
        vdev = [word for v in vdevs for word in ("--vdev", v)]
        cmd = ["dpdk-testpmd", *pages, "-m", "512", "-l", f"{cpus[0]},{cpus[1]}",
               "--main-lcore", str(cpus[0]), "--no-pci", "--file-prefix", self.prefix, *vdev, "--",
               "--nb-cores=1", "--total-num-mbufs=16384", "--auto-start", "--stats-period=1000",
               f"--forward-mode={mode}", *options]
        super().__init__(cmd, folder, ns)
        self.socket = None

    def folders(self):
        bases = ["/var/run", os.environ.get("XDG_RUNTIME_DIR", ""), "/tmp"]
        return [f"{b}/dpdk/{self.prefix}" for b in bases if b]

    def connect(self):
        deadline = time.monotonic() + 15
        while time.monotonic() < deadline:
            self.check()
            for path in (p for f in self.folders() for p in glob.glob(f"{f}/dpdk_telemetry.v2*")):
                s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                s.settimeout(5)
                try:
                    s.connect(path)
                    s.recv(4096)
                    self.socket = s
                    return
                except OSError:
                    s.close()
            time.sleep(0.02)
        raise NotMeasured("testpmd did not start within 15 s")

    def sent(self, port):
        self.socket.send(f"/ethdev/stats,{port}".encode())
        return json.loads(self.socket.recv(65536))["/ethdev/stats"]["opackets"]

    def worker(self):
        deadline = time.monotonic() + 10
        while True:
            try:
                return find_thread(self.p.pid, r"(rte|lcore)-worker-")
            except NotMeasured:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)

    def stop(self):
        if self.socket is not None:
            self.socket.close()
        super().stop()
        for folder in self.folders():
            for path in glob.glob(f"{folder}/*"):
                os.unlink(path)
            if os.path.isdir(folder):
                os.rmdir(folder)


def read_line(process, seconds):
    """A line of the process's standard output (opened in binary, unbuffered)."""
    line, deadline = b"", time.monotonic() + seconds
    while not line.endswith(b"\n"):
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([process.p.stdout], [], [], left)[0]:
            raise NotMeasured(f"{process.name} said nothing for {seconds} s")
        c = process.p.stdout.read(1)
        if not c:
            process.p.wait(5)
            process.check()
        line += c
    return line.decode(errors="replace")
