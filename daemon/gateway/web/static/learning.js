import { ask, clock, el, every, get, library, notice, on, post, section } from "/page/core.js";

// rows shows an object as it is: what is in it is the learner's to say.
function rows(object) {
	return el("dl", {}, ...Object.entries(object || {}).flatMap(([k, v]) => [el("dt", {}, k.replaceAll("_", " ")), el("dd", {}, typeof v === "object" ? JSON.stringify(v) : String(v))]));
}

export default async function show(page) {
	const state = el("div", {}), curve = el("div", {}), list = el("div", { class: "scroll", tabindex: "0" }), demos = el("div", {});
	const words = el("input", { "aria-label": "What you think of it", placeholder: "that was great" });
	const give = (text) => post("/feedback", { feedback_text: text }).then((r) => { notice("Thank you."); return r; }, () => {});
	const quick = ["great", "good", "bad"].map((w) => el("button", { type: "button", onclick: () => give(w) }, w));
	const train = (action) => post("/train", { action }).then(refresh, () => {});
	page.main.replaceChildren(el("div", { class: "cards" },
		section("Training", state, el("div", { class: "row" }, el("button", { type: "button", class: "main", onclick: () => train("start") }, "Start"), el("button", { type: "button", onclick: () => train("stop") }, "Stop")), curve),
		section("Feedback", el("div", { class: "row" }, ...quick), el("form", { class: "line", onsubmit: (e) => { e.preventDefault(); give(words.value); words.value = ""; } }, words, el("button", {}, "Say")), list),
		section("Demonstrations", demos, el("div", { class: "row" }, el("button", { type: "button", onclick: () => post("/demonstration", { action: "record" }).catch(() => {}) }, "Record"), el("button", { type: "button", onclick: () => post("/demonstration", { action: "stop" }).then(refresh, () => {}) }, "Stop and keep")))));

	async function refresh() {
		for (const [path, at] of [["/train", state], ["/demonstration", demos]]) {
			try { at.replaceChildren(rows(await ask("POST", path, { action: path === "/train" ? "status" : "list" }, true))); } catch (e) { at.replaceChildren(el("p", { class: "faint" }, e.message)); }
		}
	}
	const past = await get("/events/list?limit=200&types=feedback&types=reward");
	const seen = [[], []];
	const line = (e) => {
		list.prepend(el("p", {}, `${clock(e.ts)} ${e.type}: ${e.text || ""} `, el("b", { class: e.reward < 0 ? "bad" : "good" }, e.reward ?? "")));
		if (e.reward != null) { seen[0].push(Date.parse(e.ts) / 1000); seen[1].push(e.reward); plot?.setData(seen); }
	};
	const uPlot = (await library("chart", curve))?.default;
	const plot = uPlot && new uPlot({ width: Math.max(240, curve.clientWidth), height: 160, legend: { show: false }, series: [{}, { stroke: "#3b82f6", points: { show: true } }], axes: [{ stroke: "#888" }, { stroke: "#888" }] }, seen, curve);
	page.leave.push(() => plot?.destroy());
	past.events.forEach(line);
	if (!past.events.length) list.append(el("p", { class: "faint" }, "No feedback yet."));
	on(page, "event", (e) => { if (e.type === "feedback" || e.type === "reward") line(e); if (e.type === "training") refresh(); });
	await refresh();
	every(page, 5, refresh);
}
