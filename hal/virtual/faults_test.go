package virtual

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal"
	dxl "github.com/reachyd/reachyd/hal/dynamixel"
)

func set(t testing.TB, c *Chain, f Faults) {
	t.Helper()
	if err := c.SetFaults(f); err != nil {
		t.Fatal(err)
	}
}

func volts(v float64) *float64 { return &v }

func TestValidateNamesTheField(t *testing.T) {
	nan := 0.0
	nan /= nan
	for want, f := range map[string]Faults{
		"drop = 1.5":       {Drop: 1.5},
		"corrupt = -1":     {Corrupt: -1},
		"duplicate = NaN":  {Duplicate: nan},
		"foreign = 2":      {Foreign: 2},
		"delay_ms = 501":   {DelayMS: 501},
		"voltage = 16":     {Voltage: volts(16)},
		`joint "elbow"`:    {Mute: []string{"elbow"}},
		"fault overload: ": {Overload: []string{""}},
		"fault overheat: ": {Overheat: []string{"stewart_7"}},
	} {
		c := newChain(t, Options{})
		if err := c.SetFaults(f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want it to contain %q", f, err, want)
		}
		if !reflect.DeepEqual(c.Faults(), Faults{}) {
			t.Errorf("%q was refused and yet switched on", want)
		}
	}
}

func TestHardwareFaultsLatchUntilReboot(t *testing.T) {
	for _, tc := range []struct {
		name      string
		f         Faults
		bit       dxl.HardwareError
		torqueOff bool
	}{
		{"overload", Faults{Overload: []string{"stewart_1"}}, dxl.HardwareOverload, true},
		{"overheat", Faults{Overheat: []string{"stewart_1"}}, dxl.HardwareOverheat, true},
		{"high voltage", Faults{Voltage: volts(7.4)}, dxl.HardwareVoltage, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			const j = hal.Stewart1
			c := newChain(t, Options{})
			mustWrite(t, c, j, dxl.AddrTorque, 1, 1)
			set(t, c, tc.f)
			got := ask(t, c, dxl.AppendRead(nil, j.ServoID(), dxl.AddrHardwareError, 1))
			if len(got) != 1 || got[0].Error != dxl.Alert || dxl.HardwareError(got[0].Params[0]) != tc.bit {
				t.Fatalf("answer %+v, want alert and %#x", got, tc.bit)
			}
			if off := c.Peek(j, dxl.AddrTorque) == 0; off != tc.torqueOff {
				t.Errorf("torque off: %v", off)
			}
			set(t, c, Faults{})
			c.Step()
			if c.Peek(j, dxl.AddrHardwareError) == 0 {
				t.Error("the error must stay latched")
			}
			ask(t, c, dxl.AppendReboot(nil, j.ServoID()))
			if got := ask(t, c, dxl.AppendPing(nil, j.ServoID())); len(got) != 1 || got[0].Error != 0 {
				t.Errorf("after the reboot: %+v", got)
			}
			if got := ask(t, c, dxl.AppendPing(nil, 12)); tc.torqueOff && got[0].Error != 0 {
				t.Error("the others must not be touched")
			}
		})
	}
}

func TestOverheatShowsItsTemperature(t *testing.T) {
	c := newChain(t, Options{})
	set(t, c, Faults{Overheat: []string{"left_antenna"}})
	if v := c.Peek(hal.LeftAntenna, dxl.AddrPresentTemp); v != overheated {
		t.Errorf("%d °C", v)
	}
	if v := c.Peek(hal.RightAntenna, dxl.AddrPresentTemp); v != roomTemp {
		t.Errorf("the other one: %d °C", v)
	}
}

