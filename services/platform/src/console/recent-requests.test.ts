import { ManualClock } from '@atoll/kernel/clock/clock'
import { expect, it } from 'vitest'
import { RecentRequests } from './recent-requests.ts'

const asked = { service: 'platform', method: 'POST', route: '/v1/chat/completions', status: 200 }
const opened = () => {
  const clock = new ManualClock()
  return { clock, recent: new RecentRequests(clock) }
}

it('counts what programs asked by minute, with what was refused, what failed and how long answers took', () => {
  const { clock, recent } = opened()
  for (let count = 0; count < 19; count++) recent.add({ ...asked, seconds: 0.1 })
  recent.add({ ...asked, status: 500, seconds: 10 })
  clock.advanceSeconds(60)
  recent.add({ ...asked, status: 404, seconds: 0.01 })
  const [before, now] = recent.list().slice(-2)
  expect(before).toMatchObject({ requests: 20, refused: 0, failed: 1 })
  expect(Math.abs((before?.median_ms ?? 0) - 100)).toBeLessThan(15)
  expect(Math.abs((before?.slow_ms ?? 0) - 100)).toBeLessThan(15)
  expect(now).toMatchObject({ start_time: (before?.start_time ?? 0) + 60, requests: 1, refused: 1, failed: 0 })
})

it('forgets what is older than an hour, and shows empty minutes as such', () => {
  const { clock, recent } = opened()
  recent.add({ ...asked, seconds: 0.1 })
  clock.advanceSeconds(59 * 60)
  expect(recent.list()).toHaveLength(60)
  expect(recent.list()[0]).toMatchObject({ requests: 1 })
  clock.advanceSeconds(60)
  expect(recent.list().every(({ requests, median_ms }) => requests === 0 && median_ms === null)).toBe(true)
})

it('leaves out what the console itself asks', () => {
  const { recent } = opened()
  for (const route of [
    '/v1/console/activity',
    '/v1/organization/usage/completions',
    '/console/assets/:name',
    undefined,
  ])
    recent.add({ ...asked, route, seconds: 1 })
  recent.add({ ...asked, service: 'hooks', seconds: 1 })
  expect(recent.list().at(-1)).toMatchObject({ requests: 0 })
})
