package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Registrations that must be acknowledged, over so many kills. The whole trial is 1 000:
//
//	REACHYD_KILL_REGISTRATIONS=1000 go test ./e2e -run KillNine -v -timeout 1h
const (
	usualRegistrations = 24
	killsOfTrial       = 12
	registrars         = 4 // that register at a time, each versions of a tool of its own
)

// api is the address of the robot's web server.
func (r *robot) api(path string) string {
	r.t.Helper()
	url, err := os.ReadFile(filepath.Join(r.run(), "http"))
	if err != nil {
		r.t.Fatal(err)
	}
	return strings.TrimSpace(string(url)) + path
}

// kept is one version as reachyd acknowledged or shows it.
type kept struct {
	Name    string
	Version int    // in an acknowledgement
	Number  int    // when shown
	Latest  int    // when shown
	Digest  string // of what was registered
	Source  string
	Report  *struct{ Passed int }
}

// post sends a command over HTTP. An error means that no reply came.
func post(client *http.Client, url string, args map[string]any) (result kept, refused string, err error) {
	body, err := json.Marshal(args)
	if err != nil {
		return result, "", err
	}
	resp, err := client.Post(url, "application/json", strings.NewReader(string(body)))
	if err != nil {
		return result, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return result, "", err
	}
	var reply struct {
		OK     bool
		Result kept
		Error  *struct{ Message string }
	}
	if err := json.Unmarshal(text, &reply); err != nil {
		return result, "", err
	}
	if !reply.OK {
		refused = "no reason"
		if reply.Error != nil {
			refused = reply.Error.Message
		}
	}
	return reply.Result, refused, nil
}

// edition is the source of a version: what it returns says which one it is.
func edition(name string, n int) string {
	return fmt.Sprintf("def %s() -> int:\n    \"\"\"Says which edition it is.\n\n    Returns:\n        The number.\n    \"\"\"\n    return %d\n", name, n)
}

// TestKillNineDuringRegistrations kills reachyd again and again while tools are registered: what it acknowledged is
// there afterwards, and nothing is there by halves.
func TestKillNineDuringRegistrations(t *testing.T) {
	wanted := usualRegistrations
	kills := 2
	if n, err := strconv.Atoi(os.Getenv("REACHYD_KILL_REGISTRATIONS")); err == nil {
		wanted, kills = n, killsOfTrial
	}
	r := newRobot(t)
	r.withPython()
	transport := &http.Transport{MaxIdleConnsPerHost: registrars}
	client := &http.Client{Transport: transport, Timeout: patience}
	t.Cleanup(transport.CloseIdleConnections)

	acked := map[string]kept{} // "name version"
	latest := map[string]int{}
	next := [registrars]int{}
	began := time.Now()
	for kill := range kills {
		r.start()
		goal := wanted*(kill+1)/kills + 1
		var mu sync.Mutex
		var wg sync.WaitGroup
		killed := false
		add := r.api("/api/cmd/tools/add")
		for i := range registrars {
			wg.Go(func() {
				name := fmt.Sprintf("edition_%c", 'a'+i)
				for {
					mu.Lock()
					next[i]++
					n := next[i]
					mu.Unlock()
					got, refused, err := post(client, add, map[string]any{"source": edition(name, n), "allow_duplicate": true})
					mu.Lock()
					if err != nil || refused != "" {
						if !killed {
							t.Errorf("%s, edition %d: %s %v", name, n, refused, err)
						}
						mu.Unlock()
						return
					}
					acked[fmt.Sprint(name, " ", got.Version)] = got
					if len(acked) >= goal && !killed {
						killed = true
						r.kill() // in the middle of what the others do
					}
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		transport.CloseIdleConnections()
	}
	took := time.Since(began)

	r.start()
	show := r.api("/api/cmd/tools/show")
	there := map[string]kept{}
	for i := range registrars {
		name := fmt.Sprintf("edition_%c", 'a'+i)
		for n := 1; n == 1 || n <= latest[name]; n++ {
			v, refused, err := post(client, show, map[string]any{"name": name, "version": n})
			if n == 1 && refused != "" && acked[name+" 1"].Digest == "" { // on a busy host the kills came before its first
				break
			}
			if err != nil || refused != "" {
				t.Fatalf("%s v%d of %d is not there: %s %v", name, n, latest[name], refused, err)
			}
			latest[name] = v.Latest
			if v.Number != n || v.Report == nil || v.Report.Passed == 0 || !strings.HasPrefix(v.Source, "def "+name) {
				t.Errorf("%s v%d is half-written: %+v", name, n, v)
			}
			there[fmt.Sprint(name, " ", n)] = v
		}
	}
	lost := 0
	for key, v := range acked {
		if there[key].Digest != v.Digest {
			lost++
			t.Errorf("%s was acknowledged as %.12s and is %.12s", key, v.Digest, there[key].Digest)
		}
	}
	// What was being stored when the kill came may be there unacknowledged: one for each who registered.
	if more := len(there) - len(acked); more < 0 || more > kills*registrars {
		t.Errorf("%d versions are there, %d were acknowledged", len(there), len(acked))
	}
	if len(acked) < wanted {
		t.Errorf("%d registrations were acknowledged, wanted %d", len(acked), wanted)
	}
	t.Logf("%d registrations acknowledged over %d kills of reachyd in %v, %d lost; %d were kept unacknowledged", len(acked), kills, took.Round(time.Millisecond),
		lost, len(there)-len(acked))
}
