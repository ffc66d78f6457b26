// What is made of many inputs when they are read: other requests have their turns in between.
import { silentLog } from '@atoll/testkit/silent-log'
import { expect, it } from 'vitest'
import { Encoder } from './encoder.ts'
import { createEmbeddingsRuntime } from './runtime.ts'

const call = { signal: new AbortController().signal, turn: 'project' }

it('makes the vectors of 2,048 inputs in turns of the event loop', async () => {
  const encoder = new Encoder({ log: silentLog })
  const runtime = createEmbeddingsRuntime({ dimensions: 3_072, shortens: true }, encoder)
  let turnsSinceRead = 0
  const read = encoder.read.bind(encoder)
  encoder.read = async (...asked) => {
    const answer = await read(...asked)
    const count = (): void => {
      turnsSinceRead++
      counting = setImmediate(count)
    }
    let counting = setImmediate(count)
    stop = () => clearImmediate(counting)
    return answer
  }
  let stop = (): void => undefined
  const inputs = Array.from({ length: 2_048 }, (_, number) => `word ${number}`)
  const answer = await runtime.embeddings?.embed({ inputs, dimensions: undefined, user: undefined }, call)
  stop()
  expect(answer?.vectors.map(({ length }) => length)).toEqual(inputs.map(() => 3_072))
  expect(turnsSinceRead).toBeGreaterThan(0)
  const one = await runtime.embeddings?.embed({ inputs: ['word 2047'], dimensions: undefined, user: undefined }, call)
  expect(answer?.vectors.at(-1)).toEqual(one?.vectors[0])
  await runtime.close()
})
