// Programs as their users wrote them for the first form, with the clients of that time.
import { OpenAI420, OpenAI433, toFile433 } from '@atoll/testkit/openai-clients'
import { expect, it } from 'vitest'
import { describePlatformOnSqlite, type TestPlatform } from '../../testing/describe-platform.ts'
import { namesOf, weather } from '../../testing/run-requests.ts'
import { type Piece, ScriptedChatModel } from '../../testing/scripted-chat-model.ts'
import { waitUntil } from '../../testing/wait-until.ts'
import { WordEmbeddings } from '../vector-stores/testing/word-embeddings.ts'
import { newAssistantV1, newThreadV1, streamedV1 } from './testing/v1-requests.ts'

const club =
  'The workshop of the bicycle club is open on Tuesday from 5 pm to 8 pm. Members repair their bicycles for free; guests pay 6 euros an evening. Tools are lent out against a deposit of 20 euros.'
const call: Piece = { call: 'get_weather', arguments: ['{"city":', '"Paris"}'] }
const quote = 'Members repair their bicycles for free; guests pay 6 euros an evening.'
const answer = 'Guests pay 6 euros an evening.【0:0†club.txt】'
const citation = {
  type: 'file_citation',
  text: '【0:0†club.txt】',
  start_index: 30,
  end_index: 44,
}
const tool = {
  type: 'function' as const,
  function: { ...weather.function, parameters: weather.function.parameters as Record<string, unknown> },
}
const polling = { pollIntervalMs: 20 }

const settings = ({ url, apiKey }: TestPlatform) => ({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 })

