package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	mochi "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/hooks/auth"
	"github.com/mochi-mqtt/server/v2/listeners"
	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/connect"
)

func TestWrongUsage(t *testing.T) {
	for _, args := range [][]string{
		{"dance"},
		{"say"},
		{"plan"},
		{"state", "now"},
		{"--frob", "state"},
		{"--timeout", "soon", "state"},
		{"tool", "frob"},
		{"tool", "show"},
		{"tool", "show", "a", "b"},
		{"tool", "call"},
		{"--broker", "localhost:1883", "state"},
		{"--broker", "http://localhost", "state"},
		{"--broker", "mqtt://user:secret@localhost", "state"},
		{"--robot", "#", "state"},
		{"--password-file", "x", "state"},
		{"--user", "x", "--password-file", "does-not-exist", "state"},
		{"--ca", "does-not-exist", "state"},
		{"--ca", "run_test.go", "state"},
	} {
		got := ctl(t, args)
		if got.code != cli.ExitUsage || !strings.HasPrefix(got.err, "reachyctl: ") || got.out != "" || strings.Contains(got.err, "secret") {
			t.Errorf("%q: %+v", args, got)
		}
	}
}

// Every command says what it does and shows how.
func TestEveryCommandHasHelp(t *testing.T) {
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Short == "" || c.Long == "" || c.Example == "" {
			t.Errorf("%s: short %q, long %q, example %q", c.CommandPath(), c.Short, c.Long, c.Example)
		}
		for _, line := range strings.Split(c.Example, "\n") {
			if !strings.HasPrefix(line, "  reachyctl ") {
				t.Errorf("%s: example %q", c.CommandPath(), line)
			}
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(rootCommand(newApp(t, nil, nil)))
	golden(t, "help", ctl(t, []string{"--help"}).out)
}

func TestRunWithTheRealWorldAround(t *testing.T) {
	var out, errs bytes.Buffer
	code := run(context.Background(), []string{"version"}, []string{"NO_COLOR=1", "strange"}, strings.NewReader(""), &out, &errs)
	if code != cli.ExitDone || !strings.HasPrefix(out.String(), "reachyctl ") || errs.Len() != 0 {
		t.Errorf("%d %q %q", code, out.String(), errs.String())
	}
	if got := ctl(t, []string{"version", "--json"}); !strings.Contains(got.out, `"platform"`) {
		t.Errorf("%+v", got)
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if got := ctl(t, []string{"completion", shell}); got.code != cli.ExitDone || !strings.Contains(got.out, "reachyctl") {
			t.Errorf("%s: %d %q", shell, got.code, got.err)
		}
	}
}

func TestUnreachableBroker(t *testing.T) {
	ctl(t, []string{"--broker", "mqtt://127.0.0.1:1", "state"}).is(t, cli.ExitUnreachable, "",
		"reachyctl: cannot reach the robot at mqtt://127.0.0.1:1 (connect: connection refused): is reachyd running? `reachyctl doctor` says how to "+
			"start it\n")
	ctl(t, []string{"--broker", "mqtt://127.0.0.1:1", "--json", "state"}).is(t, cli.ExitUnreachable,
		`{"error":{"code":"unreachable","message":"cannot reach the robot at mqtt://127.0.0.1:1 (connect: connection refused): is reachyd running? `+
			"`reachyctl doctor` says how to start it"+`"},"ok":false}`+"\n", "")
}

func TestWhereTheBrokerIs(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	write := func(d, text string) { must(t, os.WriteFile(filepath.Join(d, cli.BrokerFile), []byte(text), 0o600)) }
	a := newApp(t, nil, nil)
	a.Dirs = []string{first, second}
	check := func(want string, local bool) {
		t.Helper()
		at, err := connect.AddressOf(a)
		must(t, err)
		if at.String() != want || at.Local != local {
			t.Errorf("%s local %v, want %s %v", at, at.Local, want, local)
		}
	}
	check("mqtt://127.0.0.1:1883", true)
	write(second, "mqtt://127.0.0.1:1885\n")
	check("mqtt://127.0.0.1:1885", true)
	write(first, "mqtts://robot.example\nmore\n") // an external broker, still this machine's robot
	check("mqtts://robot.example:8883", true)
	a.Env["REACHYCTL_BROKER"] = "ws://elsewhere/mqtt"
	check("ws://elsewhere:80/mqtt", false)
	a.Broker = "mqtt://[::1]"
	check("mqtt://[::1]:1883", true)

	a.Broker, a.Env = "", map[string]string{}
	write(first, "nonsense")
	if _, err := connect.AddressOf(a); err == nil || !strings.Contains(err.Error(), first) {
		t.Errorf("error %v does not name the file", err)
	}
}

// A directory in /tmp can be anybody's: one that is not ours is not believed.
func TestRunDirs(t *testing.T) {
	tmp := t.TempDir()
	env := map[string]string{"XDG_RUNTIME_DIR": "/xdg", "TMPDIR": tmp}
	mine := filepath.Join(tmp, "reachyd-"+strconv.Itoa(os.Getuid()))
	want := func(dirs ...string) {
		t.Helper()
		if got := strings.Join(cli.RunDirs(env), " "); got != strings.Join(dirs, " ") {
			t.Errorf("%q, want %q", got, dirs)
		}
	}
	want("/xdg/reachyd", "/run/reachyd")
	must(t, os.Symlink("/", mine))
	want("/xdg/reachyd", "/run/reachyd")
	must(t, os.Remove(mine))
	must(t, os.Mkdir(mine, 0o700))
	want("/xdg/reachyd", "/run/reachyd", mine)
}

// Colours are for terminals, and only for people who want them.
func TestColours(t *testing.T) {
	r := newRobot(t, nil)
	r.publish("state", badState, true)
	for _, c := range []struct {
		env  []string
		want bool
	}{
		{nil, true},
		{[]string{"NO_COLOR=1"}, false},
		{[]string{"TERM=dumb"}, false},
	} {
		master, terminal, err := pty.Open()
		must(t, err)
		read := make(chan string)
		go func() {
			var text strings.Builder
			buf := make([]byte, 4096)
			for {
				n, err := master.Read(buf)
				text.Write(buf[:n])
				if err != nil { // the terminal is closed
					read <- text.String()
					return
				}
			}
		}()
		var errs bytes.Buffer
		code := run(t.Context(), []string{"--broker", r.url, "state"}, c.env, strings.NewReader(""), terminal, &errs)
		must(t, terminal.Close())
		text := <-read
		must(t, master.Close())
		if code != cli.ExitDone || !strings.Contains(text, "STOPPED") || strings.Contains(text, "\x1b[31m") != c.want {
			t.Errorf("%v: %d %q %q", c.env, code, text, errs.String())
		}
	}
}

func TestLogin(t *testing.T) {
	r := newRobot(t, nil, func(_ *listeners.Config, s *mochi.Server) {
		must(t, s.AddHook(new(auth.Hook), &auth.Options{Ledger: &auth.Ledger{Auth: auth.AuthRules{{Username: "alice", Password: "wonder", Allow: true}}}}))
	})
	r.publish("state", calmState, true)
	right, bad := filepath.Join(t.TempDir(), "right"), filepath.Join(t.TempDir(), "bad")
	must(t, os.WriteFile(right, []byte("wonder\n"), 0o600))
	must(t, os.WriteFile(bad, []byte("land\n"), 0o600))
	r.ctl("state").is(t, cli.ExitUnreachable, "", "wants a login: use --user and --password-file")
	r.ctl("--user", "alice", "--password-file", bad, "state").is(t, cli.ExitUnreachable, "", `refuses user "alice"`)
	if got := r.ctl("--user", "alice", "--password-file", right, "state"); got.code != cli.ExitDone {
		t.Errorf("%+v", got)
	}
}

func TestTLS(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "robot"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	must(t, err)
	r := newRobot(t, nil, func(c *listeners.Config, s *mochi.Server) {
		c.TLSConfig = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, MinVersion: tls.VersionTLS12}
		must(t, s.AddHook(new(auth.AllowHook), nil))
	})
	r.url = strings.Replace(r.url, "mqtt://", "mqtts://", 1)
	r.publish("state", calmState, true)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	must(t, os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	r.ctl("state").is(t, cli.ExitUnreachable, "", "signed by nobody we know: name the signer's with --ca")
	if got := r.ctl("--ca", ca, "state"); got.code != cli.ExitDone {
		t.Errorf("%+v", got)
	}
}
