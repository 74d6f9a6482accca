package coder

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/trace"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/template"
	"github.com/reachyd/reachyd/perception/language/truncate"
)

// regular is something that is to be done more than once, or later.
type regular struct {
	kind   Kind
	every  time.Duration
	days   []time.Weekday // of the week; none: any
	long   time.Duration  // how long it goes on; 0: until somebody ends it
	rounds int            // 0: any number
	first  time.Time      // zero: now
	in     time.Duration  // of a reminder or a timer: how long after it was asked for
	what   string         // of a routine: what one round is; of a reminder: what is said
	does   string         // of a watcher: what is done when it sees something; empty: a person is told
	steps  []planner.Step
	watch  *Watch
}

// The patterns are in perception/language/en/coder.txt.
var (
	routines = language.Patterns("routines")
	daytimes = language.Map("daytimes")
)

// regular finds out what of a sentence is to be done regularly or later; nil when nothing is.
func (c *Coder) regular(s *language.Request, p planner.Plan) *regular {
	if s.Text == "" {
		return nil
	}
	if p.Outcome == planner.OutcomeRefuse {
		return nil
	}
	if g := c.remind(s, p); g != nil {
		return g
	}
	if g := c.when(s, p); g != nil {
		return g
	}
	if g := c.watcher(s, p); g != nil {
		return g
	}
	return c.routine(s, p)
}

// shortest is from where on a repetition with an interval and a duration is kept as a tool: what is over sooner the
// planner repeats as well.
const shortest = 30 * time.Second

// foreground is what is done while somebody waits for the answer; a call of a self-made tool ends after five minutes.
const foreground = 4 * time.Minute

// planned is the longest interval that the planner's own repeat knows.
const planned = time.Minute

func (c *Coder) routine(s *language.Request, p planner.Plan) *regular {
	if !s.HasAny("every", "each", "hourly", "daily", "weekly", "times", "once", "twice", "thrice") || routines.Rule("remark").Find(s.Counted) != nil {
		return nil
	}
	g := &regular{kind: Routine}
	rest, ok := c.interval(g, s.Digits)
	if !ok {
		return nil
	}
	if m := find("long", rest); m != nil {
		if g.long, _ = period(m.Slot("count"), m.Slot("unit")); g.long == 0 {
			return nil
		}
		rest = cut(m)
	}
	if m := find("rounds", rest); m != nil {
		g.rounds = atoi(m.Slot("count"))
		rest = cut(m)
	}
	endless := false
	if m := find("endless", rest); m != nil {
		endless, rest = true, cut(m)
	}
	if g.long > 0 {
		g.rounds = max(1, int((g.long+g.every/2)/g.every))
	}
	if !endless && g.every <= planned && g.long < shortest {
		if rest, g.rounds = c.lasting(g, p, rest); g.rounds == 0 {
			return nil // the planner does that
		}
	}
	g.what = rest
	if what, ok := strings.CutPrefix(rest, "remind me "); ok {
		return g.reminder(s.Original(what))
	}
	if g.steps = c.doable(rest); g.steps == nil {
		return nil
	}
	return g
}

// lasting is how many rounds of what a plan has that would keep a person waiting for its end; 0 when it is over soon, or when
// text does not say what one of its rounds is.
func (c *Coder) lasting(g *regular, p planner.Plan, text string) (what string, rounds int) {
	if g.long > 0 || p.Outcome != planner.OutcomePlan || len(p.Steps) != 1 || p.Steps[0].Tool != "repeat" {
		return text, 0
	}
	inner, _ := p.Steps[0].Args["steps"].([]planner.Step)
	times, interval := asNumber(p.Steps[0].Args["times"]), asNumber(p.Steps[0].Args["interval"])
	if interval != g.every.Seconds() || g.every < c.least(c.moves(inner)) || (times-1)*interval < shortest.Seconds() {
		return text, 0
	}
	if m := find("times", text); m != nil && reflect.DeepEqual(c.doable(cut(m)), inner) {
		return cut(m), int(times)
	}
	if !reflect.DeepEqual(c.doable(text), inner) {
		return text, 0
	}
	return text, int(times)
}

