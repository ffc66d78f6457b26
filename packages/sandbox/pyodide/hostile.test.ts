// Programs that mean harm, or do harm without meaning it. Each gets a clear answer; another session notices nothing.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Sandbox, SandboxResult, SandboxSession } from '../sandbox.ts'
import { firstStartMs, openSandbox, runIn } from './testing/open-sandbox.ts'

// A new process for almost every test: that takes its time beside other test files.
vi.setConfig({ testTimeout: 60_000 })

let sandbox: Sandbox
let bystander: SandboxSession

beforeAll(async () => {
  const limits = {
    cpuSeconds: 10,
    wallSeconds: 40,
    outputBytes: 50_000,
    memoryMegabytes: 128,
    fileBytes: 20e6,
    fileCount: 200,
  }
  sandbox = openSandbox({ limits })
  bystander = (await sandbox.session('bystander')).session
  await runIn(bystander, 'kept = "safe"')
}, firstStartMs)
afterAll(() => sandbox.close())

async function attack(code: string): Promise<SandboxResult & { logs: string; isNew: boolean }> {
  const { session, isNew } = await sandbox.session('attacker')
  const result = await runIn(session, code)
  expect(await runIn(bystander, 'kept'), 'another session').toMatchObject({ logs: "'safe'\n" })
  return { ...result, isNew }
}

type Attack = [title: string, code: string, answer: RegExp, stopped?: SandboxResult['stopped']]

