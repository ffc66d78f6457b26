// Health checks: when they run, what they find, and what is told of it.
import { describe, expect, it } from 'vitest'
import { judge, planHealthChecks } from './health.ts'
import type { HealthProbe, HealthState } from './record.ts'
import { openContainers } from './testing/containers-server.ts'

const ms = 1_000_000

describe('health checks', () => {
  it('find a container healthy, then unhealthy, and keep the last five results', async () => {
    const server = await openContainers()
    const check = { Test: ['CMD', 'look'], Interval: 5 * ms, Retries: 2, StartPeriod: 1000 * ms, StartInterval: 2 * ms }
    const healthy = server.event('health_status: healthy')
    const id = await server.run({ Cmd: ['sleep'], Healthcheck: check })
    expect((await server.inspect(id)).Config.Healthcheck).toEqual(check)
    await healthy
    expect((await server.inspect(id)).State.Health.Status).toBe('healthy')
    const unhealthy = server.event('health_status: unhealthy')
    server.runtime.health = () => ({ exitCode: 1, output: 'x'.repeat(5000) })
    await unhealthy
    const { Health } = (await server.inspect(id)).State
    expect(Health.Status).toBe('unhealthy')
    expect(Health.FailingStreak).toBeGreaterThanOrEqual(2)
    expect(Health.Log.length).toBeLessThanOrEqual(5)
    expect(Health.Log.at(-1)).toMatchObject({ ExitCode: 1, Output: 'x'.repeat(4096) })
    expect((await server.get('/containers/json')).body[0].Status).toMatch(/\(unhealthy\)$/)
    const listed = await server.get('/containers/json?filters=%7B%22health%22%3A%5B%22unhealthy%22%5D%7D')
    expect(listed.body).toHaveLength(1)
  })

  it('give up a check that takes too long', async () => {
    const server = await openContainers()
    server.runtime.health = () => undefined
    const unhealthy = server.event('health_status: unhealthy')
    const check = { Test: ['CMD-SHELL', 'sleep 9'], Interval: 2 * ms, Timeout: 5 * ms, Retries: 1 }
    const id = await server.run({ Cmd: ['sleep'], Healthcheck: check })
    await unhealthy
    expect((await server.inspect(id)).State.Health.Log.at(-1)).toMatchObject({
      ExitCode: -1,
      Output: 'Health check exceeded timeout (5ms)',
    })
  })

  it('are none for NONE and for containers without one', async () => {
    const server = await openContainers()
    server.images.add('checked:1', { Cmd: ['sleep'], Healthcheck: { Test: ['CMD', 'x'] } })
    const id = await server.run({ Image: 'checked:1', Healthcheck: { Test: ['NONE'] } })
    expect((await server.inspect(id)).State.Health).toBeUndefined()
    expect(planHealthChecks({} as never)).toBeUndefined()
    expect(planHealthChecks({ Healthcheck: { Test: ['CMD-SHELL', 'a b'] } } as never)?.command).toEqual([
      '/bin/sh',
      '-c',
      'a b',
    ])
  })

  it('refuse times and counts that make no sense', async () => {
    const server = await openContainers()
    const { status, body } = await server.post('/containers/create', {
      Image: 'busybox',
      Healthcheck: { Test: ['ODD'], Interval: 5, Retries: -1 },
    })
    expect(status).toBe(400)
    expect(body.message.split('\n')).toHaveLength(3)
  })

  it('do not count failures of the start period', () => {
    const plan = planHealthChecks({ Healthcheck: { Test: ['CMD', 'x'], StartPeriod: 1000 * ms, Retries: 1 } } as never)!
    const failed: HealthProbe = { Start: '', End: '', ExitCode: 1, Output: '' }
    const starting: HealthState = { Status: 'starting', FailingStreak: 0, Log: [] }
    expect(judge(starting, failed, plan, 500)).toMatchObject({ Status: 'starting', FailingStreak: 0 })
    expect(judge(starting, failed, plan, 1500)).toMatchObject({ Status: 'unhealthy', FailingStreak: 1 })
    const healthy: HealthState = { ...starting, Status: 'healthy' }
    expect(judge(healthy, failed, plan, 500)).toMatchObject({ Status: 'unhealthy' })
  })
})
