package planner

import "github.com/reachyd/reachyd/perception/language"

// actions are the closed commands, written without articles, possessives and adverbs: those may stand anywhere inside.
var actions = language.Phrases("actions")

// emotionWords names each emotion of the contract by the words for it.
var emotionWords = language.Phrases("emotion-words")

// emotionVerbs express an emotion by themselves.
var emotionVerbs = language.Phrases("emotion-verbs")

// emotionTails may follow an emotion word.
var emotionTails = language.Phrases("emotion-tails")

// emotionOpeners are the verbs that introduce an emotion word, and emotionFillers what may stand between.
var (
	emotionOpeners = language.Words("emotion-openers")
	emotionFillers = language.Words("emotion-fillers")
)
