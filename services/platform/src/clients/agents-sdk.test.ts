import {
  Agent,
  type AgentInputItem,
  InputGuardrailTripwireTriggered,
  Runner,
  setTracingDisabled,
  tool,
} from '@openai/agents-core'
import { OpenAIProvider } from '@openai/agents-openai'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { describePlatformOnSqlite } from '../testing/describe-platform.ts'
import { clientVersion } from './testing/client-version.ts'
import { expectClosedLoop, expectResults, settings } from './testing/loop.ts'
import { answer, question, report, weatherIn, weatherModel } from './testing/weather-model.ts'

setTracingDisabled(true)

const weather = tool({
  name: 'weather',
  description: 'The weather in a city',
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => weatherIn(city),
})

const name = `client @openai/agents ${clientVersion('@openai/agents-core')}`
const modes = ['chat', 'responses'] as const

for (const mode of modes)
  describePlatformOnSqlite(`${name} in ${mode} mode`, (start) => {
    const prepare = async () => {
      const model = weatherModel()
      const platform = await start({ runtimes: model.runtimes })
      const { apiKey, baseURL } = settings(platform)
      const modelProvider = new OpenAIProvider({ apiKey, baseURL, useResponses: mode === 'responses' })
      const agent = new Agent({ name: 'forecaster', model: 'gpt-4o-mini', instructions: 'Be brief.', tools: [weather] })
      return { model, agent, runner: new Runner({ modelProvider, tracingDisabled: true }) }
    }

    it('closes its loop, and its history goes on', async () => {
      const { model, agent, runner } = await prepare()
      const result = await runner.run(agent, question)
      expect(result.finalOutput).toBe(answer)
      expectClosedLoop(model)
      const next: AgentInputItem[] = [...result.history, { role: 'user', content: 'And tomorrow?' }]
      expect((await runner.run(agent, next)).finalOutput).toBe(answer)
      expectResults(model.requests[3])
    })

    it('closes its loop, streamed', async () => {
      const { model, agent, runner } = await prepare()
      const result = await runner.run(agent, question, { stream: true })
      let text = ''
      for await (const piece of result.toTextStream()) text += piece
      await result.completed
      expect(text).toBe(answer)
      expectClosedLoop(model)
    })

    it('hands over to another agent', async () => {
      const { model, runner } = await prepare()
      const other = new Agent({
        name: 'other',
        model: 'gpt-4o-mini',
        handoffDescription: 'Knows more',
        tools: [weather],
      })
      const modelSettings = { toolChoice: 'required' as const }
      const first = Agent.create({ name: 'first', model: 'gpt-4o-mini', handoffs: [other], modelSettings })
      const result = await runner.run(first, question)
      expect(result.lastAgent?.name).toBe('other')
      expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['transfer_to_other'])
    })

    it('stops at a guardrail', async () => {
      const { runner } = await prepare()
      const guard = { name: 'never', execute: async () => ({ outputInfo: null, tripwireTriggered: true }) }
      const agent = new Agent({ name: 'guarded', model: 'gpt-4o-mini', inputGuardrails: [guard] })
      await expect(runner.run(agent, question)).rejects.toBeInstanceOf(InputGuardrailTripwireTriggered)
    })

    it('follows a schema', async () => {
      const { runner } = await prepare()
      const outputType = z.object({ city: z.string(), degrees: z.number() })
      const agent = new Agent({ name: 'reporter', model: 'gpt-4o-mini', outputType })
      expect((await runner.run(agent, question)).finalOutput).toEqual(report)
    })
  })
