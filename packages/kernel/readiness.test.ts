import { silentLog } from '@atoll/testkit/silent-log'
import { tempDir } from '@atoll/testkit/temp-dir'
import { expect, it, vi } from 'vitest'
import { openDatabase } from './db/open.ts'
import { createReadiness } from './readiness.ts'

it('looks once for all who ask while it looks, however long that takes, and for those who ask just afterwards', async () => {
  const db = await openDatabase({ kind: 'sqlite', folder: await tempDir() }, { log: silentLog })
  let now = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
  const looks: PromiseWithResolvers<string | undefined>[] = []
  const ask = createReadiness(db, [], () => {
    const look = Promise.withResolvers<string | undefined>()
    looks.push(look)
    return look.promise
  })
  try {
    const first = ask()
    now += 3_000
    const second = ask()
    await vi.waitFor(() => expect(looks).toHaveLength(1))
    looks[0]?.resolve('the bucket is full')
    const lack = { reason: 'the bucket is full', isOfBucket: true }
    expect(await Promise.all([first, second])).toEqual([lack, lack])
    now += 900
    expect(await ask()).toEqual(lack)
    now += 200
    const third = ask()
    await vi.waitFor(() => expect(looks).toHaveLength(2))
    looks[1]?.resolve(undefined)
    expect(await third).toBe(undefined)
  } finally {
    clock.mockRestore()
    await db.close()
  }
})
