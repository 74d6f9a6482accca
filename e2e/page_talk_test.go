package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// A turn shows its trace as a tree with times, takes what a person thinks of it, and the microphone is on while its button is held.
func TestPageTalks(t *testing.T) {
	r := newRobot(t)
	r.start()
	b := newBrowser(t, r.api(""), chromedp.Flag("use-fake-device-for-media-stream", true), chromedp.Flag("use-fake-ui-for-media-stream", true))
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

	b.do(chromedp.ScrollIntoView("#mic"))
	var at []float64
	b.do(chromedp.Evaluate(`(() => { const r = document.getElementById("mic").getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`, &at))
	b.do(chromedp.MouseEvent(input.MousePressed, at[0], at[1], chromedp.ButtonLeft))
	b.until(`document.getElementById("mic").getAttribute("aria-pressed") === "true"`)
	b.do(chromedp.Evaluate(`window.pressed = performance.now()`, nil))
	b.until(`performance.now() - window.pressed > 500`) // a shorter press leaves it on
	b.do(chromedp.MouseEvent(input.MouseReleased, at[0], at[1], chromedp.ButtonLeft))
	b.until(`document.getElementById("mic").getAttribute("aria-pressed") === "false"`)
	b.until(`performance.now() - window.pressed > 4000`) // the robot refuses a second microphone until it has let the first one go
	b.do(chromedp.Focus("#mic"), chromedp.KeyEvent("\r"))
	b.until(`document.getElementById("mic").getAttribute("aria-pressed") === "true"`)
	b.do(chromedp.KeyEvent("\r"))
	b.until(`document.getElementById("mic").getAttribute("aria-pressed") === "false"`)
	if len(b.problems) > 0 {
		t.Errorf("the browser complains:\n%s", strings.Join(b.problems, "\n"))
	}
}
