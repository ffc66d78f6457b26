import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { isolatedHost } from './isolated.ts'

describe('an isolated host', () => {
  it('has a network and processes of its own, and ends with all of them', async () => {
    const host = await isolatedHost()
    const links = await host.run('ip', ['-br', 'link'])
    expect(links.stdout.trim().split('\n')).toHaveLength(1)
    expect((await host.run('cat', [], { input: 'told' })).stdout).toBe('told')
    expect((await host.run('sh', ['-c', 'exit 3'])).code).toBe(3)
    const sleeping = await host.spawn('sleep', ['600'])
    const killed = await host.spawn('sleep', ['600'])
    killed.kill()
    expect(await killed.ended).toBe(137)
    const { basename } = await host.module<typeof import('node:path')>(new URL('node:path'))
    expect(await basename('/a/b')).toBe('b')
    await host.stop()
    expect(await sleeping.ended).toBe(137)
    expect(existsSync(`/proc/${sleeping.pid}/ns/net`)).toBe(false)
  })
})
