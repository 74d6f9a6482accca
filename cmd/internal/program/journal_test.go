package program

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rs/zerolog"
)

// The journal knows how grave a line is; whoever else reads a program's output gets the line alone.
func TestLog(t *testing.T) {
	plain := `{"level":"debug"}` + "\n" + `{"level":"info"}` + "\n" + `{"level":"warn"}` + "\n" + `{"level":"error"}` + "\n"
	marks := strings.NewReplacer(`{"level":"i`, `<6>{"level":"i`, `{"level":"w`, `<4>{"level":"w`, `{"level":"e`, `<3>{"level":"e`)
	for name, c := range map[string]struct{ stream, want string }{
		"the journal":            {"%d:%d", "<7>" + marks.Replace(plain)},
		"a pipe of whoever is":   {"%d1:%d", plain},
		"nobody says what it is": {"", plain},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := os.Create(filepath.Join(t.TempDir(), "log"))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			var st syscall.Stat_t
			if err := syscall.Fstat(int(f.Fd()), &st); err != nil {
				t.Fatal(err)
			}
			t.Setenv("JOURNAL_STREAM", "")
			if c.stream != "" {
				t.Setenv("JOURNAL_STREAM", fmt.Sprintf(c.stream, st.Dev, st.Ino))
			}
			log := zerolog.New(Log(f))
			for _, level := range []zerolog.Level{zerolog.DebugLevel, zerolog.InfoLevel, zerolog.WarnLevel, zerolog.ErrorLevel} {
				log.WithLevel(level).Send()
			}
			if got, err := os.ReadFile(f.Name()); err != nil || string(got) != c.want {
				t.Errorf("%q, %v; want %q", got, err, c.want)
			}
		})
	}
}
