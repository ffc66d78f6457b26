import { OpenAI4104 } from '@atoll/testkit/openai-clients'
import createInstructor from '@instructor-ai/instructor'
import { expect, it } from 'vitest'
import { z } from 'zod/v3'
import { describePlatformOnSqlite, type StartPlatform } from '../testing/describe-platform.ts'
import { ScriptedChatModel } from '../testing/scripted-chat-model.ts'
import { clientVersion } from './testing/client-version.ts'
import { settings } from './testing/loop.ts'
import { question, report, weatherModel } from './testing/weather-model.ts'

const schema = z.object({ city: z.string(), degrees: z.number() })
const ask = {
  model: 'gpt-4o-mini',
  messages: [{ role: 'user' as const, content: `${question} Answer in JSON.` }],
  response_model: { schema, name: 'report' },
}
const modes = ['TOOLS', 'JSON', 'FUNCTIONS'] as const

async function connect(start: StartPlatform, model: ScriptedChatModel, mode: (typeof modes)[number]) {
  const client = new OpenAI4104(settings(await start({ runtimes: model.runtimes })))
  return createInstructor({ client: client as never, mode, retryAllErrors: true }).chat.completions
}

describePlatformOnSqlite(`client @instructor-ai/instructor ${clientVersion('@instructor-ai/instructor')}`, (start) => {
  it.for(modes)('extracts by %s', async (mode) => {
    const completions = await connect(start, weatherModel(), mode)
    expect(await completions.create(ask as never)).toMatchObject(report)
  })

  it.for(['TOOLS', 'JSON'] as const)('extracts by %s as a stream', async (mode) => {
    const completions = await connect(start, weatherModel(), mode)
    const partials: unknown[] = []
    for await (const partial of (await completions.create({
      ...ask,
      stream: true,
    } as never)) as AsyncIterable<object>) {
      partials.push(partial)
    }
    expect(partials.at(-1)).toMatchObject(report)
  })

  it.for(['TOOLS', 'JSON'] as const)('asks again by %s with what was wrong', async (mode) => {
    const wrong = JSON.stringify({ ...report, degrees: 'nine' })
    const right = JSON.stringify(report)
    const say = (text: string) => (mode === 'TOOLS' ? [{ call: 'report', arguments: [text] }] : [text])
    const model = new ScriptedChatModel([say(wrong), say(right)])
    const completions = await connect(start, model, mode)
    expect(await completions.create({ ...ask, max_retries: 2 } as never)).toMatchObject(report)
    expect(model.requests).toHaveLength(2)
  })
})
