### sleep for a year: timeout
import time
def attack(canary):
    time.sleep(365 * 86400)
### sleep again and again: timeout,cpu
import time
def attack(canary):
    while True: time.sleep(0.001)
### sleep without waking: timeout,error
import asyncio
async def attack(canary):
    await asyncio.sleep(1e18)
### wait for nobody: error
import asyncio
async def attack(canary):
    await asyncio.get_running_loop().create_future()
### a lock that is held: timeout,error,cpu,ok
import threading
def attack(canary):
    l = threading.Lock()
    l.acquire()
    l.acquire(timeout=3)
    return "acquired"
### a lock for ever: timeout,error,cpu,crash,ok
import threading
def attack(canary):
    l = threading.Lock()
    l.acquire()
    l.acquire()
    return "acquired"
### an empty queue: timeout,error,cpu,crash
import queue
def attack(canary):
    queue.Queue().get()
### select: error
def attack(canary):
    import select
    select.select([0], [], [], None)
### negative sleep: error
import time
def attack(canary):
    time.sleep(-1)
### not a number: error
import time
def attack(canary):
    time.sleep(float("nan"))
### busy waiting on a real clock: cpu,timeout
import time
def attack(canary):
    t = time.monotonic() + 60
    while time.monotonic() < t: pass
### frozen time does not freeze the host: cpu,timeout
import time
def attack(canary):
    time.monotonic = time.time = time.perf_counter = lambda: 0.0
    while time.monotonic() < 1: pass
### a virtual year: timeout [virtual]
import time
def attack(canary):
    time.sleep(365 * 86400)
### a virtual minute at a time: timeout,cpu [virtual]
import time
def attack(canary):
    while True: time.sleep(60)
### busy waiting on a virtual clock: ok [virtual wall=20s]
import time
def attack(canary):
    t = time.monotonic() + 60
    while time.monotonic() < t: pass
    return "ended"
### standing still on a virtual clock: cpu,timeout [virtual]
def attack(canary):
    while True: pass
### sleeping nothing for ever on a virtual clock: cpu,timeout [virtual]
import time
def attack(canary):
    while True: time.sleep(0)
### overflow of a virtual clock: timeout,error [virtual]
import time
def attack(canary):
    for _ in range(10): time.sleep(2**62 / 1e9)
