// The side of a server that batches need, over HTTP: files, and batches themselves.
import type { BatchObject } from '@atoll/platform/resources/batches/schema'
import { PlatformServer } from '../platform-server.ts'

export class BatchServer extends PlatformServer {
  upload(path: string, signal: AbortSignal): Promise<string> {
    return this.sendFile(path, 'batch', signal)
  }

  create(input_file_id: string, endpoint: string): Promise<BatchObject> {
    const body = JSON.stringify({ input_file_id, endpoint, completion_window: '24h' })
    return this.json('batches', { method: 'POST', body, headers: { 'content-type': 'application/json' } })
  }

  find(id: string, signal: AbortSignal): Promise<BatchObject> {
    return this.json(`batches/${encodeURIComponent(id)}`, { signal })
  }

  cancel(id: string): Promise<BatchObject> {
    return this.json(`batches/${encodeURIComponent(id)}/cancel`, { method: 'POST' })
  }

  /** The name under which a file was uploaded. */
  async fileName(id: string, signal: AbortSignal): Promise<string> {
    return (await this.json<{ object: string; filename: string }>(`files/${encodeURIComponent(id)}`, { signal }))
      .filename
  }

  async content(fileId: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const { body } = await this.send(`files/${encodeURIComponent(fileId)}/content`, { signal })
    return body ?? new Blob([]).stream()
  }
}
