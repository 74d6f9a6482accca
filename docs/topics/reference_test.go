package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/command"
)

const (
	apiDir   = "../../api"
	document = "../topics.md"
)

func TestReferenceIsCurrent(t *testing.T) {
	want, err := reference(apiDir)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("docs/topics.md is not what package api says; run go generate ./api")
	}
	if _, err := reference(t.TempDir()); err == nil || !strings.Contains(err.Error(), "is not the directory of package api") {
		t.Errorf("a directory without package api: %v", err)
	}
}

// decode reads an object strictly: unknown fields are errors.
func decode(t *testing.T, text []byte, into any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		t.Errorf("%v in\n%s", err, text)
	}
}

// Every example of the document is what it stands under.
func TestExamplesAreDecoded(t *testing.T) {
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	topic, seen := "", map[string]int{}
	for part := range strings.SplitSeq(string(text), "\n#") {
		title, body, _ := strings.Cut(part, "\n")
		topic = strings.TrimLeft(title, "# ")
		for _, block := range strings.Split(body, "```json\n")[1:] {
			example, _, _ := strings.Cut(block, "```")
			seen[topic]++
			checkExample(t, topic, []byte(example))
		}
	}
	for _, typ := range api.Types() {
		if seen["event/"+string(typ)] != 1 {
			t.Errorf("event/%s has %d examples", typ, seen["event/"+string(typ)])
		}
	}
	for _, c := range api.Commands() {
		args, _, _ := command.Describe(string(c.Verb))
		if want := min(1, len(args.Properties)); seen["cmd/"+string(c.Verb)] != want {
			t.Errorf("cmd/%s has %d examples, want %d", c.Verb, seen["cmd/"+string(c.Verb)], want)
		}
	}
	if seen["state"] != 1 || seen["telemetry"] != 1 || seen["Responses"] == 0 {
		t.Errorf("examples: %v", seen)
	}
}

func checkExample(t *testing.T, topic string, example []byte) {
	t.Helper()
	kind, name, _ := strings.Cut(topic, "/")
	switch kind {
	case "state":
		decode(t, example, new(api.State))
	case "telemetry":
		decode(t, example, new(api.Telemetry))
	case "Responses":
		decode(t, example, new(api.Response))
	case "event":
		checkEvent(t, name, example)
	case "cmd":
		var fields map[string]json.RawMessage
		decode(t, example, &fields)
		delete(fields, "id")
		args, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		schema, _, _ := command.Describe(name)
		if _, err := schema.Check(args); err != nil {
			t.Errorf("%s: the example is refused: %v", topic, err)
		}
	default:
		t.Errorf("%s: nobody knows what this example is:\n%s", topic, example)
	}
}

func checkEvent(t *testing.T, name string, example []byte) {
	t.Helper()
	var e api.Event
	decode(t, example, &e)
	if string(e.Type) != name {
		t.Errorf("event/%s has an example of %s", name, e.Type)
	}
	data, err := e.Data.(api.Raw).Decode()
	if err != nil {
		t.Error(err)
	}
	e.Data = data
	again, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, example); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again, compact.Bytes()) {
		t.Errorf("the example\n%s\nis read as\n%s", &compact, again)
	}
}

// A stranger who has only the document must find out what each type and code is.
func TestEveryTypeAndCodeIsDocumented(t *testing.T) {
	d, err := readDocs(apiDir)
	if err != nil {
		t.Fatal(err)
	}
	for name, about := range d.types {
		if about == "" {
			t.Errorf("%s: the type %s has no comment", filepath.Base(apiDir), name)
		}
	}
	for _, c := range d.codes {
		if c.about == "" {
			t.Errorf("the code %s has no comment", c.value)
		}
	}
}
