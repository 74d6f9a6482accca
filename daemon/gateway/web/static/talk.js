import { clock, el, get, notice, on, post, section, stream } from "/page/core.js";

const session = () => sessionStorage.reachy || (sessionStorage.reachy = "page-" + crypto.getRandomValues(new Uint32Array(2)).join("-"));

// tree shows the spans of a turn, each under its parent, with when it began after the turn did and how long it took.
function tree(spans, began, parent = -1) {
	const list = el("ul", { class: "tree" });
	spans.forEach((s, i) => {
		if (s.parent !== parent) return;
		list.append(el("li", { class: s.error ? "bad" : "" }, el("span", { class: "faint" }, `+${Math.max(0, Date.parse(s.ts) - began)} ms `),
			[`${s.kind}: ${s.name}`, s.duration_ms >= 0.05 ? `(${s.duration_ms.toFixed(1)} ms)` : "", s.detail, s.error].filter(Boolean).join(" "), tree(spans, began, i)));
	});
	return list.children.length ? list : "";
}

function thumbs(trace) {
	const give = (said) => post("/feedback", { episode_id: trace, ...said }).then(() => notice("Thank you."), () => {});
	const words = el("input", { "aria-label": "What was good or bad about it", placeholder: "in words: good, but a bit slow", maxlength: "500" });
	return el("div", { class: "row step" },
		el("button", { type: "button", "aria-label": "That was good", onclick: () => give({ verdict: "good" }) }, "👍"),
		el("button", { type: "button", "aria-label": "That was bad", onclick: () => give({ verdict: "bad" }) }, "👎"),
		el("form", { class: "line words", onsubmit: (e) => { e.preventDefault(); if (words.value.trim()) give({ feedback_text: words.value.trim() }).then(() => { words.value = ""; }); } }, words),
		el("button", { type: "button", onclick: async (e) => { const t = await get("/traces/" + trace); e.target.replaceWith(el("div", {}, el("p", { class: "faint" }, `${t.outcome}, ${t.duration_ms.toFixed(1)} ms in all`), tree(t.spans || [], Date.parse(t.ts)) || "nothing was noted")); } }, "How it came to that"));
}

// line is a conversation by voice, 16 kHz, 16 bits. It outlives a press of the button, for what is still to be answered and for the next press.
function line(told, ended) {
	const socket = new WebSocket(location.origin.replace(/^http/, "ws") + "/api/v1/ws/voice?session=" + session());
	let sound, idle;
	socket.onmessage = (m) => {
		const { type, data } = JSON.parse(m.data);
		if (type === "audio" && data.audio) {
			const url = URL.createObjectURL(new Blob([Uint8Array.from(atob(data.audio), (c) => c.charCodeAt(0))], { type: "audio/wav" }));
			sound = new Audio(url); // a blob, which the page's policy allows
			sound.onended = sound.onpause = () => URL.revokeObjectURL(url);
			sound.onplaying = () => document.dispatchEvent(new Event("spoken"));
			sound.play().catch((e) => notice("The robot's voice cannot be played: " + e.message));
		}
		if (type === "interrupted") sound?.pause();
		told(type, data);
	};
	let open = false;
	const opened = new Promise((done) => { socket.onopen = () => { open = true; done(); }; });
	socket.onclose = () => { clearTimeout(idle); ended(open); };
	return {
		usable: () => socket.readyState < 2,
		send: (piece) => opened.then(() => { if (socket.readyState === 1) socket.send(piece); }),
		busy: () => clearTimeout(idle),
		rest: () => { idle = setTimeout(() => socket.close(), 20000); },
	};
}

// microphone hands over what is said until it is ended.
async function microphone(piece) {
	const media = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1, echoCancellation: true } });
	const context = new AudioContext({ sampleRate: 16000 });
	await context.audioWorklet.addModule("/page/worklet.js");
	const node = new AudioWorkletNode(context, "pcm");
	node.port.onmessage = (m) => piece(m.data);
	context.createMediaStreamSource(media).connect(node);
	return () => { media.getTracks().forEach((t) => t.stop()); context.close(); };
}

