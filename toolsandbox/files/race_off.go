//go:build !race

package files

const raceFactor = 1
