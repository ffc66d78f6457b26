import { callToken } from '@atoll/models/testing/random-gguf'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, it } from 'vitest'
import { endToken, letterToken, startChatModel } from '../../../testing/chat-model.ts'
import { complete, stream, streamedText } from '../../../testing/chat-requests.ts'
import { describePlatformOnSqlite } from '../../../testing/describe-platform.ts'

const model = startChatModel()
/** Can be made to want a call. */
const wilful = startChatModel({}, { callToken: true })

const choice = { enum: ['red', 'blue'] }
const parameters = (name: string) => ({
  type: 'object',
  properties: { [name]: choice },
  required: [name],
  additionalProperties: false,
})
const paint = { name: 'paint', description: 'Paints a wall', parameters: parameters('colour'), strict: true }
const sing = { name: 'sing', parameters: parameters('song'), strict: true }
const tools = [
  { type: 'function', function: paint },
  { type: 'function', function: sing },
]
/** The arguments of each function, as its schema wants them. */
const wanted: Record<string, RegExp> = {
  paint: /^\s*\{\s*"colour"\s*:\s*"(red|blue)"\s*\}\s*$/,
  sing: /^\s*\{\s*"song"\s*:\s*"(red|blue)"\s*\}\s*$/,
}
const room = { max_tokens: 300 }

describePlatformOnSqlite('tools', (start) => {
  it('INF-069 INF-070 INF-071 INF-074 are called only when they may be', async () => {
    const platform = await start({ runtimes: model() })
    for (const fields of [
      { tools, tool_choice: 'none' },
      { tools, tool_choice: 'auto' },
      { tools },
      {},
      { tool_choice: 'none' },
    ]) {
      const { choices, usage } = await complete(platform, { ...fields, seed: 1 })
      expect(choices[0]?.message.content).toEqual(expect.any(String))
      expect(choices[0]?.message).not.toHaveProperty('tool_calls')
      expect(choices[0]?.finish_reason).not.toBe('tool_calls')
      expect(usage.completion_tokens).toBeGreaterThan(0)
    }
    const [without, withTools] = [await complete(platform), await complete(platform, { tools })]
    expect(withTools.usage.prompt_tokens).toBeGreaterThan(without.usage.prompt_tokens)
  })

  it('INF-071 are called when the model decides to, with a call that is whole', async () => {
    const platform = await start({ runtimes: wilful() })
    const fields = { tools, tool_choice: 'auto', parallel_tool_calls: false, max_tokens: 500 }
    for (const seed of [1, 2, 3]) {
      const wants = { logit_bias: { [callToken]: 100 } }
      const { choices } = await complete(platform, { ...fields, ...wants, seed })
      const [call, ...more] = choices[0]?.message.tool_calls ?? []
      expect(more).toEqual([])
      expect(call?.function.arguments).toMatch(wanted[call?.function.name ?? ''] ?? /^$/)
      expect(choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: { content: null } })
      const other = await complete(platform, { ...fields, logit_bias: { [callToken]: -100 }, max_tokens: 20, seed })
      expect(other.choices[0]?.message).not.toHaveProperty('tool_calls')
    }
  })

  it('INF-072 INF-073 INF-075 are called when they must be, with arguments that follow their schema', async () => {
    const platform = await start({ runtimes: model() })
    const named = { type: 'function', function: { name: 'sing' } }
    for (const seed of [1, 2, 3]) {
      for (const tool_choice of ['required', named]) {
        const single = { tools, tool_choice, seed, parallel_tool_calls: false, ...room }
        const { choices } = await complete(platform, single)
        const { message, finish_reason } = choices[0]!
        expect(finish_reason).toBe('tool_calls')
        expect(message.content).toBeNull()
        expect(message.tool_calls).toHaveLength(1)
        const [call] = message.tool_calls!
        expect(call).toMatchObject({ id: expect.stringMatching(/^call_/), type: 'function' })
        if (tool_choice === named) expect(call?.function.name).toBe('sing')
        expect(call?.function.arguments).toMatch(wanted[call!.function.name]!)
      }
    }
    const { choices } = await complete(platform, { tools, tool_choice: 'required', parallel_tool_calls: true, ...room })
    const calls = choices[0]?.message.tool_calls ?? []
    expect(calls.length).toBeGreaterThan(0)
    expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length)
  })

  it('come in pieces that make the same calls', async () => {
    const platform = await start({ runtimes: model() })
    const ask = { tools, tool_choice: 'required', seed: 4, parallel_tool_calls: false, ...room }
    const whole = (await complete(platform, ask)).choices[0]!.message.tool_calls![0]!
    const { chunks } = await stream(platform, ask)
    const pieces = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? [])
    expect(pieces[0]).toMatchObject({ index: 0, type: 'function', function: { name: whole.function.name } })
    expect(pieces[0]?.id).toMatch(/^call_/)
    expect(pieces.slice(1).every((piece) => piece.id === undefined && piece.index === 0)).toBe(true)
    expect(pieces.map((piece) => piece.function.arguments ?? '').join('')).toBe(whole.function.arguments)
    expect(chunks.at(-1)?.choices[0]).toMatchObject({ delta: {}, finish_reason: 'tool_calls' })
  })

  it('INF-077 INF-078 are still taken as functions, and called as functions', async () => {
    const platform = await start({ runtimes: model() })
    const { strict: _, ...plainPaint } = paint
    const functions = [plainPaint, { name: 'sing', parameters: sing.parameters }]
    for (const fields of [{ functions, function_call: 'none' }, { functions, function_call: 'auto' }, { functions }]) {
      const { choices } = await complete(platform, { ...fields, seed: 1 })
      expect(choices[0]?.message).toMatchObject({ content: expect.any(String) })
      expect(choices[0]?.message).not.toHaveProperty('function_call')
    }
    const forced = { functions, function_call: { name: 'paint' }, seed: 2, ...room }
    const { choices } = await complete(platform, forced)
    expect(choices[0]).toMatchObject({ finish_reason: 'function_call', message: { function_call: { name: 'paint' } } })
    expect(choices[0]?.message).not.toHaveProperty('tool_calls')
    const call = choices[0]!.message.function_call!
    expect(JSON.parse(call.arguments)).toEqual({ colour: expect.stringMatching(/^(red|blue)$/) })

    const { chunks } = await stream(platform, forced)
    const pieces = chunks.flatMap(({ choices }) => choices[0]?.delta.function_call ?? [])
    expect(pieces[0]?.name).toBe('paint')
    expect(pieces.map((piece) => piece.arguments ?? '').join('')).toBe(call.arguments)
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('function_call')
    expect(JSON.stringify(chunks)).not.toContain('tool_calls')

    const messages = [
      { role: 'user', content: 'Paint it' },
      { role: 'assistant', content: null, function_call: call },
      { role: 'function', name: 'paint', content: 'done' },
    ]
    expect((await complete(platform, { functions, messages })).choices[0]?.message.role).toBe('assistant')
  })
})