func TestBrownOut(t *testing.T) {
	c := newChain(t, Options{Boot: 30 * time.Millisecond})
	const j = hal.Stewart2
	mustWrite(t, c, j, dxl.AddrTorque, 1, 1)
	mustWrite(t, c, j, dxl.AddrPositionP, 2, 300)
	set(t, c, Faults{Voltage: volts(4.2)})
	if v := c.Peek(j, dxl.AddrPresentVoltage); v != 42 || c.Peek(j, dxl.AddrTorque) != 1 {
		t.Fatalf("at 4.2 V: %d, torque %d", v, c.Peek(j, dxl.AddrTorque))
	}
	set(t, c, Faults{Voltage: volts(3.4)})
	if got := ask(t, c, dxl.AppendPing(nil, dxl.Broadcast)); len(got) != 0 {
		t.Fatalf("%d servos answer at 3.4 V", len(got))
	}
	steps(c, 100*time.Millisecond)
	if c.Status().Drives[j].On {
		t.Error("a servo without power holds its joint")
	}
	set(t, c, Faults{})
	if got := ask(t, c, dxl.AppendPing(nil, dxl.Broadcast)); len(got) != 0 {
		t.Fatalf("%d servos answer before they have booted", len(got))
	}
	steps(c, 30*time.Millisecond)
	if got := ask(t, c, dxl.AppendPing(nil, dxl.Broadcast)); len(got) != hal.NumJoints {
		t.Fatalf("%d servos are back", len(got))
	}
	if c.Peek(j, dxl.AddrTorque) != 0 || c.Peek(j, dxl.AddrPositionP) != 400 || c.Peek(j, dxl.AddrHomingOffset) != -1024 {
		t.Error("after power came back RAM must be at its defaults and EEPROM kept")
	}
}

func TestMute(t *testing.T) {
	c := newChain(t, Options{})
	mustWrite(t, c, hal.Stewart4, dxl.AddrTorque, 1, 1)
	set(t, c, Faults{Mute: []string{"stewart_4"}})
	if got := ask(t, c, dxl.AppendPing(nil, dxl.Broadcast)); len(got) != 8 {
		t.Errorf("%d answer", len(got))
	}
	ask(t, c, dxl.AppendWrite(nil, dxl.Broadcast, dxl.AddrTorque, []byte{0}))
	if c.Peek(hal.Stewart4, dxl.AddrTorque) != 1 || c.Peek(hal.Stewart3, dxl.AddrTorque) != 0 {
		t.Error("a mute servo hears nothing and holds")
	}
}

