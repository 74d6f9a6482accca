package mqtt

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"
	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/daemon/config"
	"github.com/reachyd/reachyd/daemon/event"
)

// BenchmarkPublishSubscribe is the way of a message of 256 bytes from one client to another over TCP on this machine, one at a
// time, through the embedded broker and through mosquitto.
func BenchmarkPublishSubscribe(b *testing.B) {
	for _, broker := range []string{"embedded", "mosquitto"} {
		for qos := range byte(2) {
			b.Run(fmt.Sprintf("%s/qos%d", broker, qos), func(b *testing.B) {
				var url string
				if broker == "embedded" {
					url = openBroker(b, &Broker{}).URL()
				} else {
					url = newMosquitto(b).url()
				}
				from, to := benchClient(b, url, "from"), benchClient(b, url, "to")
				arrived := make(chan struct{}, 1)
				mustBench(b, to.Subscribe("bench", qos, func(paho.Client, paho.Message) { arrived <- struct{}{} }))
				payload := make([]byte, 256)
				measure(b, func() {
					from.Publish("bench", qos, false, payload)
					<-arrived
				})
			})
		}
	}
}

// BenchmarkCommand is the way from a client's command over the broker and the gateway to the Commander and its reply back.
func BenchmarkCommand(b *testing.B) {
	for _, broker := range []string{"embedded", "mosquitto"} {
		b.Run(broker, func(b *testing.B) {
			var e Endpoint
			var url string
			if broker == "embedded" {
				br := openBroker(b, &Broker{})
				e, url = br.Endpoint(), br.URL()
			} else {
				url = newMosquitto(b).url()
				e = outside(b, config.MQTT{Broker: url})
			}
			g := &Gateway{ID: "mini", Prefix: "reachy", Endpoint: e, Commander: &quiet{}, Robot: &robot{}, Events: event.NewBus(0, nil), Log: zerolog.Nop()}
			done := make(chan struct{})
			ctx, cancel := context.WithCancel(context.Background())
			go func() { defer close(done); _ = g.Run(ctx) }()
			defer func() { cancel(); <-done }()
			if err := g.Ready(b.Context()); err != nil {
				b.Fatal(err)
			}
			c := benchClient(b, url, "client")
			arrived := make(chan struct{}, 1)
			mustBench(b, c.Subscribe("reachy/mini/reply/1", 1, func(paho.Client, paho.Message) { arrived <- struct{}{} }))
			measure(b, func() {
				c.Publish("reachy/mini/cmd/stop", 1, false, `{"id":"1"}`)
				<-arrived
			})
		})
	}
}

// quiet is a Commander that does nothing.
type quiet struct{}

func (*quiet) Do(context.Context, string, []byte) (string, []byte) {
	return "1", []byte(`{"id":"1","ok":true}`)
}

func benchClient(b *testing.B, url, id string) paho.Client {
	b.Helper()
	c := paho.NewClient(paho.NewClientOptions().AddBroker(url).SetClientID(id).SetAutoReconnect(false))
	mustBench(b, c.Connect())
	b.Cleanup(func() { c.Disconnect(100) })
	return c
}

func mustBench(b *testing.B, t paho.Token) {
	b.Helper()
	if !t.WaitTimeout(patience) || t.Error() != nil {
		b.Fatal("the broker does not answer:", t.Error())
	}
}

// measure reports the median and the 99th percentile of f.
func measure(b *testing.B, f func()) {
	b.Helper()
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		f()
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	at := func(q float64) float64 { return float64(took[int(q*float64(len(took)-1))].Nanoseconds()) / 1e3 }
	b.ReportMetric(at(0.5), "p50-µs")
	b.ReportMetric(at(0.99), "p99-µs")
}
