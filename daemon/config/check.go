package config

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/reachyd/reachyd/perception/language/truncate"
)

// rule says what a key may be, beyond its type.
type rule struct {
	key     string
	allowed string
	ok      func(*Config) bool
}

func rules() []rule {
	return []rule{
		{"robot.id", "1 to 64 letters, digits, '_' and '-'", func(c *Config) bool { return isID(c.Robot.ID) }},
		{"robot.name", "1 to 100 characters on one line", func(c *Config) bool { return isName(c.Robot.Name) }},
		{"body.port", "empty, auto, the path of a device, or unix: and the path of a socket", func(c *Config) bool { return isPort(c.Body.Port) }},
		{"body.rate", "20 to 200 (ticks a second)", func(c *Config) bool { return c.Body.Rate >= 20 && c.Body.Rate <= 200 }},
		{"body.owner_timeout", "100ms to 1m", func(c *Config) bool { return between(c.Body.OwnerTimeout, 100*time.Millisecond, time.Minute) }},
		{"body.park_after", "0s (never) to 1h", func(c *Config) bool { return between(c.Body.ParkAfter, 0, time.Hour) }},
		{"body.max_speed", "0.05 to 1 (fraction of the speed limits)", func(c *Config) bool { return c.Body.MaxSpeed >= 0.05 && c.Body.MaxSpeed <= 1 }},
		{"training.task", "0 to 100 (weight)", func(c *Config) bool { return c.Training.Task >= 0 && c.Training.Task <= 100 }},
		{"training.human", "0 to 100 (weight)", func(c *Config) bool { return c.Training.Human >= 0 && c.Training.Human <= 100 }},
		{"training.safety", "0 to 100 (weight)", func(c *Config) bool { return c.Training.Safety >= 0 && c.Training.Safety <= 100 }},
		{"body.servo_watchdog", "0s (off), or 20ms to 2.54s", func(c *Config) bool {
			return c.Body.ServoWatchdog == 0 || between(c.Body.ServoWatchdog, 20*time.Millisecond, 2540*time.Millisecond)
		}},
		{"robot.tell_address", "auto, always, never", func(c *Config) bool { return oneOf(c.Robot.TellAddress, "auto", "always", "never") }},
		{"body.imu", "auto, off, or an absolute path", func(c *Config) bool { return oneOf(c.Body.IMU, "auto", "off") || filepath.IsAbs(c.Body.IMU) }},
		{"body.power_key", "auto, off, sleep, power_off", func(c *Config) bool { return oneOf(c.Body.PowerKey, "auto", "off", "sleep", "power_off") }},
		{"body.wake", "auto, always, never", func(c *Config) bool { return oneOf(c.Body.Wake, "auto", "always", "never") }},
		{"sim.model", "auto, mujoco, simple", func(c *Config) bool { return oneOf(c.Sim.Model, "auto", "mujoco", "simple") }},
		{"sim.scene", "table, empty", func(c *Config) bool { return oneOf(c.Sim.Scene, "table", "empty") }},
		{"mqtt.broker", "empty, or mqtt://, mqtts://, ws:// or wss:// with a host and no password", func(c *Config) bool { return isBroker(c.MQTT.Broker) }},
		{"mqtt.listen", "an address and a port, such as 127.0.0.1:1883", func(c *Config) bool { return isAddress(c.MQTT.Listen) }},
		{
			"mqtt.prefix", "MQTT topic levels without wildcards, such as reachy or home/robots; not beginning with $",
			func(c *Config) bool { return isTopic(c.MQTT.Prefix) },
		},
		{"mqtt.discovery_prefix", "empty, or MQTT topic levels without wildcards", func(c *Config) bool {
			return c.MQTT.DiscoveryPrefix == "" || isTopic(c.MQTT.DiscoveryPrefix)
		}},
		{"http.listen", "empty, or an address and a port, such as 127.0.0.1:8000", func(c *Config) bool { return c.HTTP.Listen == "" || isAddress(c.HTTP.Listen) }},
		{"http.hosts", "host names such as reachy.lan", func(c *Config) bool {
			return !slices.ContainsFunc(c.HTTP.Hosts, func(h string) bool { return !isHost(h) || strings.ContainsAny(h, "*:") })
		}},
		{"http.origins", "origins such as https://home.example.org", func(c *Config) bool {
			return !slices.ContainsFunc(c.HTTP.Origins, func(o string) bool { return !isOrigin(o) })
		}},
		{"tools.review", "auto, always, never", func(c *Config) bool { return oneOf(c.Tools.Review, "auto", "always", "never") }},
		{"tools.allowed_hosts", "host names such as api.example.org, *.example.org or nas.example.org:8080", func(c *Config) bool {
			return !slices.ContainsFunc(c.Tools.AllowedHosts, func(h string) bool { return !isHost(h) })
		}},
		{"sdk.camera_socket", "auto, none, a path from /", func(c *Config) bool {
			return oneOf(c.SDK.CameraSocket, "auto", "none") || filepath.IsAbs(c.SDK.CameraSocket)
		}},
		{"sdk.webrtc", "auto, none, an address and a port of this host alone, such as 127.0.0.1:8443", func(c *Config) bool {
			return oneOf(c.SDK.WebRTC, "auto", "none") || isAddress(c.SDK.WebRTC) && isLoopback(c.SDK.WebRTC)
		}},
		{"sense.run", "auto, never", func(c *Config) bool { return oneOf(c.Sense.Run, "auto", "never") }},
		{"sense.language", "auto, or a language such as en or de", func(c *Config) bool { return isLanguage(c.Sense.Language) && c.Sense.Language != "" }},
		{"sense.speech_model", "a name or a path of up to 100 characters on one line", func(c *Config) bool {
			return c.Sense.Speech == "" || isName(c.Sense.Speech)
		}},
		{"sense.wake_phrase", "empty, or 3 to 60 characters on one line, 3 of them letters: a shorter one is in much of what is said", func(c *Config) bool {
			return c.Sense.WakePhrase == "" || isName(c.Sense.WakePhrase) && utf8.RuneCountInString(c.Sense.WakePhrase) <= 60 && letters(c.Sense.WakePhrase) >= 3
		}},
		{"sense.volume", "0 to 100", func(c *Config) bool { return c.Sense.Volume >= 0 && c.Sense.Volume <= 100 }},
		{"llm.url", "empty, or http:// or https:// with a host, such as http://127.0.0.1:11434", func(c *Config) bool { return c.LLM.URL == "" || isWeb(c.LLM.URL) }},
		{"llm.api", "ollama, openai", func(c *Config) bool { return oneOf(c.LLM.API, "ollama", "openai") }},
		{"llm.calls", "auto, schema, text, native, plain", func(c *Config) bool { return oneOf(c.LLM.Calls, "auto", "schema", "text", "native", "plain") }},
		{"llm.context", "0 (the server's own), or 1024 to 1048576 (tokens)", func(c *Config) bool {
			return c.LLM.Context == 0 || c.LLM.Context >= 1024 && c.LLM.Context <= 1<<20
		}},
		{"llm.threads", "0 (the server's own) to 256", func(c *Config) bool { return c.LLM.Threads >= 0 && c.LLM.Threads <= 256 }},
		{"web.searxng", "empty, or http:// or https:// with a host, such as http://searx.lan:8888", func(c *Config) bool {
			return c.Web.SearXNG == "" ||
				isWeb(c.Web.SearXNG)
		}},
		{"web.language", "empty, or a language such as en", func(c *Config) bool { return isLanguage(c.Web.Language) }},
		{"web.safe_search", "0 (off), 1 (moderate), 2 (strict)", func(c *Config) bool { return c.Web.SafeSearch >= 0 && c.Web.SafeSearch <= 2 }},
		{"tools.write", "ask, auto, never", func(c *Config) bool { return oneOf(c.Tools.Write, "ask", "auto", "never") }},
		{"learning.speed", "very_slow, slow, usual, quick, very_quick", func(c *Config) bool {
			return oneOf(c.Learning.Speed, "", "very_slow", "slow", "usual", "quick", "very_quick")
		}},
		{"learning.size", "tiny, small, usual, wide, very_wide", func(c *Config) bool {
			return oneOf(c.Learning.Size, "", "tiny", "small", "usual", "wide", "very_wide")
		}},
		{"learning.greeting", "none, nod, bow, wiggle_antennas", func(c *Config) bool {
			return oneOf(c.Learning.Greeting, "", "none", "nod", "bow", "wiggle_antennas")
		}},
		{"learning.idle", "still, usual, lively", func(c *Config) bool { return oneOf(c.Learning.Idle, "", "still", "usual", "lively") }},
		{"learning.asking", "never, seldom", func(c *Config) bool { return oneOf(c.Learning.Asking, "", "never", "seldom") }},
		{"learning.volume", "very_quiet, quiet, usual, loud, very_loud", func(c *Config) bool {
			return oneOf(c.Learning.Volume, "", "very_quiet", "quiet", "usual", "loud", "very_loud")
		}},
		{"learning.rate", "very_slow, slow, usual, quick, very_quick", func(c *Config) bool {
			return oneOf(c.Learning.Rate, "", "very_slow", "slow", "usual", "quick", "very_quick")
		}},
		{"learning.length", "short, usual, long", func(c *Config) bool { return oneOf(c.Learning.Length, "", "short", "usual", "long") }},
		{"idle", "off, calm, lively", func(c *Config) bool { return oneOf(c.Idle, "off", "calm", "lively") }},
		{"log.level", "debug, info, warn, error", func(c *Config) bool { return oneOf(c.Log.Level, "debug", "info", "warn", "error") }},
		{"log.format", "auto, json, console", func(c *Config) bool { return oneOf(c.Log.Format, "auto", "json", "console") }},
		{"store.retention_days", "1 to 3650", func(c *Config) bool { return c.Store.RetentionDays >= 1 && c.Store.RetentionDays <= 3650 }},
		{"store.max_events", "1000 to 100000000", func(c *Config) bool { return c.Store.MaxEvents >= 1000 && c.Store.MaxEvents <= 100_000_000 }},
		{
			"run_dir", fmt.Sprintf("a path of at most %d bytes, as the sockets in it must not exceed %d", maxSocketPath-len(longestSocket)-1, maxSocketPath),
			func(c *Config) bool {
				return len(filepath.Join(c.RunDir, longestSocket)) <= maxSocketPath
			},
		},
	}
}

