// Asks WebSocket peers for a sign of life, and cuts those that gave none since the last time.
import type { WebSocket } from 'ws'

export class Heartbeat {
  readonly #peers = new Map<WebSocket, { isAlive: boolean }>()
  readonly #everyMs: number
  #timer: NodeJS.Timeout | undefined

  constructor(everyMs: number) {
    this.#everyMs = everyMs
  }

  add(peer: WebSocket): void {
    const state = { isAlive: true }
    this.#peers.set(peer, state)
    peer.on('pong', () => {
      state.isAlive = true
    })
    peer.on('close', () => this.#remove(peer))
    this.#timer ??= setInterval(() => this.#beat(), this.#everyMs).unref()
  }

  closeAll(code: number, reason: string): void {
    for (const peer of this.#peers.keys()) peer.close(code, reason)
  }

  #beat(): void {
    for (const [peer, state] of this.#peers) {
      if (!state.isAlive) {
        peer.terminate()
        continue
      }
      state.isAlive = false
      peer.ping()
    }
  }

  #remove(peer: WebSocket): void {
    this.#peers.delete(peer)
    if (this.#peers.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
