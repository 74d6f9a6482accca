"""Connects a real Home Assistant to a simulated robot and checks, row by row, that each of its entities works in both directions.

    home-assistant.py --requirements    prints what Home Assistant needs for MQTT and OpenAI, for pip
    home-assistant.py --bin DIR         runs the checks with the programs in DIR; exit code 1: a row failed

Home Assistant's core, its integrations of MQTT and OpenAI, paho and OpenAI's client are the real ones; the frontend is left out, and
what an assistant with a voice would need. See cross/home-assistant.sh.
"""

import argparse
import asyncio
import importlib.metadata
import importlib.util
import json
import logging
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import types
import urllib.request

# Parts of assistants with voices, which are built for minutes and are not used here, only imported: what is imported of them.
LEFT_OUT = {"pymicro-vad": "MicroVad", "pyspeex-noise": "AudioProcessor"}
COMPLAINT = re.compile("schema|template|invalid|not valid|error (parsing|while)|exceeds|required key|extra keys", re.IGNORECASE)
PATIENCE = float(os.environ.get("PATIENCE", 120))  # seconds for anything to happen


def requirements():
    """What the core and the integrations used here need, without what LEFT_OUT names."""
    root = pathlib.Path(importlib.util.find_spec("homeassistant").origin).parent / "components"
    needed, seen, todo = set(importlib.metadata.requires("homeassistant")), set(), ["mqtt", "camera", "openai_conversation", "assist_pipeline"]
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        manifest = json.loads((root / name / "manifest.json").read_text())
        needed.update(manifest.get("requirements", []))
        todo += manifest.get("dependencies", [])
    return sorted(r for r in needed if re.split(r"[^\w.-]", r)[0].lower() not in LEFT_OUT)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


async def until(what, check):
    """Waits until check() is true and returns that; whoever waits too long hears for what."""
    end = time.monotonic() + PATIENCE
    while True:
        found = check()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"waited {PATIENCE:g} s in vain: {what}")
        await asyncio.sleep(0.05)


class Robot:
    """reachyd with a simulated robot, on ports that stay the same through its restarts."""

    def __init__(self, programs, directory):
        self.programs, self.dir = programs, pathlib.Path(directory)
        self.mqtt, self.http = free_port(), free_port()
        self.process = None

    async def start(self):
        env = os.environ | {
            "XDG_RUNTIME_DIR": str(self.dir),
            "REACHYD_DATA_DIR": str(self.dir / "data"),
            "REACHYD_MQTT_LISTEN": f"127.0.0.1:{self.mqtt}",
            "REACHYD_HTTP_LISTEN": f"0.0.0.0:{self.http}",
            "REACHYD_IDLE": "off",
            "REACHYD_LLM_URL": "",
            "REACHYD_SENSE_SPEAKER": "null",
        }
        with open(self.dir / "out", "ab") as out, open(self.dir / "log", "ab") as log:
            before = out.tell()
            self.process = subprocess.Popen([self.programs / "reachyd", "run", "--sim"], env=env, stdout=out, stderr=log)

        def ready():
            if self.process.poll() is not None:
                raise AssertionError(f"reachyd ended: {(self.dir / 'log').read_text()[-2000:]}")
            return b"is ready" in (self.dir / "out").read_bytes()[before:]

        await until("reachyd to be ready", ready)

    def end(self, with_signal=signal.SIGTERM):
        if self.process and self.process.poll() is None:
            self.process.send_signal(with_signal)
            self.process.wait(PATIENCE)


