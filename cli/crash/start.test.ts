// A server takes requests while it still cleans up after a crash: the cleaning must not touch what they bring.
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { ManualClock } from '@atoll/kernel/clock/clock'
import { createKernel } from '@atoll/kernel/create-kernel'
import { silentLog } from '@atoll/testkit/silent-log'
import { tempDir } from '@atoll/testkit/temp-dir'
import { expect, it, onTestFinished } from 'vitest'

it('keeps what clients send between the opening of the server and its first sweep', async () => {
  const clock = new ManualClock()
  const config = { data: await tempDir(), database: { poolSize: 1 }, blobs: {} }
  const kernel = await createKernel({ config, log: silentLog, migrations: [], clock })
  onTestFinished(() => kernel.close())
  const { blobs, segments, db } = kernel
  clock.advanceSeconds(1)
  const whole = await blobs.write(PassThrough.from([Buffer.from('whole')]), { maxBytes: 100 })
  const body = new PassThrough()
  const halfWay = blobs.write(body, { maxBytes: 100 })
  body.write('half and ')
  clock.advanceSeconds(1)
  await kernel.start()
  body.end('half')
  const stored = [whole, await halfWay]
  await db.transaction((tx) => segments.keep(tx, 'file', stored))
  expect((await buffer(segments.read(await segments.of(db.queries, 'file')))).toString()).toBe('wholehalf and half')
})
