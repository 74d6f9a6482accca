package stt

import "strings"

// What Whisper learned from subtitles and writes when it hears noise. Those in always are never said to a robot; those in
// doubtful are, and count when there is no doubt.
var (
	phantomsAlways = []string{
		"thank you for watching", "thanks for watching", "thank you so much for watching", "please subscribe", "subscribe to my channel",
		"like and subscribe", "see you in the next video", "subtitles by", "transcribed by", "amara org",
		"captioned by", "translated by", "all rights reserved",
	}
	phantomsDoubtful = []string{
		"thank you", "thanks", "thank you very much", "see you next time", "bye", "bye bye", "you", "the", "so", "okay", "oh", "yeah", "hmm", "mm hmm", "um", "uh",
		"i'm sorry", "the end", "music", "applause", "silence", "i", "a", "and",
	}
)

// phantom reports whether a normalised text is one that the model invents, which is more likely when there is reason for doubt.
func phantom(text string, doubt bool) bool {
	for _, p := range phantomsAlways {
		if strings.HasPrefix(text, p) || strings.HasSuffix(text, " "+p) {
			return true
		}
	}
	if !doubt {
		return false
	}
	for _, p := range phantomsDoubtful {
		if text == p {
			return true
		}
	}
	return false
}
