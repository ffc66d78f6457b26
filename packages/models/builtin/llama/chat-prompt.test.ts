import { expect, it } from 'vitest'
import type { ChatMessage, ChatRequest } from '../../chat.ts'
import { chatPrompt } from './chat-prompt.ts'

const request = (messages: ChatMessage[], more: Partial<ChatRequest> = {}): ChatRequest => ({
  messages,
  tools: [],
  toolChoice: 'none',
  parallelToolCalls: true,
  responseFormat: { type: 'text' },
  choices: 1,
  maxTokens: undefined,
  sampling: {
    temperature: 1,
    topP: 1,
    frequencyPenalty: 0,
    presencePenalty: 0,
    logitBias: new Map(),
    seed: undefined,
    stop: [],
  },
  topLogprobs: undefined,
  prediction: undefined,
  audio: undefined,
  user: undefined,
  ...more,
})

const question: ChatMessage = { role: 'user', content: 'weather?' }
const tools = [{ name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } }]

it('writes every role the way templates know it', () => {
  const { messages } = chatPrompt(
    request([
      {
        role: 'developer',
        content: [
          { type: 'text', text: 'be' },
          { type: 'text', text: 'brief' },
        ],
      },
      question,
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'rain' },
      { role: 'assistant', refusal: 'I will not' },
    ]),
    undefined,
  )
  expect(messages).toEqual([
    { role: 'system', content: 'be\nbrief' },
    { role: 'user', content: 'weather?' },
    {
      role: 'assistant',
      content: '',
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'weather', arguments: { city: 'Bern' } } }],
    },
    { role: 'tool', content: 'rain', tool_call_id: 'call_1' },
    { role: 'assistant', content: 'I will not' },
  ])
})

it('leaves the tools to a template that knows them, and tells of them where it does not', () => {
  const asked = request([question], { tools, toolChoice: 'auto' })
  const knowing = chatPrompt(asked, '{% for tool in tools %}…')
  expect(knowing.tools).toHaveLength(1)
  expect(knowing.messages).toHaveLength(1)
  const plain = chatPrompt(asked, '{{ messages }}')
  expect(plain.tools).toBeUndefined()
  expect(plain.messages[0]).toMatchObject({ role: 'system', content: expect.stringContaining('"city"') })
  expect(chatPrompt({ ...asked, toolChoice: 'none' }, '{{ tools }}').tools).toBeUndefined()
})

it('shows the schema that an answer must follow', () => {
  const schema = { type: 'object', properties: { n: { type: 'integer' } } }
  const asked = request([question], { responseFormat: { type: 'json_schema', json_schema: { name: 'n', schema } } })
  expect(chatPrompt(asked, undefined).messages[0]?.content).toContain(JSON.stringify(schema))
})

it('refuses images and audio by the place where they stand', () => {
  const image = { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,AA==' } }
  const asked = request([question, { role: 'user', content: [{ type: 'text', text: 'this?' }, image] }])
  expect(() => chatPrompt(asked, undefined)).toThrow(
    expect.objectContaining({ detail: { kind: 'unsupported', param: 'messages[1].content[1]' } }),
  )
})
