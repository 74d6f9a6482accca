package main

import (
	"encoding/json"
	"time"

	"github.com/reachyd/reachyd/api"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 123_000_000, time.UTC)

const trace = "019de38d7b9b0001c0ffee42"

var exampleState = api.State{
	TS: api.Time(noon), Mode: "enabled", Moving: true, Move: "m7", MoveName: "goto",
	Torque: []string{
		"body_rotation", "stewart_1", "stewart_2", "stewart_3", "stewart_4", "stewart_5", "stewart_6", "right_antenna", "left_antenna",
	},
	Head: api.Head{Z: 0.005, Pitch: -10, Yaw: 30}, BodyYaw: 12.5, Antennas: api.Antennas{Left: 10, Right: -10},
	Joints: [9]api.Number{0.21817, 0.52, -0.61, 0.48, -0.55, 0.66, -0.5, -0.17453, 0.17453},
	Faults: []api.StateFault{{Name: "overheat", Joint: "stewart_1", Detail: "71 °C", Since: api.Time(noon.Add(-time.Minute))}},
}

var exampleTelemetry = api.Telemetry{
	TS: api.Time(noon), LoopHz: 100, JitterP50: 52.1, JitterP99: 140.3, JitterMax: 402.7, Ticks: 360000, Realtime: "fifo 50, memory locked",
	Bus: api.BusCounters{Cycles: 360000, Packets: 724000}, Voltage: new(api.Number(6.9)), TemperatureMax: new(api.Number(41)),
	Servos:  []api.Servo{{Joint: "body_rotation", Voltage: 6.9, Temperature: 41, Current: 120, Present: true}},
	Process: api.Process{RSSBytes: 9437184, CPUPercent: 2.1, UptimeS: 3600},
	Daemon:  api.Process{RSSBytes: 27262976, CPUPercent: 0.8, UptimeS: 3600, Started: api.Time(noon.Add(-time.Hour))},
	Network: &api.Network{Connected: true, Address: "192.168.1.20", Interface: "wlan0", Wireless: true, Name: "home", Signal: new(api.Number(-53))},
}

var exampleEvents = []api.Payload{
	api.Utterance{Session: "default", Text: "look left"},
	api.Partial{Session: "voice", Speaker: api.SpeakerHuman, Turn: 3, Text: "look"},
	api.Reply{Session: "default", Text: "I look left.", Outcome: "plan", DurationMS: 1012.4},
	api.Feedback{Session: "default", Text: "good, but a bit slow", Of: trace, Reward: 0.5, Feedback: "f00000012"},
	api.Reward{
		Feedback: "f00000012", Reward: 0.5, Uncertainty: 0.02, Reason: []string{"good"}, Meant: []string{"too_slow"},
		Credits: []api.RewardCredit{{Of: trace, Tool: "gesture", Share: 1}},
	},
	api.Training{
		State: "training", Run: "look-at-thing-1", Task: "look_at_thing", Algorithm: "ppo", Episode: 250, Episodes: 1000, SuccessRate: 0.96,
		Reward: -0.4, Human: 0.7, BestEpisode: 200, BestSuccess: 0.99, StepsPerS: 1200, LeftS: 41,
	},
	api.Demonstration{Name: "curious look", How: "hand", State: "kept", Frames: 75, Length: 2.96},
	api.Handoff{Session: "default", From: "coordinator", To: "vision", Reason: "it is about what the camera sees"},
	api.Notification{Session: "default", Schedule: 2, Kind: "reminder", Text: "The tea is ready."},
	api.ToolCall{Call: 12, Tool: "move_head", Args: json.RawMessage(`{"yaw":30}`)},
	api.ToolResult{
		Call: 12, Tool: "move_head", Status: "success", Message: "The head has moved.", Data: json.RawMessage(`{"outcome":"accepted"}`), DurationMS: 1008.2,
	},
	api.ToolRegistered{
		Name: "sum_column", Author: "ann", Version: 1, Active: true, State: "passed", Score: 0.93,
		Digest: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
	},
	api.ToolProgress{Attempt: 2, Detail: "2 of 6 tests failed", Name: "count_vowels", Step: api.StepCode},
	api.ToolRefused{Name: "bad_import", Author: "ann", Stage: "check", Reason: "line 1: os must not be imported"},
	api.ToolReviewed{Name: "sum_column", Version: 1, Review: "rejected", Reason: "name it twice", Author: "bob"},
	api.MoveStarted{Move: "m7", Name: "goto"},
	api.MoveDone{Move: "m7", Name: "goto", End: "cancelled", Reason: "another move took over"},
	api.Detection{Objects: []api.Object{{
		Name: "duck", By: "colour and shape", Score: 0.98, Box: api.Box{X: 310, Y: 220, W: 40, H: 38}, Yaw: 2, Pitch: 11.5,
		Place: []float64{0.42, 0.01, 0.03}, Colour: "yellow",
	}}},
	api.Photo{Name: "photo-0001.jpg", Width: 640, Height: 480},
	api.Fault{Name: "servo_missing", Active: true, Detail: "stewart_2 does not answer", Joint: "stewart_2", Since: api.Time(noon)},
	api.EStop{Active: true, Reason: "asked to stop"},
	api.Audit{By: "wall tablet", Address: "192.168.1.20", Method: "POST", Path: "/api/v1/robot/goto", Status: 200},
	api.ConfigChange{
		Changes: []api.SettingChange{{Key: "idle", Value: "lively", Was: "calm", When: api.WhenNow}}, File: "/var/lib/reachyd/settings.yaml",
	},
	api.ModelFetch{Name: "tiny.en-q8_0", State: api.ModelFetching, File: "ggml-tiny.en-q8_0.bin", Done: 17300480, Total: 43550795},
	api.Handling{Kind: "lifted", Detail: "I am being lifted or tilted, so I lie down and let go.", Tilt: 4},
	api.Network{Connected: true, Address: "192.168.1.20", Interface: "wlan0", Wireless: true, Name: "home", Signal: new(api.Number(-53))},
	api.Simulation{Kind: "reseated", Detail: "the head snapped into another assembly and was put back together"},
}

