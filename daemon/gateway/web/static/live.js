import { clock, el, latest, library, number, on, section } from "/page/core.js";
import { draw } from "/page/robot3d.js";

// spark is a small curve of the last values.
function spark(values) {
	const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"), path = document.createElementNS("http://www.w3.org/2000/svg", "path");
	svg.setAttribute("viewBox", "0 0 60 20");
	svg.setAttribute("preserveAspectRatio", "none");
	svg.setAttribute("aria-hidden", "true");
	const low = Math.min(...values), high = Math.max(...values), span = high - low;
	path.setAttribute("d", values.map((v, i) => `${i ? "L" : "M"}${(i * 60) / Math.max(1, values.length - 1)} ${span ? 19 - ((v - low) / span) * 18 : 10}`).join(""));
	svg.append(path);
	return svg;
}

function camera(page) {
	const box = el("div", { class: "picture" }), img = el("img", { alt: "What the robot sees" }), text = el("p", { class: "faint" });
	const boxes = document.createElementNS("http://www.w3.org/2000/svg", "svg");
	boxes.setAttribute("aria-hidden", "true");
	let running = false, url;
	const button = el("button", { type: "button", "aria-pressed": "false", onclick: () => { running = !running; button.setAttribute("aria-pressed", running);
		button.textContent = running ? "Close the camera" : "Look through the camera"; if (running) next(); } }, "Look through the camera");
	async function next() {
		if (!running || document.hidden) return;
		const answer = await fetch("/api/v1/camera.jpg");
		if (!answer.ok) {
			running = false;
			button.textContent = "Look through the camera";
			text.textContent = (await answer.json()).detail;
			return;
		}
		if (url) URL.revokeObjectURL(url);
		url = img.src = URL.createObjectURL(await answer.blob());
		if (!img.isConnected) box.append(img, boxes);
		setTimeout(next, 150);
	}
	page.leave.push(() => { running = false; if (url) URL.revokeObjectURL(url); });
	on(page, "event", (e) => {
		if (e.type !== "detection") return;
		boxes.setAttribute("viewBox", `0 0 ${img.naturalWidth || 640} ${img.naturalHeight || 480}`);
		boxes.replaceChildren();
		for (const o of e.objects || []) {
			const r = document.createElementNS(boxes.namespaceURI, "rect"), t = document.createElementNS(boxes.namespaceURI, "text");
			for (const [k, v] of [["x", o.box.x], ["y", o.box.y], ["width", o.box.w], ["height", o.box.h]]) r.setAttribute(k, v);
			t.setAttribute("x", o.box.x);
			t.setAttribute("y", o.box.y - 4);
			t.textContent = o.name;
			boxes.append(r, t);
		}
	});
	return section("Camera", box, el("div", { class: "row" }, button), text);
}

// goals are where tools that move bring the robot from where it is.
const goals = {
	move_head: (s, a) => ({ head: { ...s.head, ...a }, antennas: s.antennas }),
	set_antennas: (s, a) => ({ head: s.head, antennas: { ...s.antennas, ...a } }),
};

export default async function show(page) {
	const canvas = el("canvas", { class: "robot", role: "img", "aria-label": "The robot, drawn from its joints" }), note = el("div", {});
	const numbers = el("dl", {}), servos = el("div", { class: "servos" }), curve = el("div", {}), words = el("ol", { class: "faint scroll happens" });
	page.main.replaceChildren(el("div", { class: "cards flow" }, section("Robot", canvas, note, numbers), camera(page),
		section("Loop", el("p", { class: "faint" }, "Lateness of the control loop, ms: 99 % of each second (blue) and its worst (orange)"), curve),
		section("What happens", words)), el("section", { class: "wide" }, el("h2", {}, "Servos"), servos));

	const robot = await draw(page, canvas, note);
	const told = (s) => {
		robot?.pose(s);
		const rows = [["Head", `yaw ${number(s.head.yaw)}°, pitch ${number(s.head.pitch)}°, roll ${number(s.head.roll)}°, height ${number(s.head.z * 1000)} mm`],
			["Body", `${number(s.body_yaw)}°`], ["Antennas", `left ${number(s.antennas.left)}°, right ${number(s.antennas.right)}°`]];
		numbers.replaceChildren(...rows.flatMap(([k, v]) => [el("dt", {}, k), el("dd", {}, v)]));
	};
	if (latest.state) told(latest.state);
	on(page, "state", told);
	on(page, "event", (e) => {
		const now = latest.state;
		if (e.type === "tool_call" && now && goals[e.tool]) robot?.ghost(goals[e.tool](now, e.args));
		if (e.type === "move_done" || e.type === "estop") robot?.ghost(null);
		if (e.type === "audit" || e.type === "partial") return;
		words.prepend(el("li", {}, `${clock(e.ts)} ${e.type} ${e.text || e.message || e.tool || e.name || e.reason || ""}`));
		while (words.children.length > 40) words.lastChild.remove();
	});

	const past = {}, late = [[], [], []];
	const uPlot = (await library("chart", curve))?.default;
	const plot = uPlot && new uPlot({ width: Math.max(240, curve.clientWidth), height: 140, legend: { show: false }, cursor: { show: false },
		series: [{}, { stroke: "#3b82f6" }, { stroke: "#d9822b" }], axes: [{ stroke: "#888", space: 80, values: (_, at) => at.map((s) => new Date(s * 1000).toTimeString().slice(0, 8)) }, { stroke: "#888", size: 55 }], scales: { x: { time: true } } }, late, curve);
	page.leave.push(() => plot?.destroy());
	const telemetry = (t) => {
		late[0].push(Date.parse(t.ts) / 1000);
		late[1].push(t.jitter_p99_us / 1000);
		late[2].push(t.jitter_max_us / 1000);
		if (late[0].length > 120) for (const l of late) l.shift();
		plot?.setData(late);
		servos.replaceChildren(...(t.servos || []).map((s) => {
			const p = (past[s.joint] ||= { c: [], v: [], ma: [] });
			for (const k of ["c", "v", "ma"]) { if (s[k] != null) p[k].push(s[k]); if (p[k].length > 60) p[k].shift(); }
			return el("div", { class: "servo" }, el("b", { class: s.present ? "" : "bad" }, s.joint + (s.present ? "" : ": missing")),
				`${number(s.c, 0)} °C`, spark(p.c), `${number(s.v, 2)} V`, spark(p.v), `${number(s.ma, 0)} mA`, spark(p.ma), s.hw_error ? el("span", { class: "bad" }, `error ${s.hw_error}`) : null);
		}));
	};
	if (latest.telemetry) telemetry(latest.telemetry);
	on(page, "telemetry", telemetry);
}
