package compute

import (
	_ "embed"
	"regexp"
	"strings"
	"testing"
	"time"
)

// now is the clock of the tests: a Friday.
var now = time.Date(2026, 11, 27, 14, 5, 0, 0, time.UTC)

//go:embed testdata/asked-built.txt
var askedBuilt string

//go:embed testdata/asked-counted.txt
var askedCounted string

// asked are the questions of a file, and what must be in the answers.
func asked(t testing.TB, file string) map[string]*regexp.Regexp {
	all := map[string]*regexp.Regexp{}
	for line := range strings.Lines(file) {
		q, want, found := strings.Cut(line, " => still; replies /")
		if !found {
			continue
		}
		re, err := regexp.Compile("(?i)" + strings.ReplaceAll(strings.TrimSuffix(strings.TrimSpace(want), "/"), `\/`, "/"))
		if err != nil {
			t.Fatal(err)
		}
		all[q] = re
	}
	return all
}

// What ten people asked is answered, and nothing false is said to any of it.
func TestQuestionsOfTen(t *testing.T) {
	for name, c := range map[string]struct {
		file  string
		least int
	}{"built": {askedBuilt, 70}, "counted": {askedCounted, 64}} {
		right := 0
		all := asked(t, c.file)
		for q, want := range all {
			got, ok := Answer(q, now)
			switch {
			case ok && want.MatchString(got):
				right++
			case ok:
				t.Logf("%s: %q, want %v", q, got, want)
			}
		}
		if t.Logf("%s: %d of %d", name, right, len(all)); right < c.least {
			t.Errorf("%s: %d are right, %d were", name, right, c.least)
		}
	}
}

