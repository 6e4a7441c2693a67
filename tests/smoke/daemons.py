# SPDX-License-Identifier: BSD-2-Clause
"""Routing daemons that speak OSPF on a station's links, and announce the networks of its interface net0.

The link d2 costs twice as much as all others.
"""
import os
import shutil
import subprocess

from labtest import wait_for

LINKS = ("d0", "d1", "d2", "w0", "e0", "s0")
SECONDS = {"hello": 1, "dead": 4}


def cost(link):
    return 20 if link == "d2" else 10


class Daemons:
    """One station's; enter is the command that enters its network namespace."""

    def __init__(self, folder, who, number, enter):
        self.folder, self.who, self.enter, self.running = os.path.join(folder, who), who, enter, []
        os.mkdir(self.folder)
        self.start(number)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as h:
            h.write(text)
        return self.path(name)

    def run(self, *cmd):
        with open(self.path("said"), "a", encoding="utf-8") as h:
            self.running.append(subprocess.Popen([*self.enter, *cmd], stdin=subprocess.DEVNULL, stdout=h, stderr=h))

    def said(self):
        with open(self.path("said"), encoding="utf-8") as h:
            return h.read()

    def end(self):
        for p in reversed(self.running):
            p.terminate()
            p.wait(20)


class Bird(Daemons):
    PACKAGE, PROGRAM, PROTO = "bird2", "bird", "bird"

    @classmethod
    def there(cls):
        return shutil.which(cls.PROGRAM, path=os.environ["PATH"] + ":/usr/sbin")

    def start(self, number):
        text = "router id 192.0.2.%d;\nlog stderr all;\nprotocol device { scan time 1; }\n" % number
        for family, version in (4, 2), (6, 3):
            text += "protocol kernel { ipv%d { import none; export where source = RTS_OSPF; }; }\n" % family
            text += "protocol ospf v%d { ipv%d { import all; export none; }; area 0 {\n" % (version, family)
            for link in LINKS:
                text += 'interface "%s" { type ptp; hello %d; dead %d; cost %d; };\n' % (
                    link, SECONDS["hello"], SECONDS["dead"], cost(link))
            text += 'interface "net0" { stub; };\n}; }\n'
        self.run(self.there(), "-f", "-c", self.write("conf", text), "-s", self.path("ctl"))


class Frr(Daemons):
    PACKAGE, PROGRAM, PROTO = "frr", "/usr/lib/frr/zebra", "ospf"

    @classmethod
    def there(cls):
        return cls.PROGRAM if os.path.exists(cls.PROGRAM) else None

    def start(self, number):
        four = "router ospf\n ospf router-id 192.0.2.%d\n passive-interface net0\nexit\n" % number
        six = "router ospf6\n ospf6 router-id 192.0.2.%d\nexit\n" % number
        for link in LINKS:
            four += self.link(link, "ip ospf")
            six += self.link(link, "ipv6 ospf6")
        four += "interface net0\n ip ospf area 0\n"
        six += "interface net0\n ipv6 ospf6 area 0\n ipv6 ospf6 passive\n"
        for name, text in ("zebra", ""), ("ospfd", four), ("ospf6d", six):
            self.write(name + ".conf", text)
        # They give up being root.
        for where in self.folder, *(self.path(x) for x in os.listdir(self.folder)):
            shutil.chown(where, "frr", "frr")
        for name in "zebra", "ospfd", "ospf6d":
            self.run("/usr/lib/frr/" + name, "-f", self.path(name + ".conf"), "-i", self.path(name + ".pid"),
                     "-z", self.path("zserv"), "--vty_socket", self.folder, "--log", "stdout", "-P", "0")
            # The others would try again in ten seconds only.
            wait_for(lambda: os.path.exists(self.path("zserv")))

    @staticmethod
    def link(name, words):
        return "interface %s\n %s area 0\n %s network point-to-point\n %s hello-interval %d\n %s dead-interval %d\n" % (
            name, words, words, words, SECONDS["hello"], words, SECONDS["dead"]) + " %s cost %d\nexit\n" % (words, cost(name))


KINDS = {"bird": Bird, "frr": Frr}
