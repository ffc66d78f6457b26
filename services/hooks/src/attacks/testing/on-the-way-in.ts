// Attacks on who may come in.
import { sign } from '@octokit/webhooks-methods'
import { expect, vi } from 'vitest'
import type { Attack } from './attack.ts'
import { type AttackedGateway, githubSecret, newAddress, token } from './attacked-gateway.ts'

const patience = { timeout: 20_000, interval: 50 }
const agent = { message: 'Let me in', deliver: false }

const guessed = 'Guessed my way in'
const hooks = {
  wake: { text: guessed },
  agent: { message: guessed, deliver: false },
  keyed: { key: 'hook:guess', text: guessed },
}

/** All that an answer tells. */
async function answerTo(gateway: AttackedGateway, hook: keyof typeof hooks, guess: string): Promise<string> {
  const headers = { authorization: `Bearer ${guess}`, 'x-forwarded-for': newAddress() }
  const answer = await gateway.post(`/hooks/${hook}`, hooks[hook], headers)
  const names = [...answer.headers.keys()].filter((name) => name !== 'date' && name !== 'x-request-id').sort()
  const told = names.map((name) => `${name}: ${answer.headers.get(name)}`)
  return `${answer.status} ${JSON.stringify(answer.body)} ${told.join(', ')}`
}

async function guess(gateway: AttackedGateway, guesses: readonly string[]): Promise<void> {
  const before = await gateway.countDeliveries()
  const answers = new Set<string>()
  for (const each of guesses) {
    for (const hook of ['wake', 'agent', 'keyed'] as const) answers.add(await answerTo(gateway, hook, each))
  }
  expect([...answers]).toEqual([expect.stringMatching(/^401 "Unauthorized"/)])
  expect(await gateway.countDeliveries()).toBe(before)
  expect(JSON.stringify(await gateway.admin('/system-events'))).not.toContain(guessed)
  expect(JSON.stringify(gateway.model.asked)).not.toContain(guessed)
}

const prefixes: Attack = {
  row: 'CVE-2026-28475, CVE-2026-28464',
  what: 'guesses the token letter by letter, by how the answer changes',
  proves: 'HOOK-028, HOOK-029',
  async attempt(gateway) {
    const guesses = Array.from({ length: token.length }, (_, length) => `${token.slice(0, length)}!`)
    await guess(gateway, [...guesses, `${token}x`, token.toUpperCase()])
    return `${guesses.length + 2} guesses at three hooks: the same 401 each time, nothing kept, no event, no run`
  },
}

const lengths: Attack = {
  row: 'CVE-2026-41407',
  what: 'guesses the length of the token',
  async attempt(gateway) {
    const guesses = [1, token.length - 1, token.length, token.length + 1, 64, 1_000].map((length) => 'a'.repeat(length))
    await guess(gateway, guesses)
    return 'the same 401 for every length'
  },
}

const inAddress: Attack = {
  row: '#2997, #5120',
  what: 'reads the token from logs and records after it came in an address',
  proves: 'HOOK-022, HOOK-023',
  async attempt(gateway) {
    const path = `/hooks/agent?token=${token}`
    const answer = await gateway.request(path, { method: 'POST', body: JSON.stringify(agent) })
    expect(answer.status).toBe(202)
    expect(answer.headers.get('deprecation')).toMatch(/^@\d+$/)
    await vi.waitFor(() => expect(gateway.output).toContain('A hook token came in the query'), patience)
    expect(gateway.output).not.toContain(token)
    expect(JSON.stringify(await gateway.admin(`/deliveries/${answer.body.runId}`))).not.toContain(token)
    gateway.reload({ queryToken: false })
    const asked = () => gateway.request(path, { method: 'POST', body: JSON.stringify(agent) })
    await vi.waitFor(async () => expect((await asked()).status).toBe(401), patience)
    return 'accepted as deprecated, with a warning and without the token in any log or record; 401 where switched off'
  },
}

