# SPDX-License-Identifier: BSD-2-Clause
"""What a change of one rule takes as whoever gives the command sees it: a program from its start to its end, by
the clock, once to add a rule, another one each time, and once to take it away again.

The command on a card in the kernel that has 1,000 rules, beside nft on the same rules.
"""
import os
import random
import re
import statistics
import time

import kernel
from process import Figure, NotMeasured

RULES, CHANGES = 1000, 30


def once(cmd):
    """(ms by the clock, ms of CPU, output)."""
    out, to = os.pipe()
    start = time.perf_counter()
    pid = os.posix_spawnp(cmd[0], cmd, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, to, 1)])
    _, status, used = os.wait4(pid, 0)
    wall = time.perf_counter() - start
    os.close(to)
    text = os.read(out, 65536).decode()
    os.close(out)
    if status != 0:
        raise NotMeasured(f"{cmd[0]}: exit {os.waitstatus_to_exitcode(status)}")
    return 1e3 * wall, 1e3 * (used.ru_utime + used.ru_stime), text


def median(pair):
    """Of adds and deletes, all of them; pair() makes one of each."""
    pair()  # the first one has the machine's caches, and the card's spare set, to fill
    took = [x for _ in range(CHANGES) for x in pair()]
    wall = statistics.median(x[0] for x in took)
    return Figure(wall, min(1, statistics.median(x[1] for x in took) / wall))


def host_and_port(r):
    return f"10.{r.randrange(256)}.{r.randrange(256)}.{r.randrange(256)}", str(r.randrange(1, 65536))


def card(env):
    r = random.Random(RULES)
    with kernel.Device(env) as d:
        words = [f"{env.build}/cmd/cxgbetool", d.card(kernel.rules_of(RULES)), "filter", str(2 * RULES)]

        def pair():
            host, port = host_and_port(r)
            return once([*words, "sip", host, "dport", port, "proto", "17", "action", "drop"]), \
                once([*words, "delete"])

        return median(pair)


def nft(env):
    r = random.Random(RULES)
    with kernel.Device(env) as d:
        d.nft(kernel.rules_of(RULES))
        table = re.search(r"^table netdev (\S+)", kernel.command(d.dut, "nft", "list", "tables"), re.M)[1]
        chain = re.search(r"chain (\S+)", kernel.command(d.dut, "nft", "-t", "list", "table", "netdev", table))[1]
        enter = ["nsenter", f"--net=/run/netns/{d.dut}"]
        where = ["netdev", table, chain]

        def pair():
            host, port = host_and_port(r)
            added = once([*enter, "nft", "-e", "-a", "add", "rule", *where, "ip", "saddr", host, "udp", "dport",
                          port, "counter", "drop"])
            handle = re.search(r"# handle (\d+)", added[2])[1]
            return added, once([*enter, "nft", "delete", "rule", *where, "handle", handle])

        return median(pair)