func TestLineFaults(t *testing.T) {
	ping := dxl.AppendPing(nil, 10)
	t.Run("drop", func(t *testing.T) {
		c := newChain(t, Options{})
		conn := connect(t, c)
		set(t, c, Faults{Drop: 1})
		conn.send(t, dxl.AppendWrite(nil, 10, dxl.AddrLED, []byte{1}))
		conn.send(t, ping)
		if p, ok := conn.receive(t, 50*time.Millisecond); ok {
			t.Errorf("received %+v", p)
		}
		if c.Peek(0, dxl.AddrLED) != 0 {
			t.Error("a lost instruction was carried out")
		}
		set(t, c, Faults{})
		conn.send(t, ping)
		if _, ok := conn.receive(t, 5*time.Second); !ok {
			t.Error("no answer after the fault was switched off")
		}
	})
	t.Run("corrupt instruction", func(t *testing.T) {
		c := newChain(t, Options{})
		conn := connect(t, c)
		bad := dxl.AppendWrite(nil, 10, dxl.AddrLED, []byte{1})
		bad[len(bad)-1] ^= 1
		conn.send(t, bad)
		if p, ok := conn.receive(t, 5*time.Second); !ok || p.ID != 10 || p.Error != dxl.ErrCRC {
			t.Errorf("received %+v, %v", p, ok)
		}
		if c.Peek(0, dxl.AddrLED) != 0 {
			t.Error("a corrupt instruction was carried out")
		}
	})
	t.Run("corrupt", func(t *testing.T) {
		c := newChain(t, Options{})
		conn := connect(t, c)
		set(t, c, Faults{Corrupt: 1})
		conn.send(t, dxl.AppendWrite(nil, 10, dxl.AddrLED, []byte{1}))
		if p, ok := conn.receive(t, 50*time.Millisecond); ok {
			t.Errorf("received %+v", p)
		}
		if c.Peek(0, dxl.AddrLED) != 0 {
			t.Error("a corrupt instruction was carried out")
		}
		if conn.parser.Corrupt() == 0 && conn.parser.Pending() == 0 {
			t.Error("nothing came at all")
		}
	})
	t.Run("duplicate", func(t *testing.T) {
		c := newChain(t, Options{})
		conn := connect(t, c)
		set(t, c, Faults{Duplicate: 1})
		conn.send(t, ping)
		for i := range 2 {
			if p, ok := conn.receive(t, 5*time.Second); !ok || p.ID != 10 {
				t.Errorf("answer %d: %+v, %v", i, p, ok)
			}
		}
	})
	t.Run("foreign", func(t *testing.T) {
		c := newChain(t, Options{})
		conn := connect(t, c)
		set(t, c, Faults{Foreign: 1})
		kinds := map[string]bool{}
		for range 50 {
			conn.send(t, ping)
			p, ok := conn.receive(t, 5*time.Second)
			if !ok {
				t.Fatal("nothing came")
			}
			switch {
			case p.Instr == dxl.Read:
				kinds["instruction"] = true
			case p.ID == 99:
				kinds["stranger"] = true
			default:
				kinds["servo"] = true
			}
			if p, ok := conn.receive(t, 5*time.Second); !ok || p.ID != 10 || len(p.Params) != 3 {
				t.Fatalf("the right answer must follow, got %+v, %v", p, ok)
			}
		}
		if len(kinds) != 3 {
			t.Errorf("kinds of foreign packets: %v", kinds)
		}
	})
	t.Run("delay", func(t *testing.T) {
		clock := &fakeClock{}
		c := newChain(t, Options{Clock: clock})
		conn := connect(t, c)
		set(t, c, Faults{DelayMS: 120})
		conn.send(t, ping)
		if _, ok := conn.receive(t, 5*time.Second); !ok {
			t.Fatal("no answer")
		}
		if now := clock.Now(); now != 120*time.Millisecond {
			t.Errorf("answered after %v", now)
		}
	})
}

func TestFaultsOverHTTP(t *testing.T) {
	c := newChain(t, Options{})
	srv := httptest.NewServer(c.FaultsHandler())
	defer srv.Close()
	do := func(method, body string) (int, map[string]any) {
		t.Helper()
		req, err := http.NewRequest(method, srv.URL, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := srv.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var got map[string]any
		json.NewDecoder(resp.Body).Decode(&got)
		return resp.StatusCode, got
	}
	if code, got := do(http.MethodGet, ""); code != 200 || len(got) != 0 {
		t.Errorf("healthy: %d %v", code, got)
	}
	code, got := do(http.MethodPut, `{"drop":0.1,"mute":["stewart_2"],"voltage":4,"delay_ms":5,"unplug":true}`)
	want := map[string]any{"drop": 0.1, "mute": []any{"stewart_2"}, "voltage": 4.0, "delay_ms": 5.0, "unplug": true}
	if code != 200 || !reflect.DeepEqual(got, want) {
		t.Errorf("put: %d %v", code, got)
	}
	for _, body := range []string{`{"drop":3}`, `{"dorp":0.1}`, `{"drop":"x"}`, `{}{}`, ``, `{"mute":["nobody"]}`, strings.Repeat(" ", maxFaultsJSON+1)} {
		code, answer := do(http.MethodPut, body)
		if code != 400 || answer["error"] == "" {
			t.Errorf("put %.20q: %d %v", body, code, answer)
		}
		if _, got := do(http.MethodGet, ""); !reflect.DeepEqual(got, want) {
			t.Errorf("put %.20q changed the faults to %v", body, got)
		}
	}
	if code, got := do(http.MethodDelete, ""); code != 200 || len(got) != 0 || !reflect.DeepEqual(c.Faults(), Faults{}) {
		t.Errorf("delete: %d %v", code, got)
	}
	if code, _ := do(http.MethodPost, "{}"); code != http.StatusMethodNotAllowed {
		t.Errorf("post: %d", code)
	}
}
