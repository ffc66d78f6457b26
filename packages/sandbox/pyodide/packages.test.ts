// Wheels from a folder. The wheels are made in a sandbox too: Python can write zip files.
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Sandbox, SandboxSession } from '../sandbox.ts'
import { firstStartMs, openSandbox, runIn } from './testing/open-sandbox.ts'

const folder = mkdtempSync(join(tmpdir(), 'atoll-wheels-'))
let sandbox: Sandbox
let session: SandboxSession

const makeWheels = `
import zipfile
def wheel(name, version, files, needs=()):
    info = f"{name}-{version}.dist-info"
    files = {**files,
      f"{info}/METADATA": f"Metadata-Version: 2.1\\nName: {name}\\nVersion: {version}\\n" + "".join(f"Requires-Dist: {n}\\n" for n in needs),
      f"{info}/WHEEL": "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"}
    files[f"{info}/RECORD"] = "".join(f"{path},,\\n" for path in [*files, f"{info}/RECORD"])
    with zipfile.ZipFile(f"{name}-{version}-py3-none-any.whl", "w") as archive:
        for path, text in files.items(): archive.writestr(path, text)

wheel("greeting_words", "1.0", {"greetings/__init__.py": "from base_words import word\\ndef greet(name): return f'{word}, {name}'\\n"},
      ["Base-Words (>=1.0)", "pytest; extra == 'test'"])
wheel("base_words", "1.1", {"base_words.py": "word = 'Hello'\\n"})
library = b"\\0asm\\1\\0\\0\\0" + b"\\0\\x0f\\x08dylink.0\\x01\\x04\\0\\0\\0\\0"
wheel("with_library", "1.0", {"with_library/__init__.py": "", "with_library/native.so": library})
wheel("late", "1.0", {"late.py": "word = 'late'\\n"})
wheel("six", "1", {"six.py": "PY3 = True\\n"})
wheel("python_dateutil", "1", {"dateutil/__init__.py": "import six\\nknown = six.PY3\\n"})
wheel("matplotlib", "9.9", {
    "matplotlib/__init__.py": "",
    "matplotlib/backends/__init__.py": "",
    "matplotlib/backends/backend_agg.py": "class FigureCanvasAgg: pass\\n",
    "matplotlib/pyplot.py": '''
import importlib, os
figures = {}
class Figure:
    def __init__(self, text): self.text = text
    def savefig(self, file, format, bbox_inches): file.write(self.text.encode())
def plot(text): figures[len(figures) + 1] = Figure(text)
def get_fignums(): return sorted(figures)
def figure(number): return figures[number]
def close(which): figures.clear()
def show(): importlib.import_module(os.environ["MPLBACKEND"].removeprefix("module://")).show()
'''})
`

/** What Pyodide's own list calls the wheel of a package. */
function listedFile(name: string): string {
  const list = readFileSync(new URL(import.meta.resolve('pyodide/pyodide-lock.json')), 'utf8')
  return JSON.parse(list).packages[name].file_name
}

beforeAll(async () => {
  const maker = openSandbox()
  const { files } = await runIn((await maker.session('maker')).session, makeWheels)
  await maker.close()
  expect(files).toHaveLength(7)
  const known = { 'six-1': 'six', 'python_dateutil-1': 'python-dateutil' }
  for (const { name, bytes } of files) {
    const renamed = Object.entries(known).find(([start]) => name.startsWith(start))
    writeFileSync(join(folder, renamed ? listedFile(renamed[1]) : name), bytes)
  }
  writeFileSync(join(folder, 'broken-1.0-py3-none-any.whl'), 'no zip file')
  chmodSync(folder, 0o755)
  sandbox = openSandbox({ packagesFolder: folder, limits: { fileCount: 20 } })
  session = (await sandbox.session('a')).session
}, firstStartMs)
afterAll(async () => {
  await sandbox.close()
  rmSync(folder, { recursive: true })
})

it('imports a wheel by name, and what it needs with it', async () => {
  const { logs, files } = await runIn(session, 'from greetings import greet\ngreet("world")')
  expect(logs).toBe("'Hello, world'\n")
  expect(files).toEqual([])
})

it("imports a wheel of Pyodide's own list, and what that says it needs", async () => {
  expect((await runIn(session, 'import dateutil\ndateutil.known')).logs).toBe('True\n')
})

it('imports a wheel for a module that was put beside the data', async () => {
  const other = (await sandbox.session('b')).session
  await other.put({ name: 'own.py', bytes: Buffer.from('import base_words\nword = base_words.word.upper()') })
  expect((await runIn(other, 'import own\nown.word')).logs).toBe("'HELLO'\n")
})

it('loads the libraries of a wheel, and no others', async () => {
  const where = '/lib/python3.14/site-packages/with_library/native.so'
  const load = (path: string): string => `import ctypes, with_library\nprint(ctypes.CDLL("${path}")._name)`
  expect((await runIn(session, load(where))).logs).toBe(`${where}\n`)
  const copied = `import shutil\nprint(shutil.copy("${where}", "/tmp/own.so"))`
  expect((await runIn(session, copied)).logs).toBe('/tmp/own.so\n')
  expect((await runIn(session, load('/tmp/own.so'))).logs).toMatch(/OSError: .*no code can be added to Python/s)
})

it("uses nothing of the session's own to install a wheel, so that nothing can be hidden in it", async () => {
  const changed = `
import shutil, sys, zipfile
seen = []
def spy(*args, **kwargs): seen.append([name for name in ("js", "pyodide_js", "pyodide") if name in sys.modules])
zipfile.ZipFile.__init__ = zipfile.ZipFile.extractall = shutil.unpack_archive = spy`
  await runIn(session, changed)
  expect((await runIn(session, 'import late\nlate.word, seen')).logs).toBe("('late', [])\n")
  expect((await runIn(session, 'import pyodide_js')).logs).toMatch(/No module named 'pyodide_js'/)
})

it('says what is in no wheel', async () => {
  expect((await runIn(session, 'import numpy')).logs).toMatch(/numpy is not installed in this sandbox/)
  expect((await runIn(session, 'import broken')).logs).toMatch(/No module named 'broken'/)
})

// Stands in for the real one, whose wheel is on no test machine: it asks its backend to show, as that does.
it('shows figures of matplotlib as images, when they are shown and at the end of a cell', async () => {
  const code =
    'from matplotlib import pyplot as plt\nplt.plot("one")\nprint("a")\nplt.show()\nprint("b")\nplt.plot("two")'
  expect(await runIn(session, code)).toMatchObject({
    outputs: [
      { type: 'logs', logs: 'a\n' },
      { type: 'image', name: 'figure-1.png', bytes: Buffer.from('one') },
      { type: 'logs', logs: 'b\n' },
      { type: 'image', name: 'figure-2.png', bytes: Buffer.from('two') },
    ],
    files: [],
  })
})
