# SPDX-License-Identifier: BSD-2-Clause
"""A virtual machine that runs commands on a kernel, and is gone after them: no disk, no network, no state."""
import glob
import os
import re
import shlex
import shutil
import subprocess
import threading

from archive import Archive

# What a test calls beside the programs it brings.
TOOLS = ("sh", "env", "ip", "tc", "ethtool", "nft", "iptables", "sysctl", "nstat", "nsenter", "unshare", "setpriv", "stat", "ping",
         "mount", "umount", "bash", "/usr/bin/python3", "strace", "bpftool", "xdp-loader", "xdp-filter", "modprobe", "insmod")
# What DPDK loads by itself for the ports that tests use.
DRIVERS = ("bus_vdev", "mempool_ring", "net_null", "net_pcap", "net_memif")
# Folders of modules, below kernel/: what interfaces, routes, filters and programs for XDP are made of.
MODULES = ("net", "lib", "crypto", "arch/x86/crypto", "drivers/net/veth.ko", "drivers/net/dummy.ko", "drivers/net/tun.ko",
           "drivers/net/tap.ko", "drivers/net/macvlan.ko", "drivers/net/bonding", "drivers/net/netdevsim", "fs/nls")

# Not busybox's shell, which takes its own `ip` and the like before those in PATH.
INIT = """#!/bin/sh
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/rig/bin HOME=/root LC_ALL=C.UTF-8
/bin/busybox chmod 755 /
/bin/busybox mount -t devtmpfs dev /dev
/bin/busybox --install -s /rig/bin
mkdir -p /dev/pts /dev/shm
chmod 1777 /tmp /var/tmp /dev/shm
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devpts pts /dev/pts
mount -t tmpfs run /run
mount -t bpf bpf /sys/fs/bpf
mount -t tracefs trace /sys/kernel/tracing
mount -t cgroup2 cgroup /sys/fs/cgroup
ip link set lo up
hostname weir
stty -F /dev/ttyS1 raw
exec </dev/null >/dev/ttyS1 2>&1
job() {
	name=$1 seconds=$2
	shift 2
	echo "@begin $name"
	timeout -k 10 "$seconds" "$@"
	echo "@end $name $?"
}
. /rig/jobs
poweroff -f
"""


def userland():
    """What is the same for every kernel: tools, an interpreter, the files they read."""
    a = Archive()
    a.device("/dev/console", 5, 1)
    for d in ("proc", "sys", "tmp", "run", "root", "rig/bin", "var/tmp"):
        a.folder(d)
    for d in ("/bin", "/sbin", "/lib", "/lib64"):
        if os.path.islink(d):
            a.link(d, os.readlink(d))
    a.program("/bin/busybox", *(t for t in TOOLS if shutil.which(t, path=os.environ["PATH"] + ":/usr/sbin:/sbin")))
    python = subprocess.run(["/usr/bin/python3", "-c", "import sysconfig; print(sysconfig.get_path('stdlib'))"], check=True,
                            capture_output=True, text=True).stdout.strip()
    a.tree(python, leave=("test", "tests", "idlelib", "lib2to3", "ensurepip", "tkinter", "dist-packages", "site-packages"))
    a.program(*(os.path.join(python, "lib-dynload", f) for f in os.listdir(os.path.join(python, "lib-dynload"))))
    for f in ("/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/protocols", "/etc/services", "/etc/ld.so.cache"):
        if os.path.exists(f):
            a.add(f)
    a.tree("/etc/iproute2")
    a.program(*(p for d in DRIVERS for p in glob.glob("/usr/lib/x86_64-linux-gnu/dpdk/pmds-*/librte_%s.so*" % d)))
    # Programs of libxdp's, and what libxtables loads.
    for d in ("/usr/lib/bpf", "/usr/lib/x86_64-linux-gnu/bpf", "/usr/lib/x86_64-linux-gnu/xtables"):
        a.tree(d)
    a.put("/init", INIT.encode(), 0o755)
    return a


def modules(kernel):
    """The modules of one kernel, so that it loads by itself what it asks for."""
    a = Archive()
    below = os.path.join(kernel.modules, "kernel")
    for where, _, names in os.walk(kernel.modules):
        for name in names:
            path = os.path.join(where, name)
            inside = os.path.relpath(path, below)
            if inside.startswith("..") or inside.startswith(MODULES):
                with open(path, "rb") as f:
                    a.put("/usr/lib/modules/%s/%s" % (kernel.release, os.path.relpath(path, kernel.modules)), f.read())
    return a


class Machine:
    """Runs jobs, (name, seconds, command) each, and tells of each by finished(name, status, output)."""

    def __init__(self, kernel, initrd, console, memory_mb):
        kvm = os.access("/dev/kvm", os.R_OK | os.W_OK)
        # QEMU 7.2 itself executes cmpxchg16b wrongly now and then, and kernels that use it stop.
        cpu = ["-accel", "kvm", "-cpu", "max"] if kvm else ["-accel", "tcg", "-cpu", "max,-cx16"]
        self.cmd = ["qemu-system-x86_64", *cpu, "-smp", "2",
                    "-m", str(memory_mb), "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none",
                    "-serial", "file:" + console, "-serial", "stdio", "-kernel", kernel.image, "-initrd", initrd,
                    "-append", "console=ttyS0 panic=-1 rdinit=/init"]

    def run(self, seconds, begun, said, finished):
        p = subprocess.Popen(self.cmd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             errors="replace")
        guard = threading.Timer(seconds, p.kill)
        guard.start()
        try:
            for line in p.stdout:
                line = line.rstrip("\r\n")
                m = re.match(r"(.*)@(begin|end) (\S+)(?: (\d+))?$", line)
                if m is None or m[1]:
                    said(m[1] if m else line)
                if m and m[2] == "begin":
                    begun(m[3])
                elif m:
                    finished(m[3], int(m[4]))
        finally:
            guard.cancel()
            p.kill()
            p.wait()
        return p.stderr.read().strip()


def jobs(a, todo, folder):
    """Puts what is to be done in the folder, (name, seconds, command) each, into the archive."""
    a.folder(folder)
    lines = ["cd %s\n" % shlex.quote(folder)] + ["job %s %u %s\n" % (name, seconds, shlex.join(cmd)) for name, seconds, cmd in todo]
    a.put("/rig/jobs", "".join(lines).encode())
