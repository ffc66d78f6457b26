import * as older from '@atoll/clients-2024/langgraph'
import { tool } from '@langchain/core/tools'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
import { ChatOpenAI } from '@langchain/openai'
import { createAgent } from 'langchain'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod/v3'
import { describePlatformOnSqlite, type TestPlatform } from '../testing/describe-platform.ts'
import { clientVersion } from './testing/client-version.ts'
import { expectClosedLoop, expectResults, settings } from './testing/loop.ts'
import { answer, question, report, weatherIn, weatherModel } from './testing/weather-model.ts'

type Ask = { messages: unknown[] }

/** What the agents of all versions have in common. */
interface Agent {
  invoke(state: Ask): Promise<{ messages: { content: unknown }[] }>
  stream(
    state: Ask,
    options: { streamMode: 'messages' },
  ): Promise<AsyncIterable<[{ content: unknown; id?: string }, object]>>
}

const fields = { name: 'weather', description: 'The weather in a city' }
const weather = tool(({ city }) => weatherIn(city), { ...fields, schema: z.object({ city: z.string() }) })
const olderWeather = older.tool(({ city }) => weatherIn(city), {
  ...fields,
  schema: z3.object({ city: z3.string() }) as never,
})

const fieldsOf = (platform: TestPlatform, streaming: boolean) => {
  const { apiKey, baseURL, maxRetries } = settings(platform)
  return { model: 'gpt-4o-mini', apiKey, maxRetries, streaming, configuration: { baseURL } }
}

const responsesOf = (platform: TestPlatform, streaming: boolean) =>
  new ChatOpenAI({ ...fieldsOf(platform, streaming), useResponsesApi: true })

/** Of chats a text, of responses a list of blocks. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return (content as { type: string; text?: string }[]).map(({ text = '' }) => text).join('')
}

const agents: Record<string, (platform: TestPlatform, streaming: boolean) => unknown> = {
  [`langchain ${clientVersion('langchain')} createAgent`]: (platform, streaming) =>
    createAgent({ model: new ChatOpenAI(fieldsOf(platform, streaming)), tools: [weather] }),
  [`@langchain/langgraph ${clientVersion('@langchain/langgraph')} createReactAgent`]: (platform, streaming) =>
    createReactAgent({ llm: new ChatOpenAI(fieldsOf(platform, streaming)), tools: [weather] }),
  [`langchain ${clientVersion('langchain')} createAgent in responses mode`]: (platform, streaming) =>
    createAgent({ model: responsesOf(platform, streaming), tools: [weather] }),
  [`@langchain/langgraph ${clientVersion('@langchain/langgraph')} createReactAgent in responses mode`]: (
    platform,
    streaming,
  ) => createReactAgent({ llm: responsesOf(platform, streaming), tools: [weather] }),
  '@langchain/langgraph 0.2.34 createReactAgent': (platform, streaming) =>
    older.createReactAgent({ llm: new older.ChatOpenAI(fieldsOf(platform, streaming)), tools: [olderWeather] }),
}

for (const [name, create] of Object.entries(agents)) {
  describePlatformOnSqlite(`client ${name}`, (start) => {
    const prepare = async (streaming: boolean) => {
      const model = weatherModel()
      const platform = await start({ runtimes: model.runtimes })
      return { model, agent: create(platform, streaming) as Agent }
    }

    it('closes its loop, and its messages go on', async () => {
      const { model, agent } = await prepare(false)
      const { messages } = await agent.invoke({ messages: [{ role: 'user', content: question }] })
      expect(textOf(messages.at(-1)?.content)).toBe(answer)
      expectClosedLoop(model)
      const next = [...messages, { role: 'user', content: 'And tomorrow?' }]
      expect(textOf((await agent.invoke({ messages: next })).messages.at(-1)?.content)).toBe(answer)
      expectResults(model.requests[3])
    })

    it('closes its loop, streamed', async () => {
      const { model, agent } = await prepare(true)
      let text = ''
      const state = { messages: [{ role: 'user', content: question }] }
      for await (const [message, metadata] of await agent.stream(state, { streamMode: 'messages' })) {
        const fromModel = !JSON.stringify((metadata as { langgraph_node?: string }).langgraph_node).includes('tools')
        if (fromModel) text += textOf(message.content)
      }
      expect(text).toBe(answer)
      expectClosedLoop(model)
    })
  })
}

describePlatformOnSqlite(`client @langchain/openai ${clientVersion('@langchain/openai')}`, (start) => {
  it.for(['jsonSchema', 'jsonMode', 'functionCalling'] as const)('follows a schema by %s', async (method) => {
    const platform = await start({ runtimes: weatherModel().runtimes })
    const schema = z.object({ city: z.string(), degrees: z.number() })
    const model = new ChatOpenAI(fieldsOf(platform, false)).withStructuredOutput(schema, { method, name: 'report' })
    expect(await model.invoke('Where is it warmest? Answer in JSON.')).toEqual(report)
  })

  it.for(['jsonSchema', 'functionCalling'] as const)('follows a schema by %s in responses mode', async (method) => {
    const platform = await start({ runtimes: weatherModel().runtimes })
    const schema = z.object({ city: z.string(), degrees: z.number() })
    const model = responsesOf(platform, false).withStructuredOutput(schema, { method, name: 'report' })
    expect(await model.invoke('Where is it warmest? Answer in JSON.')).toEqual(report)
  })

  it('goes on from a stored response', async () => {
    const model = weatherModel()
    const chat = responsesOf(await start({ runtimes: model.runtimes }), false)
    const first = await chat.invoke('Hello')
    const previous_response_id = first.response_metadata.id as string
    expect(previous_response_id).toMatch(/^resp_/)
    expect(textOf((await chat.invoke('And now?', { previous_response_id })).content)).toBe(answer)
    expect(model.requests[1]?.messages.map(({ content }) => content)).toEqual(['Hello', answer, 'And now?'])
  })
})
