import { describe, expect, it } from 'vitest'
import { EngineEvents } from '../../events/engine-events.ts'
import { BuildCache } from './service.ts'

describe('the build cache', () => {
  it('ENG-648 tells by an event that it was pruned, and frees nothing because nothing is built', () => {
    const events = new EngineEvents(() => 1_000)
    expect(new BuildCache(events).prune({ until: ['24h'] })).toEqual({ CachesDeleted: [], SpaceReclaimed: 0 })
    expect(events.past.map(({ event }) => event)).toMatchObject([
      { Type: 'builder', Action: 'prune', Actor: { Attributes: { reclaimed: '0' } } },
    ])
  })

  it('refuses a filter that it does not know', () => {
    const prune = () => new BuildCache(new EngineEvents(() => 1_000)).prune({ color: ['blue'] })
    expect(prune).toThrow("invalid filter 'color'")
  })
})
