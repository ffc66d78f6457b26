import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describeBothTargets } from '@atoll/testkit/both-targets'
import { silentLog } from '@atoll/testkit/silent-log'
import { tempDir } from '@atoll/testkit/temp-dir'
import { expect, it } from 'vitest'
import { createKernel } from '../create-kernel.ts'
import type { DatabaseTarget } from '../db/open.ts'
import { Gate, testKind } from './testing/kind.ts'
import { rows } from './testing/steps.ts'

const program = new URL('./testing/leased-child.ts', import.meta.url).pathname

async function configOf(target: DatabaseTarget) {
  const data = target.kind === 'sqlite' ? target.folder : await tempDir()
  return { data, database: { poolSize: 5, ...(target.kind === 'postgres' && { url: target.url }) }, blobs: {} }
}

async function runAndKill(config: object): Promise<void> {
  const env = { ...process.env, ATOLL_TEST_KERNEL: JSON.stringify(config) }
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  expect(await exited).toEqual([null, 'SIGKILL'])
}

describeBothTargets('a job whose node was killed', (newTarget) => {
  it('runs again at once where no other node can hold it, and stays leased where one might', {
    timeout: 30_000,
  }, async () => {
    const target = await newTarget()
    const config = await configOf(target)
    await runAndKill(config)
    const kernel = await createKernel({ config, log: silentLog, migrations: [] })
    const gate = new Gate()
    kernel.jobs.register(testKind(gate.run))
    await kernel.start()
    try {
      if (target.kind === 'sqlite') expect(await gate.entered).toMatchObject({ attempt: 2, payload: { n: 1 } })
      else {
        const row = (await rows(kernel)).find(({ kind }) => kind === 'test')
        expect(row).toMatchObject({ state: 'running', attempts: 1 })
      }
    } finally {
      gate.open()
      await kernel.close()
    }
  })
})
