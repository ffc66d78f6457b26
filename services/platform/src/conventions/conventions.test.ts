import { request } from 'node:https'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { describePlatformOnSqlite } from '../testing/describe-platform.ts'
import { errorOf } from '../testing/requests.ts'

const rateLimitHeaders = ['limit', 'remaining', 'reset'].flatMap((what) => [
  `x-ratelimit-${what}-requests`,
  `x-ratelimit-${what}-tokens`,
])

describePlatformOnSqlite('conventions', (start) => {
  it('INF-001 AST-298 serves every operation under /v1, as JSON, over HTTPS when told', async () => {
    const platform = await start({ tls: 'self-signed' })
    expect(platform.platform.service.routes.every(({ path }) => path.startsWith('/v1/'))).toBe(true)
    expect(platform.url).toMatch(/^https:/)
    const { status, body, headers } = await new Promise<{
      status?: number
      body: string
      headers: NodeJS.Dict<string | string[]>
    }>((resolve, reject) => {
      const options = { rejectUnauthorized: false, headers: { authorization: `Bearer ${platform.apiKey}` } }
      request(`${platform.url}/v1/models`, options, async (response) => {
        const body = Buffer.concat(await response.toArray()).toString()
        resolve({ status: response.statusCode, body, headers: response.headers })
      })
        .on('error', reject)
        .end()
    })
    expect(status).toBe(200)
    expect(headers['content-type']).toMatch(/^application\/json/)
    expect(headers['vendor-version']).toBe('2020-10-01')
    expect(JSON.parse(body).object).toBe('list')
  })

  it('INF-002 answers bytes typed into a plain socket', async () => {
    const platform = await start()
    const { port } = new URL(platform.url)
    const text = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), '127.0.0.1')
      let received = ''
      socket.on('data', (chunk) => {
        received += chunk
      })
      socket.on('end', () => resolve(received)).on('error', reject)
      const body = JSON.stringify({ purpose: 'batch', filename: 'a.jsonl', bytes: 3 })
      socket.write(
        `POST /v1/uploads HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${platform.apiKey}\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      )
    })
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(text).toContain('"status":"pending"')
  })

  it('INF-005 INF-231 takes ids back exactly as given, and any other string is simply unknown', async () => {
    const platform = await start()
    const { id } = await platform.addFile('a.txt', 'x')
    expect((await (await platform.get(`/v1/files/${id}`)).json()).id).toBe(id)
    for (const other of [id.toUpperCase(), `${id}x`, id.slice(0, -1), `%20${id}`, 'x'.repeat(500), '%00', 'ünï']) {
      expect([other, (await platform.get(`/v1/files/${other}`)).status]).toEqual([other, 404])
    }
  })

  it('INF-008 accepts JSON bodies, with or without a charset, and says what else is wrong', async () => {
    const platform = await start()
    const body = JSON.stringify({ purpose: 'batch', filename: 'a.jsonl', bytes: 1 })
    const send = (text: string, type: string) =>
      platform.request('POST', '/v1/uploads', { body: text, headers: { 'content-type': type } })
    for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON']) {
      expect([type, (await send(body, type)).status]).toEqual([type, 200])
    }
    const form = await send('a=b', 'application/x-www-form-urlencoded')
    expect(form.status).toBe(415)
    for (const broken of ['{', '{"a":1,}', 'hello', '"\xff']) {
      const response = await send(broken, 'application/json')
      expect([broken, response.status]).toEqual([broken, 400])
      expect((await errorOf(response)).message).toContain('JSON')
    }
    const deep = await send(`${'['.repeat(5000)}${']'.repeat(5000)}`, 'application/json')
    expect(deep.status).toBe(400)
  })

  it('INF-010 pushes nothing but in streams of chats and in realtime sessions: every operation answers once, with JSON or the bytes asked for', async () => {
    const platform = await start()
    const kinds = platform.platform.service.routes.map(({ response }) =>
      typeof response === 'string' ? response : 'json',
    )
    expect(new Set(kinds)).toEqual(new Set(['json', 'bytes']))
    const sockets = platform.platform.service.sockets?.filter(({ isInternal }) => !isInternal)
    expect(sockets?.map(({ path }) => path)).toEqual(['/v1/realtime'])
  })

  it('INF-020 INF-021 INF-022 INF-023 INF-024 INF-025 carries the documented headers, in both spellings', async () => {
    const platform = await start()
    for (const response of [
      await platform.get('/v1/models'),
      await platform.get('/v1/files/absent'),
      await platform.post('/v1/uploads', {}),
    ]) {
      const { headers } = response
      for (const name of rateLimitHeaders) expect([name, headers.get(name)]).toEqual([name, expect.any(String)])
      for (const name of rateLimitHeaders.slice(0, 4)) expect(headers.get(name)).toMatch(/^\d+$/)
      for (const name of rateLimitHeaders.slice(4))
        expect(headers.get(name)).toMatch(/^(\d+h)?(\d+m)?(\d+(\.\d+)?(s|ms))$/)
      for (const vendor of ['vendor', 'openai']) {
        expect(headers.get(`${vendor}-organization`)).toBe(platform.caller.organizationId)
        expect(headers.get(`${vendor}-processing-ms`)).toMatch(/^\d+$/)
        expect(headers.get(`${vendor}-version`)).toBe('2020-10-01')
      }
    }
  })

  it('INF-026 INF-235 gives every request an id of its own, and the log knows it', async () => {
    const platform = await start()
    const answers = await Promise.all([
      ...Array.from({ length: 50 }, () => platform.get('/v1/models')),
      platform.as(undefined).get('/v1/models'),
      platform.get('/v1/nowhere'),
      platform.request('PUT', '/v1/models'),
      platform.request('POST', '/v1/uploads', { body: '{', headers: { 'content-type': 'application/json' } }),
    ])
    const ids = answers.map(({ headers }) => headers.get('x-request-id') ?? '')
    expect(new Set(ids).size).toBe(answers.length)
    for (const id of ids) {
      expect(id).toMatch(/^req_[0-9a-f]{32}$/)
      expect(platform.logged()).toContain(id)
    }
  })

  it('says which URL or method it does not know, to anyone', async () => {
    const platform = await start()
    for (const client of [platform, platform.as(undefined)]) {
      for (const path of ['/v1/nowhere', '/_stainless_unknown_path', '/v1/files/', '/v2/models', '/v1/models/a/b']) {
        const response = await client.get(path)
        expect([path, response.status]).toEqual([path, 404])
        expect(await errorOf(response)).toMatchObject({
          type: 'invalid_request_error',
          param: null,
          code: 'unknown_url',
        })
      }
    }
    const wrong = await platform.request('PUT', '/v1/models')
    expect(wrong.status).toBe(405)
    expect(wrong.headers.get('allow')).toContain('GET')
    expect((await errorOf(wrong)).code).toBe('method_not_supported')
  })

  it('refuses unknown parameters, naming the nearest known one', async () => {
    const platform = await start()
    const body = { purpose: 'batch', filename: 'a.jsonl', bytes: 1, mime_typ: 'text/jsonl' }
    const response = await platform.post('/v1/uploads', body)
    expect(response.status).toBe(400)
    const error = await errorOf(response)
    expect(error).toMatchObject({ code: 'unknown_parameter', param: 'mime_typ' })
    expect(error.message).toContain("'mime_type'")
  })

  it('names the value it refuses, and all it would take', async () => {
    const platform = await start({ withoutJobs: true })
    const chat = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] }
    const cases: [path: string, body: object, param: string, message: string][] = [
      [
        '/v1/chat/completions',
        { ...chat, service_tier: 'gold' },
        'service_tier',
        "Invalid value: 'gold'. Supported values are: 'auto' and 'default'.",
      ],
      [
        '/v1/chat/completions',
        { ...chat, messages: [{ role: 'robot', content: 'Hi' }] },
        'messages[0].role',
        "Invalid value: 'robot'. Supported values are: 'system', 'developer', 'user', 'assistant', 'tool', and 'function'.",
      ],
      [
        '/v1/batches',
        { input_file_id: 'file-1', endpoint: '/v1/images', completion_window: '24h' },
        'endpoint',
        "Invalid value: '/v1/images'. Supported values are: '/v1/chat/completions', '/v1/embeddings', '/v1/completions', and '/v1/responses'.",
      ],
      [
        '/v1/chat/completions',
        { ...chat, tools: [{ type: 'function', function: { name: 'f' } }], tool_choice: 'some' },
        'tool_choice',
        "Invalid value: 'some'. Supported values are: 'none', 'auto', and 'required'.",
      ],
    ]
    for (const [path, body, param, message] of cases) {
      const response = await platform.post(path, body)
      expect(response.status).toBe(400)
      expect(await errorOf(response)).toEqual({ type: 'invalid_request_error', code: 'invalid_value', param, message })
    }
    const listed = await platform.get('/v1/files?order=up')
    expect((await errorOf(listed)).message).toBe("Invalid value: 'up'. Supported values are: 'asc' and 'desc'.")
  })

  it('refuses a JSON body over the limit', async () => {
    const platform = await start({ config: { maxJsonBytes: 2048 } })
    const response = await platform.post('/v1/uploads', { filename: 'x'.repeat(4096) })
    expect(response.status).toBe(413)
    expect(await errorOf(response)).toMatchObject({ code: 'request_too_large' })
  })

  it('INF-233 knows models by a fixed version too', async () => {
    const platform = await start()
    const { data } = await (await platform.get('/v1/models')).json()
    const fixed = data.filter(({ id }) => /-\d{4}-\d{2}-\d{2}$/.test(id))
    expect(fixed.length).toBeGreaterThan(0)
    for (const { id } of fixed) expect((await platform.get(`/v1/models/${id}`)).status).toBe(200)
  })
})
