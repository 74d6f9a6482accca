package perception

import (
	"context"
	"time"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/perception/client"
	"github.com/reachyd/reachyd/perception/language"
)

// conversationPause is how long nobody speaks between two conversations.
const conversationPause = 10 * time.Minute

// onlyEnglish is what is said to whom speaks another language; see perception/language/en/foreign.txt.
var onlyEnglish = language.Texts("only-english")

// foreign tells who speaks another language, once a conversation and in that language, that only English is understood. It reports
// whether nothing else is to be done about the sentence: later ones are taken for what they sound like, where that was heard well.
func (s *Service) foreign(ctx context.Context, u *client.Utterance) (over bool) {
	now := time.Now()
	s.mu.Lock()
	if now.Sub(s.spoke) > conversationPause {
		s.told = false
	}
	s.spoke = now
	text := onlyEnglish[u.Foreign]
	tell := text != "" && !s.told
	s.told = s.told || tell
	s.mu.Unlock()
	if !tell {
		return u.Foreign != "" && u.Confidence == 0
	}
	s.Log.Info().Str("language", u.Foreign).Float64("latency_s", u.Latency).Msg("heard a language that is not understood")
	s.Events.Publish("", api.Notification{Kind: "language", Session: Session, Text: text})
	s.begin(func() {
		s.say(ctx, text)
		if err := s.Worker.Replied(ctx); err != nil {
			s.Log.Debug().Err(err).Msg("reachy-sense was not told of the reply")
		}
	})
	return true
}
