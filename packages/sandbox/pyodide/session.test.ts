import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Sandbox, SandboxSession } from '../sandbox.ts'
import { firstStartMs, openSandbox, runIn } from './testing/open-sandbox.ts'

let sandbox: Sandbox
let session: SandboxSession

beforeAll(async () => {
  sandbox = openSandbox()
  session = (await sandbox.session('notebook')).session
}, firstStartMs)
afterAll(() => sandbox.close())

const logs = async (code: string): Promise<string> => (await runIn(session, code)).logs

describe('a cell', () => {
  it('prints, and shows the value of its last expression', async () => {
    expect(await logs('print("one")\n1 + 1')).toBe('one\n2\n')
    expect(await logs('x = 41')).toBe('')
    expect(await logs('x += 1\nx')).toBe('42\n')
    expect(await logs('None')).toBe('')
    expect(await logs('"text"\n')).toBe("'text'\n")
    expect(await logs('')).toBe('')
  })

  it('puts standard output and error in the order they were written', async () => {
    const code = 'import sys\nprint("a", end="")\nprint("b", file=sys.stderr)\nprint("c")'
    expect(await runIn(session, code)).toMatchObject({ outputs: [{ type: 'logs', logs: 'ab\nc\n' }] })
  })

  it('prints every character, even in pieces', async () => {
    const pieces = 'import os\nfor byte in "é😀\\n".encode():\n    n = os.write(1, bytes([byte]))'
    expect(await logs(`${pieces}\nprint("\\ud800")`)).toBe('é😀\n\\ud800\n')
  })

  it('shows errors as Python words them, without frames of ours', async () => {
    expect(await logs('def half(x):\n    return 1 / x\nhalf(0)')).toBe(
      [
        'Traceback (most recent call last):',
        '  File "<cell 9>", line 3, in <module>',
        '    half(0)',
        '    ~~~~^^^',
        '  File "<cell 9>", line 2, in half',
        '    return 1 / x',
        '           ~~^~~',
        'ZeroDivisionError: division by zero\n',
      ].join('\n'),
    )
    expect(
      await logs('try:\n    half(0)\nexcept ZeroDivisionError as e:\n    raise ValueError("no") from e'),
    ).not.toMatch(/sandbox|runner/)
    expect(await logs('if True')).toMatch(/File "<cell 11>", line 1\n {4}if True\n {11}\^\nSyntaxError: expected ':'/)
  })

  it('ends with sys.exit, and the session goes on', async () => {
    expect(await logs('import sys\nprint("before")\nsys.exit("done")\nprint("after")')).toBe(
      'before\nSystemExit: done\n',
    )
    expect(await logs('x')).toBe('42\n')
  })

  it('cannot ask anybody', async () => {
    expect(await logs('input("name? ")')).toMatch(/EOFError: input\(\) has nobody to ask here/)
    expect(await logs('sys.stdin.read()')).toBe("''\n")
  })

  it('streams what it prints while it runs', async () => {
    const seen: string[] = []
    const code = 'import time\nfor n in range(3):\n    print(n)\n    time.sleep(0.05)'
    await session.run(code, { signal: new AbortController().signal, onLogs: (text) => seen.push(text) })
    expect(seen.join('')).toBe('0\n1\n2\n')
    expect(seen.length).toBeGreaterThanOrEqual(3)
  })

  it('can wait for coroutines, at its top level and with asyncio.run', async () => {
    await logs('import asyncio\nasync def later(n):\n    await asyncio.sleep(0.01)\n    return n')
    expect(await logs('await later(1)')).toBe('1\n')
    expect(await logs('asyncio.run(later(2))')).toBe('2\n')
    expect(await logs('await asyncio.gather(later(3), asyncio.to_thread(len, "four"))')).toBe('[3, 4]\n')
    expect(await logs('await asyncio.wait_for(later(5), 0.001)')).toMatch(/TimeoutError/)
  })

  it('takes its turn', async () => {
    const texts = await Promise.all(['turns = [1]', 'turns.append(2)', 'turns'].map(logs))
    expect(texts).toEqual(['', '', '[1, 2]\n'])
  })
})

