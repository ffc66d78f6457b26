import { describeBothDatabases } from '@atoll/testkit/both-databases'
import { expect, it } from 'vitest'
import { OneRow } from './one-row.ts'

const row = new OneRow('one_of_the_test', 'word')

describeBothDatabases('a table of one row', (open) => {
  it('is filled by the first who asks: all who ask at once get the same', async () => {
    const db = await open([{ name: 'test/0001-one', up: (schema) => row.createTable(schema) }])
    expect(await row.read(db.queries)).toBeUndefined()
    const words = await Promise.all(['a', 'b', 'c', 'd'].map((word) => row.fill(db.queries, word)))
    expect(new Set(words).size).toBe(1)
    expect(await row.fill(db.queries, 'late')).toBe(words[0])
    expect(await row.read(db.queries)).toBe(words[0])
  })
})
