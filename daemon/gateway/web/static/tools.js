import { ask, el, get, library, notice, number, on, post, section, stream } from "/page/core.js";

// fields makes a form of a JSON schema and returns how it is read.
function fields(schema, at) {
	const readers = Object.entries(schema.properties || {}).map(([name, p]) => {
		const id = "arg-" + name, needed = (schema.required || []).includes(name);
		let input;
		if (p.enum) input = el("select", { id }, needed ? null : el("option", { value: "" }, "–"), ...p.enum.map((v) => el("option", {}, v)));
		else if (p.type === "boolean") input = el("input", { id, type: "checkbox" });
		else if (p.type === "number" || p.type === "integer") input = el("input", { id, type: "number", step: p.type === "integer" ? 1 : "any", min: p.minimum, max: p.maximum, required: needed });
		else if (p.type === "string") input = el("input", { id, maxlength: p.maxLength, required: needed });
		else input = el("input", { id, placeholder: "JSON", required: needed });
		if (p.default != null && input.type !== "checkbox") input.value = typeof p.default === "object" ? JSON.stringify(p.default) : p.default;
		if (p.default === true) input.checked = true;
		at.append(el("label", { for: id }, `${name}${needed ? "" : " (may be left out)"} `, el("span", { class: "faint" }, [p.description, p["x-unit"]].filter(Boolean).join(", "))), el("div", { class: "row" }, input));
		return [name, p, input, needed];
	});
	return () => Object.fromEntries(readers.flatMap(([name, p, input, needed]) => {
		if (p.type === "boolean") return [[name, input.checked]];
		if (input.value === "" && !needed) return [];
		if (p.type === "number" || p.type === "integer") return [[name, Number(input.value)]];
		return [[name, p.type === "string" ? input.value : JSON.parse(input.value)]];
	}));
}

// outcome is what came of a call, for a person.
function outcome(r) {
	const value = r.result == null ? "" : typeof r.result === "string" ? r.result : JSON.stringify(r.result, null, 2);
	return [r.status === "success" ? "" : r.status + ":", r.message, value].filter(Boolean).join("\n") + `\n(${number(r.execution_time * 1000, 0)} ms)`;
}

// tests shows a report: each test, whether it passed, and why not.
function tests(report) {
	if (!report?.cases?.length) return el("p", { class: "faint" }, "never tested");
	return el("div", { class: "scroll", tabindex: "0" }, el("p", {}, `${report.passed} of ${report.total} passed`), el("ul", {}, ...report.cases.map((c) =>
		el("li", { class: c.passed ? "good" : "bad" }, `${c.name}: ${c.passed ? "passed" : c.message}`))));
}

