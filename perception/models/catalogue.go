// Package models knows the model files of the senses by name, finds them on disk and fetches them.
package models

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/perception/meaning"
)

// ErrUnknown is wrapped by the error for a name that is not in the catalogue.
var ErrUnknown = errors.New("unknown model")

// Kind is what a model is good for.
type Kind string

// The kinds.
const (
	Speech  Kind = "speech to text"
	Voice   Kind = "text to speech"
	VAD     Kind = "voice activity"
	Faces   Kind = "faces"
	Objects Kind = "objects"
	Meaning Kind = "sentences"
	// Language models are for a server like Ollama; nothing here runs them.
	Language Kind = "language"
	// Recording is no model but what one is tested with.
	Recording Kind = "recording"
)

// MiniLM is the name of the model of sentences.
const MiniLM = "minilm"

// Model is one entry of the catalogue.
type Model struct {
	Name    string
	Kind    Kind
	About   string // in half a sentence
	Licence string
	Files   []File // the first is the model itself, others belong beside it
}

// Size is that of all files together, in bytes.
func (m *Model) Size() int64 {
	var n int64
	for i := range m.Files {
		n += m.Files[i].Size
	}
	return n
}

// File is a file of a model. Its checksum decides, wherever it comes from.
type File struct {
	Name   string
	Size   int64 // bytes
	SHA256 string
	URL    string
	// Alias is another name under which the file is found on disk.
	Alias string

	recipe *recipe // nil when no package carries it
}

// Sum is the checksum that the file has when it was made from packages: the order of its parts may differ from the publisher's.
// It is empty when no package carries the file.
func (f *File) Sum() string {
	if f.recipe == nil {
		return ""
	}
	return f.recipe.sum
}

// packaged is a model whose publisher has no file with a known checksum: only packages carry it.
func packaged(name string, kind Kind, file, about string) Model {
	r := recipes[file]
	return Model{Name: name, Kind: kind, About: about, Licence: "Apache-2.0", Files: []File{{Name: file, Size: r.size, SHA256: r.sum}}}
}

// withRecipes gives the files of a catalogue their recipes.
func withRecipes(all []Model) []Model {
	for i := range all {
		for j := range all[i].Files {
			all[i].Files[j].recipe = recipes[all[i].Files[j].Name]
		}
	}
	return all
}

// The revisions that the checksums belong to.
const (
	whisperBase = "https://huggingface.co/ggerganov/whisper.cpp/resolve/5359861c739e955e79d9a303bcbc70fb988958b1/"
	sileroBase  = "https://huggingface.co/ggml-org/whisper-vad/resolve/9ffd54a1e1ee413ddf265af9913beaf518d1639b/"
	piperBase   = "https://huggingface.co/rhasspy/piper-voices/resolve/v1.0.0/"
	yunetBase   = "https://github.com/opencv/opencv_zoo/raw/c71f7a40d34cd3830086ee9b7a01174e013ad42a/models/face_detection_yunet/"
	yoloxBase   = "https://github.com/Megvii-BaseDetection/YOLOX/releases/download/0.1.1rc0/"
)

func whisper(name, about string, size int64, sum string) Model {
	file := "ggml-" + name + ".bin"
	return Model{Name: name, Kind: Speech, About: about, Licence: "MIT", Files: []File{{Name: file, Size: size, SHA256: sum, URL: whisperBase + file}}}
}

func piper(name, path, about, licence string, size int64, sum string, configSize int64, configSum string) Model {
	file := name + ".onnx"
	return Model{Name: "piper-" + name, Kind: Voice, About: about, Licence: licence, Files: []File{
		{Name: file, Size: size, SHA256: sum, URL: piperBase + path + file},
		{Name: file + ".json", Size: configSize, SHA256: configSum, URL: piperBase + path + file + ".json"},
	}}
}

