// Stopping, restarting, removing and pruning containers over HTTP, and restart policies.
import { access } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { nextDelayMs } from './restart-policy.ts'
import { readSignal } from './signals.ts'
import { openContainers } from './testing/containers-server.ts'

describe('the life of containers', () => {
  it("stops with the signal that was asked for, the container's own, or SIGTERM", async () => {
    const server = await openContainers()
    const plain = await server.run({ Cmd: ['sleep'] })
    const own = await server.run({ Cmd: ['sleep'], StopSignal: 'SIGINT' })
    const asked = await server.run({ Cmd: ['sleep'] })
    await server.post(`/containers/${plain}/stop`)
    await server.post(`/containers/${own}/stop`)
    await server.post(`/containers/${asked}/stop?signal=QUIT`)
    expect(server.runtime.signals).toEqual([
      [plain, 15],
      [own, 2],
      [asked, 3],
    ])
    const stubborn = await server.run({ Cmd: ['stubborn'], StopTimeout: 0 })
    await server.post(`/containers/${stubborn}/stop`)
    expect((await server.inspect(stubborn)).State.ExitCode).toBe(137)
    expect((await server.post(`/containers/${asked}/stop?signal=NONSENSE`)).status).toBe(400)
  })

  it('passes a signal on to a program that has begun and whose start has yet to be noted', async () => {
    const server = await openContainers()
    const id = await server.run({ Cmd: ['sleep'] })
    await server.post(`/containers/${id}/stop`)
    const start = server.runtime.start.bind(server.runtime)
    const begun = Promise.withResolvers<void>()
    const noted = Promise.withResolvers<void>()
    server.runtime.start = async (started) => {
      await start(started)
      begun.resolve()
      await noted.promise
    }
    const starting = server.post(`/containers/${id}/start`)
    await begun.promise
    const killing = server.containers.kill(id, 'INT')
    noted.resolve()
    await killing
    expect((await starting).status).toBe(204)
    expect(server.runtime.signals.at(-1)).toEqual([id, 2])
  })

  it('restarts with the signal that was asked for', async () => {
    const server = await openContainers()
    const id = await server.run({ Cmd: ['sleep'] })
    const { StartedAt } = (await server.inspect(id)).State
    expect((await server.post(`/containers/${id}/restart?signal=INT&t=3`)).status).toBe(204)
    expect(server.runtime.signals).toEqual([[id, 2]])
    const { State } = await server.inspect(id)
    expect(State.Status).toBe('running')
    expect(State.StartedAt >= StartedAt).toBe(true)
    expect(server.actions().slice(2)).toEqual(['kill', 'die', 'stop', 'start', 'restart'])
    await server.post(`/containers/${id}/stop`)
    expect((await server.post(`/containers/${id}/restart`)).status).toBe(204)
  })

  it('tells others of a restart that is under way, until it is over', async () => {
    const server = await openContainers()
    const id = await server.run({ Cmd: ['sleep'] })
    const died = server.event('die')
    const restarted = server.post(`/containers/${id}/restart`)
    await died
    const restart = server.containers.restarting(id)
    expect(restart).toBeDefined()
    await restart
    expect(server.containers.restarting(id)).toBeUndefined()
    expect((await restarted).status).toBe(204)
  })

  it('starts only with detach keys that are keys', async () => {
    const server = await openContainers()
    const id = await server.run({ Cmd: ['sleep'] })
    await server.post(`/containers/${id}/stop`)
    const refused = await server.post(`/containers/${id}/start?detachKeys=ctrl-pq`)
    expect([refused.status, refused.body]).toEqual([400, { message: 'Invalid detach keys (ctrl-pq) provided' }])
    expect((await server.inspect(id)).State.Running).toBe(false)
    expect((await server.post(`/containers/${id}/start?detachKeys=ctrl-x,b`)).status).toBe(204)
  })

  it('restarts a container that removes itself, and does not remove it', async () => {
    const server = await openContainers()
    const id = await server.run({ Cmd: ['sleep'], HostConfig: { AutoRemove: true } })
    expect((await server.post(`/containers/${id}/restart`)).status).toBe(204)
    expect((await server.inspect(id)).State.Status).toBe('running')
    const gone = server.event('destroy')
    await server.post(`/containers/${id}/stop`)
    await gone
  })

  it('notes an end as soon as the database can', async () => {
    const server = await openContainers()
    const id = await server.run({ Cmd: ['sleep'] })
    await server.db.queries.schema.alterTable('engine_containers').renameTo('away').execute()
    const died = server.event('die')
    server.runtime.process(id).end(4)
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect((await server.inspect(id)).State.Status).toBe('running')
    await server.db.queries.schema.alterTable('away').renameTo('engine_containers').execute()
    await died
    expect((await server.inspect(id)).State).toMatchObject({ Status: 'exited', ExitCode: 4 })
  })

  it('reads signals by name and number', () => {
    expect(['KILL', 'sigkill', '9', 'RTMIN+3', 'SIGRTMAX-1'].map(readSignal)).toEqual([9, 9, 9, 37, 63])
    expect(['', '0', '65', 'RTMIN-1', 'TERMX', '-9'].map(readSignal)).toEqual(Array(6).fill(undefined))
  })

  it('sends other signals without ending the container', async () => {
    const server = await openContainers()
    const id = await server.run({ Cmd: ['sleep'] })
    const told = server.event('kill')
    expect((await server.post(`/containers/${id}/kill?signal=HUP`)).status).toBe(204)
    expect(await told).toMatchObject({ signal: '1' })
    expect((await server.inspect(id)).State.Status).toBe('running')
    expect((await server.post(`/containers/${id}/kill?signal=WHAT`)).body.message).toBe('Invalid signal: WHAT')
  })

  it('kills a container whose stop takes long, and one that is paused', async () => {
    const server = await openContainers()
    const id = await server.run({ Cmd: ['stubborn'] })
    const stopped = server.post(`/containers/${id}/stop?t=-1`)
    await server.event('kill')
    expect((await server.delete(`/containers/${id}?force=1`)).status).toBe(204)
    expect((await stopped).status).toBe(204)
    const frozen = await server.run({ Cmd: ['sleep'] })
    await server.post(`/containers/${frozen}/pause`)
    expect((await server.post(`/containers/${frozen}/kill`)).status).toBe(204)
    expect((await server.inspect(frozen)).State).toMatchObject({ Status: 'exited', Paused: false })
  })

  it('lets a paused container go on that ends at that moment, and takes its control group along', async () => {
    const server = await openContainers()
    server.runtime.resume = async (id) => {
      server.runtime.process(id).end(0)
      throw Object.assign(new Error('ENODEV: no such device, read'), { code: 'ENODEV' })
    }
    const id = await server.run({ Cmd: ['sleep'] })
    expect((await server.post(`/containers/${id}/pause`)).status).toBe(204)
    expect((await server.post(`/containers/${id}/unpause`)).status).toBe(204)
    expect((await server.inspect(id)).State).toMatchObject({ Status: 'exited', Paused: false, ExitCode: 0 })
    const held = await server.run({ Cmd: ['sleep'] })
    expect(await server.containers.whileStill(held, async () => 'committed')).toBe('committed')
  })

  it('answers for all others while one container hangs', async () => {
    const server = await openContainers()
    const hanging = await server.create({ Cmd: ['hang'] }, '?name=hanging')
    const start = server.post(`/containers/${hanging}/start`).catch(() => {})
    const id = await server.run({ Cmd: ['sleep'] })
    expect((await server.get('/containers/json?all=1')).body).toHaveLength(2)
    expect((await server.inspect(hanging)).State.Status).toBe('created')
    expect((await server.post(`/containers/${id}/stop`)).status).toBe(204)
    void start
  })

  it('removes what rests, and says when it cannot', async () => {
    const server = await openContainers()
    const id = await server.run({ Cmd: ['sleep'] }, '?name=busy')
    expect((await server.delete('/containers/busy')).body.message).toBe(
      'cannot remove container "/busy": container is running: stop the container before removing or force remove',
    )
    let finish: () => void = () => {}
    const removeRootfs = server.images.removeRootfs.bind(server.images)
    const reached = new Promise<void>((resolve) => {
      server.images.removeRootfs = async (container) => {
        resolve()
        await new Promise<void>((done) => {
          finish = done
        })
        await removeRootfs(container)
      }
    })
    const first = server.delete('/containers/busy?force=1&v=1')
    await reached
    expect((await server.inspect(id)).State.Status).toBe('removing')
    const second = await server.delete('/containers/busy')
    expect([second.status, second.body.message]).toEqual([400, 'removal of container busy is already in progress'])
    finish()
    expect((await first).status).toBe(204)
    await expect(access(`${server.folder}/containers/${id}`)).rejects.toThrow('ENOENT')
    expect(server.mounts.removed).toEqual([id])
  })

  it('prunes what does not run, by label and age', async () => {
    const server = await openContainers()
    const prune = async (filters: object) =>
      (await server.post(`/containers/prune?filters=${encodeURIComponent(JSON.stringify(filters))}`)).body
    await server.run({ Cmd: ['sleep'], Labels: { keep: '' } })
    const a = await server.create({ Labels: { x: '1' } })
    const b = await server.create({ Labels: { x: '2' } })
    const c = await server.create({ Labels: { y: '1' } })
    const d = await server.create({})
    expect(await prune({ until: ['1h'] })).toEqual({ ContainersDeleted: null, SpaceReclaimed: 0 })
    expect(await prune({ label: ['x=2'] })).toEqual({ ContainersDeleted: [b], SpaceReclaimed: 5 })
    expect(await prune({ 'label!': ['x', 'y=1'] })).toMatchObject({ ContainersDeleted: [d] })
    expect(await prune({ label: ['y'], 'label!': ['y=2'] })).toMatchObject({ ContainersDeleted: [c] })
    expect(await prune({ label: { x: true } })).toMatchObject({ ContainersDeleted: [a] })
    expect((await server.get('/containers/json?all=1')).body).toHaveLength(1)
    expect((await server.post('/containers/prune?filters=%7B%22name%22%3A%5B%22a%22%5D%7D')).status).toBe(400)
  })

  it('restarts on failure as often as it may, and then rests', async () => {
    const server = await openContainers()
    const policy = { RestartPolicy: { Name: 'on-failure', MaximumRetryCount: 2 } }
    const id = await server.create({ Cmd: ['exit', '1'], HostConfig: policy })
    let dies = 0
    const done = new Promise<void>((resolve) => {
      server.events.listen(({ Action }) => {
        if (Action === 'die' && ++dies === 3) resolve()
      })
    })
    await server.post(`/containers/${id}/start`)
    await done
    expect(await server.inspect(id)).toMatchObject({ RestartCount: 2, State: { Status: 'exited', ExitCode: 1 } })
  })

  it('always restarts, until somebody stops it', async () => {
    const server = await openContainers()
    const id = await server.create({ Cmd: ['sleep'], HostConfig: { RestartPolicy: { Name: 'always' } } })
    await server.post(`/containers/${id}/start`)
    const again = server.event('start')
    server.runtime.process(id).end(0)
    await again
    expect((await server.inspect(id)).State.Status).toBe('running')
    await server.post(`/containers/${id}/stop`)
    expect((await server.inspect(id)).State.Status).toBe('exited')
    await server.post(`/containers/${id}/start`)
    server.runtime.process(id).end(1)
    await server.event('die')
    expect((await server.inspect(id)).State).toMatchObject({ Status: 'restarting', Restarting: true, Running: true })
    expect((await server.post(`/containers/${id}/stop`)).status).toBe(204)
    expect((await server.inspect(id)).State.Status).toBe('exited')
  })

  it('waits longer and longer between restarts, and begins anew after a steady run', () => {
    const delays = [1, 2, 3, 4].reduce<number[]>((known) => [...known, nextDelayMs(known.at(-1) ?? 0, 5)], [])
    expect(delays).toEqual([100, 200, 400, 800])
    expect([nextDelayMs(50_000, 5), nextDelayMs(60_000, 10_000)]).toEqual([60_000, 100])
  })

  it('tells of a container that ran out of memory', async () => {
    const server = await openContainers()
    const id = await server.run({ Cmd: ['sleep'] })
    const told = server.event('oom')
    server.runtime.process(id).end(137, true)
    await told
    expect((await server.inspect(id)).State).toMatchObject({ OOMKilled: true, ExitCode: 137 })
  })

  it('removes a container that removes itself when it could not start', async () => {
    const server = await openContainers()
    const id = await server.create({ Cmd: ['missing'], HostConfig: { AutoRemove: true } })
    const gone = server.event('destroy')
    expect((await server.post(`/containers/${id}/start`)).status).toBe(400)
    await gone
    expect((await server.get(`/containers/${id}/json`)).status).toBe(404)
    const both = await server.post('/containers/create', {
      Image: 'busybox',
      HostConfig: { AutoRemove: true, RestartPolicy: { Name: 'always' } },
    })
    expect(both.body.message).toBe("can't create 'AutoRemove' container with restart policy")
  })

  it('takes settings with a start from callers before 1.24 alone', async () => {
    const server = await openContainers()
    const id = await server.create({ Cmd: ['sleep'] })
    const body = { Ulimits: [{ Name: 'nofile', Soft: 100, Hard: 200 }], Binds: ['/tmp:/x'] }
    expect((await server.post(`/v1.24/containers/${id}/start`, body)).status).toBe(400)
    expect((await server.post(`/v1.23/containers/${id}/start`, body)).status).toBe(204)
    const { HostConfig, Mounts } = await server.inspect(id)
    expect(HostConfig.Ulimits).toEqual(body.Ulimits)
    expect(Mounts).toMatchObject([{ Destination: '/x' }])
  })
})
