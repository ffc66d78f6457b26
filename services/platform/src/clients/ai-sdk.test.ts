import { createOpenAI } from '@ai-sdk/openai'
import { generateText, isStepCount, Output, streamText, tool } from 'ai'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { describePlatformOnSqlite } from '../testing/describe-platform.ts'
import { clientVersion } from './testing/client-version.ts'
import { expectClosedLoop, expectResults, settings } from './testing/loop.ts'
import { answer, question, report, weatherIn, weatherModel } from './testing/weather-model.ts'

const weather = tool({
  description: 'The weather in a city',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => weatherIn(city),
})
const name = `client ai ${clientVersion('ai')} with @ai-sdk/openai ${clientVersion('@ai-sdk/openai')}`
const modes = ['chat', 'responses'] as const

for (const mode of modes)
  describePlatformOnSqlite(`${name} in ${mode} mode`, (start) => {
    const prepare = async () => {
      const model = weatherModel()
      const platform = await start({ runtimes: model.runtimes })
      const { apiKey, baseURL } = settings(platform)
      const provider = createOpenAI({ apiKey, baseURL })
      // Responses are what it uses unless told.
      const used = mode === 'chat' ? provider.chat('gpt-4o-mini') : provider('gpt-4o-mini')
      return { model, ask: { model: used, maxRetries: 0, tools: { weather }, stopWhen: isStepCount(5) } }
    }

    it('generateText closes its loop, and its messages go on', async () => {
      const { model, ask } = await prepare()
      const { text, responseMessages } = await generateText({ ...ask, prompt: question })
      expect(text).toBe(answer)
      expectClosedLoop(model)
      const messages = [
        { role: 'user' as const, content: question },
        ...responseMessages,
        { role: 'user' as const, content: 'And tomorrow?' },
      ]
      expect((await generateText({ ...ask, messages })).text).toBe(answer)
      expectResults(model.requests[3])
    })

    it('streamText closes its loop', async () => {
      const { model, ask } = await prepare()
      const result = streamText({ ...ask, prompt: question })
      let text = ''
      for await (const piece of result.textStream) text += piece
      expect(text).toBe(answer)
      expectClosedLoop(model)
    })

    it('follows a schema', async () => {
      const { ask } = await prepare()
      const schema = z.object({ city: z.string(), degrees: z.number() })
      const { output } = await generateText({ model: ask.model, prompt: question, output: Output.object({ schema }) })
      expect(output).toEqual(report)
    })
  })
