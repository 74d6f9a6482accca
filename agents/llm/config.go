package llm

import (
	"fmt"
	"net/url"
	"slices"
	"time"
)

// Config says where the server is, which models to use for what, and how long to wait. Zero fields take the defaults.
type Config struct {
	// URL of the server; the default is http://127.0.0.1:11434.
	URL string
	// API is the server's interface; Ollama when empty. Context, Threads and KeepAlive are Ollama's only.
	API API
	// Key is sent with every request to a server with OpenAI's interface; empty for none.
	Key string
	// Models for each role, the preferred one first. When none of them is installed, the models of related roles are
	// tried, then whatever is installed and able.
	Models map[Role][]string

	FirstToken time.Duration // from request to first piece of the reply, loading the model included; default 60 s
	Between    time.Duration // from piece to piece; default 15 s
	Total      time.Duration // for the whole reply; default 3 min
	Short      time.Duration // for questions that no model must think about: what is installed; default 5 s

	// Context is the most tokens that a model keeps in mind, instructions, tools and reply included; default 8192: the
	// robot's tools alone are some 3000, and more than fits is refused, not dropped. Threads is how many processors a
	// model uses; 0 leaves it to the server. Both are the same in every request: a change makes the server load the
	// model again.
	Context int
	Threads int
	// KeepAlive is how long the server keeps an unused model in memory; default 30 min, negative for ever.
	KeepAlive time.Duration

	MaxTokens int // of a reply, where the Request names no limit; default 1024
	MaxReply  int // bytes of text or thinking of a reply; default 256 KiB
	MaxCalls  int // tools called in one reply; default 16
	MaxImage  int // bytes of one picture; default 8 MiB

	Retries int           // further attempts when the server cannot be reached; default 2, negative for none
	Backoff time.Duration // before the first of them, doubled each time; default 200 ms
	// Away is how long a server that could not be reached is left alone before one request tries it again; default
	// 5 s, doubled each time up to a minute.
	Away time.Duration
	// Refresh is how old the knowledge about what is installed may get; default 1 min.
	Refresh time.Duration
	// Observe, if not nil, is called with every reply of a model, and with the error when there was none. It must be quick.
	Observe func(reply *Reply, err error)
}

// Recommended are the models that Doctor advises, from what others measured of tool calling on home computers; make eval
// tells how good one is here. A Config without models uses them.
var Recommended = map[Role][]string{
	RoleTalk:  {"qwen3:4b", "qwen3:1.7b", "lfm2.5:1.2b", "qwen2.5:1.5b"},
	RoleCall:  {"qwen3:4b", "lfm2.5:1.2b", "phi4-mini", "qwen3:0.6b"},
	RoleCode:  {"qwen2.5-coder:7b", "qwen3:8b", "qwen3:4b"},
	RoleSee:   {"qwen3-vl:4b", "qwen3-vl:2b", "gemma3:4b"},
	RoleEmbed: {"all-minilm", "nomic-embed-text", "embeddinggemma"},
}

// related are the roles whose models may stand in, in this order.
var related = map[Role][]Role{
	RoleTalk:  {RoleCall, RoleCode, RoleSee},
	RoleCall:  {RoleTalk, RoleCode, RoleSee},
	RoleCode:  {RoleCall, RoleTalk},
	RoleSee:   {},
	RoleEmbed: {},
}

// withDefaults fills in what is zero and reports what cannot be.
func (c Config) withDefaults() (Config, *url.URL, error) {
	text(&c.URL, "http://127.0.0.1:11434")
	u, err := url.Parse(c.URL)
	if err != nil {
		return c, nil, fmt.Errorf("url: %w", err)
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return c, nil, fmt.Errorf("url: %q is not http://HOST:PORT", c.URL)
	}
	if c.API == "" {
		c.API = Ollama
	}
	if !slices.Contains(APIs, c.API) {
		return c, nil, fmt.Errorf("api: %q is unknown; known are %v", c.API, APIs)
	}
	if c.Models == nil {
		c.Models = Recommended
	}
	for role := range c.Models {
		if _, known := related[role]; !known {
			return c, nil, fmt.Errorf("models: role %q is unknown; known are %v", role, Roles)
		}
	}
	for _, d := range []struct {
		name string
		v    *time.Duration
		def  time.Duration
	}{
		{"first token", &c.FirstToken, time.Minute},
		{"between", &c.Between, 15 * time.Second},
		{"total", &c.Total, 3 * time.Minute},
		{"short", &c.Short, 5 * time.Second},
		{"back-off", &c.Backoff, 200 * time.Millisecond},
		{"away", &c.Away, 5 * time.Second},
		{"refresh", &c.Refresh, time.Minute},
	} {
		if *d.v < 0 {
			return c, nil, fmt.Errorf("%s: %v is negative", d.name, *d.v)
		}
		if *d.v == 0 {
			*d.v = d.def
		}
	}
	if c.KeepAlive == 0 {
		c.KeepAlive = 30 * time.Minute
	}
	for _, n := range []struct {
		name string
		v    *int
		def  int
	}{
		{"context", &c.Context, 8192},
		{"threads", &c.Threads, 0},
		{"max tokens", &c.MaxTokens, 1024},
		{"max reply", &c.MaxReply, 256 << 10},
		{"max calls", &c.MaxCalls, 16},
		{"max image", &c.MaxImage, 8 << 20},
	} {
		if *n.v < 0 {
			return c, nil, fmt.Errorf("%s: %d is negative", n.name, *n.v)
		}
		if *n.v == 0 {
			*n.v = n.def
		}
	}
	if c.Retries == 0 {
		c.Retries = 2
	}
	return c, u, nil
}

func text(s *string, def string) {
	if *s == "" {
		*s = def
	}
}
