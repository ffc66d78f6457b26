import { ModelProblem } from '@atoll/models/problem'
import { expect, it } from 'vitest'
import { describePlatformOnSqlite, type StartPlatform } from '../../testing/describe-platform.ts'
import { type Piece, ScriptedChatModel } from '../../testing/scripted-chat-model.ts'
import { RealtimeClient, typesOf } from './testing/realtime-client.ts'

const weather = {
  type: 'function',
  name: 'get_weather',
  description: 'The weather of a place',
  parameters: { type: 'object', properties: { place: { type: 'string' } } },
}

async function textSession(start: StartPlatform, script: ConstructorParameters<typeof ScriptedChatModel>[0]) {
  const model = new ScriptedChatModel(script)
  const platform = await start({ runtimes: model.runtimes })
  const client = await RealtimeClient.connectText(platform)
  return { model, platform, client }
}

/** A piece that waits until the test lets it go. */
function gate(): { wait: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { wait: promise, open: resolve }
}

describePlatformOnSqlite('a realtime session of text', (start) => {
  it('AST-166 AST-167 AST-168 AST-169 AST-170 AST-175 begins with session.created and its whole configuration, then conversation.created', async () => {
    const platform = await start({ runtimes: new ScriptedChatModel([['Hi']]).runtimes })
    const client = await RealtimeClient.connect(platform)
    const [created, conversation] = client.events
    expect(typesOf(client.events)).toEqual(['session.created', 'conversation.created'])
    expect(created).toMatchObject({ type: 'session.created', event_id: expect.stringMatching(/^event_/) })
    expect(created?.session).toMatchObject({
      id: expect.stringMatching(/^sess_/),
      object: 'realtime.session',
      model: 'gpt-4o-realtime-preview',
      modalities: ['text', 'audio'],
      instructions: expect.stringContaining('assistant'),
      voice: 'alloy',
      input_audio_format: 'pcm16',
      output_audio_format: 'pcm16',
      input_audio_transcription: null,
      turn_detection: { type: 'server_vad', threshold: 0.5, prefix_padding_ms: 300, silence_duration_ms: 500 },
      tools: [],
      tool_choice: 'auto',
      temperature: 0.8,
      max_response_output_tokens: 'inf',
    })
    expect(conversation?.conversation).toEqual({
      id: expect.stringMatching(/^conv_/),
      object: 'realtime.conversation',
    })
    client.update({ max_response_output_tokens: 200 })
    expect((await client.next('session.updated')).session.max_response_output_tokens).toBe(200)
    await client.close()
  })

  it('AST-134 AST-135 AST-136 AST-137 AST-138 AST-139 AST-140 AST-171 changes what an update names, at any moment, and answers with all of it', async () => {
    const hold = gate()
    const { client } = await textSession(start, [['One', hold]])
    const update = async (session: object) => {
      client.update(session)
      return (await client.last('session.updated')).session
    }
    const first = await update({ instructions: 'Be brief.', voice: 'sage', temperature: 0.7 })
    expect(first).toMatchObject({ instructions: 'Be brief.', voice: 'sage', temperature: 0.7, modalities: ['text'] })
    client.send({ type: 'response.create' })
    await client.until('response.text.delta')
    const all = {
      modalities: ['text'],
      instructions: '',
      voice: 'coral',
      input_audio_format: 'g711_ulaw',
      output_audio_format: 'g711_alaw',
      turn_detection: { type: 'server_vad', threshold: 0.7, prefix_padding_ms: 100, silence_duration_ms: 900 },
      tools: [weather],
      tool_choice: 'none',
      temperature: 1.1,
      max_response_output_tokens: 50,
    }
    expect(await update(all)).toMatchObject(all)
    const { id, ...kept } = await update({ turn_detection: null })
    expect(kept).toMatchObject({ ...all, turn_detection: null })
    expect(id).toBe(first.id)
    hold.open()
    await client.until('response.done')
    await client.close()
  })

  it('AST-137 AST-134 names the model again, and refuses another one and what is no setting', async () => {
    const { client } = await textSession(start, [['One']])
    client.update({ model: 'gpt-4o-realtime-preview' })
    await client.next('session.updated')
    for (const [session, param] of [
      [{ model: 'gpt-4o' }, 'session.model'],
      [{ voice: 'nobody' }, 'session.voice'],
      [{ modalities: ['audio'] }, 'session.modalities'],
      [{ temperature: 3 }, 'session.temperature'],
      [{ colour: 'red' }, 'session.colour'],
      [{ input_audio_transcription: { model: 'nothing-1' } }, 'model'],
      [{ tools: [{ type: 'function', name: 'no spaces' }] }, 'session.tools[0].name'],
    ] as const) {
      client.update(session)
      expect((await client.next('error')).error).toMatchObject({ type: 'invalid_request_error', param })
    }
    client.update({})
    expect((await client.next('session.updated')).session).toMatchObject({ voice: 'alloy', modalities: ['text'] })
    await client.close()
  })

  it('AST-132 AST-133 AST-151 AST-154 AST-178 AST-179 adds items where they are put, and tells of each', async () => {
    const { client, model } = await textSession(start, [['Yes.']])
    client.say('second', { id: 'item_two' })
    const second = await client.next('conversation.item.created')
    expect(second).toMatchObject({
      previous_item_id: null,
      item: {
        id: 'item_two',
        object: 'realtime.item',
        type: 'message',
        status: 'completed',
        role: 'user',
        content: [{ type: 'input_text', text: 'second' }],
      },
    })
    const add = (item: object, previous_item_id: string | null) =>
      client.send({ event_id: 'mine_1', type: 'conversation.item.create', previous_item_id, item })
    const text = (role: string, words: string) => ({
      type: 'message',
      role,
      content: [{ type: role === 'assistant' ? 'text' : 'input_text', text: words }],
    })
    add(text('system', 'first'), 'root')
    expect(await client.next('conversation.item.created')).toMatchObject({ previous_item_id: null })
    add(text('assistant', 'third'), 'item_two')
    expect(await client.next('conversation.item.created')).toMatchObject({ previous_item_id: 'item_two' })
    add(text('user', 'lost'), 'item_nowhere')
    expect((await client.next('error')).error).toMatchObject({
      code: 'item_not_found',
      param: 'previous_item_id',
      event_id: 'mine_1',
    })
    client.say('again', { id: 'item_two' })
    expect((await client.next('error')).error.code).toBe('item_already_exists')
    client.send({ type: 'response.create', response: { instructions: '' } })
    await client.until('response.done')
    expect(model.requests[0]?.messages).toEqual([
      { role: 'system', content: 'first' },
      { role: 'user', content: 'second' },
      { role: 'assistant', content: 'third' },
    ])
    await client.close()
  })

  it('AST-163 AST-176 AST-192 AST-193 AST-194 AST-195 AST-197 AST-198 AST-199 answers with the events of a response in their order', async () => {
    const answer = { pieces: ['Hello', ' there.'], promptTokens: 12, completionTokens: 4 }
    const { client } = await textSession(start, [answer])
    client.say('Hi')
    await client.next('conversation.item.created')
    client.send({ type: 'response.create' })
    const events = await client.until('response.done')
    expect(typesOf(events)).toEqual([
      'response.created',
      'rate_limits.updated',
      'response.output_item.added',
      'conversation.item.created',
      'response.content_part.added',
      'response.text.delta',
      'response.text.delta',
      'response.text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.done',
    ])
    expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(events.length)
    const [created, limits, added, item] = events
    const { id } = created?.response ?? {}
    expect(created?.response).toEqual({
      id: expect.stringMatching(/^resp_/),
      object: 'realtime.response',
      status: 'in_progress',
      status_details: null,
      output: [],
      usage: null,
    })
    expect(limits?.rate_limits).toMatchObject([{ name: 'requests' }, { name: 'tokens' }])
    expect(added).toMatchObject({ response_id: id, output_index: 0, item: { status: 'in_progress', content: [] } })
    expect(item?.item.id).toBe(added?.item.id)
    const place = { response_id: id, item_id: added?.item.id, output_index: 0, content_index: 0 }
    for (const event of events.slice(4, 9)) expect(event).toMatchObject(place)
    expect(events[7]?.text).toBe('Hello there.')
    expect(events.at(-1)?.response).toEqual({
      id,
      object: 'realtime.response',
      status: 'completed',
      status_details: null,
      output: [
        {
          id: added?.item.id,
          object: 'realtime.item',
          type: 'message',
          status: 'completed',
          role: 'assistant',
          content: [{ type: 'text', text: 'Hello there.' }],
        },
      ],
      usage: {
        total_tokens: 16,
        input_tokens: 12,
        output_tokens: 4,
        input_token_details: {
          cached_tokens: 0,
          text_tokens: 12,
          audio_tokens: 0,
          cached_tokens_details: { text_tokens: 0, audio_tokens: 0 },
        },
        output_token_details: { text_tokens: 4, audio_tokens: 0 },
      },
    })
    await client.close()
  })

  it('AST-160 AST-161 lets a response have settings of its own, for itself alone', async () => {
    const { client, model } = await textSession(start, [['One'], ['Two']])
    client.update({ instructions: 'Session.', temperature: 0.9, max_response_output_tokens: 300 })
    await client.next('session.updated')
    const own = {
      modalities: ['text'],
      instructions: 'Own.',
      voice: 'verse',
      output_audio_format: 'g711_ulaw',
      tools: [weather],
      tool_choice: { type: 'function', name: 'get_weather' },
      temperature: 0.6,
      max_output_tokens: 20,
    }
    for (const response of [own, {}]) {
      client.send({ type: 'response.create', response })
      await client.until('response.done')
    }
    const [first, second] = model.requests
    expect(first).toMatchObject({
      messages: [{ role: 'system', content: 'Own.' }],
      tools: [{ name: 'get_weather' }],
      toolChoice: { name: 'get_weather' },
      maxTokens: 20,
      sampling: { temperature: 0.6 },
    })
    expect(second).toMatchObject({ tools: [], toolChoice: 'auto', maxTokens: 300, sampling: { temperature: 0.9 } })
    expect(second?.messages[0]).toEqual({ role: 'system', content: 'Session.' })
    await client.close()
  })

  it('AST-152 AST-162 gives a message and then one function call, and goes on with its output', async () => {
    const call: Piece[] = ['Let me see.', { call: 'get_weather', arguments: ['{"place":', '"Oslo"}'] }, 'lost']
    const { client, model } = await textSession(start, [call, ['It rains.']])
    client.update({ tools: [weather] })
    await client.next('session.updated')
    client.say('Weather in Oslo?')
    await client.next('conversation.item.created')
    client.send({ type: 'response.create' })
    const events = await client.until('response.done')
    const done = events.at(-1)?.response
    expect(done.output.map((item: { type: string }) => item.type)).toEqual(['message', 'function_call'])
    const item = done.output[1]
    expect(item).toMatchObject({ name: 'get_weather', arguments: '{"place":"Oslo"}', status: 'completed' })
    const ofCall = events.filter(({ type }) => type.startsWith('response.function_call_arguments'))
    expect(typesOf(ofCall)).toEqual([
      'response.function_call_arguments.delta',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
    ])
    for (const event of ofCall)
      expect(event).toMatchObject({ item_id: item.id, call_id: item.call_id, output_index: 1 })
    const created = events.filter(({ type }) => type === 'conversation.item.created')
    expect(created.map((event) => event.item.type)).toEqual(['message', 'function_call'])
    const output = { type: 'function_call_output', call_id: item.call_id, output: '{"rain":true}' }
    client.send({ type: 'conversation.item.create', item: output })
    expect((await client.next('conversation.item.created')).item).toMatchObject(output)
    client.send({ type: 'response.create' })
    await client.until('response.done')
    expect(model.requests[1]?.messages.slice(1)).toEqual([
      { role: 'user', content: 'Weather in Oslo?' },
      {
        role: 'assistant',
        content: 'Let me see.',
        tool_calls: [
          { id: item.call_id, type: 'function', function: { name: 'get_weather', arguments: '{"place":"Oslo"}' } },
        ],
      },
      { role: 'tool', tool_call_id: item.call_id, content: '{"rain":true}' },
    ])
    client.send({ type: 'conversation.item.create', item: { ...output, call_id: 'call_of_nobody' } })
    expect((await client.next('error')).error).toMatchObject({ code: 'call_not_found', param: 'item.call_id' })
    const own = { type: 'function_call', call_id: 'call_mine', name: 'f', arguments: '{}' }
    client.send({ type: 'conversation.item.create', item: own })
    expect((await client.next('conversation.item.created')).item).toMatchObject(own)
    await client.close()
  })

  it('AST-153 AST-154 refuses audio in a message of the assistant, and content that its role cannot have', async () => {
    const { client } = await textSession(start, [['One']])
    const refused = async (role: string, part: object) => {
      client.send({
        type: 'conversation.item.create',
        event_id: 'e1',
        item: { type: 'message', role, content: [part] },
      })
      return (await client.next('error')).error
    }
    const wrong = { code: 'invalid_value', event_id: 'e1', param: 'item.content[0].type' }
    expect(await refused('assistant', { type: 'input_audio', audio: 'AAAA' })).toMatchObject(wrong)
    expect(await refused('assistant', { type: 'audio', audio: 'AAAA' })).toMatchObject(wrong)
    expect(await refused('system', { type: 'input_audio', audio: 'AAAA' })).toMatchObject(wrong)
    expect(await refused('user', { type: 'text', text: 'x' })).toMatchObject(wrong)
    await client.close()
  })

  it('AST-158 AST-159 AST-185 deletes items, and says when there is none', async () => {
    const { client, model } = await textSession(start, [['One']])
    client.say('gone', { id: 'item_gone' })
    client.say('stays')
    client.send({ type: 'conversation.item.delete', item_id: 'item_gone' })
    expect(await client.last('conversation.item.deleted')).toMatchObject({ item_id: 'item_gone' })
    client.send({ type: 'conversation.item.delete', item_id: 'item_gone', event_id: 'again' })
    expect((await client.next('error')).error).toMatchObject({ code: 'item_not_found', event_id: 'again' })
    client.send({ type: 'conversation.item.retrieve', item_id: 'item_gone' })
    expect((await client.next('error')).error.code).toBe('item_not_found')
    client.send({ type: 'response.create', response: { instructions: '' } })
    await client.until('response.done')
    expect(model.requests[0]?.messages).toEqual([{ role: 'user', content: 'stays' }])
    await client.close()
  })

  it('AST-165 AST-194 cancels a response at once, and keeps what was said', async () => {
    const hold = gate()
    const { client, model } = await textSession(start, [['Well,', hold, ' never'], ['Yes?']])
    client.send({ type: 'response.cancel', event_id: 'early' })
    expect((await client.next('error')).error).toMatchObject({ code: 'response_cancel_not_active', event_id: 'early' })
    client.send({ type: 'response.create' })
    await client.until('response.text.delta')
    client.send({ type: 'response.create', event_id: 'second' })
    expect((await client.next('error')).error).toMatchObject({
      code: 'conversation_already_has_active_response',
      event_id: 'second',
    })
    client.send({ type: 'response.cancel' })
    const events = await client.until('response.done')
    expect(typesOf(events)).toEqual([
      'response.text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.done',
    ])
    expect(events.at(-1)?.response).toMatchObject({
      status: 'cancelled',
      status_details: { type: 'cancelled', reason: 'client_cancelled' },
      output: [{ status: 'incomplete', content: [{ text: 'Well,' }] }],
      usage: { output_tokens: expect.any(Number) },
    })
    client.send({ type: 'response.create', response: { instructions: '' } })
    expect((await client.until('response.done')).at(-1)?.response.status).toBe('completed')
    expect(model.requests[1]?.messages).toEqual([{ role: 'assistant', content: 'Well,' }])
    hold.open()
    await client.close()
  })

  it('AST-194 ends a response that the model cut, filtered or failed with a status that says so', async () => {
    const { client } = await textSession(start, [
      { pieces: ['Too lo'], finish: 'length' },
      { pieces: ['Fie'], finish: 'content_filter' },
      [{ fail: new ModelProblem('It broke.', { kind: 'failed' }) }],
      ['Fine.'],
    ])
    const statuses: object[] = []
    for (let round = 0; round < 4; round++) {
      client.send({ type: 'response.create' })
      const { status, status_details } = (await client.until('response.done')).at(-1)?.response ?? {}
      statuses.push({ status, reason: status_details?.reason ?? status_details?.error?.type })
    }
    expect(statuses).toEqual([
      { status: 'incomplete', reason: 'max_output_tokens' },
      { status: 'incomplete', reason: 'content_filter' },
      { status: 'failed', reason: 'server_error' },
      { status: 'completed', reason: undefined },
    ])
    await client.close()
  })

  it('AST-172 AST-173 AST-174 AST-303 tells of problems on either side by error events, and goes on', async () => {
    const { client } = await textSession(start, [
      [{ fail: new ModelProblem('It broke.', { kind: 'failed' }) }],
      ['Still here.'],
    ])
    const error = async (event: unknown) => {
      client.socket.send(typeof event === 'string' || Buffer.isBuffer(event) ? event : JSON.stringify(event))
      return (await client.next('error')).error
    }
    const invalid = { type: 'invalid_request_error', code: 'invalid_event', message: expect.any(String) }
    expect(await error({ event_id: 'event_567' })).toEqual({
      ...invalid,
      message: "The 'type' field is missing.",
      param: 'type',
      event_id: 'event_567',
    })
    expect(await error({ type: 'response.destroy', event_id: 'e' })).toMatchObject({ ...invalid, event_id: 'e' })
    for (const event of ['{', '"text"', '[]', 'null', Buffer.from('{}'), '\ufeff']) {
      expect(await error(event)).toMatchObject({ ...invalid, event_id: null })
    }
    expect(await error({ type: 'input_audio_buffer.append' })).toMatchObject({ param: 'audio' })
    expect(await error({ type: 'response.create', response: { flavour: 'sweet' } })).toMatchObject({
      code: 'unknown_parameter',
      param: 'response.flavour',
    })
    client.send({ type: 'response.create' })
    await client.until('response.done')
    expect((await client.next('error')).error).toMatchObject({ type: 'server_error', event_id: null })
    client.send({ type: 'response.create' })
    expect((await client.until('response.done')).at(-1)?.response.output[0].content[0].text).toBe('Still here.')
    await client.close()
  })

  it('answers beside the conversation, several at once, with items and references of its own', async () => {
    const hold = gate()
    const { client, model } = await textSession(start, (request) =>
      JSON.stringify(request.messages).includes('Sort this') ? ['A matter of sport.'] : ['Main', hold, ' answer.'],
    )
    client.say('Who won?', { id: 'item_q' })
    await client.next('conversation.item.created')
    client.send({ type: 'response.create' })
    await client.until('response.text.delta')
    const input = [
      { type: 'item_reference', id: 'item_q' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Sort this.' }] },
    ]
    const beside = { conversation: 'none', metadata: { topic: 'sort' }, instructions: '', input }
    client.send({ type: 'response.create', response: beside })
    const events = await client.until('response.done')
    expect(typesOf(events)).not.toContain('conversation.item.created')
    expect(events.at(-1)?.response).toMatchObject({ status: 'completed', metadata: { topic: 'sort' } })
    expect(model.requests[1]?.messages).toEqual([
      { role: 'user', content: 'Who won?' },
      { role: 'user', content: 'Sort this.' },
    ])
    hold.open()
    const main = (await client.until('response.done')).at(-1)?.response
    expect(main.output[0].content).toEqual([{ type: 'text', text: 'Main answer.' }])
    client.send({ type: 'response.create', response: { input: [{ type: 'item_reference', id: 'item_x' }] } })
    expect((await client.next('error')).error).toMatchObject({ code: 'item_not_found', param: 'response.input' })
    await client.close()
  })

  it('forgets the oldest of a conversation that the model cannot hold, unless told to fail', async () => {
    const { client, model } = await textSession(start, (request) =>
      request.messages.length > 4
        ? [
            {
              fail: new ModelProblem('Long.', {
                kind: 'context_length',
                maxTokens: 9,
                requestedTokens: 99,
                param: 'messages',
              }),
            },
          ]
        : ['Short.'],
    )
    for (let index = 0; index < 8; index++) client.say(`Line ${index}`)
    client.send({ type: 'response.create' })
    expect((await client.until('response.done')).at(-1)?.response.status).toBe('completed')
    const kept = model.requests.at(-1)?.messages ?? []
    expect(kept[0]?.role).toBe('system')
    expect(kept.at(-1)?.content).toBe('Line 7')
    client.update({ truncation: 'disabled' })
    client.send({ type: 'response.create' })
    expect((await client.until('response.done')).at(-1)?.response).toMatchObject({
      status: 'failed',
      status_details: { error: { code: 'context_length_exceeded' } },
    })
    await client.close()
  })

  it('takes its tokens from the limits of the project, and says when they are used up', async () => {
    const model = new ScriptedChatModel([['One']])
    const limits = { requestsPerMinute: 1 }
    const models = [{ id: 'gpt-4o-realtime-preview', runtime: 'builtin-chat', limits }]
    const platform = await start({ runtimes: model.runtimes, config: { models } })
    const client = await RealtimeClient.connectText(platform)
    client.send({ type: 'response.create' })
    const events = await client.until('response.done')
    expect(events[1]?.rate_limits[0]).toMatchObject({ name: 'requests', limit: 1, remaining: 0 })
    client.send({ type: 'response.create' })
    expect((await client.until('response.done')).at(-1)?.response).toMatchObject({
      status: 'failed',
      status_details: { error: { code: 'rate_limit_exceeded', type: 'requests' } },
    })
    await client.close()
  })
})
