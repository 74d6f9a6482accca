import { ask, clock, el, get, latest, notice, number, on, section } from "/page/core.js";

// value shows what a check found: a text, or a list of names and values.
function value(v) {
	if (v === null || typeof v !== "object") return String(v);
	return el("dl", {}, ...Object.entries(v).flatMap(([k, x]) => [el("dt", {}, k), el("dd", {}, value(x))]));
}

// findings are what the doctor found; beside each x there may be x_ok, which is whether it works.
const checked = { llm: "Language model", web: "Web search" };
function findings(found) {
	const said = Object.entries(found).filter(([k]) => !(k.endsWith("_ok") && k.slice(0, -3) in found));
	return el("dl", {}, ...said.flatMap(([k, v]) => [el("dt", {}, checked[k] || k), el("dd", {}, found[k + "_ok"] ? el("span", { class: "good" }, "works: ") : null, value(v))]));
}

// written is a value as a person writes it, and read what was written as the setting's type wants it.
const written = (v) => (Array.isArray(v) ? (v.every((x) => typeof x === "string") ? v.join(", ") : JSON.stringify(v)) : String(v));
function read(s, field) {
	if (s.type === "true or false") return field.checked;
	if (s.type === "a list") return field.value.split(",").map((x) => x.trim()).filter(Boolean);
	return s.type.endsWith("number") && field.value.trim() !== "" && !isNaN(field.value) ? Number(field.value) : field.value;
}

// choices are what a text may be, where the setting names all of it.
function choices(s) {
	if (s.type !== "a text" || !/^\w+(, \w+)+$/.test(s.allowed || "")) return null;
	const all = s.allowed.split(", ");
	return s.default === "" ? ["", ...all] : all;
}

// input is the field of a setting that may be changed.
function input(s, id, value) {
	if (s.type === "true or false") return el("input", { id, type: "checkbox", checked: value });
	const list = choices(s);
	if (!list) return el("input", { id, value: written(value), title: s.allowed || s.type });
	return el("select", { id }, ...list.map((c) => el("option", { value: c, selected: c === value }, c || "–")));
}

const takes = { now: "", restart: "after a restart", file: "in the file only" };

// setting is one setting: to be changed, where it may be; a change is made when the field is left or Enter is pressed.
function setting(s, again) {
	const id = "setting-" + s.key, value = s.next ?? s.value, fixed = s.when === "file" || s.fixed;
	const change = (v) => ask("PATCH", "/config", { values: { [s.key]: v } }).then((done) => {
		if (done.restart) notice(`${s.key} takes effect after a restart of reachyd`);
	}, () => {}).then(again);
	const field = fixed ? el("output", { id }, written(value) || "–")
		: input(s, id, value);
	if (!fixed) field.addEventListener("change", () => change(read(s, field)));
	const from = s.fixed ? "set by " + s.origin : [fixed || choices(s) ? "" : s.allowed, takes[s.when], s.next !== undefined ? "now " + written(s.value) : ""].filter(Boolean).join(", ");
	return el("div", { class: "setting" }, el("label", { for: id }, s.key), field, el("span", { class: "faint" }, from),
		!fixed && s.origin.includes("settings.yaml") ? el("button", { id: "back-" + s.key, type: "button", "aria-label": "take back " + s.key, onclick: () => change(null) }, "take back") : null,
		s.about ? el("p", { class: "faint" }, s.about) : null);
}

// groups are the settings in groups that fold.
function groups(all, again) {
	const groups = new Map();
	for (const s of all) {
		const name = s.key.includes(".") ? s.key.split(".")[0] : "general";
		groups.set(name, [...(groups.get(name) || []), s]);
	}
	return [...groups].map(([name, list]) => el("details", { class: "group", "data-group": name, open: name === "general" }, el("summary", {}, name), ...list.map((s) => setting(s, again))));
}

// refill shows groups anew: what was unfolded stays so, and the keyboard stays where it was.
function refill(at, anew) {
	const open = new Set([...at.querySelectorAll("details[open]")].map((d) => d.dataset.group)), focus = at.contains(document.activeElement) ? document.activeElement.id : "";
	for (const d of anew) if (open.has(d.dataset.group)) d.open = true;
	at.replaceChildren(...anew);
	if (focus) document.getElementById(focus)?.focus();
}

export default async function show(page) {
	const doctor = el("div", {}, "looking …"), own = el("dl", {}), settings = el("div"), events = el("tbody", {}), photos = el("div", { class: "row" });
	page.main.replaceChildren(el("div", { class: "cards flow" }, section("Versions and load", own), section("Doctor", doctor),
		section("Photos", photos), section("Programming interface", el("p", {}, el("a", { href: "/docs" }, "All requests, with their arguments"), " · ", el("a", { href: "/metrics" }, "metrics"), " · ", el("a", { href: "/openapi.json" }, "openapi.json")))),
	el("section", { class: "wide" }, el("h2", {}, "Settings"), settings),
	el("section", { class: "wide" }, el("h2", {}, "Events"), el("div", { class: "scroll", tabindex: "0" }, el("table", { class: "events" }, el("thead", {}, el("tr", {}, el("th", {}, "When"), el("th", {}, "What"), el("th", {}, "More"))), events))));
	const health = await get("/health");
	const load = (t) => own.replaceChildren(...[["reachyd", health.version], ["Mode", health.mode], ["Loop", `${number(t?.loop_hz)} Hz, late by ${number(t?.jitter_p99_us, 0)} µs (99 %)`],
		["Real time", t?.realtime], ["Body", `${number((t?.rss_bytes || 0) / 1e6)} MB, ${number(t?.cpu_percent)} %`], ["Daemon", `${number((t?.daemon?.rss_bytes || 0) / 1e6)} MB, ${number(t?.daemon?.cpu_percent)} %, up ${number((t?.daemon?.uptime_s || 0) / 60, 0)} min`],
		["Bus", t ? `${t.bus.timeouts} timeouts, ${t.bus.corrupt} corrupt of ${t.bus.packets}` : ""]].flatMap(([k, v]) => [el("dt", {}, k), el("dd", {}, String(v ?? "–"))]));
	load(latest.telemetry);
	on(page, "telemetry", load);
	const row = (e) => el("tr", {}, el("td", {}, clock(e.ts)), el("td", {}, e.type), el("td", {}, JSON.stringify(e, (k, v) => (["id", "ts", "type"].includes(k) ? undefined : v))));
	for (const e of (await get("/events/list?limit=100")).events) events.prepend(row(e));
	on(page, "event", (e) => { events.prepend(row(e)); while (events.children.length > 200) events.lastChild.remove(); });
	const again = () => get("/config/list").then((c) => refill(settings, groups(c.settings, again)), (e) => { settings.textContent = e.message; });
	again();
	on(page, "event", (e) => { if (e.type === "config" && !settings.contains(document.activeElement)) again(); });
	get("/photos").then(({ photos: all }) => photos.replaceChildren(...all.slice(0, 24).map((p) => el("a", { href: "/api/v1/photos/" + p.name }, p.name)), all.length ? "" : "none yet"), () => {});
	get("/doctor").then((d) => doctor.replaceChildren(findings(d)), (e) => { doctor.textContent = e.message; });
}
