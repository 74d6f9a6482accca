//go:build !linux

package motion

// Secure does nothing on this system; it says so.
func Secure(int) string { return "no real time on this system" }
