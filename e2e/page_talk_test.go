package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
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

// Who holds the page's button is heard by the robot's own recogniser, which moves the head and answers; and again right after, by keyboard.
func TestPageIsTalkedTo(t *testing.T) {
	needsPictures(t)
	r := sensing(t)
	file := filepath.Join(t.TempDir(), "microphone.wav")
	if out, err := exec.Command("sox", speech(t, "en-us", "look left"), "-r", "48000", "-b", "16", file, "pad", "1", "2").CombinedOutput(); err != nil {
		t.Fatalf("sox: %v %s: make setup-test installs it", err, out)
	}
	b := newBrowser(t, r.api(""), chromedp.Flag("use-fake-device-for-media-stream", true), chromedp.Flag("use-fake-ui-for-media-stream", true),
		chromedp.Flag("use-file-for-fake-audio-capture", file), chromedp.Flag("autoplay-policy", "no-user-gesture-required"))
	b.open("talk")
	b.do(chromedp.SendKeys("#sentence", "nod\n"))
	b.until(`[...document.querySelectorAll(".said .assistant")].some(p => p.textContent === "I nodded.")`)
	on := func(yes string) {
		b.until(`document.getElementById("mic").getAttribute("aria-pressed") === "` + yes + `"`)
	}
	heard := func(times string) {
		b.until(`[...document.querySelectorAll(".said .user")].filter(p => /look left/i.test(p.textContent)).length >= ` + times)
	}
	b.do(chromedp.Evaluate(`window.spoken = 0; document.addEventListener("spoken", () => window.spoken++)`, nil))
	b.do(chromedp.ScrollIntoView("#mic"))
	var at []float64
	b.do(chromedp.Evaluate(`(() => { const r = document.getElementById("mic").getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`, &at))
	b.do(chromedp.MouseEvent(input.MousePressed, at[0], at[1], chromedp.ButtonLeft))
	on("true")
	heard("1")
	b.do(chromedp.MouseEvent(input.MouseReleased, at[0], at[1], chromedp.ButtonLeft))
	on("false")
	b.do(chromedp.Focus("#mic"), chromedp.KeyEvent("\r"))
	on("true")
	heard("2")
	b.do(chromedp.KeyEvent("\r"))
	on("false")
	b.until(`[...document.querySelectorAll(".said .assistant")].some(p => /I looked .*left/.test(p.textContent))`)
	b.until(`window.spoken > 0`) // the answer is heard
	if yaw := r.truth().Head.Yaw; yaw < 0.3 {
		t.Errorf("the head is at %.2f rad, want it to look left", yaw)
	}
	if len(b.problems) > 0 {
		t.Errorf("the browser complains:\n%s", strings.Join(b.problems, "\n"))
	}
}

// The page says why a robot without senses does not listen, and its button is let go.
func TestPageSaysThatNobodyListens(t *testing.T) {
	r := newRobot(t)
	r.start()
	b := newBrowser(t, r.api(""), chromedp.Flag("use-fake-device-for-media-stream", true), chromedp.Flag("use-fake-ui-for-media-stream", true))
	b.open("talk")
	b.do(chromedp.Focus("#mic"), chromedp.KeyEvent("\r"))
	b.until(`/hears nothing/.test(document.getElementById("notice").textContent)`)
	b.until(`document.getElementById("mic").getAttribute("aria-pressed") === "false"`)
	if len(b.problems) > 0 {
		t.Errorf("the browser complains:\n%s", strings.Join(b.problems, "\n"))
	}
}
