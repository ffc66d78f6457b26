import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type StreamingEngine, startStreamingEngine } from '../../../streams/testing/streaming-engine.ts'

const top = async (query = '', asked = id) => {
  const { status, body } = await engine.ask('GET', `/containers/${asked}/top${query}`)
  return { status, ...JSON.parse(body.toString()) }
}

let engine: StreamingEngine
let id: string
const sleepers = ['sleep 61', 'sleep 62']
beforeAll(async () => {
  engine = await startStreamingEngine()
  id = await engine.create()
  await engine.run(id, 'sleep 61 & exec sleep 62')
  // A container has started when its process may go on; until then that process is still the runtime's.
  await vi.waitFor(async () => {
    expect((await top()).Processes.map((row: string[]) => row.at(-1)).sort()).toEqual(sleepers)
  })
})
afterAll(() => engine.close())

const encode = encodeURIComponent

describe('GET /containers/:id/top', () => {
  it("lists the container's processes and no others, with the titles of ps", async () => {
    const { Titles, Processes } = await top()
    expect(Titles).toEqual(['UID', 'PID', 'PPID', 'C', 'STIME', 'TTY', 'TIME', 'CMD'])
    expect(Processes.map((row: string[]) => row.at(-1)).sort()).toEqual(sleepers)
    expect(Processes.every((row: string[]) => row.length === Titles.length)).toBe(true)
    expect(engine.actions(id).some(({ Action }) => Action === 'top')).toBe(true)
  })

  it('takes arguments of ps', async () => {
    expect((await top('?ps_args=aux')).Titles).toContain('%CPU')
    const { Titles, Processes } = await top(`?ps_args=${encode('-o pid,comm')}`)
    expect(Titles).toEqual(['PID', 'COMMAND'])
    expect(Processes).toHaveLength(2)
  })

  it('refuses arguments that hide the processes, or that ps does not know', async () => {
    expect(await top(`?ps_args=${encode('-o comm')}`)).toMatchObject({
      status: 400,
      message: "Couldn't find PID field in ps output",
    })
    expect(await top(`?ps_args=${encode('-o ppid=PID')}`)).toMatchObject({
      status: 400,
      message: 'specifying "ppid=PID" is not allowed',
    })
    const bad = await top('?ps_args=--nonsense')
    expect(bad.status).toBe(400)
    expect(bad.message).toMatch(/^ps: /)
  })

  it('refuses containers that do not run', async () => {
    const resting = await engine.create()
    expect(await top('', resting)).toMatchObject({ status: 409, message: `container ${resting} is not running` })
    expect(await top('', 'nobody')).toMatchObject({ status: 404 })
  })
})
