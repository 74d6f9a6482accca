package mqtt

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/reachyd/reachyd/hal/catalog"
)

func (g *Gateway) discoveryTopic() string {
	return g.DiscoveryPrefix + "/device/" + g.object() + "/config"
}

func (g *Gateway) object() string { return "reachy_" + strings.ReplaceAll(g.ID, "-", "_") }

// component is an entity of Home Assistant.
type component map[string]any

// with adds pairs of a key and a value.
func (c component) with(pairs ...any) component {
	for i := 0; i+1 < len(pairs); i += 2 {
		c[pairs[i].(string)] = pairs[i+1]
	}
	return c
}

// components collects the entities. Their values are rounded to what matters to a person, since Home Assistant keeps every change
// of one for weeks.
type components struct {
	g   *Gateway
	all map[string]component
}

func (d components) add(key, platform, name string, c component) {
	d.all[key] = c.with("platform", platform, "name", name, "unique_id", d.g.object()+"_"+key)
}

// shows is what an entity shows of a topic.
func (d components) shows(topic, template string) component {
	return component{"state_topic": d.g.topic(topic), "value_template": template}
}

// measures is a number in the telemetry.
func (d components) measures(template, unit string) component {
	return d.shows("telemetry", template).with("unit_of_measurement", unit, "state_class", "measurement", "entity_category", "diagnostic")
}

// commands adds what an entity sends. Commands from Home Assistant carry no id, hence act each time.
func (d components) commands(verb string, c component) component {
	return c.with("command_topic", d.g.topic("cmd/"+verb))
}

// does is a choice of movements by their names, which shows the one that the robot does now, and none when it does not.
func (d components) does(verb, tool, argument string, names []string) component {
	moving := fmt.Sprintf("{{ value_json.move_name[%d:] if value_json.moving and value_json.move_name.startswith('%s ') else 'None' }}", len(verb)+1, verb)
	return d.commands("tool", d.shows("state", moving).with("options", names,
		"command_template", fmt.Sprintf(`{"name": "%s", "args": {"%s": {{ value | tojson }} } }`, tool, argument)))
}

// yes and no are the states of what is one or the other.
const yes, no = "ON", "OFF"

func either(condition string) string {
	return "{{ '" + yes + "' if " + condition + " else '" + no + "' }}"
}

// textLimit cuts a text to the most that Home Assistant takes for a state.
func textLimit(expression string) string { return "{{ (" + expression + ")[:255] }}" }

func (d components) sensors() {
	d.add("mode", "sensor", "Mode", d.shows("state", "{{ value_json.mode }}").with("device_class", "enum",
		"options", []string{"disabled", "partial", "enabled", "offline"}))
	d.add("move", "sensor", "Move", d.shows("state", "{{ value_json.move_name if value_json.moving else 'none' }}"))
	d.add("heard", "sensor", "Heard", d.shows("event/utterance", textLimit("value_json.text | default('')")))
	d.add("last_reply", "sensor", "Last reply", d.shows("event/reply", textLimit("value_json.text | default('')")))
	d.add("last_command", "sensor", "Last command", d.shows("reply/+",
		textLimit("'done' if value_json.ok else 'refused: ' ~ (value_json.error | default({'message': 'no reason'})).message")))
	d.add("fault", "sensor", "Fault", d.shows("state", textLimit("(value_json.faults | map(attribute='detail') | join('; ')) or 'none'")))
	d.add("voltage", "sensor", "Voltage", d.measures("{{ value_json.voltage | round(1) if value_json.voltage else None }}", "V").
		with("device_class", "voltage"))
	d.add("temperature", "sensor", "Hottest servo", d.measures("{{ value_json.temperature_max | round if value_json.temperature_max else None }}", "°C").
		with("device_class", "temperature"))
	d.add("loop", "sensor", "Control loop", d.measures("{{ ((value_json.loop_hz or 0) / 5) | round * 5 }}", "Hz").with("device_class", "frequency"))
	d.add("jitter", "sensor", "Jitter p99", d.measures("{{ ((value_json.jitter_p99_us or 0) / 5000) | round * 5 }}", "ms").with("device_class", "duration"))
	d.add("memory", "sensor", "Memory of reachyd", d.measures("{{ (value_json.daemon.rss_bytes / 8388608) | round * 8 }}", "MiB").
		with("device_class", "data_size"))
	d.add("address", "sensor", "Address", d.shows("telemetry", "{{ (value_json.network | default({})).address | default('none') }}").
		with("entity_category", "diagnostic"))
	d.add("wifi", "sensor", "Wifi signal", d.measures("{{ (value_json.network | default({})).signal | default(None) }}", "dBm").
		with("device_class", "signal_strength"))
	d.add("uptime", "sensor", "Start of reachyd", d.shows("telemetry", "{{ value_json.daemon.started }}").
		with("device_class", "timestamp", "entity_category", "diagnostic"))

	d.add("problem", "binary_sensor", "Problem", d.shows("state", either("value_json.faults or value_json.mode == 'offline'")).with("device_class", "problem"))
	d.add("estop", "binary_sensor", "Emergency stop", d.shows("state", either("value_json.estop")).with("device_class", "safety"))
	d.add("moving", "binary_sensor", "Moving", d.shows("state", either("value_json.moving")).with("device_class", "moving"))
}

