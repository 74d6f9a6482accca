"""Prints what the installed SDK needs, without PyGObject, which a stub stands in for where it is not there.

What must only be new enough may be as new as the registry has it.
"""

from importlib.metadata import requires

from pip._vendor.packaging.requirements import Requirement

for text in requires("reachy-mini"):
    r = Requirement(text)
    if r.name not in ("PyGObject", "pip") and (r.marker is None or r.marker.evaluate({"extra": ""})):
        print(r.name + ",".join(str(s) for s in r.specifier if s.operator != ">="))
