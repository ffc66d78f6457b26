// What is removed because nobody uses it: only what was asked for, however the question is written.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWholeEngine, type WholeEngine } from '../../testing/start-whole-engine.ts'
import { build, contextOf } from '../build/testing/build-client.ts'

let engine: WholeEngine
beforeAll(async () => {
  engine = await startWholeEngine()
})
afterAll(() => engine?.stop())

const prune = (kind: string, filters: object) =>
  engine.call('POST', `/${kind}/prune?filters=${encodeURIComponent(JSON.stringify(filters))}`)

/** Makes one with a label or without, and tells the name that a prune has for it. */
const kinds: Record<string, { removed: string; make(label: string): Promise<string> }> = {
  containers: {
    removed: 'ContainersDeleted',
    make: async (label) => {
      const asked = { Image: 'busybox', Labels: label ? { [label]: '' } : {} }
      return (await engine.call('POST', '/containers/create', asked)).body.Id
    },
  },
  volumes: {
    removed: 'VolumesDeleted',
    make: async (label) =>
      (await engine.call('POST', '/volumes/create', { Labels: label ? { [label]: '' } : {} })).body.Name,
  },
  networks: {
    removed: 'NetworksDeleted',
    make: async (label) => {
      const Name = `net-${label}`
      expect((await engine.call('POST', '/networks/create', { Name, Labels: { [label]: '' } })).status).toBe(201)
      return Name
    },
  },
  images: {
    removed: 'ImagesDeleted',
    make: async (label) => {
      const context = contextOf({ Dockerfile: `FROM busybox\nLABEL ${label || 'other'}=\n` })
      return (await build(engine.socketPath, '', context)).imageId ?? ''
    },
  },
}

describe.each(Object.entries(kinds))('a prune of %s', (kind, { removed, make }) => {
  const gone = async (filters: object): Promise<string[]> => {
    const { status, body } = await prune(kind, filters)
    expect(status).toBe(200)
    return (body[removed] ?? []).map((each: string | { Deleted: string }) =>
      typeof each === 'string' ? each : each.Deleted,
    )
  }

  it('by label leaves all others alone', async () => {
    const [foo, bar, foobar] = [await make('foo'), await make('bar'), await make('foobar')]
    for (const label of ['constructor', 'toString', '']) expect(await gone({ label: { [label]: true } })).toEqual([])
    expect(await gone({ label: { foobar: true } })).toEqual([foobar])
    expect(await gone({ label: { foo: true, bar: true } })).toEqual([])
    expect(await gone({ 'label!': { bar: true } })).toEqual([foo])
    expect(await gone({ 'label!': ['constructor'] })).toEqual([bar])
  })

  it('is refused when a filter says what is not wanted as if it were a wish', async () => {
    const kept = await make('kept')
    const { status, body } = await prune(kind, { label: { other: false } })
    const words = 'invalid filters: filters must be a JSON object of lists or of objects with true values.'
    expect([status, body.message]).toEqual([400, words])
    expect(await gone({ label: ['kept'] })).toEqual([kept])
  })
})