// least is the shortest interval of what is done in the background.
func (c *Coder) least(moves bool) time.Duration {
	if moves {
		return c.o.MinInterval
	}
	return c.o.MinPoll
}

// interval takes out of a sentence how often, and when first, something is done.
func (c *Coder) interval(g *regular, text string) (rest string, ok bool) {
	if m := find("every", text); m != nil {
		if g.every, ok = period(m.Slot("count"), m.Slot("unit")); !ok {
			return "", false
		}
		return c.atTimeOfDay(g, m.Slot("unit"), cut(m)), true
	}
	if m := find("per", text); m != nil {
		length, _ := period("", m.Slot("unit"))
		g.every = time.Duration(float64(length) / timesPer(m.Slot("count"))).Round(time.Second)
		return cut(m), true
	}
	if m := find("named", text); m != nil {
		g.every = map[string]time.Duration{"hourly": time.Hour, "daily": dayLong, "weekly": 7 * dayLong}[m.Slot("name")]
		return c.atTimeOfDay(g, "", cut(m)), true
	}
	return "", false
}

// timesPer is how often: "twice", "3".
func timesPer(count string) float64 {
	switch count {
	case "twice":
		return 2
	case "thrice":
		return 3
	}
	return float64(max(atoi(count), 1))
}

// find looks for a pattern of routines.
func find(rule, text string) *template.Match { return routines.Rule(rule).Find(template.Split(text)) }

// atTimeOfDay takes the time of day out of what is left of a sentence.
func (c *Coder) atTimeOfDay(g *regular, unit, rest string) string {
	if g.every%dayLong != 0 {
		return rest
	}
	unit = strings.TrimSuffix(unit, "s")
	hour, minute := atoi(daytimes[unit]), 0
	if m := find("time", rest); m != nil {
		hour, minute = clock(m)
		if hour < 12 && m.Slot("half") == "" && (unit == "evening" || unit == "night" || unit == "afternoon") {
			hour += 12
		}
		rest = cut(m)
	} else if daytimes[unit] == "" {
		return rest
	}
	g.first = nextAt(c.o.Now(), hour, minute)
	return rest
}

// clock reads a time of day.
func clock(m *template.Match) (hour, minute int) {
	switch m.Slot("name") {
	case "noon":
		return 12, 0
	case "midnight":
		return 0, 0
	}
	h, after, _ := strings.Cut(strings.Replace(m.Slot("time"), ".", ":", 1), ":")
	hour, minute = atoi(h), atoi(after+m.Slot("minute"))
	switch half := m.Slot("half"); {
	case strings.HasPrefix(half, "p") && hour < 12:
		hour += 12
	case strings.HasPrefix(half, "a") && hour == 12:
		hour = 0
	}
	return hour % 24, min(minute, 59)
}

// nextAt is the next time of day after now.
func nextAt(now time.Time, hour, minute int) time.Time {
	t := time.Date(now.Year(), now.Month(), now.Day(), hour, minute, 0, 0, now.Location())
	if !t.After(now) {
		t = t.AddDate(0, 0, 1)
	}
	return t
}

