import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { describe, expect, it } from 'vitest'
import { onceFree } from './once-free.ts'

const take = async (port: number): Promise<Server> => {
  const server = createServer()
  const listening = once(server, 'listening')
  server.listen(port, '127.0.0.1')
  await listening
  return server
}

describe('a port that is in use', () => {
  it('is taken as soon as it is free', async () => {
    const first = await take(0)
    const { port } = first.address() as AddressInfo
    let tries = 0
    const second = await onceFree(() => {
      if (++tries === 3) first.close()
      return take(port)
    })
    expect(tries).toBe(3)
    second.close()
  })

  it('is given up when it stays so, and other problems at once', async () => {
    const first = await take(0)
    const { port } = first.address() as AddressInfo
    await expect(onceFree(() => take(port))).rejects.toThrow('EADDRINUSE')
    first.close()
    let tries = 0
    await expect(
      onceFree(async () => {
        tries++
        throw new Error('something else')
      }),
    ).rejects.toThrow('something else')
    expect(tries).toBe(1)
  })
})
