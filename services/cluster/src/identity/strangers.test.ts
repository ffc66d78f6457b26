// What strangers send costs nothing: no body is read before its sender is known, and of a login only a few kilobytes.
import { statusBeforeBody } from '@atoll/testkit/withheld-body'
import { expect, it } from 'vitest'
import { describeClusterOnSqlite } from '../testing/cluster-server.ts'

const megabyte = 1_000_000
const logIn = '/v1/users/authorize'

describeClusterOnSqlite('a stranger', (start) => {
  it('is refused at every route before anything of the body was sent', async () => {
    const { url, core } = await start()
    const routes = core.routes.filter(({ method }) => method !== 'GET')
    expect(routes.length).toBeGreaterThan(8)
    for (const { method, path } of routes) {
      const status = await statusBeforeBody(url + path.replace(/:\w+/g, '1'), { method, bytes: 31 * megabyte })
      expect(status, `${method} ${path}`).toBe(path === logIn ? 413 : 401)
    }
  })

  it('cannot log in with more than 8 KB, nor with what nests', async () => {
    const { url } = await start()
    const send = async (text: string): Promise<number> => {
      const body = new Blob([text]).stream()
      const headers = { 'content-type': 'application/json' }
      return (await fetch(url + logIn, { method: 'POST', headers, body, duplex: 'half' } as RequestInit)).status
    }
    expect(await send('['.repeat(4 * megabyte))).toBe(413)
    expect(await send(`{"email":"${'a'.repeat(8 * 1024)}"}`)).toBe(413)
    expect(await send('['.repeat(8_000))).toBe(400)
    expect(await send(`${'['.repeat(4_000)}${']'.repeat(4_000)}`)).toBe(400)
  })
})
