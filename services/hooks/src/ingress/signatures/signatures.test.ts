// Signed hooks, signed by the senders' own libraries.
import { createHmac } from 'node:crypto'
import { ManualClock } from '@atoll/kernel/clock/clock'
import { sign as signGithub } from '@octokit/webhooks-methods'
import { Webhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { expect, it } from 'vitest'
import { describeHooksOnSqlite, type HooksServer } from '../../testing/hooks-server.ts'

const oldSecret = 'whsec_b2xkLXNlY3JldC1vZi10aGUtdGVzdHM='
const newSecret = 'whsec_bmV3LXNlY3JldC1vZi10aGUtdGVzdHM='
const body = '{ "id": "evt_1",  "event_id": "Ev1", "text": "söme  bytes" }'
const noToken = { authorization: '' }

interface Signer {
  scheme: string
  settings?: Record<string, unknown>
  /** At a time in seconds. */
  sign(secret: string, text: string, at: number): Promise<Record<string, string>> | Record<string, string>
  isTimed: boolean
}

const stripe = new Stripe('sk_test_none')
const hex = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex')

const signers: Signer[] = [
  {
    scheme: 'standard-webhooks',
    isTimed: true,
    sign: (secret, text, at) => ({
      'webhook-id': `msg_${at}`,
      'webhook-timestamp': String(at),
      'webhook-signature': `v1,AAAA ${new Webhook(secret).sign(`msg_${at}`, new Date(at * 1000), text)}`,
    }),
  },
  {
    scheme: 'github',
    isTimed: false,
    sign: async (secret, text) => ({ 'x-hub-signature-256': await signGithub(secret, text) }),
  },
  {
    scheme: 'stripe',
    isTimed: true,
    sign: (secret, payload, timestamp) => ({
      'stripe-signature': stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp }),
    }),
  },
  {
    scheme: 'slack',
    isTimed: true,
    sign: (secret, text, at) => ({
      'x-slack-request-timestamp': String(at),
      'x-slack-signature': `v0=${hex(secret, `v0:${at}:${text}`)}`,
    }),
  },
  {
    scheme: 'hmac',
    settings: { header: 'X-Sum', algorithm: 'sha512', encoding: 'base64', prefix: 'sig=', timestampHeader: 'X-Time' },
    isTimed: true,
    sign: (secret, text, at) => ({
      'x-time': String(at),
      'x-sum': `sig=${createHmac('sha512', secret).update(`${at}.${text}`).digest('base64')}`,
    }),
  },
]

const mappingFor = ({ scheme, settings = {} }: Signer, secrets = [newSecret, oldSecret]) => ({
  id: scheme,
  match: { path: scheme },
  action: 'wake',
  textTemplate: 'From {{path}}: {{text}}',
  signature: { scheme, secrets, ...settings },
})

