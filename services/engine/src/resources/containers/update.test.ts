// Updating containers over HTTP.
import { describe, expect, it } from 'vitest'
import { openContainers } from './testing/containers-server.ts'

describe('updates', () => {
  it('changes limits and the restart policy, live and for good', async () => {
    const server = await openContainers()
    const id = await server.run({ Cmd: ['sleep'], HostConfig: { Memory: 64 << 20, MemorySwap: 256 << 20 } })
    const changes = { Memory: 128 << 20, PidsLimit: 7, NanoCpus: 5e8, RestartPolicy: { Name: 'always' } }
    expect(await server.post(`/containers/${id}/update`, changes)).toEqual({ status: 200, body: { Warnings: [] } })
    expect(server.runtime.updates).toEqual([{ memory: { limit: 128 << 20 }, pids: { limit: 7 } }])
    expect((await server.inspect(id)).HostConfig).toMatchObject({
      Memory: 128 << 20,
      MemorySwap: 256 << 20,
      PidsLimit: 7,
      NanoCpus: 5e8,
      RestartPolicy: { Name: 'always', MaximumRetryCount: 0 },
    })
    expect(server.actions().at(-1)).toBe('update')
  })

  it('knows a limit of processes, none, and the one before', async () => {
    const server = await openContainers()
    const limit = async (id: string) => (await server.inspect(id)).HostConfig.PidsLimit
    const id = await server.create({ HostConfig: { PidsLimit: 9 } })
    await server.post(`/containers/${id}/update`, { PidsLimit: null })
    expect(await limit(id)).toBe(9)
    await server.post(`/containers/${id}/update`, { PidsLimit: 0 })
    expect(await limit(id)).toBe(0)
    await server.post(`/containers/${id}/update`, { PidsLimit: 5 })
    await server.post(`/containers/${id}/update`, { PidsLimit: -1 })
    expect(await limit(id)).toBe(0)
    expect(await limit(await server.create({ HostConfig: { PidsLimit: 0 } }))).toBe(null)
    expect(await limit(await server.create({ HostConfig: { PidsLimit: -1 } }))).toBe(null)
  })

  it('refuses a policy that is none, and limits that contradict what is set', async () => {
    const server = await openContainers()
    const id = await server.create({ HostConfig: { CpuPeriod: 100_000, Memory: 8 << 20 } })
    const refuse = async (changes: object) => (await server.post(`/containers/${id}/update`, changes)).body.message
    expect(await refuse({ RestartPolicy: { Name: 'sometimes' } })).toMatch(/unknown policy 'sometimes'/)
    expect(await refuse({ RestartPolicy: { Name: 'always', MaximumRetryCount: 3 } })).toMatch(/only be used with/)
    expect(await refuse({ NanoCpus: 1e9 })).toMatch(/Nano CPUs cannot be updated as CPU Period/)
    expect(await refuse({ Memory: 64 << 20 })).toMatch(/already set memoryswap limit/)
    expect(await refuse({ Memory: 100 })).toMatch(/Minimum memory limit/)
    expect((await server.inspect(id)).HostConfig.Memory).toBe(8 << 20)
    expect((await server.post('/containers/nobody/update', {})).status).toBe(404)
  })
})
