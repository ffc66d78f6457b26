// Commands of an operator: as a client of the database may, one at a time.
import { lacking } from '@atoll/testkit/lacking'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWholeCluster, type WholeCluster } from '../../testing/whole-cluster.ts'

const missing = lacking('redis-server')

describe.skipIf(missing !== '')(`a command in a database (${missing || 'redis-server'})`, () => {
  let whole: WholeCluster
  let uid: number
  const run = (command: string, ...args: string[]) =>
    whole.admin.call('POST', `/v1/bdbs/${uid}/command`, { command, args })

  beforeAll(async () => {
    whole = await startWholeCluster()
    uid = (await whole.admin.call('POST', '/v1/bdbs', { name: 'asked' })).body.uid
  }, 60_000)
  afterAll(() => whole.stop())

  it('is answered as the server answers it', async () => {
    expect(await run('SET', 'greeting', 'hello\r\nworld')).toMatchObject({ status: 200, body: { response: 'OK' } })
    expect(await run('get', 'greeting')).toMatchObject({ body: { response: 'hello\r\nworld' } })
    expect(await run('rpush', 'list', 'a', 'b')).toMatchObject({ body: { response: 2 } })
    expect(await run('lrange', 'list', '0', '-1')).toMatchObject({ body: { response: ['a', 'b'] } })
    expect(await run('get', 'nothing')).toMatchObject({ status: 200, body: { response: null } })
  })

  it('is refused where clients may not, where it is about a connection, and where it makes no sense', async () => {
    const refused: [string, ...string[]][] = [
      ['CONFIG', 'GET', 'dir'],
      ['shutdown', 'nosave'],
      ['acl', 'users'],
      ['replicaof', 'no', 'one'],
      ['MONITOR'],
      ['subscribe', 'news'],
      ['auth', 'x'],
      ['client', 'kill', 'type', 'normal'],
      ['nonsense'],
      ['get'],
      ['incr', 'greeting'],
    ]
    for (const [command, ...args] of refused) {
      const { status, body } = await run(command, ...args)
      expect({ command, status, code: body.error_code }).toEqual({ command, status: 400, code: 'command_refused' })
    }
    expect(await run('ping')).toMatchObject({ body: { response: 'PONG' } })
    expect((await whole.admin.call('POST', '/v1/bdbs/999/command', { command: 'ping' })).status).toBe(404)
    expect((await whole.admin.call('POST', `/v1/bdbs/${uid}/command`, { command: '' })).status).toBe(400)
  })

  it('gets no answer without end', async () => {
    await run('setrange', 'large', String(2 * 1024 * 1024), 'x')
    const { status, body } = await run('get', 'large')
    expect({ status, message: body.message }).toEqual({ status: 400, message: expect.stringMatching(/ask for less/) })
    expect(await run('strlen', 'large')).toMatchObject({ status: 200 })
  })
})
