package language

import "testing"

// What everybody reads of a text: slips of keys, chats, filled pauses and numbers that are taken back are mended, and nothing else.
func TestTidied(t *testing.T) {
	for text, want := range map[string]string{
		"u may move agian":                "you may move again",
		"set a tiemr for 5 mins":          "set a timer for 5 minutes",
		"remmeber my bike is in teh shed": "remember my bike is in the shed",
		"wheres my bike":                  "where is my bike",
		"a bti mroe pleeease":             "a bit more please",
		"stpo":                            "stop",
		"Remember that my keys are in the, um, blue bag.":   "Remember that my keys are in the blue bag.",
		"So, um, where are my keys?":                        "So, where are my keys?",
		"Hmm, a bit further, I think.":                      "a bit further, I think.",
		"No, um, both up again":                             "No, both up again",
		"look down, um, no, up":                             "look down, no, up",
		"Set a timer for three, no, four minutes.":          "Set a timer for four minutes.",
		"set a timer for three minutes, sorry, four":        "set a timer for four minutes",
		"What's, um, nine times seven, no, eight times 7?":  "What's eight times 7?",
		"Remind me in five minutes, no, ten, to call Bob.":  "Remind me in ten minutes, to call Bob.",
		"Set a timer for ten minutes. No, sorry, fifteen.":  "Set a timer for fifteen minutes.",
		"left, ten, well, fifteen":                          "left, fifteen",
		"Head 15 L, then look 5 U":                          "Head 15 left, then look 5 up",
		"undoo the othr one":                                "undo the other one",
		"12 times 12, no, 13":                               "12 times 13",
		"remind me in five minutes, no, ten seconds please": "remind me in ten seconds please",

		"nod 2 times, wait 3 seconds, then bow":     "nod 2 times, wait 3 seconds, then bow",
		"turn left 10, no, 20 to the right":         "turn left 10, no, 20 to the right",
		"my name is trun":                           "my name is trun",
		"how do you spell agian":                    "how do you spell agian",
		`"teh" is no word`:                          `"teh" is no word`,
		"say um":                                    "say um",
		"Is Noah there? We met Trun at the station": "Is Noah there? We met Trun at the station",
		"it was 5 mm, no more":                      "it was 5 mm, no more",
		"the quiet angel sat by the trail":          "the quiet angel sat by the trail",
	} {
		if got := Tidied(text); got != want {
			t.Errorf("%q\ngot  %q\nwant %q", text, got, want)
		}
	}
}

// Whatever is said, tidying neither fails nor makes much of little.
func FuzzTidied(f *testing.F) {
	f.Add("Um, set a tiemr for three, no, four mins")
	f.Add("5, no, 4, no, 3, wait, 2")
	f.Fuzz(func(t *testing.T, text string) {
		once := Tidied(text)
		if len(text) < MaxText/2 && len(once) > 4*len(text)+16 {
			t.Errorf("%q became %q", text, once)
		}
	})
}
