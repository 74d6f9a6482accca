package candidates

import (
	"regexp"
	"strings"

	"github.com/reachyd/reachyd/agents/llm"
)

// Usual is how many replies are asked for at most. Two that agree are enough.
const Usual = 5

// What is asked for beside the task.
const (
	rulesFirst = "\n\nFirst write every rule of the task as one short line, with one example of an input and its exact result. Then write the code block."
	itFails    = "It is wrong: "
	correct    = "\nWrite the whole corrected code."
)

// Ask is the conversation that asks for candidate n, from 1 on, and how freely the model may choose its words. What is wrong with the best
// one so far is told; without it the model begins anew, in other words, so that it is not the same again.
func Ask(task string, n int, last, wrong string) ([]llm.Message, *float64) {
	warmth := [...]float64{0, 0.7, 0.3, 0.9, 0.6}[min(n, Usual-1)] // the first was without any
	first := llm.Message{Who: llm.User, Text: task}
	if wrong != "" {
		return []llm.Message{
			first, {Who: llm.Assistant, Text: "```python\n" + last + "```"}, {Who: llm.User, Text: itFails + wrong + correct},
		}, &warmth
	}
	if n%2 == 0 {
		first.Text += rulesFirst
	}
	return []llm.Message{first}, &warmth
}

var fenced = regexp.MustCompile("(?s)```[ \\t]*(?:python|py|Python|python3)?[ \\t]*\\r?\\n(.*?)(?:```|$)")

// Code is the program in a reply: the longest block that defines something, else all of it.
func Code(reply string) string {
	best := ""
	for _, m := range fenced.FindAllStringSubmatch(reply, -1) {
		if strings.Contains(m[1], "def ") && len(m[1]) > len(best) {
			best = m[1]
		}
	}
	if best == "" && !strings.Contains(reply, "```") {
		return reply
	}
	return best
}
