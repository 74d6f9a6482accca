package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/perception/client"
	"github.com/reachyd/reachyd/perception/models"
)

// checkSenses tells which devices and models are used, and what is missing.
func checkSenses(ctx context.Context, a commands) []Finding {
	sockets := a.Sockets(cli.SenseSocket)
	if len(sockets) == 0 && closed(a) != "" {
		return remark("not seen: the service keeps them from strangers", "see access above")
	}
	if len(sockets) == 0 {
		return remark("no reachy-sense runs on this machine: the robot neither hears nor sees nor speaks",
			"that is right when the robot is another machine's; else see programs above, and the log of reachyd, which starts it again when it ends")
	}
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	c := client.New(sockets[0])
	defer c.Close()
	s, err := c.State(ctx)
	if err != nil {
		return wrong(fmt.Sprintf("%s does not answer: %v", sockets[0], err), "see the log of reachyd, which restarts it")
	}
	var all []Finding
	sense := func(off, detail string) {
		if off != "" {
			what, do, _ := strings.Cut(off, ": ")
			all = append(all, remark(detail+" off: "+what, do)...)
		}
	}
	if s.Hearing.Off == "" {
		tuned := ""
		if s.Hearing.Tuned {
			tuned = ", tuned"
		}
		all = append(all, good(fmt.Sprintf("hears through %s, speech found by %s, words written by %s%s (%s, %d threads)",
			s.Hearing.Microphone, s.Hearing.Detector, s.Hearing.Model, tuned, s.Hearing.Language, s.Hearing.Threads))...)
	}
	if s.Hearing.Off == "" && s.Hearing.NoOpus != "" {
		all = append(all, remark("browsers hear the robot in G.722, not in Opus: "+s.Hearing.NoOpus, "apt-get install libopus0")...)
	}
	all = append(all, checkWakePhrase(&s.Hearing)...)
	sense(s.Hearing.Off, "hearing is")
	if s.Speech.Off == "" {
		all = append(all, good(fmt.Sprintf("speaks through %s with %s, voice %s, volume %d", s.Speech.Speaker, s.Speech.Engine, s.Speech.Voice, s.Speech.Volume))...)
	}
	sense(s.Speech.Off, "speech is")
	if s.Sight.Off == "" {
		all = append(all, good(fmt.Sprintf("sees through %s; detectors: %s", s.Sight.Camera, strings.Join(s.Sight.Detectors, ", ")))...)
	}
	sense(s.Sight.Off, "sight is")
	return all
}

// builtInModel is what reachy-sense calls the commands that it understands without any model file.
const builtInModel = "command-model"

// checkWakePhrase tells when the wake phrase is not found in the sound: then only a model that knows all words may find it.
func checkWakePhrase(h *client.Hearing) []Finding {
	if h.Off != "" || h.WakePhrase == "" || h.NoSpotter == "" {
		return nil
	}
	if h.Model != builtInModel {
		return remark(fmt.Sprintf("the wake phrase %q is found in the words alone: %s", h.WakePhrase, h.NoSpotter),
			"do what is said there, or choose another sense.wake_phrase")
	}
	return wrong(fmt.Sprintf("the wake phrase %q cannot be found, so nothing but a stop is understood: %s", h.WakePhrase, h.NoSpotter),
		"do what is said there, choose another sense.wake_phrase or none, or reachyctl models pull tiny.en-q8_0, which finds it in the words")
}

// checkModels tells which model files are here.
func checkModels(_ context.Context, a commands) []Finding {
	if closed(a) != "" {
		return remark("not seen: the service keeps them from strangers", "see access above")
	}
	var here []string
	speech := false
	for _, m := range (&models.Store{Dirs: a.Host.ModelDirs}).List() {
		if m.Path != "" {
			here = append(here, m.Name)
			speech = speech || m.Kind == models.Speech
		}
	}
	detail := "files of the senses: none but the built-in ones"
	if len(here) > 0 {
		detail = "files of the senses: " + strings.Join(here, ", ")
	}
	if !speech {
		return remark(detail+"; speech is understood by the built-in command model only", "reachyctl models pull tiny.en-q8_0, to understand all of English")
	}
	return good(detail)
}
