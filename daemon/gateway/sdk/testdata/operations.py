"""Prints the operations of the official daemon that is installed, a line each: METHOD PATH."""

from reachy_mini.daemon.app.main import Args, create_app

for path, item in sorted(create_app(Args()).openapi()["paths"].items()):
    for method in sorted(item):
        print(method.upper(), path)