// check adds to problems whatever is out of range, and what does not fit together.
func (c *Config) check(problems *Problems) {
	values := c.values()
	for _, r := range rules() {
		if slices.ContainsFunc(*problems, func(p Problem) bool { return p.Key == r.key }) || r.ok(c) {
			continue // one problem per key is enough
		}
		value := values[r.key]
		if o, ok := c.origin[r.key]; ok {
			value = o.text // as it was written
		}
		wrong := "is not allowed"
		if value == "" {
			wrong = "is empty"
		}
		c.problem(problems, r.key, truncate.Runes(withoutLogin(value), maxQuoted), wrong, r.allowed)
	}
	c.checkTLS(problems)
	c.checkUsers(problems)
	if c.Sim.Enabled && c.Body.Port != "" {
		c.problem(problems, "body.port", c.Body.Port, "does not go with sim.enabled", "one of the two")
	}
}

func (c *Config) problem(problems *Problems, key, value, wrong, allowed string) {
	*problems = append(*problems, Problem{Where: c.origin[key].where, Key: key, Value: value, Wrong: wrong, Allowed: allowed})
}

func (c *Config) checkTLS(problems *Problems) {
	t := c.MQTT.TLS
	if (t.Cert == "") != (t.Key == "") {
		key := "mqtt.tls.key"
		if t.Cert == "" {
			key = "mqtt.tls.cert"
		}
		c.problem(problems, key, "", "is missing", "certificate and key together, or neither")
	}
	if h := c.HTTP.TLS; (h.Cert == "") != (h.Key == "") {
		key := "http.tls.key"
		if h.Cert == "" {
			key = "http.tls.cert"
		}
		c.problem(problems, key, "", "is missing", "certificate and key together, or neither")
	}
	if c.MQTT.Broker == "" && t.CA != "" && t.Cert == "" {
		c.problem(problems, "mqtt.tls.ca", t.CA, "needs mqtt.tls.cert and mqtt.tls.key: without them the broker inside reachyd does not speak TLS",
			"all three, or none")
	}
}

