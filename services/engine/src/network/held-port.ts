// A port of the host that a container has: a socket of ours holds it, so that no other program takes it.
// The firewall sends what comes to the container; only where it cannot (IPv6 to a container that has none) do the
// bytes come through here.
import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, createServer, isIPv6, type Server, type Socket } from 'node:net'

export interface Target {
  address: string
  port: number
}

export interface HeldPort {
  port: number
  close(): void
}

const maxConnections = 4_096
const connectMs = 10_000

/** Throws EADDRINUSE and the like. `target` is asked for anew for every connection. */
export function holdPort(protocol: string, address: string, port: number, target: () => Target | undefined) {
  if (protocol === 'tcp') return holdTcp(address, port, target)
  return protocol === 'udp' ? holdUdp(address, port, target) : Promise.resolve({ port, close: () => {} })
}

async function holdTcp(address: string, port: number, target: () => Target | undefined): Promise<HeldPort> {
  const open = new Set<Socket>()
  const server: Server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
    const to = target()
    if (to === undefined) return void client.destroy()
    const container = connect({ host: to.address, port: to.port, allowHalfOpen: true })
    const timer = setTimeout(() => container.destroy(), connectMs)
    container.once('connect', () => clearTimeout(timer))
    for (const [socket, other] of [
      [client, container],
      [container, client],
    ] as const) {
      open.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        open.delete(socket)
        clearTimeout(timer)
        if (!socket.readableEnded) other.destroy()
      })
      socket.pipe(other)
    }
  })
  server.maxConnections = maxConnections
  const listening = once(server, 'listening')
  server.listen({ host: address, port, ipv6Only: isIPv6(address) })
  await listening
  server.on('error', () => {})
  const bound = server.address()
  const close = (): void => {
    server.close()
    for (const socket of open) socket.destroy()
  }
  return { port: bound !== null && typeof bound === 'object' ? bound.port : port, close }
}

const maxClients = 1_024
const clientIdleMs = 60_000

/** Each client gets a socket of its own towards the container, until it has been silent for a while. */
async function holdUdp(address: string, port: number, target: () => Target | undefined): Promise<HeldPort> {
  const socket = createSocket({ type: isIPv6(address) ? 'udp6' : 'udp4', ipv6Only: isIPv6(address) })
  const clients = new Map<string, { socket: UdpSocket; timer: NodeJS.Timeout }>()
  const forget = (name: string): void => {
    clients.get(name)?.socket.close()
    clients.delete(name)
  }
  socket.on('message', (message, from) => {
    const to = target()
    if (to === undefined) return
    const name = `${from.address} ${from.port}`
    const known = clients.get(name)
    if (known === undefined && clients.size >= maxClients) return
    const client = known ?? { socket: createSocket(isIPv6(to.address) ? 'udp6' : 'udp4'), timer: setTimeout(() => {}) }
    clearTimeout(client.timer)
    client.timer = setTimeout(() => forget(name), clientIdleMs).unref()
    if (known === undefined) {
      clients.set(name, client)
      client.socket.on('error', () => forget(name))
      client.socket.on('message', (answer) => socket.send(answer, from.port, from.address, () => {}))
    }
    client.socket.send(message, to.port, to.address, () => {})
  })
  try {
    const listening = once(socket, 'listening')
    socket.bind(port, address)
    await listening
  } catch (problem) {
    socket.close()
    throw problem
  }
  socket.on('error', () => {})
  const close = (): void => {
    socket.close()
    for (const name of [...clients.keys()]) {
      clearTimeout(clients.get(name)?.timer)
      forget(name)
    }
  }
  return { port: socket.address().port, close }
}
