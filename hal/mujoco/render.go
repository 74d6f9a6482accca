//go:build mujoco

package mujoco

/*
#include <stdlib.h>
#include "shim.h"
*/
import "C"

import (
	"fmt"
	"image"
	"runtime"
	"sync"
	"unsafe"
)

// eglLibrary is loaded when the first picture is asked for.
var eglLibrary = "libEGL.so.1"

// viewer draws pictures in a goroutine of its own, because a GL context belongs to one thread: drawn from any other,
// pictures are silently black. It starts with the first picture.
type viewer struct {
	sim *Sim

	mu      sync.Mutex
	closed  bool
	jobs    chan pictureJob
	stopped chan struct{}
}

type pictureJob struct {
	camera, width, height int
	qpos                  []float64
	done                  chan<- pictureResult
}

type pictureResult struct {
	img *image.RGBA
	err error
}

func newViewer(s *Sim) *viewer { return &viewer{sim: s} }

// Render draws what a camera sees now. The error wraps ErrNoPictures when the machine cannot draw.
func (s *Sim) Render(camera string, width, height int) (*image.RGBA, error) {
	if err := CheckPicture(camera, width, height); err != nil {
		return nil, err
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, fmt.Errorf("%w: the simulation is closed", ErrNoPictures)
	}
	qpos := append([]float64(nil), s.qpos...)
	id, err := s.id(C.mjOBJ_CAMERA, camera)
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return s.view.draw(pictureJob{camera: id, width: width, height: height, qpos: qpos})
}

func (v *viewer) draw(j pictureJob) (*image.RGBA, error) {
	done := make(chan pictureResult, 1)
	j.done = done
	if err := v.enqueue(j); err != nil {
		return nil, err
	}
	r := <-done
	return r.img, r.err
}

// enqueue hands a job to the goroutine, which is started by the first one.
func (v *viewer) enqueue(j pictureJob) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed {
		return fmt.Errorf("%w: the simulation is closed", ErrNoPictures)
	}
	if v.jobs == nil {
		v.jobs, v.stopped = make(chan pictureJob), make(chan struct{})
		go v.run()
	}
	v.jobs <- j // the goroutine takes every job until it is closed, which needs mu
	return nil
}

func (v *viewer) run() {
	defer close(v.stopped)
	runtime.LockOSThread() // never unlocked: the thread ends with the goroutine, and its GL context with it
	library := C.CString(eglLibrary)
	defer C.free(unsafe.Pointer(library))
	var text [C.SHIM_TEXT]C.char
	view := C.shim_view_open(v.sim.m, library, &text[0])
	openErr := C.GoString(&text[0])
	if view != nil {
		defer C.shim_view_close(view)
	}
	for j := range v.jobs {
		if view == nil {
			j.done <- pictureResult{err: fmt.Errorf("%w: %s (Debian: apt install libegl1 libgl1-mesa-dri)", ErrNoPictures, openErr)}
			continue
		}
		img := image.NewRGBA(image.Rect(0, 0, j.width, j.height))
		if C.shim_view_draw(view, (*C.double)(&j.qpos[0]), C.int(j.camera), C.int(j.width), C.int(j.height),
			(*C.uchar)(&img.Pix[0]), &text[0]) != 0 {
			j.done <- pictureResult{err: fmt.Errorf("%w: %s", ErrNoPictures, C.GoString(&text[0]))}
			continue
		}
		j.done <- pictureResult{img: img}
	}
}

// close waits for the goroutine. The model must outlive it.
func (v *viewer) close() {
	v.mu.Lock()
	first := !v.closed
	v.closed = true
	jobs, stopped := v.jobs, v.stopped
	v.mu.Unlock()
	if jobs == nil {
		return
	}
	if first {
		close(jobs)
	}
	<-stopped
}