// answers are what exactly is said.
var answers = map[string]string{
	"If I leave at twenty past four and the drive takes 45 minutes, when do I get there?": "5:05.",
	"If it's 10:45 now, what time will it be in 50 minutes?":                              "11:35.",
	"My train goes at 17:05 and it's twenty to five. How many minutes have I got?":        "25 minutes.",
	"We're five people and the bill is 62.50. How much is that each?":                     "12.5.",
	"I have four bags with six apples each and I eat three apples. How many are left?":    "21.",
	"What's the remainder when you divide 17 by 5?":                                       "2.",
	"Think of 7, double it, add 6 and halve it. What's that?":                             "10.",
	"it's 20 degrees outside, what's that in Fahrenheit":                                  "20 degrees Celsius are 68 degrees Fahrenheit.",
	"A shirt is 45 and I get a third off, what's the price?":                              "30.",
	"what is 2^10": "1024.", "what is 2 ^ 3 plus 1": "9.",
	"Who is older, somebody born in 1980 or somebody born in 1995?":                        "The one who was born in 1980 is older.",
	"How many letters are in the English alphabet?":                                        "26 letters.",
	"How many words are in this sentence: the cat sat on the mat":                          "6 words.",
	"is it past three already":                                                             "No, it is 14:05.",
	"is it a leap year this year":                                                          "No, 2026 is not a leap year.",
	"the price fell from 50 to 40, what's that in percent":                                 "20 percent less.",
	"I'm 1.80 tall and weigh 80 kilos, what's my BMI":                                      "A body mass index of 24.7.",
	"next Monday is which date":                                                            "It is Monday, 30 November 2026.",
	"on what date is Thursday next week":                                                   "It is Thursday, 3 December 2026.",
	"my daughter came into the world on 1 March 2018, so how old is she":                   "8 years old.",
	"multiply all the numbers from 1 to 6":                                                 "720.",
	"three pounds forty and two pounds sixty, how much is that":                            "6 pounds.",
	"what's five euros twenty plus two euros":                                              "7.20 euros.",
	"a recipe needs 300 grams for 4 people, how much for 6":                                "450 grams.",
	"it is 4 now, what time is it in 90 minutes":                                           "5:30.",
	"calculate body mass index: 1 m 60, 64 kilograms":                                      "A body mass index of 25.0.",
	"we leave at 7:30 and drive for 3 hours 40 minutes, when do we arrive":                 "11:10.",
	"my contract began on 10 February 2026 and lasts two years, on which date does it end": "It is Thursday, 10 February 2028.",
	"my pay is 2000 and I got 4 percent more, what's my pay now":                           "2080.",
	"1010 in binary is what in decimal":                                                    "10.",
	"the 1st of january 2000, was that a saturday or a sunday":                             "It is Saturday, 1 January 2000.",
	"my dice is 2 cm on every side, what volume has it":                                    "8 cubic centimetres.",
	"38 cookies in boxes of 5: how many full boxes and how many remain":                    "7, and the remainder is 3.",
	"round 17.49": "17.",
	"my train leaves at 14:20 and takes 2 hours 50, when do I arrive":                      "17:10.",
	"how old is someone born in March 1987":                                                "39, or 38 before the birthday.",
	"in six weeks, what's the date":                                                        "It is Friday, 8 January 2027.",
	"how much do I save with 30 percent off 250":                                           "75.",
	"I bought bread for 2.80 and milk for 1.35, what's the total":                          "4.15.",
	"what date is three months from now":                                                   "It is Saturday, 27 February 2027.",
	"which date is the second tuesday in march 2027":                                       "It is Tuesday, 9 March 2027.",
	"when is the last friday of january 2027":                                              "It is Friday, 29 January 2027.",
	"february 2028 has how many days":                                                      "29 days.",
	"is it 30 or 31 days in september":                                                     "30 days.",
	"1 march 2027 is day number what of the year":                                          "Day 60 of 2027.",
	"I was born on 4 July 1980, how old was I on 1 January 2000":                           "19 years old.",
	"what was somebody's age on 5 March 2020 whose birthday was 6 March 1990":              "29 years old.",
	"if I buy a fridge on 3 May 2026 with eighteen months warranty when does that run out": "It is Wednesday, 3 November 2027.",
	"it's 9:45, what will the clock say 50 minutes from then":                              "10:35.",
	"a cube with 5 cm edges holds how much":                                                "125 cubic centimetres.",
	"where in the alphabet does m stand":                                                   "M is letter 13 of the alphabet.",
	"what's letter number 17 in the ABC":                                                   "Q.",
	"out of cat, elephant and mouse which word has the most letters":                       "Elephant.",
	"third letter in the word robot is what":                                               "B.",
	"which is bigger, three quarters or two thirds":                                        "Three quarters is more than two thirds.",
	"take 48 away from 113":                                                                "65.",
	"What's the square root of 529, my old head can't do it any more":                      "23.",
	"My cube of clay has 1728 cubic centimetres, so what's the cube root of 1728?":         "12.",
	"2 plus 2 times 3":   "8.",
	"what's (2+3)*4":     "20.",
	"half of a half is?": "A quarter: 1/4, or 0.25.",
	"start at seven, go down twelve, where do you land":                             "Minus 5.",
	"what is 1000000 plus 1":                                                        "1,000,001.",
	"divide ten by zero, I dare you":                                                "That cannot be done: nobody can divide by zero.",
	"Is 6 feet more than 2 metres?":                                                 "No: 6 feet, that is about 1.829 metres, is less than 2 metres.",
	"How many r's are in strawberry? Everyone gets it wrong":                        "3: the letter R is 3 times in “strawberry”.",
	"which month comes two after March":                                             "May.",
	"what is 15:30 on a twelve hour clock":                                          "3:30 p.m.",
	"If today is Wednesday, what day is it in ten days?":                            "Saturday.",
	"I worked from 8:20 to 17:05, how long is that?":                                "8 hours and 45 minutes, that is 8.75 hours.",
	"what day is it in ten days":                                                    "It is Monday, 7 December 2026.",
	"how many eggs in a dozen dozen":                                                "144.",
	"a baker's dozen, how many is that?":                                            "13.",
	"what comes next: 1, 4, 9, 16":                                                  "25.",
	"two bottles a week, how many is that in a year":                                "104.",
	"a tap drips 3 litres an hour, how long until 12 litres?":                       "4 hours.",
	"Tom is 12 and his sister is 3 years younger, how old is she?":                  "9 years old.",
	"Tom is 12 and Anna is 14, who is older?":                                       "Anna is older, by 2.",
	"how old will I be in 2040 if I was born in 1988":                               "52, or 51 before the birthday.",
	"which months have 30 days":                                                     "April, June, September and November.",
	"I start at nine and finish at half past five, how long is that?":               "8 hours and 30 minutes, that is 8.5 hours.",
	"I've got a meeting at half past four, how long do I have?":                     "2 hours and 25 minutes, that is 2.417 hours.",
	"convert 0x1F to decimal":                                                       "31.",
	"is a kilo two pounds?":                                                         "No: 1 kilogram is about 2.205 pounds.",
	"what time is it in 2 hours":                                                    "It will be 16:05.",
	"what time was it ten minutes ago":                                              "It was 13:55.",
	"how many minutes are in a nine hour shift":                                     "9 hours are 540 minutes.",
	"if I take 200 mg every six hours how much is that in a day":                    "800 milligrams.",
	"I drink 300 ml four times a day, how much is that in total":                    "1200 millilitres a day.",
	"two tablets three times a day, how many is that in a week":                     "42.",
	"four kids and six biscuits each, how many biscuits":                            "24.",
	"three bags at 4.50 each, what do I owe":                                        "13.5.",
	"how many years lie between 1066 and 1492":                                      "426 years.",
	"we married in 1976, how many years is that now":                                "50 years.",
	"what's pi to three decimals":                                                   "Pi is 3.142, to 3 places.",
	"what's thirty mph in kilometres":                                               "30 miles per hour are about 48.28 kilometres per hour.",
	"I got up at six and went to bed at eleven at night, how long was I awake":      "17 hours.",
	"it's a forty minute drive and I leave at half past seven, when do I get there": "8:10.",
}

