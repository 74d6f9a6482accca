### connect to the host: error
import socket
def attack(canary):
    s = socket.socket()
    s.connect(("127.0.0.1", canary["port"]))
    return "ESCAPED"
### connect by name: error
import socket
def attack(canary):
    socket.create_connection(("localhost", canary["port"]), timeout=1)
    return "ESCAPED"
### listen: error
import socket
def attack(canary):
    s = socket.socket()
    s.bind(("0.0.0.0", 0))
    s.listen()
    return f"ESCAPED {s.getsockname()}"
### datagrams: error
import socket
def attack(canary):
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", canary["port"]))
    return "ESCAPED"
### a unix socket: error
import socket
def attack(canary):
    socket.socket(socket.AF_UNIX).connect("/run/reachyd/body.sock")
    return "ESCAPED"
### raw packets: error
import socket
def attack(canary):
    socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)
    return "ESCAPED"
### a socket from a file descriptor: ok
import socket
def attack(canary):
    for fd in range(3, 20):
        try:
            socket.socket(fileno=fd).send(b"x")
            return f"ESCAPED {fd}"
        except OSError:
            pass
### a pair of sockets: error
import socket
def attack(canary):
    socket.socketpair()
    return "ESCAPED"
### a name server: error
import socket
def attack(canary):
    return "ESCAPED " + socket.gethostbyname("localhost")
### the web: error
def attack(canary):
    import urllib.request
    return "ESCAPED " + urllib.request.urlopen(f"http://127.0.0.1:{canary['port']}/").read().decode()
### the web below: error
def attack(canary):
    import http.client
    c = http.client.HTTPConnection("127.0.0.1", canary["port"])
    c.request("GET", "/")
    return "ESCAPED"
### asyncio streams: error
import asyncio
async def attack(canary):
    await asyncio.open_connection("127.0.0.1", canary["port"])
    return "ESCAPED"
### an asyncio server: error
import asyncio
async def attack(canary):
    await asyncio.start_server(print, "127.0.0.1", 0)
    return "ESCAPED"
### an asyncio process: error
import asyncio
async def attack(canary):
    await asyncio.create_subprocess_exec("/bin/sh")
    return "ESCAPED"
### the accept of WASI: protocol
import socket
def attack(canary):
    for fd in range(0, 10):
        try:
            socket.socket(socket.AF_INET, socket.SOCK_STREAM, 0, fd).accept()
            return f"ESCAPED {fd}"
        except OSError:
            pass
### a browser: error
def attack(canary):
    import webbrowser
    return "ESCAPED" if webbrowser.open(f"http://127.0.0.1:{canary['port']}") else "nothing"
### mail: error
def attack(canary):
    import smtplib
    smtplib.SMTP("127.0.0.1", canary["port"])
    return "ESCAPED"
