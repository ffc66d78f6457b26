import { expect, it } from 'vitest'
import { afterEvent, nothingSpoken, type ServerEvent } from './spoken.ts'

const after = (...events: ServerEvent[]) => events.reduce(afterEvent, nothingSpoken)
const added = (id: string, role: 'user' | 'assistant'): ServerEvent => ({
  type: 'conversation.item.added',
  item: { id, type: 'message', role },
})

it('shows what was said in the order of the conversation, though words come later', () => {
  const { utterances, activity } = after(
    { type: 'input_audio_buffer.speech_started' },
    added('q', 'user'),
    added('a', 'assistant'),
    { type: 'response.output_audio_transcript.delta', item_id: 'a', delta: 'At ' },
    { type: 'conversation.item.input_audio_transcription.completed', item_id: 'q', transcript: 'When?' },
    { type: 'response.output_audio_transcript.delta', item_id: 'a', delta: 'noon.' },
    { type: 'response.done', response: { status: 'completed' } },
  )
  expect(utterances).toEqual([
    { id: 'q', role: 'user', text: 'When?' },
    { id: 'a', role: 'assistant', text: 'At noon.' },
  ])
  expect(activity).toBe('hearing') // nobody said that the person has stopped
})

it('marks an answer that was cut off, and tells why one failed', () => {
  const { utterances, problem } = after(
    added('a', 'assistant'),
    { type: 'conversation.item.truncated', item_id: 'a' },
    { type: 'response.done', response: { status: 'failed', status_details: { error: { message: 'No room.' } } } },
  )
  expect(utterances[0]?.note).toBe('interrupted')
  expect(problem).toBe('No room.')
})

it('passes over events that it does not know, and items that nobody said', () => {
  const call = { type: 'conversation.item.added', item: { id: 'c', type: 'function_call' } }
  expect(after({ type: 'rate_limits.updated' }, call, { type: 'response.output_text.delta', item_id: 'x' })).toEqual(
    nothingSpoken,
  )
})
