import { describe, expect, it } from 'vitest'
import { Messages } from './messages.ts'

const half = 'x'.repeat(600_000)

async function readAll(messages: Messages): Promise<string[]> {
  const read: string[] = []
  for await (const { stream = '' } of messages.read()) read.push(stream.slice(0, 5))
  return read
}

describe('messages of a build', () => {
  it('come in the order of its stages, however they run', async () => {
    const messages = new Messages([0, 2])
    await messages.say(2, { stream: 'later' })
    await messages.say(0, { stream: 'first' })
    messages.finish(0)
    await messages.say(2, { stream: 'last' })
    messages.finish(2)
    messages.end()
    expect(await readAll(messages)).toEqual(['first', 'later', 'last'])
  })

  it('of a stage that says much before its turn hold up nobody, and are clipped', async () => {
    const messages = new Messages([0, 1])
    for (let count = 0; count < 4; count++) await messages.say(1, { stream: half })
    await messages.say(1, { stream: 'end' })
    messages.finish(1)
    await messages.say(0, { stream: 'first' })
    messages.finish(0)
    messages.end()
    expect(await readAll(messages)).toEqual(['first', '[outp', 'xxxxx', 'end'])
  })

  it('end with what went wrong', async () => {
    const messages = new Messages([0])
    await messages.say(0, { stream: 'so far' })
    messages.end(new Error('wrong'))
    await expect(readAll(messages)).rejects.toThrow('wrong')
  })
})
