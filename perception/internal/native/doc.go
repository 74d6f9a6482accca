// Package native links whisper.cpp and keeps it from writing to stderr; it is empty without the build tag whisper.
package native