func (c *Config) checkUsers(problems *Problems) {
	if slices.ContainsFunc(*problems, func(p Problem) bool { return strings.HasPrefix(p.Key, "mqtt.users") }) {
		return // what could not be read need not be checked
	}
	users := c.MQTT.Users
	if c.MQTT.Broker != "" && len(users) > 0 {
		c.problem(problems, "mqtt.users", "", "is for the broker inside reachyd, but mqtt.broker names another one", "one of the two")
	}
	if c.MQTT.Broker == "" && len(users) == 0 && !isLoopback(c.MQTT.Listen) && isAddress(c.MQTT.Listen) {
		c.problem(problems, "mqtt.listen", c.MQTT.Listen, "is open to other machines, and everybody there could move the robot",
			"a loopback address such as 127.0.0.1:1883, or any with mqtt.users")
	}
	seen := map[string]bool{}
	for i, u := range users {
		at := fmt.Sprintf("mqtt.users[%d]", i)
		add := func(key, value, wrong, allowed string) {
			*problems = append(*problems, Problem{
				Where: c.origin["mqtt.users"].where, Key: at + key, Value: truncate.Runes(value, maxQuoted), Wrong: wrong,
				Allowed: allowed,
			})
		}
		if !isName(u.Name) {
			add(".name", u.Name, "is not allowed", "1 to 100 characters on one line")
		}
		if seen[u.Name] {
			add(".name", u.Name, "is there twice", "each user once")
		}
		seen[u.Name] = true
		if u.Password == "" {
			add(".password", "", "is missing", "a password for every user")
		}
		for j, f := range u.Publish {
			if !isFilter(f) {
				add(fmt.Sprintf(".publish[%d]", j), f, "is no MQTT filter", "topic levels, + for any level, # at the end for all below")
			}
		}
		for j, f := range u.Subscribe {
			if !isFilter(f) {
				add(fmt.Sprintf(".subscribe[%d]", j), f, "is no MQTT filter", "topic levels, + for any level, # at the end for all below")
			}
		}
	}
}

