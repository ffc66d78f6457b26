import { expect, it } from 'vitest'
import { describePlatformOnSqlite } from '../../../testing/describe-platform.ts'

const path = '/v1/organization/server'

describePlatformOnSqlite('the server itself', (start) => {
  it('tells administrators its settings and looks at its machine once for all who ask', async () => {
    let looked = 0
    const setting = { id: 'port', value: '8080', source: '--port' }
    const check = { what: 'Node', need: 'all', state: 'ok' as const, detail: 'v24' }
    const checks = async () => {
      looked += 1
      await new Promise((resolve) => setTimeout(resolve, 500))
      return [check]
    }
    const platform = await start({ server: { settings: () => [setting], checks } })
    const admin = platform.as(platform.adminKey)
    const told = async (what: string) => (await admin.get(`${path}/${what}`)).json()
    expect(await told('settings')).toEqual({
      object: 'list',
      data: [{ object: 'organization.server.setting', ...setting }],
    })
    const found = { object: 'list', data: [{ object: 'organization.server.check', ...check }] }
    expect(await Promise.all([told('checks'), told('checks')])).toEqual([found, found])
    expect(looked).toBe(1)
    for (const what of ['settings', 'checks']) expect((await platform.get(`${path}/${what}`)).status).toBe(403)
  })

  it('is not there where nobody knows its facts', async () => {
    const platform = await start()
    expect((await platform.as(platform.adminKey).get(`${path}/settings`)).status).toBe(404)
  })
})
