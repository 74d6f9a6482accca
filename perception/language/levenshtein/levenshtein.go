// Package levenshtein says how far apart two words are: misspelt words, slips in names, names that sound alike.
package levenshtein

// Distance is the number of edits that make b of a, limit+1 when it is more than limit. An edit puts in, takes out or
// changes a character, or swaps two that stand side by side (Damerau-Levenshtein, no part edited twice).
func Distance(a, b string, limit int) int {
	s, t := []rune(a), []rune(b)
	if len(s)-len(t) > limit || len(t)-len(s) > limit {
		return limit + 1
	}
	var room [3 * 24]int // no allocation for ordinary words
	rows := room[:]
	width := len(t) + 1
	if 3*width > len(rows) {
		rows = make([]int, 3*width)
	}
	row := func(i int) []int { return rows[i%3*width : (i%3+1)*width] }
	for j := range row(0) {
		row(0)[j] = j
	}
	for i := 1; i <= len(s); i++ {
		cur, prev, before := row(i), row(i+2), row(i+1)
		cur[0] = i
		low := i
		for j := 1; j <= len(t); j++ {
			d := prev[j-1]
			if s[i-1] != t[j-1] {
				d = 1 + min(prev[j-1], prev[j], cur[j-1])
			}
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				d = min(d, before[j-2]+1)
			}
			cur[j] = d
			low = min(low, d)
		}
		if low > limit {
			return limit + 1
		}
	}
	return min(row(len(s))[len(t)], limit+1)
}

// Words is how many words must be changed, added or left out.
func Words(a, b []string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		before := row[0]
		row[0]++
		for j := range b {
			cost := before
			if a[i] != b[j] {
				cost = min(before, row[j], row[j+1]) + 1
			}
			before, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
