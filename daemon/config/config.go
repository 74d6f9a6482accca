// Package config reads reachyd's settings: defaults, one annotated YAML file, environment, options; whole or not at all.
package config

import (
	_ "embed" // the defaults are a file that people read
	"maps"
	"net"
	"time"
)

// Default is the annotated configuration: the documentation of every key, and the source of every default.
//
//go:embed reachyd.yaml
var Default string

// DefaultID is the id of a robot that nobody has named.
const DefaultID = "mini"

// Config is everything that can be set. Load fills it; nothing changes it afterwards. reachyd.yaml says what each key means. The tag
// change says of keys that Runtime may change when that takes effect; the others are addresses, paths, secrets, and what guards the
// robot, which only those change who may write the file.
type Config struct {
	Robot    Robot    `yaml:"robot"`
	Body     Body     `yaml:"body"`
	Sim      Sim      `yaml:"sim"`
	MQTT     MQTT     `yaml:"mqtt"`
	HTTP     HTTP     `yaml:"http"`
	SDK      SDK      `yaml:"sdk"`
	Sense    Sense    `yaml:"sense"`
	LLM      LLM      `yaml:"llm"`
	Web      Web      `yaml:"web"`
	Tools    Tools    `yaml:"tools"`
	Log      Log      `yaml:"log"`
	Store    Store    `yaml:"store"`
	Programs Programs `yaml:"programs"`
	Learning Learning `yaml:"learning"`
	Idle     string   `yaml:"idle" change:"now"` // off, calm, lively
	IdleLook bool     `yaml:"idle_look"`
	Training Training `yaml:"training"`
	Persona  string   `yaml:"persona"`  // path; "": the built-in one
	DataDir  string   `yaml:"data_dir"` // absolute after Load
	RunDir   string   `yaml:"run_dir"`  // absolute after Load

	origin map[string]origin                     // by path; a key that is missing here has its default
	reload func(changes []byte) (*Config, error) // reads everything anew; a closure, as the environment may hold secrets
}

// Learning fixes what the robot else learns from its people: names of options, "" where it learns.
type Learning struct {
	Speed    string `yaml:"speed" change:"now"`
	Size     string `yaml:"size" change:"now"`
	Greeting string `yaml:"greeting" change:"now"`
	Idle     string `yaml:"idle" change:"now"`
	Asking   string `yaml:"asking" change:"now"`
	Volume   string `yaml:"volume" change:"now"`
	Rate     string `yaml:"rate" change:"now"`
	Length   string `yaml:"length" change:"now"`
	Routes   bool   `yaml:"routes" change:"now"`
}

// Fixed returns the options that are fixed, by parameter.
func (l Learning) Fixed() map[string]string {
	fixed := map[string]string{
		"speed": l.Speed, "size": l.Size, "greeting": l.Greeting, "idle": l.Idle, "asking": l.Asking,
		"volume": l.Volume, "rate": l.Rate, "length": l.Length,
	}
	maps.DeleteFunc(fixed, func(_, option string) bool { return option == "" })
	return fixed
}

// Training are the weights of the parts of a reward in training.
type Training struct {
	Task   float64 `yaml:"task" change:"now"`
	Human  float64 `yaml:"human" change:"now"`
	Safety float64 `yaml:"safety" change:"now"`
}

// Robot says which robot this is.
type Robot struct {
	ID   string `yaml:"id"`
	Name string `yaml:"name" change:"restart"`
	// TellAddress is auto, always or never.
	TellAddress string `yaml:"tell_address" change:"restart"`
}

// Body is the hardware and its control loop.
type Body struct {
	Port          string        `yaml:"port"` // "", "auto", a device, or "unix:" and a path
	Rate          int           `yaml:"rate"` // Hz
	OwnerTimeout  time.Duration `yaml:"owner_timeout"`
	ParkAfter     time.Duration `yaml:"park_after"` // 0: never
	MaxSpeed      float64       `yaml:"max_speed"`  // fraction of the speed limits, (0, 1]
	ServoWatchdog time.Duration `yaml:"servo_watchdog"`
	Wake          string        `yaml:"wake"`      // auto, always, never
	IMU           string        `yaml:"imu"`       // auto, off, or a directory of IIO devices
	PowerKey      string        `yaml:"power_key"` // auto, off, sleep, power_off
}

