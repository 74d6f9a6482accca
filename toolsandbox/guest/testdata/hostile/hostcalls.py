### not granted: denied
import reachy
def attack(canary): return reachy.wake_up()
### not granted, caught: ok
import reachy
def attack(canary):
    try: return "ESCAPED" + str(reachy.wake_up())
    except PermissionError: return "refused"
### a flood: rate,calls
import reachy
def attack(canary):
    while True: reachy.speak(text="x")
### a flood that catches: rate,calls
import reachy
def attack(canary):
    while True:
        try: reachy.speak(text="x")
        except BaseException: pass
### a flood of refused calls: rate,calls
import reachy
def attack(canary):
    while True:
        try: reachy.wake_up()
        except PermissionError: pass
### a slow flood: calls,timeout [virtual]
import reachy, time
def attack(canary):
    while True:
        reachy.speak(text="x")
        time.sleep(1)
### a huge argument: output
import reachy
def attack(canary): reachy.speak(text="x" * (2 << 20))
### not a number as argument: error
import reachy
def attack(canary): reachy.speak(text=float("nan"))
### a cycle as argument: error
import reachy
def attack(canary):
    l = []
    l.append(l)
    reachy.speak(text=l)
### arguments that are deep: protocol
import reachy
def attack(canary):
    l = []
    for _ in range(300): l = [l]
    reachy.speak(text=l)
### a name with a path: protocol
import reachy
def attack(canary): return reachy.call("../../speak", text="x")
### a name with a line feed: protocol
import reachy
def attack(canary): return reachy.call("speak\n", text="x")
### an empty name: protocol
import reachy
def attack(canary): return reachy.call("")
### a long name: protocol
import reachy
def attack(canary): return reachy.call("a" * 1000)
### a name in capitals: protocol
import reachy
def attack(canary): return reachy.call("SPEAK")
### a name that looks the same: protocol
import reachy
def attack(canary): return reachy.call("spe\u0430k")
### a name of a method: denied
import reachy
def attack(canary): return reachy.call("speak.__class__".replace("_", ""))
### a number as name: protocol
import reachy
def attack(canary): return reachy.call(7)
### a tool's own private name: error
import reachy
def attack(canary): return reachy._secret()
### dunder of the shim: error
import reachy
def attack(canary): return reachy.__path__
