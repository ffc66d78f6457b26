// Containers survive the engine: it is killed, and another one finds everything again.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RuntimeKit } from './testing/runtime-kit.ts'

let kit: RuntimeKit
beforeAll(async () => {
  kit = await RuntimeKit.open()
})
afterAll(async () => {
  expect(kit.leftovers()).toEqual([])
  await kit.close()
})

describe('an engine that is killed', () => {
  it('leaves its containers running; the next one has their logs and exit codes complete', async () => {
    const ids = [kit.newId(), kit.newId(), kit.newId()]
    const engine = spawn(
      process.execPath,
      [join(import.meta.dirname, 'testing/start-and-wait.ts'), kit.folder, ...ids],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    await once(engine.stdout, 'data')
    engine.kill('SIGKILL')
    await once(engine, 'exit')
    const restored = await kit.runtime.restore([...ids, kit.newId()])
    expect([...restored.values()].map(({ state }) => state)).toEqual(['running', 'running', 'created', 'gone'])
    await kit.runtime.start(ids[2]!)
    const exits = await Promise.all(ids.map((id) => kit.runtime.exited(id)))
    expect(exits.map(({ exitCode }) => exitCode)).toEqual([3, 4, 5])
    const whole = Array.from({ length: 20 }, (_, index) => `line ${index}\n`)
    for (const id of ids) expect(kit.log(id).map(({ log }) => log)).toEqual(whole)
    for (const id of ids) await kit.runtime.destroy(id)
  })

  it('tells of those that ended meanwhile, and of those that are paused', async () => {
    const ended = await kit.started(['sh', '-c', 'exit 9'])
    const paused = await kit.started(['sleep', '1000'])
    await kit.runtime.exited(ended)
    await kit.runtime.pause(paused)
    const next = await RuntimeKit.open({ folder: kit.folder })
    const restored = await next.runtime.restore([ended, paused])
    expect(restored.get(ended)).toMatchObject({ state: 'exited', exit: { exitCode: 9 } })
    expect(restored.get(paused)).toMatchObject({ state: 'paused' })
    await next.runtime.destroy(ended)
    await next.runtime.destroy(paused)
    expect(await kit.runtime.exited(paused)).toMatchObject({ exitCode: 137 })
    next.runtime.release()
  })

  it('ends with the next engine what goes on without its shim', async () => {
    const before = await RuntimeKit.open({ folder: kit.folder })
    const ids = [await before.started(['sleep', '1000']), await before.started(['sleep', '1000'])]
    const pids = (await Promise.all(ids.map((id) => before.runtime.processes(id)))).flat()
    await before.runtime.pause(ids[1]!)
    before.runtime.release()
    for (const pid of pids) process.kill(parentOf(pid), 'SIGKILL')
    const next = await RuntimeKit.open({ folder: kit.folder })
    const restored = [...(await next.runtime.restore(ids)).values()]
    for (const each of restored) expect(each).toMatchObject({ state: 'exited', exit: { exitCode: 137 } })
    for (const pid of pids) expect(existsSync(`/proc/${pid}/ns/mnt`)).toBe(false)
    expect(kit.runtimeLeftovers()).toEqual([])
    for (const id of ids) await next.runtime.destroy(id)
    next.runtime.release()
  })
})

const parentOf = (pid: number): number => Number(/PPid:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
