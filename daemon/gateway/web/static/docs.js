import { el } from "/page/core.js";

const doc = await (await fetch("/openapi.json")).json(), main = document.getElementById("page");
document.getElementById("about").textContent = `${doc.info.description} OpenAPI ${doc.openapi}, version ${doc.info.version}.`;
const tags = new Map();
for (const [path, methods] of Object.entries(doc.paths)) {
	for (const [method, op] of Object.entries(methods)) {
		if (!tags.has(op.tags[0])) tags.set(op.tags[0], []);
		tags.get(op.tags[0]).push([method, path, op]);
	}
}
const text = (s) => JSON.stringify(s, null, 1);
function curl(method, path, op) {
	const body = op.requestBody?.content?.["application/json"]?.schema;
	const example = body && Object.fromEntries((body.required || []).map((k) => [k, body.properties[k].enum?.[0] ?? { string: "…", number: 0, integer: 0, boolean: true, array: [], object: {} }[body.properties[k].type]]));
	return `curl ${method === "get" ? "" : "-X " + method.toUpperCase() + " "}${location.origin}${path}` + (example ? ` -H 'Content-Type: application/json' -d '${JSON.stringify(example)}'` : "");
}
for (const [tag, all] of tags) {
	main.append(el("h2", {}, tag), ...all.map(([method, path, op]) => el("details", {}, el("summary", {}, el("b", {}, `${method.toUpperCase()} ${path}`), " ", op.summary),
		el("p", { class: "faint" }, op.description), el("pre", {}, curl(method, path, op)),
		op.parameters ? el("pre", {}, text(op.parameters)) : null,
		op.requestBody ? el("pre", {}, "body: " + text(op.requestBody.content)) : null,
		el("pre", {}, "answer: " + text(op.responses[200] || op.responses[101])))));
}
main.append(el("h2", {}, "Types"), ...Object.entries(doc.components.schemas).map(([name, s]) => el("details", {}, el("summary", {}, name), el("pre", {}, text(s)))));
