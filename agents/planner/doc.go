// Package planner understands free English sentences without a language model and turns them into tool calls.
//
// # How a sentence becomes a plan
//
//   - perception/language analyses the text: words, numbers, marks and quotations, mended of what speakers and
//     recognisers do to them.
//   - parser.go divides the sentence at marks, connectives and corrections; clause.go, motion.go, commands.go, speech.go
//     and vision.go each turn one clause into a frame (frame.go), a set of slots. Slots come in any order. A clause
//     without a verb ("and right", "no, the duck", "three times") is a fragment that leans on the frame before it.
//   - compose.go lets fragments inherit, merges what is one movement, applies repetition and pauses, checks every limit
//     and writes the steps.
//
// A sentence of which something is left over is read a second time with tolerance (tolerance.go): a preamble of any
// wording before the command, small words and asides inside, slots before their verb, a name without a comma, parts run
// together. Only words from closed lists are stepped over, a bounded number of them; a statement, a report or a question
// of knowledge has a word of content left, and stays none.
//
// The words and phrases are in the text files of perception/language/en. What a clause may be is decided by tables of named
// rules (rules.go), each with an example that reaches it. Every word of a clause has to be accounted for. A sentence of which
// one clause is not understood is no command (none), so that nothing moves on a guess. What is not allowed goes before what is
// not understood, and that before what is impossible; one impossible step stops all.
//
// # Readings that were decided
//
// Motion. "turn left" turns the body, "look left", "face left" and "turn your head left" the head. "look up and left" is
// one movement, because the axes differ; "look left and right" is two; a repeated verb is always a new step. A number
// without a direction is taken with its sign (+ is left, down, right tilt); "tilt your head" goes right. A relative turn
// is taken from the middle, because the planner knows no state: "further left" is "left". "look back" returns to the
// middle after another look and turns by 180° otherwise. "around" is 180°, which the head can and the body cannot.
//
// Antennas. "up" is 0 for both. Words other than up mirror the two: down is left 180, right −180; out is 90, −90. A number
// is taken as it stands for both, or first left, then right. The antenna that is not named stays where the same sentence
// put it, else 0.
//
// Time. "over", "in" and "within" two seconds are the duration of a move; "for two seconds" holds it (a wait follows).
// "in" more than ten seconds, and any time before the verb, is a wait before it. A gesture "for ten seconds" is
// repeated, at two seconds each. "every five seconds for a minute" is 12 times with an interval of 5; without an end it
// is 10 times, as are "keep nodding" and "repeatedly"; "forever" is 100. "a few" is 3, "several" 4, "a moment" 1 s.
// A count belongs to its own verb and to the fragments before it; "do that three times" to all that stands before.
//
// Order. "while" and "as you" cannot be done at once: what is named first comes first. "stop" is a step like others in a
// sequence that is joined by words ("nod, then stop").
//
// Corrections replace the slot they name, or the last clause when they bring a verb. "scratch that", "forget it" and
// "never mind" take back all that was said so far.
//
// Speech. What follows "say" is spoken as written, up to a connective or mark after which a complete command begins.
// In quotation marks it is never parsed. A final full stop is not spoken.
//
// Limits are those of hal/catalog: what a tool refuses is no plan but an error that names the limit.
//
// Volume. Louder is 80, quieter 30, "a little" 60 and 40; mute 0, unmute 50, because the planner knows no state. Who knows how loud the
// robot is now goes by Step.Louder.
//
// Seeing. Questions for one thing are detect_objects, with the bare name; open questions are analyze_scene with the
// question as the prompt. Looking at people is track_face when it is the speaker ("me"), else look_at.
//
// A prohibition ("do not look left") is understood and nothing to do: none. "do not move" is stop, "do not follow me"
// ends tracking. Handling, walking, flying and making faces are errors that say what the body lacks; harm, disabling
// protections and secret recording are refused. "how are you" is small talk; "are you okay" asks for the state.
package planner
