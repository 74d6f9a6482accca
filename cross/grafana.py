"""Lets a real Prometheus scrape a simulated robot and asks it the queries of a dashboard. Usage: grafana.py BIN PROMETHEUS QUERIES.json

Prints a line for each query; exit code 1: one was refused, or had no answer although the robot had done what it counts. See grafana.sh.
"""

import json
import math
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

# What this robot does not do: it has no language model, no agent of one, and nobody speaks to it.
IDLE = re.compile("reachyd_(model|handoffs|speech)_")
PATIENCE = 90  # seconds for anything to happen


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def ask(url, body=None):
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data, {"Content-Type": "application/json"}), timeout=PATIENCE) as r:
        return json.load(r)


def until(what, check):
    end = time.monotonic() + PATIENCE
    while True:
        try:
            found = check()
            if found:
                return found
        except OSError:
            pass
        if time.monotonic() > end:
            sys.exit(f"waited {PATIENCE} s in vain: {what}")
        time.sleep(0.2)


def points(result):
    """How many numbers there are in a result."""
    return sum(not math.isnan(float(v)) for series in result for _, v in series["values"])


def check(robot, prometheus, queries):
    names = ask(f"{prometheus}/api/v1/label/instance/values?match[]=reachyd_build_info")["data"]
    assert names == [robot.removeprefix("http://")], f"robots to choose from: {names}"
    failed = empty = 0
    for q in queries:
        expr = q["expr"].replace("$instance", ".*").replace("$__rate_interval", "8s")
        now = time.time()
        query = urllib.parse.urlencode({"query": expr, "start": now - 20, "end": now, "step": 1})
        try:
            result = ask(f"{prometheus}/api/v1/query_range?{query}")["data"]["result"]
        except urllib.error.HTTPError as e:
            print(f"REFUSED {q['panel']}: {q['expr']}: {e.read().decode()}")
            failed += 1
            continue
        n, idle = points(result), bool(IDLE.search(expr))
        failed, empty = failed + (n == 0 and not idle), empty + (n == 0 and idle)
        print(f"{'data' if n else 'nothing happened' if idle else 'NO DATA':17}{q['panel']}: {len(result)} series, {n} points: {q['expr']}")
    print(f"{len(queries)} queries of {len({q['panel'] for q in queries})} panels: {len(queries) - failed - empty} have data, {empty} are about what did not happen, {failed} failed")
    return failed


def main():
    programs, program, queries = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], json.load(open(sys.argv[3]))
    with tempfile.TemporaryDirectory(prefix="gr") as d:
        http, port = free_port(), free_port()
        robot, prometheus = f"http://127.0.0.1:{http}", f"http://127.0.0.1:{port}"
        env = os.environ | {
            "XDG_RUNTIME_DIR": d, "REACHYD_DATA_DIR": d + "/data", "REACHYD_MQTT_LISTEN": f"127.0.0.1:{free_port()}", "REACHYD_IDLE": "off",
            "REACHYD_HTTP_LISTEN": f"127.0.0.1:{http}", "REACHYD_LLM_URL": "", "REACHYD_SENSE_SPEAKER": "null", "REACHYD_SENSE_MICROPHONE": "off",
        }
        pathlib.Path(d + "/prometheus.yml").write_text(json.dumps({
            "global": {"scrape_interval": "1s"}, "scrape_configs": [{"job_name": "reachyd", "static_configs": [{"targets": [f"127.0.0.1:{http}"]}]}],
        }))
        started = []
        try:
            with open(d + "/log", "wb") as log:
                started.append(subprocess.Popen([programs / "reachyd", "run", "--sim"], env=env, stdout=log, stderr=log))
                until("the robot", lambda: ask(robot + "/api/v1/health")["mode"] == "enabled")
                started.append(subprocess.Popen(
                    [program, f"--config.file={d}/prometheus.yml", f"--storage.tsdb.path={d}/tsdb", f"--web.listen-address=127.0.0.1:{port}"],
                    stdout=log, stderr=log))
                up = prometheus + "/api/v1/query?query=" + urllib.parse.quote("count_over_time(up[1m]) > 3 and up == 1")
                until("Prometheus to scrape", lambda: ask(up)["data"]["result"])
                for sentence in ("look left", "nod", "look straight ahead", "what is your name", "look up") * 2:
                    ask(robot + "/api/v1/chat", {"message": sentence})
                time.sleep(3)  # what was counted is scraped
                return check(robot, prometheus, queries)
        finally:
            for p in reversed(started):
                p.terminate()
                p.wait(PATIENCE)


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
