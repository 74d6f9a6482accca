package guest

import "context"

// get takes a worker, and sees to it that another one stands by.
func (s *Sandbox) get(ctx context.Context) (*process, error) {
	for {
		s.mu.Lock()
		var p *process
		for n := len(s.idle); n > 0 && p == nil; n-- {
			p = s.idle[n-1]
			s.idle = s.idle[:n-1]
			if !p.alive() {
				_ = p.conn.Close()
				p = nil
			}
		}
		changed, wait := s.changed, p == nil && s.starting > s.waiting
		if wait {
			s.waiting++
		}
		s.mu.Unlock()
		switch {
		case p != nil:
			s.warm()
			return p, nil
		case !wait:
			s.warm()
			return s.start(ctx)
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
		s.mu.Lock()
		s.waiting--
		s.mu.Unlock()
		if ctx.Err() != nil {
			return nil, s.ended(ctx)
		}
	}
}

// discard ends a worker without waiting for it: the kernel takes its time with memory.
func (s *Sandbox) discard(p *process) {
	p.kill()
	s.work.Add(1) // the caller is counted too, so Close still waits
	go func() {
		defer s.work.Done()
		p.close()
	}()
}

func (s *Sandbox) put(p *process) {
	s.mu.Lock()
	keep := !s.closed && len(s.idle) <= s.config.Workers
	if keep {
		s.idle = append(s.idle, p)
		s.reaper.Reset(s.config.Idle)
	}
	s.mu.Unlock()
	if !keep {
		p.close()
	}
}

// warm starts a worker in the background when none stands by.
func (s *Sandbox) warm() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.config.lone || len(s.idle)+s.starting > 0 {
		return
	}
	s.starting++
	s.work.Add(1)
	go func() {
		defer s.work.Done()
		p, err := s.start(s.ctx)
		if err == nil { // otherwise the next call meets the same error and tells it
			s.put(p)
		}
		s.mu.Lock()
		s.starting--
		close(s.changed)
		s.changed = make(chan struct{})
		s.mu.Unlock()
	}()
}

// reap gives the workers back, unless one of them works.
func (s *Sandbox) reap() {
	s.mu.Lock()
	idle := s.idle
	switch {
	case s.closed:
		idle = nil
	case s.busy() || s.starting > 0:
		s.reaper.Reset(s.config.Idle)
		idle = nil
	default:
		s.idle = nil
	}
	s.mu.Unlock()
	for _, p := range idle {
		p.close()
	}
}
