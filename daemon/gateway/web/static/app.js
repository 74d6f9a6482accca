import { ask, begin, el, get, latest, live, notice, tell } from "/page/core.js";

const pages = { live: "/page/live.js", talk: "/page/talk.js", move: "/page/move.js", tools: "/page/tools.js", learning: "/page/learning.js", system: "/page/system.js" };
const main = document.getElementById("page"), status = document.getElementById("status");
let shown = { leave: [] };

async function show() {
	const name = pages[location.hash.slice(1)] ? location.hash.slice(1) : "live";
	for (const end of shown.leave) end();
	const page = shown = { leave: [], main };
	for (const a of document.querySelectorAll("nav a")) {
		if (a.hash === "#" + name) { a.setAttribute("aria-current", "page"); a.scrollIntoView({ block: "nearest", inline: "nearest" }); }
		else a.removeAttribute("aria-current");
	}
	main.replaceChildren();
	document.title = `Reachy Mini: ${name}`;
	const module = await import(pages[name]);
	if (page === shown) await module.default(page);
	main.dataset.page = name;
}

async function stop() {
	try {
		await ask("POST", "/robot/stop", { reason: "STOP on the page" });
	} catch { notice("The stop did not reach the robot. Use its switch."); }
}
const button = document.getElementById("stop"), reset = document.getElementById("reset");
button.addEventListener("pointerdown", stop); // not at the end of the click: it shall be quick
button.addEventListener("keydown", (e) => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); stop(); } });
reset.addEventListener("click", () => tell("/robot/reset"));
document.addEventListener("keydown", (e) => { if (e.key === "Escape") stop(); });

// modes are those of the motors, in words.
const modes = { enabled: "ready", disabled: "motors off", partial: "some motors off", offline: "the motors do not answer" };
function say(state) {
	if (!state) return;
	const faults = state.faults.map((f) => f.detail || f.name);
	const words = state.estop ? [`STOPPED: ${state.estop_reason || "by somebody"}`] : [(modes[state.mode] || state.mode) + (state.moving ? `, ${state.move_name || "moving"}` : "")];
	const text = words.concat(faults).join("; ");
	if (status.textContent !== text) status.textContent = text;
	status.className = state.estop || faults.length ? "bad" : "";
	reset.hidden = !state.estop;
}
live.addEventListener("state", (e) => say(e.detail));
live.addEventListener("connected", (e) => { if (!e.detail) { status.textContent = "not connected"; status.className = "bad"; } else say(latest.state); });
addEventListener("hashchange", () => show().catch((e) => notice(e.message)));
begin();
show().catch((e) => notice(e.message));
export { el, get };
