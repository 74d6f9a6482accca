package compute

import "math"

// same is what something is by itself.
func same(_ *context, v []*value) *value { return v[0] }

func constant(of *value) action { return func(*context, []*value) *value { r := *of; return &r } }

// swap gives an action its values the other way round.
func swap(f action) action {
	return func(c *context, v []*value) *value { return f(c, []*value{v[1], v[0]}) }
}

// reckoned says the result of a function of values.
func reckoned(f action) action {
	return func(c *context, v []*value) *value {
		r := f(c, v)
		if r == nil {
			return nil
		}
		if r.kind == answer {
			return r
		}
		return tell(r)
	}
}

// quantity gives a number a unit.
func quantity(_ *context, v []*value) *value {
	n, u := v[0], v[1].unit
	if !n.plain() || u == nil {
		return nil
	}
	return &value{kind: amount, x: tidy(n.x*u.Factor + u.Zero), unit: u, worked: n.worked}
}

// numbers with parts: "two and a half".
func fractional(_ *context, v []*value) *value {
	if v[1].x >= 1 {
		return nil
	}
	return &value{kind: amount, x: v[0].x + v[1].x, parts: true}
}

func compound(c *context, v []*value) *value {
	a, b := quantity(c, v[:2]), quantity(c, v[2:])
	if a == nil || b == nil || a.unit.Quantity != b.unit.Quantity || a.unit.Factor <= b.unit.Factor || b.x >= a.unit.Factor || a.unit.Zero != 0 {
		return nil
	}
	return &value{kind: amount, x: a.x + b.x, unit: a.unit}
}

// andSmaller is an amount of which only the larger unit is named: "three pounds forty", "1 m 60", "2 hours 50".
func andSmaller(c *context, v []*value) *value {
	small, ok := v[2].whole(1, 99)
	u := v[1].unit
	switch {
	case !ok || u == nil:
		return nil
	case isMoney(u), u.Name == "metre":
		return quantity(c, []*value{num(v[0].x + float64(small)/100), v[1]})
	case u.Name == "hour" && small < 60:
		return quantity(c, []*value{num(v[0].x + float64(small)/60), v[1]})
	}
	return nil
}

func ratio(_ *context, v []*value) *value {
	if v[1].x == 0 {
		return nil
	}
	return &value{kind: amount, x: v[0].x / v[1].x, parts: true, worked: v[0].x > v[1].x && math.Mod(v[0].x, v[1].x) == 0}
}

// label is a number of things: "six loaves".
func label(_ *context, v []*value) *value {
	if !v[0].plain() || v[0].text != "" {
		return nil
	}
	r := *v[0]
	r.text = v[1].text
	return &r
}

func withPart(f func(n, u *value) *value) action {
	return func(_ *context, v []*value) *value { return f(v[0], v[1]) }
}

func european(_ *context, v []*value) *value {
	if v[0].unit == nil || v[0].unit.Name != "fahrenheit" {
		return nil
	}
	return convert(v[0], &value{unit: unitOf("celsius")})
}

// moreBy is a value by so many hundredths more or less.
func moreBy(sign float64) func(p, of *value) *value {
	return func(p, of *value) *value {
		if !p.plain() || of.kind != amount {
			return nil
		}
		return like(worked(of.x*(1+sign*p.x/100)), of)
	}
}

func power(a, b *value) *value {
	if !plainOnly(a, b) {
		return nil
	}
	return worked(math.Pow(a.x, b.x))
}

func modulo(a, b *value) *value {
	if !plainOnly(a, b) || b.x == 0 {
		return nil
	}
	return worked(a.x - b.x*math.Floor(a.x/b.x))
}

func weak(v *value) *value {
	if v != nil {
		v.weak = true
	}
	return v
}

var actions map[string]action

