package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "dialogues.txt")
	text := "turn your body left 20 => move body left 20\nten more => more 10\n\nlook up by 10 => move head down 10\n# robot: How far?\nten => more 10\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run([]string{"-v", file}, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"3 sentences", "rules     2, 66.7 %", "meant 10 0 0 0 10 -10"} { // the third is labelled wrongly, the answer is not counted
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &out)
		}
	}
	if err := run([]string{file + ".none"}, &out); err == nil {
		t.Error("a file that is not there is read")
	}
}
