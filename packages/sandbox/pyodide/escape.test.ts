// Ways from Python to JavaScript, each really tried. Where one led there before the gate was built, it says so.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Sandbox, SandboxResult } from '../sandbox.ts'
import { firstStartMs, openSandbox, runIn } from './testing/open-sandbox.ts'

// Most of them end their process.
vi.setConfig({ testTimeout: 60_000 })

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = openSandbox()
  await sandbox.session('attacker')
}, firstStartMs)
afterAll(() => sandbox.close())

const attack = async (code: string): Promise<SandboxResult & { logs: string }> =>
  runIn((await sandbox.session('attacker')).session, code)

/** The types of Pyodide's proxies can be found; with ctypes, so can an object that says it is one. */
const forge = `
import ctypes, warnings
warnings.simplefilter("ignore")
def kinds(base=object, seen=set()):
    for kind in type.__subclasses__(base):
        if kind not in seen:
            seen.add(kind)
            yield kind
            yield from kinds(kind)
kept = []
def forge(slot):
    kind = next(k for k in kinds() if k.__name__ == "JsProxy" and k.__basicsize__ == 48)
    memory = (ctypes.c_uint32 * 12)(1 << 20, id(kind), 0, 0, 0, 0, 0, 0, 0, slot, 0, 0xfffffffe)
    kept.append(memory)
    return ctypes.cast(ctypes.addressof(memory), ctypes.py_object).value
`

describe('ends the session that calls out of Python', () => {
  it.each([
    // Before: True. From there on all of Pyodide's functions could be called.
    [
      "Pyodide's own object, by the number of its slot",
      `${forge}hasattr(forge(7), "fatal_error")`,
      'JsProxy_GetAttr_js',
    ],
    ['a call of it', `${forge}forge(7).fatal_error("x")`, 'JsProxy_GetAttr_js'],
    ['a list of its names', `${forge}dir(forge(7))`, 'Js\\w+'],
    ['a change of it', `${forge}forge(7).config = 1`, 'Js\\w+'],
    // Before: only the missing eval of the process stopped it.
    ['a script', 'import ctypes\nctypes.CDLL(None).emscripten_run_script(b"1")', 'emscripten_run_script'],
    [
      'JavaScript that was compiled in',
      'import ctypes\nctypes.CDLL(None).emscripten_asm_const_int(3965009, b"", 0)',
      'emscripten_asm_const_int',
    ],
    ['a fetch', 'import ctypes\nctypes.CDLL(None).emscripten_async_wget(b"/x", b"y", 0, 0)', 'emscripten_async_wget'],
    ['a timer', 'import ctypes\nctypes.CDLL(None).emscripten_async_call(0, 0, 1)', 'emscripten_async_call'],
    ['a worker', 'import ctypes\nctypes.CDLL(None).emscripten_create_worker(b"x")', 'emscripten_create_worker'],
    ['the console', 'import ctypes\nctypes.CDLL(None).emscripten_console_log(b"x")', 'emscripten_console_log'],
  ])('%s', async (_title, code, name) => {
    const { logs, stopped } = await attack(code)
    // What has no number yet among Python's functions gets none.
    expect(logs).toMatch(new RegExp(`Python failed \\((${name} leads out of|no code can be added to) Python\\)`))
    expect(stopped).toBe('died')
  })
})

describe('finds nothing of JavaScript in Python', () => {
  // Before: one proxy was kept for the loader of packages, and every slot can be reached from one.
  it('no proxy among all objects and modules', async () => {
    const code = `
import gc, sys
held = gc.get_objects() + [value for module in list(sys.modules.values()) for value in vars(module).values()]
held += [value for thing in held if isinstance(thing, dict) for value in list(thing.values())]
[thing for thing in held if type(thing).__name__ == "JsProxy" and type(thing).__basicsize__ == 48]`
    expect((await attack(code)).logs).toBe('[]\n')
  })

  it.each(['js', 'pyodide', 'pyodide_js', '_pyodide', '_pyodide_core', 'pyodide.ffi', 'pyodide.webloop'])(
    'no module %s, by any way of importing',
    async (name) => {
      const code = `
import importlib, sys
for way in (importlib.import_module, __import__, lambda name: sys.modules[name]):
    try: print(way("${name}"))
    except (ImportError, KeyError): pass`
      expect((await attack(code)).logs).toBe('')
    },
  )

  it('no proxy in what frames and errors hold', async () => {
    const code = `
import sys
frame, seen = sys._getframe(), []
while frame:
    seen += [*frame.f_locals.values(), *frame.f_globals.values()]
    frame = frame.f_back
[thing for thing in seen if "Js" in type(thing).__name__]`
    expect((await attack(code)).logs).toBe('[]\n')
  })

  // Before: it was compiled and became part of Python.
  it('no room for WebAssembly of its own', async () => {
    const code = `
import ctypes
library = b"\\0asm\\1\\0\\0\\0" + b"\\0\\x0f\\x08dylink.0\\x01\\x04\\0\\0\\0\\0"
open("own.so", "wb").write(library)
ctypes.CDLL("/mnt/data/own.so")`
    const { logs, stopped } = await attack(code)
    expect(logs).toMatch(/OSError: .*no code can be added to Python/s)
    expect(stopped).toBeUndefined()
  })
})

describe('leaves to Python what is its own', () => {
  it('ctypes, with callbacks', async () => {
    const code = `
import ctypes
numbers = (ctypes.c_int * 4)(3, 1, 4, 2)
compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
ctypes.CDLL(None).qsort(numbers, 4, 4, compare(lambda a, b: a[0] - b[0]))
list(numbers)`
    expect((await attack(code)).logs).toBe('[1, 2, 3, 4]\n')
  })

  it.each([
    ['memory it has spoilt', 'import ctypes\nctypes.memset(1 << 20, 0x41, 30 << 20)\nprint([].copy())'],
    ['a fault it asked for', 'import faulthandler\nfaulthandler._sigsegv()'],
    [
      'bytecode it has forged',
      'f = lambda: 1\nf.__code__ = f.__code__.replace(co_code=bytes([83, 255] * 40), co_consts=())\nf()\nprint(f())',
    ],
  ])('%s', async (_title, code) => {
    const { session: other } = await sandbox.session('other')
    await runIn(other, 'kept = 1')
    await attack(code)
    expect((await runIn(other, 'kept')).logs).toBe('1\n')
    expect((await attack('1 + 1')).logs).toMatch(/2\n$/)
  })
})