export default async function show(page) {
	const search = el("input", { type: "search", placeholder: "search", "aria-label": "Search tools" }), list = el("ul", { class: "tools" }), detail = el("div", { class: "detail" });
	const waiting = el("div", {});
	let tools = [];

	const drawList = () => list.replaceChildren(...tools.filter((t) => (t.name + " " + t.description).toLowerCase().includes(search.value.toLowerCase()))
		.map((t) => el("li", {}, el("button", { type: "button", onclick: () => open(t).catch((e) => notice(e.message)) }, el("b", {}, t.name), " ", el("span", { class: "faint" }, t.source === "generated" ? "self-made" : "", t.unavailable ? " not available" : "")))));
	search.addEventListener("input", drawList);
	const load = async () => { tools = (await get("/tools")).tools; drawList(); await review(); };

	async function source(at, text, readOnly) {
		const e = await library("editor", at), box = el("div", { class: "editor" });
		at.append(box);
		if (e) return e.editor(box, text, readOnly);
		const area = el("textarea", { "aria-label": "source", readonly: readOnly });
		area.value = text;
		box.replaceWith(area);
		return { text: () => area.value };
	}

	async function open(t) {
		const tryIt = el("form", {}), result = el("pre", { role: "status" }), more = el("div", {});
		const read = fields(t.parameters, tryIt);
		tryIt.append(el("button", { class: "main" }, "Try it"));
		tryIt.addEventListener("submit", async (e) => {
			e.preventDefault();
			result.textContent = "…";
			try { result.textContent = outcome(await post("/tools/execute", { tool_name: t.name, parameters: read() })); } catch (err) { result.textContent = err.message; }
		});
		detail.replaceChildren(section(t.name, el("p", {}, t.description), t.unavailable ? el("p", { class: "bad" }, t.unavailable) : null, tryIt, result, more));
		seen();
		if (t.source !== "generated") return;
		const v = await get("/tools/" + t.name);
		more.append(el("h3", {}, "Source"), el("p", { class: "faint" }, `version ${v.number} of ${v.latest}, quality ${number(v.score?.total, 2)}, by ${v.provenance?.author || "?"}, called ${v.usage?.calls || 0} times`));
		await source(more, v.source, true);
		const versions = el("div", { class: "row" }), diff = el("pre", {});
		for (let n = 1; n <= v.latest; n++) {
			versions.append(el("button", { type: "button", onclick: () => post(`/tools/${t.name}/activate`, { version: n }).then(load, () => {}) }, `Use version ${n}`));
			if (n > 1) versions.append(el("button", { type: "button", onclick: async () => { const d = await get(`/tools/${t.name}/diff?from=${n - 1}&to=${n}`); diff.textContent = d.unified || d.diff || d.text || JSON.stringify(d, null, 1); } }, `What changed in ${n}`));
		}
		versions.append(el("button", { type: "button", onclick: () => post(`/tools/${t.name}/rollback`, {}).then(load, () => {}) }, "Go back one version"),
			el("button", { type: "button", onclick: () => post(`/tools/${t.name}/deactivate`, {}).then(load, () => {}) }, "Switch off"),
			el("button", { type: "button", onclick: () => write(v.source, t.name) }, "Change it"));
		more.append(versions, diff, el("h3", {}, "Tests"), tests(v.report));
	}

	// seen brings what was asked for into view: on a phone it is below the library.
	const seen = () => { if (detail.getBoundingClientRect().top > innerHeight * 0.7) detail.scrollIntoView({ block: "start" }); };

	async function write(text, name) {
		const at = el("div", {}), result = el("pre", { role: "status", id: "written" });
		const editor = await source(at, text, false); // first: the buttons send what is in it
		detail.replaceChildren(section(name ? "Change " + name : "A tool of yours", at,
			el("div", { class: "row" }, el("button", { type: "button", onclick: () => check("/tools/check", { mode: "strict" }) }, "Check"), el("button", { type: "button", onclick: () => check("/tools/test") }, "Test"),
				el("button", { type: "button", class: "main", id: "register", onclick: () => check("/tools/add", { author: "page" }).then(load) }, "Register")), result));
		seen();
		async function check(path, more = {}) {
			result.textContent = "…";
			try { result.textContent = JSON.stringify(await post(path, { source: editor.text(), ...more }), null, 1); } catch (e) { result.textContent = e.message + "\n" + JSON.stringify(e.problem?.result || "", null, 1); }
		}
	}

	async function review() {
		let due;
		try { due = await ask("POST", "/tools/review", { action: "list" }, true); } catch { waiting.replaceChildren(); return; }
		waiting.replaceChildren(...[["Waiting for review", due.pending], ["Rejected", due.rejected]].flatMap(([title, all]) => all?.length ? [el("h3", {}, title), ...all.map(verdict)] : []));
	}

	// verdict shows a version with what its reviewer must see, and takes what the reviewer says.
	function verdict(v) {
		const reason = el("input", { class: "grow", "aria-label": `Why ${v.name} is rejected`, placeholder: "why it is rejected", maxlength: 2000 });
		const say = (action) => {
			if (action === "reject" && !reason.value.trim()) { notice("Say why: its author reads it."); reason.focus(); return; }
			post("/tools/review", { action, name: v.name, version: v.version, reason: reason.value.trim(), author: "page" }).then(load, () => {});
		};
		const button = (title, action, kind) => el("button", { type: "button", class: kind, "aria-label": `${title} ${v.name}`, onclick: () => say(action) }, title);
		const facts = [v.author && `by ${v.author}`, v.model, v.grants.length ? `may call ${v.grants.join(", ")}` : "may call nothing", v.untested ? "never run" : `quality ${number(v.score, 2)}`].filter(Boolean).join("; ");
		return el("div", { class: "review", "data-tool": v.name }, el("b", {}, `${v.name}, version ${v.version}`), el("p", {}, v.description), el("p", { class: "faint" }, facts),
			v.reason ? el("p", { class: "bad" }, `rejected: ${v.reason}`) : null, ...(v.findings || []).map((f) => el("p", { class: "faint" }, f.message)),
			el("details", {}, el("summary", {}, "Source"), el("pre", { class: "scroll", tabindex: "0" }, v.source)),
			el("div", { class: "row" }, button("Approve", "approve", "main"), ...(v.reason ? [] : [reason, button("Reject", "reject")])));
	}

	// steps are those of the work on a tool, as they are told while it goes on.
	const steps = { specification: "says what it must be", tests: "writes tests", code: "writes the code", check: "checks and runs it in the sandbox", register: "registers it" };
	async function generate(description) {
		let made;
		await stream("/tools/generate", { description, author: "page" }, (type, data) => {
			if (type === "tool_progress") progress.append(el("li", {}, [data.name, (steps[data.step] || data.step) + (data.attempt > 1 ? `, attempt ${data.attempt}` : ""), data.detail].filter(Boolean).join(": ")));
			if (type === "tool_refused") progress.append(el("li", { class: "bad" }, `refused: ${data.reason}`));
			if (type === "error") throw new Error(data.detail);
			if (type === "done") made = data;
		});
		return made;
	}

	const wish = el("input", { "aria-label": "What the new tool is to do", placeholder: "a tool that counts the vowels in a text" }), progress = el("ol", { class: "faint", id: "progress", "aria-live": "polite" });
	const ordered = el("form", { class: "line", id: "generate", onsubmit: async (e) => {
		e.preventDefault();
		progress.replaceChildren();
		try {
			const made = await generate(wish.value);
			progress.append(el("li", { class: "good" }, `${made.tool_name} is there${made.reused ? " already" : ""}`));
			await load();
			await open(tools.find((t) => t.name === made.tool_name));
		} catch (err) { progress.append(el("li", { class: "bad" }, err.message)); }
	} }, wish, el("button", { class: "main" }, "Write it"));
	on(page, "event", (e) => { if (e.type === "tool_registered" || e.type === "tool_reviewed") load().catch(() => {}); });
	const upload = el("input", { type: "file", accept: ".py,.js,.json,.txt", "aria-label": "Upload a tool or a file of tools" });
	upload.addEventListener("change", async () => { const text = await upload.files[0].text(); if (upload.files[0].name.match(/\.(py|js)$/)) write(text); else post("/tools/import", { file: text, author: "page" }).then(load, () => {}); });
	const fresh = async () => write((await post("/tools/new", { name: "my_tool" })).source);
	const save = async () => { const out = await post("/tools/export", { large: true }); const a = el("a", { download: "tools.txt", href: URL.createObjectURL(new Blob([out.file || JSON.stringify(out)])) }); a.click(); };
	page.main.replaceChildren(el("div", { class: "cards" }, section("Library", waiting, search, list), el("div", {}, detail, section("A new tool", el("p", { class: "faint" }, "Say what it is to do; with a language model it is written here, simple ones also without."), ordered, progress,
		el("div", { class: "row" }, el("button", { type: "button", id: "fresh", onclick: () => fresh().catch(() => {}) }, "Write one yourself"), el("button", { type: "button", onclick: () => save().catch(() => {}) }, "Export all"), el("label", { class: "upload" }, "Upload ", upload))))));
	await load();
}
