package guard

import (
	_ "embed" // the sentences
	"strings"
	"testing"
)

//go:embed testdata/claims.txt
var claimed string

// What a model claims to have done, seen or promised without a tool is left out, and nothing else.
func TestClaims(t *testing.T) {
	for line := range strings.Lines(claimed) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		text, goes := strings.CutPrefix(line, "- ")
		rest, dropped := Claims(text)
		switch {
		case goes && (len(dropped) == 0 || rest != ""):
			t.Errorf("%q stays: %q", text, rest)
		case !goes && rest != text:
			t.Errorf("%q becomes %q", text, rest)
		}
	}
}

// Only the sentence goes that claims something.
func TestClaimsBesideOthers(t *testing.T) {
	rest, dropped := Claims("Whales sing. I have just looked at one! They are large. *waves*")
	if rest != "Whales sing. They are large." || len(dropped) != 2 {
		t.Errorf("%q without %q", rest, dropped)
	}
}

// What only agrees goes with what it agreed to.
func TestAgreementsGoWithTheClaim(t *testing.T) {
	for text, want := range map[string]string{
		"Of course! I will turn it off.": "", "Sure, Reachy! Okay. Let me look.": "", "Sure! Whales sing.": "Sure! Whales sing.",
		"Yes, whales sing. I saw one.": "Yes, whales sing.",
	} {
		if got, _ := Claims(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzClaims(f *testing.F) {
	f.Add("I have turned left. *nods*")
	f.Fuzz(func(t *testing.T, text string) {
		rest, dropped := Claims(text)
		if len(dropped) == 0 && rest != text || len(rest) > len(text)+len(dropped) {
			t.Errorf("%q: %q, %q", text, rest, dropped)
		}
	})
}

// After tools were called what was done and seen may be true; what is promised, and what the robot is not, is not.
func TestPromises(t *testing.T) {
	for text, want := range map[string]string{
		"I can see a red cup. I will bring it to you.":               "I can see a red cup.",
		"I found a page about whales. Let me check the weather too.": "I found a page about whales.",
		"Sure! I will remind you tomorrow.":                          "",
		"The sofa is green.":                                         "The sofa is green.",
		"I am Qwen, made by Alibaba Cloud. It rains in Paris.":       "It rains in Paris.",
	} {
		if got, _ := Promises(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestSight(t *testing.T) {
	for text, want := range map[string]bool{
		"Is my collar crooked?": true, "And are my new shoes dirty?": true, "Have I left my bag somewhere around here?": true, "How do I look?": true,
		"What do you think about my new haircut?": true,
		"Is my brother right?":                    false, "Is the sky blue?": false, "How does a camera work?": false, "Did I leave too early?": false,
	} {
		if got := Sight(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
