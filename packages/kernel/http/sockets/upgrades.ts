// Which requests leave HTTP, and who takes their connections.
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Host } from '../host.ts'
import { rawRoutes } from './hijack.ts'
import { socketRoutes } from './sockets.ts'

export interface Upgrades {
  shouldUpgrade(request: IncomingMessage): boolean
  watch(server: Server): void
}

export function createUpgrades(host: Host): Upgrades {
  const raw = rawRoutes(host)
  const sockets = socketRoutes(host)
  return {
    // Behind a response that is still being written there is no connection to hand over yet.
    shouldUpgrade: (request) => !isPipelined(request) && (sockets.matches(request) || raw.matches(request)),
    watch(server) {
      raw.watch(server)
      server.on('upgrade', (request, socket, head) => {
        const takers = sockets.matches(request) ? sockets : raw
        takers.take(request, socket as Socket, head).catch((error: unknown) => {
          host.log.error({ error }, 'A connection could not be taken')
          socket.destroy()
        })
      })
    },
  }
}

const isPipelined = ({ socket }: IncomingMessage): boolean =>
  ((socket as { _httpMessage?: unknown })._httpMessage ?? null) !== null
