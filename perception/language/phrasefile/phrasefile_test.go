package phrasefile

import (
	"reflect"
	"testing"
	"testing/fstest"
)

func TestMustRead(t *testing.T) {
	const text = "# not: this\n\ngood: well done | bravo\nbad: oh no\ngood: nice\n"
	got := MustRead(fstest.MapFS{"p.txt": {Data: []byte(text)}}, "p.txt")
	want := map[string][]string{"good": {"well done", "bravo", "nice"}, "bad": {"oh no"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	defer func() {
		if recover() == nil {
			t.Error("a file that is not there is read")
		}
	}()
	MustRead(fstest.MapFS{}, "p.txt")
}
