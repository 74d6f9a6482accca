import { clock, el, get, latest, number, on, section } from "/page/core.js";

// value shows what a check found: a text, or a list of names and values.
function value(v) {
	if (v === null || typeof v !== "object") return String(v);
	return el("dl", {}, ...Object.entries(v).flatMap(([k, x]) => [el("dt", {}, k), el("dd", {}, value(x))]));
}

export default async function show(page) {
	const doctor = el("div", {}, "looking …"), own = el("dl", {}), config = el("pre", { class: "scroll", tabindex: "0" }), events = el("tbody", {}), photos = el("div", { class: "row" });
	page.main.replaceChildren(el("div", { class: "cards" }, section("Versions and load", own), section("Doctor", doctor),
		section("Photos", photos), section("Programming interface", el("p", {}, el("a", { href: "/docs" }, "All requests, with their arguments"), " · ", el("a", { href: "/metrics" }, "metrics"), " · ", el("a", { href: "/openapi.json" }, "openapi.json")))),
	el("section", { class: "wide" }, el("h2", {}, "Settings"), config),
	el("section", { class: "wide" }, el("h2", {}, "Events"), el("div", { class: "scroll", tabindex: "0" }, el("table", {}, el("thead", {}, el("tr", {}, el("th", {}, "When"), el("th", {}, "What"), el("th", {}, "More"))), events))));
	const health = await get("/health");
	const load = (t) => own.replaceChildren(...[["reachyd", health.version], ["Mode", health.mode], ["Loop", `${number(t?.loop_hz)} Hz, late by ${number(t?.jitter_p99_us, 0)} µs (99 %)`],
		["Real time", t?.realtime], ["Body", `${number((t?.rss_bytes || 0) / 1e6)} MB, ${number(t?.cpu_percent)} %`], ["Daemon", `${number((t?.daemon?.rss_bytes || 0) / 1e6)} MB, ${number(t?.daemon?.cpu_percent)} %, up ${number((t?.daemon?.uptime_s || 0) / 60, 0)} min`],
		["Bus", t ? `${t.bus.timeouts} timeouts, ${t.bus.corrupt} corrupt of ${t.bus.packets}` : ""]].flatMap(([k, v]) => [el("dt", {}, k), el("dd", {}, String(v ?? "–"))]));
	load(latest.telemetry);
	on(page, "telemetry", load);
	const row = (e) => el("tr", {}, el("td", {}, clock(e.ts)), el("td", {}, e.type), el("td", {}, JSON.stringify(e, (k, v) => (["id", "ts", "type"].includes(k) ? undefined : v))));
	for (const e of (await get("/events/list?limit=100")).events) events.prepend(row(e));
	on(page, "event", (e) => { events.prepend(row(e)); while (events.children.length > 200) events.lastChild.remove(); });
	get("/config").then((c) => { config.textContent = c.yaml; }, () => {});
	get("/photos").then(({ photos: all }) => photos.replaceChildren(...all.slice(0, 24).map((p) => el("a", { href: "/api/v1/photos/" + p.name }, p.name)), all.length ? "" : "none yet"), () => {});
	get("/doctor").then((d) => doctor.replaceChildren(value(d)), (e) => { doctor.textContent = e.message; });
}
