// Python for the code interpreter: how soon a session answers, cold, from the kept memory and warm, and what it takes.
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { createPyodideSandbox } from '@atoll/sandbox/pyodide/create-pyodide-sandbox'
import type { Sandbox, SandboxSession } from '@atoll/sandbox/sandbox'
import { silentLog } from '@atoll/testkit/silent-log'
import { median } from './measure.ts'

const coldRounds = 3
const sessions = 4
const warmRounds = 20
const firstOutputGoalMs = 150
/** A spare is ready by then, unless the machine is very busy. */
const spareMs = 8_000

export async function bench(): Promise<void> {
  const cacheFolder = await mkdtemp(join(tmpdir(), 'atoll-bench-python-'))
  try {
    console.log(`  first use ever, start-up memory made: ${ms(await firstOutputOfNew({ cacheFolder }))}`)
    const kept: number[] = []
    for (let round = 0; round < coldRounds; round++) kept.push(await firstOutputOfNew({ cacheFolder }))
    console.log(`  first use after a restart of the server, from the kept memory: ${ms(median(kept))}`)
    await showWarm(cacheFolder)
  } finally {
    await rm(cacheFolder, { recursive: true, force: true })
  }
}

async function firstOutputOfNew(options: { cacheFolder: string }): Promise<number> {
  const sandbox = createPyodideSandbox({ log: silentLog, ...options })
  try {
    return (await firstOutput(sandbox, 'new')).time
  } finally {
    await sandbox.close()
  }
}

async function showWarm(cacheFolder: string): Promise<void> {
  const sandbox = createPyodideSandbox({ log: silentLog, cacheFolder })
  try {
    const { session } = await firstOutput(sandbox, '0')
    const again: number[] = []
    for (let round = 0; round < warmRounds; round++) again.push((await firstOutput(sandbox, '0')).time)
    console.log(
      `  a session that is there: ${ms(median(again))} (goal ${firstOutputGoalMs}), worst ${ms(Math.max(...again))}`,
    )
    const fresh: number[] = []
    const memory = [memoryOf(session)]
    for (let index = 1; index < sessions; index++) {
      await setTimeout(spareMs)
      const opened = await firstOutput(sandbox, String(index))
      fresh.push(opened.time)
      memory.push(memoryOf(opened.session))
    }
    console.log(`  a new session, from the spare process: ${ms(median(fresh))} (goal ${firstOutputGoalMs})`)
    console.log(`  memory of a session: ${median(memory).toFixed(0)} MB of its own`)
  } finally {
    await sandbox.close()
  }
}

/** From the call for a session to the first text that the code printed. */
async function firstOutput(sandbox: Sandbox, name: string): Promise<{ session: SandboxSession; time: number }> {
  const began = performance.now()
  const { session } = await sandbox.session(name)
  let time = Number.NaN
  const onLogs = (): void => {
    if (Number.isNaN(time)) time = performance.now() - began
  }
  await session.run('print(sum(range(1000)))', { signal: new AbortController().signal, onLogs })
  return { session, time }
}

/** What nobody shares with it. */
function memoryOf(session: SandboxSession): number {
  const { pid } = session as SandboxSession & { pid: number }
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const kilobytes = [...text.matchAll(/^Private_(?:Clean|Dirty):\s+(\d+) kB/gm)].map(([, count]) => Number(count))
  return kilobytes.reduce((sum, count) => sum + count, 0) / 1000
}

const ms = (value: number): string => `${value.toFixed(0)} ms`
