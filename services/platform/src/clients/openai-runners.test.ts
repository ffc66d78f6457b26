import { OpenAI4, OpenAI5, OpenAI6, OpenAI7, OpenAI4104 } from '@atoll/testkit/openai-clients'
import { expect, it } from 'vitest'
import { describePlatformOnSqlite, type TestPlatform } from '../testing/describe-platform.ts'
import { clientVersion } from './testing/client-version.ts'
import { expectClosedLoop, expectResults, settings } from './testing/loop.ts'
import { answer, question, report, weatherIn, weatherModel } from './testing/weather-model.ts'

interface Message {
  role: string
  content?: unknown
  parsed?: unknown
}

interface Runner {
  messages: Message[]
  finalContent(): Promise<string | null>
  done(): Promise<void>
}

/** What the versions have in common; they differ in where it hangs, and in the names of types. */
interface Helpers {
  runTools(params: object): Runner
  parse(params: object): Promise<{ choices: { message: Message & { tool_calls?: object[] } }[] }>
  stream(params: object): { finalMessage(): Promise<Message> }
  create(params: object): Promise<{ choices: { message: { content: string | null } }[] }>
}

type Settings = ReturnType<typeof settings>

const both = (helpers: object, completions: object): Helpers =>
  Object.assign(Object.create(helpers), { create: (params: object) => (completions as Helpers).create(params) })

const clients: Record<string, (settings: Settings) => Helpers> = {
  'openai-4': (given) => {
    const client = new OpenAI4(given)
    return both(client.beta.chat.completions, client.chat.completions)
  },
  'openai-4-104': (given) => {
    const client = new OpenAI4104(given)
    return both(client.beta.chat.completions, client.chat.completions)
  },
  'openai-5': (given) => new OpenAI5(given).chat.completions as unknown as Helpers,
  'openai-6': (given) => new OpenAI6(given).chat.completions as unknown as Helpers,
  'openai-7': (given) => new OpenAI7(given).chat.completions as unknown as Helpers,
}

const parameters = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
const weather = {
  type: 'function',
  function: {
    name: 'weather',
    description: 'The weather in a city',
    parameters,
    parse: JSON.parse,
    function: ({ city }: { city: string }) => weatherIn(city),
  },
}
const ask = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: question }] }
const response_format = {
  type: 'json_schema',
  json_schema: {
    name: 'report',
    strict: true,
    schema: {
      type: 'object',
      properties: { city: { type: 'string' }, degrees: { type: 'integer' } },
      required: ['city', 'degrees'],
      additionalProperties: false,
    },
  },
}
const strictWeather = {
  type: 'function',
  function: { name: 'weather', strict: true, parameters },
}

for (const [name, connect] of Object.entries(clients)) {
  describePlatformOnSqlite(`client openai ${clientVersion(name)}`, (start) => {
    const prepare = async () => {
      const model = weatherModel()
      const platform: TestPlatform = await start({ runtimes: model.runtimes })
      return { model, completions: connect(settings(platform)) }
    }

    it.for([false, true])('runTools closes its loop, and its messages go on (stream: %s)', async (stream) => {
      const { model, completions } = await prepare()
      const runner = completions.runTools({ ...ask, stream, tools: [weather] })
      expect(await runner.finalContent()).toBe(answer)
      expectClosedLoop(model)
      const next = { role: 'user', content: 'And tomorrow?' }
      const { choices } = await completions.create({ ...ask, messages: [...runner.messages, next] })
      expect(choices[0]?.message.content).toBe(answer)
      expectResults(model.requests[3])
    })

    it('parse and stream: what was parsed goes back as it is', async () => {
      const { model, completions } = await prepare()
      const first = await completions.parse({ ...ask, response_format, tools: [strictWeather] })
      const called = first.choices[0]!.message
      expect(called.tool_calls).toHaveLength(2)
      const results = ['Oslo', 'Bergen'].map((city) => ({
        role: 'tool',
        tool_call_id: `call_${city.toLowerCase()}`,
        content: weatherIn(city),
      }))
      const messages = [...ask.messages, called, ...results]
      const second = await completions
        .stream({ ...ask, messages, response_format, tools: [strictWeather] })
        .finalMessage()
      const more = [
        ...messages,
        second,
        { role: 'tool', tool_call_id: 'call_reykjavik', content: weatherIn('Reykjavik') },
      ]
      const third = await completions.parse({ ...ask, messages: more, response_format })
      const said = third.choices[0]!.message
      expect(JSON.parse(String(said.content))).toEqual(report)
      const last = { messages: [...more, said, { role: 'user', content: 'And tomorrow?' }] }
      expect(await completions.create({ ...ask, ...last })).toMatchObject({
        choices: [{ message: { content: answer } }],
      })
      expectClosedLoop({ ...model, requests: model.requests.slice(0, 3) } as typeof model)
      expectResults(model.requests[3])
    })
  })
}