// Sim is the simulated robot.
type Sim struct {
	Enabled bool   `yaml:"enabled"`
	Model   string `yaml:"model" change:"restart"` // auto, mujoco, simple
	Scene   string `yaml:"scene" change:"restart"` // table, empty
}

// MQTT is the broker, ours or another, and what we say there.
type MQTT struct {
	Broker          string `yaml:"broker"` // "": the embedded one
	Listen          string `yaml:"listen"`
	User            string `yaml:"user"`
	Password        Secret `yaml:"password"`
	PasswordFile    string `yaml:"password_file"`
	TLS             TLS    `yaml:"tls"`
	Prefix          string `yaml:"prefix"`
	DiscoveryPrefix string `yaml:"discovery_prefix"` // "": no discovery
	Users           []User `yaml:"users"`
}

// TLS names PEM files.
type TLS struct {
	CA   string `yaml:"ca"`
	Cert string `yaml:"cert"`
	Key  string `yaml:"key"`
}

// User may use the embedded broker. Publish and Subscribe are topic filters; nil allows everything, an empty list nothing.
type User struct {
	Name      string   `yaml:"name"`
	Password  Secret   `yaml:"password"`
	Publish   []string `yaml:"publish"`
	Subscribe []string `yaml:"subscribe"`
}

// HTTP is the web server.
type HTTP struct {
	Listen   string   `yaml:"listen"` // "": no web server
	TLS      HTTPTLS  `yaml:"tls"`
	Hosts    []string `yaml:"hosts"`
	Announce bool     `yaml:"announce"`
	Origins  []string `yaml:"origins"`
}

// HTTPTLS names PEM files.
type HTTPTLS struct {
	Cert string `yaml:"cert"` // "": one of the robot's own
	Key  string `yaml:"key"`
}

// Outside says that others than this host can reach the web server.
func (h HTTP) Outside() bool { return h.Listen != "" && !isLoopback(h.Listen) }

// SDK is the interface of the official daemon, at the address of HTTP.
type SDK struct {
	Enabled      bool   `yaml:"enabled"`
	CameraSocket string `yaml:"camera_socket"` // path; auto; none
	WebRTC       string `yaml:"webrtc"`        // address; auto; none
}

// OfficialCameraSocket is where the official SDK looks for the camera.
const OfficialCameraSocket = "/tmp/reachymini_camera_socket"

// officialPort is where it looks for the daemon.
const officialPort = "8000"

// Camera is the path of the socket for scripts; empty for none. auto is where the SDK looks, beside the port at which it looks.
func (s SDK) Camera(h HTTP) string {
	_, port, _ := net.SplitHostPort(h.Listen) // without a port it is another one
	switch {
	case s.CameraSocket == "none", s.CameraSocket == "auto" && port != officialPort:
		return ""
	case s.CameraSocket == "auto":
		return OfficialCameraSocket
	}
	return s.CameraSocket
}

// officialSignalling is where the official SDK looks for the stream.
const officialSignalling = "127.0.0.1:8443"

// Signalling is where the Python SDK signals for WebRTC; empty for nowhere.
func (s SDK) Signalling(h HTTP) string {
	_, port, _ := net.SplitHostPort(h.Listen) // without a port it is another one
	switch {
	case s.WebRTC == "none", s.WebRTC == "auto" && port != officialPort:
		return ""
	case s.WebRTC == "auto":
		return officialSignalling
	}
	return s.WebRTC
}

// Tools are those that people and models write.
type Tools struct {
	Review       string   `yaml:"review"` // auto, always, never
	AllowedHosts []string `yaml:"allowed_hosts"`
	Write        string   `yaml:"write"` // ask, auto, never
}

