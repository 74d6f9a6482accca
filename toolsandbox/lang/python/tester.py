"""Runs a tool on inputs and says what came of each, and which of its lines were reached. Runs inside the sandbox."""
import sys
import time
import types

import reachy

TOOL_ID = sys.monitoring.COVERAGE_ID


def executable(code, lines):
    """Adds the lines of a code object and of those inside of it."""
    lines.update(line for _, _, line in code.co_lines() if line)
    for c in code.co_consts:
        if isinstance(c, types.CodeType):
            executable(c, lines)


def run(source: str, function: str, inputs: list, predicate: str, grants: list) -> dict:
    harness = sys.modules["__main__"]
    lines, hit, calls, outcomes = set(), set(), [], []
    try:
        executable(compile(source, harness.TOOL, "exec", dont_inherit=True), lines)
    except (SyntaxError, ValueError):
        pass  # the tool's loading says it

    def reached(code, line):
        if code.co_filename == harness.TOOL:
            hit.add(line)
        return sys.monitoring.DISABLE

    real_call = reachy.call

    def call(name, /, **args):
        calls.append({"name": name, "args": args, "at": time.monotonic() - began})
        return real_call(name, **args)

    reachy.call = call
    sys.monitoring.use_tool_id(TOOL_ID, "reachyd")
    sys.monitoring.register_callback(TOOL_ID, sys.monitoring.events.LINE, reached)
    sys.monitoring.set_events(TOOL_ID, sys.monitoring.events.LINE)
    try:
        began = time.monotonic()
        tool = None
        for given in inputs:
            calls.clear()
            outcome = {}
            began = time.monotonic()
            try:
                if tool is None:
                    tool = harness.load(source, grants)
                value = harness.plain(harness.invoke(tool.__dict__[function], given))
                outcome["value"] = value
            except Exception as e:
                outcome["error"] = harness.error_of(e, source)
            except SystemExit as e:
                outcome["error"] = harness.error_of(e, source)
            outcome["calls"] = len(calls)
            outcome["seconds"] = time.monotonic() - began
            if predicate:
                outcome["holds"], outcome["why"] = judge(predicate, outcome, given, calls)
            outcomes.append(outcome)
            if outcome.get("holds") is False:
                break
    finally:
        sys.monitoring.set_events(TOOL_ID, 0)
        sys.monitoring.free_tool_id(TOOL_ID)
        reachy.call = real_call
    return {"outcomes": outcomes, "lines": sorted(lines), "hit": sorted(hit & lines)}


def judge(predicate, outcome, given, calls):
    """Says whether a Python expression over result, error, input, calls and seconds holds."""
    names = {"result": outcome.get("value"), "error": outcome.get("error", {}).get("type"), "input": given, "calls": list(calls), "seconds": outcome["seconds"]}
    try:
        return bool(eval(compile(predicate, "<predicate>", "eval"), names)), ""
    except Exception as e:
        return False, f"{type(e).__name__}: {e}"
