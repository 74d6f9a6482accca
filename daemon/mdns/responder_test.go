package mdns

import (
	"context"
	"encoding/json"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

var (
	here     = []netip.Addr{netip.MustParseAddr("192.168.1.7"), netip.MustParseAddr("fd00::7")}
	ours     = func() []netip.Addr { return here }
	services = []Service{
		{Type: "_http._tcp", Port: 8000, Text: []string{"path=/"}},
		{Type: "_reachy-mini._tcp", Port: 8000, Text: []string{"robot_name=Reachy Mini", "ws_path=/ws/sdk"}},
	}
	robot = zone{name: "Reachy Mini", host: "robot", services: services, mine: true}
)

// asks is a question, with what the asker knows.
func asks(t testing.TB, id uint16, name string, kind dnsmessage.Type, class dnsmessage.Class, known ...dnsmessage.Resource) []byte {
	t.Helper()
	m := dnsmessage.Message{Header: dnsmessage.Header{ID: id}, Answers: known}
	m.Questions = []dnsmessage.Question{{Name: dnsmessage.MustNewName(name), Type: kind, Class: class}}
	packed, err := m.Pack()
	if err != nil {
		t.Fatal(err)
	}
	return packed
}

func unpack(t *testing.T, message []byte) dnsmessage.Message {
	t.Helper()
	var m dnsmessage.Message
	if err := m.Unpack(message); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestAnswers(t *testing.T) {
	const in = dnsmessage.ClassINET
	for _, c := range []struct {
		name          string
		kind          dnsmessage.Type
		answers, more int
	}{
		{"_services._dns-sd._udp.local.", dnsmessage.TypePTR, 2, 0},
		{"_http._tcp.local.", dnsmessage.TypePTR, 1, 4},
		{"_REACHY-mini._tcp.local.", dnsmessage.TypePTR, 1, 4},
		{"Reachy Mini._reachy-mini._tcp.local.", dnsmessage.TypeSRV, 1, 2},
		{"Reachy Mini._reachy-mini._tcp.local.", dnsmessage.TypeTXT, 1, 0},
		{"Reachy Mini._reachy-mini._tcp.local.", dnsmessage.TypeALL, 2, 2},
		{"robot.local.", dnsmessage.TypeA, 1, 0},
		{"robot.local.", dnsmessage.TypeALL, 2, 0},
		{"robot.local.", dnsmessage.TypeTXT, 0, 0},
		{"other.local.", dnsmessage.TypeA, 0, 0},
		{"_ssh._tcp.local.", dnsmessage.TypePTR, 0, 0},
	} {
		answer, direct := robot.answer(asks(t, 0, c.name, c.kind, in), ours, false)
		if c.answers == 0 {
			if answer != nil {
				t.Errorf("%s is answered", c.name)
			}
			continue
		}
		m := unpack(t, answer)
		if len(m.Answers) != c.answers || len(m.Additionals) != c.more || direct || !m.Response || !m.Authoritative {
			t.Errorf("%s %v: %d answers and %d more, direct %t; want %d and %d", c.name, c.kind, len(m.Answers), len(m.Additionals), direct, c.answers, c.more)
		}
	}
	if _, direct := robot.answer(asks(t, 0, "robot.local.", dnsmessage.TypeA, in|flush), ours, false); !direct {
		t.Error("who wants a direct answer gets none")
	}
	m := unpack(t, must(robot.answer(asks(t, 77, "robot.local.", dnsmessage.TypeA, in), ours, true)))
	if m.ID != 77 || len(m.Questions) != 1 || m.Answers[0].Header.TTL > legacyTTL {
		t.Errorf("who asks as of a name server gets %+v", m)
	}
	_, found := robot.pointers(&services[0])
	if answer, _ := robot.answer(asks(t, 0, "_http._tcp.local.", dnsmessage.TypePTR, in, found), ours, false); answer != nil {
		t.Error("what is known is told again")
	}
	silent := robot
	silent.mine = false
	if answer, _ := silent.answer(asks(t, 0, "robot.local.", dnsmessage.TypeA, in), ours, false); answer != nil {
		t.Error("it answers before the name is its own")
	}
}

func must(answer []byte, _ bool) []byte { return answer }

func TestConflicts(t *testing.T) {
	asking := robot
	asking.mine = false
	other := robot
	other.host = "another"
	for name, c := range map[string]struct {
		message  []byte
		conflict bool
	}{
		"its own": {robot.announcement(ours, false), false}, "another host": {other.announcement(ours, false), true}, "a question": {other.probe(), false},
		"nothing": {nil, false},
	} {
		if asking.conflict(c.message) != c.conflict {
			t.Errorf("%s: conflict is %t", name, !c.conflict)
		}
	}
}

func TestAFloodOfQuestionsIsBounded(t *testing.T) {
	r, now, answered := &Responder{}, time.Unix(1000, 0), 0
	for range 10_000 { // in a second
		now = now.Add(100 * time.Microsecond)
		if r.allow(now) {
			answered++
		}
	}
	if answered > answersAtOnce+answersPerSecond+1 {
		t.Errorf("%d answers in a second", answered)
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add(asks(f, 1, "_http._tcp.local.", dnsmessage.TypePTR, dnsmessage.ClassINET), false)
	f.Add(asks(f, 1, "robot.local.", dnsmessage.TypeALL, dnsmessage.ClassINET), true)
	f.Fuzz(func(_ *testing.T, message []byte, legacy bool) {
		robot.answer(message, ours, legacy)
		asking := robot
		asking.mine = false
		asking.conflict(message)
	})
}

// running runs a responder on the real network and returns the name that it got.
func running(t *testing.T, r *Responder) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); _ = r.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	for deadline := time.Now().Add(20 * time.Second); ; {
		r.mu.Lock()
		mine, name, links := r.zone.mine, r.zone.name, len(r.links)
		r.mu.Unlock()
		if mine {
			return name
		}
		if time.Now().After(deadline) {
			if links == 0 {
				t.Skip("NOT TESTED: this host has no network over which multicast goes")
			}
			t.Fatal("it has no name after 20 s")
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// On a real network our own client finds the host, and Python's zeroconf, where it is installed, the services. A second robot of the same
// name takes another.
func TestOthersFindTheRobot(t *testing.T) {
	first := &Responder{Name: "Reachy Mini", Host: "reachyd-test-7351", Services: services}
	running(t, first)
	found, err := Lookup(t.Context(), "reachyd-test-7351.local")
	if err != nil || len(found) == 0 {
		t.Fatalf("%v, %v", found, err)
	}
	second := &Responder{Name: "Reachy Mini", Host: "reachyd-test-7352", Services: services}
	if name := running(t, second); name != "Reachy Mini (2)" {
		t.Errorf("the second robot of the name is called %q", name)
	}
	python := os.Getenv("REACHYD_ZEROCONF") // a Python that has it
	if python == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			t.Fatal(err)
		}
		python = filepath.Join(cache, "reachyd", "http-clients", "bin", "python")
	}
	if exec.CommandContext(t.Context(), python, "-c", "import zeroconf").Run() != nil {
		t.Log("NOT TESTED: Python's zeroconf is not there (cross/http-suite.sh fetches it)")
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, python, "testdata/browse.py", "_reachy-mini._tcp.local.", "2").Output()
	if err != nil {
		t.Fatalf("%v %s", err, out)
	}
	var seen map[string]struct {
		Port      int
		Server    string
		Addresses []string
		Text      map[string]string
	}
	if err := json.Unmarshal(out, &seen); err != nil {
		t.Fatal(err)
	}
	got := seen["Reachy Mini._reachy-mini._tcp.local."]
	if got.Port != 8000 || got.Server != "reachyd-test-7351.local." || got.Text["ws_path"] != "/ws/sdk" || len(got.Addresses) == 0 ||
		!slices.ContainsFunc(found, func(a netip.Addr) bool { return strings.HasPrefix(a.WithZone("").String(), got.Addresses[0]) }) {
		t.Errorf("zeroconf sees %s; our own client %v", out, found)
	}
	if seen["Reachy Mini (2)._reachy-mini._tcp.local."].Server != "reachyd-test-7352.local." {
		t.Errorf("zeroconf does not see the second robot: %s", out)
	}
}
