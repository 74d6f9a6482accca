//go:build mqttsuite

package mqtt

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	suiteTimeout  = 100 * time.Second // of one test; the longest takes half of it
	suiteParallel = 4                 // tests at a time: they mostly wait
	suiteTries    = 3                 // the suite gives a broker half a second for an answer, which is not always there
)

// notRequired tells of the suite's tests that a broker may fail, and why.
var notRequired = map[string]string{
	"test_subscribe_failure":  "wants a broker with a rule against test/nosubscribe",
	"test_server_topic_alias": "wants topic aliases from the broker, which may do without (3.3.2.3.4); they do not survive a connection",
	"test_subscribe_options":  "publishes before the second client's subscription is acknowledged (it waits for the first one's); waiting, it passes",
	"test_server_keep_alive":  "wants a broker whose longest keep-alive is 60 s; without a limit none is told (3.2.2.3.14)",
}

// TestInteroperability runs Eclipse Paho's suite, of which PAHO_SUITE names the folder, against our broker and mosquitto; see
// cross/mqtt-suite.sh. Every test gets a broker and a time limit of its own, and up to suiteTries tries. It prints one table, and
// fails for what ours does not pass unless the specification does not ask for it.
func TestInteroperability(t *testing.T) {
	var table []*suiteRow
	for _, file := range []string{"client_test.py", "client_test5.py"} {
		text, err := os.ReadFile(filepath.Join(os.Getenv("PAHO_SUITE"), file))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range suiteTests.FindAllSubmatch(text, -1) {
			table = append(table, &suiteRow{file: file, test: string(m[1])})
		}
	}
	if len(table) == 0 {
		t.Fatal("the suite has no tests")
	}
	var wg sync.WaitGroup
	slots := make(chan struct{}, suiteParallel)
	run := func(into *string, row *suiteRow, open func() (address string, end func())) {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			for try := 1; try <= suiteTries && *into != suitePassed; try++ {
				address, end := open()
				*into = runSuite(t, row, address)
				end()
			}
		})
	}
	for _, row := range table {
		run(&row.ours, row, func() (string, func()) {
			b := openBroker(t, &Broker{})
			return b.URL(), func() { _ = b.Close() }
		})
		run(&row.mosquittos, row, func() (string, func()) {
			m := newMosquitto(t)
			return m.url(), m.kill
		})
	}
	wg.Wait()
	var out strings.Builder
	ours, mosquittos := 0, 0
	for _, row := range table {
		why := ""
		if row.ours != suitePassed {
			var excused bool
			if why, excused = notRequired[row.test]; !excused {
				t.Errorf("%s %s: %s", row.file, row.test, row.ours)
			}
		} else {
			ours++
		}
		if row.mosquittos == suitePassed {
			mosquittos++
		}
		fmt.Fprintf(&out, "%-16s %-30s %-10s %-10s %s\n", row.file, row.test, row.ours, row.mosquittos, why)
	}
	t.Logf("%-16s %-30s %-10s %-10s\n%s%-47s %d of %d   %d of %d", "file", "test", "embedded", "mosquitto", out.String(), "passed",
		ours, len(table), mosquittos, len(table))
}

type suiteRow struct{ file, test, ours, mosquittos string }

const suitePassed = "passed"

var suiteTests = regexp.MustCompile(`(?m)^ {4}def (test\w*)\(`)

// suiteStart runs one test of a file of the suite, whose options unittest does not know.
const suiteStart = `import sys, runpy, unittest
main, test = unittest.main, sys.argv.pop(1)
unittest.main = lambda: main(argv=["suite", "Test." + test])
del sys.argv[0]
sys.path.insert(0, ".")
runpy.run_path(sys.argv[0], run_name="__main__")`

// runSuite returns how a test ended.
func runSuite(t *testing.T, row *suiteRow, address string) string {
	u, err := url.Parse(address)
	if err != nil {
		t.Error(err)
		return err.Error()
	}
	ctx, cancel := context.WithTimeout(t.Context(), suiteTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "python3", "-c", suiteStart, row.test, row.file, "-p", u.Port())
	cmd.Dir = os.Getenv("PAHO_SUITE")
	out, err := cmd.CombinedOutput()
	if dir := os.Getenv("PAHO_LOGS"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, row.file+"-"+row.test+"-"+u.Port()+".log"), out, 0o600); err != nil {
			t.Error(err)
		}
	}
	switch {
	case ctx.Err() != nil:
		return "no end"
	case errors.As(err, new(*exec.ExitError)):
		return "failed"
	case err != nil:
		t.Error(err)
		return err.Error()
	}
	return suitePassed
}