func (d components) controls() {
	d.add("motors", "switch", "Motors", d.commands("motors", d.shows("state", either("value_json.mode == 'enabled'"))).with(
		"payload_on", `{"on":true}`, "payload_off", `{"on":false}`, "state_on", yes, "state_off", no))

	d.add("stop", "button", "Stop", d.commands("stop", component{"payload_press": `{"reason":"Home Assistant"}`}))
	d.add("reset", "button", "Reset the stop", d.commands("reset", component{"payload_press": `{}`}))
	d.add("wake", "button", "Wake up", d.commands("tool", component{"payload_press": `{"name":"wake_up"}`}))
	d.add("sleep", "button", "Go to sleep", d.commands("tool", component{"payload_press": `{"name":"go_to_sleep"}`}))

	const say = `{"text": {{ value | tojson }}, "session": "homeassistant"}`
	d.add("say", "text", "Say to the robot", d.commands("chat", component{"command_template": say, "max": 255}))
	d.add("tell", "notify", "Tell", d.commands("chat", component{"command_template": say}))
	d.add("emotion", "select", "Emotion", d.does("emotion", "express_emotion", "emotion", catalog.EmotionNames()))
	d.add("gesture", "select", "Gesture or dance", d.does("gesture", "gesture", "name", catalog.GestureNames()))
}

// senses are the entities of what not every robot has.
func (d components) senses() {
	if d.g.HasCamera {
		d.add("camera", "camera", "Camera", component{"topic": d.g.topic("camera/jpeg")})
		d.add("look", "button", "Show the camera for a minute", d.commands("camera", component{"payload_press": `{"seconds":60,"rate":2}`}))
	}
	if d.g.Volume > 0 {
		set := func(level string) string { return `{"name":"set_volume","args":{"level":` + level + `}}` }
		was := "{% if value_json.tool == 'set_volume' and value_json.status == 'success' %}%s{% endif %}" // else nothing, which changes nothing
		shown := func(template string) component {
			return d.commands("tool", d.shows("event/tool_result", strings.Replace(was, "%s", template, 1)))
		}
		d.add("volume", "number", "Volume", shown("{{ value_json.data.level }}").with(
			"min", 0, "max", 100, "command_template", set("{{ value | int }}"), "unit_of_measurement", "%"))
		d.add("mute", "switch", "Mute", shown(either("value_json.data.level == 0")).with(
			"payload_on", set("0"), "payload_off", set(strconv.Itoa(d.g.Volume)), "state_on", yes, "state_off", no))
	}
}

// discovery describes the robot to Home Assistant as one device.
func (g *Gateway) discovery() []byte {
	d := components{g, map[string]component{}}
	d.sensors()
	d.controls()
	d.senses()

	device := map[string]any{
		"identifiers": []string{g.object()}, "name": g.Name, "manufacturer": "Pollen Robotics", "model": "Reachy Mini", "sw_version": g.Version,
	}
	if g.ConfigURL != "" {
		device["configuration_url"] = g.ConfigURL
	}
	data, err := json.Marshal(map[string]any{
		"device":     device,
		"origin":     map[string]any{"name": "reachyd", "sw": g.Version, "url": "https://github.com/reachyd/reachyd"},
		"components": d.all,
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
