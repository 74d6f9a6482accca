package registry_test

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/toolsandbox/registry"
)

func TestScore(t *testing.T) {
	v := &registry.Version{
		Report:   &registry.Report{Coverage: 0.9, Median: 100 * time.Millisecond},
		Metrics:  registry.Metrics{Lines: 175, Complexity: 10, Documented: 3, Documentable: 4},
		Findings: []registry.Finding{{Severity: registry.SeverityWarning}},
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	s := registry.ScoreOf(v)
	near("syntax", s.Syntax, 0.9)
	near("coverage", s.Coverage, 0.9)
	near("documentation", s.Documentation, 0.75)
	near("performance", s.Performance, 2.0/3)
	near("maintainability", s.Maintainability, 0.5)
	near("total", s.Total, 0.25*0.9+0.2*0.9+0.15*0.75+0.2*2/3+0.2*0.5)
	v = &registry.Version{Report: &registry.Report{Coverage: 1}, Metrics: registry.Metrics{Lines: 9, Complexity: 2, Documented: 1, Documentable: 1}}
	near("best", registry.ScoreOf(v).Total, 1)
	v = &registry.Version{
		Report:   &registry.Report{Coverage: math.NaN(), Median: time.Hour},
		Metrics:  registry.Metrics{Lines: 1000, Complexity: 50},
		Findings: []registry.Finding{{Severity: registry.SeverityError}},
	}
	near("worst", registry.ScoreOf(v).Total, 0)
	near("untested", registry.ScoreOf(&registry.Version{}).Performance, 0)
}

func TestDuplicates(t *testing.T) {
	f := open(t)
	original := `def nod_twice(angle: float) -> str:
    """Nods twice.

    Args:
        angle: how far
    """
    results = []
    for i in range(2):
        results.append(reachy.move_head(pitch=angle, duration=0.5))
        results.append(reachy.move_head(pitch=-angle, duration=0.5))
    if not results:
        raise ValueError("nothing happened")
    return "nodded " + str(len(results))
`
	d := draft("nod_twice", "")
	d.Source, d.Grants = original, []string{"move_head", "turn_body"}
	f.register(d)
	copied := d
	copied.Name = "nod_thrice" // renamed, commented, laid out anew, other constants
	copied.Source = `# made by somebody else
def nod_thrice(angle: float) -> str:
    """A tool like no other."""

    done = []   # what was done
    for k in range( 3 ):
        done.append(reachy.move_head(pitch=angle, duration=0.7))
        done.append(reachy.move_head(pitch=-angle, duration=0.7))

    if not done:
        raise ValueError('that did not work')
    return 'I nodded ' + str(len(done))
`
	if got := f.refused(copied, registry.CodeDuplicate); !strings.Contains(got, "nod_twice v1") {
		t.Error(got)
	}
	other := d
	other.Name = "turn_around"
	other.Source = `def turn_around(speed: float) -> dict:
    """Turns around."""
    start = reachy.turn_body(yaw=0)
    while start["yaw"] < 160:
        start = reachy.turn_body(yaw=start["yaw"] + speed)
    return {"yaw": start["yaw"], "at": start["time"]}
`
	f.register(other)
	m := f.Similar(copied.Source, json.RawMessage(`{"properties":{"angle":{"type":"float"}}}`), 5)
	if len(m) != 2 || m[0].Name != "nod_twice" || m[0].Similarity < 0.95 || m[1].Similarity > 0.4 {
		t.Errorf("%+v", m)
	}
	copied.AllowDuplicate = true
	f.register(copied)
	better := d // a version of a tool may be like the last
	better.Source += "# better\n"
	f.register(better)

	// Two that are registered at once do not slip past each other.
	f.checks.hold, f.checks.entered = make(chan struct{}), make(chan string)
	results := make(chan error)
	for _, name := range []string{"first_twin", "second_twin"} {
		d := draft("twin", "twin")
		d.Name, d.Source = name, strings.ReplaceAll(d.Source, "def twin", "def "+name)
		go func() { _, err := f.Register(ctx, d); results <- err }()
		<-f.checks.entered
	}
	close(f.checks.hold)
	if a, b := <-results, <-results; (a == nil) == (b == nil) {
		t.Errorf("%v and %v: one of two twins must be refused", a, b)
	}
}

func TestSearch(t *testing.T) {
	f := open(t)
	for name, doc := range map[string]string{
		"count_apples":     "Count how many apples the camera sees.",
		"periodic_capture": "Takes photos at a regular interval and stores them.",
		"distance_3d":      "Computes the Euclidean distance between two points in space.",
		"greet_visitor":    "Looks for a face and says hello to the visitor.",
		"scene_monitor":    "Watches the surroundings and reports changes.",
		"weather_report":   "Tells the weather forecast of a city.",
	} {
		d := draft(name, name)
		d.Source = strings.Replace(d.Source, `"""`+name+" does things with "+name+`."""`, `"""`+doc+`"""`, 1)
		f.register(d)
	}
	for query, want := range map[string]string{
		"take a picture every few seconds":      "periodic_capture",
		"how far is one point from another":     "distance_3d",
		"number of apples":                      "count_apples",
		"say hello to people":                   "greet_visitor",
		"monitor the room":                      "scene_monitor",
		"what will the temperature be outside?": "weather_report",
		"taking photographs":                    "periodic_capture",
		"greeting visitors":                     "greet_visitor",
		"play chess":                            "",
		"sing the national anthem backwards":    "",
		"":                                      "",
		"the of and":                            "",
	} {
		found, err := f.Search(ctx, query, 5)
		switch {
		case err != nil:
			t.Error(err)
		case want == "" && len(found) > 0:
			t.Errorf("%q: found %s (%.2f), which has nothing to do with it", query, found[0].Name, found[0].Score)
		case want != "" && (len(found) == 0 || found[0].Name != want):
			t.Errorf("%q: found %+v, want %s", query, found, want)
		}
	}
	if found, _ := f.Search(ctx, "camera face weather apples distance photos", 2); len(found) > 2 {
		t.Errorf("%d found, want at most 2", len(found))
	}
	if err := f.Deactivate(ctx, "weather_report", ""); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if found, _ := f.Search(ctx, "weather forecast", 5); len(found) != 0 {
			t.Errorf("found %s, which is not active", found[0].Name)
		}
		f.reopen()
	}
	if err := f.Activate(ctx, "weather_report", 1, ""); err != nil {
		t.Fatal(err)
	}
	if found, _ := f.Search(ctx, "weather forecast", 5); len(found) != 1 || found[0].Version.Number != 1 {
		t.Errorf("%+v: the active tool was not found", found)
	}
}

