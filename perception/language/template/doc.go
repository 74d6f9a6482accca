// Package template finds templates of sentences in what somebody said. The notation is that of hassil, the matcher of Home
// Assistant's intents, with a few additions:
//
//	turn (on|off)           one of several; each may be several words
//	[please] stop           what may be left out
//	colo[u]r, wi[ ]fi       brackets may touch letters: both spellings
//	undress*, *berry        a word with this beginning, with this end
//	(the|my)*  (very)+      a group any number of times, at least once
//	{word}  {word 0-3}      what stands between two blanks, without marks; from none to three of them
//	{text}                  one word or more, as few as will do; no mark begins it
//	{number}                a number in digits: 12, -3.5
//	{time}  {minutes}       an hour with minutes or without: 7, 10:30; two digits up to 59
//	{number:total}          a slot: what was found there can be asked for by its name
//	(a|b):kind              a slot of a group: which alternative was said
//	<animal>                a list that stands elsewhere as "<animal> = cat|dog"
//	\(                      a character that otherwise means something here
//	^ $                     the beginning and the end of the sentence
//
//	re:\bx+\b re:y          instead of a template: regular expressions (of Go) that are looked for in the text, for what is no word
//
// A template of a Set stands for the whole sentence when the set says so, else it may be found anywhere. In a sentence the
// first template that is found counts, and within it the leftmost place and the first alternative that fits, as with
// Go's regular expressions. The time is bounded by the length of the sentence times that of the templates: a place that has
// failed is never tried again.
package template
