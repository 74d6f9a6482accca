package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/agents/dialogue"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/client"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The conversation is long enough, and has something of all that is measured.
func TestOwnLines(t *testing.T) {
	all, err := script(ownLines)
	if err != nil {
		t.Fatal(err)
	}
	voices := map[string]bool{}
	n := map[string]int{}
	for _, l := range all {
		voices[l.voice] = true
		for what, is := range map[string]bool{
			"interrupts": l.interrupts > 0, "memory": l.memory, "keeps": l.keeps > 0, "does": len(l.does) > 0, "says": len(l.says) > 0,
		} {
			if is {
				n[what]++
			}
		}
	}
	if len(all) < 60 || len(voices) != 2 || n["interrupts"] < 5 || n["memory"] < 4 || n["keeps"] < 2 || n["does"] < 15 || n["says"] < 15 {
		t.Errorf("%d lines, %v, %v", len(all), voices, n)
	}
	if len(deeds()) < 8 {
		t.Errorf("%v", deeds())
	}
}

func TestLinesThatAreNone(t *testing.T) {
	const head = "voice A = piper joe\n"
	for text, want := range map[string]string{
		"voice A":                           "line 1",
		"look left":                         "said by nobody",
		head + "B: look left":               "said by nobody",
		head + "A: ":                        "said by nobody",
		head + "A: x | sings":               `mark "sings"; allowed are does`,
		head + "A: x | does":                "allowed are does",
		head + "A: x | keeps soon tea":      "duration",
		head + "A: x | keeps -1s tea":       "more than 0s",
		head + "A: x\nA: y | interrupts 0s": "line 3: mark interrupts: 0s is no time",
		head + "A: x | interrupts 1s":       "the first line interrupts nothing",
	} {
		if all, err := script(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want %s", text, all, err, want)
		}
	}
}

