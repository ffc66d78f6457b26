import { tool } from '@llamaindex/core/tools'
import { openai } from '@llamaindex/openai'
import { agent, agentStreamEvent } from '@llamaindex/workflow'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { describePlatformOnSqlite } from '../testing/describe-platform.ts'
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

describePlatformOnSqlite(name, (start) => {
  it('an agent closes its loop, streamed, and its memory goes on', async () => {
    const model = weatherModel()
    const platform = await start({ runtimes: model.runtimes })
    const llm = openai({ ...settings(platform), model: 'gpt-4o-mini' })
    const forecaster = agent({ tools: [weather], llm })
    let text = ''
    for await (const event of forecaster.runStream(question)) {
      if (agentStreamEvent.include(event)) text += event.data.delta
    }
    expect(text).toContain(answer)
    expectClosedLoop(model)
    expect((await forecaster.run('And tomorrow?')).data.message.content).toBe(answer)
    expectResults(model.requests.at(-1))
  })

  it('chats with tools without an agent', async () => {
    const model = weatherModel()
    const platform = await start({ runtimes: model.runtimes })
    const llm = openai({ ...settings(platform), model: 'gpt-4o-mini' })
    const { newMessages, toolCalls } = await llm.exec({
      messages: [{ role: 'user', content: question }],
      tools: [weather],
    })
    expect(toolCalls).toHaveLength(2)
    const messages = [{ role: 'user' as const, content: question }, ...newMessages]
    expect((await llm.exec({ messages, tools: [weather] })).toolCalls).toHaveLength(1)
  })
})
