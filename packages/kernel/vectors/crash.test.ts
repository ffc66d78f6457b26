import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { sqliteTarget } from '@atoll/testkit/both-targets'
import { expect, it } from 'vitest'
import type { Step } from './testing/crash-child.ts'
import { chunksFrom, direction } from './testing/directions.ts'
import { storeOpener } from './testing/stores.ts'

const rounds = process.env.ATOLL_TEST_LONG === '1' ? 50 : 3
const child = fileURLToPath(new URL('./testing/crash-child.ts', import.meta.url))
const chunksPerOwner = 25
const open = storeOpener()

/** What must be there and what must not; owners in between are in neither. */
class Acknowledged {
  readonly added = new Set<number>()
  readonly removed = new Set<number>()
  last = -1

  hear(step: Step): void {
    if ('added' in step) this.added.add(step.added)
    else if ('removed' in step) this.removed.add(step.removed)
    else {
      this.added.delete(step.begun)
      this.last = Math.max(this.last, step.begun)
    }
  }
}

async function runAndKill(folder: string, steps: number, heard: Acknowledged): Promise<void> {
  const args = [child, folder, String(heard.last + 1)]
  const running = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(running, 'exit')
  let told = 0
  for await (const line of createInterface(running.stdout)) {
    heard.hear(JSON.parse(line))
    if (++told === steps) running.kill('SIGKILL')
  }
  expect(await exited).toEqual([null, 'SIGKILL'])
}

it(`finds every acknowledged chunk and none that was removed, killed ${rounds} times`, {
  timeout: 60_000 + rounds * 20_000,
}, async () => {
  const target = await sqliteTarget()
  if (target.kind !== 'sqlite') throw new Error('this test is about the embedded database')
  const { folder } = target
  const options = { settings: { indexFrom: 50 }, folder: join(folder, 'vectors') }
  await (await open(target, options)).close()
  const heard = new Acknowledged()
  for (let round = 0; round < rounds; round++) {
    await runAndKill(folder, randomInt(5, 80), heard)
    const store = await open(target, options)
    store.vectors.start()
    for (const owner of heard.added) {
      expect(await store.vectors.countOf('vs', `owner${owner}`)).toBe(chunksPerOwner)
      const ordinal = randomInt(chunksPerOwner)
      const [best] = await store.near('vs', direction(owner * chunksPerOwner + ordinal), 1)
      const [expected] = chunksFrom(owner * chunksPerOwner + ordinal, 1)
      expect(best).toMatchObject({ owner: `owner${owner}`, ordinal, text: expected!.text })
    }
    for (const owner of heard.removed) {
      const hits = await store.near('vs', direction(owner * chunksPerOwner), 1)
      expect(hits.map((hit) => hit.owner)).not.toContain(`owner${owner}`)
    }
    await store.vectors.settle('vs')
    expect(await store.db.queries.selectFrom('vector_removals').selectAll().execute()).toEqual([])
    await store.close()
  }
  expect(heard.added.size).toBeGreaterThan(0)
})
