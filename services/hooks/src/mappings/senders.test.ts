// What Slack, GitHub and Gmail really send, over HTTP and signed.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tempDir } from '@atoll/testkit/temp-dir'
import { expect, it } from 'vitest'
import { describeHooksOnSqlite, type HooksServer } from '../testing/hooks-server.ts'
import { fromGithub, fromSlack, githubSecret, slackSecret } from './testing/signed-senders.ts'

const slack = {
  id: 'slack',
  match: { path: 'slack' },
  signature: { scheme: 'slack', secrets: [slackSecret] },
  action: 'wake',
}

const kept = async ({ hooks }: HooksServer) => {
  const deliveries = await hooks.desk.list({ limit: 100, order: 'asc' })
  return deliveries.map(({ state, action }) =>
    action === null ? state : 'text' in action ? action.text : action.message,
  )
}

const challenge = {
  token: 'old',
  challenge: '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P',
  type: 'url_verification',
}

const command = new URLSearchParams({
  ...{ token: 'old', team_id: 'T1', channel_id: 'C1', user_id: 'U1', user_name: 'ann "the boss"', command: '/deploy' },
  ...{ text: 'lighthouse 2.4 & more', response_url: 'https://hooks.slack.example/commands/1', trigger_id: '13.1' },
})

describeHooksOnSqlite('Slack', (start) => {
  it('is answered with its challenge when it signed it, and starts nothing (HOOK-070)', async () => {
    const mapping = {
      ...slack,
      match: { path: 'slack', source: 'never in such a body' },
      textTemplate: '{{event.text}}',
    }
    const server = await start({ hooks: { mappings: [mapping], authFailures: { limit: 100 } } })
    const answer = await fromSlack(server, challenge)
    expect([answer.status, answer.body]).toEqual([200, { challenge: challenge.challenge }])
    expect((await fromSlack(server, challenge, { secret: 'another-signing-secret' })).status).toBe(401)
    expect((await server.post('/hooks/slack', challenge, { authorization: '' })).status).toBe(401)
    expect((await fromSlack(server, { ...challenge, challenge: 7 })).status).not.toBe(200)
    const certificate = new URLSearchParams({ ssl_check: '1', token: 'old' })
    expect((await fromSlack(server, certificate)).status).toBe(200)
    expect((await fromSlack(server, certificate, { secret: 'another-signing-secret' })).status).toBe(401)
    expect(await kept(server)).toEqual([])
  })

  it('sends commands as a form, and shows what the mapping answers (HOOK-071, HOOK-073)', async () => {
    const answer = { body: { response_type: 'ephemeral', text: 'On it, {{user_name}}: {{text}}' } }
    const server = await start({
      hooks: { mappings: [{ ...slack, textTemplate: '{{command}} {{text}} by {{user_id}}', answer }] },
    })
    const { status, body, headers } = await fromSlack(server, command)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toMatch(/^application\/json/)
    expect(body).toEqual({ response_type: 'ephemeral', text: 'On it, ann "the boss": lighthouse 2.4 & more' })
    expect(await kept(server)).toEqual(['/deploy lighthouse 2.4 & more by U1'])
  })

  it('sends interactions as JSON in a form (HOOK-073)', async () => {
    const server = await start({
      hooks: { mappings: [{ ...slack, textTemplate: '{{type}}: {{actions[0].value}}', answer: { status: 200 } }] },
    })
    const interaction = { type: 'block_actions', actions: [{ action_id: 'approve', value: 'yes, ship it' }] }
    const sent = await fromSlack(server, new URLSearchParams({ payload: JSON.stringify(interaction) }))
    expect([sent.status, sent.body]).toEqual([200, ''])
    const broken = await fromSlack(server, new URLSearchParams({ payload: '{"type":' }))
    expect([broken.status, broken.body.error]).toEqual([400, 'the body is not valid JSON'])
    expect(await kept(server)).toEqual(['block_actions: yes, ship it'])
  })
})

describeHooksOnSqlite('GitHub', (start) => {
  const signature = { scheme: 'github', secrets: [githubSecret] }
  const on = (event: string | string[], id: string, text: string) => ({
    ...{ id, match: { path: 'github', headers: { 'X-GitHub-Event': event } }, signature, action: 'wake' },
    textTemplate: text,
  })

  it('is told apart by its headers, sends JSON or a form, and its ping starts nothing (HOOK-012, HOOK-075)', async () => {
    const mappings = [
      on('push', 'pushes', 'push to {{ref}}'),
      on(['issues', 'issue_comment'], 'issues', '{{headers.x-github-event}} {{issue.title}}'),
      { id: 'rest', match: { path: 'github' }, signature, action: 'wake', textTemplate: 'something else: {{zen}}' },
    ]
    const server = await start({ hooks: { mappings } })
    expect((await fromGithub(server, 'push', { ref: 'refs/heads/main' })).status).toBe(200)
    expect((await fromGithub(server, 'push', { ref: 'refs/heads/töst' }, true)).status).toBe(200)
    expect((await fromGithub(server, 'issue_comment', { issue: { title: 'It rains' } })).status).toBe(200)
    for (const asForm of [false, true]) {
      expect((await fromGithub(server, 'ping', { zen: 'Keep it simple', asForm }, asForm)).status).toBe(204)
    }
    const heard = ['push to refs/heads/main', 'push to refs/heads/töst', 'issue_comment It rains']
    expect(server.noted.events.map(({ text }) => text)).toEqual(heard)
    expect(await kept(server)).toEqual([...heard, 'skipped', 'skipped'])
  })

  it('gets 404 for what no mapping is for, and its ping where a mapping asks for it', async () => {
    const pushes = await start({ hooks: { mappings: [on('push', 'pushes', 'push')] } })
    expect((await fromGithub(pushes, 'ping', { zen: 'Nobody means it' })).status).toBe(204)
    expect(
      (await pushes.post('/hooks/github', { zen: 'x' }, { authorization: '', 'x-github-event': 'ping' })).status,
    ).toBe(401)
    expect(await kept(pushes)).toEqual([])
    const server = await start({ hooks: { mappings: [on('ping', 'pings', 'ping: {{zen}}')] } })
    for (let i = 0; i < 30; i++) expect((await fromGithub(server, 'push', { ref: `${i}` })).status).toBe(404)
    expect((await server.post('/hooks/github', { ref: 'x' }, { 'x-github-event': 'push' })).status).toBe(404)
    expect((await fromGithub(server, 'ping', { zen: 'Speak' })).status).toBe(200)
    expect(await kept(server)).toEqual(['ping: Speak'])
  })
})

