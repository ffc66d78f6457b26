import { expect, it } from 'vitest'
import type { ChatMessage, ChoiceDelta } from '../../chat.ts'
import { answeredCalls, unrepeated } from './answered-calls.ts'

const called = (id: string, args: string): ChatMessage => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name: 'weather', arguments: args } }],
})
const result = (id: string): ChatMessage => ({ role: 'tool', tool_call_id: id, content: 'rain' })
const question: ChatMessage = { role: 'user', content: 'weather?' }

it('knows the calls that were answered since the user last spoke', () => {
  const paris = { name: 'weather', arguments: '{"city":"Paris"}' }
  expect(answeredCalls([question, called('a', paris.arguments), result('a')])).toEqual([paris])
  expect(answeredCalls([question, called('a', '{}'), result('a'), question])).toEqual([])
  expect(answeredCalls([question, called('a', '{}')])).toEqual([])
})

const choice = (delta: ChoiceDelta['delta']): ChoiceDelta => ({ index: 0, delta, logprobs: null, finish_reason: null })
const piece = (args: string, name?: string): ChoiceDelta =>
  choice({ tool_calls: [{ index: 0, function: { ...(name === undefined ? {} : { name }), arguments: args } }] })

/** What is heard of a call for Paris when this one was answered before. */
async function heard(answered: string): Promise<ChoiceDelta['delta'][]> {
  const calling = [
    choice({ role: 'assistant', content: '' }),
    piece('', 'weather'),
    piece('{"city": '),
    piece('"Paris"}'),
  ]
  const inWords = [choice({ role: 'assistant', content: '' }), choice({ content: 'It rains.' })]
  const deltas = unrepeated(stream(calling), [{ name: 'weather', arguments: answered }], () => stream(inWords))
  const found: ChoiceDelta['delta'][] = []
  for await (const { delta } of deltas) found.push(delta)
  return found
}

async function* stream(deltas: ChoiceDelta[]): AsyncGenerator<ChoiceDelta> {
  yield* deltas
}

it('answers in words instead of making an answered call again, whatever its spaces', async () => {
  expect(await heard('{"city":"Paris"}')).toEqual([{ role: 'assistant', content: '' }, { content: 'It rains.' }])
})

it('lets another call pass as it came', async () => {
  expect(await heard('{"city":"Rome"}')).toHaveLength(4)
})
