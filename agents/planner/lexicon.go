package planner

import "github.com/reachyd/reachyd/perception/language"

// Every table below is "value = phrase | phrase"; (a|b|) stands for a choice, an empty alternative for "may be left out".

// leadIns come before a command and say nothing. The value tells in which form the verb follows: base, gerund or past.
var leadIns = language.Phrases("lead-ins")

// tails come after a command and say nothing.
var tails = language.Phrases("tails")

// connectives join two commands.
var connectives = language.Phrases("connectives")

// corrections take back what stood before them.
var corrections = language.Phrases("corrections")

// wipes are corrections that take back everything, not only the last thing.
var wipes = language.Phrases("wipes")

// adjuncts begin words that give a reason or a manner; they are dropped up to the next command.
var adjuncts = language.Phrases("adjuncts")

// looseAdjuncts are further ones that harm nothing after a gesture, an emotion or a photo.
var looseAdjuncts = language.Phrases("loose-adjuncts")

// directions, as one or two axis moves.
var directions = language.Phrases("directions")

// amounts without a number.
var amounts = language.Phrases("amounts")

// paces, as a duration.
var paces = language.Phrases("paces")

// parts of the robot; "missing" ones it does not have.
var parts = language.Phrases("parts")

// counts of repetition; numbers are read before these.
var counts = language.Phrases("counts")
