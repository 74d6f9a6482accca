package llm

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ollama/ollama/api"
)

// Capabilities of a model, as the server calls them.
const (
	CanComplete = "completion"
	CanCall     = "tools"
	CanSee      = "vision"
	CanEmbed    = "embedding"
	CanThink    = "thinking"
)

// Info is what is known about a model of the server.
type Info struct {
	Name      string
	Size      int64 // bytes on the server's disk
	Digest    string
	Can       []string // capabilities; CanComplete and so on
	Elsewhere bool     // the server passes requests on to somebody else's computer
	Problem   string   // why the server cannot say more; empty normally
}

// can reports whether the model has all the capabilities.
func (i *Info) can(all ...string) bool {
	for _, c := range all {
		if !slices.Contains(i.Can, c) {
			return false
		}
	}
	return true
}

const (
	// looks is how many looks must fail before requests under way are given up, too: one may, on a busy computer.
	looks      = 2
	maxModels  = 256              // of a server that are looked at
	awayAtMost = 30 * time.Second // between two looks at a server that is away
	// freshEnough is how old what is known about the server may be when a request finds no model.
	freshEnough = time.Second
)

// watch looks at the server now, when it is woken, and from time to time, until the client is closed.
func (c *Client) watch() {
	wait := c.cfg.Away
	for {
		err := c.look()
		next := c.cfg.Refresh
		if err != nil {
			next = wait
			wait = min(2*wait, max(awayAtMost, c.cfg.Away))
		} else {
			wait = c.cfg.Away
		}
		timer := time.NewTimer(next)
		select {
		case <-c.life.Done():
			timer.Stop()
			return
		case <-c.wake:
			timer.Stop()
		case <-timer.C:
		}
	}
}

// look reads from the server what is installed, and notes the result.
func (c *Client) look() error {
	c.mu.Lock()
	old := c.models
	c.mu.Unlock()
	models, err := c.list(old)

	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err != nil:
		if c.failed++; c.failed == looks {
			c.lost(err)
		}
	case c.failed >= looks:
		c.there, c.lost = context.WithCancelCause(context.Background())
		fallthrough
	default:
		c.models, c.read, c.failed = models, time.Now(), 0
	}
	c.away = err
	close(c.looked)
	c.looked = make(chan struct{})
	return err
}

// list asks the server for its models, and what each can do unless old says so.
func (c *Client) list(old []Info) ([]Info, error) {
	ctx, cancel := context.WithTimeoutCause(c.life, c.cfg.Short, ErrTimeout)
	defer cancel()
	if c.cfg.API == OpenAI {
		models, err := c.openaiModels(ctx)
		if err != nil {
			return nil, unreachable(reason(c.life, ctx, err))
		}
		return models, nil
	}
	answer, err := c.api.List(ctx)
	if err != nil {
		return nil, unreachable(reason(c.life, ctx, err))
	}
	models := make([]Info, 0, min(len(answer.Models), maxModels))
	// All of them together: a server that is stuck must not be asked about each.
	shows, end := context.WithTimeoutCause(c.life, 4*c.cfg.Short, ErrTimeout)
	defer end()
	for _, m := range answer.Models[:min(len(answer.Models), maxModels)] {
		known := func(i Info) bool { return i.Name == m.Name && i.Digest == m.Digest && i.Problem == "" }
		if k := slices.IndexFunc(old, known); k >= 0 {
			models = append(models, old[k])
			continue
		}
		info, err := c.show(shows, m)
		if err != nil && c.life.Err() != nil {
			return nil, errClosed
		}
		models = append(models, info)
	}
	return models, nil
}

// show asks what one model can do. Its error is noted in the Info: one broken model must not hide the others.
func (c *Client) show(ctx context.Context, m api.ListModelResponse) (Info, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.cfg.Short, ErrTimeout)
	defer cancel()
	info := Info{Name: m.Name, Size: m.Size, Digest: m.Digest, Elsewhere: m.RemoteHost != "" || m.RemoteModel != ""}
	answer, err := c.api.Show(ctx, &api.ShowRequest{Model: m.Name})
	if err != nil {
		info.Problem = reason(c.life, ctx, err).Error()
		return info, err
	}
	for _, can := range answer.Capabilities {
		info.Can = append(info.Can, can.String())
	}
	if len(info.Can) == 0 { // a server from before capabilities were told
		info.Can = []string{CanComplete}
	}
	info.Elsewhere = info.Elsewhere || answer.RemoteHost != ""
	return info, nil
}

// unreachable makes whatever keeps the server from saying what it has an ErrAway.
func unreachable(err error) error {
	if errors.Is(err, ErrAway) {
		return err
	}
	return &awayError{err}
}

type awayError struct{ err error }

func (e *awayError) Error() string   { return ErrAway.Error() + ": " + e.err.Error() }
func (e *awayError) Unwrap() []error { return []error{ErrAway, e.err} }

// gone notes that the server could not be reached, and lets the watch find out when it is back.
func (c *Client) gone(err error) {
	c.mu.Lock()
	c.away = err
	c.mu.Unlock()
	c.again()
}

// waiting lets a request that waits for its reply to begin end when the server turns out to be away: a computer that fell
// asleep breaks no connection. stop ends that.
func (c *Client) waiting(p *patience, cancel context.CancelCauseFunc) (stop func()) {
	c.mu.Lock()
	there := c.there
	c.mu.Unlock()
	look := time.AfterFunc(c.cfg.Short, c.again)
	given := context.AfterFunc(there, func() {
		if !p.began.Load() {
			cancel(context.Cause(there))
		}
	})
	return func() { look.Stop(); given() }
}