describePlatformOnSqlite('the first form with the clients of its time', (start) => {
  const begin = (script: Piece[][]) => {
    const runtimes = { ...new ScriptedChatModel(script).runtimes, ...new WordEmbeddings().runtimes }
    return start({ runtimes })
  }

  it('AST-033 AST-035 AST-052 AST-060 AST-088 answers from a file of the assistant with openai 4.20.1', async () => {
    const platform = await begin([['Guests pay 6 eu', 'ros an evening.'], ['Nothing more.']])
    const client = new OpenAI420(settings(platform))
    const file = await client.files.create({
      file: await toFile433(Buffer.from(club), 'club.txt'),
      purpose: 'assistants',
    })
    const { assistants, threads } = client.beta
    const assistant = await assistants.create({
      model: 'gpt-4-1106-preview',
      instructions: 'Answer from the files.',
      tools: [{ type: 'retrieval' }],
      file_ids: [file.id],
    })
    expect(assistant).toMatchObject({ tools: [{ type: 'retrieval' }], file_ids: [file.id] })
    const thread = await threads.create()
    await threads.messages.create(thread.id, { role: 'user', content: 'How much do guests pay for an evening?' })
    let run = await threads.runs.create(thread.id, { assistant_id: assistant.id })
    await waitUntil(async () => {
      run = await threads.runs.retrieve(thread.id, run.id)
      return run.status !== 'queued' && run.status !== 'in_progress'
    })
    expect(run).toMatchObject({ status: 'completed', file_ids: [file.id] })
    const messages = await threads.messages.list(thread.id)
    const [content] = messages.data[0]?.content ?? []
    const cited = { file_id: file.id, quote }
    expect(content).toEqual({
      type: 'text',
      text: { value: answer, annotations: [{ ...citation, file_citation: cited }] },
    })
    const steps = await threads.runs.steps.list(thread.id, run.id)
    expect(steps.data.map(({ type }) => type)).toEqual(['message_creation', 'tool_calls'])
    expect(steps.data[1]?.step_details).toMatchObject({ tool_calls: [{ type: 'retrieval', retrieval: {} }] })

    const [attached] = (await assistants.files.list(assistant.id)).data
    expect(attached).toMatchObject({ id: file.id, object: 'assistant.file', assistant_id: assistant.id })
    expect(await assistants.files.retrieve(assistant.id, file.id)).toEqual(attached)
    expect(await assistants.files.del(assistant.id, file.id)).toMatchObject({ deleted: true })
    const created = await assistants.files.create(assistant.id, { file_id: file.id })
    expect(created.id).toBe(file.id)
    const updated = await assistants.update(assistant.id, { name: 'Club', file_ids: [] })
    expect(updated).toMatchObject({ name: 'Club', file_ids: [] })
    const message = await threads.messages.create(thread.id, { role: 'user', content: 'And?', file_ids: [file.id] })
    const files = await threads.messages.files.list(thread.id, message.id)
    expect(files.data).toMatchObject([{ id: file.id, object: 'thread.message.file', message_id: message.id }])
    expect(await threads.messages.files.retrieve(thread.id, message.id, file.id)).toEqual(files.data[0])
    expect((await threads.del(thread.id)).deleted).toBe(true)
    expect((await assistants.del(assistant.id)).deleted).toBe(true)
    await expect(assistants.retrieve(assistant.id)).rejects.toMatchObject({ status: 404 })
  })

  it('AST-080 AST-091 calls a function of the program with openai 4.20.1', async () => {
    const platform = await begin([[call], ['Sunny']])
    const { assistants, threads } = new OpenAI420(settings(platform)).beta
    const assistant = await assistants.create({ model: 'gpt-4', tools: [tool] })
    const messages = [{ role: 'user' as const, content: 'Weather in Paris?' }]
    let run = await threads.createAndRun({ assistant_id: assistant.id, thread: { messages } })
    const { thread_id } = run
    const settled = () =>
      waitUntil(async () => {
        run = await threads.runs.retrieve(thread_id, run.id)
        return run.status !== 'queued' && run.status !== 'in_progress'
      })
    await settled()
    const asked = run.required_action?.submit_tool_outputs.tool_calls ?? []
    expect(asked.map((one) => JSON.parse(one.function.arguments))).toEqual([{ city: 'Paris' }])
    await threads.runs.submitToolOutputs(thread_id, run.id, {
      tool_outputs: asked.map(({ id }) => ({ tool_call_id: id, output: 'sun' })),
    })
    await settled()
    expect(run.status).toBe('completed')
    const list = await threads.messages.list(thread_id)
    expect(list.data[0]).toMatchObject({ role: 'assistant', run_id: run.id, content: [{ text: { value: 'Sunny' } }] })
    const [step] = (await threads.runs.steps.list(thread_id, run.id, { order: 'asc' })).data
    const retrieved = await threads.runs.steps.retrieve(thread_id, run.id, step?.id ?? '')
    expect(retrieved.step_details).toMatchObject({ tool_calls: [{ function: { output: 'sun' } }] })
  })

  it('AST-050 AST-060 AST-067 polls with openai 4.33.1, over pages of messages', async () => {
    const platform = await begin([['A deposit of 20 euros.'], [call], ['Sunny']])
    const client = new OpenAI433(settings(platform))
    const { assistants, threads } = client.beta
    const file = await client.files.create({
      file: await toFile433(Buffer.from(club), 'club.txt'),
      purpose: 'assistants',
    })
    const assistant = await assistants.create({ model: 'gpt-4-turbo-preview', tools: [{ type: 'retrieval' }, tool] })
    const thread = await threads.create({
      messages: [{ role: 'user', content: 'What is the deposit for tools?', file_ids: [file.id] }],
    })
    const run = await threads.runs.createAndPoll(thread.id, { assistant_id: assistant.id }, polling)
    expect(run).toMatchObject({ status: 'completed', tools: [{ type: 'retrieval' }, { type: 'function' }] })
    const texts: string[] = []
    for await (const { content } of threads.messages.list(thread.id, { limit: 1 })) {
      for (const part of content) if (part.type === 'text') texts.push(part.text.value)
    }
    expect(texts).toEqual(['A deposit of 20 euros.【0:0†club.txt】', 'What is the deposit for tools?'])

    const waiting = await threads.createAndRunPoll(
      { assistant_id: assistant.id, thread: { messages: [{ role: 'user', content: 'Weather in Paris?' }] } },
      polling,
    )
    expect(waiting.status).toBe('requires_action')
    const calls = waiting.required_action?.submit_tool_outputs.tool_calls ?? []
    const tool_outputs = calls.map(({ id }) => ({ tool_call_id: id, output: 'sun' }))
    const ended = await threads.runs.submitToolOutputsAndPoll(waiting.thread_id, waiting.id, { tool_outputs }, polling)
    expect(ended).toMatchObject({ status: 'completed', incomplete_details: null })
  })

  it('AST-060 AST-067 streams an answer from a file with openai 4.33.1, citation and all', async () => {
    const platform = await begin([['Guests pay 6 eu', 'ros an evening.'], ['Hello']])
    const client = new OpenAI433(settings(platform))
    const { assistants, threads } = client.beta
    const { id } = await platform.addFile('club.txt', club)
    const assistant = await assistants.create({ model: 'gpt-4-turbo', tools: [{ type: 'retrieval' }], file_ids: [id] })
    const thread = await threads.create({ messages: [{ role: 'user', content: 'What do guests pay an evening?' }] })
    const events: string[] = []
    const calls: string[] = []
    const texts: string[] = []
    const stream = threads.runs.createAndStream(thread.id, { assistant_id: assistant.id })
    stream.on('event', ({ event }) => events.push(event))
    stream.on('toolCallCreated', ({ type }) => calls.push(type))
    stream.on('textDelta', ({ value }) => texts.push(value ?? ''))
    const run = await stream.finalRun()
    expect(run).toMatchObject({ status: 'completed', file_ids: [id] })
    expect(calls).toEqual(['retrieval'])
    expect(texts.join('')).toBe(answer)
    expect(events.slice(0, 3)).toEqual(['thread.run.created', 'thread.run.queued', 'thread.run.in_progress'])
    expect(events.at(-1)).toBe('thread.run.completed')
    const [message] = await stream.finalMessages()
    const annotations = [{ ...citation, file_citation: { file_id: id, quote } }]
    expect(message).toMatchObject({ file_ids: [], content: [{ text: { value: answer, annotations } }] })
    const steps = await stream.finalRunSteps()
    expect(steps[0]?.step_details).toMatchObject({ tool_calls: [{ type: 'retrieval', retrieval: {} }] })

    const messages = [{ role: 'user' as const, content: 'Hi' }]
    const whole = threads.createAndRunStream({ assistant_id: assistant.id, thread: { messages } })
    const names: string[] = []
    for await (const { event } of whole) names.push(event)
    expect(names.slice(0, 2)).toEqual(['thread.created', 'thread.run.created'])
  })

  it('AST-080 streams a function call and what comes after its output with openai 4.33.1', async () => {
    const platform = await begin([[call], ['Sun', 'ny']])
    const { assistants, threads } = new OpenAI433(settings(platform)).beta
    const assistant = await assistants.create({ model: 'gpt-4', tools: [tool] })
    const thread = await threads.create({ messages: [{ role: 'user', content: 'Weather in Paris?' }] })
    const first = threads.runs.createAndStream(thread.id, { assistant_id: assistant.id })
    const written: string[] = []
    first.on('toolCallDelta', (delta) => {
      if (delta.type === 'function') written.push(delta.function?.arguments ?? '')
    })
    const waiting = await first.finalRun()
    expect([waiting.status, written.join('')]).toEqual(['requires_action', '{"city":"Paris"}'])
    const calls = waiting.required_action?.submit_tool_outputs.tool_calls ?? []
    const tool_outputs = calls.map(({ id }) => ({ tool_call_id: id, output: 'sun' }))
    const second = threads.runs.submitToolOutputsStream(thread.id, waiting.id, { tool_outputs })
    const texts: string[] = []
    second.on('textDelta', ({ value }) => texts.push(value ?? ''))
    expect((await second.finalRun()).status).toBe('completed')
    expect(texts).toEqual(['Sun', 'ny'])
  })

  it('AST-086 a run whose tokens are used up ends for openai 4.33.1, polled or streamed', async () => {
    const short = { pieces: ['Once upon'], finish: 'length' as const, completionTokens: 256 }
    const platform = await start({ runtimes: new ScriptedChatModel([short]).runtimes })
    const { assistants, threads } = new OpenAI433(settings(platform)).beta
    const assistant = await assistants.create({ model: 'gpt-4' })
    const body = { assistant_id: assistant.id, max_completion_tokens: 256 }
    const thread = await threads.create({ messages: [{ role: 'user', content: 'Tell a tale' }] })
    const incomplete_details = { reason: 'max_completion_tokens' }
    const polled = await threads.runs.createAndPoll(thread.id, body, polling)
    expect(polled).toMatchObject({ status: 'completed', incomplete_details })
    const stream = threads.runs.createAndStream(thread.id, body)
    expect(await stream.finalRun()).toMatchObject({ status: 'completed', incomplete_details })
  })

  it('AST-077 every event of a stream has its object in the old form', async () => {
    const platform = await begin([[call], ['Sunny']])
    const { id: file } = await platform.addFile('club.txt', club)
    const { id: assistant_id } = await newAssistantV1(platform, {
      tools: [{ type: 'retrieval' }, tool],
      file_ids: [file],
    })
    const { id } = await newThreadV1(platform, 'Weather in Paris?')
    const events = await streamedV1(platform, `/v1/threads/${id}/runs`, { assistant_id })
    const searched = ['created', 'in_progress', 'delta', 'completed'].map((name) => `thread.run.step.${name}`)
    const called = searched.slice(0, 3)
    expect(namesOf(events)).toEqual([
      ...['created', 'queued', 'in_progress'].map((name) => `thread.run.${name}`),
      ...[...searched, ...called, 'thread.run.requires_action', 'done'],
    ])
    const delta = events.find(({ event }) => event === 'thread.run.step.delta')?.data
    expect(delta.delta.step_details).toEqual({
      type: 'tool_calls',
      tool_calls: [{ index: 0, id: expect.stringMatching(/^call_/), type: 'retrieval', retrieval: {} }],
    })
    const run = events.at(-2)?.data
    const tool_outputs = [{ tool_call_id: run.required_action.submit_tool_outputs.tool_calls[0].id, output: 'sun' }]
    const rest = await streamedV1(platform, `/v1/threads/${id}/runs/${run.id}/submit_tool_outputs`, { tool_outputs })
    expect(rest.at(-2)).toMatchObject({ event: 'thread.run.completed', data: { file_ids: [file] } })
    expect(rest.find(({ event }) => event === 'thread.message.created')?.data).toMatchObject({ file_ids: [] })
  })
})