describe('the world of the code', () => {
  it('is UTC, UTF-8 and random', async () => {
    expect(await logs('import datetime, time, locale\ntime.timezone, locale.getlocale()')).toBe("(0, ('C', 'UTF-8'))\n")
    const now = Number(await logs('int(datetime.datetime.now().replace(tzinfo=datetime.UTC).timestamp())'))
    expect(Math.abs(now - Date.now() / 1000)).toBeLessThan(60)
    const other = (await sandbox.session('other')).session
    expect(await logs('import random\nrandom.random()')).not.toBe(
      (await runIn(other, 'import random\nrandom.random()')).logs,
    )
    await other.close()
  })

  it('has the standard library, sqlite among it', async () => {
    const code = 'import sqlite3\ndb = sqlite3.connect("/mnt/data/db.sqlite")\ndb.execute("create table t (n)")\n'
    expect(
      await logs(
        `${code}db.execute("insert into t values (7)")\ndb.commit()\ndb.execute("select n from t").fetchall()`,
      ),
    ).toBe('[(7,)]\n')
    expect(await logs('import pickle\nclass P: pass\ntype(pickle.loads(pickle.dumps(P())))')).toBe(
      "<class '__main__.P'>\n",
    )
  })

  it('says what is not installed, and how to add it', async () => {
    const text = await logs('import numpy as np')
    expect(text).toMatch(/ModuleNotFoundError: No module named 'numpy'\nnumpy is not installed in this sandbox/)
    expect(text).toMatch(
      /put the wheel numpy-[\d.]+-cp314-\S+\.whl of Pyodide 314\.0\.7 into the sandbox's packages folder/,
    )
    expect(await logs('import surely_not')).toMatch(/put a wheel of it into the sandbox's packages folder/)
  })
})

describe('files', () => {
  it('are put into the folder that the code works in', async () => {
    await session.put({ name: 'données.csv', bytes: Buffer.from('a,b\n1,2\n') })
    expect(await logs('import os\nos.getcwd(), open("données.csv").read()')).toBe("('/mnt/data', 'a,b\\n1,2\\n')\n")
    expect((await runIn(session, 'open("/mnt/data/données.csv").read()')).files).toEqual([])
    await expect(session.put({ name: '../x', bytes: Buffer.from('') })).rejects.toThrow('is not the name of a file')
  })

  it('come back when they were written, changed or moved', async () => {
    const named = async (code: string): Promise<string[]> => (await runIn(session, code)).files.map(({ name }) => name)
    expect(await named('f = open("new.txt", "w"); f.write("1"); f.close()')).toEqual(['new.txt'])
    expect(await named('1')).toEqual([])
    expect(await named('f = open("new.txt", "r+"); f.write("2"); f.close()')).toEqual(['new.txt'])
    expect(await named('os.makedirs("out/deep"); os.rename("new.txt", "out/deep/moved.txt")')).toEqual([
      'out/deep/moved.txt',
    ])
    expect(await named('os.remove("out/deep/moved.txt"); open("/tmp/elsewhere", "w").close()')).toEqual([])
  })

  it('are images too when they are images', async () => {
    const result = await runIn(session, 'print("drawing")\nopen("plot.PNG", "wb").write(b"\\x89PNG")\nprint("done")')
    expect(result.outputs).toEqual([
      { type: 'logs', logs: 'drawing\ndone\n' },
      { type: 'image', name: 'plot.PNG', bytes: Buffer.from([0x89, 0x50, 0x4e, 0x47]) },
    ])
    expect(result.files.map(({ name }) => name)).toEqual(['plot.PNG'])
  })

  it('shows an image that is the value of a cell', async () => {
    const code = 'class Picture:\n    def _repr_png_(self): return b"png"\nprint("look")\nPicture()'
    const { outputs, files } = await runIn(session, code)
    expect(outputs).toEqual([
      { type: 'logs', logs: 'look\n' },
      { type: 'image', name: 'figure-1.png', bytes: Buffer.from('png') },
    ])
    expect(files).toEqual([])
  })
})
