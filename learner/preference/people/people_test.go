package people

import "testing"

// Few people, so that it does not take long; make eval-preferences has two hundred.
func TestPeopleGetWhatTheyLike(t *testing.T) {
	r := Run(16)
	if r.After30 < 0.75 || r.After100 < 0.8 || r.Changed40 < 0.7 || r.Troll100 < 0.9 {
		t.Error(r)
	}
}
