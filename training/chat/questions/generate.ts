/** node generate.ts IN... --out FILE [--part I/N] [--seed N]: questions on passages from files of {"text"} lines. */
import { createReadStream, createWriteStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { passagesOf } from './passages.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string' },
    part: { type: 'string', default: '0/1' },
    seed: { type: 'string', default: '7' },
    max: { type: 'string', default: '1000000' },
  },
})
const [part = 0, parts = 1] = values.part.split('/').map(Number)

function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

const random = randomFrom(Number(values.seed) + part)
const out = createWriteStream(values.out ?? '/dev/stdout')
const counts = new Map<string, number>()
let passages = 0
let line = 0
const started = Date.now()
const seenStart = new Set<string>()
for (const file of positionals) {
  for await (const row of createInterface({ input: createReadStream(file) })) {
    if (line++ % parts !== part || passages >= Number(values.max)) continue
    const { text } = JSON.parse(row) as { text: string }
    for (const passage of passagesOf(text, random)) {
      const start = passage.passage.slice(0, 80)
      if (seenStart.has(start)) continue
      seenStart.add(start)
      passages++
      for (const question of passage.qa) counts.set(question.kind, (counts.get(question.kind) ?? 0) + 1)
      if (!out.write(`${JSON.stringify(passage)}\n`))
        await new Promise((done) => out.once('drain', () => done(undefined)))
    }
  }
  console.error(
    file,
    passages,
    'passages',
    [...counts.values()].reduce((sum, count) => sum + count, 0),
    'questions',
    Math.round((Date.now() - started) / 1000),
    's',
  )
}
out.end()
console.error(Object.fromEntries([...counts].toSorted((left, right) => right[1] - left[1])))
