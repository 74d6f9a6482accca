package dialogue

import (
	"strings"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/perception/language/frames"
)

// inWords says frames; false where one has no words.
func inWords(all []frames.Frame, numbers []float64) (string, bool) {
	var out []string
	kept := ""
	for _, f := range all {
		switch f[0] {
		case "keep":
			part := frameParts[at(f, 1)]
			if part == "" {
				return "", false
			}
			kept += " without moving " + part
			continue
		case "hold":
			continue
		}
		words, ok := phrase(f, numbers)
		if !ok {
			return "", false
		}
		out = append(out, words)
	}
	return strings.Join(out, ", then ") + kept, len(out) > 0
}

func at(f frames.Frame, i int) string {
	if i < len(f) {
		return f[i]
	}
	return ""
}

// phrase says one frame.
func phrase(f frames.Frame, numbers []float64) (string, bool) {
	switch f[0] {
	case "move":
		return moveInWords(f[1:], numbers)
	case "instead":
		return correction(f[1:], numbers)
	case "gesture":
		words, ok := frameWords[at(f, 1)]
		if n, counted := number(at(f, 2), numbers); counted {
			words += " " + n + " times"
		}
		return words, ok
	case "emotion", "wait":
		n, counted := number(at(f, 1), numbers)
		if f[0] == "emotion" {
			n = at(f, 1)
		} else if !counted {
			return "", false
		}
		return strings.Replace(frameWords[f[0]], "{n}", n, 1), n != ""
	case "same":
		part := frameParts[at(f, 1)]
		return strings.Replace(frameWords["same"], "{part}", part, 1), part != ""
	case "more", "less", "back", "other-way", "again", "reset", "half", "double", "third", "quarter", "undo", "undo-all", "slower", "faster",
		"sleep", "wake", "photo":
		return changed(f, numbers)
	}
	return "", false
}

// changed says a frame that changes what was done.
func changed(f frames.Frame, numbers []float64) (string, bool) {
	key, n, part := f[0], "", ""
	for _, symbol := range f[1:] {
		v, isNumber := number(symbol, numbers)
		switch {
		case isNumber:
			key, n = f[0]+"-n", v
		case f[0] != "reset" && frameParts[symbol] != "":
			part = frameParts[symbol]
		default:
			key = f[0] + "-" + symbol
		}
	}
	words := strings.Replace(frameWords[key], "{n}", n, 1)
	if part != "" {
		words += " with " + part
	}
	return words, frameWords[key] != ""
}

// moveInWords says "move PART DIR …" without its first word.
func moveInWords(f frames.Frame, numbers []float64) (string, bool) {
	part, dir := at(f, 0), at(f, 1)
	if part == "turn" && (dir == "up" || dir == "down") {
		part = "head"
	}
	words := frameWords["move-"+part+"-"+dir]
	if words == "" {
		words = frameWords["move-"+part]
	}
	by, how, ok := amount(f[min(2, len(f)):], numbers)
	toward := map[string]string{"left": "to the left", "right": "to the right", "up": "up", "down": "down"}[dir]
	words = strings.NewReplacer("{dir}", toward, "{by}", by, "{how}", how).Replace(words)
	return strings.TrimSpace(strings.ReplaceAll(words, "  ", " ")), ok && words != ""
}

// amount says how far and how fast, each with a blank before it.
func amount(symbols []string, numbers []float64) (by, how string, ok bool) {
	key := "n"
	for _, symbol := range symbols {
		n, isNumber := number(symbol, numbers)
		switch {
		case symbol == "to":
			key = "to"
		case isNumber:
			by = " " + strings.Replace(frameAmounts[key], "{n}", n, 1)
		case symbol == "slow" || symbol == "fast":
			how = " " + frameAmounts[symbol]
		case frameAmounts[symbol] != "":
			by = " " + frameAmounts[symbol]
		default:
			return "", "", false
		}
	}
	return by, how, true
}

// correction says a frame that stands instead of what was done.
func correction(f frames.Frame, numbers []float64) (string, bool) {
	if len(f) == 0 {
		return "", false
	}
	if f[0] == "same" {
		part := frameParts[at(f, 1)]
		return strings.Replace(frameWords["instead-part"], "{part}", part, 1), part != ""
	}
	if f[0] != "move" {
		words, ok := phrase(f, numbers)
		return frameWords["instead"] + " " + words, ok
	}
	if at(f, 1) != "it" {
		words, ok := moveInWords(f[1:], numbers)
		return frameWords["instead"] + " " + words, ok
	}
	by, _, ok := amount(f[min(3, len(f)):], numbers)
	dir := at(f, 2)
	key := map[string]string{"left": "instead-dir", "right": "instead-dir", "up": "instead-upright", "down": "instead-upright", "same": "instead-by"}[dir]
	return strings.NewReplacer("{dir}", dir, "{by}", by).Replace(frameWords[key]), ok && key != ""
}

// number is the number that a symbol stands for.
func number(symbol string, numbers []float64) (string, bool) {
	place, ok := strings.CutPrefix(symbol, "#")
	if !ok || len(place) != 1 || int(place[0]-'1') >= len(numbers) || place[0] < '1' {
		return "", false
	}
	return tool.FormatNumber(numbers[place[0]-'1']), true
}