// withoutLogin hides what stands before the @ of a URL.
func withoutLogin(s string) string {
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok {
		return s
	}
	if i := strings.LastIndex(rest, "@"); i >= 0 {
		rest = hidden + rest[i:]
	}
	return scheme + "://" + rest
}

func oneOf(s string, allowed ...string) bool { return slices.Contains(allowed, s) }

func between(d, low, high time.Duration) bool { return d >= low && d <= high }

func isID(s string) bool {
	return s != "" && len(s) <= 64 && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
	})
}

func isName(s string) bool {
	return s != "" && utf8.ValidString(s) && utf8.RuneCountInString(s) <= 100 && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// letters counts those of a text, of any script.
func letters(s string) (n int) {
	for _, r := range s {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}

func isPort(s string) bool {
	if path, ok := strings.CutPrefix(s, "unix:"); ok {
		return path != "" && len(path) <= maxSocketPath
	}
	return s == "" || s == "auto" || filepath.IsAbs(s)
}

func isBroker(s string) bool {
	if s == "" {
		return true
	}
	u, err := url.Parse(s)
	if err != nil || u.Hostname() == "" || u.User != nil { // mqtt.user and mqtt.password are for that
		return false
	}
	if p := u.Port(); p != "" && !isPortNumber(p, 1) {
		return false
	}
	return oneOf(u.Scheme, "mqtt", "mqtts", "ws", "wss")
}

func isAddress(s string) bool {
	_, port, err := net.SplitHostPort(s)
	return err == nil && isPortNumber(port, 0)
}

func isPortNumber(s string, least int) bool {
	n, err := strconv.Atoi(s)
	return err == nil && n >= least && n <= 65535
}

func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// isHost allows what host.WebConfig.Allow means: a name or an address, perhaps all names below it, perhaps one port.
func isHost(s string) bool {
	name := strings.TrimPrefix(s, "*.")
	if host, port, err := net.SplitHostPort(name); err == nil {
		if name = host; !isPortNumber(port, 1) {
			return false
		}
	}
	if _, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil {
		return true
	}
	return name != "" && len(name) <= 253 && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '.'
	})
}

func isTopic(s string) bool {
	return isFilter(s) && !strings.ContainsAny(s, "+#") && !strings.HasPrefix(s, "$")
}

func isFilter(s string) bool {
	if s == "" || len(s) > 256 || !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
		return false
	}
	levels := strings.Split(s, "/")
	for i, level := range levels {
		switch {
		case level == "":
			return false
		case level == "#" && i == len(levels)-1, level == "+":
		case strings.ContainsAny(level, "+#"):
			return false
		}
	}
	return true
}

// isWeb reports whether s is the address of a web server, without a login.
func isWeb(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil && u.RawQuery == "" && u.Fragment == ""
}

// isOrigin reports whether s is what a browser sends as Origin.
func isOrigin(s string) bool {
	u, err := url.Parse(s)
	return err == nil && isWeb(s) && s == u.Scheme+"://"+u.Host
}

// isLanguage reports whether s is empty, auto, or the tag of a language such as en or pt-BR.
func isLanguage(s string) bool {
	if len(s) > 12 {
		return false
	}
	for i, r := range s {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r != '-' || i == 0) {
			return false
		}
	}
	return s == "" || len(s) >= 2
}
