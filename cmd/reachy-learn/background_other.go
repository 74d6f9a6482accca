//go:build !linux

package main

// background does nothing here.
func background() error { return nil }