describePlatformOnSqlite('formats', (start) => {
  const schema = {
    type: 'object',
    properties: {
      colour: choice,
      size: { type: 'integer', minimum: 1, maximum: 12 },
      coats: { type: 'array', items: { type: 'boolean' }, minItems: 1, maxItems: 3 },
      owner: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/person' }] },
    },
    required: ['colour', 'size', 'coats', 'owner'],
    additionalProperties: false,
    $defs: {
      person: {
        type: 'object',
        properties: { name: { type: 'string', maxLength: 5 } },
        required: ['name'],
        additionalProperties: false,
      },
    },
  }
  const follows = new Ajv2020().compile(schema)
  const format = { type: 'json_schema', json_schema: { name: 'wall', strict: true, schema } }

  it('INF-058 of a JSON schema are kept by every answer, whole and streamed', async () => {
    const platform = await start({ runtimes: model() })
    for (const seed of [1, 2, 3, 4, 5]) {
      const ask = { response_format: format, seed, temperature: 1.5, ...room }
      const { choices } = await complete(platform, ask)
      expect(choices[0]?.finish_reason).toBe('stop')
      const content = choices[0]!.message.content!
      expect(follows(JSON.parse(content)), content).toBe(true)
      expect(streamedText((await stream(platform, ask)).chunks)).toBe(content)
    }
  })

  it('INF-059 INF-060 INF-061 of JSON are JSON unless cut off, and must be asked for in words', async () => {
    const platform = await start({ runtimes: model() })
    const ask = { response_format: { type: 'json_object' }, messages: [{ role: 'user', content: 'Some JSON, please' }] }
    const bias = { [letterToken('}')]: 8, [letterToken('"')]: 4, [endToken]: 2 }
    const ended: string[] = []
    for (let seed = 1; seed <= 20 && ended.length < 3; seed++) {
      const [choice] = (await complete(platform, { ...ask, seed, logit_bias: bias, ...room })).choices
      if (choice?.finish_reason === 'stop') ended.push(choice.message.content ?? '')
    }
    expect(ended.length).toBeGreaterThan(0)
    for (const text of ended) expect(JSON.parse(text)).toEqual(expect.any(Object))
    const cut = await complete(platform, { ...ask, max_tokens: 1 })
    expect(cut.choices[0]?.finish_reason).toBe('length')
    expect(() => JSON.parse(cut.choices[0]?.message.content ?? '')).toThrow()
    const silent = { ...ask, messages: [{ role: 'user', content: 'Something, please' }] }
    await expect(complete(platform, silent)).rejects.toThrow(/'messages' must contain the word 'json' in some form/)
  })
})
