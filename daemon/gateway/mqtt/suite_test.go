//go:build mqttsuite

package mqtt

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// TestInteroperability runs Eclipse Paho's suite, of which PAHO_SUITE names the folder, against our broker and mosquitto; see
// cross/mqtt-suite.sh. It prints what passed, and fails if ours passes fewer than mosquitto.
func TestInteroperability(t *testing.T) {
	brokers := map[string]string{"embedded": openBroker(t, &Broker{}).URL(), "mosquitto": newMosquitto(t).url()}
	for _, suite := range []string{"client_test.py", "client_test5.py"} {
		t.Run(suite, func(t *testing.T) {
			passed := map[string]int{}
			result := make(chan func())
			for name, address := range brokers {
				go func() {
					n, of, out := runSuite(t, suite, address)
					result <- func() {
						passed[name] = n
						t.Logf("%s, %s: %d of %d\n%s", suite, name, n, of, out)
					}
				}()
			}
			for range brokers {
				(<-result)()
			}
			if passed["embedded"] < passed["mosquitto"] {
				t.Errorf("%s: ours passes %d, mosquitto %d", suite, passed["embedded"], passed["mosquitto"])
			}
		})
	}
}

var (
	suiteRan  = regexp.MustCompile(`(?m)^Ran (\d+) tests? in`)
	suiteLost = regexp.MustCompile(`(?m)^(?:FAIL|ERROR): (test\w*)`)
)

// suiteStart runs a file of the suite, whose options unittest does not know.
const suiteStart = `import sys, runpy, unittest
main = unittest.main
unittest.main = lambda: main(argv=["suite"])
del sys.argv[0]
sys.path.insert(0, ".")
runpy.run_path(sys.argv[0], run_name="__main__")`

// runSuite returns how many tests passed, how many there are, and which did not.
func runSuite(t *testing.T, suite, address string) (passed, of int, failed []string) {
	u, err := url.Parse(address)
	if err != nil {
		t.Error(err)
		return 0, 0, nil
	}
	cmd := exec.CommandContext(t.Context(), "python3", "-c", suiteStart, suite, "-p", u.Port())
	cmd.Dir = os.Getenv("PAHO_SUITE")
	out, _ := cmd.CombinedOutput() // it exits with 1 when a test fails
	if dir := os.Getenv("PAHO_LOGS"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, suite+"-"+u.Port()+".log"), out, 0o600); err != nil {
			t.Error(err)
		}
	}
	lost := map[string]bool{}
	for _, m := range suiteLost.FindAllStringSubmatch(string(out), -1) {
		if !lost[m[1]] {
			failed = append(failed, m[1])
		}
		lost[m[1]] = true
	}
	ran := suiteRan.FindSubmatch(out)
	if ran == nil {
		t.Errorf("no test ran: %s", out)
		return 0, 0, nil
	}
	if of, err = strconv.Atoi(string(ran[1])); err != nil {
		t.Error(err)
	}
	return of - len(lost), of, failed
}