// Sense is hearing, speech and sight: the worker reachy-sense.
type Sense struct {
	Run        string `yaml:"run" change:"restart"` // auto, never
	Microphone string `yaml:"microphone" change:"restart"`
	Speaker    string `yaml:"speaker" change:"restart"`
	Camera     string `yaml:"camera"`
	Models     string `yaml:"models"` // directory; "": models in data_dir
	Speech     string `yaml:"speech_model" change:"restart"`
	Tuned      bool   `yaml:"speech_tuning" change:"restart"`
	Language   string `yaml:"language" change:"restart"`
	WakePhrase string `yaml:"wake_phrase" change:"restart"`
	Faces      bool   `yaml:"face_address" change:"restart"`
	Voice      string `yaml:"voice" change:"restart"`
	Volume     int    `yaml:"volume" change:"now"` // 0…100
}

// LLM is the language model, through an Ollama server or one with OpenAI's interface.
type LLM struct {
	URL          string   `yaml:"url"` // "": none
	API          string   `yaml:"api"` // ollama, openai
	Key          Secret   `yaml:"key"`
	Calls        string   `yaml:"calls" change:"restart"` // auto, schema, text, native, plain
	Talk         []string `yaml:"talk" change:"restart"`
	Call         []string `yaml:"call" change:"restart"`
	Code         []string `yaml:"code" change:"restart"`
	See          []string `yaml:"see" change:"restart"`
	Embed        []string `yaml:"embed" change:"restart"`
	Context      int      `yaml:"context" change:"restart"` // tokens; 0: the server's own
	Threads      int      `yaml:"threads" change:"restart"` // 0: the server's own
	Instructions string   `yaml:"instructions"`
}

// Web is what the robot may look up.
type Web struct {
	SearXNG      string   `yaml:"searxng"` // "": no web search
	Language     string   `yaml:"language" change:"restart"`
	SafeSearch   int      `yaml:"safe_search"` // 0…2
	AllowPrivate []string `yaml:"allow_private"`
}

// Log is what is said, and how.
type Log struct {
	Level  string `yaml:"level" change:"restart"`  // debug, info, warn, error
	Format string `yaml:"format" change:"restart"` // auto, json, console
}

// Store is how much of the past is kept.
type Store struct {
	RetentionDays int `yaml:"retention_days"`
	MaxEvents     int `yaml:"max_events"`
}

// Programs is where the workers' programs are.
type Programs struct {
	Dir   string `yaml:"dir"`
	Units bool   `yaml:"units"` // body and senses are started by systemd units of their own
}

// Simulated reports whether the robot is a simulated one.
func (c *Config) Simulated() bool { return c.Sim.Enabled }

// WakesUp reports whether the robot wakes up when reachyd starts.
func (c *Config) WakesUp() bool {
	return c.Body.Wake == "always" || c.Body.Wake == "auto" && c.Simulated()
}

// PressedKey is what the power key of the host does: off, sleep or power_off.
func (c *Config) PressedKey() string {
	switch {
	case c.Body.PowerKey != "auto":
		return c.Body.PowerKey
	case c.Simulated():
		return "off"
	}
	return "sleep"
}

// TellsAddress reports whether the robot says its address when that is new.
func (c *Config) TellsAddress() bool {
	return c.Robot.TellAddress == "always" || c.Robot.TellAddress == "auto" && !c.Simulated()
}

// ReviewsTools says whether somebody must approve a self-made tool before it can be called.
func (c *Config) ReviewsTools() bool {
	return c.Tools.Review == "always" || c.Tools.Review == "auto" && !c.Simulated()
}

// Secret is a text that is never printed.
type Secret string

const hidden = "(not shown)"

// String says whether there is a secret, not which.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return hidden
}

// GoString hides the secret from %#v.
func (s Secret) GoString() string { return `"` + s.String() + `"` }

// MarshalText hides the secret from every encoder.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Reveal returns the secret itself.
func (s Secret) Reveal() string { return string(s) }
