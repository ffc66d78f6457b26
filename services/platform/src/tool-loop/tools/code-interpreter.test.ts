import {
  type Sandbox,
  type SandboxFile,
  SandboxProblem,
  type SandboxResult,
  type SandboxSession,
} from '@atoll/sandbox/sandbox'
import { describe, expect, it } from 'vitest'
import { describePlatformOnSqlite, type TestPlatform } from '../../testing/describe-platform.ts'
import { CodeInterpreter } from './code-interpreter.ts'
import { toolContext } from './testing/tool-context.ts'

type Script = (code: string) => Partial<SandboxResult>

/** A sandbox that gives what it is told to: for what Python does not do at will. */
class ScriptedSandbox implements Sandbox {
  readonly sessions = new Map<string, SandboxSession & { files: SandboxFile[] }>()
  readonly #script: Script

  constructor(script: Script = () => ({})) {
    this.#script = script
  }

  async session(name: string) {
    const known = this.sessions.get(name)
    if (known !== undefined) return { session: known, isNew: false }
    const files: SandboxFile[] = []
    const session = {
      folder: '/mnt/data',
      files,
      put: async (file: SandboxFile) => {
        if (file.name === 'refused.csv')
          throw new SandboxProblem('The file refused.csv could not be put into the sandbox: no space.')
        files.push(file)
      },
      run: async (code: string) => {
        const result = { outputs: [], files: [], ...this.#script(code) }
        if (result.stopped !== undefined) this.sessions.delete(name)
        return result
      },
      close: async () => undefined,
    }
    this.sessions.set(name, session)
    return { session, isNew: true }
  }

  async close() {}
}

const png = new Uint8Array([137, 80, 78, 71])
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const run = JSON.stringify({ code: 'run()' })

function interpreter({ kernel, platform }: TestPlatform, sandbox: Sandbox): CodeInterpreter {
  return new CodeInterpreter({
    sandbox,
    db: kernel.db,
    blobs: kernel.blobs,
    files: platform.files,
    sessionBegan: () => {},
  })
}

const codeFiles = (...file_ids: string[]) => ({ code_interpreter: { file_ids } })

describePlatformOnSqlite('code_interpreter', (start) => {
  it('AST-096 tells what it runs, then what came of it', async () => {
    const platform = await start()
    const tool = interpreter(platform, new ScriptedSandbox(() => ({ outputs: [{ type: 'logs', logs: '2\n' }] })))
    const context = toolContext('code_interpreter', { caller: platform.caller })
    const { call, output, files } = await tool.call(context, '{"code":"print(1 + 1)"}')
    expect(call).toEqual({
      id: 'call_1',
      type: 'code_interpreter',
      code_interpreter: { input: 'print(1 + 1)', outputs: [{ type: 'logs', logs: '2\n' }] },
    })
    expect(context.told).toEqual([
      { id: 'call_1', type: 'code_interpreter', code_interpreter: { input: 'print(1 + 1)', outputs: [] } },
      call,
    ])
    expect(output).toBe('2')
    expect(files).toEqual([])
  })

  it('keeps what code wrote once the step is recorded, and not before', async () => {
    const platform = await start()
    const result = {
      outputs: [
        { type: 'logs' as const, logs: 'done\n' },
        { type: 'image' as const, name: 'shown.png', bytes: png },
      ],
      files: [
        { name: 'table.csv', bytes: bytes('a,b\n1,2\n') },
        { name: 'chart.png', bytes: png },
        { name: 'other.png', bytes: bytes('other') },
      ],
    }
    const tool = interpreter(platform, new ScriptedSandbox(() => result))
    const { call, output, files, keepIn } = await tool.call(
      toolContext('code_interpreter', { caller: platform.caller }),
      run,
    )
    expect(files).toMatchObject([
      // Shown and written alike: one file.
      { path: '/mnt/data/chart.png', isImage: true },
      { path: '/mnt/data/table.csv', isImage: false },
      { path: '/mnt/data/other.png', isImage: true },
    ])
    const [chart, table, other] = files.map(({ fileId }) => fileId)
    expect(call).toMatchObject({
      code_interpreter: {
        outputs: [
          { type: 'logs', logs: 'done\n' },
          { type: 'image', image: { file_id: chart } },
          { type: 'image', image: { file_id: other } },
        ],
      },
    })
    expect(output).toContain('[table.csv](sandbox:/mnt/data/table.csv)')
    expect((await platform.get(`/v1/files/${table}`)).status).toBe(404)
    await platform.kernel.db.transaction(keepIn)
    expect(await (await platform.get(`/v1/files/${table}`)).json()).toMatchObject({
      id: table,
      filename: 'table.csv',
      bytes: 8,
      purpose: 'assistants_output',
    })
    expect(await (await platform.get(`/v1/files/${table}/content`)).text()).toBe('a,b\n1,2\n')
    expect((await (await platform.get('/v1/files')).json()).data).toHaveLength(3)
  })

  it('puts files in once for a session, later ones when they come, all again into a new session', async () => {
    const platform = await start()
    const [first, second, same] = [
      await platform.addFile('data.csv', 'one'),
      await platform.addFile('notes.txt', 'two'),
      await platform.addFile('data.csv', 'three'),
    ]
    const sandbox = new ScriptedSandbox((code) => (code === 'die()' ? { stopped: 'died' } : {}))
    const tool = interpreter(platform, sandbox)
    const call = (code: string, ...threadFiles: string[]) =>
      tool.call(
        toolContext('code_interpreter', {
          caller: platform.caller,
          assistantResources: codeFiles(first.id),
          threadResources: codeFiles(first.id, ...threadFiles),
        }),
        JSON.stringify({ code }),
      )
    const put = () => [...sandbox.sessions.values()].flatMap(({ files }) => files.map(({ name }) => name))
    await call('x = 1')
    expect(put()).toEqual(['data.csv'])
    await call('x', second.id, same.id)
    expect(put()).toEqual(['data.csv', 'notes.txt', `${same.id}-data.csv`])
    const { output } = await call('die()', second.id, same.id)
    expect(output).toContain('Files that were uploaded will be there again.')
    await call('x', second.id)
    expect(put()).toEqual(['data.csv', 'notes.txt'])
    const other = toolContext('code_interpreter', { caller: platform.caller, threadId: 'thread_2' })
    await tool.call(other, run)
    expect([...sandbox.sessions.keys()]).toEqual(['thread_1 asst_1', 'thread_2 asst_1'])
  })

  it('says which files are not there', async () => {
    const platform = await start()
    const refused = await platform.addFile('refused.csv', 'x')
    const assistantResources = codeFiles('file-gone', refused.id)
    const tool = interpreter(platform, new ScriptedSandbox())
    const context = toolContext('code_interpreter', { caller: platform.caller, assistantResources })
    const { output } = await tool.call(context, run)
    expect(output).toContain('file-gone was deleted')
    expect(output).toContain('refused.csv could not be put into the sandbox: no space.')
    const { description } = await tool.definition(context)
    expect(description).toContain('Files: /mnt/data/refused.csv')
    expect(description).not.toContain('file-gone')
  })
})

describe('what the model reads of code', () => {
  const nothing = { db: { queries: undefined as never }, blobs: undefined as never, files: undefined as never }
  const parts = { ...nothing, sessionBegan: () => {} }
  const answer = async (script: Script, args = run, outputTokens = 100_000) => {
    const tool = new CodeInterpreter({ ...parts, sandbox: new ScriptedSandbox(script) })
    return tool.call(toolContext('code_interpreter', { outputTokens }), args)
  }

  it('has the end of what was printed, and a word on files when the session is gone', async () => {
    const logs = 'partial\nThe code was stopped: it ran too long.\n'
    const { output, call } = await answer(() => ({ outputs: [{ type: 'logs', logs }], stopped: 'time' }))
    expect(output).toBe(`${logs}Files that were uploaded will be there again.`)
    expect(call).toMatchObject({ code_interpreter: { outputs: [{ type: 'logs', logs: `${output}\n` }] } })
  })

  it('is shortened: more for the model than for the step', async () => {
    const logs = `begin ${'x'.repeat(200_000)} end`
    const { output, call } = await answer(() => ({ outputs: [{ type: 'logs', logs }] }))
    expect(output.length).toBeLessThanOrEqual(8 * 1024)
    expect(output).toMatch(/^begin(?:.|\n)* end$/)
    const shown = call.type === 'code_interpreter' ? call.code_interpreter.outputs : []
    expect(JSON.stringify(shown).length).toBeLessThan(66 * 1024)
    const small = await answer(() => ({ outputs: [{ type: 'logs', logs }] }), run, 300)
    expect(small.output.length).toBeLessThanOrEqual(900)
  })

  it('comes from a new session when the old one was just closed', async () => {
    let runs = 0
    const closedOnce: Script = () => {
      if (runs++ === 0) throw new SandboxProblem('The session has ended.')
      return { outputs: [{ type: 'logs', logs: 'ran' }] }
    }
    expect((await answer(closedOnce)).output).toBe('ran')
    const never: Script = () => {
      throw new SandboxProblem('All places are taken.')
    }
    expect((await answer(never)).output).toBe('The code was not run: All places are taken.')
  })

  it('is never nothing', async () => {
    expect((await answer(() => ({}))).output).toBe('The code ran and printed nothing.')
    expect((await answer(() => ({}), '{}')).output).toContain('No code was given')
  })
})
