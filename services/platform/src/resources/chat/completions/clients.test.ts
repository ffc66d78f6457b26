import { createOpenAI } from '@ai-sdk/openai'
import { OpenAI4, OpenAI6 } from '@atoll/testkit/openai-clients'
import { expect, it } from 'vitest'
import { startChatModel } from '../../../testing/chat-model.ts'
import { describePlatformOnSqlite, type TestPlatform } from '../../../testing/describe-platform.ts'

const model = startChatModel()

const messages = [{ role: 'user' as const, content: 'Tell me about the sea' }]
const ask = { model: 'gpt-4o-mini', messages, max_tokens: 12, seed: 6 }
const parameters = {
  type: 'object' as const,
  properties: { colour: { type: 'string' as const, enum: ['red', 'blue'] } },
  required: ['colour'],
  additionalProperties: false,
}

const settings = ({ url, apiKey }: TestPlatform) => ({ apiKey, baseURL: `${url}/v1` })

describePlatformOnSqlite('programs', (start) => {
  it('with the openai client 4.77.0 chat, stream and call tools', async () => {
    const platform = await start({ runtimes: model() })
    const { completions } = new OpenAI4({ ...settings(platform), maxRetries: 0 }).chat
    const whole = await completions.create(ask)
    let text = ''
    for await (const chunk of await completions.create({ ...ask, stream: true })) {
      text += chunk.choices[0]?.delta.content ?? ''
    }
    expect(text).toBe(whole.choices[0]?.message.content)
    const forced = { type: 'function' as const, function: { name: 'paint' } }
    const tools = [{ type: 'function' as const, function: { name: 'paint', parameters } }]
    const called = await completions.create({ ...ask, max_tokens: 300, tools, tool_choice: forced })
    expect(called.choices[0]?.message.tool_calls?.[0]?.function.name).toBe('paint')
    await expect(completions.create({ ...ask, temperature: 3 })).rejects.toBeInstanceOf(OpenAI4.BadRequestError)
    await expect(completions.create({ ...ask, model: 'nobody' })).rejects.toBeInstanceOf(OpenAI4.NotFoundError)
  })

  it('with the openai client 6.49.0 chat, stream, and parse what follows a schema', async () => {
    const platform = await start({ runtimes: model() })
    const { completions } = new OpenAI6({ ...settings(platform), maxRetries: 0 }).chat
    const whole = await completions.create(ask)
    const streamed = completions.stream({ ...ask, stream_options: { include_usage: true } })
    const final = await streamed.finalChatCompletion()
    expect(final.choices[0]?.message.content).toBe(whole.choices[0]?.message.content)
    expect(final.usage?.total_tokens).toBe(whole.usage?.total_tokens)
    const response_format = {
      type: 'json_schema' as const,
      json_schema: { name: 'wall', strict: true, schema: parameters },
    }
    const parsed = await completions.create({ ...ask, max_tokens: 300, response_format })
    expect(JSON.parse(parsed.choices[0]?.message.content ?? '')).toEqual({ colour: expect.any(String) })
    const tools = [{ type: 'function' as const, function: { name: 'paint', strict: true, parameters } }]
    const required = { tools, tool_choice: 'required' as const, parallel_tool_calls: false }
    const call = completions.stream({ ...ask, ...required, max_tokens: 300 })
    const { choices } = await call.finalChatCompletion()
    expect(choices[0]).toMatchObject({ finish_reason: 'tool_calls' })
  })

  it('with @ai-sdk/openai chat, stream and call tools', async () => {
    const platform = await start({ runtimes: model() })
    const chat = createOpenAI(settings(platform)).chat('gpt-4o-mini')
    const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Tell me about the sea' }] }]
    const options = { prompt, maxOutputTokens: 12, seed: 6 }
    const whole = await chat.doGenerate(options)
    const text = whole.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
    expect(text).not.toBe('')
    let streamed = ''
    const parts: string[] = []
    for await (const part of (await chat.doStream(options)).stream) {
      parts.push(part.type)
      if (part.type === 'text-delta') streamed += part.delta
    }
    expect(streamed).toBe(text)
    expect(parts.at(-1)).toBe('finish')
    expect(parts).not.toContain('error')
    const tools = [{ type: 'function' as const, name: 'paint', inputSchema: parameters }]
    const room = { ...options, maxOutputTokens: 300 }
    const called = await chat.doGenerate({ ...room, tools, toolChoice: { type: 'tool', toolName: 'paint' } })
    expect(called.content).toContainEqual(expect.objectContaining({ type: 'tool-call', toolName: 'paint' }))
  })
})
