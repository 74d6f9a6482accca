package eval

// Task is a tool to be written, with hidden tests: the writer is told Name, Does and Signature, and nothing of the rest.
type Task struct {
	Name      string
	Does      string // what it must do, edge cases included
	Signature string // of the Python function, from "(" on
	// Body is a solution, which shows that the tests can be passed.
	Body string
	// Cases are pairs of arguments and what must come of them, both JSON; "!Type" for an error of that type, "?" for a
	// Python expression over result, input and calls that must be true.
	Cases []string
}

// Tasks are the fixed tools to be written.
var Tasks = []Task{
	// Texts.
	{
		"reverse_text", "Returns the text backwards.", "(text: str) -> str", `return text[::-1]`,
		[]string{`{"text":"hello world"}`, `"dlrow olleh"`, `{"text":""}`, `""`, `{"text":"äb"}`, `"bä"`},
	},
	{
		"count_vowels", "Counts the vowels a, e, i, o, u in a text, upper and lower case.", "(text: str) -> int", `return sum(c in "aeiou" for c in text.lower())`,
		[]string{`{"text":"Hello World"}`, `3`, `{"text":""}`, `0`, `{"text":"AEIOU xyz"}`, `5`},
	},
	{
		"is_palindrome", "Says whether a text reads the same backwards, looking at letters and digits only and ignoring case.", "(text: str) -> bool",
		"t = [c.lower() for c in text if c.isalnum()]\nreturn t == t[::-1]",
		[]string{`{"text":"A man, a plan, a canal: Panama"}`, `true`, `{"text":"robot"}`, `false`, `{"text":""}`, `true`},
	},
	{
		"word_count", "Counts how often each word occurs; words are separated by spaces and compared in lower case.", "(text: str) -> dict[str, int]",
		"out = {}\nfor w in text.lower().split():\n    out[w] = out.get(w, 0) + 1\nreturn out",
		[]string{`{"text":"the cat the dog"}`, `{"the":2,"cat":1,"dog":1}`, `{"text":"A a"}`, `{"a":2}`, `{"text":""}`, `{}`},
	},
	{
		"capitalise_words", "Makes the first letter of every word upper case and leaves the other letters as they are. Words are separated by single spaces.", "(text: str) -> str",
		`return " ".join(w[:1].upper() + w[1:] for w in text.split(" "))`,
		[]string{`{"text":"reachy mini"}`, `"Reachy Mini"`, `{"text":"the USA today"}`, `"The USA Today"`, `{"text":""}`, `""`},
	},
	{
		"caesar", "Shifts every letter a to z and A to Z by a number of places in the alphabet, round the end; other characters stay. The shift may be negative.", "(text: str, shift: int) -> str",
		"out = []\nfor c in text:\n    for base in (\"a\", \"A\"):\n        if base <= c <= chr(ord(base) + 25):\n            c = chr((ord(c) - ord(base) + shift) % 26 + ord(base))\n            break\n    out.append(c)\nreturn \"\".join(out)",
		[]string{`{"text":"abc xyz!","shift":3}`, `"def abc!"`, `{"text":"Hello","shift":-1}`, `"Gdkkn"`, `{"text":"abc","shift":26}`, `"abc"`},
	},
	{
		"initials", "Returns the initials of a name in upper case, each followed by a dot, without spaces: 'Ada Lovelace' gives 'A.L.'.", "(name: str) -> str",
		`return "".join(w[0].upper() + "." for w in name.split())`,
		[]string{`{"name":"Ada Lovelace"}`, `"A.L."`, `{"name":"  grace  brewster hopper "}`, `"G.B.H."`, `{"name":""}`, `""`},
	},
	{
		"shorten_text", "Shortens a text to at most limit characters; if something had to be cut off, the last of these characters is '…'. A limit below 1 is a ValueError.", "(text: str, limit: int) -> str",
		"if limit < 1:\n    raise ValueError(f\"limit {limit}: at least 1 is allowed\")\nreturn text if len(text) <= limit else text[:limit - 1] + \"…\"",
		[]string{`{"text":"hello","limit":5}`, `"hello"`, `{"text":"hello world","limit":6}`, `"hello…"`, `{"text":"ab","limit":1}`, `"…"`, `{"text":"a","limit":0}`, `!ValueError`},
	},
	{
		"morse", "Writes letters A to Z as Morse code with '.' and '-', a space between letters and ' / ' between words. Case does not matter; another character is a ValueError.", "(text: str) -> str",
		"code = dict(zip(\"ABCDEFGHIJKLMNOPQRSTUVWXYZ\", \".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..\".split()))\ntry:\n    return \" / \".join(\" \".join(code[c] for c in w) for w in text.upper().split())\nexcept KeyError as error:\n    raise ValueError(f\"character {error}: only letters are allowed\") from error",
		[]string{`{"text":"SOS"}`, `"... --- ..."`, `{"text":"hi me"}`, `".... .. / -- ."`, `{"text":"a1"}`, `!ValueError`},
	},
	{
		"longest_word", "Returns the longest word of a text; the first of several. Words are separated by spaces. A text without words is a ValueError.", "(text: str) -> str",
		"words = text.split()\nif not words:\n    raise ValueError(\"there is no word\")\nreturn max(words, key=len)",
		[]string{`{"text":"a robot turns"}`, `"robot"`, `{"text":"one"}`, `"one"`, `{"text":" "}`, `!ValueError`},
	},
	{
		"remove_duplicates", "Returns the texts of a list without repetitions, in the order of their first occurrence.", "(items: list[str]) -> list[str]", `return list(dict.fromkeys(items))`,
		[]string{`{"items":["b","a","b"]}`, `["b","a"]`, `{"items":[]}`, `[]`, `{"items":["x","X"]}`, `["x","X"]`},
	},
	{
		"acronym_expand", "Replaces every whole word of a text that is a key of the dictionary by its value. Words are separated by single spaces.", "(text: str, meanings: dict[str, str]) -> str",
		`return " ".join(meanings.get(w, w) for w in text.split(" "))`,
		[]string{`{"text":"the CPU is hot","meanings":{"CPU":"processor"}}`, `"the processor is hot"`, `{"text":"CPUs","meanings":{"CPU":"processor"}}`, `"CPUs"`, `{"text":"","meanings":{}}`, `""`},
	},

	// Numbers.
	{
		"percent_of", "Returns what a number of percent of a value is.", "(percent: float, value: float) -> float", `return percent * value / 100`,
		[]string{`{"percent":15,"value":300}`, `45`, `{"percent":0,"value":9}`, `0`, `{"percent":-10,"value":50}`, `-5`},
	},
	{
		"mean_of", "Returns the mean of numbers. An empty list is a ValueError.", "(numbers: list[float]) -> float",
		"if not numbers:\n    raise ValueError(\"there are no numbers\")\nreturn sum(numbers) / len(numbers)",
		[]string{`{"numbers":[1,2,3,4]}`, `2.5`, `{"numbers":[7]}`, `7`, `{"numbers":[]}`, `!ValueError`},
	},
	{
		"median_of", "Returns the median of numbers; of an even count the mean of the two in the middle. An empty list is a ValueError.", "(numbers: list[float]) -> float",
		"if not numbers:\n    raise ValueError(\"there are no numbers\")\ns = sorted(numbers)\nm = len(s) // 2\nreturn s[m] if len(s) % 2 else (s[m - 1] + s[m]) / 2",
		[]string{`{"numbers":[3,1,2]}`, `2`, `{"numbers":[4,1,3,2]}`, `2.5`, `{"numbers":[]}`, `!ValueError`},
	},
	{
		"is_prime", "Says whether a whole number is prime. Numbers below 2 are not.", "(number: int) -> bool",
		"if number < 2:\n    return False\ni = 2\nwhile i * i <= number:\n    if number % i == 0:\n        return False\n    i += 1\nreturn True",
		[]string{`{"number":2}`, `true`, `{"number":91}`, `false`, `{"number":97}`, `true`, `{"number":1}`, `false`, `{"number":-7}`, `false`},
	},
	{
		"prime_factors", "Returns the prime factors of a whole number from 2 on, ascending, repeated ones repeated. A number below 2 is a ValueError.", "(number: int) -> list[int]",
		"if number < 2:\n    raise ValueError(f\"number {number}: at least 2 is allowed\")\nout = []\np = 2\nwhile number > 1:\n    while number % p == 0:\n        out.append(p)\n        number //= p\n    p += 1\nreturn out",
		[]string{`{"number":12}`, `[2,2,3]`, `{"number":13}`, `[13]`, `{"number":360}`, `[2,2,2,3,3,5]`, `{"number":1}`, `!ValueError`},
	},
	{
		"fibonacci", "Returns the first count Fibonacci numbers, beginning with 0, 1. A count below 0 is a ValueError.", "(count: int) -> list[int]",
		"if count < 0:\n    raise ValueError(f\"count {count}: at least 0 is allowed\")\nout = []\na, b = 0, 1\nfor _ in range(count):\n    out.append(a)\n    a, b = b, a + b\nreturn out",
		[]string{`{"count":7}`, `[0,1,1,2,3,5,8]`, `{"count":0}`, `[]`, `{"count":1}`, `[0]`, `{"count":-1}`, `!ValueError`},
	},
	{
		"greatest_divisor", "Returns the greatest common divisor of two whole numbers, which is never negative; of 0 and 0 it is 0.", "(first: int, second: int) -> int",
		"a, b = abs(first), abs(second)\nwhile b:\n    a, b = b, a % b\nreturn a",
		[]string{`{"first":12,"second":18}`, `6`, `{"first":-4,"second":6}`, `2`, `{"first":0,"second":5}`, `5`, `{"first":0,"second":0}`, `0`},
	},
	{
		"to_roman", "Writes a number from 1 to 3999 in Roman numerals. Others are a ValueError.", "(number: int) -> str",
		"if not 1 <= number <= 3999:\n    raise ValueError(f\"number {number}: allowed are 1 to 3999\")\nout = \"\"\nfor v, s in ((1000, \"M\"), (900, \"CM\"), (500, \"D\"), (400, \"CD\"), (100, \"C\"), (90, \"XC\"), (50, \"L\"), (40, \"XL\"), (10, \"X\"), (9, \"IX\"), (5, \"V\"), (4, \"IV\"), (1, \"I\")):\n    while number >= v:\n        out += s\n        number -= v\nreturn out",
		[]string{`{"number":1994}`, `"MCMXCIV"`, `{"number":4}`, `"IV"`, `{"number":3999}`, `"MMMCMXCIX"`, `{"number":0}`, `!ValueError`},
	},
	{
		"digits_sum", "Returns the sum of the decimal digits of a whole number; the sign does not count.", "(number: int) -> int", `return sum(int(d) for d in str(abs(number)))`,
		[]string{`{"number":1234}`, `10`, `{"number":-99}`, `18`, `{"number":0}`, `0`},
	},
	{
		"to_binary", "Writes a whole number that is not negative in binary, without a prefix. A negative number is a ValueError.", "(number: int) -> str",
		"if number < 0:\n    raise ValueError(f\"number {number}: at least 0 is allowed\")\nreturn format(number, \"b\")",
		[]string{`{"number":10}`, `"1010"`, `{"number":0}`, `"0"`, `{"number":-1}`, `!ValueError`},
	},
	{
		"compound_interest", "Returns what an amount becomes in a number of years at a yearly interest in percent, added once a year.", "(amount: float, percent: float, years: int) -> float",
		`return amount * (1 + percent / 100) ** years`,
		[]string{`{"amount":100,"percent":10,"years":2}`, `121`, `{"amount":50,"percent":0,"years":9}`, `50`, `{"amount":10,"percent":5,"years":0}`, `10`},
	},
	{
		"clamp_value", "Returns the value, but not less than low and not more than high. A low above high is a ValueError.", "(value: float, low: float, high: float) -> float",
		"if low > high:\n    raise ValueError(f\"low {low} is above high {high}\")\nreturn min(max(value, low), high)",
		[]string{`{"value":5,"low":0,"high":3}`, `3`, `{"value":-5,"low":0,"high":3}`, `0`, `{"value":2,"low":0,"high":3}`, `2`, `{"value":1,"low":3,"high":0}`, `!ValueError`},
	},
	{
		"moving_average", "Returns the means of every window of neighbouring numbers. A window below 1 is a ValueError; with fewer numbers than the window the list is empty.", "(numbers: list[float], window: int) -> list[float]",
		"if window < 1:\n    raise ValueError(f\"window {window}: at least 1 is allowed\")\nreturn [sum(numbers[i:i + window]) / window for i in range(len(numbers) - window + 1)]",
		[]string{`{"numbers":[1,2,3,4],"window":2}`, `[1.5,2.5,3.5]`, `{"numbers":[1],"window":3}`, `[]`, `{"numbers":[1],"window":0}`, `!ValueError`},
	},
	{
		"second_largest", "Returns the second largest of the different numbers of a list. With fewer than two different numbers it is a ValueError.", "(numbers: list[float]) -> float",
		"s = sorted(set(numbers))\nif len(s) < 2:\n    raise ValueError(\"there are fewer than two different numbers\")\nreturn s[-2]",
		[]string{`{"numbers":[3,1,2]}`, `2`, `{"numbers":[5,5,4]}`, `4`, `{"numbers":[5,5]}`, `!ValueError`},
	},

	// Units, times, shapes.
	{
		"celsius_to_fahrenheit", "Turns degrees Celsius into degrees Fahrenheit. Below absolute zero, −273.15, it is a ValueError.", "(celsius: float) -> float",
		"if celsius < -273.15:\n    raise ValueError(f\"celsius {celsius}: at least -273.15 is allowed\")\nreturn celsius * 9 / 5 + 32",
		[]string{`{"celsius":100}`, `212`, `{"celsius":-40}`, `-40`, `{"celsius":37}`, `98.6`, `{"celsius":-300}`, `!ValueError`},
	},
	{
		"miles_to_km", "Turns miles into kilometres; a mile is 1.609344 km.", "(miles: float) -> float", `return miles * 1.609344`,
		[]string{`{"miles":10}`, `16.09344`, `{"miles":0}`, `0`},
	},
	{
		"seconds_to_words", "Writes a duration in whole seconds as 'H h M min S s' and leaves out the parts that are zero; 0 is '0 s'. A negative one is a ValueError.", "(seconds: int) -> str",
		"if seconds < 0:\n    raise ValueError(f\"seconds {seconds}: at least 0 is allowed\")\nparts = [(seconds // 3600, \"h\"), (seconds // 60 % 60, \"min\"), (seconds % 60, \"s\")]\nreturn \" \".join(f\"{n} {u}\" for n, u in parts if n) or \"0 s\"",
		[]string{`{"seconds":3725}`, `"1 h 2 min 5 s"`, `{"seconds":60}`, `"1 min"`, `{"seconds":0}`, `"0 s"`, `{"seconds":7205}`, `"2 h 5 s"`, `{"seconds":-1}`, `!ValueError`},
	},
	{
		"minutes_between", "Returns the minutes from one time of day to the next occurrence of another; both are 'HH:MM'. The same time is 0. Another form is a ValueError.", "(start: str, end: str) -> int",
		"def read(t):\n    h, m = t.split(\":\")\n    h, m = int(h), int(m)\n    if not (0 <= h < 24 and 0 <= m < 60):\n        raise ValueError(f\"time {t}\")\n    return 60 * h + m\nreturn (read(end) - read(start)) % 1440",
		[]string{`{"start":"08:30","end":"10:00"}`, `90`, `{"start":"23:50","end":"00:10"}`, `20`, `{"start":"12:00","end":"12:00"}`, `0`, `{"start":"25:00","end":"12:00"}`, `!ValueError`},
	},
	{
		"is_leap_year", "Says whether a year has 366 days in the Gregorian calendar.", "(year: int) -> bool", `return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)`,
		[]string{`{"year":2024}`, `true`, `{"year":1900}`, `false`, `{"year":2000}`, `true`, `{"year":2023}`, `false`},
	},
	{
		"days_in_month", "Returns how many days a month, 1 to 12, of a year has. Another month is a ValueError.", "(year: int, month: int) -> int",
		"if not 1 <= month <= 12:\n    raise ValueError(f\"month {month}: allowed are 1 to 12\")\nif month == 2:\n    return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28\nreturn 30 if month in (4, 6, 9, 11) else 31",
		[]string{`{"year":2024,"month":2}`, `29`, `{"year":2023,"month":2}`, `28`, `{"year":2023,"month":4}`, `30`, `{"year":2023,"month":12}`, `31`, `{"year":2023,"month":13}`, `!ValueError`},
	},
	{
		"rectangle_area", "Returns the area of a rectangle. A side that is negative is a ValueError.", "(width: float, height: float) -> float",
		"if width < 0 or height < 0:\n    raise ValueError(\"a side is negative\")\nreturn width * height",
		[]string{`{"width":3,"height":4}`, `12`, `{"width":0,"height":4}`, `0`, `{"width":-1,"height":4}`, `!ValueError`},
	},
	{
		"distance_between", "Returns the straight distance of two points in space, each given as [x, y, z] in metres.", "(first: list[float], second: list[float]) -> float",
		`return sum((a - b) ** 2 for a, b in zip(first, second)) ** 0.5`,
		[]string{`{"first":[0,0,0],"second":[1,2,2]}`, `3`, `{"first":[1,1,1],"second":[1,1,1]}`, `0`},
	},
	{
		"normalise_angle", "Brings an angle in degrees into the range from −180, excluded, to 180, included.", "(degrees: float) -> float",
		"d = degrees % 360\nreturn d - 360 if d > 180 else d",
		[]string{`{"degrees":270}`, `-90`, `{"degrees":-190}`, `170`, `{"degrees":180}`, `180`, `{"degrees":-180}`, `180`, `{"degrees":720}`, `0`},
	},
	{
		"split_bill", "Splits an amount in cents among people as evenly as possible: a list of cents whose sum is the amount, the larger shares first. Fewer than 1 person is a ValueError.", "(cents: int, people: int) -> list[int]",
		"if people < 1:\n    raise ValueError(f\"people {people}: at least 1 is allowed\")\nshare, rest = divmod(cents, people)\nreturn [share + 1] * rest + [share] * (people - rest)",
		[]string{`{"cents":100,"people":3}`, `[34,33,33]`, `{"cents":10,"people":5}`, `[2,2,2,2,2]`, `{"cents":1,"people":0}`, `!ValueError`},
	},

	// Tables and lists.
	{
		"group_by_first_letter", "Groups words by their first letter in lower case; in each group the words keep their order.", "(words: list[str]) -> dict[str, list[str]]",
		"out = {}\nfor w in words:\n    if w:\n        out.setdefault(w[0].lower(), []).append(w)\nreturn out",
		[]string{`{"words":["apple","Ant","bee"]}`, `{"a":["apple","Ant"],"b":["bee"]}`, `{"words":[]}`, `{}`},
	},
	{
		"transpose", "Swaps the rows and columns of a table. Rows of different lengths are a ValueError.", "(table: list[list[float]]) -> list[list[float]]",
		"if len({len(r) for r in table}) > 1:\n    raise ValueError(\"the rows have different lengths\")\nreturn [list(c) for c in zip(*table)]",
		[]string{`{"table":[[1,2],[3,4],[5,6]]}`, `[[1,3,5],[2,4,6]]`, `{"table":[]}`, `[]`, `{"table":[[1],[2,3]]}`, `!ValueError`},
	},
	{
		"flatten", "Joins the lists in a list to one list.", "(lists: list[list[int]]) -> list[int]", `return [x for inner in lists for x in inner]`,
		[]string{`{"lists":[[1,2],[],[3]]}`, `[1,2,3]`, `{"lists":[]}`, `[]`},
	},
	{
		"csv_column", "Returns the values of a column of a text of lines with comma-separated values, of which the first line holds the names. An unknown name is a KeyError.", "(text: str, column: str) -> list[str]",
		"rows = [line.split(\",\") for line in text.splitlines() if line]\nif not rows or column not in rows[0]:\n    raise KeyError(column)\ni = rows[0].index(column)\nreturn [r[i] for r in rows[1:]]",
		[]string{`{"text":"name,age\nAda,36\nAlan,41","column":"age"}`, `["36","41"]`, `{"text":"a\n1","column":"b"}`, `!KeyError`},
	},
	{
		"merge_counts", "Adds up two dictionaries of counts.", "(first: dict[str, int], second: dict[str, int]) -> dict[str, int]",
		`return {k: first.get(k, 0) + second.get(k, 0) for k in {**first, **second}}`,
		[]string{`{"first":{"a":1,"b":2},"second":{"b":3,"c":4}}`, `{"a":1,"b":5,"c":4}`, `{"first":{},"second":{}}`, `{}`},
	},
	{
		"top_words", "Returns the limit most frequent words of a text, the most frequent first, words of the same count in alphabetical order. Words are separated by spaces and compared in lower case.", "(text: str, limit: int) -> list[str]",
		"n = {}\nfor w in text.lower().split():\n    n[w] = n.get(w, 0) + 1\nreturn sorted(n, key=lambda w: (-n[w], w))[:limit]",
		[]string{`{"text":"b a b c a b","limit":2}`, `["b","a"]`, `{"text":"z y x","limit":2}`, `["x","y"]`, `{"text":"","limit":3}`, `[]`},
	},
	{
		"brackets_match", "Says whether the brackets (), [] and {} of a text match; other characters do not count.", "(text: str) -> bool",
		"pairs = {\")\": \"(\", \"]\": \"[\", \"}\": \"{\"}\nstack = []\nfor c in text:\n    if c in \"([{\":\n        stack.append(c)\n    elif c in pairs and (not stack or stack.pop() != pairs[c]):\n        return False\nreturn not stack",
		[]string{`{"text":"a(b[c]{d})"}`, `true`, `{"text":"(]"}`, `false`, `{"text":"(("}`, `false`, `{"text":""}`, `true`},
	},
	{
		"run_lengths", "Writes runs of the same character as the character and its count: 'aaab' is [['a', 3], ['b', 1]].", "(text: str) -> list[list]",
		"out = []\nfor c in text:\n    if out and out[-1][0] == c:\n        out[-1][1] += 1\n    else:\n        out.append([c, 1])\nreturn out",
		[]string{`{"text":"aaab"}`, `[["a",3],["b",1]]`, `{"text":""}`, `[]`, `{"text":"aba"}`, `[["a",1],["b",1],["a",1]]`},
	},

	// The robot.
	{
		"nod_times", "Nods a number of times, 1 to 5: each time the head goes down to a pitch of 15 degrees and back to 0, half a second each. Others are a ValueError and the head stays where it is. Returns the number.", "(times: int) -> int",
		"if not 1 <= times <= 5:\n    raise ValueError(f\"times {times}: allowed are 1 to 5\")\nfor _ in range(times):\n    reachy.move_head(pitch=15, duration=0.5)\n    reachy.move_head(pitch=0, duration=0.5)\nreturn times",
		[]string{
			`{"times":2}`, `?result == 2 and [c["args"]["pitch"] for c in calls] == [15, 0, 15, 0]`, `{"times":0}`, `!ValueError`,
			`{"times":6}`, `!ValueError`,
		},
	},
	{
		"look_left_and_right", "Looks an angle to the left (positive yaw), the same to the right, and ahead again, and returns the angle. An angle outside 1 to 60 is a ValueError.", "(angle: float) -> float",
		"if not 1 <= angle <= 60:\n    raise ValueError(f\"angle {angle}: allowed are 1 to 60\")\nfor yaw in (angle, -angle, 0):\n    reachy.move_head(yaw=yaw)\nreturn angle",
		[]string{`{"angle":30}`, `?[c["args"]["yaw"] for c in calls if c["name"] == "move_head"] == [30, -30, 0]`, `{"angle":90}`, `!ValueError`},
	},
	{
		"photo_series", "Takes count photos, 1 to 10, and waits interval seconds between them, not after the last. Returns the list of the photos' names. Another count is a ValueError.", "(count: int, interval: float) -> list[str]",
		"if not 1 <= count <= 10:\n    raise ValueError(f\"count {count}: allowed are 1 to 10\")\nnames = []\nfor i in range(count):\n    if i:\n        time.sleep(interval)\n    names.append(reachy.take_photo()[\"photo\"])\nreturn names",
		[]string{`{"count":3,"interval":5}`, `?len(result) == 3 and [round(c["at"]) for c in calls] == [0, 5, 10]`, `{"count":0,"interval":1}`, `!ValueError`},
	},
	{
		"scan_room", "Turns the head to the yaw angles from −60 to 60 degrees in steps, from right to left, takes a photo at each, and returns the names of the photos. A step that is not above 0 is a ValueError.", "(step: float) -> list[str]",
		"if step <= 0:\n    raise ValueError(f\"step {step}: more than 0 is allowed\")\nnames = []\nyaw = -60.0\nwhile yaw <= 60 + 1e-9:\n    reachy.move_head(yaw=yaw)\n    names.append(reachy.take_photo()[\"photo\"])\n    yaw += step\nreturn names",
		[]string{`{"step":60}`, `?len(result) == 3 and [c["args"]["yaw"] for c in calls if c["name"] == "move_head"] == [-60, 0, 60]`, `{"step":0}`, `!ValueError`},
	},
	{
		"say_list", "Says each text of a list, one call of speak for each, and skips empty ones. Returns how many were said.", "(texts: list[str]) -> int",
		"n = 0\nfor t in texts:\n    if t:\n        reachy.speak(text=t)\n        n += 1\nreturn n",
		[]string{`{"texts":["one","","two"]}`, `?result == 2 and [c["args"]["text"] for c in calls if c["name"] == "speak"] == ["one", "two"]`, `{"texts":[]}`, `0`},
	},
	{
		"count_down", "Says the whole numbers from start down to 1 and then 'go', a second of waiting after each number. A start outside 1 to 10 is a ValueError. Returns 'go'.", "(start: int) -> str",
		"if not 1 <= start <= 10:\n    raise ValueError(f\"start {start}: allowed are 1 to 10\")\nfor n in range(start, 0, -1):\n    reachy.speak(text=str(n))\n    time.sleep(1)\nreachy.speak(text=\"go\")\nreturn \"go\"",
		[]string{`{"start":3}`, `?result == "go" and [c["args"]["text"] for c in calls if c["name"] == "speak"] == ["3", "2", "1", "go"] and seconds >= 3`, `{"start":11}`, `!ValueError`},
	},
	{
		"happy_if_seen", "Looks with detect_objects whether a named thing is in view. If it is, shows the emotion happy, else sad, and returns whether it was seen.", "(name: str) -> bool",
		"seen = bool(reachy.detect_objects(name=name)[\"objects\"])\nreachy.express_emotion(emotion=\"happy\" if seen else \"sad\")\nreturn seen",
		[]string{`{"name":"unicorn"}`, `?result is False and calls[-1]["name"] == "express_emotion" and calls[-1]["args"]["emotion"] == "sad"`},
	},
}
