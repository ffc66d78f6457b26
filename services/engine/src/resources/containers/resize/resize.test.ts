import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Hijacked } from '../../../streams/testing/hijacked.ts'
import { type StreamingEngine, startStreamingEngine } from '../../../streams/testing/streaming-engine.ts'

let engine: StreamingEngine
beforeAll(async () => {
  engine = await startStreamingEngine()
})
afterAll(() => engine.close())

describe('POST /containers/:id/resize', () => {
  it('gives the terminal its size and tells so', async () => {
    const id = await engine.create({ Tty: true, OpenStdin: true })
    const client = await Hijacked.open(engine.dial(), `/containers/${id}/attach?stream=1&stdout=1`)
    const container = await engine.run(id, 'echo up; read x; stty size')
    await client.until(() => client.text.includes('up'))
    const { status, body } = await engine.ask('POST', `/containers/${id}/resize?h=41&w=123`)
    expect([status, body.length]).toEqual([200, 0])
    await container.write('\n')
    await client.ended()
    expect(client.text).toContain('41 123')
    const resize = engine.actions(id).find(({ Action }) => Action === 'resize')
    expect(resize?.Actor.Attributes).toMatchObject({ height: '41', width: '123', image: 'busybox' })
  })

  it('refuses what is no size, no container, or not running', async () => {
    const id = await engine.create({ Tty: true })
    const statusOf = async (path: string) => (await engine.ask('POST', path)).status
    expect(await statusOf(`/containers/${id}/resize?h=x&w=1`)).toBe(400)
    expect(await statusOf(`/containers/${id}/resize?h=70000&w=1`)).toBe(400)
    expect(await statusOf(`/containers/${id}/resize?h=1`)).toBe(400)
    expect(await statusOf(`/containers/${id}/resize?h=1&w=1`)).toBe(409)
    expect(await statusOf('/containers/nobody/resize?h=1&w=1')).toBe(404)
  })
})
