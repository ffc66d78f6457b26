import { getPriority } from 'node:os'
import { nicenessOf } from '@atoll/testkit/threads-of-process'
import { afterEach, expect, it } from 'vitest'
import { bagOf } from './bag.ts'
import { WordCutter } from './word-cutter.ts'

const cutters: WordCutter[] = []
afterEach(async () => {
  for (const cutter of cutters.splice(0)) await cutter.close()
})

function cutterOf(): WordCutter {
  const cutter = new WordCutter()
  cutters.push(cutter)
  return cutter
}

const texts = (count: number, words: number) =>
  Array.from({ length: count }, (_, text) => {
    return { text: Array.from({ length: words }, (_, at) => `word${text}x${at}`).join(' '), heading: `Part ${text}` }
  })

it('cuts the words of large files in another thread, which steps back behind all others', async () => {
  const cutter = cutterOf()
  const large = texts(40, 500)
  const [cut, more] = await Promise.all([cutter.bags(large), cutter.bags(large.slice(7, 20))])
  expect(cut).toEqual(large.map(({ text, heading }) => bagOf(text, heading)))
  expect(more).toEqual(cut.slice(7, 20))
  expect(nicenessOf('words')).toEqual([Math.min(19, getPriority() + 5)])
})

it('cuts the words of a note at once, without a thread', async () => {
  const cutter = cutterOf()
  const note = texts(2, 50)
  expect(await cutter.bags(note)).toEqual(note.map(({ text, heading }) => bagOf(text, heading)))
  expect(nicenessOf('words')).toEqual([])
  expect(await cutter.bags([])).toEqual([])
})

it('tells whoever waits when it is closed, and whoever comes later', async () => {
  const cutter = cutterOf()
  const waiting = cutter.bags(texts(40, 500))
  const closing = cutter.close()
  await expect(waiting).rejects.toThrow('stopped')
  await closing
  await expect(cutter.bags(texts(40, 500))).rejects.toThrow('closed')
})
