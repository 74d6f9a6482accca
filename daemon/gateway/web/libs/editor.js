import { EditorState } from "@codemirror/state";
import { EditorView, keymap, lineNumbers, drawSelection } from "@codemirror/view";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { HighlightStyle, bracketMatching, defaultHighlightStyle, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { python } from "@codemirror/lang-python";

// legible are the usual colours, but for one that is too faint on white.
const legible = HighlightStyle.define(defaultHighlightStyle.specs.map((s) => (s.color === "#e40" ? { ...s, color: "#b03000" } : s)));

// editor shows source in a shadow root, where styles need no exception of the page's policy.
export function editor(parent, text, readOnly) {
	const root = parent.shadowRoot || parent.attachShadow({ mode: "open" });
	root.replaceChildren();
	const view = new EditorView({
		root,
		parent: root,
		state: EditorState.create({
			doc: text,
			extensions: [
				lineNumbers(), history(), drawSelection(), bracketMatching(), syntaxHighlighting(legible), python(),
				indentUnit.of("    "), keymap.of([...defaultKeymap, ...historyKeymap]), EditorState.readOnly.of(readOnly),
				EditorView.contentAttributes.of({ "aria-label": "source" }), EditorView.lineWrapping,
			],
		}),
	});
	return { text: () => view.state.doc.toString() };
}
