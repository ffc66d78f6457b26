import { OpenAI5, OpenAI6, OpenAI7, OpenAI4104 } from '@atoll/testkit/openai-clients'
import { expect, it } from 'vitest'
import { describePlatform, describePlatformOnSqlite, type TestPlatform } from '../../testing/describe-platform.ts'
import { errorOf } from '../../testing/requests.ts'
import { type Piece, ScriptedChatModel } from '../../testing/scripted-chat-model.ts'

const settings = ({ url, apiKey }: TestPlatform) => ({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 })

// The versions agree on what is used here, but not in their types.
const clients = (platform: TestPlatform): [string, OpenAI7][] => [
  ['4.104', new OpenAI4104(settings(platform)) as unknown as OpenAI7],
  ['5', new OpenAI5(settings(platform)) as unknown as OpenAI7],
  ['6', new OpenAI6(settings(platform)) as unknown as OpenAI7],
  ['7', new OpenAI7(settings(platform))],
]

const model = 'gpt-4o-mini'
const parameters = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
const weather = { type: 'function' as const, name: 'get_weather', description: 'Weather', parameters, strict: true }
const weatherCall: Piece = { call: 'get_weather', arguments: ['{"city":', '"Oslo"}'] }

const newClient = (platform: TestPlatform): OpenAI7 => new OpenAI7(settings(platform))

