"""Camera, microphone and loudspeaker of a robot that reachyd runs, for scripts of the official SDK on the same host.

The SDK asks GStreamer for them. Where GStreamer 1.24 and PyGObject are not installed, the package gi beside this one answers in their
place: pictures come from reachyd's socket for the camera, sound goes over its web server (REACHYD_URL, default http://127.0.0.1:8000).
"""

import os
from urllib.parse import urlsplit

_url = urlsplit(os.environ.get("REACHYD_URL") or "http://127.0.0.1:8000")
ADDRESS = (_url.hostname or "127.0.0.1", _url.port or 8000)
