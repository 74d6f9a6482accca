import { ask, clock, el, get, library, notice, number, on, post, section, tell } from "/page/core.js";

const button = (text, onclick, more = {}) => el("button", { type: "button", onclick, ...more }, text);
const percent = (v) => `${number(100 * (v ?? 0), 0)} %`;
const bars = { stroke: "#888", grid: { stroke: "#8884" } };

// choice is a labelled list to choose from.
function choice(label, id, ...options) {
	return el("label", {}, label + " ", el("select", { id }, ...options.map((o) => el("option", { value: o }, o.replaceAll("_", " ")))));
}

// practice is what the robot practises: its state in words, start and stop, and how the run goes.
function practice(page) {
	const words = el("p", { id: "training", role: "status" }, "asking …"), curve = el("div", { id: "curve" }), row = el("div", { class: "row" });
	const task = choice("Task", "task", "look_at_thing", "follow", "look_at_speaker", "reach_pose", "greet");
	const episodes = el("input", { id: "episodes", type: "number", min: "1", max: "1000000", value: "1000", inputmode: "numeric" });
	const start = button("Start", () => post("/training/start", { task: task.querySelector("select").value, episodes: Number(episodes.value) }).then(say, () => {}), { class: "main", id: "train" });
	const stop = button("Stop", () => post("/training/stop").then(say, () => {}), { id: "train-stop" });
	row.append(task, el("label", {}, "Episodes ", episodes), start, stop);
	let plot, points, asked = 0;

	async function draw() {
		points = (await ask("GET", "/training/curve", undefined, true).catch(() => ({ points: [] }))).points;
		curve.dataset.points = points.length;
		if (!points.length) return;
		const column = (key) => points.map((p) => p[key] ?? null);
		const data = [column("episode"), column("reward"), column("success_rate"), column("eval_success")];
		if (plot) { plot.setData(data); return; }
		const uPlot = (await library("chart", curve))?.default;
		if (!uPlot || plot) return;
		plot = new uPlot({ width: Math.max(240, curve.clientWidth), height: 220, scales: { x: { time: false }, part: { range: [0, 1] } },
			series: [{ label: "episode" }, { label: "reward", stroke: "#3b82f6" }, { label: "success", scale: "part", stroke: "#d97706" },
				{ label: "evaluated", scale: "part", stroke: "#16a34a", spanGaps: true, points: { show: true } }],
			axes: [bars, bars, { ...bars, scale: "part", side: 1, grid: { show: false } }] }, data, curve);
	}
	function say(s) {
		const under = s.state === "training" || s.state === "paused";
		start.disabled = under;
		stop.disabled = !under;
		words.dataset.state = s.state;
		words.textContent = !s.run ? "Nothing has been practised yet." : `${s.state}: ${(s.task || "").replaceAll("_", " ")}, run ${s.run}, episode ${s.episode} of ${s.episodes}; ` +
			`${percent(s.success_rate)} of the last succeeded, reward ${number(s.avg_reward ?? s.reward, 2)}` +
			(s.best_episode ? `; best after episode ${s.best_episode}: ${percent(s.best_success)}` : "") + (under && s.left_s > 0 ? `; ${number(s.left_s, 0)} s left` : "") + (s.message ? `. ${s.message}` : "");
		if (s.run && (!under || performance.now() - asked > 2000)) { asked = performance.now(); draw(); }
	}
	page.leave.push(() => plot?.destroy());
	on(page, "event", (e) => { if (e.type === "training") say(e); });
	ask("GET", "/training/status", undefined, true).then(say, (e) => { words.textContent = e.message; });
	return section("Practice", el("p", { class: "faint" }, "In a simulation, beside everything else; the robot itself does not move."), words, row, curve);
}

