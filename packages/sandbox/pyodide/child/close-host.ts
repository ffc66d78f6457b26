// Takes away what JavaScript in this process could do to the machine. Python code is meant never to reach JavaScript;
// if it finds a way, there is nothing to be had: no `process`, no `require`, no `import`, no network, no `eval` (the
// process is started without code generation), and below that Node's permissions and the operating system's limits.
import childProcess from 'node:child_process'
import { constants } from 'node:fs'
import { registerHooks, syncBuiltinESMExports } from 'node:module'

/** What the shell says when it does not find a command. */
const commandNotFound = 127

/** Besides the language itself. Pyodide uses these. */
const neededGlobals = new Set([
  'AbortController',
  'AbortSignal',
  'Buffer',
  'DOMException',
  'Event',
  'EventTarget',
  'TextDecoder',
  'TextEncoder',
  'URL',
  'WebAssembly',
  'atob',
  'btoa',
  'clearTimeout',
  'crypto',
  'performance',
  'queueMicrotask',
  'setTimeout',
])

/** Before Pyodide is loaded. */
export function prepareHost(): void {
  // Emscripten asks for these in a way that Node's permissions forbid.
  const known = { constants: { fs: constants } } as Record<string, unknown>
  Object.assign(process, { binding: (name: string) => known[name] })
  // `os.system` arrives here.
  Object.assign(childProcess, { spawnSync: () => ({ status: commandNotFound, signal: null }) })
  syncBuiltinESMExports()
  process.argv.length = 1
}

/** After it is loaded; nothing can be imported any more. */
export function closeHost(): void {
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === 'node:child_process') return next(specifier, context)
      throw new Error('Nothing can be imported here.')
    },
  })
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (!languageGlobals.has(name) && !neededGlobals.has(name)) Reflect.deleteProperty(globalThis, name)
  }
  const silent = (): void => undefined
  const nothing = { versions: { node: '' }, stdin: { fd: -1 }, exitCode: 0, umask: () => 0o22, getuid: () => 0 }
  Object.defineProperties(globalThis, {
    process: { value: Object.seal(nothing) },
    console: { value: Object.freeze({ log: silent, info: silent, warn: silent, error: silent, debug: silent }) },
  })
}

/** The names every JavaScript has. */
const languageGlobals = new Set([
  ...['globalThis', 'Infinity', 'NaN', 'undefined', 'isFinite', 'isNaN', 'parseFloat', 'parseInt'],
  ...['decodeURI', 'decodeURIComponent', 'encodeURI', 'encodeURIComponent'],
  ...['Object', 'Boolean', 'Symbol', 'Number', 'BigInt', 'String', 'RegExp', 'Date', 'Function', 'eval'],
  ...['Error', 'AggregateError', 'EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError'],
  ...['Array', 'Map', 'Set', 'WeakMap', 'WeakSet', 'WeakRef', 'FinalizationRegistry', 'Iterator', 'Promise', 'Proxy'],
  ...['ArrayBuffer', 'SharedArrayBuffer', 'DataView', 'Atomics', 'Int8Array', 'Uint8Array', 'Uint8ClampedArray'],
  ...['Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array', 'BigInt64Array', 'BigUint64Array', 'Float16Array'],
  ...['Float32Array', 'Float64Array', 'JSON', 'Math', 'Reflect', 'Intl', 'escape', 'unescape'],
])