// cut is a sentence without what was found in it, and without the words that joined it to the rest.
func cut(m *template.Match) string {
	words := strings.Fields(m.Before() + " " + m.After())
	joins := func(w string) bool { return w == "and" || w == "then" || w == "to" || w == "," }
	for len(words) > 1 && joins(words[0]) {
		words = words[1:]
	}
	for len(words) > 1 && joins(words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	return strings.TrimRight(strings.Join(words, " "), ", ")
}

// refusedInRounds are tools that nobody wants to be called by the clock.
var refusedInRounds = map[string]bool{
	"stop": true, "wake_up": true, "go_to_sleep": true, "set_volume": true, "search_web": true,
	"track_face": true, "follow_object": true,
}

// doable are the steps of one round; nil when the body cannot do it, or should not do it unasked.
func (c *Coder) doable(what string) []planner.Step {
	if what == "" {
		return nil
	}
	p := c.o.Plan(what)
	if p.Outcome != planner.OutcomePlan || len(p.Steps) == 0 {
		return nil
	}
	ok := true
	walk(p.Steps, func(st planner.Step) { ok = ok && !refusedInRounds[st.Tool] })
	if !ok || seconds(p.Steps) > 60 {
		return nil
	}
	return p.Steps
}

// walk visits steps and the steps within repeats.
func walk(steps []planner.Step, visit func(planner.Step)) {
	for _, s := range steps {
		if inner, ok := s.Args["steps"].([]planner.Step); ok && s.Tool == "repeat" {
			walk(inner, visit)
			continue
		}
		visit(s)
	}
}

// seconds is about how long steps take.
func seconds(steps []planner.Step) float64 {
	total := 0.0
	for _, s := range steps {
		if inner, ok := s.Args["steps"].([]planner.Step); ok && s.Tool == "repeat" {
			total += asNumber(s.Args["times"]) * (seconds(inner) + asNumber(s.Args["interval"]))
			continue
		}
		switch {
		case s.Args["duration"] != nil:
			total += asNumber(s.Args["duration"])
		case s.Args["seconds"] != nil:
			total += asNumber(s.Args["seconds"])
		default:
			total++
		}
	}
	return total
}

// moves says whether steps move the robot.
func (c *Coder) moves(steps []planner.Step) (moves bool) {
	walk(steps, func(s planner.Step) {
		spec, _ := c.o.Tools.Get(s.Tool)
		moves = moves || spec.Moves
	})
	return moves
}

// make does what is regular: at once when it is over soon, else in the background.
func (g *regular) make(ctx context.Context, c *Coder, r coordinator.Request) coordinator.Answer {
	if g.kind == Routine && g.rounds > 0 && g.first.IsZero() && g.long > 0 && g.long <= foreground && g.every <= planned {
		return g.now(ctx, c, r)
	}
	if why := g.lacks(c); why != "" {
		return coordinator.Answer{Outcome: coordinator.OutcomeError, Text: "I cannot do that: " + why + "."}
	}
	name, a, err := g.tool(ctx, c, r.Text)
	if err != nil {
		return c.withoutTool(ctx, g, r, err)
	}
	now := c.o.Now()
	next := g.first
	if next.IsZero() {
		next = now.Add(g.in)
	}
	then := ""
	if g.does != "" {
		k, _ := round(&regular{what: g.does, steps: g.steps})
		t, err := c.ensure(ctx, k, r.Text)
		if err != nil {
			return failed(ctx, err.Error())
		}
		then = t.name
	}
	sched := Schedule{
		Then: then, Does: g.does,
		Kind: g.kind, Text: g.what, Session: r.Session, Tool: name, Args: raw(a), Moves: c.moves(g.steps), Next: next, Every: g.every, Days: g.days,
		Rounds: g.rounds, Watch: g.watch, Clock: !g.first.IsZero(),
	}
	if isTimer(g.what) {
		sched.Said = truncate.Runes(r.Whole, 200)
	}
	if g.long > 0 && g.rounds == 0 {
		sched.Until = now.Add(g.long)
	}
	_, span := trace.Start(ctx, trace.Code, "schedule", g.what)
	sched, err = c.clock.add(sched)
	span.Set("schedule", sched.ID)
	span.End(err)
	if err != nil {
		return coordinator.Answer{Outcome: coordinator.OutcomeError, Text: err.Error()}
	}
	return answered(g.promise(now))
}

// lacks says what the robot lacks for it; empty when nothing.
func (g *regular) lacks(c *Coder) (why string) {
	needs := []string{}
	if g.kind == Watcher {
		needs = append(needs, "detect_objects")
	}
	walk(g.steps, func(s planner.Step) { needs = append(needs, s.Tool) })
	for _, name := range needs {
		switch spec, ok := c.o.Tools.Get(name); {
		case !ok:
			return "there is no tool " + name
		case spec.Unavailable != "":
			return spec.Unavailable
		}
	}
	return ""
}

// now does all rounds while the person waits.
func (g *regular) now(ctx context.Context, c *Coder, r coordinator.Request) coordinator.Answer {
	k := repeatedly(g)
	t, err := c.ensure(ctx, k, r.Text)
	if err != nil {
		return c.withoutTool(ctx, g, r, err)
	}
	res := r.Call(ctx, t.name, raw(args{"interval": g.every.Seconds(), "duration": g.long.Seconds()}))
	if !res.OK() {
		return c.unable(ctx, res)
	}
	var out struct{ Rounds float64 }
	if text, err := json.Marshal(res.Data); err != nil || json.Unmarshal(text, &out) != nil {
		out.Rounds = float64(g.rounds)
	}
	return answered(fmt.Sprintf("I did this %s, %s for %s: %s.", timesSaid(out.Rounds), sayEvery(g.every), sayDuration(g.long), g.what))
}

// withoutTool is the answer when no tool could be made: what the planner can do as well, it does.
func (c *Coder) withoutTool(ctx context.Context, g *regular, r coordinator.Request, err error) coordinator.Answer {
	if ctx.Err() == nil && r.Plan.Outcome == planner.OutcomePlan && g.kind == Routine && g.rounds > 0 && g.every <= planned {
		trace.Note(ctx, trace.Code, "without a tool", err.Error())
		return coordinator.Answer{Outcome: coordinator.OutcomeNone}
	}
	return failed(ctx, err.Error())
}

func timesSaid(n float64) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return counted(n, "time", "times")
}

