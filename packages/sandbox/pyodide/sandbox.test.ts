// Sessions, their processes, and what becomes of both.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SandboxSession } from '../sandbox.ts'
import type { PythonSession } from './session.ts'
import { firstStartMs, openSandbox, runIn, testCacheFolder } from './testing/open-sandbox.ts'

const signal = new AbortController().signal
const pidOf = (session: SandboxSession): number => (session as PythonSession).pid!
const isRunning = (pid: number): boolean => existsSync(`/proc/${pid}`)
async function untilEnded(pid: number): Promise<void> {
  while (isRunning(pid)) await setTimeout(20)
}

describe('sessions', () => {
  const sandbox = openSandbox({ limits: { sessions: 2, graceSeconds: 0.1 } })
  beforeAll(async () => {
    await (await sandbox.session('first')).session.close()
  }, firstStartMs)
  afterAll(() => sandbox.close())

  it('keep what they know under their name, apart from one another', async () => {
    const [first, again] = await Promise.all([sandbox.session('a'), sandbox.session('a')])
    expect([first.isNew, again.isNew]).toEqual([true, false])
    expect(again.session).toBe(first.session)
    await runIn(first.session, 'secret = 1\nopen("secret.txt", "w").close()')
    expect((await runIn((await sandbox.session('a')).session, 'secret')).logs).toBe('1\n')
    const { session, isNew } = await sandbox.session('b')
    expect(isNew).toBe(true)
    expect((await runIn(session, 'import os\nprint(os.listdir())\nsecret')).logs).toMatch(/^\[\]\n(.*\n)*NameError/)
  })

  it('stop at once when their caller does', async () => {
    const { session } = await sandbox.session('b')
    const pid = pidOf(session)
    const controller = new AbortController()
    const onLogs = (): void => controller.abort(new Error('enough'))
    await expect(session.run('print("go")\nwhile True: pass', { signal: controller.signal, onLogs })).rejects.toThrow(
      'enough',
    )
    expect(isRunning(pid)).toBe(false)
    await expect(session.run('1', { signal })).rejects.toThrow('The session has ended.')
    expect(await sandbox.session('b')).toMatchObject({ isNew: true })
    await expect(session.run('1', { signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow()
  })

  it('make room for a new one when they are idle, the one unused longest first, and never while they work', async () => {
    const { session: idle } = await sandbox.session('a')
    const { session: busy } = await sandbox.session('b')
    const working = busy.run('import time\ntime.sleep(1)\nprint("done")', { signal })
    const third = sandbox.session('c')
    expect((await third).isNew).toBe(true)
    await expect(idle.run('1', { signal })).rejects.toThrow('The session has ended.')
    expect((await working).outputs).toEqual([{ type: 'logs', logs: 'done\n' }])
  })

  it('end, all of them, with the sandbox', async () => {
    const { session } = await sandbox.session('c')
    const pid = pidOf(session)
    await sandbox.close()
    expect(isRunning(pid)).toBe(false)
    await expect(sandbox.session('d')).rejects.toThrow('The sandbox is closed.')
  })
})

it('closes a session that nobody used for long, and then keeps no spare either', async () => {
  const sandbox = openSandbox({ limits: { idleSeconds: 0.2 } })
  try {
    const { session } = await sandbox.session('a')
    await runIn(session, '1')
    await untilEnded(pidOf(session))
    expect((await sandbox.session('a')).isNew).toBe(true)
  } finally {
    await sandbox.close()
  }
})

it('says that all sessions are at work when no place becomes free', async () => {
  const sandbox = openSandbox({ limits: { sessions: 1, placeSeconds: 0.1 } })
  try {
    const { session } = await sandbox.session('a')
    const working = session.run('while True: pass', { signal: AbortSignal.timeout(3_000) })
    await expect(sandbox.session('b')).rejects.toThrow('All Python sessions are at work')
    await expect(working).rejects.toThrow()
  } finally {
    await sandbox.close()
  }
})

it('leaves no Python behind when the server is killed, even in the middle of a loop', async () => {
  const server = fork(fileURLToPath(new URL('./testing/server-process.ts', import.meta.url)))
  const [pid] = (await once(server, 'message')) as [number]
  expect(isRunning(pid)).toBe(true)
  server.kill('SIGKILL')
  await untilEnded(pid)
})

it(
  'makes the memory that it starts from anew when what was kept is of no use',
  async () => {
    const cacheFolder = mkdtempSync(join(tmpdir(), 'atoll-python-'))
    const [kept = ''] = readdirSync(testCacheFolder)
    copyFileSync(join(testCacheFolder, kept), join(cacheFolder, kept))
    truncateSync(join(cacheFolder, kept), 1_000_000)
    writeFileSync(join(cacheFolder, `of-an-older-version.${kept.split('.')[1]}`), '')
    const sandbox = openSandbox({ cacheFolder })
    try {
      expect((await runIn((await sandbox.session('a')).session, '1 + 1')).logs).toBe('2\n')
      expect(readdirSync(cacheFolder)).toEqual([kept])
      expect(statSync(join(cacheFolder, kept)).size).toBe(statSync(join(testCacheFolder, kept)).size)
    } finally {
      await sandbox.close()
      rmSync(cacheFolder, { recursive: true })
    }
  },
  firstStartMs,
)
