// Package chromium is a real browser without a window, for tests.
package chromium

import (
	"context"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// limit is how long a test with a browser may take.
const limit = 20 * time.Minute

// Start starts Chromium, which ends with the test; where there is none the test says so and is not run.
func Start(t testing.TB, more ...chromedp.ExecAllocatorOption) context.Context {
	t.Helper()
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			program = p
			break
		}
	}
	if program == "" {
		t.Skip("NOT TESTED: there is no Chromium (apt install chromium)")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox,
		chromedp.Flag("use-angle", "swiftshader"), chromedp.Flag("enable-unsafe-swiftshader", true), chromedp.Flag("ignore-gpu-blocklist", true))
	alloc, endAlloc := chromedp.NewExecAllocator(context.Background(), append(options, more...)...)
	t.Cleanup(endAlloc)
	ctx, end := chromedp.NewContext(alloc)
	t.Cleanup(end)
	limited, endLimit := context.WithTimeout(ctx, limit)
	t.Cleanup(endLimit)
	return limited
}
