import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { type InputLine, inputLines } from './input-lines.ts'

async function linesOf(chunks: Buffer[], maxLineBytes: number): Promise<InputLine[]> {
  const lines: InputLine[] = []
  for await (const line of inputLines(Readable.from(chunks), maxLineBytes)) lines.push(line)
  return lines
}

it.each([1, 2, 4, 100])('leaves out the mark some editors begin a file with, in chunks of %i bytes', async (size) => {
  const whole = Buffer.from('\ufeff{"a"}\n\ufeff\n\n{"b"}')
  const chunks = Array.from({ length: Math.ceil(whole.length / size) }, (_, at) =>
    whole.subarray(at * size, (at + 1) * size),
  )
  const lines = await linesOf(chunks, 5)
  expect(lines).toEqual([
    { number: 1, start: 3, text: '{"a"}', bytes: 5 },
    { number: 4, start: 14, text: '{"b"}', bytes: 5 },
  ])
  expect(whole.toString('utf8', 14, 19)).toBe('{"b"}')
  expect(await linesOf(chunks, 4)).toMatchObject([
    { text: undefined, bytes: 5 },
    { number: 4, text: undefined },
  ])
})
