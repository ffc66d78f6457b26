import { expect, it } from 'vitest'
import { describePlatformOnSqlite } from '../../../testing/describe-platform.ts'
import type { RuntimeList, RuntimeObject } from './schema.ts'

const path = '/v1/organization/runtimes'
const name = 'builtin-atoll-chat'

describePlatformOnSqlite('runtimes', (start) => {
  it('are listed with the ids they answer, and loaded and unloaded by an administrator', async () => {
    const platform = await start()
    const admin = platform.as(platform.adminKey)
    const { data } = (await (await admin.get(path)).json()) as unknown as RuntimeList
    const own = data.find(({ id }) => id === name)
    expect(own).toMatchObject({ kind: 'llama', status: 'ready', running: 0, waiting: 0, is_loadable: true })
    expect(own?.file).toMatch(/^[^/]+\.gguf$/)
    expect(own?.models).toContainEqual({ id: 'atoll-chat', serves: ['chat', 'completions'] })
    const asked = async (action: string) =>
      (await (await admin.post(`${path}/${name}/${action}`)).json()) as unknown as RuntimeObject
    expect((await asked('load')).status).toBe('loaded')
    expect((await asked('load')).status).toBe('loaded')
    expect((await asked('unload')).status).toBe('ready')
    expect((await asked('unload')).status).toBe('ready')
  })

  it('refuse what they cannot do, and whoever is no administrator', async () => {
    const platform = await start()
    const admin = platform.as(platform.adminKey)
    const refusal = async (what: string) => {
      const response = await admin.post(`${path}/${what}`)
      return { status: response.status, code: (await response.json()).error.code }
    }
    expect(await refusal('none/load')).toEqual({ status: 404, code: 'runtime_not_found' })
    expect(await refusal('builtin-speech/unload')).toEqual({ status: 400, code: 'runtime_not_loadable' })
    expect((await platform.get(path)).status).toBe(403)
  })
})
