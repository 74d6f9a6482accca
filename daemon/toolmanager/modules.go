package toolmanager

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/lang/wasi"
	"github.com/reachyd/reachyd/toolsandbox/modules"
	"github.com/reachyd/reachyd/toolsandbox/pipeline"
	"github.com/reachyd/reachyd/toolsandbox/registry"
)

// splitModules are the WebAssembly modules among the files of a command, by their sums, and the other files.
func splitModules(given []pipeline.Attachment) (sent map[string][]byte, rest []pipeline.Attachment, err error) {
	sent = map[string][]byte{}
	for _, g := range given {
		if !modules.IsModule(g.Data) && !strings.HasSuffix(g.Name, ".wasm") {
			rest = append(rest, g)
			continue
		}
		if err := modules.Check(g.Data); err != nil {
			return nil, nil, &inputError{fmt.Errorf("file %.80q: %w", g.Name, err)}
		}
		sent[modules.Sum(g.Data)] = g.Data
	}
	return sent, rest, nil
}

// withModule lets a tool be looked at and tested whose module came with the command; nothing is kept.
func withModule(ctx context.Context, a arguments) (context.Context, map[string][]byte, error) {
	given := a.files(ctx)
	if len(given) == 0 {
		return ctx, nil, nil
	}
	sent, rest, err := splitModules(given)
	switch {
	case err != nil:
		return nil, nil, err
	case a.Language != wasi.Name:
		return nil, nil, &inputError{fmt.Errorf("files: %d with language %.40q, allowed is the module of a tool of language %q", len(given), a.Language, wasi.Name)}
	case len(given) > 1 || len(rest) > 0:
		return nil, nil, &inputError{fmt.Errorf("files: %d, the first is %.80q; allowed is one WebAssembly module", len(given), given[0].Name)}
	}
	return wasi.WithModules(ctx, sent), sent, nil
}

// keeping keeps modules and then runs what names them, so that there is never a tool without its module. When the tool
// is refused, the modules that are new go again.
func (t *Manager) keeping(ctx context.Context, sent map[string][]byte, fn func() error) error {
	if len(sent) == 0 {
		return fn()
	}
	select { // one at a time: who is refused must not take away what another one needs
	case t.putting <- struct{}{}:
		defer func() { <-t.putting }()
	case <-ctx.Done():
		return ctx.Err()
	}
	var fresh []string
	put := func() error {
		for _, data := range sent {
			sum, isNew, err := t.modules.Put(data)
			if err != nil {
				return err
			}
			if isNew {
				fresh = append(fresh, sum)
			}
		}
		return nil
	}
	err := put()
	if err == nil {
		if err = fn(); err == nil || !refused(err) { // of another error nobody knows whether there is a tool now
			return err
		}
	}
	for _, sum := range fresh {
		err = errors.Join(err, t.modules.Remove(sum))
	}
	return err
}

// refused says that an error means that nothing was registered.
func refused(err error) bool {
	var refusal *registry.Refusal
	if errors.As(err, &refusal) {
		return true
	}
	return slices.ContainsFunc(
		[]error{registry.ErrBadBundle, pipeline.ErrInput, registry.ErrUnavailable, guest.ErrUnavailable},
		func(e error) bool { return errors.Is(err, e) },
	)
}
