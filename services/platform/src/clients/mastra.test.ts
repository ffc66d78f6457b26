import { createOpenAI } from '@ai-sdk/openai'
import { Agent } from '@mastra/core/agent'
import { createTool } from '@mastra/core/tools'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { describePlatformOnSqlite } from '../testing/describe-platform.ts'
import { clientVersion } from './testing/client-version.ts'
import { expectClosedLoop, expectResults, settings } from './testing/loop.ts'
import { answer, question, report, weatherIn, weatherModel } from './testing/weather-model.ts'

process.env.MASTRA_TELEMETRY_DISABLED = '1'

const weather = createTool({
  id: 'weather',
  description: 'The weather in a city',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => weatherIn(city),
})

for (const mode of ['chat', 'responses'] as const)
  describePlatformOnSqlite(`client @mastra/core ${clientVersion('@mastra/core')} in ${mode} mode`, (start) => {
    const prepare = async () => {
      const model = weatherModel()
      const { apiKey, baseURL } = settings(await start({ runtimes: model.runtimes }))
      const provider = createOpenAI({ apiKey, baseURL })
      const used = mode === 'chat' ? provider.chat('gpt-4o-mini') : provider('gpt-4o-mini')
      const agent = new Agent({
        id: 'forecaster',
        name: 'forecaster',
        instructions: 'Be brief.',
        model: used as never,
        tools: { weather },
      })
      return { model, agent }
    }

    it('generate closes its loop, and its messages go on', async () => {
      const { model, agent } = await prepare()
      const { text, messages } = await agent.generate(question)
      expect(text).toBe(answer)
      expectClosedLoop(model)
      expect((await agent.generate([...messages, { role: 'user', content: 'And tomorrow?' }] as never)).text).toBe(
        answer,
      )
      expectResults(model.requests[3])
    })

    it('stream closes its loop', async () => {
      const { model, agent } = await prepare()
      const { textStream } = await agent.stream(question)
      let text = ''
      for await (const piece of textStream) text += piece
      expect(text).toBe(answer)
      expectClosedLoop(model)
    })

    it('follows a schema', async () => {
      const { agent } = await prepare()
      const schema = z.object({ city: z.string(), degrees: z.number() })
      const { object } = await agent.generate(question, { structuredOutput: { schema } })
      expect(object).toEqual(report)
    })
  })
