// Containers for real, with both runtimes.
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { minimalProcess } from './testing/minimal-spec.ts'
import { RuntimeKit, readAll, unframe } from './testing/runtime-kit.ts'

let kit: RuntimeKit
beforeAll(async () => {
  kit = await RuntimeKit.open()
})
afterAll(async () => {
  expect(kit.leftovers()).toEqual([])
  await kit.close()
})

/** Reads until the text has come. */
async function until(stream: AsyncIterable<Buffer>, words: string): Promise<string> {
  let seen = ''
  for await (const part of stream) {
    seen += part.toString()
    if (seen.includes(words)) break
  }
  return seen
}

describe.each(['crun', 'runc'])('containers with %s', (runtime) => {
  it('runs a program, keeps its log and tells its exit code', async () => {
    const id = await kit.started(['sh', '-c', 'echo out; echo err >&2; echo again > /dev/stdout; exit 7'], { runtime })
    const exit = await kit.runtime.exited(id)
    expect(exit).toMatchObject({ exitCode: 7, oomKilled: false })
    expect(kit.runtimeLeftovers()).toEqual([])
    expect(exit.finishedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/)
    const log = kit.log(id)
    expect(log.filter(({ stream }) => stream === 'stdout').map((entry) => entry.log)).toEqual(['out\n', 'again\n'])
    expect(log.filter(({ stream }) => stream === 'stderr').map((entry) => entry.log)).toEqual(['err\n'])
    await kit.runtime.destroy(id)
  })

  it('gives a client that attached before the start everything, framed', async () => {
    const container = kit.container(['sh', '-c', 'echo one; echo two >&2; cat'], {
      runtime,
      openStdin: true,
      stdinOnce: true,
    })
    await kit.runtime.create(container)
    const { connection } = await kit.runtime.attach(container.id)
    await kit.runtime.start(container.id)
    connection.end('from outside')
    const seen = unframe(await readAll(connection))
    expect(seen).toEqual({ stdout: 'one\nfrom outside', stderr: 'two\n' })
    expect((await kit.runtime.exited(container.id)).exitCode).toBe(0)
    await kit.runtime.destroy(container.id)
  })

  it('has a terminal of the size asked for, and changes it', async () => {
    const script = 'stty size; trap "stty size; exit 3" WINCH; echo ready; while :; do read -t 1 x; done'
    const container = kit.container(['sh', '-c', script], {
      runtime,
      tty: true,
      openStdin: true,
      consoleSize: [33, 99],
    })
    await kit.runtime.create(container)
    const { connection } = await kit.runtime.attach(container.id)
    await kit.runtime.start(container.id)
    let seen = ''
    for await (const part of connection) {
      const before = seen
      seen += part.toString()
      if (!before.includes('ready') && seen.includes('ready')) await kit.runtime.resize(container.id, 50, 120)
    }
    expect(seen).toContain('33 99\r\n')
    expect(seen).toContain('50 120\r\n')
    expect((await kit.runtime.exited(container.id)).exitCode).toBe(3)
    expect(kit.log(container.id)[0]).toMatchObject({ log: '33 99\r\n', stream: 'stdout' })
    await kit.runtime.destroy(container.id)
  })

  it('sends signals to the first process, and tells 128 + the signal', async () => {
    const id = await kit.started(['sh', '-c', 'trap "exit 5" TERM; echo up; while :; do sleep 0.1; done'], { runtime })
    const { connection } = await kit.runtime.attach(id)
    while (kit.log(id).length === 0) await sleep(5)
    connection.destroy()
    await kit.runtime.signal(id, 15)
    expect((await kit.runtime.exited(id)).exitCode).toBe(5)
    await expect(kit.runtime.signal(id, 15)).rejects.toMatchObject({ status: 409 })
    const other = await kit.started(['sleep', '1000'], { runtime })
    await kit.runtime.signal(other, 9)
    expect((await kit.runtime.exited(other)).exitCode).toBe(137)
    await kit.runtime.destroy(id)
    await kit.runtime.destroy(other)
  })

  it('pauses, resumes, counts and changes limits', async () => {
    const id = await kit.started(['sleep', '1000'], {
      runtime,
      resources: { pids: { limit: 50 }, memory: { limit: 64 << 20 } },
    })
    await kit.runtime.pause(id)
    await expect(
      kit.runtime.exec({
        execId: kit.newId(),
        containerId: id,
        process: minimalProcess(['true']),
        tty: false,
        openStdin: false,
      }),
    ).rejects.toMatchObject({ status: 409 })
    expect(await kit.runtime.restore([])).toEqual(new Map())
    await kit.runtime.resume(id)
    await kit.runtime.update(id, { memory: { limit: 128 << 20 }, pids: { limit: 60 } })
    const usage = await kit.runtime.usage(id)
    expect(usage.pids).toMatchObject({ limit: 60 })
    expect(usage.memory.limit).toBe(128 << 20)
    expect(usage.memory.usage).toBeGreaterThan(0)
    expect(usage.cpu.totalNanoseconds).toBeGreaterThan(0)
    expect(usage.cpu.onlineCpus).toBeGreaterThan(0)
    expect(await kit.runtime.processes(id)).toHaveLength(1)
    await kit.runtime.pause(id)
    await kit.runtime.destroy(id)
  })

  it('executes further processes, with pipes and with a terminal', async () => {
    const id = await kit.started(['sleep', '1000'], { runtime })
    const exec = { execId: kit.newId(), containerId: id, tty: false, openStdin: true }
    const first = await kit.runtime.exec({
      ...exec,
      process: minimalProcess(['sh', '-c', 'echo a; echo b >&2; cat; exit 4']),
    })
    expect(first.pid).toBeGreaterThan(0)
    first.streams.connection.end('in')
    expect(unframe(await readAll(first.streams.connection))).toEqual({ stdout: 'a\nin', stderr: 'b\n' })
    expect(await kit.runtime.execExited(exec.execId)).toEqual({ exitCode: 4 })
    const withTty = { ...exec, execId: kit.newId(), tty: true, consoleSize: [20, 70] as [number, number] }
    const script = 'stty size; echo ready; read x; stty size'
    const second = await kit.runtime.exec({ ...withTty, process: minimalProcess(['sh', '-c', script]) })
    const begin = await until(second.streams.connection.iterator({ destroyOnReturn: false }), 'ready')
    expect(begin).toContain('20 70')
    await kit.runtime.execResize(withTty.execId, 11, 22)
    second.streams.connection.write('go\n')
    expect((await readAll(second.streams.connection)).toString()).toContain('11 22')
    expect(await kit.runtime.execExited(withTty.execId)).toEqual({ exitCode: 0 })
    const third = { ...exec, execId: kit.newId() }
    await kit.runtime.exec({ ...third, process: minimalProcess(['sleep', '1000']) })
    await kit.runtime.destroy(id)
    await expect(
      kit.runtime.exec({ ...exec, execId: kit.newId(), process: minimalProcess(['true']) }),
    ).rejects.toMatchObject({ status: 409 })
  })

  it('says in familiar words that a program is not there, and leaves nothing', async () => {
    const missing = kit.container(['no-such-program'], { runtime })
    await expect(kit.runtime.create(missing)).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(/exec: "no-such-program": executable file not found in \$PATH/),
    })
    const id = await kit.started(['sleep', '1000'], { runtime })
    const exec = { execId: kit.newId(), containerId: id, tty: false, openStdin: false }
    await expect(kit.runtime.exec({ ...exec, process: minimalProcess(['no-such-program']) })).rejects.toMatchObject({
      message: expect.stringMatching(/executable file not found/),
    })
    await kit.runtime.destroy(id)
  })

  it('tells of a process that ran out of memory', async () => {
    const told: string[] = []
    kit.runtime.onOutOfMemory((id) => told.push(id))
    const script = 'x=a; while :; do x=$x$x; done'
    const id = await kit.started(['sh', '-c', script], {
      runtime,
      resources: { memory: { limit: 16 << 20, swap: 16 << 20 } },
    })
    expect(await kit.runtime.exited(id)).toMatchObject({ exitCode: 137, oomKilled: true })
    expect(told).toContain(id)
    await kit.runtime.destroy(id)
  })

  it('runs twenty at once', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, (_, index) => kit.started(['sh', '-c', `echo ${index}; exit ${index}`], { runtime })),
    )
    const exits = await Promise.all(ids.map((id) => kit.runtime.exited(id)))
    expect(exits.map(({ exitCode }) => exitCode)).toEqual(ids.map((_, index) => index))
    expect(ids.map((id) => kit.log(id)[0]?.log)).toEqual(ids.map((_, index) => `${index}\n`))
    await Promise.all(ids.map((id) => kit.runtime.destroy(id)))
  })

  it('starts again what has ended, and cleans up after a shim that was killed', async () => {
    const container = kit.container(['sh', '-c', 'echo run >> /file; cat /file; sleep 1000'], { runtime })
    const { pid } = await kit.runtime.create(container)
    await kit.runtime.start(container.id)
    while (!existsSync(kit.logPath(container.id)) || kit.log(container.id).length === 0) await sleep(5)
    const parent = Number(/PPid:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
    process.kill(parent, 'SIGKILL')
    expect((await kit.runtime.exited(container.id)).exitCode).toBe(137)
    expect(existsSync(`/proc/${pid}/ns/mnt`)).toBe(false)
    await kit.runtime.create(container)
    await kit.runtime.start(container.id)
    while (kit.log(container.id).length < 3) await sleep(5)
    expect(kit.log(container.id).map(({ log }) => log)).toEqual(['run\n', 'run\n', 'run\n'])
    await kit.runtime.destroy(container.id)
  })
})
