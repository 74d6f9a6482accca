package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// A turn shows its trace as a tree with times, and takes what a person thinks of it.
func TestPageTalks(t *testing.T) {
	r := newRobot(t)
	r.start()
	b := newBrowser(t, r.api(""))
	b.open("talk")
	b.do(chromedp.SendKeys("#sentence", "nod, then look right\n"))
	const how = `[...document.querySelectorAll(".said .step button")].find(b => b.textContent === "How it came to that")`
	b.until("!!" + how)
	b.do(chromedp.Evaluate(how+".click()", nil))
	b.until(`/\+\d+ ms tool: gesture \([\d.]+ ms\)/.test(document.querySelector("ul.tree")?.innerText || "")`)
	b.until(`/ms tool: move_head \([\d.]+ ms\)/.test(document.querySelector("ul.tree").innerText)`)
	b.picture("talk-tree")
	b.do(chromedp.Evaluate(`document.querySelector('[aria-label="That was good"]').click()`, nil))
	b.until(`document.getElementById("notice").textContent === "Thank you."`)
	if len(b.problems) > 0 {
		t.Errorf("the browser complains:\n%s", strings.Join(b.problems, "\n"))
	}
}
