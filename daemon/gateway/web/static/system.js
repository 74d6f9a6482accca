import { ask, clock, el, every, get, latest, notice, number, on, post, section } from "/page/core.js";

// value shows what a check found: a text, or a list of names and values.
function value(v) {
	if (v === null || typeof v !== "object") return String(v);
	return el("dl", {}, ...Object.entries(v).flatMap(([k, x]) => [el("dt", {}, k), el("dd", {}, value(x))]));
}

// findings are what the doctor found; beside each x there may be x_ok, which is whether it works.
const checked = { llm: "Language model", web: "Web search", store: "What is kept" };

// kept says in words what lies in the store.
function kept(s) {
	const kinds = (s.kinds || []).map((k) => `${k.kind}: ${k.keys} (${size(k.bytes)})`);
	return [s.disk_bytes != null ? `${size(s.disk_bytes)} on the disk` : "", ...kinds].filter(Boolean).join("\n");
}
function findings(found) {
	const said = Object.entries(found).filter(([k]) => !(k.endsWith("_ok") && k.slice(0, -3) in found));
	return el("dl", {}, ...said.flatMap(([k, v]) => [el("dt", {}, checked[k] || k), el("dd", {}, found[k + "_ok"] ? el("span", { class: "good" }, "works: ") : null, k === "store" && v?.kinds ? kept(v) : value(v))]));
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
	const groups = new Map([["general", []]]); // first, for it is unfolded
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

const size = (bytes) => (bytes < 1e6 ? `${number(bytes / 1e3, 0)} kB` : bytes < 1e9 ? `${number(bytes / 1e6, bytes < 1e7 ? 1 : 0)} MB` : `${number(bytes / 1e9)} GB`);

// model is one model file: what it is for, whether it is here, and a button that fetches it or ends that.
function model(m) {
	const at = el("li", { "data-model": m.name, "data-state": m.state }), fetching = m.state === "fetching";
	const act = (what) => post("/models/" + what, { name: m.name }).catch(() => {});
	const does = { partial: "Go on", failed: "Try again" }[m.state] || "Fetch";
	const says = { here: "here", missing: "not here", partial: `${size(m.partial || m.done || 0)} of it are here`, failed: "failed", fetching: `${size(m.done || 0)} of ${size(m.total || m.bytes)}` }[m.state];
	at.append(el("div", { class: "grow" }, el("b", {}, m.name), " ", el("span", { class: "faint" }, [m.kind, size(m.bytes), m.licence].filter(Boolean).join(", ")),
		el("p", { class: "faint" }, m.about), fetching ? el("progress", { max: m.total || m.bytes, value: m.done || 0, "aria-label": "how far " + m.name + " is" }) : null,
		m.message ? el("p", { class: m.state === "failed" ? "bad" : "faint" }, m.message) : null),
	el("span", { class: { here: "good", failed: "bad" }[m.state] || "faint" }, says),
	m.state === "here" || m.state === "missing" && m.message ? "" : fetching ? el("button", { type: "button", "aria-label": "Cancel " + m.name, onclick: () => act("cancel") }, "Cancel")
		: el("button", { type: "button", "aria-label": `${does}: ${m.name}`, onclick: () => act("pull") }, does));
	return at;
}

// models are the files that the senses can use, with how far one is that is being fetched: events tell.
function models(page) {
	const list = el("ul", { class: "models", id: "models" }), where = el("p", { class: "faint" });
	const all = new Map();
	const put = (m) => {
		const anew = model(m), old = all.get(m.name)?.at;
		all.set(m.name, { m, at: anew });
		if (!old) return list.append(anew);
		const had = old.contains(document.activeElement);
		old.replaceWith(anew);
		if (had) anew.querySelector("button")?.focus();
	};
	get("/models").then(({ models: found, dir }) => {
		where.textContent = `They are put into ${dir}, and used when reachyd starts the next time.`;
		found.forEach(put);
	}, (e) => { where.textContent = e.message; });
	on(page, "event", (e) => {
		const known = e.type === "model" && all.get(e.name)?.m;
		if (known) put({ ...known, state: e.state, done: e.done, total: e.total, message: e.message });
	});
	return el("section", { class: "wide" }, el("h2", {}, "Models"), where, el("div", { class: "scroll", tabindex: "0" }, list));
}

// broker is how the robot stands with MQTT, looked at now and then while the page is seen.
function broker(page) {
	const list = el("dl", { id: "mqtt" });
	const look = () => ask("GET", "/mqtt", undefined, true).then((m) => {
		list.dataset.connected = m.connected;
		list.replaceChildren(...[["Broker", m.broker + (m.embedded ? " (in reachyd)" : "")], ["Robot", el("span", { class: m.connected ? "good" : "bad" }, m.connected ? "connected" : "not connected")],
			["Since", clock(m.since)], m.reason ? ["Why", m.reason] : null, m.attempts ? ["Attempts", m.attempts] : null, ["Topics", m.topics + "#"],
			m.embedded ? ["Clients", m.clients] : null, ["Lost", `${m.dropped} events and replies`]].filter(Boolean).flatMap(([k, v]) => [el("dt", {}, k), el("dd", {}, v)]));
	}, (e) => { list.textContent = e.message; });
	look();
	every(page, 5, look);
	return section("MQTT", list);
}

// log is reachyd's log. While it is folded nothing is asked for.
function log(page) {
	const lines = el("tbody", { id: "log" }), level = el("select", { id: "log-level", "aria-label": "least grave lines" }, ...["debug", "info", "warn", "error"].map((l) => el("option", { value: l, selected: l === "info" }, l)));
	const fold = el("details", { id: "logs" }, el("summary", {}, "Log"), el("div", { class: "row" }, el("label", { for: "log-level" }, "From"), level),
		el("div", { class: "scroll", tabindex: "0" }, el("table", { class: "events" }, el("thead", {}, el("tr", {}, ...["When", "Level", "What"].map((h) => el("th", {}, h)))), lines)));
	let last = 0, asking = false;
	const row = (l) => el("tr", { class: { warn: "warn", error: "bad" }[l.level] || "" }, el("td", {}, clock(l.ts)), el("td", {}, l.level),
		el("td", {}, l.message, l.fields ? el("span", { class: "faint" }, " " + Object.entries(l.fields).map(([k, v]) => `${k}=${typeof v === "string" ? v : JSON.stringify(v)}`).join(" ")) : null));
	const look = async () => {
		if (!fold.open || asking) return;
		asking = true;
		try {
			const found = await ask("GET", `/logs?limit=200&level=${level.value}` + (last ? `&after=${last}` : ""), undefined, true);
			if (found.last < last) { // reachyd has been started anew, and counts anew
				last = 0;
				return;
			}
			for (const l of found.lines) lines.prepend(row(l));
			last = found.lines.length === 200 ? found.lines.at(-1).n : found.last;
			while (lines.children.length > 400) lines.lastChild.remove();
		} catch (e) {
			lines.replaceChildren(el("tr", {}, el("td", { colspan: 3 }, e.message)));
		} finally {
			asking = false;
		}
	};
	const anew = () => { last = 0; lines.replaceChildren(); return look(); };
	fold.addEventListener("toggle", anew);
	level.addEventListener("change", anew);
	every(page, 2, look);
	return el("section", { class: "wide" }, fold);
}

export default async function show(page) {
	const doctor = el("div", {}, "looking …"), own = el("dl", {}), settings = el("div"), events = el("tbody", {}), photos = el("div", { class: "row" });
	page.main.replaceChildren(el("div", { class: "cards flow" }, section("Versions and load", own), section("Doctor", doctor),
		broker(page), section("Photos", photos), section("Programming interface", el("p", {}, el("a", { href: "/docs" }, "All requests, with their arguments"), " · ", el("a", { href: "/metrics" }, "metrics"), " · ", el("a", { href: "/openapi.json" }, "openapi.json")))),
	el("section", { class: "wide" }, el("h2", {}, "Settings"), settings), models(page), log(page),
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
