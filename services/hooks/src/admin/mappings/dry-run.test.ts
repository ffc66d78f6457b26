// Trying a mapping, and looking at them: nothing may come of it.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tempDir } from '@atoll/testkit/temp-dir'
import { expect, it } from 'vitest'
import { describeHooksOnSqlite } from '../../testing/hooks-server.ts'
import { adminOf } from '../testing/admin-client.ts'

const transform = `export default ({ payload }) => {
  if (payload.skip) return null
  if (payload.broken) throw new Error('cannot read this')
  return undefined
}`

async function transformsDir(): Promise<string> {
  const folder = join(await tempDir(), 'transforms')
  await mkdir(folder)
  await writeFile(join(folder, 'ci.js'), transform)
  return folder
}

const secret = 'a-secret-of-the-sender'
const mappings = [
  {
    ...{ id: 'ci', match: { path: 'ci' }, messageTemplate: '{{headers.x-event}}: {{text}}', name: '{{who}}' },
    ...{ transform: { module: 'ci.js' }, signature: { scheme: 'github', secrets: [secret] } },
  },
  { id: 'wake', action: 'wake', match: { path: 'up' }, textTemplate: '{{text}}' },
  { id: 'open', match: { path: 'open' }, messageTemplate: '{{text}}', allowUnsafeExternalContent: true },
]

describeHooksOnSqlite('mappings in the admin interface', (start) => {
  it('HOOK-014 HOOK-074 shows what would come of a request, wrapped as the model would read it, and runs nothing', async () => {
    const server = await start({ hooks: { mappings, transformsDir: await transformsDir(), presets: ['gmail'] } })
    const admin = adminOf(server)
    const test = async (id: string, body: object) => (await admin.post(`/mappings/${id}/test`, body)).body
    const tried = await test('ci', { payload: { text: 'It is red', who: 'Ann' }, headers: { 'X-Event': 'push' } })
    expect(tried).toMatchObject({
      ...{ outcome: 'action', status: 202, found: 'ci' },
      action: { kind: 'agent', message: 'push: It is red', name: 'Ann', mapping: 'ci', channel: 'last' },
    })
    expect(tried.preview).toMatch(
      /<<<EXTERNAL_UNTRUSTED_CONTENT id="[0-9a-f]{16}">>>[\s\S]*push: It is red[\s\S]*<<<END_EXTERNAL_UNTRUSTED_CONTENT id="[0-9a-f]{16}">>>/,
    )
    const woken = await test('wake', { payload: { text: 'Disk full' } })
    expect(woken).toMatchObject({
      outcome: 'action',
      status: 200,
      found: 'wake',
      action: { kind: 'wake', text: 'Disk full' },
    })
    expect(woken.preview).toMatch(
      /^SECURITY NOTICE[\s\S]*System: \[[^\]]+\] an event from outside:\n<<<EXTERNAL[\s\S]*Disk full/,
    )
    expect(await test('ci', { payload: { skip: true } })).toEqual({ outcome: 'skipped', status: 204, found: 'ci' })
    expect(await test('ci', { payload: { broken: true } })).toMatchObject({
      outcome: 'failed',
      status: 500,
      error: 'ci.js threw Error: cannot read this',
    })
    expect(await test('wake', { payload: {} })).toMatchObject({
      outcome: 'refused',
      status: 400,
      error: 'hook mapping requires text',
    })
    expect(await test('wake', { payload: { text: 'x' }, path: '/gmail/' })).toMatchObject({
      outcome: 'action',
      found: 'gmail',
    })
    expect(server.noted.runs).toEqual([])
    expect(server.noted.events).toEqual([])
    expect((await admin.get('/deliveries')).body.deliveries).toEqual([])
  })

  it('HOOK-013 HOOK-081 shows that a mapping with allowUnsafeExternalContent has no wrapper', async () => {
    const server = await start({ hooks: { mappings: mappings.slice(2) } })
    const { body } = await adminOf(server).post('/mappings/open/test', { payload: { text: 'as it came' } })
    expect(body).toMatchObject({ preview: 'as it came', action: { allowUnsafeExternalContent: true } })
  })

  it('lists mappings in the order they are tried, without their secrets', async () => {
    const server = await start({ hooks: { mappings, transformsDir: await transformsDir(), presets: ['gmail'] } })
    const { body } = await adminOf(server).get('/mappings')
    expect(body.mappings).toMatchObject(
      [
        { id: 'ci', signature: 'github', transform: { module: 'ci.js', export: 'default', sha256: /^[0-9a-f]{64}$/ } },
        { id: 'wake', action: 'wake', signature: null, transform: null },
        { id: 'open', allowUnsafeExternalContent: true },
        { id: 'gmail', isPreset: true, match: { path: 'gmail' } },
      ].map((each) =>
        each.transform
          ? { ...each, transform: { ...each.transform, sha256: expect.stringMatching(each.transform.sha256) } }
          : each,
      ),
    )
    expect(JSON.stringify(body)).not.toContain(secret)
  })

  it('says what is wrong with what it was asked', async () => {
    const admin = adminOf(await start({ hooks: { mappings: mappings.slice(1) } }))
    expect((await admin.post('/mappings/none/test', { payload: {} })).body.error).toBe('there is no mapping none')
    expect((await admin.post('/mappings/wake/test', {})).body.error).toBe('payload required')
    expect((await admin.post('/mappings/wake/test', { payload: [] })).status).toBe(400)
    expect((await admin.post('/mappings/wake/test', { payload: {}, body: {} })).status).toBe(400)
  })
})
