import { expect, it } from 'vitest'
import { endToken, startChatModel } from '../../../testing/chat-model.ts'
import { complete, stream, streamedText } from '../../../testing/chat-requests.ts'
import { describePlatformOnSqlite } from '../../../testing/describe-platform.ts'

const model = startChatModel()

describePlatformOnSqlite('a streamed chat', (start) => {
  it('INF-079 INF-080 INF-081 INF-082 INF-083 INF-084 INF-085 INF-086 INF-087 INF-088 comes as chunks that make the whole', async () => {
    const platform = await start({ runtimes: model() })
    const ask = { seed: 9, max_tokens: 40, logit_bias: { [endToken]: -100 } }
    const whole = (await complete(platform, ask)).choices[0]!
    const { text, chunks } = await stream(platform, ask)
    for (const line of text.split('\n')) expect(line === '' || line.startsWith('data: ')).toBe(true)
    expect(text.endsWith('\n\ndata: [DONE]\n\n')).toBe(true)
    const [first] = chunks
    for (const chunk of chunks) {
      expect(chunk).toMatchObject({ id: first!.id, created: first!.created, model: first!.model })
      expect(Object.keys(chunk)).toEqual(['id', 'object', 'created', 'model', 'system_fingerprint', 'choices'])
      expect(chunk.object).toBe('chat.completion.chunk')
      expect(chunk.system_fingerprint).toMatch(/\S/)
      expect(chunk.choices).toHaveLength(1)
      expect(Object.keys(chunk.choices[0]!)).toEqual(['index', 'delta', 'logprobs', 'finish_reason'])
    }
    expect(first!.id).toMatch(/^chatcmpl-/)
    expect(first!.choices[0]).toEqual({
      index: 0,
      delta: { role: 'assistant', content: '' },
      logprobs: null,
      finish_reason: null,
    })
    const reasons = chunks.map(({ choices }) => choices[0]!.finish_reason)
    expect(reasons.slice(0, -1).every((reason) => reason === null)).toBe(true)
    expect(chunks.at(-1)?.choices[0]).toEqual({ index: 0, delta: {}, logprobs: null, finish_reason: 'length' })
    expect(streamedText(chunks)).toBe(whole.message.content)
    expect(chunks.length).toBeGreaterThan(5)
  })

  it('tells its usage in one more chunk when asked to', async () => {
    const platform = await start({ runtimes: model() })
    const ask = { seed: 9, service_tier: 'auto' }
    const whole = await complete(platform, ask)
    const { chunks } = await stream(platform, { ...ask, stream_options: { include_usage: true } })
    expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true)
    expect(chunks.at(-1)).toMatchObject({ choices: [], service_tier: 'default' })
    expect(chunks.at(-1)?.usage).toMatchObject({
      prompt_tokens: whole.usage.prompt_tokens,
      completion_tokens: whole.usage.completion_tokens,
    })
    const plain = await stream(platform, { ...ask, stream_options: { include_usage: false } })
    expect(plain.text).not.toContain('usage')
    const unpadded = await stream(platform, { ...ask, stream_options: { include_obfuscation: false } })
    expect(unpadded.chunks.length).toBe(plain.chunks.length)
  })

  it('has every choice in chunks of its own', async () => {
    const platform = await start({ runtimes: model() })
    const ask = { n: 3, seed: 2, logprobs: true, top_logprobs: 1 }
    const whole = await complete(platform, ask)
    const { chunks } = await stream(platform, ask)
    for (const { index, message, logprobs, finish_reason } of whole.choices) {
      const own = chunks.flatMap(({ choices }) => choices.filter((choice) => choice.index === index))
      expect(own[0]?.delta.role).toBe('assistant')
      expect(own.at(-1)).toMatchObject({ delta: {}, finish_reason })
      expect(own.filter((choice) => choice.finish_reason !== null)).toHaveLength(1)
      expect(streamedText(chunks, index)).toBe(message.content)
      const tokens = own.flatMap((choice) => choice.logprobs?.content ?? [])
      expect(tokens.map(({ bytes }) => bytes)).toEqual(logprobs?.content?.map(({ bytes }) => bytes))
    }
  })
})
