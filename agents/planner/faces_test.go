package planner

import "testing"

func TestFaces(t *testing.T) {
	p := New()
	for text, want := range map[string]string{
		"this is Anna":                            "remember_face Anna",
		"Hey Reachy, this is Anna.":               "remember_face Anna",
		"This is anna!":                           "remember_face Anna",
		"remember my face, I am Tom":              "remember_face Tom",
		"Remember my face, I'm Tom.":              "remember_face Tom",
		"please remember my face. My name is Tom": "remember_face Tom",
		"I am Tom, remember my face":              "remember_face Tom",
		"learn this face as Anna":                 "remember_face Anna",
		"This is Grzegorz.":                       "remember_face Grzegorz",
		"who is this?":                            "recognize_face ",
		"Who's this?":                             "recognize_face ",
		"who am I?":                               "recognize_face ",
		"do you know me?":                         "recognize_face ",
		"do you recognise me":                     "recognize_face ",
		"who do you see?":                         "recognize_face ",
		"forget Anna's face":                      "forget_face Anna",
		"forget the face of Anna":                 "forget_face Anna",
		"forget all faces":                        "forget_face ",
		"Please forget all faces.":                "forget_face ",
		"remember my face":                        `error Whose face is it? Say for example: "remember my face, I am Tom".`,
		"this is great":                           "",
		"this is Great":                           "",
		"this is Monday":                          "",
		"this is fun":                             "",
		"this is my sister ann":                   "",
		"forget your face":                        "",
		"who is that man over there":              "other",
		"I am Tom":                                "",
		"my name is Anna":                         "",
	} {
		plan := p.Plan(text)
		got := ""
		switch {
		case OfFaces(plan) != "" && plan.Outcome == OutcomePlan:
			name, _ := plan.Steps[0].Args["name"].(string)
			got = plan.Steps[0].Tool + " " + name
		case plan.Outcome == OutcomeError:
			got = "error " + plan.Message
		case len(plan.Steps) > 0:
			got = "other"
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
