package server

import (
	"bufio"
	"cmp"
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/body"
	"github.com/reachyd/reachyd/hal/local"
	"github.com/reachyd/reachyd/hal/motion"
	"github.com/reachyd/reachyd/hal/request"
)

// stream reads targets, a JSON object a line, and answers on the same connection while it reads.
func (s *Server) stream(w http.ResponseWriter, r *http.Request) {
	source := cmp.Or(r.FormValue("source"), "stream")
	if len(source) > request.MaxName {
		local.Refuse(w, http.StatusBadRequest, "source has %d bytes; allowed are %d", len(source), request.MaxName)
		return
	}
	if !s.enter(w) {
		return
	}
	defer s.leave()
	out := local.NewLines(w, s.slow)
	if err := out.EnableFullDuplex(); err != nil {
		local.Refuse(w, http.StatusInternalServerError, "full duplex: %v", err)
		return
	}
	w.WriteHeader(http.StatusOK)
	if out.Flush() != nil {
		return
	}
	st := s.Loop.NewStreamer(source)
	defer st.Close()

	// Answers have a goroutine of their own: a client that does not read them must not slow its targets down.
	answers := make(chan body.StreamAnswer, 64)
	var wg sync.WaitGroup
	wg.Go(func() {
		for a := range answers {
			if out.Write(&a) != nil {
				return
			}
		}
	})
	defer wg.Wait()
	defer close(answers)
	// The server's end must end the reading, too.
	unhook := context.AfterFunc(r.Context(), func() {
		out.SetReadDeadline(time.Unix(1, 0)) //nolint:errcheck // then the connection is gone already
	})
	defer unhook()
	s.readTargets(bufio.NewReaderSize(r.Body, MaxTargetLine), st, answers, r.FormValue("answers") == "all")
}

// readTargets hands line after line to the loop until the connection ends or a line is too long. Answered are those that
// were compared with the envelope, or all.
func (s *Server) readTargets(in *bufio.Reader, st *motion.Streamer, answers chan<- body.StreamAnswer, all bool) {
	for n := uint64(1); ; n++ {
		line, err := in.ReadSlice('\n')
		if err != nil && len(line) == 0 {
			return
		}
		if err != nil {
			offer(answers, n, hal.Answer{Outcome: hal.Rejected, Code: hal.CodeInvalid, Reason: "the line is too long or has no end"})
			return
		}
		if a, judged := s.target(line, st); judged || all {
			offer(answers, n, a)
		}
	}
}

func (s *Server) target(line []byte, st *motion.Streamer) (a hal.Answer, judged bool) {
	if s.retired.Load() {
		return retired, true
	}
	var req hal.Request
	if err := local.Parse(line, &req); err != nil {
		return hal.Answer{Outcome: hal.Rejected, Code: hal.CodeInvalid, Reason: err.Error()}, true
	}
	req.Verb = cmp.Or(req.Verb, hal.VerbTarget)
	if req.Verb != hal.VerbTarget {
		return hal.Answer{Outcome: hal.Rejected, Code: hal.CodeInvalid, Reason: "a stream carries targets only, not " + string(req.Verb)}, true
	}
	return st.Target(&req)
}

// offer sends an answer unless the reader is slow.
func offer(answers chan<- body.StreamAnswer, n uint64, a hal.Answer) {
	select {
	case answers <- body.StreamAnswer{Answer: a, N: n}:
	default:
	}
}
