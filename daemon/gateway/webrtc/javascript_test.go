package webrtc

import (
	"math"
	"testing"

	"github.com/reachyd/reachyd/e2e/chromium"
)

func TestOfficialJavaScriptSDK(t *testing.T) {
	s := newStudio(t)
	r := newRig(t, s.in)
	p := chromium.NewPage(t, "../../..", "", r.web.Config.Handler)
	p.Open(p.URL + Base)
	p.Do(`const picked = await robot.autoConnect({token: "any"}); window.picked = picked.robotName`)
	var name string
	if p.Get("picked", &name); name != "kitchen" {
		t.Errorf("the robot is called %q", name)
	}
	p.Do(`robot.gotoTarget({head: sdk.rpyToMatrix(0, 0, 17.2).flat(), duration: 0.3})`)
	r.soon("the head has turned", func() bool { return math.Abs(r.last().Head.Yaw-0.3) < 0.05 })
	p.Do(`window.stream = setInterval(() => robot.setAntennasDeg(20, -20), 50)`) // before the move is over it has no effect
	r.soon("the antennas have turned", func() bool { return math.Abs(r.last().Antennas.Right-0.35) < 0.05 })
	p.Do(`clearInterval(stream); errors.length = 0`)
	p.Do(`robot.subscribePose?.(() => {})`)
	p.Do(`while (Math.abs((robot.robotState.head ?? [0,0,0,0,0])[4] - 0.2955) > 0.05) await new Promise(r => setTimeout(r, 20))`)
	var awake bool
	if p.Get("robot.ensureAwake()", &awake); !awake {
		t.Error("it does not wake up")
	}
	p.Do(`await robot.gotoSleep({timeoutMs: 20000})`)
	var volume *int
	if p.Get("robot.getMicrophoneVolume()", &volume); volume != nil {
		t.Errorf("the microphone has a volume of %d", *volume)
	}
	// It sees: frames are decoded, and have the colour that the camera sees.
	p.Do(`while (v.videoWidth !== 64 || v.currentTime < 0.5) await new Promise(r => setTimeout(r, 20))`)
	var pixel []float64
	p.Get(`(() => {
		const c = document.createElement("canvas"); c.width = 64; c.height = 48;
		const g = c.getContext("2d"); g.drawImage(v, 0, 0); return Array.from(g.getImageData(32, 24, 1, 1).data).slice(0, 3) })()`, &pixel)
	for i, want := range []uint8{seen.R, seen.G, seen.B} {
		if math.Abs(pixel[i]-float64(want)) > 12 {
			t.Errorf("the browser sees %v, the camera %v", pixel, seen)
		}
	}
	// It hears the tone that the microphone hears; on a busy host the browser stretches sound that comes late.
	r.soon("the browser hears the tone of the microphone", func() bool { return math.Abs(p.Pitch()-heardTone) <= 15 })
	if codec := p.HeardCodec(); codec != "audio/opus" {
		t.Errorf("the browser hears in %q", codec)
	}
	// And is heard.
	p.Speak("1000")
	r.soon("what the browser says is heard", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		n := len(s.poured)
		return n > heardRate && math.Abs(pitch(s.poured[n-heardRate/2:], heardRate)-1000) < 30
	})
	p.Do(`await robot.stopSession()`)
	r.soon("the session has ended", func() bool { return r.sessions() == 0 })
	p.Do(`robot.disconnect()`)
	r.soon("nobody signals", func() bool { return r.peers() == 0 })
	var errors []string
	if p.Get("errors", &errors); len(errors) > 0 {
		t.Errorf("%q", errors)
	}
}

func (r *rig) peers() int {
	r.gateway.mu.Lock()
	defer r.gateway.mu.Unlock()
	return len(r.gateway.peers)
}