// opinions is what people said, what it was taken for, and what was learned of it.
function opinions(page) {
	const list = el("div", { class: "scroll", tabindex: "0", id: "feedback" }), learned = el("ul", { id: "learned" });
	const words = el("input", { "aria-label": "What you think of it", placeholder: "that was great" });
	const give = (text) => post("/feedback", { feedback_text: text }).then(() => notice("Thank you."), () => {});
	const worth = (f) => {
		const slider = el("input", { type: "range", min: "-1", max: "1", step: "0.1", value: f.reward, "aria-label": `What “${f.text || f.verdict || f.rating}” is worth`,
			onchange: () => tell("/feedback/correct", { feedback: f.id, reward: Number(slider.value) }) });
		return slider;
	};
	async function refresh() {
		const [{ feedback }, lessons] = await Promise.all([get("/feedback?limit=50"), get("/learned")]);
		list.replaceChildren(...(feedback || []).map((f) => el("div", { class: "row" }, el("span", { class: "grow" }, `${clock(f.at)} ${f.text || f.verdict || `${f.rating} of 5`} `,
			el("b", { class: f.reward < 0 ? "bad" : "good" }, number(f.reward)), f.corrected ? " (corrected)" : ""), worth(f),
		button("Delete", () => ask("DELETE", "/feedback/" + encodeURIComponent(f.id)).then(refresh, () => {})))));
		if (!list.children.length) list.append(el("p", { class: "faint" }, "No feedback yet."));
		learned.replaceChildren(...(lessons.learned || []).filter((l) => l.learned).map((l) => el("li", {}, l.words, button("Forget", () => post("/learned/forget", { parameter: l.parameter }).then(refresh, () => {})))));
		if (!learned.children.length) learned.append(el("li", { class: "faint" }, "Nothing yet: it behaves as it always did."));
	}
	on(page, "event", (e) => { if (e.type === "reward") refresh().catch(() => {}); });
	const quick = ["great", "good", "bad"].map((w) => button(w, () => give(w)));
	const form = el("form", { class: "line", onsubmit: (e) => { e.preventDefault(); if (words.value.trim()) give(words.value); words.value = ""; } }, words, el("button", {}, "Say"));
	return [refresh, section("Feedback", el("div", { class: "row" }, ...quick), form, list), section("What it has learned", learned)];
}

// lessons are demonstrations: recorded by hand, replayed, named.
function lessons(page) {
	const list = el("div", { class: "scroll", tabindex: "0", id: "demonstrations" });
	const name = el("input", { "aria-label": "Name of the demonstration", placeholder: "curious look" });
	async function refresh() {
		const { demonstrations: all } = await get("/demonstrations");
		const at = (d, action) => "/demonstrations/" + encodeURIComponent(d.name) + action;
		list.replaceChildren(...all.map((d) => el("div", { class: "row" }, el("span", { class: "grow" }, `${d.name}, ${number(d.seconds)} s`, d.task ? `: ${d.task}` : "", d.move ? ` (move “${d.move}”)` : ""),
			button("Replay", () => tell(at(d, "/replay"))), button("Make a move of it", () => tell(at(d, "/name")).then(refresh)),
			button("Delete", () => ask("DELETE", at(d, "")).then(refresh, () => {})))));
		if (!all.length) list.append(el("p", { class: "faint" }, "None yet."));
	}
	const record = () => post("/demonstrations/record", name.value.trim() ? { name: name.value.trim() } : {}).then(() => notice("The motors let go: guide the robot, then Stop and keep."), () => {});
	on(page, "event", (e) => { if (e.type === "demonstration") refresh().catch(() => {}); });
	return [refresh, section("Demonstrations", el("p", { class: "faint" }, "Hold the head before you record: all motors let go at once."), el("div", { class: "row" }, name,
		button("Record", record), button("Stop and keep", () => tell("/demonstrations/stop"))), list)];
}

export default async function show(page) {
	const [opined, ...opinion] = opinions(page), [shown, demonstration] = lessons(page);
	page.main.replaceChildren(el("div", { class: "cards flow" }, practice(page), ...opinion, demonstration));
	await Promise.all([opined(), shown()].map((p) => p.catch(() => {})));
}
