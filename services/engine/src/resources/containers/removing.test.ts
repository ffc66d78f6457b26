// What is told of a container while it is being removed.
import { describe, expect, it } from 'vitest'
import { openContainers } from './testing/containers-server.ts'

describe('a container that is being removed', () => {
  it('ENG-225 ENG-280 is removing from 1.25 on, and exited before', async () => {
    const server = await openContainers()
    await server.run({ Cmd: ['true'] }, '?name=going')
    await server.run({ Cmd: ['sleep'] }, '?name=staying')
    await server.post('/containers/going/wait')
    // Its process takes as long to go as the test likes.
    const destroy = server.runtime.destroy.bind(server.runtime)
    const { promise: isLetGo, resolve: letGo } = Promise.withResolvers<void>()
    const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>()
    server.runtime.destroy = async (asked) => {
      hold()
      await isLetGo
      await destroy(asked)
    }
    const removal = server.delete('/containers/going')
    await isHeld
    const inspect = async (version: string) => (await server.get(`/v${version}/containers/going/json`)).body.State
    const list = async (version: string, status?: string) => {
      const filters = status === undefined ? '' : `&filters=${encodeURIComponent(`{"status":["${status}"]}`)}`
      const { body } = await server.get(`/v${version}/containers/json?all=1${filters}`)
      return body.map(({ Names, State }: { Names: string[]; State: string }) => `${Names[0]} ${State}`)
    }
    for (const version of ['1.25', '1.47']) {
      expect(await inspect(version)).toMatchObject({ Status: 'removing', Running: false, Dead: false })
      expect(await list(version)).toEqual(['/staying running', '/going removing'])
      expect(await list(version, 'removing')).toEqual(['/going removing'])
      expect(await list(version, 'exited')).toEqual([])
    }
    expect(await inspect('1.24')).toMatchObject({ Status: 'exited', Running: false })
    expect(await list('1.24')).toEqual(['/staying running', '/going exited'])
    expect(await list('1.24', 'exited')).toEqual(['/going exited'])
    letGo()
    expect((await removal).status).toBe(204)
    expect(await list('1.47')).toEqual(['/staying running'])
  })
})