export default async function show(page) {
	const said = el("div", { class: "said", role: "log", "aria-live": "polite", tabindex: "0", "aria-label": "Conversation" });
	const input = el("input", { id: "sentence", autocomplete: "off", maxlength: "2000", placeholder: "look left, then nod", "aria-label": "What you say to the robot" });
	const add = (kind, text) => { const p = el("p", { class: kind }, text); said.append(p); said.scrollTop = said.scrollHeight; return p; };
	async function talk(text) {
		add("user", text);
		let reply;
		try {
			await stream("/chat", { message: text, session_id: session(), stream: true }, (type, data) => {
				if (type === "token") (reply ||= add("assistant", "")).textContent += data.text;
				if (type === "tool_call") add("step", `calls ${data.tool} ${JSON.stringify(data.args)}`);
				if (type === "tool_result" && data.status !== "success") add("step", `${data.tool}: ${data.message}`);
				if (type === "handoff") add("step", `${data.from} → ${data.to}: ${data.reason}`);
				if (type === "error") add("assistant", data.detail);
				if (type === "done") { reply ||= add("assistant", data.response); reply.textContent = data.response; said.append(thumbs(data.trace_id)); }
				said.scrollTop = said.scrollHeight;
			});
		} catch (e) { notice(e.message); }
	}
	const form = el("form", { class: "line", onsubmit: (e) => { e.preventDefault(); const t = input.value.trim(); if (t) { input.value = ""; talk(t); } } },
		input, el("button", { class: "main" }, "Say"));
	// The microphone is on while its button is held; a short press, or the keyboard, switches it on and off.
	const held = 400;
	let end, voice, wanted = false, pressed = 0, times = 0;
	const mic = el("button", { type: "button", id: "mic", "aria-pressed": "false" });
	const shown = () => { mic.setAttribute("aria-pressed", wanted); mic.textContent = wanted ? "Stop listening" : "Hold to talk"; };
	const told = (type, data) => {
		if (type === "transcription") add("user", data.transcription);
		if (type === "response") { add("assistant", data.response); said.append(thumbs(data.trace_id)); said.scrollTop = said.scrollHeight; }
		if (type === "error") notice(data.message);
	};
	const hear = async () => {
		wanted = true;
		shown();
		const time = ++times;
		try {
			if (!voice?.usable()) {
				const own = voice = line(told, (opened) => {
					if (!opened) notice("The robot does not take part in a conversation now.");
					if (voice === own && wanted) hush(); // else the robot has said why it does not listen
				});
			}
			voice.busy();
			const stop = await microphone(voice.send);
			if (wanted && time === times) end = stop;
			else stop();
		} catch (e) {
			hush();
			notice("The microphone cannot be used: " + e.message);
		}
	};
	const hush = () => {
		wanted = false;
		end?.();
		end = null;
		if (voice?.usable()) { voice.send(new Int16Array(24000).buffer); voice.rest(); } // the sentence is over
		shown();
	};
	mic.addEventListener("pointerdown", () => { if (wanted) { pressed = 0; hush(); } else { pressed = performance.now(); hear(); } });
	for (const over of ["pointerup", "pointerleave", "pointercancel"]) mic.addEventListener(over, () => { if (wanted && pressed && performance.now() - pressed > held) hush(); pressed = 0; });
	mic.addEventListener("click", (e) => { if (e.detail === 0) (wanted ? hush : hear)(); });
	shown();
	page.leave.push(hush);
	page.main.replaceChildren(section("Talk", said, form, el("div", { class: "row" }, mic)));
	on(page, "event", (e) => { if (e.type === "notification") add("assistant", e.text); });
	try {
		const { messages } = await (await fetch("/api/v1/session/" + session() + "/history")).json();
		for (const m of messages || []) add(m.role, m.content);
	} catch { /* a new conversation */ }
	input.focus();
}
