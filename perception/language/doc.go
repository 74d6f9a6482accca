// Package language reads English: a text is analysed once into an [Utterance], which everybody who reads it matches against.
//
// # What Analyse does
//
//   - token.go cuts the text into words, numbers, marks and quotations, takes contractions apart and drops cut-off words.
//   - normalise.go repairs what speakers and recognisers do to it: hesitations, stutters, wrong cuts; mishear.go mends
//     words that the words around show to be misheard, homophone.go numbers that were heard as small words, typo.go
//     misspelt words.
//   - number.go reads numbers in words and digits, unit.go quantities: "a minute and a half" is 90 s.
//   - utterance.go says where its clauses are, whether it asks, denies, and calls the robot.
//
// # Tables
//
// Words, lists and phrases are data: text files in en/ (one language, one folder). A file has tables, each with a header
// and indented lines or entries; what follows # is a comment; no line is longer than 160 bytes. The first three kinds are:
//
//	# Verbs that hand something over.
//	words hand-over known:
//	  give hand pass
//	  bring
//
//	# A word for each of several: the key, then words between bars.
//	lists digits:
//	1 = one
//	2 = two | a pair
//
//	# Phrases: the key, then patterns between bars.
//	phrases paces:
//	slow = [very] (slowly|gently) | at a slow (pace|speed)
//	  | in slow motion
//	  > look left very slowly
//
// A pattern is a phrase in lower case, in which (a|b) is a choice and [a] may be left out; [a|b] is a choice that may be
// left out. Brackets may be nested. They stand between words, not inside them: (time|times), not time(s). An entry goes
// on in the lines below it that are indented. A line that begins with > is an example: a text in which the entry is
// found; the tests of this package read all of them. A phrase that two entries have belongs to the first.
//
// Two more kinds hold templates with slots, in the notation of package template: "patterns" may be found anywhere in a
// sentence, "sentences" stand for the whole of it. "NAME unless" says what makes an entry mean something else. A table of
// "texts" has what the robot says, by its key; one of "rewordings" regular expressions and what takes the place of what they find.
//
// "known" in a header says that the words of the table are never taken for misspelt ones. Mark a table so unless it
// holds misspellings or scraps.
//
// [Words], [Lists], [Map] and [Phrases] return a table by its name; a name that does not exist ends the program when it
// starts. A mistake in a file is reported with file and line.
package language
