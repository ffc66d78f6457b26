// Responses with tools of real MCP servers (made with the official package); only the model says what the test wants.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { startMcpServer } from '@atoll/testkit/mcp-server'
import { OpenAI7 } from '@atoll/testkit/openai-clients'
import { expect, it, onTestFinished } from 'vitest'
import { describePlatformOnSqlite, type TestPlatform } from '../../../../testing/describe-platform.ts'
import { errorOf } from '../../../../testing/requests.ts'
import { type Piece, ScriptedChatModel } from '../../../../testing/scripted-chat-model.ts'

const model = 'gpt-4o-mini'
const add: Piece = { call: 'add', arguments: ['{"a":2,', '"b":3}'] }
const book: Piece = { call: 'book', arguments: ['{"city":"Oslo"}'] }
const never = { require_approval: 'never' as const }
const program = fileURLToPath(new URL('../../../../../../../packages/testkit/mcp-program.ts', import.meta.url))

/** Calls once, then answers with what came back. */
const calling = (...calls: Piece[]) =>
  new ScriptedChatModel(({ messages }) => {
    const results = messages.filter(({ role }) => role === 'tool')
    return results.length === 0 ? calls : [`So: ${results.map(({ content }) => content).join(' ')}`]
  })

const newClient = ({ apiKey, url }: TestPlatform) => new OpenAI7({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 })

