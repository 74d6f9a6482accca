import { ask, el, get, latest, notice, number, on, section, tell } from "/page/core.js";
import { draw } from "/page/robot3d.js";

// limits are those that the robot itself has for a goto.
async function limits() {
	const doc = await (await fetch("/openapi.json")).json();
	const s = doc.paths["/api/v1/robot/goto"].post.requestBody.content["application/json"].schema.properties;
	return { ...s.head.properties, body_yaw: s.body_yaw, left: s.antennas.properties.left, right: s.antennas.properties.right, duration: s.duration };
}

export default async function show(page) {
	const range = await limits(), values = {}, sliders = {}, form = el("div", {});
	const labels = { pitch: "Nod", yaw: "Turn", roll: "Tilt", z: "Height", x: "Forward", y: "Sideways", body_yaw: "Body", left: "Left antenna", right: "Right antenna", duration: "Time" };
	const goal = () => ({ head: Object.fromEntries(["x", "y", "z", "roll", "pitch", "yaw"].map((k) => [k, values[k]])), body_yaw: values.body_yaw, antennas: { left: values.left, right: values.right } });
	let robot, marker;
	const changed = () => {
		robot?.ghost(goal());
		if (marker) { marker.style.left = 50 - (values.yaw / range.yaw.maximum) * 50 + "%"; marker.style.top = 50 + (values.pitch / range.pitch.maximum) * 50 + "%"; }
	};
	const set = (k, v) => {
		const r = range[k];
		values[k] = Math.max(r.minimum, Math.min(r.maximum, v));
		sliders[k].input.value = values[k];
		sliders[k].out.textContent = `${number(values[k], r["x-unit"] === "m" ? 3 : 1)} ${r["x-unit"] || ""}`;
	};
	for (const k of Object.keys(labels)) {
		const r = range[k], input = el("input", { type: "range", min: r.minimum, max: r.maximum, step: r["x-unit"] === "m" ? 0.001 : 0.1, "aria-label": labels[k] }), out = el("output", {});
		sliders[k] = { input, out };
		input.addEventListener("input", () => { set(k, Number(input.value)); changed(); });
		form.append(el("label", { class: "slider" }, el("span", {}, labels[k]), input, out));
		set(k, k === "duration" ? 1 : 0);
	}
	const adopt = () => {
		const s = latest.state;
		if (!s) return;
		for (const k of ["x", "y", "z", "roll", "pitch", "yaw"]) set(k, s.head[k] ?? 0);
		set("body_yaw", s.body_yaw ?? 0);
		set("left", s.antennas.left ?? 0);
		set("right", s.antennas.right ?? 0);
		changed();
	};
	const go = async () => {
		const answer = await tell("/robot/goto", { ...goal(), duration: values.duration });
		if (answer?.changes?.length) notice("Done as far as it goes: " + answer.changes.map((c) => `${c.field} ${c.given.toFixed(1)} (${c.limit})`).join(", "));
	};
	const pad = el("div", { class: "pad", tabindex: "0", role: "application", "aria-label": "Drag the head: left and right turn it, up and down nod" }, marker = el("i", {}));
	const stream = { socket: null, send(head) {
		if (!this.socket || this.socket.readyState > 1) {
			this.socket = new WebSocket(location.origin.replace(/^http/, "ws") + "/api/v1/ws/target");
			this.socket.onmessage = (m) => { const a = JSON.parse(m.data); if (a.type === "error") notice(a.data.message); };
		}
		if (this.socket.readyState === 1) this.socket.send(JSON.stringify({ head }));
	} };
	page.leave.push(() => stream.socket?.close());
	let held = false;
	const drag = (e) => {
		const b = pad.getBoundingClientRect();
		set("yaw", -((e.clientX - b.left) / b.width - 0.5) * 2 * 60);
		set("pitch", ((e.clientY - b.top) / b.height - 0.5) * 2 * range.pitch.maximum);
		changed();
	};
	pad.addEventListener("pointerdown", (e) => { held = true; pad.setPointerCapture(e.pointerId); drag(e); });
	pad.addEventListener("pointermove", (e) => { if (held) drag(e); });
	pad.addEventListener("pointerup", () => { held = false; });
	pad.addEventListener("keydown", (e) => {
		const by = { ArrowLeft: ["yaw", 3], ArrowRight: ["yaw", -3], ArrowUp: ["pitch", -3], ArrowDown: ["pitch", 3] }[e.key];
		if (by) { e.preventDefault(); set(by[0], values[by[0]] + by[1]); changed(); stream.send(goal().head); }
	});
	const beat = setInterval(() => { if (held) stream.send(goal().head); }, 20);
	page.leave.push(() => clearInterval(beat));

	const canvas = el("canvas", { class: "robot", role: "img", "aria-label": "The robot, and where it is to go" }), note = el("div", {}), lists = el("div", {});
	const motors = (on) => tell("/robot/motors", { on });
	page.main.replaceChildren(el("div", { class: "cards flow" },
		section("Pose", canvas, note, form, el("div", { class: "row" }, el("button", { type: "button", class: "main", id: "go", onclick: go }, "Go there"),
			el("button", { type: "button", onclick: adopt }, "From where it is"))),
		section("Drag the head", pad, el("p", { class: "faint" }, "It follows while you hold; arrow keys do it, too.")),
		section("Motors and recording", el("div", { class: "row" }, el("button", { type: "button", onclick: () => motors(true) }, "Hold"), el("button", { type: "button", onclick: () => motors(false) }, "Let go")),
			el("p", { class: "faint" }, "Let go, move the robot by hand, and record it as a ", el("a", { href: "#learning" }, "demonstration"), ".")),
		section("Moves", lists)));
	robot = await draw(page, canvas, note);
	adopt();
	if (latest.state) robot?.pose(latest.state);
	on(page, "state", (s) => robot?.pose(s));
	const call = (tool_name, parameters) => ask("POST", "/tools/execute", { tool_name, parameters }).then((r) => { if (r.status !== "success") notice(r.message); }, () => {});
	const moves = await get("/robot/moves");
	for (const [title, names, tool, key] of [["Poses", moves.poses, "goto_pose", "name"], ["Gestures", moves.gestures, "gesture", "name"],
		["Emotions", moves.emotions, "express_emotion", "emotion"], ["Recorded", moves.recorded, "play_move", "name"]]) {
		lists.append(el("h3", {}, title), el("div", { class: "row" }, ...names.map((n) => el("button", { type: "button", onclick: () => call(tool, { [key]: n }) }, n.replaceAll("_", " "))),
			names.length ? null : el("span", { class: "faint" }, "none yet")));
	}
}
