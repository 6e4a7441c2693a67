#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""weir lab --dut linux and --dut wire as people run them: results, refusals, and nothing left behind.

usage: dut_lab.py WEIR
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

WEIR = os.path.abspath(sys.argv[1])
QUICK = ["--seconds", "0.2", "--no-aa", "-4"]
RC = """\
gateway_enable=YES
ifconfig_igb2="inet 198.18.0.209/25"
ifconfig_igb3="inet 198.19.0.209/25"
static_routes="a b"
route_a="-net 198.18.0.0/16 198.18.0.203"
route_b="-net 198.19.0.0/16 198.19.0.203"
static_arp_pairs="a b"
static_arp_a="198.18.0.203 00:1b:21:c4:95:7a"
static_arp_b="198.19.0.203 00:1b:21:c4:95:7b"
"""
# A quarter of the 100 sources.
RULES = """\
set -e
nft add table ip t
nft add chain ip t c '{ type filter hook forward priority 0; }'
nft add rule ip t c iifname $WEIR_IN oifname $WEIR_OUT ip saddr 198.18.10.1-198.18.10.25 drop
"""
# A router by hand: its namespace is kept by the shell that waits for its input to end.
BOX = """\
ip link set d0 address 02:00:00:00:00:d0 up && ip link set d1 address 02:00:00:00:00:d1 up
ip addr add 198.18.0.209/16 dev d0 && ip addr add 198.19.0.209/24 dev d1
ip route add 198.19.0.0/16 via 198.19.0.203
ip neigh add 198.19.0.203 lladdr 02:00:00:00:00:b1 dev d1 nud permanent
sysctl -qw net.ipv4.ip_forward=1 net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.d0.rp_filter=0
echo ready
read -r end
"""
failures = []


def check(ok, text):
    if not ok:
        failures.append(text)
        print("FAILED:", text, flush=True)


def lab(*args, **kw):
    return subprocess.run([WEIR, "lab", *args], capture_output=True, text=True, timeout=300, check=False, **kw)


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def conditions(folder, **scripts):
    """A folder with the router's settings and a condition for each script ("" = none)."""
    write(f"{folder}/base/rc.conf", RC)
    for name, script in scripts.items():
        write(f"{folder}/{name}/rc.conf", f'hostname="{name}"\n')
        if script:
            write(f"{folder}/{name}/setup.sh", script)
    return folder


def children(pid):
    out = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    return [int(p) for p in out.stdout.split()]


def namespaces(pids):
    """Network namespaces of these processes, without our own."""
    found = set()
    for p in pids:
        try:
            found.add(os.readlink(f"/proc/{p}/ns/net"))
        except OSError:
            pass
    return found - {os.readlink("/proc/self/ns/net")}


def held():
    return namespaces(p for p in os.listdir("/proc") if p.isdigit())


def started(folder, *args):
    """A lab that is under way, and the two namespaces it has made."""
    lab_process = subprocess.Popen([WEIR, "lab", "--dut", "linux", "--runs", "50", *args],
                                   cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   start_new_session=True)
    end = time.monotonic() + 60
    while time.monotonic() < end and lab_process.poll() is None:
        made = namespaces(children(lab_process.pid))
        if len(made) == 2:
            return lab_process, made
        time.sleep(0.01)
    lab_process.kill()
    raise SystemExit("it made no namespaces: " + lab_process.communicate()[1])


def gone(made, seconds=20):
    end = time.monotonic() + seconds
    while held() & made and time.monotonic() < end:
        time.sleep(0.05)
    return not held() & made


def test_rules_are_loss(tmp):
    folder = conditions(f"{tmp}/rules", open="", quarter=RULES)
    r = lab("--dut", "linux", "--runs", "4", *QUICK, "-o", f"{tmp}/out", folder)
    check(r.returncode == 0, f"two conditions: exit {r.returncode}: {r.stdout[-2000:]}{r.stderr}")
    if not os.path.exists(f"{tmp}/out/results.json"):
        check(False, "no results.json")
        return
    with open(f"{tmp}/out/results.json", encoding="utf-8") as f:
        results = json.load(f)
    arms = [a["condition"] for a in results["arms"]]
    for run in results["runs"]:
        if not run["valid"]:
            continue
        name = arms[run["arm"]]
        passed = run["dut_sent"] / run["dut_in"]
        want = 1 if name == "open" else 0.75
        check(abs(passed - want) < 0.02, f"{name}: {passed:.3f} of the frames went on, not {want}")
        check(run["received"] > 0 and run["foreign"] == 0, f"{name}: frames came back wrong")
        check(100 < run["cycles_per_packet"] < 1e6, f"{name}: {run['cycles_per_packet']} cycles a packet")


def test_a_script_that_fails_is_told(tmp):
    folder = conditions(f"{tmp}/bad", bad="nft add rule ip nosuch c accept\n")
    r = lab("--dut", "linux", *QUICK, folder, cwd=tmp)
    check(r.returncode == 4, f"failing script: exit {r.returncode}")
    check("bad/setup.sh: " in r.stderr and "No such file" in r.stderr, f"failing script: {r.stderr}")
    check(r.stderr.count("\n") == 1, f"failing script: not one sentence: {r.stderr}")
    check(not os.path.exists(f"{tmp}/runs"), "failing script: a results folder")


