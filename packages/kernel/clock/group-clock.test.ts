import { createPostgresDatabase, postgresAvailable } from '@atoll/testkit/postgres'
import { silentLog } from '@atoll/testkit/silent-log'
import { tempDir } from '@atoll/testkit/temp-dir'
import { expect, it, vi } from 'vitest'
import { createKernel } from '../create-kernel.ts'

const hourMs = 3_600_000

it.skipIf(!postgresAvailable.available)('a node whose clock jumps goes by the clock of the database', async () => {
  const url = await createPostgresDatabase()
  const config = { data: await tempDir(), blobs: {}, database: { url } }
  const real = Date.now.bind(Date)
  const jump = vi.spyOn(Date, 'now').mockImplementation(() => real() + hourMs)
  try {
    const kernel = await createKernel({ config, log: silentLog, migrations: [] })
    expect(Math.abs(kernel.clock.now() - real())).toBeLessThan(hourMs / 2)
    jump.mockImplementation(() => real() - hourMs)
    expect(Math.abs(kernel.clock.now() - real())).toBeLessThan(hourMs / 2)
    await kernel.close()
  } finally {
    jump.mockRestore()
  }
})
