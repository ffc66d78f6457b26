// Tokens at the start: those given, those made once, and those that cannot be.
import { expect, it } from 'vitest'
import { z } from 'zod'
import { HooksConfig } from '../config.ts'
import { describeHooks, describeHooksOnSqlite, hookToken } from '../testing/hooks-server.ts'
import { checkSecrets } from './check-secrets.ts'

const wake = { text: 'x' }
const bearer = (token: string | undefined) => ({ authorization: `Bearer ${token}` })
const unset = { token: undefined, adminToken: undefined }

describeHooks('the first start', (start) => {
  it('makes the tokens that nobody gave, keeps digests of them, and shows them that once', async () => {
    const first = await start({ hooks: unset })
    const { hookToken: made, adminToken } = first.hooks.made
    expect(made).toMatch(/^\w{40,}$/)
    expect(adminToken).toMatch(/^\w{40,}$/)
    expect((await first.post('/hooks/wake', wake, bearer(made))).status).toBe(200)
    const rows = await first.kernel.db.queries.selectFrom('hooks_tokens').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(made)
    expect(first.logged()).not.toContain(made)
    await first.close()
    const second = await start({ hooks: unset, after: first })
    expect(second.hooks.made).toEqual({})
    expect((await second.post('/hooks/wake', wake, bearer(made))).status).toBe(200)
    const admin = await fetch(`${second.url}/hooks-admin/deliveries`, { headers: bearer(adminToken) })
    expect(admin.status).toBe(200)
    await second.close()
    // One that is given takes the place of the one that was made.
    const third = await start({ hooks: unset, givenToken: 'given-by-the-environment', after: first })
    expect(third.hooks.made).toEqual({})
    expect((await third.post('/hooks/wake', wake, bearer(made))).status).toBe(401)
    expect((await third.post('/hooks/wake', wake, bearer('given-by-the-environment'))).status).toBe(200)
  })
})

describeHooksOnSqlite('a start', (start) => {
  it('with hooks.enabled and without a token ends with a line that says so (HOOK-003)', async () => {
    await expect(start({ hooks: { ...unset, enabled: true } })).rejects.toThrow('hooks.enabled requires hooks.token')
    const given = await start({ hooks: { ...unset, enabled: true }, givenToken: 'given-by-the-environment' })
    expect((await given.post('/hooks/wake', wake, bearer('given-by-the-environment'))).status).toBe(200)
    const configured = await start({ hooks: { enabled: true } })
    expect((await configured.post('/hooks/wake', wake, bearer(hookToken))).status).toBe(200)
  })
})

it('a hook token that is another of the system’s secrets ends the start with the names of both (HOOK-016)', () => {
  const secret = 'one-secret-for-all-of-it'
  const signature = { scheme: 'github', secrets: [secret] }
  const cases: [settings: object, around: { given?: string; others?: string[] }, line: string][] = [
    [{ token: secret, adminToken: secret }, {}, 'hooks.token: the same as hooks.adminToken'],
    [{ token: secret }, { others: ['ATOLL_API_KEY'] }, 'hooks.token: the same as ATOLL_API_KEY'],
    [{}, { given: secret, others: ['ATOLL_ADMIN_KEY'] }, 'ATOLL_HOOKS_TOKEN: the same as ATOLL_ADMIN_KEY'],
    [{ tokens: [{ id: 'a', token: secret }], token: secret }, {}, 'hooks.tokens[0].token: the same as hooks.token'],
    [{ token: secret, mappings: [{ signature }] }, {}, 'hooks.token: the same as hooks.mappings[0].signature.secrets'],
    [{ tokens: [{ id: 'token', token: 'x' }] }, {}, 'hooks.tokens[0].id: token is taken'],
  ]
  for (const [settings, { given, others = [] }, line] of cases) {
    const named = others.map((name) => ({ name, value: secret }))
    const check = () => checkSecrets(HooksConfig.parse(settings), { given, others: named, kept: {} })
    expect(check).toThrow(line)
    expect(check).not.toThrow(secret)
  }
  checkSecrets(HooksConfig.parse({ token: secret, adminToken: 'another' }), { given: secret, others: [], kept: {} })
})

it('settings have the documented defaults and are refused by name (HOOK-005)', () => {
  expect(HooksConfig.parse({})).toMatchObject({
    ...{ path: '/hooks', maxBodyBytes: 262_144, queryToken: true, presets: [], mappings: [] },
    ...{ authFailures: { limit: 20, seconds: 60 }, tokens: [], trustedProxies: [] },
  })
  expect(HooksConfig.parse({ path: 'a/b/' }).path).toBe('/a/b')
  const wrong: [object, string][] = [
    [{ path: '/' }, 'path'],
    [{ path: '' }, 'path'],
    [{ path: '/hooks-admin' }, 'path'],
    [{ path: '/a/../b' }, 'path'],
    [{ enabled: 'yes' }, 'enabled'],
    [{ token: '' }, 'token'],
    [{ tokens: [{ id: 'a b', token: 'x' }] }, 'tokens.0.id'],
    [{ maxBodyBytes: 0 }, 'maxBodyBytes'],
    [{ trustedProxies: ['10.0.0.0/33'] }, 'trustedProxies.0'],
    [
      { mappings: [{ signature: { scheme: 'standard-webhooks', secrets: ['not base64!'] } }] },
      'mappings.0.signature.secrets',
    ],
  ]
  for (const [settings, path] of wrong) {
    const paths = HooksConfig.safeParse(settings).error?.issues.map((issue) => issue.path.join('.'))
    expect(paths, path).toContain(path)
  }
  expect(z.prettifyError(HooksConfig.safeParse({ tokn: 'x' }).error as z.ZodError)).toContain('tokn')
})
