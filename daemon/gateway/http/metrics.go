package http

import (
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// gcCycles adds go_gc_cycles_total_gc_cycles_total: at rest there is at most one collection in ten seconds.
var gcCycles = collectors.GoRuntimeMetricsRule{Matcher: regexp.MustCompile("^/gc/cycles/total:")}

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("reachyd_"+name, help, labels, nil)
}

var (
	loopHz      = desc("loop_hertz", "Rate of the control loop over the last second.")
	loopJitter  = desc("loop_lateness_seconds", "Lateness of the control loop's wake-up over the last second; its sum is not measured.")
	loopTicks   = desc("loop_ticks_total", "Ticks of the control loop since the body started.")
	loopMissed  = desc("loop_missed_ticks_total", "Ticks that came too late to be made.")
	busErrors   = desc("bus_errors_total", "What went wrong on the servo bus.", "kind")
	bodyRSS     = desc("body_resident_bytes", "Resident memory of reachy-body.")
	bodyCPU     = desc("body_cpu_percent", "Processor time of reachy-body in percent of a core, as body_cpu_ratio.")
	bodyRatio   = desc("body_cpu_ratio", "Processor time of reachy-body as a part of a core.")
	connections = desc("http_connections", "Open connections that are no streams.")
	streams     = desc("http_streams", "Open WebSockets and other streams.")
	build       = desc("build_info", "Always 1; the version is a label.", "version")
	servoVolts  = desc("servo_volts", "Supply voltage at the servo.", "joint")
	servoTemp   = desc("servo_celsius", "Temperature of the servo.", "joint")
	servoMilliA = desc("servo_milliamperes", "Current of the servo, as servo_amperes.", "joint")
	servoAmpere = desc("servo_amperes", "Current of the servo.", "joint")
	estop       = desc("estop", "1 while the emergency stop is latched.")
	faults      = desc("faults", "Number of active faults.")
)

// collector reads the newest telemetry when Prometheus asks; nothing is counted in between.
type collector struct{ g *Gateway }

// Describe implements prometheus.Collector.
func (c *collector) Describe(ch chan<- *prometheus.Desc) { prometheus.DescribeByCollect(c, ch) }

// Collect implements prometheus.Collector.
func (c *collector) Collect(ch chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	counter := func(d *prometheus.Desc, v uint64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(v), labels...)
	}
	t, s := c.g.Telemetry(), c.g.State()
	gauge(loopHz, t.LoopHz)
	ch <- prometheus.MustNewConstSummary(loopJitter, t.Ticks, math.NaN(),
		map[float64]float64{0.5: t.JitterP50 / 1e6, 0.99: t.JitterP99 / 1e6, 1: t.JitterMax / 1e6})
	counter(loopTicks, t.Ticks)
	counter(loopMissed, t.Missed)
	counter(busErrors, t.Bus.Timeouts, "timeout")
	counter(busErrors, t.Bus.Corrupt, "corrupt")
	counter(busErrors, t.Bus.Foreign, "foreign")
	gauge(bodyRSS, float64(t.RSSBytes))
	gauge(bodyCPU, t.CPUPercent)
	gauge(bodyRatio, t.CPUPercent/100)
	gauge(build, 1, c.g.Version)
	open, streaming := c.g.limits.count()
	gauge(connections, float64(open))
	gauge(streams, float64(streaming))
	for _, v := range t.Servos {
		gauge(servoVolts, v.Voltage, v.Joint)
		gauge(servoTemp, v.Temperature, v.Joint)
		gauge(servoMilliA, v.Current, v.Joint)
		gauge(servoAmpere, v.Current/1000, v.Joint)
	}
	stopped := 0.0
	if s.EStop {
		stopped = 1
	}
	gauge(estop, stopped)
	gauge(faults, float64(len(s.Faults)))
}

// requests counts requests and how long they took, by route. Streams, which last as long as somebody listens, have no time.
type requests struct {
	total *prometheus.CounterVec
	time  *prometheus.HistogramVec
}

func newRequests() *requests {
	return &requests{
		total: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: "reachyd", Name: "http_requests_total", Help: "Requests over HTTP that were answered.",
		}, []string{"route", "method", "code"}),
		time: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: "reachyd", Name: "http_request_duration_seconds", Help: "Requests over HTTP, from their head to the end of the answer.",
			Buckets: []float64{0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10},
		}, []string{"route"}),
	}
}

// count counts a request that was answered. What has no route of its own is one route, and an unknown method is one method, so that
// nobody can make up names.
func (q *requests) count(r *http.Request, pattern string, status int, took time.Duration) {
	_, route, found := strings.Cut(pattern, " ")
	if !found {
		route = pattern
	}
	if route == "" {
		route = "none"
	}
	method := r.Method
	if method != http.MethodGet && method != http.MethodPost && method != http.MethodDelete {
		method = "other"
	}
	q.total.WithLabelValues(route, method, strconv.Itoa(status)).Inc()
	if r.Header.Get("Upgrade") == "" && !strings.HasSuffix(route, "/events") && !strings.HasSuffix(route, ".mjpeg") {
		q.time.WithLabelValues(route).Observe(took.Seconds())
	}
}