// What is said goes through the pipe to the robot's own source of sound, once and whole, and when is known.
func TestMicrophone(t *testing.T) {
	m, err := newMicrophone(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	robot, err := os.OpenFile(m.pipe.Name(), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	speech := make([]int16, 2*chunk+7)
	for i := 100; i < 500; i++ {
		speech[i] = 10000
	}
	began := time.Now()
	start, end := m.say(speech)
	if start.Before(began) || end.Sub(start) != 399*time.Second/rate || m.lost > 0 {
		t.Errorf("from %v for %v, %d lost", start.Sub(began), end.Sub(start), m.lost)
	}
	loud := 0
	for n := 0; loud < 400 && n < 1000; n++ { // the room is heard before
		var sound [2 * chunk]byte
		if _, err := io.ReadFull(robot, sound[:]); err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(sound); i += 2 {
			if int16(binary.LittleEndian.Uint16(sound[i:])) > 9000 {
				loud++
			}
		}
	}
	if loud != 400 {
		t.Errorf("%d samples", loud)
	}
	if err := robot.Close(); err != nil {
		t.Error(err)
	}
	if err := m.close(); err != nil {
		t.Error(err)
	}
}

// Nobody listens: speech is lost, and it ends all the same.
func TestMicrophoneOfNobody(t *testing.T) {
	m, err := newMicrophone(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.pipe.Write(make([]byte, 64<<10)); err != nil { // full
		t.Fatal(err)
	}
	m.say(make([]int16, 10*chunk))
	if err := m.close(); err != nil {
		t.Error(err)
	}
	if m.lost < 9 {
		t.Errorf("%d pieces were lost", m.lost)
	}
}

func TestLoudspeaker(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.wav")
	l := &loudspeaker{path: path}
	file := make([]byte, wavHead)
	add := func(v int16, n int) {
		for range n {
			file = binary.LittleEndian.AppendUint16(file, uint16(v))
		}
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	buf := make([]byte, 300)
	at := l.read(wavHead, buf) // it is not there yet
	add(3, 100)
	if at = l.read(at, buf); at != wavHead+200 || len(l.spans) != 0 {
		t.Errorf("silence: %d, %v", at, l.spans)
	}
	add(5000, 50)
	if at = l.read(at, buf); at != wavHead+300 || len(l.spans) != 1 {
		t.Errorf("sound: %d, %v", at, l.spans)
	}
	file = file[:wavHead]
	add(0, 1)
	if at = l.read(at, buf); at != wavHead {
		t.Errorf("begun anew: %d", at)
	}

	l.spans = nil
	t0 := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	ms := func(n int) time.Time { return t0.Add(time.Duration(n) * time.Millisecond) }
	for _, n := range []int{1000, 1100, 1390, 3000, 3010} {
		l.sound(ms(n))
	}
	if got := l.first(ms(500), ms(900)); !got.IsZero() {
		t.Error(got)
	}
	if got := l.first(ms(1500), ms(9000)); got != ms(3000) {
		t.Error(got)
	}
	if end, spoke := l.ended(ms(1200)); !spoke || end != ms(1390) {
		t.Error(end, spoke)
	}
	if end, spoke := l.ended(ms(2000)); spoke {
		t.Error(end)
	}
	if l.silentSince() != ms(3010) {
		t.Error(l.silentSince())
	}
}

// history is a conversation that was held: what the notes hold of it, and the lines.
func history(t *testing.T, text string) (*judge, []said, func(ms int) time.Time) {
	t.Helper()
	lines, err := script("voice A = piper joe\n" + text)
	if err != nil {
		t.Fatal(err)
	}
	t0 := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	at := func(ms int) time.Time { return t0.Add(time.Duration(ms) * time.Millisecond) }
	var all []said
	for i := range lines { // one each ten seconds, of one second
		all = append(all, said{line: &lines[i], start: at(10000 * i), end: at(10000*i + 1000), next: at(10000 * (i + 1))})
	}
	r := &robot{notes: &notes{}, speaker: &loudspeaker{}, hears: client.Hearing{Model: "tiny.en"}}
	return &judge{robot: r, plan: planner.New(), deeds: deeds()}, all, at
}

// add notes a turn that begins 1.5 s into a line, and ends 3 s into it with the head turned.
func (j *judge) add(at func(int) time.Time, line int, text, reply string, yaw float64, calls ...call) {
	n := j.robot.notes
	begins, ends := at(10000*line+1500), at(10000*line+3000)
	for i := range calls {
		calls[i].at, calls[i].done = ends.Add(-time.Millisecond), true
	}
	n.heard = append(n.heard, heard{at: begins, text: text, confidence: 0.9})
	n.turns = append(n.turns, &turn{trace: text, text: text, begins: begins, ends: ends, reply: reply, outcome: "plan", calls: calls})
	var p dialogue.Pose
	if k := len(n.places); k > 0 {
		p = n.places[k-1].pose
	}
	n.places = append(n.places, place{at: begins, pose: p}, place{at: begins.Add(time.Millisecond), pose: p, moving: true})
	p.Head.Yaw = yaw
	n.places = append(n.places, place{at: ends.Add(-2 * time.Millisecond), pose: p}, place{at: ends.Add(time.Second), pose: p})
}

func TestClaimsAreComparedWithTheBody(t *testing.T) {
	j, lines, at := history(t, "A: Look left. | does move_head\nA: Look right. | does move_head\nA: Nod.\nA: Look up to the ceiling, my friend.")
	move := func(yaw string) call {
		return call{tool: "move_head", args: json.RawMessage(`{"yaw":` + yaw + `}`), ok: true}
	}
	j.add(at, 0, "look left", "I looked left.", 30, move("30"))
	j.add(at, 1, "look right", "I looked right.", 10, move("-30"))
	j.add(at, 2, "no", "I nodded.", 10)
	j.robot.speaker.spans = []span{{at(1600), at(2000)}}
	all := j.all(lines)
	if f := all[0]; len(f.lies) > 0 || f.claims != 2 || !f.same || !f.understood || !f.wanted || f.first != 600*time.Millisecond {
		t.Errorf("%+v", f)
	}
	if f := all[1]; len(f.lies) != 1 || !strings.Contains(f.lies[0], "looked right") {
		t.Errorf("%v", f.lies)
	}
	if f := all[2]; len(f.lies) != 1 || f.lies[0] != "I nodded" || f.understood || f.same || f.errors != 1 || len(f.read) != 1 {
		t.Errorf("%+v", f)
	}
	if f := all[3]; f.understood || f.wants || f.heardAs != "" || f.errors != 7 {
		t.Errorf("%+v", f)
	}
	var out bytes.Buffer
	if err := transcript(&out, all, []string{"a fault"}); err != nil {
		t.Fatal(err)
	}
	if err := table(&out, all, "parrot"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"A: Look left.", "does move_head {\"yaw\":30}", "replies (plan): I looked right.", "! NOT SO: ", "to be read, no tool did it: I nodded.", "a fault",
		"parrot; 4 lines in 40s", "heard word for word                2 of 4", "claims compared with the body      5, not so 2; to be read 1",
		"did or said what was wanted        2 of 2", "end of speech to first sound       p50 600 ms",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("without %q:\n%s", want, out.String())
		}
	}
}

func TestInterruptionsPromisesAndMemory(t *testing.T) {
	j, lines, at := history(t, `A: Remind me in one minute to drink some water. | keeps 12s water
A: Stop. | interrupts 1s; quiet
A: Stop it. | interrupts 1s
A: What is her name? | memory; says mia|maya name
A: Wait. | interrupts 1s`)
	j.robot.speaker.spans = []span{{at(9000), at(10400)}, {at(19000), at(22000)}}
	j.robot.places = []place{{at: at(9000), moving: true}, {at: at(10100), moving: true}, {at: at(10250)}}
	j.robot.told = []told{{at: at(2000), text: "water", notified: true}, {at: at(31000), text: "Drink some water.", notified: true}}
	j.robot.turns = []*turn{{text: "remind me", begins: at(1500), ends: at(5000), reply: "I will."}}
	j.robot.told = append(j.robot.told, told{at: at(31500), text: "too late: water", notified: true})
	j.add(at, 3, "What is her name?", "Her name is Mia.", 0)
	all := j.all(lines)
	if f := all[0]; f.kept != at(31000) || !f.wanted {
		t.Errorf("%+v", f)
	}
	if f := all[1]; f.silence != 400*time.Millisecond || f.still != 250*time.Millisecond || f.late || f.nothing {
		t.Errorf("%+v", f)
	}
	if f := all[2]; f.silence != 2*time.Second || !f.late || f.still >= 0 {
		t.Errorf("%+v", f)
	}
	if f := all[3]; !f.wanted || !f.wants {
		t.Errorf("%+v", f)
	}
	if f := all[4]; !f.nothing {
		t.Errorf("%+v", f)
	}
	var out bytes.Buffer
	if err := table(&out, all, "parrot"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"interruptions honoured             1 of 2; silent after p50 2000 ms, p100 2000 ms (2); still after p50 250 ms, p100 250 ms (1)",
		"promises kept                      1 of 1", "memory questions answered          1 of 1",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("without %q:\n%s", want, out.String())
		}
	}
}

// A deed that the next line interrupts was wanted all the same; what was done is told again without being done.
func TestWhatIsCutShortOrToldAgain(t *testing.T) {
	j, lines, at := history(t, `A: Look left.
A: Look right.
A: Dance for me. | does gesture
A: Stop dancing. | interrupts 1s
A: What have you done?
A: And now?`)
	move := func(yaw string) call {
		return call{tool: "move_head", args: json.RawMessage(`{"yaw":` + yaw + `}`), ok: true}
	}
	j.add(at, 0, "look left", "I looked left.", 30, move("30"))
	j.add(at, 1, "look right", "I looked right.", -30, move("-30"))
	dance := call{tool: "gesture", args: json.RawMessage(`{"name":"dance"}`)}
	j.add(at, 2, "dance for me", "I was interrupted (stop was said) before I was done with this: dance.", -30, dance)
	j.add(at, 4, "what have you done", "I looked left. I looked right.", -30)
	j.add(at, 5, "and now", "I looked left.", -30)
	all := j.all(lines)
	if f := all[2]; !f.wanted || !f.wants {
		t.Errorf("%+v", f)
	}
	for i, lies := range []int{0, 0, 0, 0, 0, 1} {
		if len(all[i].lies) != lies {
			t.Errorf("%s: %q", all[i].text, all[i].lies)
		}
	}
}

// A line is answered when what was heard of it has become a turn, and that has its reply.
func TestAnswered(t *testing.T) {
	n := &notes{}
	after := time.Now()
	step := func(what string, want bool, do func()) {
		t.Helper()
		do()
		if got := n.answered(after); got != want {
			t.Errorf("%s: %v", what, got)
		}
	}
	step("nothing", false, func() {})
	step("rejected", true, func() { n.heard = []heard{{at: time.Now(), why: "too_quiet"}} })
	step("heard", false, func() { n.heard = []heard{{at: time.Now(), text: "look left"}} })
	step("taken up", false, func() { n.turns = []*turn{{begins: time.Now()}} })
	step("replied", true, func() { n.turns[0].ends = time.Now() })
	step("somebody speaks", false, func() { n.talks = true })
	step("heard, and never taken up", true, func() {
		n.talks, n.turns, after = false, nil, after.Add(-time.Minute)
		n.heard = []heard{{at: time.Now().Add(-2 * taken), text: "guten Tag"}}
	})
}

// Who speaks next waits for an answer and silence; who interrupts, for its beginning.
func TestWhoSpeaksNextWaits(t *testing.T) {
	r := &robot{notes: &notes{}, speaker: &loudspeaker{}}
	now := time.Now()
	after := now.Add(-5 * time.Second)
	over := func(want, wantUnanswered bool) {
		t.Helper()
		if over, unanswered := r.over(after, time.Minute); over != want || over && unanswered != wantUnanswered {
			t.Errorf("over %v, unanswered %v", over, unanswered)
		}
	}
	over(false, false) // it may still be heard
	r.heard = []heard{{at: now.Add(-4 * time.Second), text: "look left"}}
	r.turns = []*turn{{begins: now.Add(-4 * time.Second)}}
	over(false, false)
	r.speaker.sound(now)
	if nothing, err := r.awaitBeginning(t.Context(), after, time.Millisecond, time.Minute); nothing || err != nil {
		t.Error(nothing, err)
	}
	r.turns[0].ends = now.Add(-2 * time.Second)
	over(false, false) // it speaks
	r.speaker.spans = nil
	over(true, false)
	if nothing, err := r.awaitBeginning(t.Context(), after, time.Millisecond, time.Minute); !nothing || err != nil {
		t.Error(nothing, err)
	}
	r.places = []place{{moving: true}}
	over(false, false) // it moves
	r.places, r.heard, r.turns, after = nil, nil, nil, now.Add(-2*unheard)
	over(true, true) // nobody has heard it
	r.turns = []*turn{{begins: now}}
	over(false, false)
	after = now.Add(-2 * time.Minute)
	over(true, true) // out of patience
}

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		told string
	}{
		{[]string{"-what"}, 2, "-what"},
		{[]string{"-lines", "/not/there"}, 1, "/not/there"},
		{[]string{"-speech", "/not/there"}, 1, "0000.pcm"},
	} {
		var out, told bytes.Buffer
		if code := run(t.Context(), c.args, &out, &told); code != c.code || !strings.Contains(told.String(), c.told) {
			t.Errorf("%v: exit %d: %s", c.args, code, told.String())
		}
	}
	var out, told bytes.Buffer
	const first = "kokoro bf_emma\tHello Reachy, nice to meet you.\n"
	if code := run(t.Context(), []string{"-list"}, &out, &told); code != 0 || !strings.HasPrefix(out.String(), first) {
		t.Errorf("exit %d: %s%.100s", code, told.String(), out.String())
	}
}
