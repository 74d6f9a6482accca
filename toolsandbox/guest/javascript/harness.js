// The first thing that runs in QuickJS. While the image is made it keeps what it needs of the language for itself; then
// __step() answers one request. The host believes nothing of what is written here or by the tool.
"use strict";
(() => {
  const read = __read, write = __write, print = __log, pause = __sleep, random = __random;
  for (const name of ["__read", "__write", "__log", "__sleep", "__random"]) delete globalThis[name];
  const { parse, stringify } = JSON;
  const { keys, getPrototypeOf, setPrototypeOf } = Object;
  const { isArray } = Array;
  const { isFinite, isSafeInteger } = Number;
  const maxDepth = 60, maxText = 2000;

  class ResultError extends Error {}
  class HostError extends Error {
    constructor(message, code = "failed") {
      super(message);
      this.name = "HostError";
      this.code = code;
    }
  }
  class Denied extends HostError {
    constructor(message) {
      super(message, "denied");
      this.name = "Denied";
    }
  }

  function call(name, args = {}) {
    write(stringify({ call: String(name), args: plain(args, 0) }) + "\n");
    const reply = parse(read());
    if (reply.error) throw reply.error.code === "denied" ? new Denied(reply.error.message) : new HostError(reply.error.message, reply.error.code);
    return reply.value ?? null;
  }

  const own = { call, HostError, Denied, sleep: (seconds) => pause(Number(seconds)), now: () => Date.now() / 1000 };
  // reachy.move_head({yaw: 30}) is reachy.call("move_head", {yaw: 30}).
  globalThis.reachy = new Proxy(own, {
    get: (target, name) => (name in target || typeof name !== "string" || name === "then" ? target[name] : (args) => call(name, args)),
  });

  const text = (v) => {
    if (typeof v === "string") return v;
    try {
      return stringify(v) ?? String(v);
    } catch {
      return String(v);
    }
  };
  const log = (...values) => print(values.map(text).join(" ").replaceAll("\0", "\\0") + "\n");
  globalThis.console = { log, info: log, warn: log, error: log, debug: log };
  Math.random = random;

  // plain copies a value into what JSON can say, or throws.
  function plain(v, depth) {
    if (v === null || typeof v === "boolean") return v;
    if (typeof v === "string") {
      if (!v.isWellFormed()) throw new ResultError("a string has a lone surrogate in it");
      return v;
    }
    if (typeof v === "number") {
      if (!isFinite(v)) throw new ResultError(`the number ${v}: JSON has none such`);
      return v;
    }
    if (depth >= maxDepth) throw new ResultError(`nested deeper than ${maxDepth}, or a cycle`);
    if (isArray(v)) {
      const out = setPrototypeOf([], null); // nobody's toJSON
      for (let i = 0; i < v.length; i++) out[i] = plain(v[i], depth + 1);
      return out;
    }
    const proto = typeof v === "object" ? getPrototypeOf(v) : undefined;
    if (proto === objectPrototype || proto === null) {
      const out = { __proto__: null };
      for (const k of keys(v)) out[plain(k)] = plain(v[k], depth + 1);
      return out;
    }
    throw new ResultError(`a ${typeof v === "object" ? v.constructor?.name : typeof v}, allowed null, boolean, number, string, arrays and plain objects`);
  }
  const objectPrototype = Object.prototype;

  const is = (e, kind) => { try { return e instanceof kind; } catch { return false; } };
  function reasonOf(e, message) {
    if (is(e, ResultError)) return "result";
    if (is(e, Denied)) return "denied";
    if (message === "out of memory") return "memory";
    if (/stack (size exceeded|overflow)/.test(message)) return "recursion";
    return "error";
  }

  function finish(value) {
    let line;
    try {
      line = stringify({ value: value === undefined ? null : plain(value, 0) });
    } catch (e) {
      return fail(e);
    }
    write(line + "\n");
  }

  function fail(e) {
    let type = "Error", message = "", trace = "";
    try {
      type = String(e?.name ?? typeof e).toWellFormed().slice(0, 80);
      message = String(e?.message ?? e).toWellFormed().slice(0, maxText);
      trace = String(e?.stack ?? "").toWellFormed().slice(0, maxText);
    } catch {}
    const line = Number(/<tool>:(\d+)/.exec(trace)?.[1] ?? 0);
    write(stringify({ error: { type, message, line: isSafeInteger(line) ? line : 0, traceback: trace }, reason: reasonOf(e, message) }) + "\n");
  }

  // parameters are the names of a function's parameters, which must be plain names, with defaults at most.
  function parameters(f) {
    const source = Function.prototype.toString.call(f).replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, "");
    const names = [];
    let depth = 0, start = source.indexOf("(") + 1;
    for (let i = start; i < source.length; i++) {
      const c = source[i];
      if (depth === 0 && (c === "," || c === ")")) {
        const part = source.slice(start, i).trim();
        const name = /^[A-Za-z_$][\w$]*(?=\s*(=|$))/.exec(part)?.[0];
        if (name) names.push(name);
        else if (part !== "") throw new TypeError(`parameter ${part}: allowed are plain names`);
        if (c === ")") return names;
        start = i + 1;
      } else if ("([{".includes(c)) depth++;
      else if (")]}".includes(c)) depth--;
      else if ("\"'`".includes(c)) for (i++; i < source.length && source[i] !== c; i++) if (source[i] === "\\") i++;
    }
    throw new TypeError("the parameters cannot be read");
  }

  function run(task, exported) {
    if (task.function === "__describe") return Object.entries(exported).map(([name, f]) => ({ name, kind: typeof f, parameters: typeof f === "function" ? parameters(f) : [] }));
    const f = exported[task.function];
    if (typeof f !== "function") throw new ReferenceError(`there is no exported function ${task.function}`);
    const names = parameters(f);
    for (const k of keys(task.args)) if (!names.includes(k)) throw new TypeError(`${task.function}() has no parameter ${k}`);
    return f(...names.map((n) => task.args[n]));
  }

  globalThis.__step = () => {
    const task = parse(read());
    const loaded = globalThis.__module, failed = globalThis.__failed;
    delete globalThis.__module;
    delete globalThis.__failed;
    if (failed !== undefined) return fail(failed);
    loaded.then((exported) => run(task, exported)).then(finish, fail);
  };
  globalThis.__stuck = () => fail(new Error("the tool waits for something that nothing can bring about"));
})();
