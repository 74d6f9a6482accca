package mqtt

import (
	"encoding/json"
	"strings"

	"github.com/reachyd/reachyd/hal/catalog"
)

func (g *Gateway) discoveryTopic() string {
	return g.DiscoveryPrefix + "/device/" + g.object() + "/config"
}

func (g *Gateway) object() string { return "reachy_" + strings.ReplaceAll(g.ID, "-", "_") }

// discovery describes the robot to Home Assistant as one device. Commands from there carry no id, hence act each time.
func (g *Gateway) discovery() []byte {
	type component = map[string]any
	components := map[string]component{}
	add := func(key, platform, name string, more component) {
		more["platform"], more["name"], more["unique_id"] = platform, name, g.object()+"_"+key
		components[key] = more
	}
	state := func(template string) component {
		return component{"state_topic": g.topic("state"), "value_template": template}
	}
	telemetry := func(template, unit string) component {
		return component{
			"state_topic": g.topic("telemetry"), "value_template": template, "unit_of_measurement": unit, "state_class": "measurement",
			"entity_category": "diagnostic",
		}
	}
	with := func(c component, key string, value any) component {
		c[key] = value
		return c
	}
	command := func(verb string, more component) component { return with(more, "command_topic", g.topic("cmd/"+verb)) }
	const yes, no = "ON", "OFF"
	binary := func(condition string) component {
		return state("{{ '" + yes + "' if " + condition + " else '" + no + "' }}")
	}

	add("mode", "sensor", "Mode", with(with(state("{{ value_json.mode }}"), "device_class", "enum"), "options",
		[]string{"disabled", "partial", "enabled", "offline"}))
	add("move", "sensor", "Move", state("{{ value_json.move_name if value_json.moving else 'none' }}"))
	add("last_reply", "sensor", "Last reply", component{"state_topic": g.topic("event/reply"), "value_template": "{{ (value_json.text | default(''))[:255] }}"})
	add("voltage", "sensor", "Voltage", with(telemetry("{{ value_json.voltage }}", "V"), "device_class", "voltage"))
	add("temperature", "sensor", "Hottest servo", with(telemetry("{{ value_json.temperature_max }}", "°C"), "device_class", "temperature"))
	add("loop", "sensor", "Control loop", with(telemetry("{{ value_json.loop_hz }}", "Hz"), "device_class", "frequency"))
	add("jitter", "sensor", "Jitter p99", telemetry("{{ value_json.jitter_p99_us }}", "µs"))
	add("memory", "sensor", "Memory of reachyd", with(telemetry("{{ value_json.daemon.rss_bytes }}", "B"), "device_class", "data_size"))
	add("uptime", "sensor", "Uptime of reachyd",
		with(with(telemetry("{{ value_json.daemon.uptime_s }}", "s"), "device_class", "duration"), "state_class", "total_increasing"))

	add("problem", "binary_sensor", "Problem", with(binary("value_json.faults or value_json.mode == 'offline'"), "device_class", "problem"))
	add("estop", "binary_sensor", "Emergency stop", with(binary("value_json.estop"), "device_class", "safety"))
	add("moving", "binary_sensor", "Moving", with(binary("value_json.moving"), "device_class", "moving"))

	add("motors", "switch", "Motors", command("motors",
		with(with(with(binary("value_json.mode == 'enabled'"), "payload_on", `{"on":true}`), "payload_off", `{"on":false}`), "state_on", yes)))
	components["motors"]["state_off"] = no

	add("stop", "button", "Stop", command("stop", component{"payload_press": `{"reason":"Home Assistant"}`}))
	add("reset", "button", "Reset the stop", command("reset", component{"payload_press": `{}`}))
	add("wake", "button", "Wake up", command("tool", component{"payload_press": `{"name":"wake_up"}`}))
	add("sleep", "button", "Go to sleep", command("tool", component{"payload_press": `{"name":"go_to_sleep"}`}))

	const say = `{"text": {{ value | tojson }}, "session": "homeassistant"}`
	add("say", "text", "Say to the robot", command("chat", component{"command_template": say, "max": 255}))
	add("tell", "notify", "Tell", command("chat", component{"command_template": say}))
	add("emotion", "select", "Emotion", command("tool", component{
		"options": catalog.EmotionNames(), "command_template": `{"name": "express_emotion", "args": {"emotion": {{ value | tojson }} } }`,
	}))

	device := map[string]any{
		"identifiers": []string{g.object()}, "name": g.Name, "manufacturer": "Pollen Robotics", "model": "Reachy Mini", "sw_version": g.Version,
	}
	if g.ConfigURL != "" {
		device["configuration_url"] = g.ConfigURL
	}
	data, err := json.Marshal(map[string]any{
		"device":     device,
		"origin":     map[string]any{"name": "reachyd", "sw": g.Version, "url": "https://github.com/reachyd/reachyd"},
		"components": components,
		"availability": []map[string]any{{
			"topic": g.topic("status"), "payload_available": online, "payload_not_available": offline,
		}},
		"qos": 1,
	})
	if err != nil {
		panic("mqtt: " + err.Error()) // it is made of texts, lists and maps
	}
	return data
}