const reachingOut: Attack[] = [
  ['import js', 'import js', /No module named 'js'/],
  ['pyodide_js', 'import pyodide_js', /No module named 'pyodide_js'/],
  ['run_js', 'from pyodide.code import run_js', /No module named 'pyodide'/],
  ['pyodide.ffi', 'from pyodide.ffi import create_proxy', /No module named 'pyodide'/],
  ['pyodide.http', 'from pyodide.http import pyfetch', /No module named 'pyodide'/],
  ['_pyodide_core', 'import _pyodide_core', /No module named '_pyodide_core'/],
  ['micropip', 'import micropip', /No module named 'micropip'/],
  ['a shell', 'import os\nos.system("touch /tmp/atoll-was-here")', /^32512\n$/],
  ['subprocess', 'import subprocess\nsubprocess.run(["id"])', /OSError: .* does not support processes/],
  ['exec', 'import os\nos.execv("/bin/sh", ["sh"])', /OSError/],
  ['fork', 'import os\nos.fork()', /OSError: .*Function not implemented/],
  ['a process', 'import multiprocessing\nmultiprocessing.Process(target=print).start()', /Error/],
  ['a thread', 'import threading\nthreading.Thread(target=print).start()', /RuntimeError: can't start new thread/],
  ['a socket', 'import socket\nsocket.create_connection(("127.0.0.1", 22), 2)', /OSError: .*unreachable/],
  [
    'a datagram',
    'import socket\nsocket.socket(type=socket.SOCK_DGRAM).sendto(b"x", ("1.1.1.1", 53))',
    /OSError: .*unreachable/,
  ],
  ['a listener', 'import socket\ns = socket.socket()\ns.bind(("0.0.0.0", 8089))\ns.listen()', /OSError: .*unreachable/],
  ['a URL', 'import urllib.request\nurllib.request.urlopen("http://127.0.0.1:8080")', /URLError: .*unreachable/],
  ['the password file', 'open("/etc/passwd")', /FileNotFoundError/],
  ['the environment of the process', 'open("/proc/self/environ")', /FileNotFoundError/],
  ['the root folder', 'import os\nsorted(os.listdir("/"))', /^\['dev', 'home', 'lib', 'mnt', 'proc', 'tmp'\]\n$/],
  [
    'variables of the server',
    'import os\nprint("PATH=" + os.environ["PATH"], "ATOLL_DATA" in os.environ)',
    /^PATH= False\n$/,
  ],
  [
    'a library of the machine',
    'import ctypes\nctypes.CDLL("/lib/x86_64-linux-gnu/libc.so.6")',
    /OSError: could not load/,
  ],
  ['the C function system', 'import ctypes\nctypes.CDLL(None).system(b"id")', /^32512\n$/],
  ['signal handlers', 'import signal\nold = signal.signal(signal.SIGTERM, lambda *a: None)\nprint("set")', /^set\n$/],
]

const usingUp: Attack[] = [
  ['a huge text', '"a" * 10**10', /OverflowError|MemoryError/],
  ['a large text', '"a" * (2**31 - 50)', /MemoryError/],
  ['a growing list', 'x = []\nwhile True: x.append(bytearray(10**7))', /MemoryError/],
  ['endless recursion', 'x = 0\ndef f(): f()\nf()', /RecursionError/],
  ['nested brackets', 'eval("-" * 200000 + "1")', /MemoryError|SyntaxError|RecursionError/],
  [
    '10 GB in a file',
    'f = open("big", "wb")\nwhile True: n = f.write(bytes(10**6))',
    /OSError: .*No space left on device/,
  ],
  ['a long hole in a file', 'f = open("hole", "wb")\nf.truncate(10**10)', /OSError: .*No space left on device/],
  ['many files', 'for n in range(10**6): open(f"/tmp/{n}", "w").close()', /OSError: .*No space left on device/],
]

const looping: Attack[] = [
  ['while True', 'while True: pass', /ran longer than it may \(0.3 s of processor time/, 'time'],
  [
    'a loop that catches everything',
    'while True:\n  try:\n    while True: pass\n  except BaseException: pass',
    /ran longer/,
    'time',
  ],
  ['a number without end', '9 ** 9 ** 9', /ran longer/, 'time'],
]

const ending: Attack[] = [
  ['endless printing', 'while True: print("x" * 1000)', /put out more than it may/, 'output'],
  ['an endless line', 'import sys\nwhile True: n = sys.stdout.write("x" * 99)', /put out more than it may/, 'output'],
  [
    'endless pictures',
    'f = open("/dev/image", "wb", 0)\nwhile True: n = f.write(b"a.png\\n")',
    /put out more/,
    'output',
  ],
  ['a picture with a path', 'f = open("/dev/image", "wb", 0)\nf.write(b"../../x.png\\nx")', /was stopped/, 'died'],
  ['os._exit', 'import os\nos._exit(3)', /ended Python with exit code 3/, 'died'],
  ['os.abort', 'import os\nos.abort()', /Python failed/, 'died'],
  ['os.kill', 'import os\nos.kill(os.getpid(), 9)', /ended Python with exit code 137/, 'died'],
  [
    'writing over its memory',
    'import ctypes\nctypes.memset(0, 65, 10**8)',
    /Python failed \(memory access out of bounds\)/,
    'died',
  ],
  [
    'JavaScript by way of C',
    'import ctypes\nctypes.CDLL(None).emscripten_run_script(b"1")',
    /Python failed \(no code can be added to Python\)/,
    'died',
  ],
  [
    "recursion without Python's limit",
    'import sys\nsys.setrecursionlimit(10**9)\nf = lambda: f()\nf()',
    /Python failed \(Maximum call stack|ran longer/,
  ],
]

describe('what reaches for the machine finds nothing', () => {
  it.each(reachingOut)('%s', async (_title, code, answer) => {
    const { logs, stopped } = await attack(code)
    expect(logs).toMatch(answer)
    expect(stopped).toBeUndefined()
  })
})

describe('what takes too much is refused, and the session goes on', () => {
  it.each(usingUp)('%s', async (_title, code, answer) => {
    const { logs, stopped } = await attack(`${code}`)
    expect(logs).toMatch(answer)
    expect(stopped).toBeUndefined()
    await attack('import os, shutil\nx = None\nfor n in os.listdir("/tmp"): os.remove("/tmp/" + n)')
  })
})

it('a file that is too large is not put into a session, nor one for which there is no room', async () => {
  const { session } = await sandbox.session('files')
  await expect(session.put({ name: 'a', bytes: new Uint8Array(20e6 + 1) })).rejects.toThrow('larger than')
  await session.put({ name: 'b', bytes: new Uint8Array(15e6) })
  await expect(session.put({ name: 'c', bytes: new Uint8Array(15e6) })).rejects.toThrow('there is no room for it')
  await session.close()
})

describe('what does not end is ended, and the next call gets a new session', () => {
  it.each(ending)('%s', async (_title, code, answer, stopped) => {
    const result = await attack(code)
    expect(result.logs).toMatch(answer)
    expect(result.logs).toMatch(/Variables and files of this session are gone\.\n$/)
    expect(result.stopped).toEqual(stopped ?? expect.any(String))
    expect(await attack('1')).toMatchObject({ isNew: true, logs: '1\n' })
  })

  it('a pipe that nobody reads', async () => {
    const result = await attack('import os\nr, w = os.pipe()\nwhile True: n = os.write(w, bytes(4 * 10**6))')
    expect(result).toMatchObject({
      stopped: 'memory',
      logs: expect.stringContaining('more memory than it may (128 MB)'),
    })
  })

  describe('by the clock', () => {
    let impatient: Sandbox
    beforeAll(() => {
      impatient = openSandbox({ limits: { cpuSeconds: 0.3, wallSeconds: 2 } })
    })
    afterAll(() => impatient.close())

    it.each(looping)('%s', async (_title, code, answer, stopped) => {
      const result = await runIn((await impatient.session('attacker')).session, code)
      expect(result.logs).toMatch(answer)
      expect(result.stopped).toBe(stopped)
    })

    it('sleeping for years', async () => {
      const { session } = await impatient.session('sleeper')
      expect(await runIn(session, 'import time\ntime.sleep(10**8)')).toMatchObject({ stopped: 'time' })
    })
  })
})

describe('what tampers with its own world harms nobody else', () => {
  it.each([
    [
      'builtins that lie',
      'import builtins\nfor n in list(vars(builtins)):\n  if n not in ("setattr", "print"): setattr(builtins, n, None)\nprint("lie")',
    ],
    ['no modules', 'import sys\nsys.modules.clear()'],
    ['no output', 'import sys\nsys.stdout = sys.stderr = None'],
    ['no files', 'import os, shutil\nfor n in ("/mnt", "/dev", "/lib"): shutil.rmtree(n, ignore_errors=True)'],
    ['no descriptors', 'import os\nos.closerange(0, 100)'],
    ['another runner', 'import sandbox_runner\nfor n in list(vars(sandbox_runner)): setattr(sandbox_runner, n, None)'],
  ])('%s', async (_title, code) => {
    await attack(code)
    await attack('1 + 1')
  })
})
