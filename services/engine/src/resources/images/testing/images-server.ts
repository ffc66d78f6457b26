// The image side over real HTTP, with a real database, real layers and the real files program.
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { systemClock } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'
import { migrate } from '@atoll/kernel/db/migrate'
import { openDatabase } from '@atoll/kernel/db/open'
import { afterTest } from '@atoll/testkit/after-tests'
import { silentLog } from '@atoll/testkit/silent-log'
import { tempDir } from '@atoll/testkit/temp-dir'
import { noSuchContainer } from '../../../errors.ts'
import { type EngineEvent, EngineEvents } from '../../../events/engine-events.ts'
import type { ImageRegistry } from '../../../images/image-registry.ts'
import { filesProgram } from '../../../testing/native-programs.ts'
import { serveRoutes } from '../../../testing/serve-routes.ts'
import { archiveRoutes } from '../../containers/archive/routes.ts'
import { changesRoutes } from '../../containers/changes/routes.ts'
import { exportRoutes } from '../../containers/export/routes.ts'
import type { ContainerRecord } from '../../containers/record.ts'
import { commitRoutes } from '../commit/routes.ts'
import { type ImageSide, openImages } from '../create-images.ts'
import { imageMigrations } from '../migration.ts'
import { imageRoutes } from '../routes.ts'

export interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  bytes: Buffer
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever comes
  json: any
}

/** What these tests have no registry for. */
const noRegistry: ImageRegistry = {
  pull: () => {
    throw new Error('no registry here')
  },
  push: () => {
    throw new Error('no registry here')
  },
  distribution: () => Promise.reject(new Error('no registry here')),
  search: () => Promise.reject(new Error('no registry here')),
}

export class ImagesServer {
  readonly folder: string
  readonly events = new EngineEvents(() => systemClock.now())
  readonly told: EngineEvent[] = []
  readonly containers = new Map<string, ContainerRecord>()
  readonly paused: string[] = []
  readonly #db: Database
  readonly #syncDelayMs: number | undefined
  url = ''
  #side: ImageSide | undefined

  constructor(folder: string, db: Database, syncDelayMs?: number) {
    this.folder = folder
    this.#db = db
    this.#syncDelayMs = syncDelayMs
    this.events.listen((event) => this.told.push(event))
  }

  get side(): ImageSide {
    if (this.#side === undefined) throw new Error('The server is not open')
    return this.#side
  }

  async open(): Promise<void> {
    const { events, folder } = this
    const kernel = { db: this.#db, clock: systemClock, log: silentLog }
    this.#side = await openImages({
      ...{ kernel, events, folder, syncDelayMs: this.#syncDelayMs },
      program: await filesProgram(),
    })
    this.#side.images.usedBy((imageId) =>
      [...this.containers.values()]
        .filter((record) => record.imageId === imageId)
        .map(({ id, state }) => ({ containerId: id, isRunning: state.status === 'running' })),
    )
    const { images, files, service } = this.#side
    const find = (name: string): ContainerRecord => {
      const record = this.containers.get(name)
      if (record === undefined) throw noSuchContainer(name)
      return record
    }
    const whileStill = async <T>(id: string, work: () => Promise<T>): Promise<T> => {
      this.paused.push(`pause ${id}`)
      return work().finally(() => this.paused.push(`resume ${id}`))
    }
    const ended = async (): Promise<void> => {}
    const parts = { find, ended, files, images, events, whileStill }
    const routes = [
      ...imageRoutes(service, noRegistry),
      ...commitRoutes(parts),
      ...archiveRoutes(parts),
      ...changesRoutes(parts),
      ...exportRoutes(parts),
    ]
    const server = await serveRoutes({ routes }, { blobFolder: join(folder, 'kernel-blobs') })
    afterTest(() => server.close(100))
    this.url = server.url
  }

  /** How much of images is said to be perhaps not on the disk yet. */
  async unsynced(): Promise<number> {
    const { queries } = this.#db
    const layers = await queries.selectFrom('engine_layers').select('chain_id').where('boot_id', '!=', '').execute()
    const blobs = await queries.selectFrom('engine_unsynced_blobs').select('digest').execute()
    return layers.length + blobs.length
  }

  /** As after the machine went down before anything was synced, as far as rows know. */
  async reboot(): Promise<void> {
    const { queries } = this.#db
    const earlier = { boot_id: 'an-earlier-boot' }
    await queries.updateTable('engine_layers').set(earlier).where('boot_id', '!=', '').execute()
    await queries.updateTable('engine_unsynced_blobs').set(earlier).execute()
    await this.open()
  }

  call(method: string, path: string, body?: Readable | Uint8Array | object): Promise<Answer> {
    return call(this.url + path, method, body)
  }

  actions(): string[] {
    return this.told.map(({ Type, Action }) => `${Type} ${Action}`)
  }
}

function call(url: string, method: string, body?: Readable | Uint8Array | object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const isTar = body instanceof Uint8Array || (body !== undefined && 'pipe' in body)
    const request = httpRequest(url, {
      method,
      headers: body === undefined ? {} : { 'content-type': isTar ? 'application/x-tar' : 'application/json' },
    })
    request.on('error', reject).on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject)
      response.on('end', () => {
        const bytes = Buffer.concat(chunks)
        const text = bytes.toString('utf8')
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes, text, json: jsonOf(text) })
      })
    })
    if (body === undefined) request.end()
    else if (body instanceof Uint8Array) request.end(body)
    else if ('pipe' in body) (body as Readable).pipe(request)
    else request.end(JSON.stringify(body))
  })
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export async function imagesServer(syncDelayMs?: number): Promise<ImagesServer> {
  const folder = await tempDir()
  const db = await openDatabase({ kind: 'sqlite', folder }, { log: silentLog })
  afterTest(() => db.close())
  await migrate(db, imageMigrations)
  const server = new ImagesServer(join(folder, 'engine'), db, syncDelayMs)
  await server.open()
  return server
}
