// Package metrics counts, for Prometheus, what people ask and what becomes of it: turns, tools, speech and language models.
package metrics

import (
	"context"
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/perception"
	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/perception/client"
)

// selfMade stands for all tools that people wrote: their names are without number.
const selfMade = "self_made"

// Events are those that Hear wants.
var Events = []api.Type{api.TypeReply, api.TypeHandoff, api.TypeToolResult, api.TypePhoto, api.TypeNotification}

// Meter counts. It is a prometheus.Collector.
type Meter struct {
	turns         *prometheus.CounterVec
	turnTime      prometheus.Histogram
	handoffs      *prometheus.CounterVec
	tools         *prometheus.CounterVec
	toolTime      prometheus.Histogram
	photos        prometheus.Counter
	notifications *prometheus.CounterVec
	heard         prometheus.Counter
	hearTime      prometheus.Histogram
	rejected      *prometheus.CounterVec
	stopWords     prometheus.Counter
	spoken        *prometheus.CounterVec
	models        *prometheus.CounterVec
	modelTime     prometheus.Histogram
	tokens        *prometheus.CounterVec

	all []prometheus.Collector
}

// New returns a meter at zero.
func New() *Meter {
	m := &Meter{}
	m.turns = m.counters("turns_total", "Turns of conversation, by how they ended.", "outcome")
	m.turnTime = m.histogram("turn_duration_seconds", "From an utterance to the reply.", 0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60)
	m.handoffs = m.counters("handoffs_total", "Work that passed to an agent.", "agent")
	m.tools = m.counters("tool_calls_total", "Calls of tools that have ended. All tools that people wrote count as self_made.", "tool", "status")
	m.toolTime = m.histogram("tool_duration_seconds", "Calls of tools, waiting and working.", 0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30)
	m.photos = m.counter("photos_total", "Photos that were taken.")
	m.notifications = m.counters("notifications_total", "What the robot told without having been asked just then.", "kind")
	m.heard = m.counter("speech_heard_total", "Sentences that were heard and understood as words.")
	m.hearTime = m.histogram("speech_recognition_seconds", "From the end of a sentence until its text was known.", 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1, 2, 5)
	m.rejected = m.counters("speech_rejected_total", "Speech that became no sentence.", "reason")
	m.stopWords = m.counter("speech_stop_words_total", "Words that stopped the robot.")
	m.spoken = m.counters("speech_spoken_total", "Texts that the robot said, by how they ended.", "end")
	m.models = m.counters("model_requests_total", "Requests to language models.", "model", "status")
	m.modelTime = m.histogram("model_duration_seconds", "Replies of language models, as a whole.", 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)
	m.tokens = m.counters("model_tokens_total", "Tokens that language models read and wrote.", "direction")
	return m
}

const namespace = "reachyd"

func (m *Meter) counter(name, help string) prometheus.Counter {
	c := prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help})
	m.all = append(m.all, c)
	return c
}

func (m *Meter) counters(name, help string, labels ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
	m.all = append(m.all, c)
	return c
}

func (m *Meter) histogram(name, help string, buckets ...float64) prometheus.Histogram {
	h := prometheus.NewHistogram(prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: buckets})
	m.all = append(m.all, h)
	return h
}

// Describe implements prometheus.Collector.
func (m *Meter) Describe(ch chan<- *prometheus.Desc) {
	for _, c := range m.all {
		c.Describe(ch)
	}
}

// Collect implements prometheus.Collector.
func (m *Meter) Collect(ch chan<- prometheus.Metric) {
	for _, c := range m.all {
		c.Collect(ch)
	}
}

// Hear counts an event.
func (m *Meter) Hear(e api.Event) {
	switch data := e.Data.(type) {
	case api.Reply:
		m.turns.WithLabelValues(data.Outcome).Inc()
		m.turnTime.Observe(data.DurationMS / 1000)
	case api.Handoff:
		m.handoffs.WithLabelValues(data.To).Inc()
	case api.ToolResult:
		name := data.Tool
		if !slices.Contains(catalog.ToolNames(), name) {
			name = selfMade
		}
		m.tools.WithLabelValues(name, data.Status).Inc()
		m.toolTime.Observe(data.DurationMS / 1000)
	case api.Photo:
		m.photos.Inc()
	case api.Notification:
		m.notifications.WithLabelValues(data.Kind).Inc()
	}
}

// Asked counts a request to a language model.
func (m *Meter) Asked(reply *llm.Reply, err error) {
	status := "success"
	if err != nil {
		status = "error"
	}
	m.models.WithLabelValues(reply.Model, status).Inc()
	m.modelTime.Observe(reply.Usage.Total.Seconds())
	m.tokens.WithLabelValues("read").Add(float64(reply.Usage.PromptTokens))
	m.tokens.WithLabelValues("written").Add(float64(reply.Usage.ReplyTokens))
}

// Senses counts what a worker of the senses hears and says.
func (m *Meter) Senses(w perception.Worker) perception.Worker { return &metered{w, m} }

type metered struct {
	perception.Worker
	m *Meter
}

// Own implements perception.Worker.
func (w *metered) Own(ctx context.Context, fn func(client.Message)) error {
	return w.Worker.Own(ctx, func(msg client.Message) {
		if msg.Event != nil {
			w.m.sensed(msg.Event)
		}
		fn(msg)
	})
}

func (m *Meter) sensed(e *client.Event) {
	switch e.Type {
	case client.Heard:
		m.heard.Inc()
		if e.Utterance != nil {
			m.hearTime.Observe(e.Utterance.Latency)
		}
	case client.Rejected:
		m.rejected.WithLabelValues(e.Reason).Inc()
	case client.StopWord:
		m.stopWords.Inc()
	case client.SpeakingDone:
		m.spoken.WithLabelValues(e.Reason).Inc()
	}
}

var (
	_ prometheus.Collector = (*Meter)(nil)
	_ perception.Worker    = (*metered)(nil)
)
