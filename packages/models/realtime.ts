// Realtime sessions that a server behind this one holds itself.
import type { ClientSocket } from '@atoll/kernel/http/sockets/dial-socket'
import type { Call } from './call.ts'

export interface RealtimeModel {
  /** The id that the server knows the model by. */
  readonly model: string
  /** Open, and paused until its user listens. Its place is free again when it closes. */
  connect(session: RealtimeConnect, call: Call): Promise<ClientSocket>
}

export interface RealtimeConnect {
  /** The client speaks the dialect of 2024. */
  isBeta: boolean
}
