# SPDX-License-Identifier: BSD-2-Clause
"""Kernels of Debian's, fetched by apt from the mirror that this machine uses, and unpacked beside the build.

Nothing is installed: apt has lists and a cache of its own in the folder.
"""
import glob
import os
import re
import subprocess
import time

PACKAGE = "linux-image-cloud-amd64"
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
WITH_SECURITY = ("bookworm", "trixie")
FRESH = 24 * 3600  # how many seconds a list of packages is kept


class NoKernel(Exception):
    """It cannot be had; the text says why."""


class Kernel:
    def __init__(self, suite, version, folder, release):
        self.suite, self.version, self.folder, self.release = suite, version, folder, release
        # The second is where packages have it from Linux 6.17 on.
        places = os.path.join(folder, "boot", "vmlinuz-" + release), os.path.join(self.modules, "vmlinuz")
        self.image = next((p for p in places if os.path.exists(p)), places[0])

    @property
    def name(self):
        return "%s (%s)" % (self.version, self.suite)

    @property
    def modules(self):
        return os.path.join(self.folder, "lib", "modules", self.release)


def run(*cmd, cwd=None):
    r = subprocess.run(cmd, capture_output=True, text=True, check=False, cwd=cwd, env={**os.environ, "LC_ALL": "C"})
    if r.returncode != 0:
        raise NoKernel((r.stderr or r.stdout).strip() or "%s failed" % cmd[0])
    return r.stdout


def mirrors():
    """label -> address of the archives that apt knows here."""
    found = {}
    for line in run("apt-get", "indextargets", "--format", "$(ORIGIN)|$(LABEL)|$(REPO_URI)", "Created-By: Packages").splitlines():
        origin, label, address = line.split("|")
        if origin == "Debian":
            found.setdefault(label, address)
    if "Debian" not in found:
        raise NoKernel("apt knows no mirror of Debian's here, or has no lists yet (apt-get update)")
    return found


class Suite:
    """A suite of Debian's, such as trixie, with the packages of its security archive."""

    def __init__(self, name, top):
        self.name, self.top = name, os.path.join(top, name)
        os.makedirs(os.path.join(self.top, "lists", "partial"), exist_ok=True)
        os.makedirs(os.path.join(self.top, "cache", "archives", "partial"), exist_ok=True)
        known = mirrors()
        source = "deb [arch=amd64 signed-by=%s] %s %s main\n"
        text = source % (KEYS, known["Debian"], name)
        if name in WITH_SECURITY and "Debian-Security" in known:
            text += source % (KEYS, known["Debian-Security"], name + "-security")
        fresh = self.age() < FRESH and self.read("sources.list") == text
        self.write("sources.list", text)
        self.write("status", "")
        self.write("preferences", "")
        if not fresh:
            self.apt("apt-get", "update", "--error-on=any")
            self.write("updated", "")

    def path(self, name):
        return os.path.join(self.top, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)

    def read(self, name):
        try:
            with open(self.path(name), encoding="utf-8") as f:
                return f.read()
        except FileNotFoundError:
            return None

    def age(self):
        try:
            return time.time() - os.path.getmtime(self.path("updated"))
        except FileNotFoundError:
            return FRESH

    def apt(self, *cmd):
        options = {"Dir::Etc::SourceList": self.path("sources.list"), "Dir::Etc::SourceParts": "/dev/null",
                   "Dir::Etc::Preferences": self.path("preferences"), "Dir::Etc::PreferencesParts": "/dev/null",
                   "Dir::State": self.top, "Dir::State::Lists": self.path("lists"), "Dir::State::Status": self.path("status"),
                   "Dir::Cache": self.path("cache"), "APT::Architecture": "amd64", "APT::Architectures": "amd64",
                   "Acquire::Languages": "none", "APT::Sandbox::User": "root"}
        return run(*cmd, *(x for k, v in options.items() for x in ("-o", k + "=" + v)), cwd=self.path("cache"))

    def kernel(self):
        """The newest one, unpacked."""
        out = self.apt("apt-cache", "depends", "--recurse", "--no-recommends", "--no-suggests", "--no-conflicts",
                       "--no-breaks", "--no-replaces", "--no-enhances", PACKAGE)
        # From Linux 6.17 on, the image and its modules are packages of their own.
        wanted = sorted(set(re.findall(r"^(linux-(?:image|modules|binary|base)-\d\S*)$", out, re.M)))
        images = [p for p in wanted if p.startswith("linux-image-")]
        if len(images) != 1:
            raise NoKernel("%s: %s leads to %s" % (self.name, PACKAGE, images or "no image"))
        release = images[0].removeprefix("linux-image-")
        version = re.search(r"^  Candidate: (\S+)", self.apt("apt-cache", "policy", images[0]), re.M)[1]
        folder = self.path(version)
        if not os.path.exists(os.path.join(folder, "complete")):
            self.fetch(wanted, folder, release)
        return Kernel(self.name, version, folder, release)

    def fetch(self, packages, folder, release):
        self.apt("apt-get", "download", *packages)
        for deb in glob.glob(self.path("cache/*.deb")):
            run("dpkg-deb", "-x", deb, folder)
            os.unlink(deb)
        if not os.path.isdir(os.path.join(folder, "lib")):
            os.symlink("usr/lib", os.path.join(folder, "lib"))
        run("/sbin/depmod", "-b", folder, release)
        with open(os.path.join(folder, "complete"), "w", encoding="utf-8"):
            pass