class Log(logging.Handler):
    """Keeps what Home Assistant complains about."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.all, self.lines = [], []

    def emit(self, record):
        self.all.append(self.format(record))
        if record.name.startswith(("homeassistant.components.mqtt", "homeassistant.helpers.template", "homeassistant.util.logging")):
            self.lines.append(f"{record.name}: {record.getMessage()}")


class Home:
    """One life of Home Assistant."""

    def __init__(self, directory):
        self.dir, self.hass, self.changes, self.port = str(directory), None, [], free_port()

    async def start(self, port):
        from homeassistant import auth, bootstrap, config_entries, core, loader
        from homeassistant.setup import async_setup_component

        self.hass = hass = core.HomeAssistant(self.dir)
        loader.async_setup(hass)
        hass.config.skip_pip = True
        hass.config_entries = config_entries.ConfigEntries(hass, {})
        await loader.async_get_custom_components(hass)
        await bootstrap.async_load_base_functionality(hass)
        hass.auth = await auth.auth_manager_from_config(hass, [{"type": "homeassistant"}], [])
        http = {"http": {"server_host": "127.0.0.1", "server_port": self.port}}
        for part in ("homeassistant", "persistent_notification", "http"):
            assert await async_setup_component(hass, part, http), f"{part} cannot be set up"
        hass.bus.async_listen("state_changed", self.note)
        if hass.config_entries.async_entries("mqtt"):
            assert await async_setup_component(hass, "mqtt", {}), "MQTT cannot be set up again"
        else:
            asking = await hass.config_entries.flow.async_init("mqtt", context={"source": "user"})
            made = await hass.config_entries.flow.async_configure(asking["flow_id"], {"broker": "127.0.0.1", "port": port})
            assert made["type"] == "create_entry", made
        await hass.async_start()

    def note(self, event):
        new = event.data["new_state"]
        self.changes.append((event.data["entity_id"], new.state if new else None))

    def shown(self, key, seen):
        """What an entity has shown since there were so many changes."""
        return [state for entity, state in self.changes[seen:] if entity == self.registered()[key]]

    async def end(self):
        if self.hass:
            await self.hass.async_stop(force=True)

    def registered(self):
        """The entities of the robot, by the last part of their unique id."""
        from homeassistant.helpers import entity_registry

        return {e.unique_id.removeprefix("reachy_mini_"): e.entity_id for e in entity_registry.async_get(self.hass).entities.values() if e.platform == "mqtt"}

    def state(self, key):
        found = self.registered().get(key)
        state = self.hass.states.get(found) if found else None
        return state.state if state else None

    async def becomes(self, key, wanted):
        check = wanted if callable(wanted) else lambda s: s == wanted
        try:
            await until(f"{key} to become {wanted}", lambda: self.state(key) is not None and check(self.state(key)))
        except AssertionError as e:
            raise AssertionError(f"{e}; it is {self.state(key)!r}") from None

    async def call(self, domain, service, key, **data):
        await self.hass.services.async_call(domain, service, {"entity_id": self.registered()[key], **data}, blocking=True)


class Checks:
    """The rows. Each is one promise; they follow each other on one robot."""

    def __init__(self, robot, home, complaints):
        self.robot, self.home, self.complaints, self.wanted = robot, home, complaints, {}

    async def discovered(self):
        """all entities appear, none of them with an error of its schema"""
        from homeassistant.components import mqtt

        assert await mqtt.async_wait_for_mqtt_client(self.home.hass), "no connection"
        await mqtt.async_subscribe(self.home.hass, "homeassistant/device/+/config", lambda m: self.wanted.update(json.loads(m.payload)))
        await until("the robot to announce itself", lambda: self.wanted)
        keys = set(self.wanted["components"])
        try:
            await until("all entities", lambda: keys <= set(self.home.registered()))
        except AssertionError:
            raise AssertionError(f"missing: {sorted(keys - set(self.home.registered()))}; {self.complaints.lines}") from None
        return f"{len(keys)} entities: " + ", ".join(sorted(keys))

    async def states(self):
        """states arrive: none unknown that the robot knows"""
        await self.home.becomes("mode", "enabled")
        for key in ("voltage", "temperature", "loop", "memory", "uptime", "move", "moving", "motors", "fault", "estop", "problem"):
            await self.home.becomes(key, lambda s: s not in ("unknown", "unavailable"))
        return f"{self.home.state('voltage')} V, {self.home.state('loop')} Hz"

    async def uptime(self):
        """the start of reachyd is a time of the last minutes"""
        from homeassistant.util import dt

        started = dt.parse_datetime(self.home.state("uptime"))
        age = (dt.utcnow() - started).total_seconds()
        assert 0 <= age < 3600, self.home.state("uptime")
        entity = self.home.hass.states.get(self.home.registered()["uptime"])
        assert entity.attributes["device_class"] == "timestamp", entity
        return f"{age:.0f} s ago"

    async def page(self):
        """the page of the device is at an address that others reach"""
        from homeassistant.helpers import device_registry

        devices = [d for d in device_registry.async_get(self.home.hass).devices.values() if d.manufacturer == "Pollen Robotics"]
        url = devices[0].configuration_url
        assert url and "127.0.0.1" not in url and "localhost" not in url, url
        return "an address of this host's network"

    async def choices(self):
        """a choice moves the robot, is shown while it does, and is gone afterwards"""
        for key in ("emotion", "gesture"):
            options = self.home.hass.states.get(self.home.registered()[key]).attributes["options"]
            option = "happy" if "happy" in options else options[0]
            seen = len(self.home.changes)
            await self.home.call("select", "select_option", key, option=option)
            await self.home.becomes("last_command", "done")
            await until(f"{key} to show {option}", lambda key=key, option=option, seen=seen: option in self.home.shown(key, seen))
            await self.home.becomes(key, "unknown")

    async def motors(self):
        """the switch takes the torque off and puts it on"""
        await self.home.call("switch", "turn_off", "motors")
        await self.home.becomes("mode", "disabled")
        await self.home.becomes("motors", "off")
        await self.home.call("switch", "turn_on", "motors")
        await self.home.becomes("mode", "enabled")
        await self.home.becomes("motors", "on")

    async def sleep(self):
        """the buttons lay the robot down and wake it up"""
        await self.home.call("button", "press", "sleep")
        await self.home.becomes("mode", "disabled")
        await self.home.call("button", "press", "wake")
        await self.home.becomes("mode", "enabled")
        await self.home.becomes("moving", "off")

    async def stop(self):
        """the stop button stops; a refused choice shows why, and not as if it were done; the reset ends that"""
        await self.home.call("button", "press", "stop")
        await self.home.becomes("estop", "on")
        await self.home.call("select", "select_option", "emotion", option="happy")
        await self.home.becomes("last_command", lambda s: s.startswith("refused: "))
        refused = self.home.state("last_command")
        assert self.home.state("emotion") == "unknown", self.home.state("emotion")
        await self.home.call("button", "press", "reset")
        await self.home.becomes("estop", "off")
        return refused

    async def telling(self):
        """notify and text are sentences for the robot: it replies, and does them"""
        await self.home.call("notify", "send_message", "tell", message="what is your name")
        await self.home.becomes("last_reply", lambda s: "Reachy" in s)
        seen = len(self.home.changes)
        await self.home.call("text", "set_value", "say", value="look left")
        await until("the robot to move", lambda: "on" in self.home.shown("moving", seen))
        await self.home.becomes("last_reply", lambda s: "left" in s)
        await self.home.becomes("moving", "off")
        return self.home.state("last_reply")

    async def openai_flow(self, key):
        """Sets up Home Assistant's own integration of OpenAI, as a person does, and returns its entry."""
        flows = self.home.hass.config_entries.flow
        asking = await flows.async_init("openai_conversation", context={"source": "user"})
        assert asking["step_id"] == "user", asking
        made = await flows.async_configure(asking["flow_id"], {"api_key": key})
        assert made["type"] == "create_entry", made
        await self.home.hass.async_block_till_done()
        self.agent = next(s.entity_id for s in self.home.hass.states.async_all("conversation") if s.entity_id != "conversation.home_assistant")
        return made["result"].entry_id

    async def says(self, text, **more):
        """Says something over Home Assistant's REST interface, to the agent that is the robot."""
        from homeassistant.helpers.aiohttp_client import async_get_clientsession

        url = f"http://127.0.0.1:{self.home.port}/api/conversation/process"
        body = {"text": text, "language": "en", "agent_id": self.agent} | more
        async with async_get_clientsession(self.home.hass).post(url, json=body, headers={"Authorization": f"Bearer {self.token}"}) as r:
            assert r.status == 200, f"{r.status} {await r.text()}"
            answer = await r.json()
        return answer["response"], answer["conversation_id"]

    def yaw(self):
        """Where the robot's head is turned to, degrees."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.robot.http}/api/v1/robot/state") as r:
            return json.load(r)["head"]["yaw"]

    async def assist(self):
        """the robot is the assistant: Home Assistant's integration of OpenAI, pointed at it, hears sentences, answers, moves, and goes on"""
        from datetime import timedelta

        user = await self.home.hass.auth.async_create_user("somebody", group_ids=["system-admin"])
        refresh = await self.home.hass.auth.async_create_refresh_token(
            user, client_name="test", token_type="long_lived_access_token", access_token_expiration=timedelta(days=1))
        self.token = self.home.hass.auth.async_create_access_token(refresh)
        entry = await self.openai_flow("reachy_nobody")  # which this version of Home Assistant tries only when something is said
        said, _ = await self.says("look left 20 degrees")
        wrong = [line for line in self.complaints.all if "401" in line and "the token is not valid" in line]
        assert said["response_type"] == "error" and wrong, said
        await self.home.hass.config_entries.async_remove(entry)
        entry = await self.openai_flow("any key, on the robot's own host")
        await self.home.call("text", "set_value", "say", value="look straight ahead")
        await until("the head to be straight", lambda: abs(self.yaw()) < 2)
        said, talk = await self.says("look left 20 degrees")
        first = said["speech"]["plain"]["speech"]
        assert "20" in first and "left" in first and said["response_type"] == "action_done", said
        await until("20 degrees", lambda: abs(self.yaw() - 20) < 2)
        said, same = await self.says("do that again", conversation_id=talk)
        assert same == talk and "40" in said["speech"]["plain"]["speech"], (talk, same, said)
        await until("40 degrees", lambda: abs(self.yaw() - 40) < 2)
        said, same = await self.says("what is 12 times 12?", conversation_id=talk)
        assert same == talk and "144" in said["speech"]["plain"]["speech"], said
        asked = {"config_entry": entry, "prompt": "what is your name"}
        answer = await self.home.hass.services.async_call("openai_conversation", "generate_content", asked, blocking=True, return_response=True)
        assert "Reachy" in answer["text"], answer
        return f"{first} … {said['speech']['plain']['speech']} A wrong token: {wrong[0]}"

    async def fault(self):
        """a servo's bus that is unplugged is a problem with a text, and no longer when it is back"""
        self.sim("PUT", '{"unplug":true}')
        await self.home.becomes("problem", "on")
        await self.home.becomes("fault", lambda s: s not in ("none", "unknown"))
        text = self.home.state("fault")
        self.sim("DELETE")
        await self.home.becomes("mode", lambda s: s in ("enabled", "disabled"))
        await self.home.becomes("problem", "off")
        await self.home.becomes("fault", "none")
        if self.home.state("mode") != "enabled":
            await self.home.call("switch", "turn_on", "motors")
            await self.home.becomes("mode", "enabled")
        return text

    def sim(self, method, faults=""):
        socket_of_sim = self.robot.dir / "reachyd" / "sim.sock"
        subprocess.run(["curl", "-sfS", "-X", method, "--unix-socket", socket_of_sim, "-d", faults, "http://sim/faults"], check=True, capture_output=True)

    async def heard(self):
        """what was said to the robot can be seen, in Home Assistant or elsewhere"""
        sentence = "nod twice"
        command = {"topic": "reachy/mini/cmd/chat", "payload": json.dumps({"text": sentence})}
        await self.home.hass.services.async_call("mqtt", "publish", command, blocking=True)
        await self.home.becomes("heard", sentence)
        await self.home.becomes("last_reply", lambda s: "nodded" in s)
        return self.home.state("last_reply")

    async def volume(self):
        """volume and mute set the loudness and show it"""
        if "volume" not in self.wanted["components"]:
            return "NOT TESTED: no voice (reachy-sense)"
        await self.home.call("number", "set_value", "volume", value=30)
        await self.home.becomes("volume", lambda s: float(s) == 30 if s not in ("unknown", "unavailable") else False)
        await self.home.call("switch", "turn_on", "mute")
        await self.home.becomes("mute", "on")
        await self.home.call("switch", "turn_off", "mute")
        await self.home.becomes("mute", "off")
        return f"{self.home.state('volume')} % afterwards"

    async def camera(self):
        """the button brings pictures, which Home Assistant shows as JPEG"""
        if "camera" not in self.wanted["components"]:
            return "NOT TESTED: no camera (reachy-sense)"
        from homeassistant.components.camera import async_get_image

        await self.home.call("button", "press", "look")
        entity, end = self.home.registered()["camera"], time.monotonic() + PATIENCE
        while True:
            try:
                picture = (await async_get_image(self.home.hass, entity)).content
                if picture[:2] == b"\xff\xd8":
                    return f"{len(picture)} bytes"
            except Exception as e:  # noqa: BLE001 - none yet
                if time.monotonic() > end:
                    raise AssertionError(f"no picture: {e}") from None
            await asyncio.sleep(0.2)

    async def quiet(self):
        """the states of a robot at rest change a few times only"""
        await self.home.becomes("moving", "off")
        seen = len(self.home.changes)
        await asyncio.sleep(30)
        host = {self.home.registered()[key] for key in ("loop", "jitter")}  # how busy it is, which is not the robot's doing
        changes = [entity for entity, _ in self.home.changes[seen:]]
        own = [entity for entity in changes if entity not in host]
        assert len(own) <= 10, f"{len(own)} in 30 s: {sorted(set(own))}"
        return f"{len(own)} changes in 30 s, and {len(changes) - len(own)} of how busy the host is"

    async def killed(self):
        """kill -9 makes all unavailable, and the return of the robot makes them available"""
        self.robot.end(signal.SIGKILL)
        await self.home.becomes("mode", "unavailable")
        await self.home.becomes("stop", "unavailable")
        await self.robot.start()
        await self.home.becomes("mode", "enabled")
        await self.home.becomes("stop", lambda s: s != "unavailable")
        await self.commanded()

    async def robot_restarts(self):
        """reachyd ends and starts while Home Assistant stays"""
        self.robot.end()
        await self.home.becomes("mode", "unavailable")
        await self.robot.start()
        await self.home.becomes("mode", "enabled")
        await self.commanded()

    async def home_restarts(self):
        """Home Assistant ends and starts while reachyd stays: same entities, by the same names"""
        before = self.home.registered()
        await self.home.end()
        self.home = Home(self.home.dir)
        await self.home.start(self.robot.mqtt)
        await self.home.becomes("mode", "enabled")
        assert self.home.registered() == before, set(self.home.registered()) ^ set(before)
        await self.commanded()

    async def home_first(self):
        """both were away, Home Assistant comes first"""
        await self.home.end()
        self.robot.end()
        self.home = Home(self.home.dir)
        starting = asyncio.create_task(self.home.start(self.robot.mqtt))  # it tries until there is a broker
        await asyncio.sleep(1)
        await self.robot.start()
        await starting
        await self.home.becomes("mode", "enabled")
        await self.commanded()

    async def commanded(self):
        """A command arrives, also after all that."""
        seen = len(self.home.changes)
        await self.home.call("text", "set_value", "say", value="nod")
        await until("the robot to move", lambda: "on" in self.home.shown("moving", seen))
        await self.home.becomes("moving", "off")

    async def clean(self):
        """Home Assistant has complained about nothing in all that"""
        bad = [line for line in self.complaints.lines if COMPLAINT.search(line)]
        assert not bad, bad
        return f"{len(self.complaints.lines)} warnings about connections that were lost"


