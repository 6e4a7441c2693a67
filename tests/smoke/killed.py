# SPDX-License-Identifier: BSD-2-Clause
"""Runs a command and kills it at a chosen boundary of a system call, by ptrace."""
import ctypes
import os
import signal

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.ptrace.restype = ctypes.c_long
LIBC.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
TRACEME, KILL_WITH_US, SYSCALL, SET_OPTIONS, SYSCALL_INFO = 0, 0x00100000, 24, 0x4200, 0x420E
# of bpf(2) and flock(2), by os.uname().machine
NUMBERS = {"x86_64": (321, 73), "aarch64": (280, 32)}


class Info(ctypes.Structure):
    _fields_ = [("op", ctypes.c_uint8), ("pad", ctypes.c_uint8 * 3), ("arch", ctypes.c_uint32),
                ("ip", ctypes.c_uint64), ("sp", ctypes.c_uint64), ("nr", ctypes.c_uint64),
                ("args", ctypes.c_uint64 * 6), ("rest", ctypes.c_uint64 * 4)]


def run(cmd, env, counts, at):
    """Kills the command at the boundary number `at`, from 1, of those that counts(nr, seen) is true for: nr is
    the number of the system call, seen those before it.  Returns (its exit status or None, boundaries)."""
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(null, fd)
        LIBC.ptrace(TRACEME, 0, None, None)
        os.execvpe(cmd[0], cmd, env)
    os.waitpid(pid, 0)
    LIBC.ptrace(SET_OPTIONS, pid, None, KILL_WITH_US | 1)
    seen, n, nr = set(), 0, None
    while True:
        LIBC.ptrace(SYSCALL, pid, None, None)
        _, status = os.waitpid(pid, 0)
        if os.WIFEXITED(status) or os.WIFSIGNALED(status):
            return (os.WEXITSTATUS(status) if os.WIFEXITED(status) else None), n
        if os.WSTOPSIG(status) != signal.SIGTRAP | 0x80:
            continue
        info = Info()
        LIBC.ptrace(SYSCALL_INFO, pid, ctypes.sizeof(info), ctypes.byref(info))
        if info.op == 1:  # an entry; at an exit the number is not told again
            nr = info.nr
        if counts(nr, seen):
            n += 1
            if n == at:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                return None, n
        if info.op == 2:
            seen.add(nr)