const exampleSource = `def double(x: float) -> float:
    """Double a number."""
    return 2 * x
`

var (
	toolSource = api.ToolSource{Source: exampleSource}
	headTarget = &api.HeadTarget{Pitch: new(-10.0), Yaw: new(30.0)}
)

var exampleCommands = map[api.Verb]any{
	api.VerbChat:       api.ChatArgs{Text: "look left", Session: "kitchen"},
	api.VerbPlan:       api.PlanArgs{Text: "look left and nod"},
	api.VerbTool:       api.ToolArgs{Name: "move_head", Args: json.RawMessage(`{"yaw":30}`)},
	api.VerbGoto:       api.GotoArgs{Head: headTarget, BodyYaw: new(20.0), Antennas: &api.AntennasTarget{Left: 10, Right: -10}, Duration: 1.5},
	api.VerbSetTarget:  api.SetTargetArgs{Head: headTarget, Source: "joystick"},
	api.VerbStop:       api.StopArgs{Reason: "somebody is near"},
	api.VerbMotors:     api.MotorsArgs{On: true},
	api.VerbSpeak:      api.SpeakArgs{Text: "Hello."},
	api.VerbCamera:     api.CameraArgs{Seconds: new(10.0), Rate: 5},
	api.VerbTrace:      api.TraceArgs{Trace: trace},
	api.VerbConfigList: api.ConfigListArgs{Key: "sense"},
	api.VerbConfigSet:  api.ConfigSetArgs{Values: json.RawMessage(`{"sense.volume":50,"idle":"lively"}`)},
	api.VerbToolsCheck: api.ToolCheckArgs{ToolSource: toolSource, Mode: "lenient"},
	api.VerbToolsTest:  api.ToolTestArgs{ToolSource: toolSource, Cases: json.RawMessage(`[{"name":"two","input":{"x":2},"expected":4}]`)},
	api.VerbToolsAdd: api.ToolAddArgs{
		ToolSource: toolSource, Cases: json.RawMessage(`[{"name":"two","input":{"x":2},"expected":4}]`), Author: "ann",
	},
	api.VerbToolsRun:        api.ToolRunArgs{ToolSource: toolSource, Args: json.RawMessage(`{"x":2}`)},
	api.VerbToolsFiles:      api.ToolFilesArgs{Files: []api.File{{Name: "sales.csv", Data: []byte("price\n1\n")}}},
	api.VerbToolsReview:     api.ToolReviewArgs{Action: "approve", Name: "double", Author: "bob"},
	api.VerbToolsDiff:       api.ToolDiffArgs{Name: "double", From: 1, To: 2},
	api.VerbToolsShow:       api.ToolShowArgs{Name: "double"},
	api.VerbToolsNew:        api.ToolNewArgs{Name: "double"},
	api.VerbToolsActivate:   api.ToolVersionArgs{Name: "double", Version: 2},
	api.VerbToolsRollback:   api.ToolVersionArgs{Name: "double"},
	api.VerbToolsDeactivate: api.ToolDeactivateArgs{Name: "double"},
	api.VerbToolsExport:     api.ToolExportArgs{Names: []string{"double"}},
	api.VerbToolsKill:       api.ToolKillArgs{Run: 3},
	api.VerbToolsImport:     api.ToolImportArgs{File: "(the text that tools/export wrote)", Author: "ann"},
	api.VerbSessionsShow:    api.SessionArgs{Session: "kitchen"},
	api.VerbTranscribe:      api.TranscribeArgs{Audio: []byte("RIFF…")},
	api.VerbSynthesize:      api.SynthesizeArgs{Text: "Hello."},
	api.VerbAnalyze:         api.AnalyzeArgs{Image: []byte("\xff\xd8…"), Prompt: "what is on the table?"},
	api.VerbPhotosShow:      api.PhotoArgs{Name: "photo-20260301-110000.000"},
	api.VerbPhotosDelete:    api.PhotoArgs{Name: "photo-20260301-110000.000"},
	api.VerbFacesForget:     api.FaceArgs{Name: "Anna"},
	api.VerbEventsList:      api.EventsArgs{After: new(4001), Limit: 10, Types: []api.Type{api.TypeReply}},
	api.VerbTracesList:      api.TracesArgs{Limit: 10},
	api.VerbModelsPull:      api.ModelArgs{Name: "tiny.en-q8_0"},
	api.VerbModelsCancel:    api.ModelArgs{Name: "tiny.en-q8_0"},
	api.VerbLogs:            api.LogsArgs{Limit: 20, Level: "warn"},
	api.VerbToolsGenerate: api.ToolGenerateArgs{
		Description: "a tool that counts the vowels of a text", Author: "ann",
		TestCases: json.RawMessage(`[{"name":"two","input":{"text":"robot"},"expected":2}]`),
	},
	api.VerbFeedback:        api.FeedbackArgs{Text: "good, but a bit slow"},
	api.VerbFeedbackList:    api.FeedbackListArgs{Limit: 50},
	api.VerbFeedbackCorrect: api.FeedbackCorrectArgs{Feedback: "f00000012", Reward: 0.7},
	api.VerbFeedbackDelete:  api.FeedbackIDArgs{Feedback: "f00000012"},
	api.VerbLearned:         api.LearnedArgs{Session: "kitchen"},
	api.VerbLearnedForget:   api.LearnedForgetArgs{Parameter: "speed"},
	api.VerbTrain:           api.TrainArgs{Action: "start", Task: "look_at_thing", Episodes: 1000},
	api.VerbDemonstration:   api.DemonstrationArgs{Action: "record", Name: "curious look", How: "hand"},
	api.VerbSessionsForget:  api.SessionForgetArgs{Session: "kitchen"},
}

var exampleResponses = []api.Response{
	{ID: "1", OK: true, Result: api.MoveResult{Outcome: "accepted", Move: "m7", Duration: 1.5}},
	{ID: "2", OK: true, Result: api.MoveResult{
		Outcome: "clamped", Move: "m8", Duration: 1.5,
		Changes: []api.Change{{Field: "head.pitch", Asked: 38, Given: 31.2, Limit: "the nearest pose that the arms can reach"}},
	}},
	{ID: "3", Error: &api.Error{Code: api.CodeInvalid, Message: "body_yaw: 200 is out of range; allowed are -160 to 160 °"}},
}
