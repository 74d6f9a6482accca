"""Makes an app of the official SDK's own template, as a wheel in a directory, and prints the wheel's path.

usage: template.py DIRECTORY
"""

import pathlib
import sys
import tomllib
import zipfile

import jinja2
from importlib.util import find_spec

templates = pathlib.Path(find_spec("reachy_mini").origin).parent / "apps" / "templates"
name = "my_app"


def render(file):
    values = {"class_name": "MyApp", "app_name": name, "entrypoint_name": name, "module_name": name, "class_name_display": "My App"}
    return jinja2.Template((templates / file).read_text()).render(**values)


project = tomllib.loads(render("pyproject.toml.j2"))["project"]
wheel = pathlib.Path(sys.argv[1]) / f"{name}-{project['version']}-py3-none-any.whl"
info = f"{name}-{project['version']}.dist-info"
entry = "".join(f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in points.items()) for group, points in project["entry-points"].items())
needs = "".join(f"Requires-Dist: {d}\n" for d in project["dependencies"])
with zipfile.ZipFile(wheel, "w") as z:
    z.writestr(f"{name}/__init__.py", "")
    z.writestr(f"{name}/main.py", render("main.py.j2"))
    z.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\nSummary: {project['description']}\n{needs}")
    z.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    z.writestr(f"{info}/entry_points.txt", entry)
    z.writestr(f"{info}/RECORD", "")
print(wheel)
