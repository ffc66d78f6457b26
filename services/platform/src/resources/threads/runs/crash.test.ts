// Runs whose server is killed again and again: each comes to its end, and nothing of it is there twice.
import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { describeBothTargets } from '@atoll/testkit/both-targets'
import { tempDir } from '@atoll/testkit/temp-dir'
import { expect, it } from 'vitest'
import { waitUntil } from '../../../testing/wait-until.ts'
import type { RunObject } from './schema.ts'
import { checkRun, type Named, newAssistants, runToEnd } from './testing/killed-run.ts'
import { KilledServer } from './testing/killed-server.ts'

const isLong = process.env.ATOLL_TEST_LONG === '1'
const kills = isLong ? 25 : 2
const runs = isLong ? 100 : 10
/** Every so many of them search and run code too; Python takes a while to start. */
const equippedEvery = isLong ? 1 : 5
const runsAtOnce = 6
const firstLifeMs = 1_500
/** From when the next run has ended. */
const longestLifeMs = isLong ? 3_000 : 1_000
/** A run that was interrupted five times is given up. */
const mostKillsOfOne = 4
const patienceMs = 120_000

/** Runs so many at a time, and knows how far they are. */
class Runs {
  readonly #server: KilledServer
  readonly #named: readonly Named[]
  /** Those under way, with how many kills have met each. */
  readonly #open = new Map<number, number>()
  readonly ended: RunObject[] = []
  #begun = 0
  #endedCount = 0
  met = 0

  constructor(server: KilledServer, named: readonly Named[]) {
    this.#server = server
    this.#named = named
  }

  async run(): Promise<void> {
    await Promise.all(Array.from({ length: runsAtOnce }, () => this.#work()))
  }

  /** Until one more has ended, and until the next kill is not one too many for any. */
  async progress(): Promise<void> {
    const before = this.#endedCount
    const isOver = (): boolean => this.#endedCount === this.#named.length
    const isReady = (): boolean =>
      this.#endedCount > before && [...this.#open.values()].every((count) => count < mostKillsOfOne)
    await waitUntil(() => isOver() || isReady(), patienceMs)
  }

  async kill(): Promise<void> {
    await this.#server.kill()
    for (const [at, count] of this.#open) this.#open.set(at, count + 1)
    this.met += this.#open.size
    await this.#server.start()
  }

  async #work(): Promise<void> {
    while (this.#begun < this.#named.length) {
      const at = this.#begun++
      this.#open.set(at, 0)
      this.ended[at] = await runToEnd(this.#server, this.#named[at] as Named)
      this.#open.delete(at)
      this.#endedCount++
    }
  }
}

/** Of all that code has written there is exactly what the answers link to. */
async function checkFiles(server: KilledServer, linked: readonly string[]): Promise<void> {
  const path = '/v1/files?purpose=assistants_output&limit=1000'
  const { answer } = await server.ask<{ data: { id: string }[] }>('GET', path)
  expect(answer.data.map(({ id }) => id).sort()).toEqual([...linked].sort())
}

describeBothTargets('runs of a server that is killed', (newTarget) => {
  it(`go on after the restart: none stuck, no message doubled, no accepted output asked for again, no written file doubled (${runs} runs, ${kills} times kill -9)`, {
    timeout: 2 * patienceMs + kills * 30_000,
  }, async () => {
    const target = await newTarget()
    const server = new KilledServer(target, target.kind === 'sqlite' ? target.folder : await tempDir())
    await server.start()
    try {
      const { plain, equipped } = await newAssistants(server)
      const named = Array.from({ length: runs }, (_, index): Named => {
        const hasOwnTools = index % equippedEvery === 0
        return { name: `thing-${index}`, assistantId: hasOwnTools ? equipped : plain, hasOwnTools }
      })
      const all = new Runs(server, named)
      const running = all.run()
      for (let killed = 0; killed < kills; killed++) {
        if (killed > 0) await Promise.race([all.progress(), running])
        await pause(randomInt(killed === 0 ? firstLifeMs : longestLifeMs))
        await all.kill()
      }
      await running
      const written: string[] = []
      for (const [index, run] of all.ended.entries())
        written.push(...(await checkRun(server, run, named[index] as Named)))
      expect(written).toHaveLength(named.filter(({ hasOwnTools }) => hasOwnTools).length)
      await checkFiles(server, written)
      console.info(
        `runs, ${target.kind}: ${kills} kills, ${runs} runs (${written.length} with searches and code), ${all.met} times one under way at a kill, ` +
          '0 stuck, 0 messages doubled, 0 outputs asked for again, 0 files doubled',
      )
    } finally {
      await server.kill()
    }
  })
})
