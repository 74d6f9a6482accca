"""Talks to a simulated robot through the server of a real Open WebUI. Usage: open-webui.py --bin DIR

Prints a line for each thing that works; exit code 1 at the first that does not. See cross/open-webui.sh.
"""

import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

PATIENCE = float(os.environ.get("PATIENCE", 300))  # seconds; the first start writes bytecode of a thousand files


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Site:
    """What answers over HTTP."""

    def __init__(self, port):
        self.url, self.headers = f"http://127.0.0.1:{port}", {"Content-Type": "application/json"}

    def ask(self, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(self.url + path, data, self.headers), timeout=60) as r:
            return r.read()

    def json(self, path, body=None):
        return json.loads(self.ask(path, body))

    def until(self, path, process):
        end = time.monotonic() + PATIENCE
        while True:
            try:
                return self.ask(path)
            except OSError as e:
                if process.poll() is not None or time.monotonic() > end:
                    raise AssertionError(f"{self.url}{path} does not answer: {e}") from None
                time.sleep(0.5)


def check(robot, site):
    def yaw():
        return robot.json("/api/v1/robot/state")["head"]["yaw"]

    def turns(wanted, began):
        """The head comes to rest where it is wanted."""
        while abs(yaw() - wanted) > 2:
            assert time.monotonic() < began + 60, f"the head is turned to {yaw()}, not {wanted}"
            time.sleep(0.1)

    def say(messages):
        """What the page does: asks for an answer as a stream, and puts its pieces together."""
        said, done = "", False
        for line in site.ask("/api/chat/completions", {"model": "reachy-mini", "stream": True, "messages": messages}).decode().splitlines():
            data = line.removeprefix("data: ")
            done = done or data == "[DONE]"
            if line.startswith("data: {"):
                for choice in json.loads(data)["choices"]:
                    said += choice["delta"].get("content") or ""
        assert done, "the stream has no end"
        return messages + [{"role": "assistant", "content": said}], said

    user = site.json("/api/v1/auths/signup", {"name": "Anna", "email": "anna@example.com", "password": "a long password 1"})
    site.headers["Authorization"] = "Bearer " + user["token"]
    print("signed up:", user["role"])

    def connect(key):
        wanted = {"ENABLE_OPENAI_API": True, "OPENAI_API_BASE_URLS": [robot.url + "/v1"], "OPENAI_API_KEYS": [key], "OPENAI_API_CONFIGS": {"0": {"enable": True}}}
        return site.json("/openai/config/update", wanted)

    try:
        site.ask("/openai/verify", {"url": robot.url + "/v1", "key": "reachy_nobody"})
        raise AssertionError("a wrong token was accepted")
    except urllib.error.HTTPError as e:
        assert e.code == 401, e
        print("a wrong token:", e.code, e.read().decode())
    connect("any key, on the robot's own host")
    models = [m["id"] for m in site.json("/api/models")["data"]]
    assert models == ["reachy-mini"], models
    print("models:", models)
    robot.json("/api/v1/chat", {"message": "look straight ahead"})
    turns(0, time.monotonic())
    talk, said = say([{"role": "user", "content": "look left 20 degrees"}])
    assert "20" in said, said
    turns(20, time.monotonic())
    print("said:", said)
    talk, said = say(talk + [{"role": "user", "content": "do that again"}])
    assert "40" in said, said
    turns(40, time.monotonic())
    print("said, as the conversation goes on:", said)
    talk, said = say(talk + [{"role": "user", "content": "what is 12 times 12?"}])
    assert "144" in said, said
    print("said:", said)
    kept = len(robot.json("/api/v1/feedback")["feedback"])
    for task in ("title", "tags", "follow_up", "emoji"):
        site.ask(f"/api/v1/tasks/{task}/completions", {"model": "reachy-mini", "messages": talk, "prompt": "look right", "chat_id": "c"})
    assert len(robot.json("/api/v1/feedback")["feedback"]) == kept and abs(yaw() - 40) < 2, "what Open WebUI asks beside the conversation was taken for it"
    print("titles, tags, what might be asked next and a face: not taken for something that a person says")


def main():
    programs = pathlib.Path(sys.argv[sys.argv.index("--bin") + 1]).resolve()
    with tempfile.TemporaryDirectory(prefix="ow") as d:
        robot, site, started = Site(free_port()), Site(free_port()), []
        try:
            with open(d + "/log", "wb") as log:
                env = os.environ | {
                    "XDG_RUNTIME_DIR": d, "REACHYD_DATA_DIR": d + "/robot", "REACHYD_MQTT_LISTEN": f"127.0.0.1:{free_port()}", "REACHYD_IDLE": "off",
                    "REACHYD_HTTP_LISTEN": robot.url.removeprefix("http://"), "REACHYD_LLM_URL": "", "REACHYD_SENSE_RUN": "never",
                }
                started.append(subprocess.Popen([programs / "reachyd", "run", "--sim"], env=env, stdout=log, stderr=log))
                robot.until("/api/v1/health", started[0])
                env = os.environ | {
                    "DATA_DIR": d + "/site", "WEBUI_SECRET_KEY": "of this test", "OFFLINE_MODE": "true", "ENABLE_OLLAMA_API": "false",
                    "RAG_EMBEDDING_ENGINE": "openai", "FROM_INIT_PY": "true",  # as its own command serve says it
                }
                os.mkdir(d + "/site")
                host, port = site.url.removeprefix("http://").split(":")
                line = [sys.executable, "-m", "uvicorn", "open_webui.main:app", "--host", host, "--port", port]
                started.append(subprocess.Popen(line, env=env, cwd=d + "/site", stdout=log, stderr=log))
                site.until("/health", started[1])
            print("Open WebUI", site.json("/api/version")["version"])
            check(robot, site)
        except BaseException:
            print(pathlib.Path(d + "/log").read_text(errors="replace")[-3000:], file=sys.stderr)
            raise
        finally:
            for p in reversed(started):
                p.terminate()
                p.wait(60)


if __name__ == "__main__":
    main()
