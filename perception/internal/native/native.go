//go:build whisper

package native

/*
#cgo LDFLAGS: -lwhisper -lggml -lggml-cpu -lggml-base -lstdc++ -lm -lpthread
#include "log.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"unsafe"
)

// series is what the shims of perception/stt and perception/vad are written for: they pass structures by value. It also has
// them compiled again when it changes, for which Go would not look into the library's headers.
const series = "1.9."

var once sync.Once

// Quiet sends what whisper.cpp would write to stderr nowhere, several lines for every 32 ms of audio. It is called before
// anything else of the library and works once.
func Quiet() { once.Do(func() { C.reachyd_quiet() }) }

// Version is that of the library.
func Version() string { return C.GoString(C.whisper_version()) }

// Complain calls f and, when it fails, returns the last complaint of the library, which is all that it says about the
// reason. Complaints are collected by thread, so f must not leave its own.
func Complain(what string, f func() bool) error {
	Quiet()
	if v := Version(); !strings.HasPrefix(v, series) {
		return fmt.Errorf("%s: linked is whisper.cpp %s, but this program is written for %sx", what, v, series)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	C.reachyd_complaint_clear()
	if f() {
		return nil
	}
	text := C.GoString((*C.char)(unsafe.Pointer(C.reachyd_complaint())))
	if text = strings.TrimSpace(text); text == "" {
		text = "whisper.cpp does not say why"
	}
	return errors.New(what + ": " + text)
}
