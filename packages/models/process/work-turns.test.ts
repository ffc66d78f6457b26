import { expect, it } from 'vitest'
import { WorkTurns } from './work-turns.ts'

async function work(
  turns: WorkTurns,
  name: string,
  slices: number,
  done: string[],
  isBackground = false,
): Promise<void> {
  const own = turns.next(isBackground)
  for (let left = slices; left > 0; left--) await turns.slice(own, left, () => done.push(name))
}

it('lets short work go before the rest of long work', async () => {
  const turns = new WorkTurns()
  const done: string[] = []
  const long = work(turns, 'long', 20, done)
  const short = work(turns, 'short', 1, done)
  await short
  expect(done.filter((name) => name === 'long').length).toBeLessThanOrEqual(2)
  await long
  expect(done).toHaveLength(21)
})

it('never lets long work starve, however much short work comes', async () => {
  const turns = new WorkTurns()
  const done: string[] = []
  let isOver = false
  const long = work(turns, 'long', 10, done).then(() => {
    isOver = true
  })
  const shorts = async (): Promise<void> => {
    while (!isOver) await work(turns, 'short', 1, done)
  }
  await Promise.all([long, shorts(), shorts()])
  expect(done.length).toBeLessThan(10 * 5)
})

it('lets what nobody waits for come last, however long it has been there', async () => {
  const turns = new WorkTurns()
  const done: string[] = []
  const background = work(turns, 'background', 5, done, true)
  const person = work(turns, 'person', 20, done)
  await person
  expect(done.filter((name) => name === 'background').length).toBeLessThanOrEqual(1)
  await background
})

it('goes on when a slice fails', async () => {
  const turns = new WorkTurns()
  const failing = turns.slice(turns.next(), 1, () => {
    throw new Error('broken')
  })
  await expect(failing).rejects.toThrow('broken')
  expect(await turns.slice(turns.next(), 1, () => 'fine')).toBe('fine')
})
