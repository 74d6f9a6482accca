package payload

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/local"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 5, 1, 14, 0, 0, 123456789, time.FixedZone("CEST", 7200))

func TestState(t *testing.T) {
	s := hal.State{
		TS: noon, Mode: hal.ModePartial, Torque: hal.JointMask(0).With(hal.BodyYaw), Moving: true, Move: "m7", MoveName: "goto", Queued: 2,
		Head: hal.Head{X: 0.01, Z: -0.0200004, Roll: math.Pi / 6, Pitch: -math.Pi / 180, Yaw: -1e-9}, BodyYaw: math.Pi / 2,
		Antennas: hal.Antennas{Left: math.Pi, Right: math.NaN()}, Joints: hal.Joints{math.Pi / 2, math.Inf(1), -0.5},
		EStop: true, EStopReason: "button", Faults: []hal.Fault{{Name: hal.FaultOverheat, Joint: "stewart_1", Detail: "71 °C", Since: noon}},
	}
	const want = `{"ts":"2026-05-01T12:00:00.123Z","mode":"partial","torque":["body_rotation"],"moving":true,"move":"m7","move_name":"goto","queued":2,` +
		`"head":{"x":0.01,"y":0,"z":-0.02,"roll":30,"pitch":-1,"yaw":0},"body_yaw":90,"antennas":{"left":180,"right":null},` +
		`"joints":[1.5708,null,-0.5,0,0,0,0,0,0],"estop":true,"estop_reason":"button",` +
		`"faults":[{"name":"overheat","joint":"stewart_1","detail":"71 °C","since":"2026-05-01T12:00:00.123Z"}]}`
	if got := string(State(s)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	const empty = `{"ts":"0001-01-01T00:00:00.000Z","mode":"","torque":[],"moving":false,"move":"","move_name":"","queued":0,` +
		`"head":{"x":0,"y":0,"z":0,"roll":0,"pitch":0,"yaw":0},"body_yaw":0,"antennas":{"left":0,"right":0},"joints":[0,0,0,0,0,0,0,0,0],"estop":false,"faults":[]}`
	if got := string(State(hal.State{})); got != empty {
		t.Errorf("got\n%s\nwant\n%s", got, empty)
	}
}

func TestTelemetry(t *testing.T) {
	in := hal.Telemetry{
		TS: noon, LoopHz: 99.999, JitterP50: 12.34, JitterP99: 99, JitterMax: 1000, Ticks: 5, Missed: 1, Realtime: "fifo 50",
		Bus: hal.BusCounters{Cycles: 5, Timeouts: 2}, RSSBytes: 1 << 20, CPUPercent: 2.25, UptimeS: 61.4,
		Servos: []hal.ServoHealth{
			{Joint: "a", Voltage: 7.21, Temperature: 40, Current: 12.6, Present: true},
			{Joint: "b", Voltage: 6.9, Temperature: 38, Present: true},
			{Joint: "c"},
		},
	}
	const want = `{"ts":"2026-05-01T12:00:00.123Z","loop_hz":100,"jitter_p50_us":12.3,"jitter_p99_us":99,"jitter_max_us":1000,"ticks":5,"missed_ticks":1,` +
		`"realtime":"fifo 50","bus":{"cycles":5,"packets":0,"timeouts":2,"corrupt":0,"foreign":0,"reconnects":0},"voltage":6.9,"temperature_max":40,` +
		`"servos":[{"joint":"a","v":7.21,"c":40,"ma":13,"hw_error":0,"present":true},{"joint":"b","v":6.9,"c":38,"ma":0,"hw_error":0,"present":true},` +
		`{"joint":"c","v":0,"c":0,"ma":0,"hw_error":0,"present":false}],"rss_bytes":1048576,"cpu_percent":2.3,"uptime_s":61,` +
		`"daemon":{"rss_bytes":7,"cpu_percent":1.5,"uptime_s":9,"started":"2026-05-01T12:00:00.123Z"}}`
	if got := string(Telemetry(in, Process{RSSBytes: 7, CPUPercent: 1.5, UptimeS: 9, Started: noon})); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	in.Link = &hal.Link{Interface: "wlan0", Address: "192.168.1.20", Wireless: true, Name: "home", Signal: -53.4}
	const network = `"network":{"address":"192.168.1.20","connected":true,"interface":"wlan0","name":"home","signal":-53,"wireless":true}}`
	if got := string(Telemetry(in, Process{})); !strings.HasSuffix(got, network) {
		t.Errorf("got\n%s\nwant at its end\n%s", got, network)
	}
	in.Link = &hal.Link{}
	if got := string(Telemetry(in, Process{})); !strings.HasSuffix(got, `"network":{"connected":false}}`) {
		t.Errorf("without a network\n%s", got)
	}
	var empty map[string]any
	if err := json.Unmarshal(Telemetry(hal.Telemetry{LoopHz: math.NaN()}, Process{}), &empty); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"voltage", "temperature_max", "loop_hz"} {
		if v, ok := empty[key]; !ok || v != nil {
			t.Errorf("%s without servos: %v", key, v)
		}
	}
}

func TestMeter(t *testing.T) {
	var m Meter
	now := time.Unix(100, 0)
	p := m.Sample(now)
	if p.RSSBytes < 1<<20 || p.CPUPercent != 0 || p.UptimeS != 0 {
		t.Errorf("first sample %+v", p)
	}
	for before := local.ProcessorTime(); local.ProcessorTime() < before+20*time.Millisecond; { // use some processor time
		continue
	}
	p = m.Sample(now.Add(time.Second))
	if p.CPUPercent < 2 || p.CPUPercent > 100000 || p.UptimeS != 1 {
		t.Errorf("second sample %+v", p)
	}
	if !p.Started.Equal(now) {
		t.Errorf("started at %v", p.Started)
	}
}

// The time of the start is one of the clock as it is now, and no other one each second.
func TestMeterWhenTheClockIsSet(t *testing.T) {
	m := Meter{started: time.Now().Add(-time.Minute), shown: time.Unix(10, 0)} // it began in 1970
	m.begin.Do(func() {})
	now := time.Now()
	p := m.Sample(now)
	if off := now.Add(-time.Minute).Sub(p.Started).Abs(); off > settled || p.UptimeS < 59 || p.UptimeS > 61 {
		t.Errorf("up for %v s since %v", p.UptimeS, p.Started)
	}
	if q := m.Sample(now.Add(settled / 2)); !q.Started.Equal(p.Started) {
		t.Errorf("started at %v, and at %v", p.Started, q.Started)
	}
}

func BenchmarkState(b *testing.B) {
	s := hal.State{TS: noon, Mode: hal.ModeEnabled, Torque: hal.AllJoints}
	b.ReportAllocs()
	for b.Loop() {
		State(s)
	}
}
