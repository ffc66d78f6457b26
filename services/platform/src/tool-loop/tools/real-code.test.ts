// The code interpreter with the real sandbox: what code may do, and what it may not.
import { openSandbox } from '@atoll/sandbox/pyodide/testing/open-sandbox'
import type { Sandbox } from '@atoll/sandbox/sandbox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describePlatformOnSqlite, type TestPlatform } from '../../testing/describe-platform.ts'
import { CodeInterpreter } from './code-interpreter.ts'
import { toolContext } from './testing/tool-context.ts'

let sandbox: Sandbox
beforeAll(() => {
  sandbox = openSandbox({ limits: { cpuSeconds: 2, wallSeconds: 60 } })
})
afterAll(() => sandbox.close())

describePlatformOnSqlite('code in the sandbox', (start) => {
  const begin = async () => {
    const platform = await start()
    const { kernel, platform: parts } = platform
    const sessionBegan = () => {}
    const { db, blobs } = kernel
    return { platform, tool: new CodeInterpreter({ sandbox, db, blobs, files: parts.files, sessionBegan }) }
  }

  const call = (tool: CodeInterpreter, platform: TestPlatform, code: string, threadId: string, files: string[] = []) =>
    tool.call(
      toolContext('code_interpreter', {
        caller: platform.caller,
        threadId: `${threadId} ${platform.url}`,
        threadResources: { code_interpreter: { file_ids: files } },
      }),
      JSON.stringify({ code }),
    )

  it('AST-096 reads uploaded files, keeps its variables, writes files that can be downloaded', {
    timeout: 120_000,
  }, async () => {
    const { platform, tool } = await begin()
    const file = await platform.addFile('sales.csv', 'item,price\napple,2\npear,3\n')
    const code = [
      'import csv',
      "rows = list(csv.DictReader(open('/mnt/data/sales.csv')))",
      "total = sum(int(row['price']) for row in rows)",
      'print(len(rows))',
      'total',
    ].join('\n')
    const first = await call(tool, platform, code, 'thread_a', [file.id])
    expect(first.output).toBe('2\n5')
    const next = await call(
      tool,
      platform,
      "open('/mnt/data/total.csv', 'w').write(f'total\\n{total}\\n')",
      'thread_a',
      [file.id],
    )
    expect(next.files).toMatchObject([{ path: '/mnt/data/total.csv', isImage: false }])
    await platform.kernel.db.transaction(next.keepIn)
    const written = await platform.get(`/v1/files/${next.files[0]?.fileId}/content`)
    expect(await written.text()).toBe('total\n5\n')
    expect((await call(tool, platform, 'total', 'thread_b')).output).toContain('NameError')
  })
})

describe('hostile code', () => {
  // It comes to no file: neither database nor disk is needed.
  const nothing = { db: { queries: undefined as never }, blobs: undefined as never, files: undefined as never }
  const parts = { ...nothing, sessionBegan: () => {} }
  const run = (code: string, threadId: string) =>
    new CodeInterpreter({ ...parts, sandbox }).call(
      toolContext('code_interpreter', { threadId }),
      JSON.stringify({ code }),
    )

  it.each([
    ['loops forever', 'while True: pass', /longer than it may/],
    [
      'allocates everything',
      'x = []\nwhile True: x.append(bytearray(10_000_000))',
      /MemoryError|more memory than it may/,
    ],
    ['forks', 'import os\nos.fork()', /Error/],
    ['starts programs', "import subprocess\nprint(subprocess.run(['id']))", /Error/],
    ['reads files of the machine', "print(open('/etc/passwd').read())", /FileNotFoundError|PermissionError/],
    ['opens sockets', "import socket\nsocket.create_connection(('127.0.0.1', 22), timeout=2)", /Error/],
    ['ends its process', 'import os\nos._exit(1)', /stopped|ended|Exit|Error/],
  ])(
    'that %s gets an error to read, and other sessions do not notice',
    { timeout: 120_000 },
    async (_, hostile, words) => {
      await run('kept = 7', 'thread_kept')
      const [{ output, call: shown }, other] = await Promise.all([
        run(hostile, 'thread_hostile'),
        run('kept * 6', 'thread_kept'),
      ])
      expect(output).toMatch(words)
      expect(output).not.toContain('root:')
      expect(shown).toMatchObject({
        code_interpreter: { input: hostile, outputs: [{ type: 'logs', logs: expect.stringMatching(words) }] },
      })
      expect(other.output).toBe('42')
      expect((await run('1 + 1', 'thread_hostile')).output).toBe('2')
    },
  )

  it('is stopped when its run is', { timeout: 120_000 }, async () => {
    const tool = new CodeInterpreter({ ...parts, sandbox })
    const stop = new AbortController()
    const context = toolContext('code_interpreter', {
      threadId: 'thread_stopped',
      signal: stop.signal,
      progress: () => stop.abort(new Error('cancelled')),
    })
    await expect(tool.call(context, '{"code":"while True: pass"}')).rejects.toThrow('cancelled')
  })
})
