// Containers over real HTTP and a real database, on stand-ins for the runtime and the other parts.
import { systemClock } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'
import { migrate } from '@atoll/kernel/db/migrate'
import { openDatabase } from '@atoll/kernel/db/open'
import { createIds } from '@atoll/kernel/ids/ids'
import { afterTest } from '@atoll/testkit/after-tests'
import { silentLog } from '@atoll/testkit/silent-log'
import { tempDir } from '@atoll/testkit/temp-dir'
import { EngineEvents } from '../../../events/engine-events.ts'
import { type Answer, askJson } from '../../../testing/ask-json.ts'
import { serveRoutes } from '../../../testing/serve-routes.ts'
import { containerMigrations } from '../migration.ts'
import { containerRoutes } from '../routes.ts'
import { Containers } from '../service.ts'
import { FakeImages, FakeMounts, FakeNetworking, FakeSpecs } from './fake-parts.ts'
import { FakeRuntime } from './fake-runtime.ts'

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

  call(method: string, path: string, body?: unknown): Promise<Answer> {
    return askJson(method, this.url + path, body)
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
  await migrate(db, containerMigrations)
  afterTest(() => db.close())
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
  const listener = await serveRoutes({ routes: containerRoutes(server.containers) }, { blobFolder: `${folder}/blobs` })
  server.url = listener.url
  afterTest(async () => {
    server.containers.close()
    await listener.close(100)
  })
  return server
}
