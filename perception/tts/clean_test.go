package tts

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	for _, c := range []struct{ in, out string }{
		{"Hello there.", "Hello there."},
		{"I *really* like **this** one, `x` and ~~that~~ too.", "I really like this one, x and that too."},
		{"# Title\n\nText below.", "Title.\nText below."},
		{"Two things:\n- an apple\n- a *duck*!\n", "Two things:\nan apple.\na duck!"},
		{"1. First\n2. Second", "1. First\n2. Second"},
		{"See [the page](https://example.com/a/b?c=d) now", "See the page now"},
		{"See https://www.example.com/a/b?c=d.", "See example dot com."},
		{"I am at 192.168.1.20.", "I am at 1 9 2 dot 1 6 8 dot 1 dot 2 0."},
		{"See http://10.0.0.7:8000/page.", "See 1 0 dot 0 dot 0 dot 7."},
		{"Version 1.2.3 is out", "Version 1.2.3 is out"},
		{"(www.reachy.org)", "(reachy dot org)"},
		{"Write to ann.lee@mail.example.org.", "Write to ann dot lee at mail dot example dot org."},
		{"Look ![a duck](duck.png) here", "Look a duck here"},
		{"Nice 😀👍🏽 day ❤️!", "Nice day !"},
		{"```go\nfunc main() {}\n```\nDone.", "Done."},
		{"```never ends", ""},
		{"Fish & chips, 21 °C, 90°, ≤ 5", "Fish and chips, 21 degrees C, 90 degrees, at most 5"},
		{"| a | b |\n|---|---|\n| 1 | 2 |", "a, b.\n1, 2."},
		{"<b>Bold</b> 1 < 2", "Bold 1 2"},
		{"say [[h@l'oU]] now", "say h@l'oU now"},
		{"tool_name and __strong__ _soft_", "tool name and strong soft"},
		{"It's 3.5 metres — “far” … ok", `It's 3.5 metres, "far" ... ok`},
		{"null\x00byte\x1b[31m\u200b", "nullbyte 31m"},
		{"\xff\xfebad", "bad"},
		{" \n\t ", ""},
		{"***", ""},
		{"😀", ""},
		{"...", ""},
		{"Grüße, 你好。", "Grüße, 你好。"},
		{"> quoted", "quoted."},
		{"-5 degrees", "-5 degrees"},
	} {
		if got := Clean(c.in); got != c.out {
			t.Errorf("%q\n gives %q\n want  %q", c.in, got, c.out)
		}
	}
}

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		in  string
		out []string
	}{
		{"One. Two! Three? Four", []string{"One.", "Two!", "Three?", "Four"}},
		{"Dr. Lee met Mr. J. Smith at 3.30 p.m. yesterday. He left.", []string{"Dr. Lee met Mr. J. Smith at 3.30 p.m. yesterday.", "He left."}},
		{"Fruit, e.g. apples, i.e. food. Yes.", []string{"Fruit, e.g. apples, i.e. food.", "Yes."}},
		{"It is 3.14. Or 2,718.", []string{"It is 3.14.", "Or 2,718."}},
		{"1. First thing\n2. Second thing", []string{"1. First thing", "2. Second thing"}},
		{`He said "stop." Then he left.`, []string{`He said "stop."`, "Then he left."}},
		{"Well... maybe. So it is", []string{"Well... maybe.", "So it is"}},
		{"It was me and I. You too.", []string{"It was me and I.", "You too."}},
		{"Apples, pears etc. They are good.", []string{"Apples, pears etc.", "They are good."}},
		{"No. Not that.", []string{"No.", "Not that."}},
		{"Am 5. Dezember war es so.", []string{"Am 5.", "Dezember war es so."}},
		{"", nil},
	} {
		got := Split(c.in)
		if strings.Join(got, "|") != strings.Join(c.out, "|") {
			t.Errorf("%q gives %q, want %q", c.in, got, c.out)
		}
	}
	long := "I can see an apple on the left side of the table, a croissant that looks rather good in the middle, " +
		"and behind them a yellow duck which nobody seems to have noticed because it is so small " +
		"and so far away from everything else that is on the table today."
	got := Split(long)
	if len(got) != 2 || got[0] != "I can see an apple on the left side of the table," || utf8.RuneCountInString(got[1]) > laterPiece*5/4 {
		t.Errorf("%q", got)
	}
	for _, piece := range Split(strings.Repeat("x", 1000)) {
		if len(piece) > laterPiece*5/4 {
			t.Errorf("a word of %d letters was left whole", len(piece))
		}
	}
}

// What is said is what was written: cleaning leaves nothing that has no sound, splitting loses nothing and makes no long
// pieces.
func FuzzSay(f *testing.F) {
	for _, s := range []string{
		"Hello. I am *here*!", "e.g. 3.14, a.b@c.de and https://x.y/z?", "# a\n- b\n1. c", "[[x]] <y> &amp; \x00 😀", "a,b;c " + strings.Repeat("word, and ", 60),
		strings.Repeat("ß", 900), "``````a```", "| --- | b", "[a](b)[c](d", "_a__b_ °C", "\"'»). .", ". , ;",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 4*MaxText {
			return
		}
		clean := Clean(s)
		if !utf8.ValidString(clean) || strings.ContainsAny(clean, "\x00\r\x1b[]<>|`") {
			t.Fatalf("%q became %q", s, clean)
		}
		pieces := Split(clean)
		join := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if a, b := join(strings.Join(pieces, "")), join(clean); a != b {
			t.Fatalf("words were lost: %q\n%q", a, b)
		}
		for i, p := range pieces {
			most := laterPiece
			if i == 0 {
				most = firstPiece
			}
			if n := utf8.RuneCountInString(p); n == 0 || n > most+most/4 {
				t.Fatalf("piece %d has %d characters: %q", i, n, p)
			}
		}
	})
}

func TestHeardText(t *testing.T) {
	pieces := []string{"One two three.", "Four five six seven.", "Eight."}
	ends := []ending{{sound: time.Second}, {sound: 3 * time.Second, pause: time.Second}}
	for _, c := range []struct {
		ms   int
		want string
	}{
		{0, ""},
		{300, "One"},
		{999, "One two"},
		{1000, "One two three."},
		{2000, "One two three. Four five"},
		{3000, "One two three. Four five six seven."},
		{3990, "One two three. Four five six seven."},
		{9000, "One two three. Four five six seven. Eight."},
	} {
		if got := heardText(pieces, ends, time.Duration(c.ms)*time.Millisecond); got != c.want {
			t.Errorf("after %d ms %q, want %q", c.ms, got, c.want)
		}
	}
	if got := heardText(pieces[:1], nil, 600*time.Millisecond); got != "One two" {
		t.Errorf("with an unknown end %q", got)
	}
}