func TestAnswers(t *testing.T) {
	for q, want := range answers {
		if got, ok := Answer(q, now); !ok || got != want {
			t.Errorf("%s: %q, want %q", q, got, want)
		}
	}
}

// What is no question, or has a word that counts and is not understood, is left to others: above all what moves the robot.
func TestLeft(t *testing.T) {
	for _, q := range []string{
		"turn left 20 degrees", "move your head 5 plus 5 degrees to the left", "I have two kids and one dog", "take five off", "make it 20",
		"nod three times", "wait 5 seconds", "twice more", "look up 10 and down 5", "half of that", "20 percent", "set the volume to 20 percent",
		"count from 3 to 8", "it's ten to six", "dinner is 20 minutes after 6", "we drove 5 km in 10 minutes", "in two weeks", "take five off the yaw",
		"how old are you? I'm six and a half", "spell your own name backwards", "remember that 5 plus 5 is 10", "set a timer for 5 minutes and 10 seconds",
		"what is 5 apples plus 3 metres", "what is not 5 plus 5", "double that", "lower your left ear by 20 percent", "10 degrees more than before",
		"we have ten guests on Friday", "I start at nine and finish at five", "what comes next: 3, 9, 4", "nod twice a minute", "I'm 34 and my wife is 36",
		"how many letters are in your name", "what is your name spelled backwards", "5 time 90 minutes",
		"a committee of 4 out of 9 people, how many committees are possible",
		"how much fence do I need around a garden of 10 by 15 metres",
		"is it noon", "put these in a random order: red, green, blue", "list each only once: 1, 2, 2, 3, 1",
		"spell robot with the NATO alphabet", "how do you write cat in morse", "turn the apple around", "think of a number",
		"I have 5 apples, what is 2 times 3", "5, what is 3",
	} {
		if got, ok := Answer(q, now); ok {
			t.Errorf("%s: %q", q, got)
		}
	}
}

// FuzzAnswer: nothing that people say makes it fail, and a number that is put before or behind a question is never passed over.
func FuzzAnswer(f *testing.F) {
	for q := range asked(f, askedBuilt) {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, text string) {
		answer, ok := Answer(text, now)
		if ok && answer == "" {
			t.Errorf("%q: an empty answer", text)
		}
		if strings.ContainsAny(text, "\"“”„.,") || strings.HasPrefix(answer, "0") { // what is quoted is a word; nothing times more is nothing
			return
		}
		for _, with := range []string{"31337. " + text, text + ". 31337"} {
			if other, also := Answer(with, now); ok && also && other == answer {
				t.Errorf("%q: %q, whatever the other number is", with, answer)
			}
		}
	})
}

func BenchmarkAnswer(b *testing.B) {
	all := asked(b, askedBuilt)
	for b.Loop() {
		for q := range all {
			Answer(q, now)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(all)), "µs/sentence")
}

// A tale with a number that the question does not name belongs to it, and a question without a number is none.
func TestWithoutTale(t *testing.T) {
	for text, want := range map[string]string{
		"What's the square root of 529, my old head can't do it": "What's the square root of 529",
		"My cube has 1728 bits, so what's the root of 1728?":     "what's the root of 1728?",
		"My brother has 5 marbles, what is 3 plus 4?":            "",
		"My head hurts, what is the matter?":                     "",
	} {
		if got := withoutTale(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
