import { expect, it } from 'vitest'
import { startChatModel } from '../../../testing/chat-model.ts'
import { chatBody } from '../../../testing/chat-requests.ts'
import { describePlatformOnSqlite, type TestPlatform } from '../../../testing/describe-platform.ts'
import { errorOf } from '../../../testing/requests.ts'

const model = startChatModel()
const user = { role: 'user', content: 'Hi' }
const audio = { voice: 'alloy', format: 'wav' }

type Case = [fields: object, param: string | null, code: string | null, words?: RegExp]

async function refuseAll(platform: TestPlatform, cases: Case[]): Promise<void> {
  for (const [fields, param, code, words = /./] of cases) {
    const response = await platform.post('/v1/chat/completions', chatBody(fields))
    expect([fields, response.status]).toEqual([fields, 400])
    const error = await errorOf(response)
    expect([fields, error]).toEqual([
      fields,
      { type: 'invalid_request_error', message: expect.stringMatching(words), param, code },
    ])
  }
}

describePlatformOnSqlite('chat completions refuse', (start) => {
  it('INF-041 INF-042 a request without model or messages', async () => {
    const platform = await start({ runtimes: model() })
    await refuseAll(platform, [
      [{ model: undefined }, 'model', 'missing_required_parameter'],
      [{ messages: undefined }, 'messages', 'missing_required_parameter'],
      [{ messages: [] }, 'messages', 'empty_array'],
      [{ messages: 'Hi' }, 'messages', 'invalid_type'],
      [{ model: 5 }, 'model', 'invalid_type'],
    ])
    const unknown = await platform.post('/v1/chat/completions', chatBody({ model: 'nobody' }))
    expect(unknown.status).toBe(404)
    expect(await errorOf(unknown)).toMatchObject({ code: 'model_not_found' })
    const other = await platform.post('/v1/chat/completions', chatBody({ model: 'whisper-1' }))
    expect(other.status).toBe(404)
  })

  it('INF-045 INF-046 INF-066 INF-067 INF-224 INF-225 numbers out of range, by name', async () => {
    const platform = await start({ runtimes: model() })
    const decimal = (param: string, least: number, most: number): Case[] => [
      [{ [param]: most + 0.1 }, param, 'decimal_above_max_value'],
      [{ [param]: least - 0.1 }, param, 'decimal_below_min_value'],
      [{ [param]: String(most) }, param, 'invalid_type'],
    ]
    await refuseAll(platform, [
      ...decimal('temperature', 0, 2),
      ...decimal('top_p', 0, 1),
      ...decimal('frequency_penalty', -2, 2),
      ...decimal('presence_penalty', -2, 2),
      [{ logprobs: true, top_logprobs: 21 }, 'top_logprobs', 'integer_above_max_value'],
      [{ logprobs: true, top_logprobs: -1 }, 'top_logprobs', 'integer_below_min_value'],
      [{ logit_bias: { 5: 100.5 } }, 'logit_bias.5', 'decimal_above_max_value'],
      [{ logit_bias: { 5: -101 } }, 'logit_bias.5', 'decimal_below_min_value'],
      [{ logit_bias: { the: 5 } }, 'logit_bias.the', 'invalid_value'],
      [{ n: 0 }, 'n', 'integer_below_min_value'],
      [{ n: 129 }, 'n', 'integer_above_max_value'],
      [{ n: 1.5 }, 'n', 'invalid_type'],
      [{ max_tokens: 0 }, 'max_tokens', 'integer_below_min_value'],
      [{ seed: 1.5 }, 'seed', 'invalid_value'],
      [{ stop: [] }, 'stop', 'empty_array'],
      [{ stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop', 'array_above_max_length'],
    ])
    const within = { temperature: 2, top_p: 0, frequency_penalty: -2, presence_penalty: 2 }
    const bounds = { ...within, logit_bias: { 5: 100, 6: -100, 7: 0.5 }, seed: -(2 ** 62), n: 1 }
    expect((await platform.post('/v1/chat/completions', chatBody(bounds))).status).toBe(200)
    const none = Object.fromEntries(Object.keys(bounds).map((name) => [name, null]))
    expect((await platform.post('/v1/chat/completions', chatBody(none))).status).toBe(200)
  })

  it('unknown parameters and values', async () => {
    const platform = await start({ runtimes: model() })
    await refuseAll(platform, [
      [{ top_k: 5 }, 'top_k', 'unknown_parameter'],
      [{ temprature: 1 }, 'temprature', 'unknown_parameter', /did you mean 'temperature'/],
      [{ service_tier: 'gold' }, 'service_tier', 'invalid_value', /'auto' and 'default'/],
      [{ response_format: { type: 'xml' } }, 'response_format.type', 'invalid_value'],
      [
        { stream: true, stream_options: { include_obfuscation: true } },
        'stream_options.include_obfuscation',
        'invalid_value',
        /without padding/,
      ],
      [{ stream_options: { include_usage: true } }, 'stream_options', null, /only allowed when 'stream' is enabled/],
      [{ modalities: ['video'] }, 'modalities[0]', 'invalid_value'],
      [{ metadata: { key: 5 } }, 'metadata.key', 'invalid_type'],
      [{ metadata: tags(17) }, 'metadata', 'object_above_max_properties'],
      [{ metadata: { key: 'v'.repeat(513) } }, 'metadata.key', 'string_above_max_length'],
      [{ metadata: { ['k'.repeat(65)]: 'v' } }, `metadata.${'k'.repeat(65)}`, 'string_above_max_length'],
    ])
  })

  it('messages that are none', async () => {
    const platform = await start({ runtimes: model() })
    const parts = (...content: object[]): object => ({ messages: [{ role: 'user', content }] })
    await refuseAll(platform, [
      [{ messages: [{ role: 'robot', content: 'Hi' }] }, 'messages[0].role', 'invalid_value'],
      [{ messages: [{ content: 'Hi' }] }, 'messages[0].role', 'missing_required_parameter'],
      [{ messages: [user, { role: 'user' }] }, 'messages[1].content', 'missing_required_parameter'],
      [{ messages: [{ role: 'user', content: 5 }] }, 'messages[0].content', 'invalid_type'],
      [{ messages: [{ role: 'user', content: null }] }, 'messages[0].content', 'invalid_type'],
      [{ messages: [{ role: 'user', content: [] }] }, 'messages[0].content', 'empty_array'],
      [{ messages: [{ ...user, name: 'a b' }] }, 'messages[0].name', 'invalid_value'],
      [parts({ type: 'text' }), 'messages[0].content[0].text', 'missing_required_parameter'],
      [parts({ type: 'smell' }), 'messages[0].content[0].type', 'invalid_value'],
      [
        { messages: [{ role: 'system', content: [{ type: 'image_url' }] }] },
        'messages[0].content[0].type',
        'invalid_value',
      ],
      [{ messages: [user, { role: 'assistant' }] }, 'messages[1].content', 'invalid_value', /got null/],
      [{ messages: [user, { role: 'assistant', content: null }] }, 'messages[1].content', 'invalid_value'],
      [
        { messages: [{ role: 'assistant', audio: { id: 'audio_1' } }] },
        'messages[0].audio.id',
        'unsupported_parameter',
      ],
    ])
  })

  it('tool messages without calls, and calls without tool messages', async () => {
    const platform = await start({ runtimes: model() })
    const call = (id: string) => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } })
    const calls = { role: 'assistant', content: null, tool_calls: [call('call_a'), call('call_b')] }
    const answer = (tool_call_id: string) => ({ role: 'tool', tool_call_id, content: 'x' })
    await refuseAll(platform, [
      [{ messages: [user, answer('call_a')] }, 'messages[1].role', null, /must be a response to a preceding message/],
      [{ messages: [user, calls, answer('call_c')] }, 'messages[2].tool_call_id', null, /'call_c' not found/],
      [{ messages: [user, calls, answer('call_a')] }, 'messages[2].role', null, /did not have response.*: call_b$/],
      [{ messages: [user, calls, answer('call_a'), user] }, 'messages[3].role', null, /: call_b$/],
      [{ messages: [user, calls] }, 'messages[1].role', null, /: call_a, call_b$/],
      [{ messages: [user, { ...calls, tool_calls: [] }] }, 'messages[1].content', 'invalid_value', /got null/],
    ])
    const messages = [user, calls, answer('call_b'), answer('call_a'), user]
    expect((await platform.post('/v1/chat/completions', chatBody({ messages }))).status).toBe(200)
  })

  it('INF-056 audio that the model cannot speak or hear, and images it cannot see', async () => {
    const platform = await start({ runtimes: model() })
    const part = (content: object): object => ({ messages: [{ role: 'user', content: [content] }] })
    const image = part({ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'low' } })
    const sound = part({ type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } })
    await refuseAll(platform, [
      [{ modalities: ['text', 'audio'] }, 'audio', 'missing_required_parameter'],
      [{ modalities: ['text', 'audio'], audio: { voice: 'alloy' } }, 'audio.format', 'missing_required_parameter'],
      [{ modalities: ['text', 'audio'], audio }, 'modalities', 'unsupported_parameter', /cannot answer with audio/],
      [{ audio }, 'audio', null, /only allowed when 'modalities' includes 'audio'/],
      [image, 'messages[0].content[0]', 'unsupported_parameter'],
      [sound, 'messages[0].content[0]', 'unsupported_parameter'],
    ])
  })

  it('tools that contradict themselves', async () => {
    const platform = await start({ runtimes: model() })
    const tool = (name: string) => ({ type: 'function', function: { name } })
    const tools = [tool('look')]
    const functions = [{ name: 'look' }]
    const many = Array.from({ length: 129 }, (_, n) => tool(`f${n}`))
    await refuseAll(platform, [
      [{ tools: [tool('a b')] }, 'tools[0].function.name', 'invalid_value', /pattern/],
      [{ tools: [tool('x'.repeat(65))] }, 'tools[0].function.name', 'string_above_max_length'],
      [{ tools: many }, 'tools', 'array_above_max_length'],
      [{ tools: [tool('look'), tool('look')] }, 'tools[1].function.name', 'invalid_value', /more than once/],
      [{ tools: [{ type: 'oracle' }] }, 'tools[0].type', 'invalid_value'],
      [{ tool_choice: 'auto' }, 'tool_choice', null, /only allowed when 'tools' are specified/],
      [{ tool_choice: 'maybe', tools }, 'tool_choice', 'invalid_value'],
      [{ tool_choice: tool('see'), tools }, 'tool_choice', null, /'see' not found/],
      [{ parallel_tool_calls: true }, 'parallel_tool_calls', null, /only allowed when 'tools'/],
      [{ functions, tools }, 'functions', 'invalid_parameter_combination'],
      [{ functions, tool_choice: 'auto', tools }, 'functions', 'invalid_parameter_combination'],
      [{ function_call: 'auto' }, 'function_call', null, /only allowed when 'functions'/],
      [{ function_call: { name: 'see' }, functions }, 'function_call', null, /'see' not found/],
      [{ function_call: 'required', functions }, 'function_call', 'invalid_value'],
      [{ functions: [] }, 'functions', 'empty_array'],
      [{ messages: [user, { role: 'function', name: 'look', content: 'x' }] }, 'messages[1].name', null, /'function'/],
    ])
  })
})

const tags = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`key${n}`, 'value']))