const push = (data: unknown, messageId: string, more: object = {}) => ({
  message: {
    ...{ data: Buffer.from(JSON.stringify(data)).toString('base64'), messageId, message_id: messageId },
    ...{ publishTime: '2026-11-16T10:00:00Z', publish_time: '2026-11-16T10:00:00Z' },
  },
  subscription: 'projects/mine/subscriptions/mail',
  ...more,
})

describeHooksOnSqlite('Gmail', (start) => {
  const mail = (id: string, subject: string) => ({ id, from: 'ann@example.com', subject, snippet: 'At noon?' })

  it('pushes what it has to say in an envelope, which the preset opens, once for each message (HOOK-080)', async () => {
    const server = await start({ hooks: { presets: ['gmail'] } })
    const news = { emailAddress: 'ann@example.com', historyId: 9876543210 }
    expect((await server.post('/hooks/gmail', push(news, '1'))).status).toBe(202)
    const again = await server.post('/hooks/gmail', push(news, '1', { deliveryAttempt: 2 }))
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([202, 'true'])
    const [message, ...more] = await kept(server)
    expect(message).toMatch(/ann@example\.com[\s\S]*9876543210/)
    expect(more).toEqual([])
  })

  it('starts nothing for no messages, reads all of several, and is refused with neither (HOOK-079)', async () => {
    const server = await start({ hooks: { presets: ['gmail'] } })
    expect((await server.post('/hooks/gmail', { source: 'gmail', messages: [] })).status).toBe(204)
    expect((await server.post('/hooks/gmail', { messages: [mail('m1', 'Lunch'), mail('m2', 'Tea')] })).status).toBe(202)
    for (const body of [{}, { messages: 'none' }, { messages: [7] }, push('text', '2'), push({ other: 1 }, '3')]) {
      expect((await server.post('/hooks/gmail', body)).status, JSON.stringify(body)).toBe(400)
    }
    const [skipped, both, ...more] = await kept(server)
    expect([skipped, more]).toEqual(['skipped', []])
    expect(both).toMatch(/Lunch[\s\S]*Tea/)
  })

  it('is a Pub/Sub sender like any other for mappings that say so', async () => {
    const mapping = {
      id: 'p',
      envelope: 'pubsub',
      action: 'wake',
      textTemplate: '{{emailAddress}} {{pubsub.messageId}} {{pubsub.attributes.kind}}',
    }
    const server = await start({ hooks: { mappings: [mapping] } })
    const sent = push({ emailAddress: 'ann@example.com' }, '7')
    Object.assign(sent.message, { attributes: { kind: 'new' } })
    expect((await server.post('/hooks/any', sent)).status).toBe(200)
    expect((await server.post('/hooks/any', { text: 'no envelope' })).status).toBe(400)
    expect(await kept(server)).toEqual(['ann@example.com 7 new'])
  })
})

const transform = `export default ({ payload }) => {
  if (payload.type === 'hello') return { kind: 'skip', answer: { status: 200, body: payload.word } }
  if (payload.type === 'bad') return { kind: 'skip', answer: { status: 422, body: { why: 'no type of ours' } } }
  if (payload.type === 'lie') return { text: 'x', answer: { status: 422 } }
  if (payload.type === 'empty') return { text: 'x', answer: { status: 204, body: 'x' } }
  return { text: payload.word, answer: { status: 201, body: { taken: payload.word } } }
}`

describeHooksOnSqlite('a transform', (start) => {
  it('says what the sender is answered, with or without starting something (HOOK-074)', async () => {
    const transformsDir = join(await tempDir(), 'transforms')
    await mkdir(transformsDir)
    await writeFile(join(transformsDir, 'it.js'), transform)
    const server = await start({
      hooks: { transformsDir, mappings: [{ id: 't', action: 'wake', transform: { module: 'it.js' } }] },
    })
    const answers = async (type: string) => {
      const { status, body } = await server.post('/hooks/t', { type, word: `<b>${type}` })
      return [status, body]
    }
    expect(await answers('hello')).toEqual([200, '<b>hello'])
    expect(await answers('bad')).toEqual([422, { why: 'no type of ours' }])
    expect(await answers('go')).toEqual([201, { taken: '<b>go' }])
    for (const type of ['lie', 'empty']) expect((await answers(type))[0]).toBe(500)
    expect(await kept(server)).toEqual(['skipped', 'skipped', '<b>go'])
  })
})