describePlatformOnSqlite('responses with tools of MCP servers', (start) => {
  const begin = async (scripted: ScriptedChatModel, settings: object = {}) => {
    const server = await startMcpServer()
    const mcp = { servers: { numbers: { url: server.url } }, ...settings }
    const platform = await start({ runtimes: scripted.runtimes, config: { mcp } })
    const tool = { type: 'mcp' as const, server_label: 'math', server_url: server.url }
    return { server, platform, client: newClient(platform), tool }
  }

  it('list them once for a conversation and call them, every event in its order', async () => {
    const scripted = calling(add)
    const { server, client, tool } = await begin(scripted)
    const tools = [{ ...tool, ...never, allowed_tools: ['add', 'fail'] }]
    const events = []
    for await (const event of await client.responses.create({ model, input: '2 + 3?', tools, stream: true })) {
      events.push(event)
    }
    expect(events.map(({ type }) => type.replace('response.', ''))).toEqual([
      ...['created', 'in_progress', 'output_item.added', 'mcp_list_tools.in_progress', 'mcp_list_tools.completed'],
      ...['output_item.done', 'output_item.added', 'mcp_call.in_progress', 'mcp_call_arguments.delta'],
      ...['mcp_call_arguments.delta', 'mcp_call_arguments.done', 'mcp_call.completed', 'output_item.done'],
      ...['output_item.added', 'content_part.added', 'output_text.delta', 'output_text.done', 'content_part.done'],
      ...['output_item.done', 'completed'],
    ])
    const last = events.at(-1)
    const response = last?.type === 'response.completed' ? last.response : undefined
    expect(response?.output).toMatchObject([
      { type: 'mcp_list_tools', server_label: 'math', tools: [{ name: 'add' }, { name: 'fail' }] },
      { type: 'mcp_call', server_label: 'math', name: 'add', arguments: '{"a":2,"b":3}', output: '5', error: null },
      { type: 'message', content: [{ text: 'So: 5' }] },
    ])
    expect(scripted.requests[0]?.tools.map(({ name }) => name)).toEqual(['add', 'fail'])
    const next = { model, input: 'Again?', tools, previous_response_id: response?.id ?? '' }
    expect((await client.responses.create(next)).output_text).toBe('So: 5')
    expect(server.asked.filter((method) => method === 'tools/list')).toHaveLength(1)
    expect(server.asked.filter((method) => method === 'tools/call')).toHaveLength(1)
  })

  it('ask for approval unless told otherwise, and call when they have it, once', async () => {
    const { server, client, tool } = await begin(calling(book))
    const first = await client.responses.create({ model, input: 'A room!', tools: [tool] })
    const [, request] = first.output
    expect(request).toMatchObject({ type: 'mcp_approval_request', name: 'book', arguments: '{"city":"Oslo"}' })
    expect(server.booked).toEqual([])
    const answer = (approve: boolean, reason?: string) => [
      {
        type: 'mcp_approval_response' as const,
        approval_request_id: request?.id ?? '',
        approve,
        reason: reason ?? null,
      },
    ]
    const after = { model, tools: [tool], previous_response_id: first.id }
    const refused = await client.responses.create({ ...after, input: answer(false, 'too dear') })
    expect(refused.output_text).toBe('So: The user has refused this call: too dear')
    const second = await client.responses.create({ ...after, input: answer(true) })
    expect(second.output).toMatchObject([
      { type: 'mcp_call', name: 'book', approval_request_id: request?.id, output: 'Booked a room in Oslo.' },
      { type: 'message' },
    ])
    expect(second.output_text).toBe('So: Booked a room in Oslo.')
    const third = { model, tools: [tool], previous_response_id: second.id }
    expect((await client.responses.create({ ...third, input: 'Thanks' })).output_text).toContain('Booked')
    await expect(client.responses.create({ ...third, input: answer(true) })).rejects.toMatchObject({ status: 400 })
    expect(server.booked).toEqual(['Oslo'])
    // All of it sent again, with nothing stored.
    const said = [{ role: 'user' as const, content: 'A room!' }, ...first.output, ...answer(true)]
    const whole = await client.responses.create({ model, tools: [tool], input: said as never, store: false })
    expect(whole.output_text).toBe('So: Booked a room in Oslo.')
  })

  it('need approval as filters say', async () => {
    const cases: [require_approval: object, calls: Piece, type: string][] = [
      [{ never: { tool_names: ['add'] } }, add, 'mcp_call'],
      [{ never: { tool_names: ['add'] } }, book, 'mcp_approval_request'],
      [{ always: { tool_names: ['add'] } }, add, 'mcp_approval_request'],
      [{ always: { tool_names: ['add'] } }, book, 'mcp_call'],
      [{ never: { read_only: true } }, add, 'mcp_call'],
      [{ never: { read_only: true } }, book, 'mcp_approval_request'],
    ]
    let call: Piece = add
    const scripted = new ScriptedChatModel(({ messages }) =>
      messages.some(({ role }) => role === 'tool') ? ['Done.'] : [call],
    )
    const { client, tool } = await begin(scripted)
    for (const [require_approval, calls, type] of cases) {
      call = calls
      const { output } = await client.responses.create({ model, input: 'Go', tools: [{ ...tool, require_approval }] })
      expect([require_approval, output[1]?.type]).toEqual([require_approval, type])
    }
  })

  it('tell the model what went wrong: a failing tool, one that takes too long, one that says too much', async () => {
    const cases: [tool: string, error: object, settings?: object][] = [
      ['fail', { type: 'mcp_tool_execution_error', content: [{ type: 'text', text: 'No such city.' }] }],
      ['slow', { message: 'The MCP server did not answer within 2 seconds.' }, { callSeconds: 2 }],
      ['long', { message: 'The MCP server sent more than 4194304 bytes in one answer.' }],
    ]
    for (const [name, error, settings] of cases) {
      const scripted = new ScriptedChatModel(({ messages }) =>
        messages.some(({ role }) => role === 'tool') ? ['Oh.'] : [{ call: name, arguments: ['{}'] }],
      )
      const { client, tool } = await begin(scripted, settings)
      const { output } = await client.responses.create({ model, input: 'Go', tools: [{ ...tool, ...never }] })
      expect(output).toMatchObject([
        {},
        { type: 'mcp_call', status: 'failed', output: null, error: { type: 'mcp_protocol_error', ...error } },
        { type: 'message' },
      ])
      expect(JSON.stringify(scripted.requests.at(-1)?.messages)).toContain('The call has failed.')
    }
  })

  it('go to none but the servers that the operator has allowed, and say which setting allows one', async () => {
    const { platform, server, tool } = await begin(calling(add))
    const cases: [tool: object, param: string, words: string][] = [
      [{ server_url: 'http://127.0.0.1:1/mcp' }, 'tools', 'platform.mcp.servers'],
      [{ server_url: server.url.replace('127.0.0.1', 'localhost') }, 'tools', 'not allowed here'],
      [{ server_url: undefined, server_label: 'other' }, 'tools', "no MCP server named 'other'"],
      [{ server_url: undefined, connector_id: 'connector_gmail' }, 'tools[0].connector_id', 'no connectors'],
      [{ headers: { 'content-length': '3' } }, 'tools[0].headers', 'not the caller'],
      [{ headers: { 'x-a': 'b\r\nc: d' } }, 'tools[0].headers', 'no line breaks'],
      [{ defer_loading: true }, 'tools[0].defer_loading', 'Supported values'],
    ]
    for (const [more, param, words] of cases) {
      const answer = await platform.post('/v1/responses', { model, input: 'Hi', tools: [{ ...tool, ...more }] })
      const error = await errorOf(answer)
      expect([more, answer.status, error.message]).toEqual([more, 400, expect.stringContaining(words)])
      expect(error.param).toContain(param)
    }
    expect(server.asked).toEqual([])
  })

  it('fail when a server cannot list its tools, and follow no redirects', async () => {
    const wrong = createServer((_, response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end())
    onTestFinished(() => void wrong.close())
    await new Promise<void>((resolve) => wrong.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(wrong.address() as AddressInfo).port}/`
    const { platform } = await begin(calling(add), { servers: { wrong: { url } } })
    const answer = await platform.post('/v1/responses', {
      ...{ model, input: 'Hi' },
      tools: [{ type: 'mcp', server_label: 'wrong' }],
    })
    expect([answer.status, (await errorOf(answer)).message]).toEqual([424, expect.stringContaining('redirect')])
  })

  it('send the headers they are given and keep, show and log none of them, in the background too', async () => {
    const { platform, server, client, tool } = await begin(calling(add))
    const secret = 'tok-4711-very-secret'
    const given = { ...tool, ...never, headers: { 'X-Key': secret }, authorization: secret }
    const shown = { headers: { 'x-key': '<redacted>' }, authorization: '<redacted>' }
    const response = await client.responses.create({ model, input: '2 + 3?', tools: [given] })
    expect(response.tools).toMatchObject([shown])
    const begun = await client.responses.create({ model, input: '2 + 3?', tools: [given], background: true })
    const later = () => client.responses.retrieve(begun.id)
    await expect.poll(async () => (await later()).status, { timeout: 20_000 }).toBe('completed')
    expect(await later()).toMatchObject({ output_text: 'So: 5', tools: [shown] })
    const called = server.headers.filter((headers) => headers['x-key'] === secret)
    expect(called).toHaveLength(server.headers.length)
    expect(called[0]?.authorization).toBe(`Bearer ${secret}`)
    const rows = await platform.kernel.db.queries.selectFrom('responses').selectAll().execute()
    expect(rows).toHaveLength(2)
    expect(JSON.stringify(rows)).not.toContain(secret)
    expect(platform.logged()).not.toContain(secret)
  })

  it('come from programs that the operator has named, beside functions of the same name', async () => {
    const scripted = calling({ call: 'local_add', arguments: ['{"a":2,"b":3}'] })
    const { client } = await begin(scripted, { servers: { local: { command: [process.execPath, program] } } })
    const mine = { type: 'function' as const, name: 'add', parameters: {}, strict: false }
    const tools = [mine, { type: 'mcp' as const, server_label: 'local', ...never, allowed_tools: ['add'] }]
    const response = await client.responses.create({ model, input: '2 + 3?', tools })
    expect(response.output[1]).toMatchObject({ type: 'mcp_call', name: 'add', output: '5' })
    expect(scripted.requests[0]?.tools.map(({ name }) => name)).toEqual(['local_add', 'add'])
    const tool_choice = { type: 'mcp' as const, server_label: 'local', name: 'add' }
    await client.responses.create({ model, input: '2 + 3?', tools, tool_choice })
    expect(scripted.requests[2]?.toolChoice).toEqual({ name: 'local_add' })
  })
})
