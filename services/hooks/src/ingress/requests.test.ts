// The direct endpoints: bodies, defaults, codes, and what is wrong with a body.
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import type { AgentAction } from '../actions.ts'
import { describeHooksOnSqlite, hookToken } from '../testing/hooks-server.ts'

const uuid = /^hook:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

describeHooksOnSqlite('POST /hooks/wake and /hooks/agent', (start) => {
  it('put an event on the main session, at once or for the next heartbeat, and say so with 200 (HOOK-005, HOOK-017, HOOK-018, HOOK-030, HOOK-031, HOOK-033, HOOK-034, HOOK-035, HOOK-038, HOOK-087, HOOK-089)', async () => {
    const { post, noted, hooks } = await start()
    const now = await post('/hooks/wake', { text: '  The build failed  ' })
    expect([now.status, now.body]).toEqual([200, { ok: true, mode: 'now' }])
    const later = await post('/hooks/wake', { text: 'Disk is at 80 %', mode: 'next-heartbeat', unknown: [1] })
    expect([later.status, later.body]).toEqual([200, { ok: true, mode: 'next-heartbeat' }])
    expect(noted.events).toMatchObject([
      { text: 'The build failed', mode: 'now', trust: 'external', source: 'wake' },
      { text: 'Disk is at 80 %', mode: 'next-heartbeat', trust: 'external' },
    ])
    const kept = await hooks.desk.list({ limit: 10, order: 'asc' })
    expect(kept.map(({ state, id }) => [state, id])).toEqual(
      noted.events.map(({ deliveryId }) => ['succeeded', deliveryId]),
    )
    expect(noted.runs).toEqual([])
  })

  it('start a run of their own with the defaults, each in a session of its own, and say so with 202 (HOOK-017, HOOK-039, HOOK-040, HOOK-042, HOOK-043, HOOK-044, HOOK-047, HOOK-050, HOOK-054, HOOK-068, HOOK-069, HOOK-087)', async () => {
    const { post, noted, hooks } = await start()
    let end = (): void => {}
    const held = new Promise<void>((resolve) => {
      end = resolve
    })
    noted.onRun = async (delivery) => {
      await held
      await noted.succeed(delivery)
    }
    const first = await post('/hooks/agent', { message: ' Summarise the inbox ' })
    expect([first.status, first.body]).toEqual([202, { ok: true, runId: expect.any(String) }])
    const second = await post('/hooks/agent', { message: 'Again', sessionKey: 'inbox', name: 'Mail' })
    expect(second.status).toBe(202)
    end()
    await expect.poll(() => noted.runs.length, { timeout: 20_000 }).toBe(2)
    const actions = new Map(noted.runs.map(({ id, action }) => [id, action]))
    expect(actions.get(first.body.runId)).toEqual({
      ...{ kind: 'agent', message: 'Summarise the inbox', name: 'Hook', sessionKey: expect.stringMatching(uuid) },
      ...{ wakeMode: 'now', deliver: true, channel: 'last' },
    })
    expect(actions.get(second.body.runId)).toMatchObject({ sessionKey: 'inbox', name: 'Mail' })
    const third = await post('/hooks/agent', { message: 'Summarise the inbox' })
    await expect
      .poll(async () => (await hooks.desk.get(third.body.runId))?.state, { timeout: 20_000 })
      .toBe('succeeded')
    expect((await hooks.desk.get(third.body.runId))?.action).not.toMatchObject({
      sessionKey: actions.get(first.body.runId)?.sessionKey,
    })
  })

  it('hand on everything that a run can be told', async () => {
    const { post, hooks } = await start()
    const asked: Omit<AgentAction, 'kind'> = {
      ...{ message: 'Do it', name: 'CI', sessionKey: 'ci', wakeMode: 'next-heartbeat', deliver: false },
      ...{ channel: 'irc', to: '#builds', model: 'openai/gpt-4o', thinking: 'high', timeoutSeconds: 30 },
    }
    const { body } = await post('/hooks/agent', { ...asked, timeoutSeconds: 30.7 })
    expect((await hooks.desk.get(body.runId))?.action).toEqual({ kind: 'agent', ...asked })
  })
})

