# SPDX-License-Identifier: BSD-2-Clause
"""The first file system of a kernel: a cpio archive with programs of this machine, at the paths they have here.

The format is "newc", as the kernel's driver-api/early-userspace/buffer-format.rst has it.
"""
import os
import re
import shutil
import stat
import subprocess


class Archive:
    def __init__(self):
        self.entries = {}  # path without the first / -> (mode, bytes or the file to read, device)

    def put(self, path, data, mode=0o644):
        """A file that is not of this machine."""
        self.folder(os.path.dirname(path))
        self.entries[path.lstrip("/")] = (stat.S_IFREG | mode, data, (0, 0))

    def folder(self, path):
        path = path.lstrip("/")
        if path and path not in self.entries:
            self.folder(os.path.dirname(path))
            self.entries[path] = (stat.S_IFDIR | 0o755, b"", (0, 0))

    def device(self, path, major, minor):
        self.folder(os.path.dirname(path))
        self.entries[path.lstrip("/")] = (stat.S_IFCHR | 0o600, b"", (major, minor))

    def link(self, path, target):
        self.folder(os.path.dirname(path))
        self.entries[path.lstrip("/")] = (stat.S_IFLNK | 0o777, target.encode(), (0, 0))

    def add(self, path):
        """A file of this machine, with the links that lead to it.  Returns where it really is."""
        here, todo = "/", os.path.abspath(path).split("/")[1:]
        while todo:
            here = os.path.join(here, todo.pop(0))
            if os.path.islink(here):
                target = os.readlink(here)
                self.link(here, target)
                todo = os.path.normpath(os.path.join(os.path.dirname(here), target)).split("/")[1:] + todo
                here = "/"
            elif os.path.isdir(here):
                self.folder(here)
            elif here.lstrip("/") not in self.entries:
                mode = stat.S_IFREG | os.stat(here).st_mode & 0o755
                self.entries[here.lstrip("/")] = (mode, here, (0, 0))
        return here

    def tree(self, folder, leave=()):
        """All files below a folder of this machine, but for folders of those names."""
        for where, folders, names in os.walk(folder):
            folders[:] = [d for d in folders if d not in leave]
            for name in names:
                self.add(os.path.join(where, name))

    def program(self, *names):
        """Programs, by path or as found in PATH, with their shared libraries."""
        binaries = []
        for name in names:
            path = name if "/" in name else shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")
            if path is None or not os.path.exists(path):
                raise FileNotFoundError(name + ": there is no such program")
            real = self.add(path)
            with open(real, "rb") as f:
                if f.read(4) == b"\x7fELF":
                    binaries.append(real)
        if not binaries:
            return
        # A program that is linked statically makes ldd fail, without harm.
        out = subprocess.run(["ldd", *binaries], capture_output=True, text=True, check=False).stdout
        if re.search(r"=> not found", out):
            raise FileNotFoundError("a shared library is missing:\n" + out)
        for library in sorted(set(re.findall(r"(?:=> |^\s)(/\S+) \(0x", out, re.M))):
            self.add(library)

    def write(self, f):
        """Archives may follow each other in a file."""
        for n, (name, (mode, data, device)) in enumerate(self.entries.items(), 1):
            if isinstance(data, str):
                with open(data, "rb") as h:
                    data = h.read()
            entry(f, n, name, mode, data, device)
        entry(f, 0, "TRAILER!!!", 0, b"", (0, 0))


def entry(f, number, name, mode, data, device):
    name = name.encode() + b"\0"
    fields = (number, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(name), 0)
    head = b"070701" + b"".join(b"%08X" % x for x in fields) + name
    f.write(head + b"\0" * (-len(head) % 4) + data + b"\0" * (-len(data) % 4))
