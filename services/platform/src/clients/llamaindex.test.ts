import { tool } from '@llamaindex/core/tools'
import { openai, openaiResponses } from '@llamaindex/openai'
import { agent, agentStreamEvent } from '@llamaindex/workflow'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { describePlatformOnSqlite, type TestPlatform } from '../testing/describe-platform.ts'
import { clientVersion } from './testing/client-version.ts'
import { expectClosedLoop, expectResults, settings } from './testing/loop.ts'
import { answer, question, weatherIn, weatherModel } from './testing/weather-model.ts'

const weather = tool({
  name: 'weather',
  description: 'The weather in a city',
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => weatherIn(city),
})
const name = `client @llamaindex/openai ${clientVersion('@llamaindex/openai')} with @llamaindex/workflow ${clientVersion('@llamaindex/workflow')}`

/** What is used of both is alike in both. */
const modes: Record<string, (platform: TestPlatform) => ReturnType<typeof openai>> = {
  chat: (platform: TestPlatform) => openai({ ...settings(platform), model: 'gpt-4o-mini' }),
  responses: (platform: TestPlatform) => openaiResponses({ ...settings(platform), model: 'gpt-4o-mini' }) as never,
}

for (const [mode, connect] of Object.entries(modes))
  describePlatformOnSqlite(`${name} in ${mode} mode`, (start) => {
    it('an agent closes its loop, streamed, and its memory goes on', async () => {
      const model = weatherModel()
      const platform = await start({ runtimes: model.runtimes })
      const llm = connect(platform)
      const forecaster = agent({ tools: [weather], llm })
      let text = ''
      for await (const event of forecaster.runStream(question)) {
        if (agentStreamEvent.include(event)) text += event.data.delta
      }
      expect(text).toContain(answer)
      expectClosedLoop(model)
      // Its reader of responses adds the last piece again with every event that follows it.
      expect((await forecaster.run('And tomorrow?')).data.message.content).toContain(answer)
      expectResults(model.requests.at(-1))
    })

    it('chats with tools without an agent', async () => {
      const model = weatherModel()
      const platform = await start({ runtimes: model.runtimes })
      const llm = connect(platform)
      const { newMessages, toolCalls } = await llm.exec({
        messages: [{ role: 'user', content: question }],
        tools: [weather],
      })
      expect(toolCalls).toHaveLength(2)
      const messages = [{ role: 'user' as const, content: question }, ...newMessages]
      expect((await llm.exec({ messages, tools: [weather] })).toolCalls).toHaveLength(1)
    })
  })
