### read the password file: error
def attack(canary):
    return "ESCAPED " + open("/etc/passwd").read()
### read it by climbing out of the files folder: error
def attack(canary):
    return "ESCAPED " + open("/files/../../../../etc/passwd").read()
### climb out of the library folder: error
def attack(canary):
    return "ESCAPED " + open("/python/lib/../../../../../../etc/hostname").read()
### climb with an encoded dot: error
def attack(canary):
    return "ESCAPED " + open("/files/%2e%2e/%2e%2e/etc/passwd").read()
### a name with a zero byte: error
def attack(canary):
    return "ESCAPED " + open("/files/x\x00/../../etc/passwd").read()
### a relative path: error
def attack(canary):
    return "ESCAPED " + open("../../../../etc/passwd").read()
### read the host's canary by its real path: error
def attack(canary):
    return "ESCAPED " + open(canary["folder"] + "/secret").read()
### write beside the canary: error
def attack(canary):
    open(canary["folder"] + "/written", "w").write("x")
    return "ESCAPED"
### write into the files folder: error
def attack(canary):
    open("/files/new", "w").write("x")
    return "ESCAPED"
### write into the library: error
def attack(canary):
    open("/python/lib/json.py", "w").write("x")
    return "ESCAPED"
### make a folder: error
import os
def attack(canary):
    os.mkdir("/files/new")
    return "ESCAPED"
### remove a file: error
import os
def attack(canary):
    os.remove(canary["folder"] + "/secret")
    return "ESCAPED"
### rename over it: error
import os
def attack(canary):
    os.rename("/files/data.txt", "/files/other.txt")
    return "ESCAPED"
### truncate what was given: error
import os
def attack(canary):
    os.truncate("/files/data.txt", 0)
    return "ESCAPED"
### symbolic link to the root: error
import os
def attack(canary):
    os.symlink("/", "/files/root")
    return "ESCAPED " + str(os.listdir("/files/root"))
### hard link: error
import os
def attack(canary):
    os.link("/etc/passwd", "/files/p")
    return "ESCAPED"
### list the root: error
import os
def attack(canary):
    names = set(os.listdir("/"))
    return "ESCAPED" if names & {"etc", "usr", "proc"} else "nothing"
### list every file descriptor: ok
import os
def attack(canary):
    for fd in range(3, 64):
        try:
            names = os.listdir(fd)
        except (OSError, TypeError):
            continue
        if "etc" in names or "json" in names or "secret" in names:
            return "ESCAPED"
### read from every file descriptor: ok
import os
def attack(canary):
    for fd in range(3, 256):
        try:
            if data := os.read(fd, 100):
                return f"ESCAPED {fd} {data}"
        except OSError:
            pass
### write to every file descriptor: ok
import os
def attack(canary):
    for fd in range(3, 256):
        try:
            os.write(fd, b"x")
            return f"ESCAPED {fd}"
        except OSError:
            pass
### walk up from the open folders: ok
import os
def attack(canary):
    for fd in range(3, 10):
        try:
            f = os.open("../../etc/passwd", os.O_RDONLY, dir_fd=fd)
        except (OSError, NotImplementedError, TypeError):
            continue
        return "ESCAPED " + repr(os.read(f, 10))
### memory of the process: error
def attack(canary):
    return "ESCAPED " + open("/proc/self/mem", "rb").read(10).hex()
### maps of the process: error
def attack(canary):
    return "ESCAPED " + open("/proc/self/maps").read()
### descriptors of the process: error
def attack(canary):
    return "ESCAPED " + repr(open("/proc/self/fd/3", "rb").read(1))
### a camera: error
def attack(canary):
    return "ESCAPED " + repr(open("/dev/video0", "rb").read(1))
### the bus of the robot: error
def attack(canary):
    open("/dev/ttyAMA3", "wb").write(b"\xff\xff\xfd\x00")
    return "ESCAPED"
### the clock of the system: error
import time
def attack(canary):
    time.clock_settime(time.CLOCK_REALTIME, 0)
    return "ESCAPED"
### a temporary file: error
def attack(canary):
    import tempfile
    with tempfile.NamedTemporaryFile() as f:
        return "ESCAPED " + f.name
### through io.FileIO: error
import io
def attack(canary):
    return "ESCAPED " + repr(io.FileIO("/etc/passwd").read())
### through io.open_code: error
import io
def attack(canary):
    return "ESCAPED " + repr(io.open_code("/etc/passwd").read())
### through posix: error
import posix
def attack(canary):
    return "ESCAPED " + repr(posix.read(posix.open("/etc/passwd", posix.O_RDONLY), 100))
### through tokenize: error
import tokenize
def attack(canary):
    return "ESCAPED " + tokenize.open("/etc/passwd").read()
### through linecache: ok
import linecache
def attack(canary):
    linecache.checkcache()
    lines = linecache.getlines("/etc/passwd")
    return "ESCAPED" if lines else "nothing"
### through a codec: error
import codecs
def attack(canary):
    return "ESCAPED " + codecs.open("/etc/passwd", encoding="utf-8").read()
### through pathlib: error
def attack(canary):
    import pathlib
    return "ESCAPED " + pathlib.Path("/etc/passwd").read_text()
### through XML entities: error
import xml.etree.ElementTree as ET
def attack(canary):
    e = ET.fromstring('<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r>&x;</r>')
    return "ESCAPED " + e.text if e.text else "nothing"
### through a logging handler: error
import logging
def attack(canary):
    logging.FileHandler(canary["folder"] + "/log").emit(logging.makeLogRecord({"msg": "x"}))
    return "ESCAPED"
### change folder: error
import os
def attack(canary):
    os.chdir(canary["folder"])
    return "ESCAPED " + open("secret").read()
### change permissions: error
import os
def attack(canary):
    os.chmod("/files/data.txt", 0o777)  # WASI has no permissions; nothing happens
    with open("/files/data.txt", "w") as f:
        f.write("changed")
    return "ESCAPED"
### a scandir of the host: error
import os
def attack(canary):
    return "ESCAPED " + str([e.name for e in os.scandir(canary["folder"])])