describePlatformOnSqlite('responses', (start) => {
  it('are answered whole, to the openai clients 4.104, 5, 6 and 7', async () => {
    const scripted = new ScriptedChatModel([['Hello ', 'there.']])
    const platform = await start({ runtimes: scripted.runtimes })
    for (const [version, client] of clients(platform)) {
      const asked = { model, input: 'Hi', instructions: 'Be brief.', metadata: { version }, temperature: 0.5 }
      const response = await client.responses.create(asked)
      expect(response).toMatchObject({
        ...{ object: 'response', status: 'completed', output_text: 'Hello there.', error: null, temperature: 0.5 },
        ...{ metadata: { version }, instructions: 'Be brief.', store: true, tools: [], tool_choice: 'auto' },
        usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15, input_tokens_details: { cached_tokens: 0 } },
      })
      expect(response.id).toMatch(/^resp_/)
      expect(response.output).toMatchObject([
        {
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', annotations: [] }],
        },
      ])
    }
    const [asked] = scripted.requests
    expect(asked?.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
    ])
    expect(asked?.sampling.temperature).toBe(0.5)
  })

  it('are streamed with pieces of whole steps where that is asked for', async () => {
    const platform = await start({ runtimes: new ScriptedChatModel([['Hello ', 'there.']]).runtimes })
    const asked = { model, input: 'Hi', stream: true as const, stream_options: { include_obfuscation: true } }
    const lengths: number[] = []
    for await (const event of await newClient(platform).responses.create(asked)) {
      if (event.type !== 'response.output_text.delta') continue
      const { delta, obfuscation } = event as { delta: string; obfuscation?: string }
      lengths.push(delta.length + (obfuscation?.length ?? 0))
    }
    expect(lengths).toEqual([16, 16])
  })

  it('are streamed, every event in its order with its number, to the openai clients 4.104, 5, 6 and 7', async () => {
    const scripted = new ScriptedChatModel([['Hello ', 'there.']])
    const platform = await start({ runtimes: scripted.runtimes })
    for (const [version, client] of clients(platform)) {
      const events = []
      for await (const event of await client.responses.create({ model, input: 'Hi', stream: true })) events.push(event)
      expect([version, events.map(({ type }) => type.replace('response.', ''))]).toEqual([
        version,
        [
          ...['created', 'in_progress', 'output_item.added', 'content_part.added'],
          ...['output_text.delta', 'output_text.delta', 'output_text.done', 'content_part.done'],
          ...['output_item.done', 'completed'],
        ],
      ])
      expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index))
      const last = events.at(-1)
      expect(last).toMatchObject({ response: { status: 'completed', usage: { total_tokens: 15 } } })
      const id = last?.type === 'response.completed' ? last.response.id : ''
      // Version 4 adds `output_text` only to what it has created.
      expect((await client.responses.retrieve(id)).output).toMatchObject([{ content: [{ text: 'Hello there.' }] }])
    }
    const stream = newClient(platform).responses.stream({ model, input: 'Hi' })
    expect((await stream.finalResponse()).output_text).toBe('Hello there.')
  })

  it('call functions, streamed and not, and go on with their outputs', async () => {
    const scripted = new ScriptedChatModel(({ messages }) =>
      messages.some(({ role }) => role === 'tool') ? ['4 degrees.'] : ['Let me see. ', weatherCall, weatherCall],
    )
    const platform = await start({ runtimes: scripted.runtimes })
    for (const [, client] of clients(platform)) {
      const called = await client.responses.create({ model, input: 'How is Oslo?', tools: [weather] })
      expect(called.output).toMatchObject([
        { type: 'message' },
        { type: 'function_call', name: 'get_weather', arguments: '{"city":"Oslo"}', status: 'completed' },
        { type: 'function_call' },
      ])
      const outputs = called.output.flatMap((item) =>
        item.type === 'function_call'
          ? [{ type: 'function_call_output' as const, call_id: item.call_id, output: '4' }]
          : [],
      )
      const chained = { model, tools: [weather], previous_response_id: called.id, input: outputs }
      expect((await client.responses.create(chained)).output_text).toBe('4 degrees.')
      const said = [{ role: 'user' as const, content: 'How is Oslo?' }, ...called.output, ...outputs]
      const whole = await client.responses.create({ model, tools: [weather], input: said as never, store: false })
      expect(whole.output_text).toBe('4 degrees.')
    }
    const [first, second, third] = scripted.requests.slice(0, 3)
    expect(first?.tools).toEqual([{ name: 'get_weather', description: 'Weather', parameters, strict: true }])
    const roles = ['user', 'assistant', 'tool', 'tool']
    for (const request of [second, third]) expect(request?.messages.map(({ role }) => role)).toEqual(roles)
    const types = []
    const asked = { model, input: 'How is Oslo?', tools: [weather], stream: true as const }
    for await (const { type } of await newClient(platform).responses.create(asked)) types.push(type)
    const call = ['output_item.added', ...Array(2).fill('function_call_arguments.delta')]
    const done = ['function_call_arguments.done', 'output_item.done']
    expect(types.slice(7).map((type) => type.replace('response.', ''))).toEqual([
      ...['output_item.done', ...call, ...done, ...call, ...done, 'completed'],
    ])
  })

  it('follow a schema', async () => {
    const scripted = new ScriptedChatModel([['{"city":"Oslo"}']])
    const platform = await start({ runtimes: scripted.runtimes })
    const format = { type: 'json_schema' as const, name: 'place', schema: parameters, strict: true }
    const response = await newClient(platform).responses.create({ model, input: 'Where?', text: { format } })
    expect(JSON.parse(response.output_text)).toEqual({ city: 'Oslo' })
    expect(response.text).toMatchObject({ format })
    const json_schema = { name: 'place', schema: parameters, strict: true }
    expect(scripted.requests[0]?.responseFormat).toEqual({ type: 'json_schema', json_schema })
  })

  it('tell that they were cut short, refused or forced', async () => {
    const scripted = new ScriptedChatModel([
      { pieces: ['Once upon'], finish: 'length' },
      { pieces: [{ refusal: 'No.' }] },
      [weatherCall],
    ])
    const platform = await start({ runtimes: scripted.runtimes })
    const { responses } = newClient(platform)
    expect(await responses.create({ model, input: 'Tell', max_output_tokens: 16 })).toMatchObject({
      ...{ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, max_output_tokens: 16 },
      output: [{ status: 'incomplete', content: [{ text: 'Once upon' }] }],
    })
    expect(scripted.requests[0]?.maxTokens).toBe(16)
    const refused = []
    for await (const event of await responses.create({ model, input: 'Tell', stream: true })) refused.push(event)
    expect(refused.map(({ type }) => type)).toContain('response.refusal.delta')
    expect(refused.at(-1)).toMatchObject({ response: { output: [{ content: [{ type: 'refusal', refusal: 'No.' }] }] } })
    const other = { ...weather, name: 'other' }
    const choice = {
      type: 'allowed_tools' as const,
      mode: 'required' as const,
      tools: [{ type: 'function', name: 'other' }],
    }
    await responses.create({ model, input: 'Tell', tools: [weather, other], tool_choice: choice })
    expect(scripted.requests[2]).toMatchObject({ toolChoice: 'required', tools: [{ name: 'other' }] })
  })

  it('say what is wrong with a request, and nothing is asked', async () => {
    const scripted = new ScriptedChatModel([['No.']])
    const platform = await start({ runtimes: scripted.runtimes })
    const output = { type: 'function_call_output', call_id: 'call_1', output: '4' }
    const call = { type: 'function_call', call_id: 'call_1', name: 'get_weather', arguments: '{}' }
    const cases: [body: object, status: number, param: string | null, words: string][] = [
      [{ input: 'Hi' }, 400, 'model', 'Missing required'],
      [{ model }, 400, 'input', 'nothing to answer'],
      [{ model: 'nobody', input: 'Hi' }, 404, 'model', 'does not exist'],
      [{ model, input: [output] }, 400, 'input', 'No tool call found for function call output with call_id call_1'],
      [{ model, input: [call] }, 400, 'input', 'No tool output found for function call call_1'],
      [{ model, input: [output, call] }, 400, 'input', 'No tool call found'],
      [{ model, input: [call, output, output] }, 400, 'input', 'No tool call found'],
      [{ model, input: [{ type: 'item_reference', id: 'msg_x' }] }, 404, 'input', "'msg_x' not found"],
      [{ model, input: [{ type: 'web_search_call', id: 'x' }] }, 400, 'input[0].type', 'Supported values'],
      [{ model, input: 'Hi', previous_response_id: 'resp_x' }, 400, 'previous_response_id', "'resp_x' not found"],
      [{ model, input: 'Hi', conversation: 'conv_x' }, 404, null, "'conv_x' not found"],
      [
        { model, input: 'Hi', conversation: 'conv_x', previous_response_id: 'resp_x' },
        ...([400, 'previous_response_id', 'cannot be used together'] as const),
      ],
      [{ model, input: 'Hi', tools: [{ type: 'magic' }] }, 400, 'tools[0].type', 'Supported values'],
      [{ model, input: 'Hi', tools: [weather, weather] }, 400, 'tools', 'more than one tool'],
      [{ model, input: 'Hi', tool_choice: 'required' }, 400, 'tool_choice', 'not found'],
      [{ model, input: 'Hi', tool_choice: { type: 'function', name: 'x' } }, 400, 'tool_choice', "'x'"],
      [{ model, input: 'Hi', reasoning: { summary: 'detailed' } }, 400, 'reasoning.summary', 'has reasoned'],
      [{ model, input: 'Hi', text: { format: { type: 'json_object' } } }, 400, 'input', "'json'"],
      [{ model, input: 'Hi', service_tier: 'priority' }, 400, 'service_tier', 'Supported values'],
      [{ model, input: 'Hi', background: true, store: false }, 400, 'store', 'background'],
      [{ model, input: 'Hi', prompt: { id: 'p' } }, 400, 'prompt', 'Unknown parameter'],
      [{ model, input: 'Hi', max_output_tokens: 1 }, 400, 'max_output_tokens', '>= 16'],
    ]
    for (const [body, status, param, words] of cases) {
      const answer = await platform.post('/v1/responses', body)
      const error = await errorOf(answer)
      expect([body, answer.status, error]).toEqual([
        ...[body, status],
        expect.objectContaining({ param, message: expect.stringContaining(words) }),
      ])
    }
    expect(scripted.requests).toEqual([])
  })

  it('say of tools that are not to be had here why, and what to use instead', async () => {
    const platform = await start({ runtimes: new ScriptedChatModel([['No.']]).runtimes })
    const cases: [type: string, words: string][] = [
      ['web_search', 'does not search the web'],
      ['web_search_preview', 'does not search the web'],
      ['computer_use_preview', 'operates a computer'],
      ['local_shell', 'no shell commands'],
      ['custom', 'one string parameter'],
    ]
    for (const [type, words] of cases) {
      const message = expect.stringContaining(words)
      const offered = await platform.post('/v1/responses', { model, input: 'Hi', tools: [{ type, name: 'x' }] })
      expect(await errorOf(offered)).toMatchObject({ param: 'tools[0].type', message })
      const chosen = await platform.post('/v1/responses', { model, input: 'Hi', tool_choice: { type } })
      expect(await errorOf(chosen)).toMatchObject({ param: 'tool_choice.type', message })
    }
    const asked = { model, messages: [{ role: 'user', content: 'Hi' }], tools: [{ type: 'custom', custom: {} }] }
    const message = expect.stringContaining('one string parameter')
    expect(await errorOf(await platform.post('/v1/chat/completions', asked))).toMatchObject({ message })
  })

  it('take what others have reasoned, show it as it came, and pass it over', async () => {
    const scripted = new ScriptedChatModel([['Yes.']])
    const platform = await start({ runtimes: scripted.runtimes })
    const { responses } = newClient(platform)
    const reasoning = { type: 'reasoning' as const, id: 'rs_1', summary: [], encrypted_content: 'abc' }
    const call = { type: 'function_call' as const, call_id: 'call_1', name: 'get_weather', arguments: '{}' }
    const output = { type: 'function_call_output' as const, call_id: 'call_1', output: '4' }
    const include = ['reasoning.encrypted_content' as const]
    const { id } = await responses.create({ model, input: [reasoning, call, output], tools: [weather], include })
    expect(scripted.requests[0]?.messages.map(({ role }) => role)).toEqual(['assistant', 'tool'])
    const listed = await responses.inputItems.list(id, { order: 'asc' })
    expect(listed.data[0]).toMatchObject({ type: 'reasoning', encrypted_content: 'abc' })
  })

  it('fail as requests before the first word, and as responses after it', async () => {
    const scripted = new ScriptedChatModel([[{ fail: new Error('x') }], ['Well', { fail: new Error('x') }]])
    const platform = await start({ runtimes: scripted.runtimes })
    const { responses } = newClient(platform)
    await expect(responses.create({ model, input: 'Hi', stream: true })).rejects.toMatchObject({ status: 500 })
    const types = []
    const failing = async () => {
      for await (const { type } of await responses.create({ model, input: 'Hi', stream: true })) types.push(type)
    }
    await expect(failing()).rejects.toThrow()
    expect(types.length).toBeGreaterThan(3)
  })
})

