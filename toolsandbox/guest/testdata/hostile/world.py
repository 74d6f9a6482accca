### the environment: ok
import os
def attack(canary):
    return "ESCAPED" if canary["secret"] in repr(dict(os.environ)) or os.environ else "empty"
### the environment below os: ok
import posix
def attack(canary):
    return "ESCAPED" if posix.environ else "empty"
### the name of the host: ok
import os
def attack(canary):
    name = os.uname().nodename
    return "ESCAPED " + name if name not in ("(none)", "localhost", "") else "nothing"
### the process id: ok
import os
def attack(canary):
    return "ESCAPED" if os.getpid() != 42 else "a stand-in"
### the user: error
import os
def attack(canary):
    return f"ESCAPED {os.getuid()}"
### a shell: error
import os
def attack(canary):
    os.system("touch " + canary["folder"] + "/shell")
    return "ESCAPED"
### a pipe to a shell: error
import os
def attack(canary):
    return "ESCAPED " + os.popen("id").read()
### fork: error
import os
def attack(canary):
    os.fork()
    return "ESCAPED"
### exec: error
import os
def attack(canary):
    os.execv("/bin/sh", ["sh"])
    return "ESCAPED"
### spawn: error
import os
def attack(canary):
    os.posix_spawn("/bin/sh", ["sh"], {})
    return "ESCAPED"
### subprocess: error
import subprocess
def attack(canary):
    subprocess.run(["/bin/sh", "-c", "touch " + canary["folder"] + "/sub"], check=True)
    return "ESCAPED"
### fork below subprocess: error
def attack(canary):
    import _posixsubprocess
    _posixsubprocess.fork_exec(*[None] * 23)
    return "ESCAPED"
### kill the parent: error
import os
def attack(canary):
    os.kill(os.getppid(), 9)
    return "ESCAPED"
### kill everything: error
import os
def attack(canary):
    os.kill(-1, 9)
    return "ESCAPED"
### signal oneself: crash
import signal
def attack(canary):
    signal.raise_signal(9)
    return "survived"
### an alarm: error
import signal
def attack(canary):
    signal.alarm(1)
    return "ESCAPED"
### multiprocessing: error
def attack(canary):
    import multiprocessing
    multiprocessing.Process(target=print).start()
    return "ESCAPED"
### a thread: error
import threading
def attack(canary):
    threading.Thread(target=print).start()
    return "ESCAPED"
### a thread below threading: error
import _thread
def attack(canary):
    _thread.start_new_thread(print, ())
    return "ESCAPED"
### a pool of threads: error
import concurrent.futures
def attack(canary):
    with concurrent.futures.ThreadPoolExecutor() as p:
        return "ESCAPED" if p.submit(lambda: 1).result() else ""
### ctypes: error
def attack(canary):
    import ctypes
    ctypes.CDLL(None).system(b"id")
    return "ESCAPED"
### ctypes below: error
def attack(canary):
    import _ctypes
    return "ESCAPED"
### load a library: error
def attack(canary):
    import _imp, importlib.machinery
    _imp.create_dynamic(importlib.machinery.ModuleSpec("x", None, origin="/lib/x86_64-linux-gnu/libc.so.6"))
    return "ESCAPED"
### shared memory: error
def attack(canary):
    import mmap
    mmap.mmap(-1, 4096)
    return "ESCAPED"
### nice: error
import os
def attack(canary):
    os.nice(-20)
    return "ESCAPED"
### resource limits: error
def attack(canary):
    import resource
    resource.setrlimit(resource.RLIMIT_CPU, (-1, -1))
    return "ESCAPED"
### exit: exit
import sys
def attack(canary):
    sys.exit(3)
### exit below Python: exit
import os
def attack(canary):
    os._exit(0)
### exit by exception: exit
def attack(canary):
    raise SystemExit("bye")
### abort: crash
import os
def attack(canary):
    os.abort()
### the user's interrupt: error
def attack(canary):
    raise KeyboardInterrupt
### the end of generators: error
def attack(canary):
    raise GeneratorExit
### more processors: ok
import os
def attack(canary):
    return "ESCAPED" if (os.cpu_count() or 1) > 1 else "one"
### entropy of the host is not a file: error
def attack(canary):
    return "ESCAPED " + open("/dev/urandom", "rb").read(4).hex()
### a terminal: error
import os
def attack(canary):
    return "ESCAPED " + str(os.get_terminal_size())