def test_missing_rights_are_named(_tmp):
    r = subprocess.run(["setpriv", "--bounding-set=-sys_admin", WEIR, "lab", "--dut", "linux", *QUICK],
                       capture_output=True, text=True, check=False)
    check(r.returncode == 5, f"without CAP_SYS_ADMIN: exit {r.returncode}")
    check("CAP_SYS_ADMIN" in r.stderr and "CAP_NET_ADMIN" not in r.stderr, f"without CAP_SYS_ADMIN: {r.stderr}")


def test_interrupts_leave_nothing(tmp):
    for sig in signal.SIGINT, signal.SIGTERM, signal.SIGKILL:
        for delay in 0, 0.3:
            folder = tempfile.mkdtemp(dir=tmp)
            process, made = started(folder, *QUICK)
            time.sleep(delay)
            if sig == signal.SIGINT:  # as a terminal does: to all of the group
                os.killpg(process.pid, sig)
            else:
                process.send_signal(sig)
            out, err = process.communicate(timeout=120)
            what = f"{sig.name} after {delay} s"
            check(process.returncode == -sig, f"{what}: exit {process.returncode}: {out}{err}")
            check(gone(made), f"{what}: a namespace is still held")
            if sig != signal.SIGKILL:
                check(err == "weir lab: interrupted\n", f"{what}: said {err}")
                check(not os.listdir(folder), f"{what}: left {os.listdir(folder)}")


def test_a_box_on_the_wire(tmp):
    """In a network namespace of this process."""
    box = subprocess.Popen(["unshare", "-n", "sh", "-c", "read -r go && exec sh -c \"$0\"", BOX],
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    own = os.readlink("/proc/self/ns/net")
    while os.readlink(f"/proc/{box.pid}/ns/net") == own:
        time.sleep(0.01)
    quiet = "/proc/sys/net/ipv6/conf/default/disable_ipv6"
    if os.path.exists(quiet):
        write(quiet, "1")
        subprocess.run(["nsenter", f"--net=/proc/{box.pid}/ns/net", "sh", "-c", f"echo 1 >{quiet}"], check=True)
    for i in range(2):
        subprocess.run(["ip", "link", "add", f"t{i}", "type", "veth", "peer", "name", f"d{i}",
                        "netns", str(box.pid)], check=True)
        subprocess.run(["ip", "link", "set", f"t{i}", "up"], check=True)
    box.stdin.write("go\n")
    box.stdin.flush()
    check(box.stdout.readline() == "ready\n", "the box is not ready")
    write(f"{tmp}/wire/as-it-is/rc.conf", RC)
    write(f"{tmp}/wire/as-it-is/setup.sh", f'echo "$WEIR_IN $WEIR_OUT $WEIR_CONDITION" >{tmp}/told\n')
    r = lab("--dut", "wire", "--out", "afpacket:t0", "--in", "afpacket:t1", "--dmac", "02:00:00:00:00:d0",
            "--runs", "2", "--rate", "2000", *QUICK, "-o", f"{tmp}/wire-out", f"{tmp}/wire")
    check(r.returncode == 0, f"wire: exit {r.returncode}: {r.stdout[-2000:]}{r.stderr}")
    check("settings of as-it-is: no effect here" in r.stdout, "wire: the settings' having no effect is not told")
    with open(f"{tmp}/told", encoding="utf-8") as f:
        told = f.read()
    check(told == "afpacket:t0 afpacket:t1 as-it-is\n", f"wire: the script was told {told}")
    write(f"{tmp}/mute/as-it-is/rc.conf", RC)
    r = lab("--dut", "wire", "--out", "afpacket:t0", "--in", "afpacket:t1", "--dmac", "02:00:00:00:00:d0",
            *QUICK, f"{tmp}/mute")
    check(r.returncode == 4 and "as-it-is/setup.sh must tell it" in r.stderr, f"wire, settings only: {r.stderr}")
    # A box that another MAC address is wrong for drops everything: void, and said so.
    r = lab("--dut", "wire", "--out", "afpacket:t0", "--in", "afpacket:t1", "--dmac", "02:00:00:00:00:99",
            "--runs", "1", "--rate", "2000", *QUICK, "-o", f"{tmp}/wire-none")
    check(r.returncode == 3 and "no frame came back" in r.stdout, f"wire, wrong MAC: {r.returncode} {r.stdout}")
    r = lab("--dut", "wire", "--out", "afpacket:t0", "--in", "afpacket:none", "--dmac", "02:00:00:00:00:d0")
    check(r.returncode == 5 and "none" in r.stderr, f"wire, no such port: {r.returncode} {r.stderr}")
    box.stdin.close()
    box.wait()


def main():
    if len(sys.argv) == 2:
        if subprocess.run(["unshare", "-n", "true"], capture_output=True, check=False).returncode != 0:
            print("skipped: it makes network namespaces and needs root")
            return 77
        with open("/proc/2/comm", encoding="utf-8") if os.path.exists("/proc/2/comm") else open(os.devnull) as f:
            if f.read() != "kthreadd\n":
                print("skipped: kernel threads are not visible here (a container's process ids)")
                return 77
        # All of it in a namespace of our own, where t0 and t1 are.
        os.execvp("unshare", ["unshare", "-n", sys.executable, os.path.abspath(__file__), WEIR, "inside"])
    tmp = tempfile.mkdtemp()
    try:
        for name, test in sorted(globals().items()):
            if name.startswith("test_"):
                test(tmp)
    finally:
        shutil.rmtree(tmp)
    print("failed" if failures else "passed")
    return 1 if failures else 0


sys.exit(main())
