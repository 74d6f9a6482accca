// What all pages share: asking the robot, hearing from it, and making elements.

export const live = new EventTarget();
export const latest = { state: null, telemetry: null, events: [] };

// el makes an element: el("p", {class: "x", onclick: f}, "text", child).
export function el(name, attributes = {}, ...children) {
	const e = document.createElement(name);
	for (const [key, value] of Object.entries(attributes)) {
		if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
		else if (value === true) e.setAttribute(key, "");
		else if (value !== false && value != null) e.setAttribute(key, value);
	}
	e.append(...children.filter((c) => c != null));
	return e;
}

export function section(title, ...children) {
	return el("section", {}, el("h2", {}, title), ...children);
}

let hush;
export function notice(text) {
	const at = document.getElementById("notice");
	at.textContent = text;
	at.hidden = false;
	clearTimeout(hush);
	hush = setTimeout(() => { at.hidden = true; }, 6000);
}

// ask calls the programming interface and returns its answer; a problem is thrown.
export async function ask(method, path, body, quiet) {
	const request = { method, headers: {} };
	if (body !== undefined) {
		request.body = body instanceof Blob ? body : JSON.stringify(body);
		request.headers["Content-Type"] = body instanceof Blob ? body.type : "application/json";
	}
	const answer = await fetch("/api/v1" + path, request);
	const kind = answer.headers.get("Content-Type") || "";
	const data = kind.includes("json") ? await answer.json() : await answer.blob();
	if (!answer.ok) {
		const problem = new Error(data.detail || answer.statusText);
		problem.problem = data;
		if (!quiet) notice(problem.message);
		throw problem;
	}
	return data;
}

export const post = (path, body = {}) => ask("POST", path, body);
export const get = (path) => ask("GET", path);
// tell is post for buttons: what went wrong has been shown.
export const tell = (path, body) => post(path, body).catch(() => null);

// stream posts to path and calls told for each thing that happens until it is done.
export async function stream(path, body, told) {
	const answer = await fetch("/api/v1" + path, { method: "POST", headers: { "Content-Type": "application/json", Accept: "text/event-stream" }, body: JSON.stringify(body) });
	if (!answer.ok) throw new Error((await answer.json()).detail);
	const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
	let text = "";
	for (;;) {
		const { value, done } = await reader.read();
		if (done) return;
		text += value;
		for (let end; (end = text.indexOf("\n\n")) >= 0; text = text.slice(end + 2)) {
			const lines = Object.fromEntries(text.slice(0, end).split("\n").filter((l) => l.includes(": ")).map((l) => [l.slice(0, l.indexOf(": ")), l.slice(l.indexOf(": ") + 2)]));
			if (lines.event) told(lines.event, JSON.parse(lines.data));
		}
	}
}

// Listening: only while the page is seen.
let socket, again = 500;
function tellAll(type, data) { live.dispatchEvent(new CustomEvent(type, { detail: data })); }

function listen() {
	if (socket || document.hidden) return;
	socket = new WebSocket(location.origin.replace(/^http/, "ws") + "/api/v1/ws/live");
	socket.onopen = () => { again = 500; tellAll("connected", true); };
	socket.onmessage = (m) => {
		const { type, data } = JSON.parse(m.data);
		if (type === "event") {
			latest.events.push(data);
			if (latest.events.length > 300) latest.events.shift();
		} else latest[type] = data;
		tellAll(type, data);
	};
	socket.onclose = () => {
		socket = null;
		tellAll("connected", false);
		if (!document.hidden) setTimeout(listen, again = Math.min(again * 2, 8000));
	};
}
document.addEventListener("visibilitychange", () => {
	if (document.hidden) socket?.close();
	else listen();
});
export const begin = listen;

// on listens for as long as a page is shown; leaving ends it.
export function on(page, type, fn) {
	const wrapped = (e) => fn(e.detail);
	live.addEventListener(type, wrapped);
	page.leave.push(() => live.removeEventListener(type, wrapped));
}

// every calls fn now and then while a page is shown and seen.
export function every(page, seconds, fn) {
	const t = setInterval(() => { if (!document.hidden) fn(); }, seconds * 1000);
	page.leave.push(() => clearInterval(t));
}

// library loads one of the libraries; without it the page says so, once.
export async function library(name, at) {
	try {
		return await import(`/vendor/${name}.js`);
	} catch {
		if (at.querySelector(".missing")) return null;
		at.append(el("p", { class: "faint missing" }, `This robot was built without the library for this part (${name}): cross/web.sh fetches it.`));
		return null;
	}
}

export const number = (v, digits = 1) => (v == null ? "–" : Number(v).toFixed(digits).replace(/^-(0(\.0*)?)$/, "$1")); // no −0
export const clock = (t) => new Date(t).toLocaleTimeString();