describeHooksOnSqlite('a signature', (start) => {
  const clock = new ManualClock(Date.UTC(2026, 10, 16))
  const now = () => Math.floor(clock.now() / 1000)

  async function signed(server: HooksServer, signer: Signer, secret = newSecret, at = now(), sent = body, said = body) {
    const headers = { ...noToken, ...(await signer.sign(secret, said, at)) }
    return server.post(`/hooks/${signer.scheme}`, sent, headers)
  }

  it('of each kind lets a sender in without a token, with any of the secrets', async () => {
    const server = await start({ clock, hooks: { mappings: signers.map((signer) => mappingFor(signer)) } })
    for (const signer of signers) {
      const accepted = await signed(server, signer)
      expect([accepted.status, accepted.body], signer.scheme).toEqual([200, { ok: true, mode: 'now' }])
      const other = body.replace('evt_1', 'evt_2').replace('Ev1', 'Ev2')
      const byOld = await signed(server, signer, oldSecret, now() - 200, other, other)
      expect(byOld.status, signer.scheme).toBe(200)
    }
    expect(server.noted.events).toHaveLength(2 * signers.length)
    const kept = await server.hooks.desk.list({ limit: 100, order: 'asc' })
    expect(kept[0]?.sender).toBe('signature:standard-webhooks')
    expect(JSON.stringify(kept.map(({ headers }) => headers))).not.toMatch(/signature|x-sum/)
  })

  it('that is wrong, of other bytes, or missing is refused, also with a token; a body that is no JSON only after it', async () => {
    const failures = { authFailures: { limit: 1000 } }
    const server = await start({ clock, hooks: { mappings: signers.map((signer) => mappingFor(signer)), ...failures } })
    for (const signer of signers) {
      const wrongSecret = `whsec_${btoa('another-secret-entirely')}`
      expect((await signed(server, signer, wrongSecret)).status, signer.scheme).toBe(401)
      const respaced = JSON.stringify(JSON.parse(body))
      expect((await signed(server, signer, newSecret, now(), respaced)).status, signer.scheme).toBe(401)
      expect((await server.post(`/hooks/${signer.scheme}`, body, noToken)).status, signer.scheme).toBe(401)
      expect((await server.post(`/hooks/${signer.scheme}`, body)).status, signer.scheme).toBe(401)
      expect((await server.post(`/hooks/${signer.scheme}`, '{', noToken)).status, signer.scheme).toBe(401)
      expect((await signed(server, signer, newSecret, now(), '{', '{')).status, signer.scheme).toBe(400)
    }
    expect(server.noted.events).toEqual([])
  })

  it('with a time too long ago, or too far ahead, is refused', async () => {
    const server = await start({ clock, hooks: { mappings: signers.map((signer) => mappingFor(signer)) } })
    for (const signer of signers.filter(({ isTimed }) => isTimed)) {
      expect((await signed(server, signer, newSecret, now() - 301)).status, signer.scheme).toBe(401)
      expect((await signed(server, signer, newSecret, now() + 301)).status, signer.scheme).toBe(401)
    }
    expect(server.noted.events).toEqual([])
  })

  it('counts its failures against the address', async () => {
    const mappings = signers.map((signer) => mappingFor(signer))
    const server = await start({ clock, hooks: { mappings, authFailures: { limit: 2 } } })
    for (let i = 0; i < 2; i++) expect((await server.post('/hooks/github', body, noToken)).status).toBe(401)
    expect((await server.post('/hooks/github', body, noToken)).status).toBe(429)
  })

  it('of a mapping that is chosen by the body stands beside mappings that take a token', async () => {
    const [first] = signers
    if (first === undefined) throw new Error('no signer')
    const mappings = [
      { ...mappingFor(first), match: { path: 'all', source: 'signed' } },
      { id: 'open', match: { path: 'all' }, action: 'wake', textTemplate: 'open' },
    ]
    const server = await start({ clock, hooks: { mappings } })
    const text = '{"source":"signed","text":"x"}'
    expect((await server.post('/hooks/all', text)).status).toBe(401)
    expect(
      (await server.post('/hooks/all', text, { ...noToken, ...(await first.sign(newSecret, text, now())) })).status,
    ).toBe(200)
    expect((await server.post('/hooks/all', '{"source":"other"}')).status).toBe(200)
    expect((await server.post('/hooks/all', '{"source":"other"}', noToken)).status).toBe(401)
  })

  it('may be asked of a token too', async () => {
    const signature = { scheme: 'github', secrets: [newSecret] }
    const server = await start({ clock, hooks: { tokens: [{ id: 'signed', token: 'token-that-signs', signature }] } })
    const token = { authorization: 'Bearer token-that-signs' }
    expect((await server.post('/hooks/wake', body, token)).status).toBe(401)
    const headers = { ...token, 'x-hub-signature-256': await signGithub(newSecret, body) }
    expect((await server.post('/hooks/wake', body, headers)).status).toBe(200)
  })
})

describeHooksOnSqlite('a signed request that was overheard', (start) => {
  it('has no second effect, whatever else is changed, also after a restart; the time of a new one counts', async () => {
    const clock = new ManualClock(Date.UTC(2026, 10, 16))
    const at = Math.floor(clock.now() / 1000)
    const hooks = { mappings: signers.map((signer) => mappingFor(signer)) }
    const before = await start({ clock, hooks })
    const requests = await Promise.all(
      signers.map(async (signer) => ({
        path: `/hooks/${signer.scheme}`,
        headers: await signer.sign(newSecret, body, at),
      })),
    )
    for (const { path, headers } of requests) await before.post(path, body, { ...noToken, ...headers })
    expect(before.noted.events).toHaveLength(signers.length)
    await before.close()
    const server = await start({ clock, hooks, after: before })
    for (const { path, headers } of requests) {
      const disguise = { 'x-github-delivery': 'another', 'idempotency-key': 'another' }
      for (const more of [{}, disguise]) {
        const again = await server.post(path, body, { ...noToken, ...headers, ...more })
        expect([again.status, again.headers.get('idempotency-replayed')], path).toEqual([200, 'true'])
      }
    }
    expect(server.noted.events).toEqual([])
    // Sent again by its own sender: another time, the same event.
    for (const signer of signers.filter(({ scheme }) => scheme === 'stripe' || scheme === 'slack')) {
      const headers = await signer.sign(newSecret, body, at + 20)
      const again = await server.post(`/hooks/${signer.scheme}`, body, { ...noToken, ...headers })
      expect(again.headers.get('idempotency-replayed'), signer.scheme).toBe('true')
    }
    expect(server.noted.events).toEqual([])
  })
})
