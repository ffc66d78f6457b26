// The Responses interface by the official clients of every major version that has it, with their own helpers.
import { OpenAI5, OpenAI6, OpenAI7, OpenAI4104 } from '@atoll/testkit/openai-clients'
import { expect, it } from 'vitest'
import { describePlatformOnSqlite } from '../testing/describe-platform.ts'
import { clientVersion } from './testing/client-version.ts'
import { expectClosedLoop, expectResults, settings } from './testing/loop.ts'
import { answer, question, report, weatherIn, weatherModel } from './testing/weather-model.ts'

/** The versions agree on what is used here, but not in their types. */
const clients: Record<string, typeof OpenAI7> = {
  'openai-4-104': OpenAI4104 as unknown as typeof OpenAI7,
  'openai-5': OpenAI5 as unknown as typeof OpenAI7,
  'openai-6': OpenAI6 as unknown as typeof OpenAI7,
  'openai-7': OpenAI7,
}

const object = (properties: object) => ({
  ...{ type: 'object', properties, required: Object.keys(properties), additionalProperties: false },
})
const parameters = object({ city: { type: 'string' } })
const tools = [{ type: 'function' as const, name: 'weather', description: 'The weather', parameters, strict: true }]
const format = {
  ...{ type: 'json_schema' as const, name: 'report', strict: true },
  schema: object({ city: { type: 'string' }, degrees: { type: 'integer' } }),
}
const ask = { model: 'gpt-4o-mini', tools }

type Output = OpenAI7.Responses.ResponseOutputItem[]

/** What the caller does with the calls of an answer. */
const outputsOf = (output: Output) =>
  output.flatMap((item) => {
    if (item.type !== 'function_call') return []
    const { city } = JSON.parse(item.arguments) as { city: string }
    return [{ type: 'function_call_output' as const, call_id: item.call_id, output: weatherIn(city) }]
  })

for (const [name, Client] of Object.entries(clients)) {
  describePlatformOnSqlite(`client openai ${clientVersion(name)} in responses mode`, (start) => {
    const prepare = async () => {
      const model = weatherModel()
      const client = new Client(settings(await start({ runtimes: model.runtimes })))
      return { model, client, responses: client.responses }
    }

    it('closes its loop by previous_response_id, and its history goes on', async () => {
      const { model, responses } = await prepare()
      let response = await responses.create({ ...ask, input: question })
      for (let input = outputsOf(response.output); input.length > 0; input = outputsOf(response.output)) {
        response = await responses.create({ ...ask, previous_response_id: response.id, input })
      }
      expect(response.output_text).toBe(answer)
      expectClosedLoop(model)
      const next = { ...ask, previous_response_id: response.id, input: 'And tomorrow?' }
      expect((await responses.create(next)).output_text).toBe(answer)
      expectResults(model.requests[3])
    })

    it('closes its loop, streamed, with all items sent back and nothing stored', async () => {
      const { model, responses } = await prepare()
      const input: OpenAI7.Responses.ResponseInput = [{ role: 'user', content: question }]
      let text = ''
      for (let round = 0; round < 3; round++) {
        const stream = responses.stream({ ...ask, input, store: false })
        stream.on('response.output_text.delta', ({ delta }) => {
          text += delta
        })
        const { output } = await stream.finalResponse()
        input.push(...(output as OpenAI7.Responses.ResponseInput), ...outputsOf(output))
      }
      expect(text).toBe(answer)
      expectClosedLoop(model)
    })

    it('follows a schema', async () => {
      const { responses } = await prepare()
      const asked = { model: 'gpt-4o-mini', input: 'Where?', text: { format } }
      expect((await responses.parse(asked)).output_parsed).toEqual(report)
    })

    it('works in the background, and its stream can be read again', async () => {
      const { responses } = await prepare()
      const { id } = await responses.create({ model: 'gpt-4o-mini', input: 'Hi', background: true })
      await expect.poll(async () => (await responses.retrieve(id)).status).toBe('completed')
      let text = ''
      for await (const event of await responses.retrieve(id, { stream: true })) {
        if (event.type === 'response.output_text.delta') text += event.delta
      }
      expect(text).toBe(answer)
    })

    if (name === 'openai-4-104') return
    it('keeps a conversation', async () => {
      const { model, client, responses } = await prepare()
      const { id: conversation } = await client.conversations.create({ metadata: { topic: 'weather' } })
      await responses.create({ model: 'gpt-4o-mini', conversation, input: 'Hello' })
      await responses.create({ model: 'gpt-4o-mini', conversation, input: 'Again' })
      expect(model.requests[1]?.messages.map(({ content }) => content)).toEqual(['Hello', answer, 'Again'])
      const kept: string[] = []
      for await (const { type } of client.conversations.items.list(conversation)) kept.push(type)
      expect(kept).toEqual(['message', 'message', 'message', 'message'])
    })
  })
}
