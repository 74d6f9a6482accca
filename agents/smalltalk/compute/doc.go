// Package compute answers questions whose answer can be worked out from their words alone: sums and shares, units, clock times,
// dates and weekdays, letters and words.
//
// It reads a sentence by meaning. lex.go cuts it into numbers, times, units and words; chart.go puts these together by the
// rules of en/grammar.txt, in which "half of X" is an amount when X is one, however it was said; the functions of the rules
// (amounts.go, times.go, words.go) work out what they mean, or say that it means nothing. Of all readings of the whole sentence the
// one counts that leaves the fewest words over.
//
// What may be left over is little: words around a question ("please", "what is"), remarks before and behind it ("my brain is
// porridge"), and never a number, a unit, a time, a denial, or a word that is about the robot's body. A sentence with more than that
// is not answered: no answer is better than a false one.
package compute
