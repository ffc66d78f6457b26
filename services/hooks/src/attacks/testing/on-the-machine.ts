// Attacks on the machine: its secrets, its files, its network.
import { expect, vi } from 'vitest'
import type { Attack } from './attack.ts'
import { apiKey } from './attacked-gateway.ts'

const sameSecret: Attack = {
  row: '#20809',
  what: 'uses the key of the platform as hook token',
  proves: 'HOOK-016, HOOK-027',
  async attempt(gateway) {
    const said = await gateway.refusedStart({ token: apiKey })
    expect(said).toContain('hooks.token: the same as ATOLL_API_KEY')
    expect(said).not.toContain(apiKey)
    const { status } = await gateway.post('/hooks/agent', { message: 'x' }, { authorization: `Bearer ${apiKey}` })
    expect(status).toBe(401)
    return 'the start is refused and names both; that key is 401 at the hooks'
  },
}

const modulePath: Attack = {
  row: 'CVE-2026-28456, GHSA-659f-22xc-98f2',
  what: 'has a transform loaded from outside its folder, and breaks out of one inside',
  proves: 'HOOK-010',
  async attempt(gateway) {
    const modules = ['../outside.js', '/etc/passwd', 'link.js', 'file:///etc/passwd', 'data:text/javascript,1']
    const mappings = modules.map((module, n) => ({
      id: `out-${n}`,
      match: { path: `out-${n}` },
      transform: { module },
    }))
    const said = await gateway.refusedStart({ mappings })
    for (const n of modules.keys()) {
      const refusal = /is no name of a file in hooks\.transformsDir|is a link that leads out of/
      expect(said).toMatch(new RegExp(`mappings\\[${n}\\]\\.transform\\.module: .*(?:${refusal.source})`))
    }
    const { status, body } = await gateway.post('/hooks/escape', { id: 'escaped' })
    expect(status).toBe(202)
    await gateway.ended(body.runId)
    const { prompt } = await gateway.shown([' escaped'])
    expect(prompt).toMatch(/found: root:(?:undefined|refused) escaped/)
    return `${modules.length} ways out refused at the start; inside there is no process, require or fetch`
  },
}

const innerNetwork: Attack = {
  row: 'SSRF',
  what: 'has a reply sent to an inner address',
  async attempt(gateway) {
    const before = gateway.inside.heard.length
    for (const to of [gateway.inside.url, '../../../gate', '1/../../gate', '1?x=', '1#']) {
      const { status } = await gateway.post('/hooks/agent', { message: 'x', channel: 'discord', to })
      expect(status, to).toBe(400)
    }
    gateway.model.script = () => 'A reply for the inside.'
    const { status, body } = await gateway.post('/hooks/agent', { message: 'go inside', channel: 'discord', to: '1' })
    expect(status).toBe(202)
    const { outcome } = await gateway.ended(body.runId)
    const id = outcome?.delivery?.outboxId
    const { error } = await vi.waitFor(async () => {
      const message = await gateway.admin(`/outbox/${id}`)
      expect(message).toMatchObject({ text: 'A reply for the inside.', error: expect.stringContaining('private') })
      return message
    }, patience)
    expect(gateway.inside.heard).toHaveLength(before)
    return `recipients that are addresses or paths are 400; nothing is connected to: ${error}`
  },
}

const patience = { timeout: 20_000, interval: 50 }

export const onTheMachine = [sameSecret, modulePath, innerNetwork]
