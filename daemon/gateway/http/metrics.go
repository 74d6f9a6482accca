package http

import (
	"regexp"

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
	loopJitter  = desc("loop_lateness_seconds", "Lateness of the control loop's wake-up over the last second.", "quantile")
	loopTicks   = desc("loop_ticks_total", "Ticks of the control loop since the body started.")
	loopMissed  = desc("loop_missed_ticks_total", "Ticks that came too late to be made.")
	busErrors   = desc("bus_errors_total", "What went wrong on the servo bus.", "kind")
	bodyRSS     = desc("body_resident_bytes", "Resident memory of reachy-body.")
	bodyCPU     = desc("body_cpu_percent", "Processor time of reachy-body in percent of a core.")
	servoVolts  = desc("servo_volts", "Supply voltage at the servo.", "joint")
	servoTemp   = desc("servo_celsius", "Temperature of the servo.", "joint")
	servoMilliA = desc("servo_milliamperes", "Current of the servo.", "joint")
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
	gauge(loopJitter, t.JitterP50/1e6, "0.5")
	gauge(loopJitter, t.JitterP99/1e6, "0.99")
	gauge(loopJitter, t.JitterMax/1e6, "1")
	counter(loopTicks, t.Ticks)
	counter(loopMissed, t.Missed)
	counter(busErrors, t.Bus.Timeouts, "timeout")
	counter(busErrors, t.Bus.Corrupt, "corrupt")
	counter(busErrors, t.Bus.Foreign, "foreign")
	gauge(bodyRSS, float64(t.RSSBytes))
	gauge(bodyCPU, t.CPUPercent)
	for _, v := range t.Servos {
		gauge(servoVolts, v.Voltage, v.Joint)
		gauge(servoTemp, v.Temperature, v.Joint)
		gauge(servoMilliA, v.Current, v.Joint)
	}
	stopped := 0.0
	if s.EStop {
		stopped = 1
	}
	gauge(estop, stopped)
	gauge(faults, float64(len(s.Faults)))
}
