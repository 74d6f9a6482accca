package e2e

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// made is a gesture as the simulated servos have made it.
type made struct {
	seconds float64 // that the head was away from where it began: a busy host answers late, and moves as long as a quiet one
	pitch   float64 // degrees from the highest to the lowest
	antenna float64 // the left one, likewise
}

// bow reports whether it was a bow: of all greetings only that moves head and antennas.
func (m made) bow() bool { return m.pitch > 8 && m.antenna > 12 }

// makes lets the robot make a gesture while it watches its servos.
func (r *robot) makes(do func()) made {
	r.t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); do() }()
	rest := r.served().pitch
	type sample struct {
		at    time.Time
		pitch float64 // away from rest
	}
	var samples []sample
	low, high := served{pitch: math.Inf(1), left: math.Inf(1)}, served{pitch: math.Inf(-1), left: math.Inf(-1)}
	for going := true; going; {
		select {
		case <-done:
			going = false
		default:
		}
		s := r.served()
		low.pitch, high.pitch = min(low.pitch, s.pitch), max(high.pitch, s.pitch)
		low.left, high.left = min(low.left, s.left), max(high.left, s.left)
		samples = append(samples, sample{time.Now(), math.Abs(s.pitch - rest)})
	}
	m := made{pitch: high.pitch - low.pitch, antenna: high.left - low.left}
	// On a busy host samples are far apart: when it left its rest, and came back, lies between two of them.
	var left time.Time
	away := m.pitch / 16 // the last swing of a small nod is hardly more
	for i := 1; i < len(samples); i++ {
		a, b := samples[i-1], samples[i]
		if (a.pitch < away) == (b.pitch < away) {
			continue
		}
		crossed := a.at.Add(time.Duration((away - a.pitch) / (b.pitch - a.pitch) * float64(b.at.Sub(a.at))))
		if left.IsZero() {
			left = crossed
		}
		m.seconds = crossed.Sub(left).Seconds()
	}
	return m
}

// A person who likes it slow, small and with a bow says so thirty times over MQTT: the servos show it, also after reachyd was
// killed.
func TestThirtyPiecesOfFeedbackChangeWhatTheServosDo(t *testing.T) {
	t.Parallel() // it mostly waits
	r := newRobot(t)
	r.start()
	c := r.client()
	c.moves("tool", `{"id":"wake","name":"wake_up"}`)
	serial := 0
	id := func() string { serial++; return fmt.Sprint("id", serial) }
	nod := func() made {
		t.Helper()
		return r.makes(func() { c.moves("chat", `{"id":"`+id()+`","text":"nod"}`) })
	}
	greet := func() made {
		t.Helper()
		return r.makes(func() { c.command("chat", `{"id":"`+id()+`","text":"hello"}`) })
	}
	pieces := 0
	says := func(of made, what string) {
		t.Helper()
		pieces++
		t.Logf("%d: %+v: %s", pieces, of, what)
		reply := c.command("feedback", `{"id":"`+id()+`",`+what+`}`)
		if reply["ok"] != true {
			t.Fatalf("feedback %s: %v", what, reply)
		}
	}
	learned := func() map[string]string {
		t.Helper()
		out := map[string]string{}
		all := c.command("learned", `{"id":"`+id()+`"}`)["result"].(map[string]any)["learned"].([]any)
		for _, l := range all {
			m := l.(map[string]any)
			out[m["parameter"].(string)] = m["option"].(string)
		}
		return out
	}

	usual := nod()
	if usual.pitch < 10 || usual.seconds < 0.3 {
		t.Fatalf("a nod is %+v", usual)
	}
	for range 10 {
		n := nod()
		switch {
		case n.seconds < 1.25*usual.seconds:
			says(n, `"text":"that was too fast"`)
		case n.pitch > 0.85*usual.pitch:
			says(n, `"text":"good, but smaller please"`)
		default:
			says(n, `"text":"That was perfect!"`)
		}
	}
	const slowBow = 2.35 // s; a small one takes 2.0 at the usual speed
	for pieces < 30 {
		switch g := greet(); {
		case !g.bow():
			says(g, `"verdict":"bad"`)
		// Who likes small, slow nods likes such bows: praise of any bow would teach that any size and speed is right.
		case g.pitch > 0.85*usual.pitch:
			says(g, `"text":"good, but smaller please"`)
		case g.seconds < slowBow:
			says(g, `"text":"good, but slower please"`)
		default:
			says(g, `"verdict":"great"`)
		}
	}
	now := learned()
	t.Logf("learned %v of %d pieces", now, pieces)
	r.kill()
	r.start()
	c = r.client()
	c.moves("tool", `{"id":"awake","name":"wake_up"}`)
	if after := learned(); fmt.Sprint(after) != fmt.Sprint(now) {
		t.Errorf("after kill -9 it knows %v, before %v", after, now)
	}
	if now["speed"] != "slow" && now["speed"] != "very_slow" || now["size"] != "small" && now["size"] != "tiny" || now["greeting"] != "bow" {
		t.Errorf("learned %v", now)
	}
	nods := []made{nod(), nod(), nod(), nod(), nod()} // it tries another size, or speed, now and then
	usually := func(of func(made) float64) float64 {
		all := make([]float64, 0, len(nods))
		for _, n := range nods {
			all = append(all, of(n))
		}
		slices.Sort(all)
		return all[len(all)/2]
	}
	n := made{seconds: usually(func(n made) float64 { return n.seconds }), pitch: usually(func(n made) float64 { return n.pitch })}
	t.Logf("a nod was %.2f s and %.1f°, and is %.2f s and %.1f°", usual.seconds, usual.pitch, n.seconds, n.pitch)
	if n.seconds < 1.2*usual.seconds || n.pitch > 0.9*usual.pitch {
		t.Errorf("a nod takes %.2f s and is %.1f° wide; it was %.2f s and %.1f°", n.seconds, n.pitch, usual.seconds, usual.pitch)
	}
	if out, code := r.ctl("feedback", "list", "--limit", "200"); code != 0 || strings.Count(out, "\n") != pieces+1 {
		t.Errorf("%d lines for %d pieces:\n%s", strings.Count(out, "\n"), pieces, out)
	}
}
