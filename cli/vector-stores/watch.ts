// ./atoll vector-stores watch: shows how far the files of vector stores are, until all have been worked through.
import { setTimeout } from 'node:timers/promises'
import type { VectorStoreFileObject } from '@atoll/platform/resources/vector-stores/files/schema'
import type { VectorStoreObject } from '@atoll/platform/resources/vector-stores/schema'
import { CommandProblem, telling } from '../command-problem.ts'
import { PlatformServer } from '../platform-server.ts'
import { ProgressLine, Speed } from '../progress-line.ts'

const terminalEveryMs = 300
const linesEveryMs = 2_000
const speedWindowMs = 10_000
const megabyte = 1024 ** 2
const pageSize = 100

interface Page<Item> {
  object: string
  data: Item[]
  has_more: boolean
  last_id: string | null
}

class StoresServer extends PlatformServer {
  find(id: string): Promise<VectorStoreObject> {
    return this.json(`vector_stores/${encodeURIComponent(id)}`, {})
  }

  async inProgress(): Promise<VectorStoreObject[]> {
    const stores = await this.#all<VectorStoreObject>('vector_stores')
    return stores.filter(({ status }) => status === 'in_progress')
  }

  failed(id: string): Promise<VectorStoreFileObject[]> {
    return this.#all(`vector_stores/${encodeURIComponent(id)}/files`, 'filter=failed&')
  }

  async #all<Item>(path: string, filter = ''): Promise<Item[]> {
    const items: Item[] = []
    for (let after = ''; ; ) {
      const page: Page<Item> = await this.json(`${path}?${filter}limit=${pageSize}${after}`, {})
      items.push(...page.data)
      if (!page.has_more || page.last_id === null) return items
      after = `&after=${encodeURIComponent(page.last_id)}`
    }
  }
}

export const watchStores = (id: string | undefined, flags: { url?: string }): Promise<void> =>
  telling(async () => {
    const server = new StoresServer(flags.url, process.env)
    const begun = id === undefined ? await server.inProgress() : [await server.find(id)]
    if (begun.length === 0) {
      console.log('No vector store has files that are worked on.')
      return
    }
    const line = new ProgressLine(process.stderr)
    try {
      await follow(server, begun, line)
    } finally {
      line.close()
    }
    await tellEnd(server, begun)
  })

async function follow(server: StoresServer, begun: readonly VectorStoreObject[], line: ProgressLine): Promise<void> {
  const speed = new Speed(speedWindowMs)
  for (let stores = begun; ; ) {
    const bytes = stores.reduce((sum, { usage_bytes }) => sum + usage_bytes, 0)
    line.show(progressText(line, stores, speed.perSecond(bytes, performance.now())))
    if (stores.every(({ status }) => status !== 'in_progress')) return
    await setTimeout(line.isTerminal ? terminalEveryMs : linesEveryMs)
    stores = await again(server, stores, line)
  }
}

/** A server that goes away for a while does not end the waiting. */
async function again(server: StoresServer, stores: readonly VectorStoreObject[], line: ProgressLine) {
  try {
    return await Promise.all(stores.map(({ id }) => server.find(id)))
  } catch (error) {
    if (!(error instanceof CommandProblem) || !error.passes) throw error
    line.note(`Waiting, since ${error.message}`)
    return stores
  }
}

function progressText(line: ProgressLine, stores: readonly VectorStoreObject[], bytesPerSecond: number): string {
  const sum = (of: (store: VectorStoreObject) => number): number => stores.reduce((all, store) => all + of(store), 0)
  const total = sum(({ file_counts }) => file_counts.total)
  const failed = sum(({ file_counts }) => file_counts.failed)
  const done = total - sum(({ file_counts }) => file_counts.in_progress)
  const bytes = sum(({ usage_bytes }) => usage_bytes)
  const speed = bytesPerSecond > 0 ? `  ${(bytesPerSecond / megabyte).toFixed(1)} MB/s` : ''
  const count = stores.length === 1 ? '' : `${stores.length} stores: `
  return `${line.bar(done / Math.max(1, total))}${count}${done}/${total} files  ${failed} failed  ${(bytes / megabyte).toFixed(1)} MB${speed}`
}

async function tellEnd(server: StoresServer, stores: readonly VectorStoreObject[]): Promise<void> {
  for (const { id } of stores) {
    const { file_counts, name } = await server.find(id)
    console.log(
      `${id}${name ? ` (${name})` : ''}: ${file_counts.completed} of ${file_counts.total} files can be searched.`,
    )
    if (file_counts.failed === 0) continue
    process.exitCode = 1
    for (const file of await server.failed(id)) console.log(`  ${file.id}: ${file.last_error?.message ?? 'failed'}`)
  }
}
