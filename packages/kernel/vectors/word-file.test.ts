import { readdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sqliteTarget } from '@atoll/testkit/both-targets'
import { tempDir } from '@atoll/testkit/temp-dir'
import { describe, expect, it } from 'vitest'
import { askedWords } from './asked-words.ts'
import { bagOf } from './bag.ts'
import { chunksFrom, direction } from './testing/directions.ts'
import { storeOpener } from './testing/stores.ts'
import { appendWords, loadWords } from './word-file.ts'
import { WordShelf } from './word-shelf.ts'

function shelfOf(chunks: number): WordShelf {
  const shelf = new WordShelf()
  for (let number = 1; number <= chunks; number++)
    shelf.add(number, number % 7, bagOf(`Note ${number} of ${number % 90}.`, ''))
  while (shelf.canJoin) shelf.joinSome()
  return shelf
}

describe('the file of words', () => {
  const open = storeOpener()

  it('gives back every full block, however it grew', async () => {
    const file = join(await tempDir(), 'folder', 'k.words')
    const { full } = shelfOf(2_100)
    expect(full).toHaveLength(2)
    const end = await appendWords(file, 'key', 0, full.slice(0, 1))
    await appendWords(file, 'key', end, full.slice(1))
    const { blocks } = await loadWords(file, 'key')
    expect(blocks.map(({ data }) => data)).toEqual(full.map(({ data }) => data))
    const asked = askedWords('note 55')
    const near = Float64Array.of(55, 1_500)
    expect(new WordShelf(blocks).search(asked, 9, near)).toEqual(new WordShelf([...full]).search(asked, 9, near))
  })

  it('gives the blocks before what is torn or damaged, and nothing of another collection', async () => {
    const file = join(await tempDir(), 'k.words')
    const { full } = shelfOf(2_100)
    const end = await appendWords(file, 'key', 0, full)
    const whole = await readFile(file)
    expect((await loadWords(file, 'other')).blocks).toEqual([])
    expect((await loadWords(`${file}.none`, 'key')).blocks).toEqual([])
    await truncate(file, end - 1)
    const torn = await loadWords(file, 'key')
    expect(torn.blocks).toHaveLength(1)
    await appendWords(file, 'key', torn.bytes, full.slice(1))
    expect(await readFile(file)).toEqual(whole)
    whole[100] = (whole[100] ?? 0) ^ 0xff
    await writeFile(file, whole)
    expect((await loadWords(file, 'key')).blocks).toEqual([])
  })

  it('is what a search by words begins with after a restart', async () => {
    const target = await sqliteTarget()
    const settings = { indexFrom: 500 }
    const first = await open(target, { settings })
    await first.add('vs', 'a', chunksFrom(0, 1_100))
    await first.vectors.settle('vs')
    const search = { collections: ['vs'], vector: direction(3), text: 'number1030 number7', limit: 5, meaningWeight: 0 }
    const hits = await first.vectors.search(search)
    expect(hits.map(({ ordinal }) => ordinal)).toEqual([7, 1_030])
    await first.close()
    const files = (await readdir(first.folder)).sort()
    expect(files.map((name) => name.split('.')[1])).toEqual(['index', 'words'])
    const second = await open(target, { settings, folder: first.folder })
    // Only what came after the full block is read from the rows.
    await second.db.queries
      .deleteFrom('vector_bags')
      .where('id', '<=', 2 ** 28 + 1_024)
      .execute()
    await second.db.queries.updateTable('vector_chunks').set({ text: 'gone' }).where('ordinal', '<', 1_000).execute()
    expect((await second.vectors.search(search)).map(({ ordinal }) => ordinal)).toEqual([7, 1_030])
  })
})