func TestDiff(t *testing.T) {
	f := open(t)
	d := draft("count_apples", "apples")
	f.register(d)
	d.Source = strings.Replace(d.Source, "apples_3(x)", "apples_3(2 * x)", 1)
	d.Source = strings.Replace(d.Source, "(x: number)", "(x: number, y: string)", 1)
	d.Grants = []string{"look_at"}
	f.register(d)
	diff, err := f.Diff("count_apples", 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	const want = `--- count_apples v1
+++ count_apples v2
@@ -1,9 +1,9 @@
-def count_apples(x: number) -> float:
+def count_apples(x: number, y: string) -> float:
     """count_apples does things with apples."""
     x = apples_0(x) if x > apples.limit_0 else x
     x = apples_1(x) if x > apples.limit_1 else x
     x = apples_2(x) if x > apples.limit_2 else x
-    x = apples_3(x) if x > apples.limit_3 else x
+    x = apples_3(2 * x) if x > apples.limit_3 else x
     x = apples_4(x) if x > apples.limit_4 else x
     x = apples_5(x) if x > apples.limit_5 else x
     x = apples_6(x) if x > apples.limit_6 else x
`
	if diff.Source != want {
		t.Errorf("got\n%s\nwant\n%s", diff.Source, want)
	}
	if !slices.Equal(diff.Changed, []string{"schema", "grants"}) {
		t.Errorf("changed %v", diff.Changed)
	}
	if same, err := f.Diff("count_apples", 2, 2); err != nil || same.Source != "" || same.Changed != nil {
		t.Errorf("%+v, %v", same, err)
	}
	if _, err := f.Diff("count_apples", 1, 3); !errors.Is(err, registry.ErrNotFound) {
		t.Error(err)
	}
}

func TestMarkdown(t *testing.T) {
	f := open(t)
	d := draft("count_apples", "apples")
	d.Grants, d.Licence, d.Notes = []string{"look_at"}, "MIT", []registry.Note{{Kind: registry.NoteReview, Text: "two\nlines | one cell"}}
	const want = `# count_apples v1

count_apples does things with apples.

| parameter | type | needed | meaning |
|---|---|---|---|
| x | number | no | the x |

- may call: look_at
- author: tester
- licence: MIT
- registered: 2026-03-01T12:00:00Z
- tests: 1 of 1 passed, 90 % of the lines ran
- quality: 0.91
- note on review: two lines \| one cell
`
	if got := f.register(d).Markdown(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
