// What strangers send costs nothing: no body is read before its sender is known, and none is read far.
import { statusBeforeBody } from '@atoll/testkit/withheld-body'
import { expect, it } from 'vitest'
import { describeHooksOnSqlite, hookToken } from '../testing/hooks-server.ts'

const megabyte = 1_000_000
const nested = Buffer.from('['.repeat(4 * megabyte))
const signature = { scheme: 'github', secrets: ['a-secret-of-github'] }
const hooks = {
  mappings: [{ id: 'ci', match: { path: 'ci' }, action: 'wake', textTemplate: 'x', signature }],
  authFailures: { limit: 1_000_000, seconds: 60 },
}

describeHooksOnSqlite('a stranger', (start) => {
  it('is refused at every route before anything of the body was sent', async () => {
    const server = await start({ hooks })
    const routes = server.hooks.service.routes.filter(({ method }) => method !== 'GET')
    expect(routes.length).toBeGreaterThan(5)
    for (const { method, path } of routes) {
      const url = server.url + path.replace(/:\w+|\*/g, 'x')
      const status = await statusBeforeBody(url, { method, bytes: 31 * megabyte })
      expect(status, `${method} ${path}`).toBe(401)
    }
  })

  it('is not listened to where senders sign, without a signature or with more than may be sent', async () => {
    const { url } = await start({ hooks })
    const before = (headers: Record<string, string>) =>
      statusBeforeBody(`${url}/hooks/ci`, { method: 'POST', headers, bytes: 31 * megabyte })
    expect(await before({})).toBe(401)
    expect(await before({ 'x-signature': 'sha256=00' })).toBe(401)
    expect(await before({ 'x-hub-signature-256': 'sha256=00' })).toBe(413)
    expect(await before({ authorization: `Bearer ${hookToken}` })).toBe(413)
  })

  it('is refused soon where a body of unknown length nests without end', async () => {
    const { url } = await start({ hooks })
    const send = async (headers: Record<string, string>) => {
      const body = new Blob([nested]).stream()
      const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit
      return (await fetch(`${url}/hooks/ci`, init)).status
    }
    expect(await send({})).toBe(401)
    expect(await send({ 'x-hub-signature-256': 'sha256=00' })).toBe(413)
  })
})
