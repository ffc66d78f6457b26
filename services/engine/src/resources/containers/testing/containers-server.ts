// Containers over real HTTP and a real database, on stand-ins for the runtime and the other parts.
import { createLocalDisk } from '@atoll/kernel/blobs/local-disk'
import { systemClock } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'
import { migrate } from '@atoll/kernel/db/migrate'
import { openDatabase } from '@atoll/kernel/db/open'
import { listen } from '@atoll/kernel/http/listen'
import { createIds } from '@atoll/kernel/ids/ids'
import { silentLog } from '@atoll/testkit/silent-log'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterEach } from 'vitest'
import { kernelErrors } from '../../../errors.ts'
import { EngineEvents } from '../../../events/engine-events.ts'
import { engineVersions } from '../../../versions/versions.ts'
import { containersMigration } from '../migration.ts'
import { containerRoutes } from '../routes.ts'
import { Containers } from '../service.ts'
import { FakeImages, FakeMounts, FakeNetworking, FakeSpecs } from './fake-parts.ts'
import { FakeRuntime } from './fake-runtime.ts'

const closers: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever comes
  body: any
}

export class ContainersServer {
  readonly folder: string
  readonly db: Database
  readonly runtime: FakeRuntime
  readonly images: FakeImages
  readonly networking = new FakeNetworking()
  readonly mounts = new FakeMounts()
  readonly specs = new FakeSpecs()
  readonly events = new EngineEvents(() => systemClock.now())
  containers: Containers
  url = ''

  constructor(folder: string, db: Database, runtime: FakeRuntime) {
    this.folder = folder
    this.db = db
    this.runtime = runtime
    this.images = new FakeImages(folder)
    this.containers = this.newContainers()
  }

  newContainers(): Containers {
    const { folder, db, runtime, networking, mounts, specs, events } = this
    return new Containers({
      db,
      clock: systemClock,
      ids: createIds(systemClock),
      log: silentLog,
      folder,
      runtime,
      images: this.images,
      networking,
      mounts,
      specs,
      events,
      defaults: {
        ipcMode: 'private',
        cgroupnsMode: 'host',
        runtime: 'crun',
        runtimes: ['crun', 'runc'],
        hostname: 'the-host',
      },
    })
  }

  async call(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(this.url + path, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json')
    return { status: response.status, body: isJson && text !== '' ? JSON.parse(text) : text }
  }

  get = (path: string): Promise<Answer> => this.call('GET', path)
  post = (path: string, body?: unknown): Promise<Answer> => this.call('POST', path, body)
  delete = (path: string): Promise<Answer> => this.call('DELETE', path)

  /** The id of a new container. */
  async create(body: object, query = ''): Promise<string> {
    const { status, body: answer } = await this.post(`/containers/create${query}`, { Image: 'busybox', ...body })
    if (status !== 201) throw new Error(`create: ${status} ${JSON.stringify(answer)}`)
    return answer.Id
  }

  async run(body: object, query = ''): Promise<string> {
    const id = await this.create(body, query)
    const { status, body: answer } = await this.post(`/containers/${id}/start`)
    if (status !== 204) throw new Error(`start: ${status} ${JSON.stringify(answer)}`)
    return id
  }

  async inspect(id: string): Promise<Answer['body']> {
    return (await this.get(`/containers/${id}/json`)).body
  }

  /** Resolves with the attributes of the next such event. */
  event(action: string): Promise<Record<string, string>> {
    return new Promise((resolve) => {
      const stop = this.events.listen(({ Action, Actor }) => {
        if (Action !== action) return
        stop()
        resolve(Actor.Attributes)
      })
    })
  }

  actions(): string[] {
    return this.events.past.map(({ event }) => event.Action)
  }
}

async function openDb(folder: string): Promise<Database> {
  const db = await openDatabase({ kind: 'sqlite', folder }, { log: silentLog })
  await migrate(db, [containersMigration])
  closers.push(() => db.close())
  return db
}

/** `before`: an engine on the same folder, database and runtime that was there until now. */
export async function openContainers(before?: ContainersServer): Promise<ContainersServer> {
  const folder = before?.folder ?? (await tempDir())
  const server = new ContainersServer(
    folder,
    before?.db ?? (await openDb(folder)),
    before?.runtime ?? new FakeRuntime(),
  )
  await server.containers.restore()
  const listener = await listen(
    {
      name: 'engine',
      title: 'Engine',
      version: '1.47',
      errors: kernelErrors,
      routes: containerRoutes(server.containers),
      authenticate: async () => null,
      versions: engineVersions(),
      isLenient: true,
      maxJsonBytes: 1024 * 1024,
    },
    {
      address: { host: '127.0.0.1', port: 0 },
      blobs: await createLocalDisk(`${folder}/blobs`, systemClock, createIds(systemClock)),
      ids: createIds(systemClock),
      clock: systemClock,
      log: silentLog,
      checkResponses: true,
      health: { ready: async () => undefined },
    },
  )
  server.url = listener.url
  closers.push(async () => {
    server.containers.close()
    await listener.close(100)
  })
  return server
}
