#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What the commands for a running router say of themselves, against their manuals.

usage: help.py WEIR FOLDER-OF-MANUALS
"""
import os
import re
import subprocess
import sys

from labtest import Failures

WEIR, MANUALS = os.path.realpath(sys.argv[1]), sys.argv[2]
f = Failures()


def run(*args):
    return subprocess.run([WEIR, *args], capture_output=True, text=True, timeout=60, check=False)


def told(command):
    """Options and words that --help lists."""
    r = run(command, "--help")
    f.check(r.returncode == 0 and r.stderr == "", "%s --help: %r" % (command, r))
    rows = re.findall(r"^  (\S.*?)(?:  .*)?$", r.stdout.partition("\n\n")[2], re.M)
    options = {o for row in rows for o in re.findall(r"(?:^|, )(--?[a-z]+)", row) if row.startswith("-")}
    return options, [row.split()[0] for row in rows if not row.startswith("-")]


def page(name):
    with open(os.path.join(MANUALS, name), encoding="utf-8") as h:
        return h.read()


def documented(text):
    items = re.findall(r"^\.It (Fl .*)$", text, re.M)
    return {"-" + o for item in items for o in re.findall(r"Fl (\S+)", item)}


def main():
    for command, n in (("adapter", 8), ("ctl", 3), ("top", 5)):
        options, words = told(command)
        text = page("weir-%s.8" % command)
        in_page = documented(text)
        f.check(options == in_page, "%s: only in one of help and manual: %s" % (command, options ^ in_page))
        f.check(len(options) == n, "%s: %d options in the help: %s" % (command, len(options), options))
        items = set(re.findall(r"^\.It Cm (\w+)", text.partition(".Ss")[0], re.M))
        f.check(set(words) == items, "%s: words only in one of help and manual: %s" % (command, set(words) ^ items))
    words = told("ctl")[1]
    f.check(len(words) == 11, "words of ctl: %s" % words)
    for word in words:
        r = run("ctl", word)
        f.check(r.returncode == 2 and "its name comes first" in r.stderr, "ctl %s without a name: %r" % (word, r))
    words = set(told("cxgbetool")[1])
    synopsis = page("cxgbetool.8").partition(".Sh DESCRIPTION")[0]
    commands = set(re.findall(r"^\.Ar nexus\n\.Cm (\w+)", synopsis, re.M))
    f.check(words == commands and len(words) == 5, "cxgbetool: %s in the help, %s in the manual" % (words, commands))
    f.end()


main()
