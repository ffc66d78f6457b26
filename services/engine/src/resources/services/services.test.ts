// Services with one machine in the swarm: what becomes of a description, from its first task to its last.
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { beginSwarm, hasEtcd, until } from '../../swarm/testing/start-swarm.ts'
import type { Answer } from '../../testing/ask-json.ts'
import { pastEvents } from '../../testing/past-events.ts'
import { startWholeEngine, type WholeEngine } from '../../testing/start-whole-engine.ts'

let engine: WholeEngine
const get = async (path: string) => (await engine.call('GET', path)).body
const filtered = (family: string, filters: object) =>
  `/${family}?filters=${encodeURIComponent(JSON.stringify(filters))}`
const sleeper = { Image: 'busybox', Args: ['sleep', '3600'], StopGracePeriod: 0 }
const quick = { RestartPolicy: { Delay: 1_000_000 } }
const spec = (Name: string, container: object = {}, more: object = {}, task: object = {}) => ({
  ...{ Name, TaskTemplate: { ContainerSpec: { ...sleeper, ...container }, ...quick, ...task }, ...more },
})
const create = async (asked: object, api = '1.47'): Promise<string> => {
  const { status, body } = await engine.call('POST', `/v${api}/services/create`, asked)
  expect([status, body]).toEqual([201, expect.objectContaining({ ID: expect.any(String) })])
  return body.ID
}
const update = async (name: string, change: (spec: Answer['body']) => void, query = '') => {
  const { Spec, Version } = await get(`/services/${name}`)
  change(Spec)
  return engine.call('POST', `/services/${name}/update?version=${Version.Index}${query}`, Spec)
}
type TaskBody = Answer['body']
const isRunning = (task: TaskBody) => task.Status.State === 'running' && task.DesiredState === 'running'
const running = (name: string, count: number): Promise<TaskBody[]> =>
  until(engine, filtered('tasks', { service: [name] }), (tasks) => tasks.filter(isRunning).length === count).then(
    (all) => all.filter(isRunning),
  )
const containerOf = (task: TaskBody): string => task.Status.ContainerStatus.ContainerID
const remove = async (name: string) => {
  expect((await engine.call('DELETE', `/services/${name}`)).status).toBe(200)
}

beforeAll(async () => {
  if (!hasEtcd) return
  engine = await startWholeEngine()
  await beginSwarm(engine)
}, 120_000)
afterAll(async () => {
  await engine?.call('POST', '/swarm/leave?force=1')
  await engine?.stop()
}, 60_000)