// isAway reports whether the last look at the server failed.
func (c *Client) isAway() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.away != nil
}

// again lets the watch look at the server soon.
func (c *Client) again() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// Models returns what the server has, the most recently changed first. It waits only for the first answer.
func (c *Client) Models(ctx context.Context) ([]Info, error) {
	models, _, err := c.installed(ctx)
	return slices.Clone(models), err
}

// installed returns what is known of the server's models, and since when.
func (c *Client) installed(ctx context.Context) ([]Info, time.Time, error) {
	for {
		c.mu.Lock()
		models, read, away, looked := c.models, c.read, c.away, c.looked
		c.mu.Unlock()
		if away != nil {
			return nil, read, away
		}
		if !read.IsZero() {
			return models, read, nil
		}
		if err := c.await(ctx, looked); err != nil {
			return nil, read, err
		}
	}
}

// await waits until the server was looked at once more.
func (c *Client) await(ctx context.Context, looked <-chan struct{}) error {
	select {
	case <-looked:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-c.life.Done():
		return errClosed
	}
}

// candidates returns the models that can do what is needed, the best first. When there is none it looks at the server
// again before it says so: the user may just have installed one.
func (c *Client) candidates(ctx context.Context, role Role, needs ...string) ([]Info, error) {
	models, read, err := c.installed(ctx)
	if err != nil {
		return nil, err
	}
	found, err := choose(c.cfg.Models, models, role, needs)
	if err == nil || time.Since(read) < freshEnough {
		return found, err
	}
	c.mu.Lock()
	looked := c.looked
	c.mu.Unlock()
	c.again()
	if err := c.await(ctx, looked); err != nil {
		return nil, err
	}
	if models, _, err = c.installed(ctx); err != nil {
		return nil, err
	}
	return choose(c.cfg.Models, models, role, needs)
}

// Ready reports why a request in this role would fail now. It does not wait: before the server was looked at for the
// first time, it is nil.
func (c *Client) Ready(role Role) error {
	if _, known := related[role]; !known {
		return unknownRole(role)
	}
	c.mu.Lock()
	models, read, away := c.models, c.read, c.away
	c.mu.Unlock()
	if c.life.Err() != nil {
		return errClosed
	}
	if away != nil || read.IsZero() {
		return away
	}
	_, err := choose(c.cfg.Models, models, role, needs(role))
	return err
}

// Size returns the bytes of the model that would answer in a role; 0 when that is not known now.
func (c *Client) Size(role Role) int64 {
	c.mu.Lock()
	models := c.models
	c.mu.Unlock()
	found, err := choose(c.cfg.Models, models, role, []string{CanComplete})
	if err != nil {
		return 0
	}
	if m := billions.FindStringSubmatch(strings.ToLower(found[0].Name)); found[0].Size == 0 && m != nil {
		if n, err := strconv.ParseFloat(m[1], 64); err == nil {
			return int64(n * bytesOfBillion)
		}
	}
	return found[0].Size
}

// billions is how many billion parameters a model has by its name: qwen2.5-coder-1.5b-instruct. A server that does not tell the size
// of its files may tell this.
var billions = regexp.MustCompile(`(?:^|[-_:/ ])([0-9]+(?:\.[0-9]+)?)b(?:$|[-_:/. ])`)

// bytesOfBillion is what a billion parameters take in four bits.
const bytesOfBillion = 650e6

// needs are the capabilities without which a model is of no use in a role.
func needs(role Role) []string {
	switch role {
	case RoleEmbed:
		return []string{CanEmbed}
	case RoleSee:
		return []string{CanComplete, CanSee}
	case RoleCall:
		return []string{CanComplete, CanCall}
	}
	return []string{CanComplete}
}

// choose returns the models that have what is needed: first those that the configuration names for the role, then those
// for related roles, then any other on the server's own computer.
func choose(config map[Role][]string, models []Info, role Role, need []string) ([]Info, error) {
	var found []Info
	add := func(i *Info) {
		if i.can(need...) && !slices.ContainsFunc(found, func(f Info) bool { return f.Name == i.Name }) {
			found = append(found, *i)
		}
	}
	for _, r := range append([]Role{role}, related[role]...) {
		for _, name := range config[r] {
			if k := slices.IndexFunc(models, func(i Info) bool { return sameModel(i.Name, name) }); k >= 0 {
				add(&models[k])
			}
		}
	}
	for k := range models {
		if !models[k].Elsewhere { // nobody's words go to strangers unless the configuration says so
			add(&models[k])
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	missing := &NoModelError{Role: role}
	if len(config[role]) > 0 {
		missing.Pull = config[role][0]
	}
	for _, n := range need {
		if n != CanComplete || len(need) == 1 {
			missing.Need = n
		}
	}
	return nil, missing
}

// sameModel compares the names of models; "qwen3" is "qwen3:latest".
func sameModel(a, b string) bool {
	full := func(s string) string {
		if strings.Contains(s[strings.LastIndexByte(s, '/')+1:], ":") {
			return s
		}
		return s + ":latest"
	}
	return strings.EqualFold(full(a), full(b))
}
