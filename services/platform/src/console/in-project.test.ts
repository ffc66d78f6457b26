// A session acts in the project that its requests name, with its person's rights there.
import { request } from 'node:http'
import { expect, it } from 'vitest'
import { describePlatformOnSqlite, type TestPlatform } from '../testing/describe-platform.ts'
import { formOf } from '../testing/requests.ts'
import { ScriptedChatModel } from '../testing/scripted-chat-model.ts'

const ofConsole = { 'x-atoll-console': '1' }

async function open(platform: TestPlatform) {
  const link = await platform.platform.console.links.create()
  const response = await platform.as(undefined).post('/v1/console/login', { link }, ofConsole)
  const { id } = await response.json()
  const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? ''
  return { id: String(id), headers: { ...ofConsole, cookie } }
}

const chat = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hello.' }] }

describePlatformOnSqlite('a session of the console in a project', (start) => {
  it('uses models, streams and files there, and its usage is told by its id', async () => {
    const model = new ScriptedChatModel([['Good ', 'morning.']])
    const platform = await start({ runtimes: model.runtimes })
    const { id, headers } = await open(platform)
    const inProject = { ...headers, 'x-atoll-project': platform.caller.projectId }
    const nobody = platform.as(undefined)
    const streamed = await nobody.post('/v1/chat/completions', { ...chat, stream: true }, inProject)
    expect(streamed.status).toBe(200)
    expect(await streamed.text()).toMatch(/morning[\s\S]*\[DONE\]/)
    const file = await nobody.post('/v1/files', formOf('a.txt', 'words', { purpose: 'assistants' }), inProject)
    expect(file.status).toBe(200)
    const other = await platform.addProject('Other')
    const elsewhere = { ...headers, 'x-atoll-project': other.caller.projectId }
    expect(await (await nobody.get('/v1/files', elsewhere)).json()).toMatchObject({ data: [] })
    expect(await (await nobody.get('/v1/files', inProject)).json()).toMatchObject({ data: [{ filename: 'a.txt' }] })
    const span = `start_time=${Math.floor(Date.now() / 1000) - 3600}&group_by=api_key_id`
    const usage = () =>
      nobody.get(`/v1/organization/usage/completions?${span}`, headers).then((answer) => answer.json())
    await expect.poll(async () => JSON.stringify(await usage())).toContain(`"api_key_id":"${id}"`)
  })

  it('is refused where its person has no rights', async () => {
    const platform = await start()
    const { headers } = await open(platform)
    const nobody = platform.as(undefined)
    const foreign = await platform.addOrganization('Foreign')
    const { platform: inside, caller } = platform
    const archived = await platform.addProject('Old')
    await inside.identity.projects.archive(caller.organizationId, archived.caller.projectId)
    for (const project of [foreign.projectId, archived.caller.projectId, 'proj_none', '', '%00']) {
      const answer = await nobody.get('/v1/files', { ...headers, 'x-atoll-project': project })
      expect({ project, status: answer.status }).toEqual({ project, status: 403 })
      expect(await answer.json()).toMatchObject({ error: { code: 'no_such_project' } })
    }
    const named = { ...headers, 'x-atoll-project': caller.projectId }
    expect((await nobody.get('/v1/files', named)).status).toBe(200)
    const { 'x-atoll-console': _, ...bare } = named
    expect((await nobody.get('/v1/files', bare)).status).toBe(401)
    expect((await nobody.get('/v1/files', { ...named, origin: 'http://evil.example' })).status).toBe(403)
    expect((await nobody.get('/v1/files', { ...named, cookie: 'atoll_session=x' })).status).toBe(401)
    expect((await nobody.post('/v1/realtime/sessions', { model: 'gpt-4o-realtime-preview' }, named)).status).toBe(403)
  })

  it('is of no use under a name that was made to lead here', async () => {
    const platform = await start({ config: { console: { hosts: ['atoll.example'] } } })
    const { headers } = await open(platform)
    const status = (host: string, path: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const project = { 'x-atoll-project': platform.caller.projectId }
        request(platform.url + path, { headers: { ...headers, ...project, host } }, (response) => {
          response.resume()
          resolve(response.statusCode)
        })
          .on('error', reject)
          .end()
      })
    for (const path of ['/v1/console/session', '/v1/organization/projects', '/v1/files']) {
      expect(await status('evil.example', path)).toBe(421)
      expect(await status('atoll.example', path)).toBe(200)
    }
  })
})
