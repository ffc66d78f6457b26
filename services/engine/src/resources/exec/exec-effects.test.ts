// Execs and attached clients of a whole engine: what travels on their connections, and when.
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Hijacked } from '../../streams/testing/hijacked.ts'
import { startWholeEngine, type WholeEngine } from '../../testing/start-whole-engine.ts'

let engine: WholeEngine
beforeAll(async () => {
  engine = await startWholeEngine()
  await engine.run('1.47', 'talker', { Cmd: ['sh', '-c', 'echo said; exec sleep 3600'] })
})
afterAll(() => engine?.stop())

const rounds = 20
const prepare = async (settings: object): Promise<string> => {
  const asked = { AttachStdout: true, AttachStderr: true, ...settings }
  return (await engine.call('POST', '/containers/talker/exec', asked)).body.Id
}

/** How many bytes came together with the head of the answer. */
async function bytesBesideHead(path: string, body?: object): Promise<number> {
  const socket = connect({ path: engine.socketPath })
  const first = new Promise<Buffer>((resolve) => socket.once('data', resolve))
  const client = await Hijacked.open(socket, path, { body })
  const chunk = await first
  await client.until(() => client.body.length > 0)
  socket.destroy()
  return chunk.length - (chunk.indexOf('\r\n\r\n') + 4)
}

describe('the head of an answer', () => {
  // A client that is kept waiting by its machine finds both at once: the bound is a generous one.
  it('comes before the output of a command that is run', async () => {
    const together: number[] = []
    for (let round = 0; round < rounds; round++) {
      const id = await prepare({ Cmd: ['echo', 'hi'] })
      together.push(await bytesBesideHead(`/exec/${id}/start`, { Detach: false, Tty: false }))
    }
    expect(together.filter((bytes) => bytes > 0).length).toBeLessThan(rounds / 2)
  })
})

describe('who starts an exec', () => {
  const start = async (settings: object, Tty: boolean) => {
    const path = `/exec/${await prepare(settings)}/start`
    const client = await Hijacked.open(connect({ path: engine.socketPath }), path, { body: { Tty } })
    await client.ended()
    return client
  }

  it('has the output of a terminal in frames by Tty: false, and as it is by Tty: true', async () => {
    const terminal = { Tty: true, Cmd: ['sh', '-c', 'test -t 1 && echo terminal'] }
    const framed = await start(terminal, false)
    expect(framed.head).toContain('application/vnd.docker.multiplexed-stream')
    expect(framed.output(1)).toBe('terminal\r\n')
    const plain = await start(terminal, true)
    expect(plain.head).toContain('application/vnd.docker.raw-stream')
    expect(plain.text).toBe('terminal\r\n')
  })

  it('has the output of pipes as it is by Tty: true', async () => {
    const client = await start({ Cmd: ['sh', '-c', 'echo out; echo err >&2'] }, true)
    expect(client.text).toBe('out\n')
  })

  it('is told of a command that is not there in the stream, and by its exit code', async () => {
    const id = await prepare({ Cmd: ['no-such-program'] })
    const client = await Hijacked.open(connect({ path: engine.socketPath }), `/exec/${id}/start`, { body: {} })
    await client.ended()
    expect(client.output(1)).toContain('executable file not found in $PATH')
    expect((await engine.call('GET', `/exec/${id}/json`)).body).toMatchObject({ Running: false, ExitCode: 127 })
  })
})
