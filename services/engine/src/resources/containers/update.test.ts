// Updating containers over HTTP.
import { describe, expect, it } from 'vitest'
import { openContainers } from './testing/containers-server.ts'

describe('updates', () => {
  it('ENG-302 ENG-303 ENG-305 ENG-306 changes limits and the restart policy, live and for good', async () => {
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

  it('ENG-307 ENG-308 ENG-309 ENG-178 ENG-179 knows a limit of processes, none, and the one before', async () => {
    const server = await openContainers()
    const limit = async (id: string) => (await server.inspect(id)).HostConfig.PidsLimit
    const id = await server.create({ HostConfig: { PidsLimit: 9 } })
    await server.post(`/containers/${id}/update`, { PidsLimit: null })
    expect(await limit(id)).toBe(9)
    await server.post(`/containers/${id}/update`, { PidsLimit: 0 })
    expect(await limit(id)).toBe(null)
    await server.post(`/containers/${id}/update`, { PidsLimit: 5 })
    await server.post(`/containers/${id}/update`, { PidsLimit: -1 })
    expect(await limit(id)).toBe(null)
    expect(await limit(await server.create({ HostConfig: { PidsLimit: 0 } }))).toBe(null)
    expect(await limit(await server.create({ HostConfig: { PidsLimit: -1 } }))).toBe(null)
  })

  it('ENG-304 refuses a policy that is none, and limits that contradict what is set', async () => {
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

  it('ENG-120 ENG-135 ENG-185 ENG-186 ENG-196 ENG-222 ENG-243 ENG-310 takes kernel memory from callers before 1.42 alone', async () => {
    const server = await openContainers()
    const body = (KernelMemory: number) => ({ Image: 'busybox', HostConfig: { KernelMemory } })
    const create = (version: string, bytes: number) => server.post(`${version}/containers/create`, body(bytes))
    const { body: today } = await create('/v1.42', 5)
    expect((await server.inspect(today.Id)).HostConfig.KernelMemory).toBeUndefined()
    expect((await create('/v1.41', 5)).body.message).toBe('Minimum kernel memory limit allowed is 4MB')
    expect((await create('/v1.21', 5)).status).toBe(201)
    const { body: then } = await create('/v1.41', 4 << 20)
    const { body: shown } = await server.get(`/v1.41/containers/${then.Id}/json`)
    expect(shown.HostConfig.KernelMemory).toBe(4 << 20)
    await server.post(`/containers/${then.Id}/update`, { KernelMemory: 8 << 20 })
    expect((await server.inspect(then.Id)).HostConfig.KernelMemory).toBe(4 << 20)
    await server.post(`/v1.41/containers/${then.Id}/update`, { KernelMemory: 8 << 20 })
    expect((await server.inspect(then.Id)).HostConfig.KernelMemory).toBe(8 << 20)
  })
})
