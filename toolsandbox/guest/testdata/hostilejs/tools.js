### eval-host-names: ok
export function attack() { return [typeof __read, typeof __write, typeof __log, typeof __sleep, typeof __random]; }
### no-os-module: error
import * as os from "os";
export function attack() { return os.getcwd(); }
### no-std-module: error
import * as std from "std";
export function attack() { return std.loadFile("/etc/passwd"); }
### dynamic-import: error
export async function attack() { return (await import("/etc/passwd")).default; }
### require: error
export function attack() { return require("fs").readFileSync("/etc/passwd"); }
### process-env: error
export function attack() { return process.env.REACHYD_TEST_SECRET; }
### deno: error
export function attack() { return Deno.readTextFileSync("/etc/passwd"); }
### fetch: error
export async function attack(canary) { return await fetch(`http://127.0.0.1:${canary.port}/`); }
### websocket: error
export function attack(canary) { return new WebSocket(`ws://127.0.0.1:${canary.port}/`); }
### xhr: error
export function attack() { return new XMLHttpRequest(); }
### worker: error
export function attack() { return new Worker("x.js"); }
### function-constructor: ok
export function attack() { return typeof new Function("return globalThis")().process; }
### indirect-eval: ok
export function attack() { return typeof (0, eval)("globalThis").std; }
### loop: cpu
export function attack() { for (;;); }
### async-loop: cpu
export async function attack() { for (;;) await null; }
### regexp-backtracking: cpu
export function attack() { return /^(a+)+$/.test("a".repeat(40) + "b"); }
### big-integer: cpu,memory
export function attack() { let x = 3n; for (;;) x = x * x; }
### sort-key: cpu
export function attack() { return [3, 2, 1].sort(() => { for (;;); }); }
### getter-loop: cpu
export function attack() { return { get a() { for (;;); } }; }
### tojson-loop: ok
export function attack() { return { a: 1, b: [2] }; }
### proxy-result: ok
export function attack() { return new Proxy({}, { ownKeys() { return []; } }); }
### string-bomb: memory,error
export function attack() { let s = "x"; for (;;) s += s; }
### array-bomb: memory [cpu=5s]
export function attack() { const a = []; for (;;) a.push(new Array(1000).fill(a.length)); }
### typed-array-bomb: memory
export function attack() { return new Uint8Array(60 << 20).length; }
### caught-memory: memory,ok,cpu
export function attack() { const a = []; for (;;) { try { a.push(new Uint8Array(1 << 20)); } catch { return a.length > 100 ? "ESCAPED" : "full"; } } }
### recursion: recursion
export function attack() { return attack() + 1; }
### deep-json: result
export function attack() { let v = []; for (let i = 0; i < 5000; i++) v = [v]; return v; }
### json-recursion: recursion,error
export function attack() { return JSON.parse("[".repeat(200000)); }
### log-flood: log
export function attack() { for (;;) console.log("x".repeat(1000)); }
### call-flood: calls,rate
export function attack() { for (;;) reachy.speak({ text: "x" }); }
### denied-call: denied
export function attack() { return reachy.move_head({ yaw: 1 }); }
### call-name-trick: protocol
export function attack() { return reachy.call("../speak", {}); }
### call-name-newline: protocol
export function attack() { return reachy.call('speak"}\n{"value":"ESCAPED"}', {}); }
### spoofed-json: ok
export function attack() { JSON.stringify = () => '{"value":"spoofed"}'; return 1; }
### spoofed-proto: ok
export function attack() { Object.prototype.value = "spoofed"; return {}; }
### spoofed-array: ok
export function attack() { Array.prototype.toJSON = () => "spoofed"; return [1]; }
### patched-parse: ok
export function attack() { JSON.parse = () => { throw 1; }; Promise.prototype.then = () => 1; return 5; }
### nan: result
export function attack() { return NaN; }
### cycle: result
export function attack() { const a = {}; a.a = a; return a; }
### symbol: result
export function attack() { return Symbol("x"); }
### lone-surrogate: result
export function attack() { return "\ud800"; }
### throws-null: error
export function attack() { throw null; }
### throws-trap: error
export function attack() { throw { get message() { throw 1; }, get name() { throw 2; } }; }
### never: error
export async function attack() { await new Promise(() => {}); }
### sleep-forever: timeout [wall=300ms]
export function attack() { reachy.sleep(1e9); }
### sleep-negative: ok
export function attack() { reachy.sleep(-1); reachy.sleep(NaN); return 1; }
### frozen-clock: cpu [virtual]
export function attack() { for (;;) Date.now(); }
### step-again: protocol,error,ok
export function attack() { __step(); return "spoofed"; }
### step-replaced: ok
export function attack() { globalThis.__step = () => 1; globalThis.__stuck = () => 1; return 1; }
### state-left: ok
globalThis.left = "left"; Math.left = 1; Object.prototype.left = 1;
export function attack() { return 1; }
### huge-result: output [cpu=5s]
export function attack() { return "x".repeat(2 << 20); }
### import-meta: ok
export function attack() { return Object.keys(import.meta).length >= 0; }
### weak-refs: ok
export function attack() { return typeof new WeakRef({}).deref(); }
### shared-memory: ok,error,memory
export function attack() { return new SharedArrayBuffer(8).byteLength; }
### atomics-wait: ok,error,timeout,crash
export function attack() { return Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0, 1); }
