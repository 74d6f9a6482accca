"""Puts an app for the official daemon into this virtual environment and says what it is, as JSON.

usage: install.py [--no-index] SOURCE   a directory, an archive, a wheel, an address of git, or a name of the registry

The SDK is in an environment of its own that this one sees. Packages of the robot's maker are installed without what they depend on,
as that would fetch the SDK, and GStreamer's headers, again for each app; all else that the app needs comes as pip finds it.
"""

import json
import subprocess
import sys
from importlib import metadata

from pip._vendor.packaging.requirements import Requirement
from pip._vendor.packaging.utils import canonicalize_name

GROUP = "reachy_mini_apps"
SDK = "reachy-mini"


def pip(*args):
    command = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-input", *args]
    if subprocess.run(command, stdout=sys.stderr).returncode != 0:
        sys.exit(1)


def names():
    return {canonicalize_name(d.metadata["Name"]): d for d in metadata.distributions(path=[p for p in sys.path if p.startswith(sys.prefix)])}


def fail(text):
    print("app: " + text, file=sys.stderr)
    sys.exit(1)


options, source = sys.argv[1:-1], sys.argv[-1]
before = set(names())
pip(*options, "--no-deps", source)
new = {n: d for n, d in names().items() if n not in before}
found = [(d, e) for d in new.values() for e in d.entry_points if e.group == GROUP]
if not found:
    fail(f"{source} is no app: its package has no entry point in the group {GROUP}")
dist, entry = found[0]

todo, done, others = [dist], set(), []
while todo:
    for text in todo.pop().requires or []:
        need = Requirement(text)
        name = canonicalize_name(need.name)
        if need.marker is not None and not need.marker.evaluate({"extra": ""}) or name in done:
            continue
        done.add(name)
        if name == SDK:
            have = metadata.version(SDK)
            if need.specifier and not need.specifier.contains(have, prereleases=True):
                fail(f"it needs {text}; the SDK here is {have}")
        elif name.startswith("reachy"):
            pip(*options, "--no-deps", text)
            todo.append(metadata.distribution(need.name))
        else:
            others.append(text)
if others:
    pip(*options, *others)
print(json.dumps({
    "name": entry.name, "module": entry.value.partition(":")[0], "class": entry.value.partition(":")[2], "version": dist.version,
    "about": dist.metadata["Summary"] or "", "package": dist.metadata["Name"],
}))
