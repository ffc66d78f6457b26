// The side of a server that speaks and listens, over HTTP.
import { openAsBlob } from 'node:fs'
import { basename } from 'node:path'
import { PlatformServer } from '../platform-server.ts'

export class AudioServer extends PlatformServer {
  async speak(body: object, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const headers = { 'content-type': 'application/json' }
    const response = await this.send('audio/speech', { method: 'POST', body: JSON.stringify(body), headers, signal })
    return response.body ?? new Blob([]).stream()
  }

  async writeDown(task: string, path: string, fields: Record<string, string>, signal: AbortSignal): Promise<string> {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.set(name, value)
    form.set('file', await openAsBlob(path), basename(path))
    return (await this.send(`audio/${task}`, { method: 'POST', body: form, signal })).text()
  }
}
