import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { Gather } from './gather.ts'

/** Answers are held back until the test gives them. */
function held() {
  const asked: { texts: string[]; background: boolean; answer(): void }[] = []
  const gather = new Gather<string>((texts, { background = false }) => {
    const { promise, resolve } = Promise.withResolvers<string[]>()
    asked.push({ texts, background, answer: () => resolve(texts.map((text) => text.toUpperCase())) })
    return promise
  })
  const signal = new AbortController().signal
  const add = (text: string, more: { signal?: AbortSignal; background?: boolean } = {}) =>
    gather.add([text], { turn: 'project', signal, ...more })
  return { asked, add }
}

it('rejects a caller who leaves at once, also when the model works for them; the others get their answers', async () => {
  const { asked, add } = held()
  const leaving = new AbortController()
  const early = add('early', { signal: leaving.signal })
  const stays = add('stays')
  await setImmediate()
  await add('other', { background: true, signal: AbortSignal.abort(new Error('gone')) }).catch(() => undefined)
  expect(asked.map(({ texts }) => texts)).toEqual([['early', 'stays']])
  leaving.abort(new Error('left'))
  await expect(early).rejects.toThrow('left')
  asked[0]?.answer()
  expect(await stays).toEqual(['STAYS'])
})

it('asks nothing for a caller who left before their turn', async () => {
  const { asked, add } = held()
  const leaving = new AbortController()
  const both = [add('a', { signal: leaving.signal }), add('b')]
  leaving.abort(new Error('left'))
  await expect(both[0]).rejects.toThrow('left')
  await setImmediate()
  expect(asked.map(({ texts }) => texts)).toEqual([['b']])
})

it('asks for people while groups of batches wait, and for no more batches before them', async () => {
  const { asked, add } = held()
  for (const text of ['a', 'b']) {
    void add(text, { background: true })
    await setImmediate()
  }
  void add('c', { background: true })
  for (const text of ['p', 'q', 'r']) {
    void add(text)
    await setImmediate()
  }
  expect(asked.map(({ texts }) => texts.join())).toEqual(['a', 'b', 'p', 'q'])
  asked[0]?.answer()
  asked[2]?.answer()
  await expect.poll(() => asked.map(({ texts }) => texts.join())).toEqual(['a', 'b', 'p', 'q', 'r', 'c'])
  expect(asked.map(({ background }) => background)).toEqual([true, true, false, false, false, true])
})