describeHooksOnSqlite('a body', (start) => {
  const refusals: [what: string, path: string, body: unknown, error: string | RegExp][] = [
    ['no text', 'wake', {}, 'text required'],
    ['a blank text', 'wake', { text: ' \n' }, 'text required'],
    ['nothing at all', 'wake', undefined, 'text required'],
    ['blanks', 'wake', '  ', 'text required'],
    ['a list', 'wake', '[{"text":"x"}]', 'text required'],
    ['a number', 'agent', '7', 'message required'],
    ['null', 'agent', 'null', 'message required'],
    ['no message', 'agent', { text: 'x' }, 'message required'],
    ['no JSON', 'wake', '{"text":', 'the body is not valid JSON'],
    ['no UTF-8', 'wake', new Uint8Array([0x22, 0xff, 0x22]), 'the body is not valid JSON'],
    ['a text that is none', 'wake', { text: 7 }, 'text must be a string'],
    ['a mode that is none', 'wake', { text: 'x', mode: 'soon' }, 'mode must be now|next-heartbeat'],
    ['a message that is none', 'agent', { message: ['x'] }, 'message must be a string'],
    ['a name that is none', 'agent', { message: 'x', name: {} }, 'name must be a string'],
    ['a session key that is none', 'agent', { message: 'x', sessionKey: 1 }, 'sessionKey must be a string'],
    ['a session key that is too long', 'agent', { message: 'x', sessionKey: 'k'.repeat(257) }, /256 characters/],
    ['a deliver that is none', 'agent', { message: 'x', deliver: 'yes' }, 'deliver must be a boolean'],
    ['a blank model', 'agent', { message: 'x', model: ' ' }, 'model required'],
    ['a time that is none', 'agent', { message: 'x', timeoutSeconds: '5' }, 'timeoutSeconds must be a number'],
    [
      'an unknown channel',
      'agent',
      { message: 'x', channel: 'pigeon' },
      'channel must be last|email|irc|mqtt|xmpp|matrix|slack|discord|telegram',
    ],
    ['too many levels', 'wake', `{"text":${'['.repeat(100)}${']'.repeat(100)}}`, /64 levels/],
  ]

  it('that is wrong is refused with 400 and changes nothing (HOOK-032, HOOK-041, HOOK-084, HOOK-085)', async () => {
    const { post, hooks } = await start()
    for (const [what, path, body, error] of refusals) {
      const answer = await post(`/hooks/${path}`, body)
      expect([answer.status, answer.body.ok], what).toEqual([400, false])
      expect(answer.body.error, what).toEqual(typeof error === 'string' ? error : expect.stringMatching(error))
    }
    expect(await hooks.desk.list({ limit: 10, order: 'asc' })).toEqual([])
  })

  it('may have any content type, and keys that other programs stumble over', async () => {
    const { post, noted } = await start()
    const odd = '{"text":"ok","__proto__":{"mode":"next-heartbeat","text":"no"},"constructor":{"prototype":{"x":1}}}'
    expect((await post('/hooks/wake', odd, { 'content-type': 'text/plain' })).body).toEqual({ ok: true, mode: 'now' })
    expect((await post('/hooks/wake', '{"text":"a\\u0000b\\ud800"}')).status).toBe(200)
    expect(noted.events.map(({ text }) => text)).toEqual(['ok', 'ab\ufffd'])
    expect(({} as Record<string, unknown>).x).toBeUndefined()
  })

  it('of 256 KiB is taken and one byte more is refused with 413, for mapped hooks too (HOOK-070, HOOK-082, HOOK-086)', async () => {
    const mappings = [{ id: 'ci', match: { path: 'ci' }, action: 'wake', textTemplate: 'Got {{size}}' }]
    const { post, noted } = await start({ hooks: { mappings } })
    const sized = (bytes: number) => `{"size":1,"text":"${'x'.repeat(bytes - 20)}"}`
    expect(sized(256 * 1024)).toHaveLength(256 * 1024)
    for (const path of ['wake', 'ci']) {
      expect((await post(`/hooks/${path}`, sized(256 * 1024))).status).toBe(200)
      const refused = await post(`/hooks/${path}`, sized(256 * 1024 + 1))
      expect([refused.status, refused.body.error]).toEqual([413, expect.stringContaining('payload too large')])
    }
    expect((await post('/hooks/ci', '{"size":')).status).toBe(400)
    expect(noted.events).toHaveLength(2)
    expect(noted.events[1]).toMatchObject({ text: 'Got 1', source: 'mapping:ci' })
  })

  it('is refused with 413 as soon as its length is told, before a byte of it came (HOOK-086)', async () => {
    const { url } = await start()
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    const head = `POST /hooks/wake HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${hookToken}\r\n`
    socket.write(`${head}Content-Length: ${256 * 1024 + 1}\r\n\r\n`)
    const answer = await new Promise<string>((resolve) => socket.once('data', (chunk) => resolve(chunk.toString())))
    socket.destroy()
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
  })

  it('that is compressed is refused with 400, and told why', async () => {
    const { post } = await start()
    const { status, body } = await post('/hooks/wake', gzipSync('{"text":"x"}'), { 'content-encoding': 'gzip' })
    expect([status, body.error]).toEqual([400, 'content encoding gzip is not supported; send the body as it is'])
    expect((await post('/hooks/wake', '{"text":"x"}', { 'content-encoding': 'identity' })).status).toBe(200)
  })

  it('may begin with a byte order mark', async () => {
    const { post, noted } = await start({
      hooks: { mappings: [{ id: 'm', action: 'wake', textTemplate: '{{text}}' }] },
    })
    for (const path of ['wake', 'm']) expect((await post(`/hooks/${path}`, '\ufeff{"text":"ok"}')).status).toBe(200)
    expect(noted.events.map(({ text }) => text)).toEqual(['ok', 'ok'])
  })

  it('that is a form is read for mapped hooks only, and only where it is called one', async () => {
    const { post, noted } = await start({
      hooks: { mappings: [{ id: 'm', action: 'wake', textTemplate: '{{text}}{{n[1]}}' }] },
    })
    const form = { 'content-type': 'Application/X-WWW-Form-Urlencoded; charset=UTF-8' }
    expect((await post('/hooks/m', 'text=a+b%26%C3%A9&n=1&n=2&__proto__=x', form)).status).toBe(200)
    expect((await post('/hooks/m', ' {"text":"json = json"}', form)).status).toBe(200)
    expect(noted.events.map(({ text }) => text)).toEqual(['a b&é2', 'json = json'])
    for (const [path, body, headers] of [
      ['m', 'text=a', {}],
      ['m', 'not json', form],
      ['m', '{"text":', form],
      ['m', '', form],
      ['wake', 'text=a', form],
    ] as const) {
      expect((await post(`/hooks/${path}`, body, headers)).status, `${path} ${body}`).toBe(400)
    }
  })

  it('that comes byte by byte is given up with 408', async () => {
    const { url } = await start({ hooks: { bodySeconds: 0.5 } })
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.write(
      `POST /hooks/wake HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${hookToken}\r\nContent-Length: 1000\r\n\r\n{`,
    )
    const drip = setInterval(() => socket.write(' '), 100)
    const answer = await new Promise<string>((resolve) => socket.once('data', (chunk) => resolve(chunk.toString())))
    clearInterval(drip)
    socket.destroy()
    expect(answer).toMatch(/^HTTP\/1\.1 408 /)
  })
})