describePlatform('stored responses', (start) => {
  it('are read again, listed by their input, built upon and deleted, by their project alone', async () => {
    const scripted = new ScriptedChatModel(({ messages }) => [`Answer ${messages.length}`])
    const platform = await start({ runtimes: scripted.runtimes })
    const { responses } = newClient(platform)
    const image = { type: 'input_image' as const, image_url: 'https://example.com/a.png', detail: 'low' as const }
    const first = await responses.create({
      model,
      input: [
        { role: 'developer', content: 'Be kind.' },
        { role: 'user', content: [{ type: 'input_text', text: 'One' }, image] },
      ],
    })
    const second = await responses.create({ model, input: 'Two', previous_response_id: first.id })
    const third = await responses.create({ model, input: 'Three', previous_response_id: second.id })
    expect(third).toMatchObject({ output_text: 'Answer 6', previous_response_id: second.id })
    const said = scripted.requests[2]?.messages.map(({ content }) => content)
    expect(said?.slice(2)).toEqual(['Answer 2', 'Two', 'Answer 4', 'Three'])
    expect(await responses.retrieve(third.id)).toEqual(third)
    const listed = await responses.inputItems.list(first.id, { order: 'asc' })
    expect(listed.data).toMatchObject([
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be kind.' }] },
      { type: 'message', role: 'user', content: [{ text: 'One' }, { image_url: image.image_url }] },
    ])
    const [item] = third.output
    const referring = {
      model,
      input: [
        { type: 'item_reference' as const, id: item?.id ?? '' },
        { role: 'user' as const, content: 'Again' },
      ],
    }
    expect((await responses.create(referring)).output_text).toBe('Answer 2')
    expect(scripted.requests[3]?.messages[0]).toEqual({ role: 'assistant', content: 'Answer 6' })

    const stranger = await platform.addProject('other')
    for (const path of [`/v1/responses/${first.id}`, `/v1/responses/${first.id}/input_items`]) {
      expect((await stranger.get(path)).status).toBe(404)
    }
    expect((await stranger.delete(`/v1/responses/${first.id}`)).status).toBe(404)
    expect((await stranger.post('/v1/responses', { ...referring })).status).toBe(404)
    const building = { model, input: 'Hi', previous_response_id: first.id }
    expect((await stranger.post('/v1/responses', building)).status).toBe(400)

    await responses.delete(first.id)
    await expect(responses.retrieve(first.id)).rejects.toMatchObject({ status: 404 })
    await expect(responses.create({ ...building, previous_response_id: third.id })).rejects.toMatchObject({
      ...{ status: 400, code: 'previous_response_not_found' },
      message: expect.stringContaining(first.id),
    })
    expect((await responses.retrieve(second.id)).output_text).toBe('Answer 4')
  })

  it('are not there when they were not to be stored, nor when the caller left', async () => {
    const scripted = new ScriptedChatModel([['Hello'], ['Well', { wait: new Promise(() => undefined) }]])
    const platform = await start({ runtimes: scripted.runtimes })
    const { responses } = newClient(platform)
    const gone = await responses.create({ model, input: 'Hi', store: false })
    await expect(responses.retrieve(gone.id)).rejects.toMatchObject({ status: 404 })
    const stream = await responses.create({ model, input: 'Hi', stream: true })
    for await (const event of stream) if (event.type === 'response.output_text.delta') break
    const rows = await platform.kernel.db.queries.selectFrom('responses').select('id').execute()
    expect(rows).toEqual([])
  })
})
