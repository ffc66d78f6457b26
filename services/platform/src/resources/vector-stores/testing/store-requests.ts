// Requests to vector stores as programs send them; every answer is checked against the published schemas.
import type { TestPlatform } from '../../../testing/describe-platform.ts'
import { checkPublished } from '../../../testing/published-schemas.ts'
import { waitUntil } from '../../../testing/wait-until.ts'
import type { FileBatchObject } from '../file-batches/schema.ts'
import type { VectorStoreFileObject } from '../files/schema.ts'
import type { SearchResultsPage, VectorStoreObject } from '../schema.ts'

export interface List<Item> {
  object: 'list'
  data: Item[]
  first_id: string | null
  last_id: string | null
  has_more: boolean
}

export class StoreRequests {
  readonly platform: TestPlatform

  constructor(platform: TestPlatform) {
    this.platform = platform
  }

  /** The answer; fails unless the status is 200. */
  async call<Answer>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<Answer> {
    const full = `/v1/vector_stores${path}`
    const { platform } = this
    const response = await (method === 'POST'
      ? platform.post(full, body)
      : method === 'GET'
        ? platform.get(full)
        : platform.delete(full))
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${method} ${full}: ${response.status} ${text}`)
    return JSON.parse(text) as Answer
  }

  async create(body: object = {}): Promise<VectorStoreObject> {
    return checkedStore(await this.call('POST', '', body))
  }

  async store(id: string): Promise<VectorStoreObject> {
    return checkedStore(await this.call('GET', `/${id}`))
  }

  async file(storeId: string, fileId: string): Promise<VectorStoreFileObject> {
    return checkedFile(await this.call('GET', `/${storeId}/files/${fileId}`))
  }

  async files(storeId: string, query = ''): Promise<List<VectorStoreFileObject>> {
    const list = await this.call<List<VectorStoreFileObject>>('GET', `/${storeId}/files${query}`)
    checkPublished('ListVectorStoreFilesResponse', list)
    return list
  }

  async attach(storeId: string, body: object): Promise<VectorStoreFileObject> {
    return checkedFile(await this.call('POST', `/${storeId}/files`, body))
  }

  async batch(storeId: string, batchId: string): Promise<FileBatchObject> {
    const batch = await this.call<FileBatchObject>('GET', `/${storeId}/files_batches/${batchId}`)
    checkPublished('VectorStoreFileBatchObject', batch)
    return batch
  }

  async search(storeId: string, body: object): Promise<SearchResultsPage> {
    return this.call('POST', `/${storeId}/search`, body)
  }

  async addText(name: string, text: string): Promise<string> {
    return (await this.platform.addFile(name, text)).id
  }

  /** The store, once nothing of it is in progress. */
  async settled(id: string, timeoutMs = 20_000): Promise<VectorStoreObject> {
    let store = await this.store(id)
    const look = async (): Promise<boolean> => {
      store = await this.store(id)
      return store.status !== 'in_progress'
    }
    await waitUntil(look, timeoutMs)
    return store
  }
}

function checkedStore(store: VectorStoreObject): VectorStoreObject {
  checkPublished('VectorStoreObject', store)
  return store
}

function checkedFile(file: VectorStoreFileObject): VectorStoreFileObject {
  checkPublished('VectorStoreFileObject', file)
  return file
}
