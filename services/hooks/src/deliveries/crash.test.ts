// Kills the gateway at any instant: what was accepted runs to its end, has its effect once, and keeps its order.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describeBothTargets } from '@atoll/testkit/both-targets'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterEach, expect, it } from 'vitest'
import { startHooks } from '../testing/hooks-server.ts'

const rounds = process.env.ATOLL_TEST_LONG === '1' ? 100 : 2
const senders = 8
const token = 'token-of-the-crash-test'
const child = fileURLToPath(new URL('../testing/crash-child.ts', import.meta.url))
const running: ChildProcess[] = []
afterEach(() => {
  for (const one of running.splice(0)) one.kill('SIGKILL')
})

async function startChild(...args: string[]): Promise<{ url: string; idle: Promise<unknown>; kill(): Promise<void> }> {
  const started = spawn(process.execPath, [child, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  running.push(started)
  const exited = once(started, 'exit')
  const lines = createInterface(started.stdout)
  const [url] = (await once(lines, 'line')) as [string]
  const idle = once(lines, 'line')
  const kill = async () => {
    started.kill('SIGKILL')
    await exited
  }
  return { url, idle, kill }
}

/** Sends until the gateway is gone; what was answered is written down. */
async function send(url: string, session: string, accepted: string[]): Promise<void> {
  for (let n = 0; ; n++) {
    const isWake = n % 5 === 4
    const body = JSON.stringify(isWake ? { text: `${session} ${n}` } : { message: `${n}`, sessionKey: session })
    // With and without a key: what cannot be a duplicate is written another way.
    const key = n % 2 === 0 ? { 'idempotency-key': crypto.randomUUID() } : {}
    const headers = { authorization: `Bearer ${token}`, ...key }
    const path = isWake ? 'wake' : 'agent'
    const answer = await fetch(`${url}/hooks/${path}`, { method: 'POST', headers, body }).catch(() => undefined)
    const text = await answer?.json().catch(() => undefined)
    if (text === undefined) return
    expect(answer?.status, JSON.stringify(text)).toBe(isWake ? 200 : 202)
    if (!isWake) accepted.push((text as { runId: string }).runId)
  }
}

describeBothTargets(`deliveries, after ${rounds} kills`, (newTarget) => {
  it('have all ended, each with one effect, in the order of their session', { timeout: rounds * 60_000 }, async () => {
    const target = await newTarget()
    const folder = target.kind === 'sqlite' ? target.folder : await tempDir()
    const accepted: string[] = []
    for (let round = 0; round < rounds; round++) {
      const { url, kill } = await startChild(folder, token, ...(target.kind === 'postgres' ? [target.url] : []))
      const sending = Array.from({ length: senders }, (_, i) => send(url, `session-${i % 4}`, accepted))
      // On a busy machine the first answer may take longer than the pause.
      const before = accepted.length
      await expect.poll(() => accepted.length, { timeout: 30_000 }).toBeGreaterThan(before)
      await pause(Math.random() * 400)
      await kill()
      await Promise.all(sending)
    }
    expect(accepted.length).toBeGreaterThan(0)
    const { idle, kill } = await startChild(folder, token, ...(target.kind === 'postgres' ? [target.url] : []))
    await idle
    await kill()
    await check(() => startHooks(newTarget, { after: { target, folder } }), accepted)
  })
})

async function check(start: () => ReturnType<typeof startHooks>, accepted: readonly string[]): Promise<void> {
  const server = await start()
  const { desk } = server.hooks
  const all = await desk.list({ limit: 100_000, order: 'asc' })
  expect([...new Set(all.map(({ state }) => state))]).toEqual(['succeeded'])
  const ids = new Set(all.map(({ id }) => id))
  for (const id of accepted) expect(ids).toContain(id)
  for (const { id } of all) {
    const effects = (await desk.events(id)).filter(({ type }) => type === 'effect')
    expect(effects, id).toHaveLength(1)
  }
  const sessions = Map.groupBy(all, ({ action }) => (action?.kind === 'agent' ? action.sessionKey : 'wakes'))
  for (const records of sessions.values()) {
    const ends = records.map(({ endedAt }) => endedAt ?? 0)
    expect(ends).toEqual([...ends].sort((one, other) => one - other))
  }
  await server.close()
}