// promise says what will be done.
func (g *regular) promise(now time.Time) string {
	switch g.kind {
	case Reminder:
		if g.every > 0 {
			if isAlarm(g.what) {
				return fmt.Sprintf("I will wake you %s.", often(g.every, g.days, g.first))
			}
			return fmt.Sprintf("I will remind you %s: %s", often(g.every, g.days, g.first), sentenceEnd(g.what))
		}
		when := g.when(now)
		switch {
		case isTimer(g.what):
			return strings.Replace(strings.TrimSuffix(g.what, "is over."), " timer ", " timer runs: I will tell you ", 1) + when + "."
		case g.what == alarmText, g.what == wakeText:
			return "I will wake you " + when + "."
		}
		return fmt.Sprintf("I will remind you %s: %s", when, sentenceEnd(g.what))
	case Watcher:
		often := "as soon as"
		if g.watch.Again {
			often = "whenever"
		}
		if g.does != "" {
			return fmt.Sprintf("I will do this %s %s: %s. I look %s for %s. Say \"stop doing that\" to end it.", often, g.what, g.does, sayEvery(g.every),
				sayDuration(g.long))
		}
		return fmt.Sprintf("I will tell you %s %s; I look %s for %s.", often, g.what, sayEvery(g.every), sayDuration(g.long))
	}
	text := fmt.Sprintf("I will do this %s", sayEvery(g.every))
	switch {
	case g.long > 0:
		text += " for " + sayDuration(g.long)
	case g.rounds > 0:
		text += ", " + timesSaid(float64(g.rounds))
	}
	text += ": " + g.what + "."
	if !g.first.IsZero() {
		text += " The first time is " + sayTime(g.first, now) + "."
	}
	if g.long == 0 && g.rounds == 0 {
		text += " Say \"stop doing that\" to end it."
	}
	return text
}

// when says when a reminder comes: after the time that was asked for, or at a time of day.
func (g *regular) when(now time.Time) string {
	if g.in > 0 {
		if g.in < 2*time.Hour || isTimer(g.what) {
			return "in " + sayDuration(g.in)
		}
		return sayTime(now.Add(g.in), now)
	}
	if in := g.first.Sub(now); in < 2*time.Hour {
		return "in " + sayDuration((in + time.Second - 1).Truncate(time.Second))
	}
	return sayTime(g.first, now)
}

func sentenceEnd(text string) string {
	if strings.ContainsAny(text[max(0, len(text)-1):], ".!?") {
		return text
	}
	return text + "."
}
