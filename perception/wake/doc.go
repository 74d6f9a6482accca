// Package wake listens for the wake phrase in the sound itself, without a recogniser of words: a small network of our own tells, 33 times a
// second, how likely each sound of speech is, and a search keeps the best way through the sounds of the phrase.
//
// The network is made by a training of its own and lies in wake.bin.gz (file.go says how). It knows sounds, not phrases: an own name is
// spelled into sounds by espeak-ng. So it serves for whole sentences, too: an Aligner tells how well each of some known ones fits a sound.
package wake

// Rate is the samples of a second, mono, −1…1.
const Rate = 16000

// How the network looks at the sound.
const (
	bands       = 40
	window      = 400 // samples of a frame of the front end
	hop         = 160 // samples between two of them
	firstTaps   = 5   // frames that the first layer sees
	firstStride = 3   // frames between two of its outputs

	// StepSize is the samples between two outputs, 30 ms.
	StepSize = firstStride * hop
	// stepReach is the samples that the first layer sees for one output.
	stepReach = (firstTaps-1)*hop + window
)
