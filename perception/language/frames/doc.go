// Package frames reads what a sentence asks of the robot with a small network that learned it from sentences of many people:
// "what I'm after is that head of yours over to the left, twenty or so" is the frame "move head left #1".
//
// The sentences and what they mean lie in sentences/, written by hand; train/ makes the network of them, and of what a language model that
// learned from them writes (cross/frames.sh). What lies in sentences/unlearned/ the network does not know yet: it is measured with these
// strangers until it is made anew.
package frames
