package guard

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxReply is the most characters of a reply: nobody listens to a robot for longer.
const MaxReply = 1200

// machine is what belongs to the protocol between a model and its server, not into a reply.
var machine = regexp.MustCompile(`(?s)<think>.*?(?:</think>|$)|<tool_call>.*?(?:</tool_call>|$)` +
	`|<\|[^|<>]{0,40}\|>|</?(?:tool_response|assistant|system|user|think)>|\[/?INST\]|<</?SYS>>`)

// callJSON is a call of a tool that a model wrote into its text.
var callJSON = regexp.MustCompile(`(?s)\{\s*"(?:name|tool|function|tool_calls?)"\s*:.*\}`)

// fence is a block of code or data.
var fence = regexp.MustCompile("(?s)```.*?(?:```|$)")

// Output makes a reply for people of what a model wrote: without marks of the protocol, calls of tools, code and invisible
// characters, in at most MaxReply characters that end with a sentence. secrets are texts, such as the instructions, that
// must not be in it; a reply that repeats a long part of one is refused.
func Output(text string, secrets ...string) (string, Verdict) {
	text = machine.ReplaceAllString(text, " ")
	text = fence.ReplaceAllString(text, " ")
	text = callJSON.ReplaceAllString(text, " ")
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case !unicode.IsPrint(r) && !unicode.IsSpace(r), r == utf8.RuneError:
			return -1
		}
		return r
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	for _, s := range secrets {
		if repeats(text, s) {
			return "", Verdict{Reason: Private, Text: "I keep my instructions to myself.", Match: "instructions"}
		}
	}
	return short(text, MaxReply), Verdict{}
}

// longEnough is how many characters of a secret give it away. A robot that says what it is uses words of its instructions.
const longEnough = 120

// repeats reports whether text has a long part of the secret in it.
func repeats(text, secret string) bool {
	secret = strings.Join(strings.Fields(secret), " ")
	text = strings.ToLower(text)
	secret = strings.ToLower(secret)
	for i := 0; i+longEnough <= len(secret); i += longEnough / 6 {
		if strings.Contains(text, secret[i:i+longEnough]) {
			return true
		}
	}
	return false
}

// short cuts a text behind the last sentence that fits.
func short(text string, most int) string {
	r := []rune(text)
	if len(r) <= most {
		return text
	}
	part := string(r[:most-1])
	for i := len(part) - 1; i > len(part)/2; i-- {
		if strings.IndexByte(".!?", part[i]) >= 0 {
			return part[:i+1]
		}
	}
	return strings.TrimSpace(part) + "…"
}
