//go:build race

package files

const raceFactor = 16 // the race detector keeps books about all memory