var catalogue = withRecipes([]Model{
	whisper("tiny.en-q8_0", "English; the fastest, and the default", 43550795, "5bc2b3860aa151a4c6e7bb095e1fcce7cf12c7b020ca08dcec0c6d018bb7dd94"),
	whisper("tiny.en", "English, unquantized", 77704715, "921e4cf8686fdd993dcd081a5da5b6c365bfde1162e72b08d75ac75289920b1f"),
	whisper("base.en-q8_0", "English; understands more, takes three times as long", 81781811, "a4d4a0768075e13cfd7e19df3ae2dbc4a68d37d36a7dad45e8410c9a34f8c87e"),
	whisper("tiny-q8_0", "99 languages", 43537433, "c2085835d3f50733e2ff6e4b41ae8a2b8d8110461e18821b09a15c40c42d1cca"),
	whisper("base-q8_0", "99 languages; understands more", 81768585, "c577b9a86e7e048a0b7eada054f4dd79a56bbfa911fbdacf900ac5b567cbb7d9"),
	{Name: "silero-v6.2.0", Kind: VAD, About: "tells speech from noise", Licence: "MIT", Files: []File{{
		Name: "ggml-silero-v6.2.0.bin", Alias: "for-tests-silero-v6.2.0-ggml.bin", Size: 885098,
		SHA256: "2aa269b785eeb53a82983a20501ddf7c1d9c48e33ab63a41391ac6c9f7fb6987", URL: sileroBase + "ggml-silero-v6.2.0.bin",
	}}},
	piper("en_US-lessac-medium", "en/en_US/lessac/medium/", "an American woman's voice", "Blizzard 2013 (research)", 63201294,
		"5efe09e69902187827af646e1a6e9d269dee769f9877d17b16b1b46eeaaf019f", 4885, "efe19c417bed055f2d69908248c6ba650fa135bc868b0e6abb3da181dab690a0"),
	{Name: "yunet-2022mar", Kind: Faces, About: "finds faces; works with OpenCV 4.6", Licence: "MIT", Files: []File{{
		Name: "face_detection_yunet_2022mar.onnx", Size: 345478,
		SHA256: "50ef07f702a31741ca46a4c0d947773b64143b9362780237bf0d427d6c79bab7", URL: yunetBase + "face_detection_yunet_2022mar.onnx",
	}}},
	{Name: "yolox-nano", Kind: Objects, About: "finds 80 kinds of objects", Licence: "Apache-2.0", Files: []File{{
		Name: "yolox_nano.onnx", Size: 3659407,
		SHA256: "c789161ed43c8269fcd4e67c67eeeb4e80c622da2eb296a20bc6007bd18a0b7d", URL: yoloxBase + "yolox_nano.onnx",
	}}},
	packaged(MiniLM, Meaning, meaning.FileName, "what a sentence means: praise and blame are understood better"),
	packaged("smollm2-135m", Language, "smollm2-135m-instruct-q4_1.gguf", "talks a little; for tests of a server"),
	packaged("qwen2.5-coder-0.5b", Language, "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf", "calls tools on small machines"),
	packaged("qwen2.5-coder-1.5b", Language, "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf", "calls tools better, writes simple ones"),
})

// Catalogue returns all models that are known by name.
func Catalogue() []Model { return slices.Clone(catalogue) }

// byName finds a model. The error wraps ErrUnknown and names those that there are.
func byName(all []Model, name string) (*Model, error) {
	names := make([]string, 0, len(all))
	for i := range all {
		if all[i].Name == name {
			return &all[i], nil
		}
		names = append(names, all[i].Name)
	}
	return nil, fmt.Errorf("%w %q: known are %s", ErrUnknown, name, strings.Join(names, ", "))
}

// Recordings are voices of people for tests and measurements; they are found and fetched like models.
func Recordings() []Model { return slices.Clone(recordings) }

var recordings = withRecipes([]Model{
	{Name: "jfk", Kind: Recording, About: "a president, 11 s", Licence: "public domain", Files: []File{{
		Name: "jfk.wav", Size: 352078, SHA256: "59dfb9a4acb36fe2a2affc14bacbee2920ff435cb13cc314a08c13f66ba7860e",
		URL: "https://raw.githubusercontent.com/ggml-org/whisper.cpp/v1.9.1/samples/jfk.wav",
	}}},
	recording("two_cities", "somebody who reads, 2 min"),
	recording("beckett", "somebody who reads, 7 s"),
})

func recording(name, about string) Model {
	file := name + ".wav"
	r := recipes[file]
	return Model{Name: name, Kind: Recording, About: about, Licence: "MIT", Files: []File{{Name: file, Size: r.size, SHA256: r.sum}}}
}
