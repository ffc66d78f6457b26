// The image side over real HTTP, with a real database, real layers and the real files program.
import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
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
import { kernelErrors, noSuchContainer } from '../../../errors.ts'
import { type EngineEvent, EngineEvents } from '../../../events/engine-events.ts'
import type { ImageRegistry } from '../../../images/image-registry.ts'
import { buildNative } from '../../../runtime/native-build.ts'
import { engineVersions } from '../../../versions/versions.ts'
import { archiveRoutes } from '../../containers/archive/routes.ts'
import { changesRoutes } from '../../containers/changes/routes.ts'
import { exportRoutes } from '../../containers/export/routes.ts'
import type { ContainerRecord } from '../../containers/record.ts'
import { commitRoutes } from '../commit/routes.ts'
import { type ImageSide, openImages } from '../create-images.ts'
import { imagesMigration } from '../migration.ts'
import { imageRoutes } from '../routes.ts'

const closers: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

export interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  bytes: Buffer
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever comes
  json: any
}

export const filesProgram = (): Promise<string> =>
  buildNative('files', ['archive', 'crypto'], join(tmpdir(), 'engine-images-native'))

/** What these tests have no registry for. */
const noRegistry: ImageRegistry = {
  pull: () => {
    throw new Error('no registry here')
  },
  push: () => {
    throw new Error('no registry here')
  },
  distribution: () => Promise.reject(new Error('no registry here')),
}

export class ImagesServer {
  readonly folder: string
  readonly events = new EngineEvents(() => systemClock.now())
  readonly told: EngineEvent[] = []
  readonly containers = new Map<string, ContainerRecord>()
  readonly paused: string[] = []
  readonly #db: Database
  url = ''
  #side: ImageSide | undefined

  constructor(folder: string, db: Database) {
    this.folder = folder
    this.#db = db
    this.events.listen((event) => this.told.push(event))
  }

  get side(): ImageSide {
    if (this.#side === undefined) throw new Error('The server is not open')
    return this.#side
  }

  async open(): Promise<void> {
    const { events, folder } = this
    const kernel = { db: this.#db, clock: systemClock, log: silentLog }
    this.#side = await openImages({ kernel, events, folder, program: await filesProgram() })
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
    const pause = async (id: string) => void this.paused.push(`pause ${id}`)
    const resume = async (id: string) => void this.paused.push(`resume ${id}`)
    const parts = { find, files, images, events, pause, resume }
    const ids = createIds(systemClock)
    const server = await listen(
      {
        name: 'engine',
        title: 'Engine',
        version: '1.47',
        errors: kernelErrors,
        routes: [
          ...imageRoutes(service, noRegistry),
          ...commitRoutes(parts),
          ...archiveRoutes(parts),
          ...changesRoutes(parts),
          ...exportRoutes(parts),
        ],
        authenticate: async () => null,
        versions: engineVersions(),
        isLenient: true,
        maxJsonBytes: 4 * 1024 * 1024,
      },
      {
        address: { host: '127.0.0.1', port: 0 },
        log: silentLog,
        ids,
        clock: systemClock,
        blobs: await createLocalDisk(join(folder, 'kernel-blobs'), systemClock, ids),
        checkResponses: true,
        health: { ready: async () => undefined },
      },
    )
    closers.push(() => server.close(100))
    this.url = server.url
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

export async function imagesServer(): Promise<ImagesServer> {
  const folder = await tempDir()
  const db = await openDatabase({ kind: 'sqlite', folder }, { log: silentLog })
  closers.push(() => db.close())
  await migrate(db, [imagesMigration])
  const server = new ImagesServer(join(folder, 'engine'), db)
  await server.open()
  return server
}
