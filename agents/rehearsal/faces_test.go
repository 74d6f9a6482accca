package rehearsal

import "testing"

// A face is learned, known again and forgotten by what is said; a name that was told is known without the eyes, as before.
func TestFacesInConversation(t *testing.T) {
	stage := NewStage()
	defer stage.Close()
	for _, dialogue := range [][][2]string{
		{
			{"who is this?", "I do not know this face."},
			{"Hey Reachy, this is Anna.", "I will know the face of Anna from now on."},
			{"who is this?", "This is Anna."},
			{"who do you see?", "This is Anna."},
			{"do you know me?", "This is Anna."},
			{"who am I?", "This is Anna."},
			{"forget Tom's face", "I do not know the face of Tom."},
			{"forget Anna's face", "I have forgotten the face of Anna."},
			{"who am I?", "I do not know this face."},
		},
		{
			{"remember my face", `Whose face is it? Say for example: "remember my face, I am Tom".`},
			{"remember my face, I am Tom", "I will know the face of Tom from now on."},
			{"do you recognise me?", "This is Tom."},
			{"forget all faces", "I have forgotten the face of Tom."},
			{"forget all faces", "I do not know any faces."},
		},
	} {
		c := stage.Begin()
		for _, d := range dialogue {
			turn, err := c.Say(t.Context(), d[0])
			if err != nil || turn.Reply != d[1] {
				t.Errorf("%q: %q, %v; want %q", d[0], turn.Reply, err, d[1])
			}
		}
		if err := c.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
	c := stage.Begin()
	defer c.Close(t.Context())
	for _, text := range []string{"my name is Olga", "who am I?"} {
		turn, err := c.Say(t.Context(), text)
		t.Logf("%s: %s, %v", text, turn.Reply, err)
		if text == "who am I?" && turn.Reply == "I do not know this face." {
			t.Errorf("a told name is lost: %q", turn.Reply)
		}
	}
}
