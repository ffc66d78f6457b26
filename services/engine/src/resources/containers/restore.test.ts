// A new engine on the records and processes of an old one.
import { access, mkdir } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { type ContainersServer, openContainers } from './testing/containers-server.ts'

/** As if the engine had been killed: nothing is told to anybody. */
const reopen = (before: ContainersServer) => {
  before.containers.close()
  return openContainers(before)
}

describe('after a restart of the engine', () => {
  it('containers go on, and their ends are noticed', async () => {
    const before = await openContainers()
    const id = await before.run({ Cmd: ['sleep'], Labels: { a: 'b' } }, '?name=web')
    const { Pid } = (await before.inspect(id)).State
    const after = await reopen(before)
    expect(await after.inspect('web')).toMatchObject({
      Id: id,
      State: { Status: 'running', Pid },
      Config: { Labels: { a: 'b' } },
    })
    expect(after.networking.restored).toEqual([id])
    const died = after.event('die')
    after.runtime.process(id).end(6)
    expect(await died).toMatchObject({ exitCode: '6' })
    expect((await after.inspect(id)).State).toMatchObject({ Status: 'exited', ExitCode: 6 })
  })

  it('ends that nobody saw are known with their exit codes', async () => {
    const before = await openContainers()
    const ended = await before.run({ Cmd: ['sleep'] })
    const lost = await before.run({ Cmd: ['sleep'] })
    before.containers.close()
    before.runtime.process(ended).end(9)
    before.runtime.processes_.delete(lost)
    const after = await openContainers(before)
    expect((await after.inspect(ended)).State).toMatchObject({ Status: 'exited', ExitCode: 9 })
    expect((await after.inspect(lost)).State).toMatchObject({ Status: 'exited', ExitCode: 255, Pid: 0 })
  })

  it('an end that nobody saw is known also when the next engine cannot note it any more', async () => {
    const before = await openContainers()
    const id = await before.run({ Cmd: ['sleep'] })
    before.containers.close()
    before.runtime.process(id).end(9)
    const rename = (from: string, to: string) =>
      before.db.queries.schema.alterTable('engine_containers').renameColumn(from, to).execute()
    await rename('name', 'away')
    const killed = await openContainers(before)
    await rename('away', 'name')
    const after = await reopen(killed)
    expect((await after.inspect(id)).State).toMatchObject({ Status: 'exited', ExitCode: 9 })
  })

  it('restart policies are kept to', async () => {
    const before = await openContainers()
    const make = async (policy: string, isStopped: boolean) => {
      const id = await before.run({ Cmd: ['sleep'], HostConfig: { RestartPolicy: { Name: policy } } })
      if (isStopped) await before.post(`/containers/${id}/stop`)
      return id
    }
    const [always, alwaysStopped, unless, unlessStopped, no] = [
      await make('always', false),
      await make('always', true),
      await make('unless-stopped', false),
      await make('unless-stopped', true),
      await make('no', false),
    ]
    before.containers.close()
    before.runtime.processes_.clear()
    const after = await openContainers(before)
    const started = new Set<string>()
    await new Promise<void>((resolve) => {
      const look = () => {
        for (const { event } of after.events.past) if (event.Action === 'start') started.add(event.Actor.ID)
        if (started.size === 3) resolve()
      }
      after.events.listen(look)
      look()
    })
    expect(started).toEqual(new Set([always, alwaysStopped, unless]))
    for (const id of [unlessStopped, no]) expect((await after.inspect(id)).State.Status).toBe('exited')
  })

  it('what was being removed goes, and so do folders without a container', async () => {
    const before = await openContainers()
    const id = await before.create({}, '?name=half')
    before.images.failRemoval = new Error('killed')
    await before.delete('/containers/half')
    const stray = `${before.folder}/containers/${'a'.repeat(64)}`
    await mkdir(stray, { recursive: true })
    const after = await reopen(before)
    expect((await after.get(`/containers/${id}/json`)).status).toBe(404)
    await expect(access(stray)).rejects.toThrow('ENOENT')
    await after.create({}, '?name=half')
  })

  it('a start that was never acknowledged is undone', async () => {
    const before = await openContainers()
    const id = await before.create({ Cmd: ['sleep'] })
    before.containers.close()
    await before.runtime.create({ id, spec: { process: { args: ['sleep'] } } } as never)
    const after = await openContainers(before)
    expect((await after.inspect(id)).State.Status).toBe('created')
    expect(after.runtime.destroyed).toEqual([id])
    expect((await after.post(`/containers/${id}/start`)).status).toBe(204)
  })

  it('containers that remove themselves are gone when they ended meanwhile', async () => {
    const before = await openContainers()
    const id = await before.run({ Cmd: ['sleep'], HostConfig: { AutoRemove: true } })
    before.containers.close()
    before.runtime.process(id).end(0)
    const after = await openContainers(before)
    if (!after.actions().includes('destroy')) await after.event('destroy')
    expect((await after.get(`/containers/${id}/json`)).status).toBe(404)
  })
})