func init() { //nolint:funlen,gochecknoinits // a table, of which actions name each other
	actions = map[string]action{
		"same": same, "first": same, "onpercentask": reckoned(flipped(moreBy(1))), "offpercentask": reckoned(flipped(moreBy(-1))),
		"roundfraction": roundFraction, "hourlater": hourLater, "second": func(_ *context, v []*value) *value { return v[1] }, "same2": same,
		"said":     func(_ *context, v []*value) *value { return v[len(v)-1] },
		"negative": func(_ *context, v []*value) *value { return num(-v[0].x) },
		"mul":      pair(mul), "into": pair(mul), "add": pair(add), "sub": pair(sub), "div": pair(div), "takefrom": flipped(sub),
		"partsofone": func(_ *context, v []*value) *value { // "three quarters"; six and a half are not six halves
			if n, ok := v[0].whole(1, 99); !ok || float64(n)*v[1].x >= 1 && n > 5 {
				return nil
			}
			return &value{kind: amount, x: v[0].x * v[1].x, parts: true}
		},
		"aword": func(_ *context, v []*value) *value {
			if builtIn().noword[v[0].text] {
				return nil
			}
			return v[0]
		},
		"addfraction": fractional, "ratio": ratio, "label": label, "quantity": quantity, "andsmaller": andSmaller, "compound": compound,
		"addfraction3": func(c *context, v []*value) *value { return fractional(c, []*value{v[0], mul(v[1], v[2])}) },
		"mixed": func(c *context, v []*value) *value {
			if r := ratio(c, v[1:]); r != nil {
				return fractional(c, []*value{v[0], r})
			}
			return nil
		},
		"dozen": constant(num(12)), "dozens": times(12), "gross": constant(&value{kind: amount, x: 144, worked: true}),
		"two": constant(num(2)), "six": constant(num(6)),
		"zero":   constant(num(0)),
		"bakers": constant(num(13)), "twenty": constant(num(20)), "bunch": reckoned(ofNumber(func(x float64) float64 { return x })), "nextin": reckoned(nextIn),
		"none":   func(*context, []*value) *value { return &value{kind: none} },
		"timein": timeFromNow(1), "timeago": timeFromNow(-1), "yearsbetween": yearsBetween, "yearssince": yearsSince, "pi": digitsOfPi,
		"once": timesIn(1), "twice": timesIn(2), "rateevery": rateEvery, "rateoften": rateOften, "ratetotal": rateTotal,
		"scaletail": reckoned(perThing),
		"rate":      rate, "rate3": func(c *context, v []*value) *value { return rate(c, []*value{v[0], v[2]}) },
		"rateof": ofRate, "rateofback": ofRate, "ratetime": reckoned(rateTime), "years": inYears,
		"ageplus": aged(add), "ageminus": aged(sub), "agegap": reckoned(pair(gapOf)),
		"agedouble": aged(func(a, _ *value) *value { return mul(a, num(2)) }), "agehalf": aged(func(a, _ *value) *value { return div(a, num(2)) }),
		"agetimes": aged(mul), "older": olderOf(1), "younger": olderOf(-1), "ageinback": swap(ageIn),
		"monthswith": monthsWith(false), "monthsnamed": monthsWith(true),
		"quantity1": func(c *context, v []*value) *value { return quantity(c, []*value{num(1), v[0]}) },
		"unitandhalf": func(c *context, v []*value) *value {
			return quantity(c, []*value{num(v[0].x + v[2].x), v[1]})
		},
		"oneandhalf": func(c *context, v []*value) *value { return quantity(c, []*value{num(1 + v[1].x), v[0]}) },
		"addfractionunit": func(c *context, v []*value) *value {
			return quantity(c, []*value{num(v[0].x + v[1].x), v[2]})
		},
		"feet": func(c *context, v []*value) *value {
			foot, inch := &value{unit: unitOf("foot")}, &value{unit: unitOf("inch")}
			return compound(c, []*value{v[0], foot, v[1], inch})
		},
		"number": same,
		"partof": withPart(func(n, of *value) *value {
			if !n.parts || !n.plain() {
				return nil
			}
			return mul(n, of)
		}),
		"halfof": times(0.5), "halve": times(0.5), "double": times(2), "triple": times(3), "quadruple": times(4),
		"percentof": pair(percent), "percentoff": pair(moreBy(-1)), "offpercent": flipped(moreBy(-1)), "onpercent": flipped(moreBy(1)),
		"addpercent": pair(moreBy(1)),
		"sqrt":       ofNumber(math.Sqrt), "cbrt": ofNumber(math.Cbrt),
		"square": ofNumber(func(x float64) float64 { return x * x }), "cube": ofNumber(func(x float64) float64 { return x * x * x }),
		"power": pair(power), "factorial": factorial, "mod": pair(modulo), "modulus": reckoned(pair(modulo)),
		"total":       func(_ *context, v []*value) *value { return total(items(v[0])) },
		"product":     func(_ *context, v []*value) *value { return product(items(v[0])) },
		"average":     func(_ *context, v []*value) *value { return average(items(v[0])) },
		"showaverage": reckoned(func(_ *context, v []*value) *value { return average(items(v[0])) }),
		"difference": pair(func(a, b *value) *value {
			if a.x < b.x {
				a, b = b, a
			}
			return sub(a, b)
		}),
		"middle":  func(_ *context, v []*value) *value { return average(v) },
		"addweak": pair(func(a, b *value) *value { return weak(add(a, b)) }),
		"upto":    upTo, "area": area, "join": join, "show": show, "ask": ask,
		"prime": prime, "even": even, "divisible": divisible, "divides": swap(divisible), "divided": divided, "rounded": rounded, "nearest": reckoned(nearest),
		"nearestone": reckoned(ofNumber(math.Round)), "aspercent": asPercent, "asdecimal": asDecimal, "asfraction": asFraction,
		"partofhundred": partOf, "partofhundred2": swap(partOf), "hex": base(16), "binary": base(2), "frombinary": fromBase(2), "toroman": toRoman,
		"fromroman": fromRoman,
		"zeros": reckoned(func(_ *context, v []*value) *value {
			n := 0.0
			for x := v[0].x; x >= 10 && math.Mod(x, 10) == 0; x /= 10 {
				n++
			}
			return worked(n)
		}),
		"next": reckoned(ofNumber(func(x float64) float64 { return x + 1 })), "previous": reckoned(ofNumber(func(x float64) float64 { return x - 1 })),
		"manyin": reckoned(flipped(div)), "timesin": reckoned(flipped(div)), "into1": in, "into2": swap(in),
		"per": func(c *context, v []*value) *value {
			return convert(&value{kind: amount, x: v[1].unit.Factor, unit: v[1].unit}, v[0])
		},
		"european": european, "divunits": reckoned(pair(div)), "divunits2": reckoned(func(_ *context, v []*value) *value { return div(v[2], v[1]) }),
		"durationof": reckoned(duration), "ismore": compared(false), "isless": compared(true), "most": which(false), "least": which(true),
		"either": func(c *context, v []*value) *value {
			if v[0].x != v[1].x && v[0].x != v[2].x {
				return right(false)(c, v)
			}
			return reckoned(same)(c, v)
		},
		"isnot": right(true), "isit": right(false), "largest": extreme(true), "smallest": extreme(false), "deal": deal, "each": reckoned(each),
		"cheaper": cheaper, "cheaperany": func(*context, []*value) *value { return nil }, "scaled": reckoned(scaled),
		"scale":   reckoned(func(_ *context, v []*value) *value { return mul(v[1], v[2]) }),
		"scale4":  reckoned(func(_ *context, v []*value) *value { return mul(v[2], v[3]) }),
		"scale2":  reckoned(func(_ *context, v []*value) *value { return mul(v[1], v[2]) }),
		"scale3":  reckoned(perThing),
		"ask2mul": reckoned(func(_ *context, v []*value) *value { return perThing(nil, v) }),
		"takefrompart": func(_ *context, v []*value) *value { // "a third off 90"
			if v[0].parts && v[0].plain() && v[0].x < 1 && v[1].x > 1 {
				return mul(num(1-v[0].x), v[1])
			}
			return sub(v[1], v[0])
		},
		"perday": reckoned(func(_ *context, v []*value) *value {
			n, ok := inDays(v[2])
			if !ok {
				return nil
			}
			return mul(mul(v[0], v[1]), num(n))
		}),
		"perdays": reckoned(func(_ *context, v []*value) *value {
			n, ok := inDays(v[len(v)-1])
			if !ok {
				return nil
			}
			return mul(v[0], num(n))
		}),
		"sharedby": reckoned(func(_ *context, v []*value) *value {
			if n := amounts(v); len(n) == 2 {
				return div(n[0], n[1])
			}
			return nil
		}),
		"sharedfriends": reckoned(func(_ *context, v []*value) *value {
			return div(v[0], add(v[len(v)-1], num(1)))
		}),
		"sharedbyback": reckoned(sharedBack), "sharedby2": reckoned(flipped(div)), "storymul": func(_ *context, v []*value) *value { return weak(perThing(nil, v)) },
		"divmod": divMod, "divmodof": func(c *context, v []*value) *value { return divMod(c, amounts(v)) }, "divmodback": swap(divMod),
		"productupto": reckoned(productUpTo),
		"uptoone":     reckoned(func(c *context, v []*value) *value { return upTo(c, []*value{num(1), v[0]}) }),
		"middleask":   reckoned(func(_ *context, v []*value) *value { return average(v) }),
		"massindex":   massIndex, "circumference": reckoned(times(2 * math.Pi)), "fourtimes": reckoned(times(4)),
		"around":        reckoned(func(_ *context, v []*value) *value { return mul(num(2), add(v[0], v[1])) }),
		"percentchange": percentChange, "halfproduct": reckoned(halfProduct), "volumeof": reckoned(volume), "pairs": reckoned(pairs),
		"tip": reckoned(flipped(percent)), "tipback": reckoned(pair(percent)),
		"comingday": coming(false), "nextweekday": coming(true), "ageon": ageOn, "dayofyearnow": dayOfYearNow(false), "daysleft": dayOfYearNow(true),
		"numberofday": numberOfDay, "ageat": ageAt, "ageatback": swap(ageAt), "nthweekday": nthWeekday,
		"lastweekday": func(c *context, v []*value) *value { return nthWeekday(c, append([]*value{num(-1)}, v...)) }, "monthdaysof": monthDaysOf,
		"monthdayslast":  func(c *context, v []*value) *value { return monthDays(false)(c, v[2:]) },
		"monthdaysfirst": func(c *context, v []*value) *value { return monthDays(false)(c, v[:1]) },
		"cubeof":         reckoned(cubeOf), "placeofletter": placeOfLetter, "by": pair(plainProduct),
		"hasday": hasDay, "offpart": reckoned(offPart), "tofahrenheit": otherDegrees, "areaask": reckoned(sides),
		"change": reckoned(pair(sub)), "takefromask": reckoned(flipped(sub)), "difference2": reckoned(pair(func(a, b *value) *value {
			if a.x < b.x {
				a, b = b, a
			}
			return sub(a, b)
		})),
		"cut2": reckoned(func(_ *context, v []*value) *value { return div(v[0], v[1]) }),
		"cut": reckoned(func(c *context, v []*value) *value {
			whole := quantity(c, v[:2])
			if whole == nil {
				return nil
			}
			return div(whole, v[3])
		}),
		"gain": func(_ *context, v []*value) *value { return weak(sameThings(add, v)) },
		"loss": func(_ *context, v []*value) *value { return weak(sameThings(sub, v)) },
		"hour": hour, "halfpast": withHour(shift(30)), "quarterpast": withHour(shift(15)), "quarterto": withHour(shift(-15)),
		"past1": func(c *context, v []*value) *value { return pastHour(c, v, 1) }, "to1": func(c *context, v []*value) *value { return pastHour(c, v, -1) },
		"noon": constant(&value{kind: clock, x: 12 * 60}), "midnight": constant(&value{kind: clock}), "minutespast": minutesPast,
		"hundredhours": func(c *context, v []*value) *value { return hundreds(c, []*value{num(v[0].x * 100)}) }, "hundreds": hundreds,
		"hourminutes": minutesPast, "am": half(false), "pm": half(true),
		"awake": reckoned(awake), "fromnote": reckoned(fromNote), "ten": constant(num(10)), "five": constant(num(5)), "night": atNight,
		"hournight": withHour(atNight), "houram": withHour(half(false)), "hourpm": withHour(half(true)),
		"between": reckoned(pair(between)), "betweenback": reckoned(flipped(between)), "untiltime": reckoned(untilTime),
		"later": reckoned(pair(later(1))), "laterback": reckoned(flipped(later(1))), "earlier": reckoned(pair(later(-1))),
		"earlierback": reckoned(flipped(later(-1))),
		"untilnear":   reckoned(flipped(soon)), "nearback": reckoned(pair(soon)), "ispast": pastNow(false), "isbefore": pastNow(true),
		"twelve": twelve, "twentyfour": twentyFour, "dated": dated, "dated2": dated,
		"dated3": func(c *context, v []*value) *value { return dated(c, []*value{v[1], v[0], v[2]}) },
		"day0":   relative(0), "day1": relative(1), "daym1": relative(-1), "day2": relative(2), "daym2": relative(-2),
		"dayplus": relativeBy(1), "dayminus": relativeBy(-1),
		"supposed":     supposed,
		"supposedback": func(c *context, v []*value) *value { return supposed(c, []*value{v[1], v[2], v[0]}) },
		"dayafter":     shown(flipped(moveDate(1))), "daybefore": shown(flipped(moveDate(-1))), "dayafterback": shown(pair(moveDate(1))),
		"nextday": nextDay(1), "prevday": nextDay(-1), "nextmonth": nextMonth(1), "prevmonth": nextMonth(-1), "monthnumber": monthNumber,
		"monthdays": monthDays(false), "monthdaysleap": monthDays(true), "dayofyear": dayOfYear, "daysbetween": reckoned(daysBetween), "showday": showDay,
		"fromtoday": fromToday, "dateafter": shown(flipped(moveDate(1))), "datebefore": shown(flipped(moveDate(-1))), "dateafterback": shown(pair(moveDate(1))),
		"leapyear": leapYear, "agein": ageIn, "agelast": func(c *context, v []*value) *value { return ageIn(c, v[len(v)-1:]) },
		"bornbefore": bornBefore, "yearafter": yearAfter, "weekdaysbetween": weekdaysBetween,
		"lastmonth": constant(reply("December.")), "daynumber": dayNumber, "leapdays": constant(reply("366 days.")), "yeardays": constant(reply("365 days.")),
		"thisyeardays": thisYearDays,
		"workdays":     constant(reply("Five, as a rule: from Monday to Friday.")),
		"leapnow":      func(c *context, _ []*value) *value { return leapYear(c, []*value{num(float64(c.now.Year()))}) },
		"olderborn":    bornFirst(true), "youngerborn": bornFirst(false),
		"weeksinyear": constant(reply("A year has 52 weeks and a day, or two in a leap year.")),
		"spell":       spell, "backwards": backwards, "spellbackwards": spellBackwards, "lettercount": letterCount,
		"alphabetvowels": constant(reply("5 vowels: A, E, I, O and U. The other 21 letters are consonants.")), "firstletter": endLetter(false),
		"lastletter": endLetter(true), "lastofalphabet": constant(reply("Z.")), "firstalpha": firstOfAlphabet,
		"alphabetlength": constant(reply("26 letters.")), "occurrences": occurrences, "howoften2": swap(occurrences),
		"vowels": vowels(true), "consonants": vowels(false), "letterofalphabet": letterOfAlphabet, "letterat": letterAt, "nextletter": nextLetter(1),
		"prevletter": nextLetter(-1), "palindrome": palindrome, "wordcount": wordCount, "phrase": phrase, "sorted": sorted(false), "sorteddown": sorted(true),
		"withvowel": beginning(true), "withconsonant": beginning(false),
		"letter": func(_ *context, v []*value) *value {
			if _, ok := theLetter(v[0]); ok {
				return v[0]
			}
			return nil
		},
	}
}

// perThing is what so many things have of which each has so many: "14 screws per door, 9 doors".
func perThing(_ *context, v []*value) *value {
	var n []*value
	for _, x := range v {
		if x.kind == amount {
			n = append(n, x)
		}
	}
	if len(n) != 2 {
		return nil
	}
	return mul(n[0], n[1])
}

func sameThings(f func(a, b *value) *value, v []*value) *value {
	a, b := v[0], v[1]
	if a.text != "" && b.text != "" && a.text != b.text {
		return nil // apples and pears
	}
	r := f(a, b)
	if r != nil {
		r.text = a.text
	}
	return r
}

// withHour makes a clock time of a number first.
func withHour(f action) action {
	return func(c *context, v []*value) *value {
		h := hour(c, v)
		if h == nil {
			return nil
		}
		return f(c, []*value{h})
	}
}

func pastHour(c *context, v []*value, sign float64) *value {
	h := hour(c, v[1:])
	if h == nil {
		return nil
	}
	return past(sign)(c, []*value{v[0], h})
}

// shown says a day that was worked out.
func shown(f action) action {
	return func(c *context, v []*value) *value {
		if r := f(c, v); r != nil {
			return showDay(c, []*value{r})
		}
		return nil
	}
}
