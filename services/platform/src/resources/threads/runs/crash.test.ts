// Runs whose server is killed again and again: each comes to its end, and nothing of it is there twice.
import { describeBothTargets } from '@atoll/testkit/both-targets'
import { tempDir } from '@atoll/testkit/temp-dir'
import { expect, it } from 'vitest'
import { checkRun, type Named, newAssistants, runToEnd } from './testing/killed-run.ts'
import { KilledServer } from './testing/killed-server.ts'
import { KilledWork, patienceMs } from './testing/killed-work.ts'

const isLong = process.env.ATOLL_TEST_LONG === '1'
const kills = isLong ? 25 : 2
const runs = isLong ? 100 : 6
/** Every so many of them search and run code too; Python takes a while to start. */
const equippedEvery = isLong ? 1 : 6
const longestLifeMs = isLong ? 3_000 : 1_000

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
      const all = new KilledWork(server, runs, (at) => runToEnd(server, named[at] as Named))
      await all.run({ kills, longestLifeMs })
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