describe.skipIf(!hasEtcd)('services', { timeout: 150_000 }, () => {
  it('ENG-658 ENG-659 ENG-660 run their tasks as containers, follow changes of their number, and take all with them', async () => {
    const id = await create(spec('web', { Env: ['TASK={{.Task.Name}}'] }, { Mode: { Replicated: { Replicas: 2 } } }))
    const tasks = await running('web', 2)
    expect(tasks.map(({ Slot }) => Slot).sort()).toEqual([1, 2])
    const [first] = tasks
    expect(await engine.inside(containerOf(first), 'echo $TASK')).toBe(`web.${first.Slot}.${first.ID}\n`)
    const { Config, Name } = await get(`/containers/${containerOf(first)}/json`)
    expect([Name, Config.Labels['com.docker.swarm.service.name']]).toEqual([`/web.${first.Slot}.${first.ID}`, 'web'])
    expect(await get('/services?status=true')).toMatchObject([{ ServiceStatus: { RunningTasks: 2, DesiredTasks: 2 } }])
    expect(
      (
        await update('web', ({ Mode }) => {
          Mode.Replicated.Replicas = 3
        })
      ).status,
    ).toBe(200)
    await running('web', 3)
    expect(
      (
        await update('web', ({ Mode }) => {
          Mode.Replicated.Replicas = 1
        })
      ).status,
    ).toBe(200)
    const left = await until(engine, filtered('tasks', { service: ['web'] }), (all) => all.length === 1)
    expect(left[0].ID).toBe(tasks.find(({ Slot }) => Slot === 1).ID)
    await remove(id.slice(0, 8))
    await until(engine, '/containers/json?all=1', (all) => all.length === 0)
    expect(await get('/tasks')).toEqual([])
    const events = (await pastEvents(engine)).filter(({ Actor }) => Actor.ID === id)
    expect([...new Set(events.map(({ Action }) => Action))]).toEqual(['create', 'update', 'remove'])
  })

  it('replace tasks that end, as their policy says', async () => {
    await create(spec('fragile'))
    const [first] = await running('fragile', 1)
    await engine.call('POST', `/containers/${containerOf(first)}/kill`)
    const all = await until(engine, filtered('tasks', { service: ['fragile'] }), (tasks) =>
      tasks.some((task: TaskBody) => task.ID !== first.ID && isRunning(task)),
    )
    const old = all.find(({ ID }: TaskBody) => ID === first.ID)
    expect(old).toMatchObject({
      DesiredState: 'shutdown',
      Status: { State: 'failed', Err: 'task: non-zero exit (137)' },
    })
    await remove('fragile')
    const once = { RestartPolicy: { Condition: 'on-failure', MaxAttempts: 2, Delay: 1_000_000 } }
    await create(spec('failing', { Args: ['sh', '-c', 'exit 3'] }, {}, once))
    const isOver = (tasks: TaskBody[]) => tasks.length === 3 && tasks.every(({ Status }) => Status.State === 'failed')
    const failed = await until(engine, filtered('tasks', { service: ['failing'] }), isOver)
    expect(failed.map(({ Status }: TaskBody) => Status.ContainerStatus.ExitCode)).toEqual([3, 3, 3])
    await remove('failing')
    await create(spec('ending', { Args: ['true'] }, {}, { RestartPolicy: { Condition: 'none' } }))
    const [task] = await until(
      engine,
      filtered('tasks', { service: ['ending'] }),
      ([one]) => one?.Status.State === 'complete',
    )
    expect(task.Status).toMatchObject({ State: 'complete', Message: 'finished' })
    await remove('ending')
  })

  it('say why a task cannot run', async () => {
    await create(spec('nowhere', {}, {}, { Placement: { Constraints: ['node.labels.disk==tape'] } }))
    const [waiting] = await until(engine, filtered('tasks', { service: ['nowhere'] }), (all) => all.length === 1)
    expect(waiting.Status).toMatchObject({
      ...{ State: 'pending', Err: 'no suitable node (scheduling constraints not satisfied on 1 node)' },
    })
    await update('nowhere', ({ TaskTemplate }) => {
      TaskTemplate.Placement.Constraints = ['node.role==manager']
    })
    await running('nowhere', 1)
    await remove('nowhere')
    await create(spec('lost', { Mounts: [{ Type: 'bind', Source: '/no/such/place', Target: '/x' }] }))
    const rejected = await until(engine, filtered('tasks', { service: ['lost'] }), (all) =>
      all.some(({ Status }: TaskBody) => Status.State === 'rejected'),
    )
    expect(rejected.find(({ Status }: TaskBody) => Status.State === 'rejected').Status.Err).toContain('/no/such/place')
    await remove('lost')
  })

  it('ENG-540 ENG-576 ENG-577 are changed by name or the beginning of their id, never in their name or mode', async () => {
    const id = await create(spec('steady'))
    const before = await get('/services/steady')
    const change = (asked: string, body: object, api = '1.47') =>
      get('/services/steady').then(({ Version }) =>
        engine.call('POST', `/v${api}/services/${asked}/update?version=${Version.Index}`, body),
      )
    expect((await change('steady', { ...before.Spec, Labels: { by: 'name' } }, '1.25')).status).toBe(200)
    expect((await change(id.slice(0, 10), { ...before.Spec, Labels: { by: 'prefix' } }, '1.25')).status).toBe(200)
    expect((await get('/services/steady')).Spec.Labels).toEqual({ by: 'prefix' })
    const global = await change('steady', { ...before.Spec, Mode: { Global: {} } })
    expect([global.status, global.body.message]).toEqual([400, 'service mode change is not allowed'])
    expect((await change('steady', { ...before.Spec, Name: 'other' })).status).toBe(400)
    const late = await engine.call('POST', `/services/steady/update?version=${before.Version.Index}`, before.Spec)
    expect([late.status, late.body.message]).toEqual([400, 'update out of sequence'])
    const twice = await engine.call('POST', '/services/create', spec('steady'))
    expect([twice.status, twice.body.message]).toEqual([409, expect.stringContaining('steady already exists')])
    await remove('steady')
  })

  it('ENG-566 ENG-589 replace their tasks one by one, and go back when asked', async () => {
    const pace = { UpdateConfig: { Parallelism: 1, Monitor: 1_000_000 }, RollbackConfig: { Monitor: 1_000_000 } }
    await create(spec('rolling', { Env: ['V=1'] }, { Mode: { Replicated: { Replicas: 2 } }, ...pace }))
    const old = await running('rolling', 2)
    await update('rolling', ({ TaskTemplate }) => {
      TaskTemplate.ContainerSpec.Env = ['V=2']
    })
    const isDone = (state: string) => (body: Answer['body']) => body.UpdateStatus?.State === state
    await until(engine, '/services/rolling', isDone('completed'))
    const fresh = await running('rolling', 2)
    expect(fresh.map(({ ID }) => ID).filter((id) => old.some(({ ID }) => ID === id))).toEqual([])
    expect(await engine.inside(containerOf(fresh[0]), 'echo $V')).toBe('2\n')
    expect((await update('rolling', () => {}, '&rollback=previous')).status).toBe(200)
    await until(engine, '/services/rolling', isDone('rollback_completed'))
    const [back] = await running('rolling', 2)
    expect(await engine.inside(containerOf(back), 'echo $V')).toBe('1\n')
    await update('rolling', ({ TaskTemplate }) => {
      TaskTemplate.ForceUpdate = 1
    })
    await until(engine, '/services/rolling', isDone('completed'))
    expect((await running('rolling', 2)).map(({ ID }) => ID)).not.toContain(back.ID)
    await remove('rolling')
  })

  it('ENG-562 ENG-729 go back by themselves when the new tasks fail', async () => {
    // It fails at once, and that may be told late on a busy machine.
    const pace = { UpdateConfig: { FailureAction: 'rollback', Monitor: 30e9 }, RollbackConfig: { Monitor: 1_000_000 } }
    await create(spec('careful', {}, pace))
    await running('careful', 1)
    await update('careful', ({ TaskTemplate }) => {
      TaskTemplate.ContainerSpec.Args = ['sh', '-c', 'exit 9']
    })
    const body = await until(
      engine,
      '/services/careful',
      ({ UpdateStatus }) => UpdateStatus?.State === 'rollback_completed',
    )
    expect(body.Spec.TaskTemplate.ContainerSpec.Args).toEqual(['sleep', '3600'])
    expect(body.Spec.UpdateConfig.FailureAction).toBe('rollback')
    await running('careful', 1)
    await remove('careful')
  })

  it('ENG-536 ENG-537 ENG-538 ENG-539 ENG-604 may be jobs that come to an end and can be run again', async () => {
    const job = { Mode: { ReplicatedJob: { MaxConcurrent: 2, TotalCompletions: 3 } } }
    await create(spec('job', { Args: ['true'] }, job))
    const isComplete = (count: number, iteration: number) => (tasks: TaskBody[]) =>
      tasks.length === count &&
      tasks.every((task) => task.Status.State === 'complete' && task.JobIteration.Index === iteration)
    await until(engine, filtered('tasks', { service: ['job'] }), isComplete(3, 0))
    expect((await get('/services/job')).JobStatus).toMatchObject({ JobIteration: { Index: 0 } })
    expect((await get(filtered('services', { mode: ['replicated-job'] })))[0].Spec.Name).toBe('job')
    const again = await update('job', ({ Mode, TaskTemplate }) => {
      Mode.ReplicatedJob.TotalCompletions = 4
      TaskTemplate.ForceUpdate = 1
    })
    expect(again.status).toBe(200)
    await until(engine, filtered('tasks', { service: ['job'] }), isComplete(4, 1))
    await create(spec('everywhere', { Args: ['true'] }, { Mode: { GlobalJob: {} } }))
    await until(engine, filtered('tasks', { service: ['everywhere'] }), isComplete(1, 0))
    for (const name of ['job', 'everywhere']) await remove(name)
  })

  it('run once on each node where they are global, and leave one that is drained', async () => {
    await create(spec('each', {}, { Mode: { Global: {} } }))
    const [task] = await running('each', 1)
    const { ID, Spec, Version } = await get('/nodes/self')
    expect([task.NodeID, task.Slot]).toEqual([ID, undefined])
    const set = (Availability: string, Index: number) =>
      engine.call('POST', `/nodes/${ID}/update?version=${Index}`, { ...Spec, Availability })
    expect((await set('drain', Version.Index)).status).toBe(200)
    await until(engine, '/containers/json', (all) => all.length === 0)
    await set('active', (await get('/nodes/self')).Version.Index)
    await running('each', 1)
    await remove('each')
  })

  it('give their tasks secrets and configs as files in memory, filled in where they are templates', async () => {
    const base64 = (text: string) => Buffer.from(text).toString('base64')
    const make = async (family: string, body: object) => (await engine.call('POST', `/${family}/create`, body)).body.ID
    const SecretID = await make('secrets', { Name: 'key', Data: base64('s3cr3t') })
    const Templating = { Name: 'golang' }
    const Data = base64('{{.Service.Name}} {{env "COLOUR"}} {{secret "key"}}')
    const ConfigID = await make('configs', { Name: 'conf', Data, Templating })
    const files = {
      Secrets: [{ SecretID, SecretName: 'key', File: { Name: 'key', UID: '7', GID: '8', Mode: 0o400 } }],
      Configs: [{ ConfigID, ConfigName: 'conf', File: { Name: '/etc/app.conf', UID: '0', GID: '0', Mode: 0o444 } }],
    }
    await create(spec('files', { ...files, Env: ['COLOUR=red'] }))
    const [task] = await running('files', 1)
    const inside = (script: string) => engine.inside(containerOf(task), script)
    expect(await inside('cat /run/secrets/key; stat -c " %u %g %a" /run/secrets/key')).toBe('s3cr3t 7 8 400\n')
    expect(await inside('cat /etc/app.conf')).toBe('files red s3cr3t')
    expect(await inside('grep /run/secrets/key /proc/mounts')).toMatch(/^tmpfs \/run\/secrets\/key tmpfs ro,/)
    const used = await engine.call('DELETE', '/secrets/key')
    expect([used.status, used.body.message]).toEqual([400, "secret 'key' is in use by the following service: files"])
    await remove('files')
    expect((await engine.call('DELETE', '/secrets/key')).status).toBe(204)
    const wrong = await engine.call('POST', '/services/create', spec('files', files))
    expect([wrong.status, wrong.body.message]).toEqual([400, 'secret not found: key'])
  })

  it('go on when their store is killed: refused in words meanwhile, and nothing is lost', async () => {
    await create(spec('before'))
    const [task] = await running('before', 1)
    const store = async () => (await engine.host.run('pgrep', ['-x', 'etcd'])).stdout.trim()
    const killed = await store()
    expect((await engine.host.run('kill', ['-9', killed])).code).toBe(0)
    for (let status = 503; status === 503; ) {
      const answer = await engine.call('POST', '/services/create', spec('after'))
      status = answer.status
      if (status === 503) expect(answer.body.message).toContain('The store of the swarm does not answer')
      // One that was written before its answer was lost is there already.
      else expect([201, 409]).toContain(status)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    expect(await store()).not.toBe(killed)
    await running('after', 1)
    expect((await running('before', 1))[0].ID).toBe(task.ID)
    for (const name of ['before', 'after']) await remove(name)
  })

  it('have limits for what they may be', async () => {
    const wrong: [object, RegExp][] = [
      [spec('-x'), /DNS name/],
      [spec('x', { Image: 'Not An Image' }), /not a valid repository/],
      [spec('x', { Env: ['x'.repeat(70_000)] }), /more than 65536 bytes/],
      [spec('x', {}, { Mode: { Replicated: { Replicas: 20_000 } } }), /more than 10000/],
      [spec('x', {}, { Mode: { Replicated: {}, Global: {} } }), /one mode/],
      [spec('x', {}, { UpdateConfig: { Order: 'sideways' } }), /sideways/],
      [spec('x', {}, { EndpointSpec: { Mode: 'dnsrr', Ports: [{ TargetPort: 80 }] } }), /dnsrr/],
      [spec('x', {}, {}, { Resources: { Limits: { MemoryBytes: 1 } } }), /4MiB/],
      [spec('x', {}, {}, { RestartPolicy: { Condition: 'often' } }), /often/],
      [spec('x', { Secrets: [{ SecretID: 'no', SecretName: 'no' }] }), /secret not found/],
    ]
    for (const [body, words] of wrong) {
      const answer = await engine.call('POST', '/services/create', body)
      expect([answer.status, answer.body.message]).toEqual([400, expect.stringMatching(words)])
    }
    expect(await get('/services')).toEqual([])
  })

  it('ENG-517 ENG-518 tell what their tasks said, in the order of time', async () => {
    const Args = ['sh', '-c', 'echo one $HOSTNAME; sleep 0.2; echo two $HOSTNAME >&2; sleep 3600']
    await create(spec('talking', { Args, Hostname: 'h{{.Task.Slot}}' }, { Mode: { Replicated: { Replicas: 2 } } }))
    await running('talking', 2)
    const read = async (api: string, name: string) => {
      const response = await engine.client.open(
        'GET',
        `/v${api}/services/${name}/logs?stdout=1&stderr=1&follow=1&details=1`,
      )
      return { type: response.headers['content-type'], response }
    }
    const { type, response } = await read('1.42', 'talking')
    expect(type).toBe('application/vnd.docker.multiplexed-stream')
    let followed = ''
    for await (const chunk of response) {
      followed += chunk
      if (followed.split('\n').length > 4) break
    }
    expect([...followed.matchAll(/(one|two) h\d/g)].map(([line]) => line).toSorted()).toEqual([
      ...['one h1', 'one h2', 'two h1', 'two h2'],
    ])
    expect(followed).toMatch(
      /com\.docker\.swarm\.node\.id=\w+,com\.docker\.swarm\.service\.id=\w+,com\.docker\.swarm\.task\.id=\w+ one/,
    )
    // All that was said by now: whichever task was first, their lines come by their times.
    const said = await text(
      await engine.client.open('GET', '/v1.42/services/talking/logs?stdout=1&stderr=1&timestamps=1'),
    )
    const times = [...said.matchAll(/(\S+Z) (?:one|two) h\d/g)].map(([, time]) => time)
    expect(times).toHaveLength(4)
    expect(times).toEqual(times.toSorted())
    const older = await read('1.41', 'talking')
    older.response.destroy()
    expect(older.type).toBe('application/vnd.docker.raw-stream')
    await remove('talking')
    await create(spec('screen', { Args: ['sh', '-c', 'echo seen; sleep 3600'], TTY: true }))
    await running('screen', 1)
    const screen = await read('1.42', 'screen')
    expect(screen.type).toBe('application/vnd.docker.raw-stream')
    for await (const chunk of screen.response) {
      expect(String(chunk)).toMatch(/task\.id=\w+ seen\r\n/)
      break
    }
    await remove('screen')
  })
})
