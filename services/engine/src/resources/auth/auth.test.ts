import { tempDir } from '@atoll/testkit/temp-dir'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApi } from '../../images/registry/testing/registry-api.ts'
import { makeEngine } from '../../images/registry/testing/registry-engine.ts'
import {
  hasRegistry,
  type RegistryServer,
  registryUser,
  startRegistry,
} from '../../images/registry/testing/registry-server.ts'
import { identityToken, startTokenServer, type TokenServer } from '../../images/registry/testing/token-server.ts'

describe.skipIf(!hasRegistry)('POST /auth (package docker-registry)', () => {
  let withTokens: RegistryServer
  let withPasswords: RegistryServer
  let tokens: TokenServer
  let api: Awaited<ReturnType<typeof startApi>>
  beforeAll(async () => {
    tokens = await startTokenServer(await tempDir())
    withTokens = await startRegistry({ tokens })
    withPasswords = await startRegistry({ basicAuth: true })
    api = await startApi((await makeEngine()).client)
  })
  afterAll(async () => {
    await api?.close(0)
    await withTokens?.stop()
    await withPasswords?.stop()
    await tokens?.stop()
  })

  const logIn = async (body: object, version = 'v1.47') => {
    const response = await fetch(`${api.url}/${version}/auth`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: response.status, body: (await response.json()) as Record<string, string> }
  }

  it('takes an identity token in place of the password', async () => {
    const credentials = { serveraddress: withTokens.host, identitytoken: identityToken }
    expect(await logIn(credentials)).toMatchObject({ status: 200, body: { Status: 'Login Succeeded' } })
    expect((await logIn({ ...credentials, identitytoken: 'stolen' })).status).toBe(401)
  })

  it('says that credentials are wrong', async () => {
    const serveraddress = withPasswords.host
    expect(await logIn({ ...registryUser, serveraddress })).toMatchObject({ status: 200, body: { IdentityToken: '' } })
    expect(await logIn({ username: 'lotte', password: 'wrong', serveraddress })).toEqual({
      status: 401,
      body: { message: `login attempt to http://${serveraddress}/v2/ failed with status: 401 Unauthorized` },
    })
    expect(await logIn({ username: 'lotte', password: 'wrong', serveraddress: withTokens.host })).toEqual({
      status: 401,
      body: { message: 'unauthorized: incorrect username or password' },
    })
  })

  it('refuses what is no address, and says when nobody answers there', async () => {
    expect(await logIn({ ...registryUser, serveraddress: 'a b c' })).toEqual({
      status: 400,
      body: { message: 'unable to parse server address: a b c' },
    })
    expect((await logIn({ ...registryUser, serveraddress: 'http://localhost:99999' })).status).toBe(400)
    expect((await logIn({ ...registryUser, serveraddress: 'a:b:c' })).status).toBe(400)
    expect((await logIn({ username: 5 })).status).toBe(400)
    const nobody = await logIn({ ...registryUser, serveraddress: '127.0.0.1:1' })
    expect(nobody.status).toBe(500)
    expect(nobody.body.message).toContain('connection refused')
  })
})
