// The process that trains, killed at random instants.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { writeRandomModel } from '@atoll/models/testing/random-gguf'
import { tempDir } from '@atoll/testkit/temp-dir'
import { expect, it, vi } from 'vitest'
import type { TuningEvent, TuningRequest } from './protocol.ts'
import { tune } from './tune.ts'

const isLong = process.env.ATOLL_TEST_LONG === '1'
const kills = isLong ? 50 : 3
const epochs = isLong ? 40 : 8

async function requestOf(folder: string, name: string): Promise<TuningRequest> {
  const own = join(folder, name)
  mkdirSync(own)
  return {
    ...{ base: join(folder, 'model.gguf'), training: join(folder, 'examples.jsonl'), validation: undefined },
    ...{
      epochs,
      batchSize: 2,
      rateMultiplier: 1,
      seed: 5,
      reminds: true,
      threads: 2,
      niceness: 0,
      folder: own,
      name: 'one',
    },
  }
}

/** The process whose command line names the folder. */
function processIn(folder: string): number | undefined {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const found = ids.find((id) => {
    try {
      return readFileSync(`/proc/${id}/cmdline`, 'utf8').includes(`"folder":"${folder}"`)
    } catch {
      return false
    }
  })
  return found === undefined ? undefined : Number(found)
}

interface KillAt {
  kind: TuningEvent['kind']
  /** So many of the kind. */
  count: number
}

/** Kills it then. The steps it had done at its start, and whether it came to its end. */
async function run(request: TuningRequest, at?: KillAt): Promise<{ begun: number; isDone: boolean }> {
  const outcome = { begun: 0, isDone: false }
  let seen = 0
  const { signal } = new AbortController()
  try {
    for await (const event of tune(request, { signal, onLog: (line) => console.error(line) })) {
      if (event.kind === 'began') outcome.begun = event.doneSteps.length
      if (event.kind === 'done') outcome.isDone = true
      const pid = event.kind === at?.kind && ++seen === at.count ? processIn(request.folder) : undefined
      if (pid !== undefined) process.kill(pid, 'SIGKILL')
    }
  } catch (error) {
    expect((error as Error).message).toContain('it ended with SIGKILL')
  }
  return outcome
}

/** With a model and examples in it. */
async function prepared(): Promise<string> {
  const folder = await tempDir()
  writeRandomModel(join(folder, 'model.gguf'), { layers: 2, width: 64, heads: 4, sharedHeads: 2 })
  const lines = ['a sea', 'the sun', 'on it', 'in an inn', 'as well', 'he is', 'all of us', 'the end', 'an art', 'so']
  const example = (content: string) => ({
    messages: [
      { role: 'user', content },
      { role: 'assistant', content: 'yes' },
    ],
  })
  writeFileSync(join(folder, 'examples.jsonl'), lines.map((line) => JSON.stringify(example(line))).join('\n'))
  return folder
}

it('tells nothing more once it is aborted, however many steps wait to be told', async () => {
  const request = { ...(await requestOf(await prepared(), 'aborted')), epochs: 2 }
  const stop = new AbortController()
  const told: string[] = []
  const follow = async (): Promise<void> => {
    for await (const event of tune(request, { signal: stop.signal, onLog: (line) => console.error(line) })) {
      told.push(event.kind)
      if (event.kind !== 'step') continue
      // All that is left to tell comes meanwhile.
      await vi.waitUntil(() => existsSync(join(request.folder, 'epoch-2.gguf')), { timeout: 60_000, interval: 20 })
      await setTimeout(100)
      stop.abort(new Error('nobody follows'))
    }
  }
  await expect(follow()).rejects.toThrow('nobody follows')
  expect(told.filter((kind) => kind === 'step' || kind === 'epoch')).toEqual(['step'])
}, 120_000)

it(
  `ends with the same weights when it was killed ${kills} times`,
  async () => {
    const folder = await prepared()
    const whole = await requestOf(folder, 'whole')
    expect(await run(whole)).toEqual({ begun: 0, isDone: true })

    const killed = await requestOf(folder, 'killed')
    const rounds: { killedAt: string; begunAfterStep: number }[] = []
    for (let kill = 0; kill < kills; kill++) {
      // Before it has loaded anything, at its beginning, in the midst of an epoch, at its end, while it writes.
      const atStart: KillAt = { kind: kill % 8 === 0 ? 'validated' : 'began', count: 1 }
      const at: KillAt = kill % 4 === 0 ? atStart : { kind: 'step', count: 1 + ((7 * kill) % 8) }
      const outcome = await run(killed, at)
      expect(outcome.isDone).toBe(false)
      rounds.push({ killedAt: `${at.kind} ${at.count}`, begunAfterStep: outcome.begun })
    }
    expect(await run(killed)).toMatchObject({ isDone: true })
    expect(Math.max(...rounds.map(({ begunAfterStep }) => begunAfterStep))).toBeGreaterThan(0)
    const adapter = (request: TuningRequest): Buffer => readFileSync(join(request.folder, `epoch-${epochs}.gguf`))
    if (isLong) console.table(rounds)
    expect(adapter(killed).equals(adapter(whole))).toBe(true)
  },
  isLong ? 1_800_000 : 120_000,
)
