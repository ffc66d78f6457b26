// Files into containers of a whole engine and out of them, at rest and running.
import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWholeEngine, type WholeEngine } from '../../../testing/start-whole-engine.ts'
import { tarOf } from '../../images/testing/sample-tars.ts'

let engine: WholeEngine
beforeAll(async () => {
  engine = await startWholeEngine()
  await engine.run('1.47', 'runs', { User: '33:44' })
  await engine.call('POST', '/containers/create?name=rests', { Image: 'busybox', Cmd: ['true'], User: '33:44' })
})
afterAll(() => engine?.stop())

const get = (version: string, name: string, path: string) =>
  engine.client.call('GET', `/v${version}/containers/${name}/archive?path=${encodeURIComponent(path)}`)
const put = (version: string, name: string, path: string, query = '') => {
  const tar = tarOf([{ name: 'given', data: 'word', uid: 9, gid: 10, mode: 0o600 }])
  return engine.call('PUT', `/v${version}/containers/${name}/archive?path=${encodeURIComponent(path)}${query}`, tar)
}
/** As `tar` sees it: the owner of each name, and what is in it. */
const owners = (tar: Buffer) => execFileSync('tar', ['-tv', '--numeric-owner'], { input: tar, encoding: 'utf8' })
const content = (tar: Buffer) => execFileSync('tar', ['-xO'], { input: tar, encoding: 'utf8' })

it('a container that never ran has the folder it works in', async () => {
  for (const WorkingDir of ['/home/foo', '/tmp', `/${'long/'.repeat(40)}end`]) {
    const asked = { Image: 'busybox', Cmd: ['pwd'], WorkingDir }
    const { status, body } = await engine.call('POST', '/containers/create', asked)
    expect(status).toBe(201)
    expect((await get('1.47', body.Id, WorkingDir)).status, WorkingDir).toBe(200)
    expect((await put('1.47', body.Id, WorkingDir)).status).toBe(200)
    expect(content((await get('1.47', body.Id, `${WorkingDir}/given`)).body)).toBe('word')
    await engine.call('DELETE', `/containers/${body.Id}`)
  }
})

// Its process is gone at once; the engine hears of it a moment later.
describe('a container whose process has just ended', () => {
  it('gives its files and is exported', async () => {
    const asked = {
      export: (name: string) => engine.client.call('GET', `/containers/${name}/export`),
      get: (name: string) => get('1.47', name, '/etc/passwd'),
    }
    for (const [kind, ask] of Object.entries(asked))
      for (let round = 0; round < 5; round++) {
        const name = `${kind}-${round}`
        await engine.run('1.47', name)
        const answers: Promise<{ status: number }>[] = []
        const killed = engine.call('POST', `/containers/${name}/kill`).finally(() => answers.push(ask(name)))
        for (let turn = 0; turn < 12; turn++) {
          answers.push(ask(name))
          await answers.at(-turn)
        }
        await killed
        const statuses = (await Promise.all(answers)).map(({ status }) => status)
        expect([name, ...new Set(statuses)]).toEqual([name, 200])
        await engine.call('DELETE', `/containers/${name}?force=1`)
      }
  })
})

describe.each(['rests', 'runs'])('a container that %s', (name) => {
  it('ENG-340 ENG-341 gives its files as a tar and takes them so, from 1.20 on', async () => {
    for (const version of ['1.20', '1.47']) {
      expect((await put(version, name, '/tmp')).status).toBe(200)
      const { status, body } = await get(version, name, '/tmp/given')
      expect([status, content(body)]).toEqual([200, 'word'])
      expect(owners(body)).toMatch(/^-rw------- 9\/10 .* given\n$/)
      expect(owners((await get(version, name, '/tmp')).body)).toMatch(/ tmp\/\n.* tmp\/given\n/)
    }
    expect([(await put('1.19', name, '/tmp')).status, (await get('1.19', name, '/tmp')).status]).toEqual([404, 404])
  })

  it('gives everything by its whole name, takes an archive of nothing, and tells a file from a folder', async () => {
    const all = execFileSync('tar', ['-tP'], { input: (await get('1.47', name, '/')).body, encoding: 'utf8' })
    expect(all.split('\n')).toEqual(expect.arrayContaining(['/', '/etc/', '/etc/passwd']))
    const nothing = await engine.call('PUT', `/containers/${name}/archive?path=/tmp`, Buffer.alloc(0))
    expect(nothing.status).toBe(200)
    const { status, body } = await engine.call('GET', `/containers/${name}/archive?path=/etc/passwd/`)
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('not a directory')])
  })

  it('refuses names that no file system takes as a mistake of the caller', async () => {
    const long = 'a'.repeat(300)
    const statuses = [
      (await get('1.47', name, `/tmp/${long}`)).status,
      (await engine.call('PUT', `/containers/${name}/archive?path=/tmp/${long}`, tarOf([]))).status,
    ]
    expect(statuses).toEqual([400, 400])
  })

  it('ENG-342 has what is put into it belong to its user when asked, from 1.30 on', async () => {
    const owner = async (version: string) => {
      expect((await put(version, name, '/tmp', '&copyUIDGID=true')).status).toBe(200)
      return owners((await get('1.47', name, '/tmp/given')).body).split(' ')[1]
    }
    expect([await owner('1.29'), await owner('1.30'), await owner('1.47')]).toEqual(['9/10', '33/44', '33/44'])
  })

  it('ENG-343 ENG-344 gives files by the old way, up to 1.23', async () => {
    await put('1.47', name, '/tmp')
    const copy = (version: string) =>
      engine.client.call('POST', `/v${version}/containers/${name}/copy`, { Resource: '/tmp/given' })
    for (const version of ['1.18', '1.20', '1.23']) {
      const { status, body } = await copy(version)
      expect([version, status, content(body)]).toEqual([version, 200, 'word'])
    }
    for (const version of ['1.24', '1.47']) expect((await copy(version)).status).toBe(404)
  })
})
