package language

import (
	"slices"
	"testing"
)

// What people say around a question is left out, and its verb stands where a question has it.
func TestCores(t *testing.T) {
	for text, want := range map[string]string{
		"Right, my son is doing his homework and he's stuck: what's 8 times 7?": "what's 8 times 7",
		"Excuse me young man, would you happen to know what day it is?":         "what day is it",
		"my kid wants to know what your name is":                                "what is your name",
		"Could you tell me roughly what time it is?":                            "what time is it",
		"I was wondering how far your head can turn":                            "how far can your head turn",
		"What day is it? I have lost track of the week":                         "What day is it",
		"I don't know how you spell giraffe":                                    "how do you spell giraffe",
		"would you know if you can sing":                                        "can you sing",
		"quick question: how many legs does a spider have":                      "how many legs does a spider have",
		"My sister is asking whether you have a camera":                         "do you have a camera",
		"We were wondering, my wife and I, who built you?":                      "who built you",
	} {
		if got := Cores(text); !slices.Contains(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// What belongs to the question stays with it, and what asks for nothing has no core.
func TestNoCores(t *testing.T) {
	for _, text := range []string{
		"what time is it", "There are 24 children and 9 are ill. How many are here?", "I bought a cake. How much was it?", "look left",
		"my brother wants to know nothing", "the cake was nice, thank you", "I don't know", "can you see that?",
	} {
		if got := Cores(text); len(got) > 0 {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// A question is gone on with, or asked once more.
func TestGoesOn(t *testing.T) {
	for text, want := range map[string]string{
		"and of Germany?": "of germany", "What about Italy?": "italy", "And a dog?": "a dog", "okay, and in metres then?": "in metres", "seconds?": "seconds",
		"and 30 percent": "30 percent", "how about twenty?": "twenty", "look left": "", "and now, please, look left and then nod": "", "seconds": "",
	} {
		if got, _ := GoesOn(Analyse(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]bool{"another one please": true, "again!": true, "okay, roll it again": true, "look again": false, "another day": false} {
		if got := SameAgain(Analyse(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