describeHooksOnSqlite('hooks.path and hooks.enabled', (start) => {
  it('move all hooks to another prefix (HOOK-006)', async () => {
    const mappings = [{ id: 'ci', match: { path: 'ci' }, messageTemplate: 'ci' }]
    const { post } = await start({ hooks: { path: 'in/coming/', mappings } })
    expect((await post('/in/coming/wake', { text: 'x' })).status).toBe(200)
    expect((await post('/in/coming/agent', { message: 'x' })).status).toBe(202)
    expect((await post('/in/coming/ci', {})).status).toBe(202)
    expect((await post('/in/coming/none', {})).status).toBe(404)
    for (const path of ['/hooks/wake', '/hooks/agent', '/hooks/ci']) {
      expect((await post(path, { text: 'x', message: 'x' })).status).toBe(404)
    }
  })

  it('name no hook by themselves: 401 without a token, 404 with one, 405 for other methods (HOOK-005)', async () => {
    const { post, url } = await start({ hooks: { mappings: [{ id: 'all', action: 'wake', textTemplate: 'x' }] } })
    for (const path of ['/hooks', '/hooks/', '/hooks//', '/hooks?x=1']) {
      const { status, body } = await post(path, {})
      expect([status, body], path).toEqual([404, 'Not Found'])
      expect((await post(path, {}, { authorization: 'Bearer wrong' })).status, path).toBe(401)
      const got = await fetch(url + path)
      expect([got.status, got.headers.get('allow')], path).toEqual([405, 'POST'])
    }
  })

  it('turn hooks on and off (HOOK-001, HOOK-002)', async () => {
    const on = await start({ hooks: { enabled: true } })
    expect((await on.post('/hooks/wake', { text: 'x' })).status).toBe(200)
    const off = await start({ hooks: { enabled: false } })
    for (const path of ['wake', 'agent', 'anything']) {
      expect((await off.post(`/hooks/${path}`, { text: 'x', message: 'x' })).status).toBe(404)
    }
    expect(off.noted.events).toEqual([])
    expect(await off.hooks.desk.list({ limit: 1, order: 'asc' })).toEqual([])
  })
})
