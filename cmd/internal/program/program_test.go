package program

import (
	"errors"
	"flag"
	"io"
	"strings"
	"testing"

	"github.com/rs/zerolog"
)

func TestOptions(t *testing.T) {
	for args, want := range map[string]struct {
		code int
		says string // on stderr; with code 0 and nothing said the program goes on
	}{
		"":                    {ExitOK, ""},
		"-log-level warn":     {ExitOK, ""},
		"--help":              {ExitOK, "-log-level"},
		"-log-level loud":     {ExitUsage, "allowed are trace debug info warn error"},
		"-log-level=":         {ExitUsage, "allowed are trace debug info warn error"},
		"-log-level warn now": {ExitUsage, `reachy-test: argument "now" is not understood`},
		"-colour red":         {ExitUsage, "-colour"},
	} {
		var said strings.Builder
		var level zerolog.Level
		f := Flags("reachy-test", &said)
		LogLevel(f, &level)
		code, done := Refused("reachy-test", Parse(f, strings.Fields(args)), &said)
		if code != want.code || done != (want.says != "") || !strings.Contains(said.String(), want.says) {
			t.Errorf("%q: code %d, done %t, said %q; want %+v", args, code, done, said.String(), want)
		}
		if !done && level != map[bool]zerolog.Level{true: zerolog.WarnLevel, false: zerolog.InfoLevel}[args != ""] {
			t.Errorf("%q: level %v", args, level)
		}
	}
	if code, done := Refused("x", errors.Join(flag.ErrHelp), io.Discard); code != ExitOK || !done {
		t.Errorf("help: %d, %t", code, done)
	}
}

func TestDefaultSocket(t *testing.T) {
	for _, c := range []struct{ service, user, want string }{
		{"/run/reachyd", "/run/user/1", "/run/reachyd/x.sock"}, {"", "/run/user/1", "/run/user/1/x.sock"}, {"", "", "/tmp/x.sock"},
	} {
		t.Setenv("RUNTIME_DIRECTORY", c.service)
		t.Setenv("XDG_RUNTIME_DIR", c.user)
		t.Setenv("TMPDIR", "")
		if got := DefaultSocket("x"); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
