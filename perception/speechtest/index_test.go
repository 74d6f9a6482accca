package speechtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAnIndexIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.tsv")
	for text, want := range map[string]string{
		"a.wav\tanna\tclean\tother\thello there\nb.wav\tbert\tnoise\tnothing\t\n": "",
		"a.wav\tanna\tclean\tother\thello\nb.wav\tbert\tnoise\tnothing\n":         `index.tsv:2: "b.wav\tbert\tnoise\tnothing\n" has 4 columns; allowed are file`,
		"a.wav\tanna\tclean\tsung\thello\n":                                       `index.tsv:1: kind "sung"; allowed are other, nothing`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		all, err := ReadIndex(path, "other", "nothing")
		if want != "" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v", text, err)
			}
			continue
		}
		if err != nil || len(all) != 2 || all[0] != (Recording{"a.wav", "anna", "clean", "other", "hello there"}) || all[1].Text != "" {
			t.Errorf("%+v, %v", all, err)
		}
	}
}