ROWS = (
    "discovered states uptime page choices motors sleep stop telling assist fault heard volume camera quiet killed robot_restarts home_restarts home_first clean"
).split()


async def run(programs, only):
    complaints = Log()
    logging.getLogger().addHandler(complaints)
    failed = 0
    with tempfile.TemporaryDirectory(prefix="ha") as d:
        for sub in ("robot", "home"):
            os.mkdir(f"{d}/{sub}")
        pathlib.Path(f"{d}/home/configuration.yaml").touch()
        robot, home = Robot(pathlib.Path(programs).resolve(), f"{d}/robot"), Home(f"{d}/home")
        checks = Checks(robot, home, complaints)
        try:
            await robot.start()
            os.environ["OPENAI_BASE_URL"] = f"http://127.0.0.1:{robot.http}/v1"  # as OpenAI's client reads it
            for name, part in LEFT_OUT.items():
                sys.modules[name.replace("-", "_")] = types.SimpleNamespace(**{part: None})
            await home.start(robot.mqtt)
            for row in [r for r in ROWS if r in ROWS[:2] or not only or r in only]:
                check, began = getattr(checks, row), time.monotonic()
                try:
                    said = await check() or ""
                    verdict = "not run" if said.startswith("NOT TESTED") else "pass"
                except Exception as e:  # noqa: BLE001 - whatever it is, the next row is tried
                    said, verdict, failed = f"{type(e).__name__}: {e}", "FAIL", failed + 1
                print(f"{verdict:8}{row:15}{check.__doc__}: {said} ({time.monotonic() - began:.1f} s)", flush=True)
        finally:
            robot.end()
            await checks.home.end()
            if failed:
                print((robot.dir / "log").read_text()[-4000:], *complaints.all[-40:], sep="\n", file=sys.stderr)
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--requirements", action="store_true")
    parser.add_argument("--bin", default="bin")
    parser.add_argument("only", nargs="*", help=f"rows to check, all when left out: {' '.join(ROWS)}")
    arguments = parser.parse_args()
    if arguments.requirements:
        print("\n".join(requirements()), flush=True)
        return 0
    import homeassistant.const

    print(f"Home Assistant {homeassistant.const.__version__}, Python {sys.version.split()[0]}", flush=True)
    return asyncio.run(run(arguments.bin, arguments.only))


if __name__ == "__main__":
    os._exit(main())  # threads of Home Assistant that wait for the network end with it
