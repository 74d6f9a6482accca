### connect to the host: ok,error
import socket
def attack(canary):
    s = socket.socket()
    s.connect(("127.0.0.1", canary["port"]))
    return "ESCAPED"
### connect by name: ok,error
import socket
def attack(canary):
    socket.create_connection(("localhost", canary["port"]), timeout=1)
    return "ESCAPED"
### listen: ok,error
import socket
def attack(canary):
    s = socket.socket()
    s.bind(("0.0.0.0", 0))
    s.listen()
    return f"ESCAPED {s.getsockname()}"
### datagrams: ok,error
import socket
def attack(canary):
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", canary["port"]))
    return "ESCAPED"
### a unix socket: ok,error
import socket
def attack(canary):
    socket.socket(socket.AF_UNIX).connect("/run/reachyd/body.sock")
    return "ESCAPED"
### raw packets: ok,error
import socket
def attack(canary):
    socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)
    return "ESCAPED"
### a socket from a file descriptor: ok,error
import socket
def attack(canary):
    for fd in range(3, 20):
        try:
            socket.socket(fileno=fd).send(b"x")
            return f"ESCAPED {fd}"
        except OSError:
            pass
### a pair of sockets: ok,error
import socket
def attack(canary):
    socket.socketpair()
    return "ESCAPED"
### a name server: ok,error
import socket
def attack(canary):
    return "ESCAPED " + socket.gethostbyname("localhost")
### the web: ok,error
def attack(canary):
    import urllib.request
    return "ESCAPED " + urllib.request.urlopen(f"http://127.0.0.1:{canary['port']}/").read().decode()
### the web below: ok,error
def attack(canary):
    import http.client
    c = http.client.HTTPConnection("127.0.0.1", canary["port"])
    c.request("GET", "/")
    return "ESCAPED"
### asyncio streams: ok,error
import asyncio
async def attack(canary):
    await asyncio.open_connection("127.0.0.1", canary["port"])
    return "ESCAPED"
### an asyncio server: ok,error
import asyncio
async def attack(canary):
    await asyncio.start_server(print, "127.0.0.1", 0)
    return "ESCAPED"
### an asyncio process: ok,error
import asyncio
async def attack(canary):
    await asyncio.create_subprocess_exec("/bin/sh")
    return "ESCAPED"
### the accept of WASI: ok,error,protocol
import socket
def attack(canary):
    for fd in range(0, 10):
        try:
            socket.socket(socket.AF_INET, socket.SOCK_STREAM, 0, fd).accept()
            return f"ESCAPED {fd}"
        except OSError:
            pass
### a browser: ok,error
def attack(canary):
    import webbrowser
    return "ESCAPED" if webbrowser.open(f"http://127.0.0.1:{canary['port']}") else "nothing"
### mail: ok,error
def attack(canary):
    import smtplib
    smtplib.SMTP("127.0.0.1", canary["port"])
    return "ESCAPED"
