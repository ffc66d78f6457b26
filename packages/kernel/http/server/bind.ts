// Starts and ends listening.
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { ListenAddress } from '../options.ts'

export async function bind(server: Server, address: ListenAddress): Promise<void> {
  if ('socketPath' in address) {
    await removeStaleSocket(address.socketPath)
    server.listen({ path: address.socketPath })
  } else server.listen({ host: address.host, port: address.port })
  await once(server, 'listening') // Rejects with the server's error.
}

/** A killed process leaves its socket file behind; a living one answers on it. */
async function removeStaleSocket(path: string): Promise<void> {
  const probe = connect({ path })
  try {
    await once(probe, 'connect')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ECONNREFUSED') await rm(path, { force: true })
  } finally {
    probe.destroy()
  }
}

export function urlOf(server: Server, isTls: boolean): { url: string; port?: number } {
  const address = server.address() as AddressInfo | string
  if (typeof address === 'string') return { url: `unix:${address}` }
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return { url: `${isTls ? 'https' : 'http'}://${host}:${address.port}`, port: address.port }
}
