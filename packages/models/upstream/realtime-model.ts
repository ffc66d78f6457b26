// Realtime sessions of a model server.
import type { ClientSocket } from '@atoll/kernel/http/sockets/dial-socket'
import type { Call } from '../call.ts'
import type { RealtimeConnect, RealtimeModel } from '../realtime.ts'
import type { Server } from './server.ts'

export class UpstreamRealtime implements RealtimeModel {
  readonly model: string
  readonly #server: Server

  constructor(server: Server, model: string) {
    this.#server = server
    this.model = model
  }

  connect({ isBeta }: RealtimeConnect, call: Call): Promise<ClientSocket> {
    const headers: Record<string, string> = isBeta ? { 'openai-beta': 'realtime=v1' } : {}
    return this.#server.connect(`/realtime?model=${encodeURIComponent(this.model)}`, headers, call)
  }
}
