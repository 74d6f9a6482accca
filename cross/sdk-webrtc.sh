#!/usr/bin/env bash
# The official Python SDK, unmodified, streams from a whole simulated robot by WebRTC with a real GStreamer: prints a table, pass or the reason.
# usage: cross/sdk-webrtc.sh
# It needs GStreamer with PyGObject, nice, and webrtcsrc, which Debian does not have and cross/webrtcsrc.sh builds (apt install
# gstreamer1.0-plugins-bad gstreamer1.0-plugins-good gstreamer1.0-nice gstreamer1.0-tools python3-gst-1.0 libgstreamer-plugins-bad1.0-dev).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
command -v gst-inspect-1.0 >/dev/null || { echo "sdk-webrtc: NOT TESTED: there is no GStreamer (the script says which packages)"; exit 0; }
if ! gst-inspect-1.0 webrtcsrc >/dev/null 2>&1; then
	GST_PLUGIN_PATH=$("$here/webrtcsrc.sh")
	export GST_PLUGIN_PATH
fi
for element in webrtcsrc webrtcbin nicesrc opusenc vp8dec; do
	gst-inspect-1.0 $element >/dev/null 2>&1 || { echo "sdk-webrtc: NOT TESTED: GStreamer has no $element"; exit 0; }
done
python=$("$here/sdk-venv.sh")
. "$here/sdk-robot.sh"
# The system's PyGObject and nothing else of its Python.
mkdir "$dir/system"
ln -s "$(/usr/bin/python3 -c 'import gi, os; print(os.path.dirname(gi.__file__))')" "$dir/system/gi"
export PYTHONPATH=$dir/system
"$python" -c 'import gi._gi' || { echo "sdk-webrtc: NOT TESTED: the system's PyGObject is none of $("$python" -V)"; exit 0; }
cd "$dir"
"$python" "$here/sdk-webrtc.py" "$dir/heard.wav"
