"""Prints as JSON what Python's zeroconf finds of a type of service. Usage: browse.py TYPE HOWMANY; ends when it has so many, or after 40 s."""

import json
import sys
import threading

import zeroconf

found, enough = {}, threading.Event()


class Listener(zeroconf.ServiceListener):
    def add_service(self, zc, kind, name):
        info = zc.get_service_info(kind, name, timeout=10000)
        if info is None:
            return
        text = {k.decode(): (v or b"").decode() for k, v in info.properties.items()}
        found[name] = {"port": info.port, "server": info.server, "addresses": info.parsed_addresses(), "text": text}
        if len(found) >= int(sys.argv[2]):
            enough.set()

    update_service = add_service

    def remove_service(self, zc, kind, name):
        pass


with zeroconf.Zeroconf() as zc:
    zeroconf.ServiceBrowser(zc, sys.argv[1], Listener())
    enough.wait(40)
print(json.dumps(found))
