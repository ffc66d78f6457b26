import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createKernel } from '@atoll/kernel/create-kernel'
import { silentLog } from '@atoll/testkit/silent-log'
import { tempDir } from '@atoll/testkit/temp-dir'
import { expect, it } from 'vitest'
import { openCore } from '../../core.ts'
import { clusterMigrations } from '../../migrations.ts'
import type { Step } from '../../testing/modules-crash-child.ts'

const rounds = process.env.ATOLL_TEST_LONG === '1' ? 40 : 2
const release = '7.8.2'
const child = fileURLToPath(new URL('../../testing/modules-crash-child.ts', import.meta.url))

interface Heard {
  kept: Set<string>
  gone: Set<string>
}

/** Lets the child tell `steps` steps, kills it at once, and hears what it had still told. */
async function runAndKill(folder: string, steps: number, { kept, gone }: Heard): Promise<void> {
  const running = spawn(process.execPath, [child, folder, release], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(running, 'exit')
  let told = 0
  for await (const line of createInterface(running.stdout)) {
    const step: Step = JSON.parse(line)
    if ('kept' in step) kept.add(step.kept)
    else if ('going' in step) kept.delete(step.going)
    else gone.add(step.gone)
    if (++told === steps) running.kill('SIGKILL')
  }
  expect(await exited).toEqual([null, 'SIGKILL'])
}

async function checkAfter(folder: string, { kept, gone }: Heard): Promise<void> {
  const config = { data: folder, database: { poolSize: 1 }, blobs: {} }
  const kernel = await createKernel({ config, log: silentLog, migrations: clusterMigrations })
  const passwordCost = { N: 2, r: 8, p: 1 }
  const settings = { name: 'crash', release, host: '127.0.0.1' }
  const { modules, audit, actions } = await openCore({ kernel, config: settings, passwordCost })
  await kernel.start()
  const found = await modules.list()
  for (const module of found) expect(await modules.isWhole(module), module.uid).toBe(true)
  const uids = new Set(found.map(({ uid }) => uid))
  for (const uid of kept) expect(uids).toContain(uid)
  for (const uid of gone) expect(uids).not.toContain(uid)
  expect(readdirSync(join(folder, 'cluster/modules')).sort()).toEqual([...uids].sort())
  for await (const { key } of kernel.blobs.list()) expect.fail(`${key} was left`)
  expect(await actions.running()).toEqual([])
  expect(await audit.verify()).toMatchObject({ intact: true })
  await kernel.close()
}

it(`modules that were taken in are whole, and none is half there, after ${rounds} kills`, {
  timeout: 60_000 + rounds * 30_000,
}, async () => {
  const folder = await tempDir()
  const heard: Heard = { kept: new Set(), gone: new Set() }
  for (let round = 0; round < rounds; round++) {
    await runAndKill(folder, randomInt(1, 40), heard)
    await checkAfter(folder, heard)
  }
  expect(heard.kept.size).toBeGreaterThan(0)
})
