package tts

import (
	"strings"
	"time"
	"unicode/utf8"
)

// paceGuess is how many characters a voice says in a second, for a sentence of which nothing is known.
const paceGuess = 14.0

// ending is where a piece ends in the sound of its text.
type ending struct {
	sound time.Duration // so far it can be heard
	pause time.Duration // and then it is silent
}

// spoken estimates how far a text has been heard.
func (p *progress) spoken(t *text, complete bool, sink Sink) Spoken {
	if !p.started {
		return Spoken{}
	}
	heard, _ := sink.Progress()
	heard = min(max(0, heard-p.base), p.written)
	if complete {
		return Spoken{Text: t.clean, Complete: true, Heard: heard}
	}
	return Spoken{Text: heardText(t.pieces, p.ends, heard), Heard: heard}
}

// heardText is what is heard of pieces after some time, when the ends of the first of them are known.
func heardText(pieces []string, ends []ending, heard time.Duration) string {
	var out []string
	var from, sounding time.Duration
	chars := 0
	for i, piece := range pieces {
		n := utf8.RuneCountInString(piece)
		if i < len(ends) && heard >= ends[i].sound {
			out = append(out, piece)
			sounding += ends[i].sound - from
			from, chars = ends[i].sound+ends[i].pause, chars+n
			continue
		}
		pace := paceGuess
		switch {
		case i < len(ends):
			pace = float64(n) / (ends[i].sound - from).Seconds()
		case sounding > 0:
			pace = float64(chars) / sounding.Seconds()
		}
		if part := wholeWords(piece, int((heard-from).Seconds()*pace)); part != "" {
			out = append(out, part)
		}
		break
	}
	return strings.Join(out, " ")
}

// wholeWords cuts s to its words within the first n characters.
func wholeWords(s string, n int) string {
	words := strings.Fields(s)
	for i, w := range words {
		if n -= utf8.RuneCountInString(w); n < 0 {
			return strings.Join(words[:i], " ")
		}
		n--
	}
	return s
}
