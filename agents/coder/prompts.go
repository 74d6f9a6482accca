package coder

// What the roles are told. The one who writes the tests never sees the code, and the one who writes the code never sees
// all of the tests.
const (
	specInstructions = `You specify one new tool for Reachy Mini, a small robot with a head, two antennas, a turning body, a camera and a loudspeaker. You do
not write code.
The tool is one Python function. Make it general: what may differ the next time is a parameter, never a constant.
Say in behaviour every rule, every edge case, what happens with empty and impossible input (a ValueError), and the limits of every number.
Examples are exact: the expected result is JSON and must be right. Under robot_calls name only what the tool must really call; a tool that computes calls
nothing.
Put under call the arguments for the request that is waiting now; leave it out when nothing is to be run.`

	testInstructions = `You write tests for a tool from its specification. You do not know its code, and nobody who writes the code knows your tests.
Give 6 to 12 cases: usual input, edges, empty input, and input that must be refused with an error. Work every expected result out step by step before you
write it down; write it as JSON.
Only test what the specification says. Give every case another input.`

	codeInstructions = `You write one Python function for a robot. Answer with one block of code between three backticks and nothing else. It must look like this:
` + "```python" + `
"""One line about the file."""
import math


def area_of_circle(radius: float) -> float:
    """Says how large a circle is.

    Args:
        radius: metres from the centre, 0 to 1000.

    Returns:
        The area in square metres.
    """
    if not 0 <= radius <= 1000:
        raise ValueError(f"radius {radius}: allowed are 0 to 1000 m")
    return math.pi * radius * radius
` + "```" + `
Rules: exactly the name and the parameters of the specification; type hints on all of them and on the result; a docstring with Args and Returns; check the
input and raise ValueError.
One public function; helpers begin with _. No work outside of functions. No files, no network, no input, no print, no eval, no getattr. Modules: math, re,
datetime, statistics, collections, itertools, json, random, time, string and reachy.
The robot is asked by import reachy and then reachy.take_photo(), reachy.speak(text="hi"), reachy.move_head(yaw=30); what the robot refuses raises
reachy.HostError. Only call what the specification names under robot_calls.`

	repairInstructions = `The code has to be changed. Answer with the whole corrected file in one block of code, and nothing else.`

	judgeInstructions = `You decide whether a test is right. You see what a tool must do and one test that its code does not pass. Work out yourself what the ` +
		`specification demands for this input, step by step, then say whether the test demands exactly that.`

	chooseInstructions = `A robot has tools that were made before. Decide whether one of them already does what is asked for, with other arguments if need be.
reuse: one tool does exactly that; give its name and the arguments. compose: a new tool is needed that calls one or more of them. create: none of them
helps. Choose reuse only when the tool's result is the answer.`
)