const oldSecret: Attack = {
  row: 'CVE-2026-45005',
  what: 'goes on with a token that was replaced',
  proves: 'HOOK-028',
  async attempt(gateway) {
    const next = 'hook-token-that-follows'
    const statuses = async (secret: string) => {
      const headers = { authorization: `Bearer ${secret}`, 'x-forwarded-for': newAddress() }
      const [wake, run, mapped] = [{ text: 'x', mode: 'next-heartbeat' }, agent, { key: 'hook:rotated', text: 'x' }]
      const paths = { wake, agent: run, keyed: mapped }
      const answers = Object.entries(paths).map(([path, body]) => gateway.post(`/hooks/${path}`, body, headers))
      return (await Promise.all(answers)).map(({ status }) => status)
    }
    expect(await statuses(token)).toEqual([200, 202, 202])
    gateway.reload({ token: next })
    await vi.waitFor(async () => expect(await statuses(next)).toEqual([200, 202, 202]), patience)
    expect(await statuses(token)).toEqual([401, 401, 401])
    gateway.reload({})
    await vi.waitFor(async () => expect(await statuses(token)).toEqual([200, 202, 202]), patience)
    return 'from the reload on the old token opens neither wake nor agent nor a mapped hook'
  },
}

const lockOut: Attack = {
  row: 'GHSA-6rmx-gvvg-vh6j',
  what: 'locks a sender out with GET requests that count as failures',
  async attempt(gateway) {
    const headers = { 'x-forwarded-for': newAddress() }
    for (let n = 0; n < 40; n++) {
      expect((await gateway.request('/hooks/agent', { method: 'GET', headers })).status).toBe(405)
    }
    expect((await gateway.post('/hooks/agent', agent, headers)).status).toBe(202)
    const wrong = { 'x-forwarded-for': newAddress(), authorization: 'Bearer wrong' }
    const statuses: number[] = []
    for (let n = 0; n < 25; n++) statuses.push((await gateway.post('/hooks/agent', agent, wrong)).status)
    expect(statuses.at(0)).toBe(401)
    expect(statuses.at(-1)).toBe(429)
    expect((await gateway.post('/hooks/agent', agent, headers)).status).toBe(202)
    return 'GETs are 405 and count for nothing; wrong tokens lead to 429 for their own address alone'
  },
}

const replay: Attack = {
  row: 'GHSA-4h79-3q73-c7gg',
  what: 'sends a signed request again, as it was and under another delivery id',
  async attempt(gateway) {
    const body = JSON.stringify({ ref: 'refs/heads/replayed' })
    const signed = { authorization: '', 'x-hub-signature-256': await sign(githubSecret, body) }
    const first = await gateway.post('/hooks/github', body, { ...signed, 'x-github-delivery': 'one' })
    expect(first.status).toBe(202)
    const before = await gateway.countDeliveries()
    for (const id of ['one', 'two']) {
      const again = await gateway.post('/hooks/github', body, { ...signed, 'x-github-delivery': id })
      expect({ status: again.status, body: again.body }).toEqual({ status: 202, body: first.body })
      expect(again.headers.get('idempotency-replayed')).toBe('true')
    }
    const forged = JSON.stringify({ ref: 'refs/heads/forged' })
    const from = { 'x-forwarded-for': newAddress() }
    expect((await gateway.post('/hooks/github', forged, { ...signed, ...from })).status).toBe(401)
    expect(await gateway.countDeliveries()).toBe(before)
    return 'answered as the first time and not run again; 401 for another body under the signature'
  },
}

const otherGateway: Attack = {
  row: 'CVE-2026-25253',
  what: 'names another gateway in the address, to have the token sent there',
  proves: 'HOOK-088',
  async attempt(gateway) {
    const query = `gatewayUrl=${encodeURIComponent(gateway.inside.url)}`
    const before = gateway.inside.heard.length
    for (const path of ['/', '/hooks', '/hooks-admin', '/hooks-admin/status']) {
      const answer = await gateway.request(`${path}?${query}`, { method: 'GET' })
      expect(answer.status).toBeGreaterThanOrEqual(400)
      expect(answer.headers.get('location')).toBeNull()
      expect(JSON.stringify(answer.body)).not.toContain(gateway.inside.url)
    }
    const { status, body } = await gateway.post(`/hooks/agent?${query}`, {
      ...agent,
      gatewayUrl: gateway.inside.url,
      callbackUrl: gateway.inside.url,
    })
    expect(status).toBe(202)
    expect(await gateway.ended(body.runId)).toMatchObject({ state: 'succeeded' })
    expect(gateway.inside.heard).toHaveLength(before)
    return 'no page, no redirect, no request to it'
  },
}

export const onTheWayIn = [prefixes, lengths, inAddress, oldSecret, lockOut, replay, otherGateway]
