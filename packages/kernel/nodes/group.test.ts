// What nodes say to one another: who can read it, and where things are dealt to.
import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { NodeGroup } from './group.ts'
import { isLoopback, ownAddress } from './own-address.ts'
import { ranked } from './rendezvous.ts'
import { idOf, seal, unseal } from './sealed.ts'

const key = randomBytes(32)
const nowhere = 'http://127.0.0.1:9'

function groupAt(address: string, ownKey = key): NodeGroup {
  const queries = undefined as never // nobody looks who is there
  const group = new NodeGroup({ queries, now: Date.now, key: ownKey })
  group.announce(address)
  group.answer('double', async (body) => Number(body) * 2)
  return group
}

describe('a question to a node', () => {
  it('is answered under the key of the group, and the answer belongs to it alone', async () => {
    const question = seal(key, nowhere, { kind: 'double', body: 21 })
    const answer = await groupAt(nowhere).receive(question)
    expect(unseal(key, idOf(question), answer!)).toEqual({ body: 42 })
    expect(unseal(key, idOf(seal(key, nowhere, {})), answer!)).toBeUndefined()
  })

  it('finds nobody when it is meant for another node, of another group, changed, or nothing of the kind', async () => {
    const question = seal(key, nowhere, { kind: 'double', body: 21 })
    expect(await groupAt('http://127.0.0.1:10').receive(question)).toBeUndefined()
    expect(await groupAt(nowhere, randomBytes(32)).receive(question)).toBeUndefined()
    const changed = Buffer.from(question)
    changed[20]! ^= 1
    for (const bytes of [changed, question.subarray(0, -1), Buffer.alloc(0), randomBytes(500)]) {
      expect(await groupAt(nowhere).receive(bytes)).toBeUndefined()
    }
  })

  it('of a kind that a node of another version does not know is refused in words', async () => {
    const question = seal(key, nowhere, { kind: 'halve', body: 21 })
    const answer = await groupAt(nowhere).receive(question)
    expect(unseal(key, idOf(question), answer!)).toEqual({ problem: 'this node does not know halve' })
  })
})

describe('things that are dealt to nodes', () => {
  const nodes = Array.from({ length: 5 }, (_, at) => ({ address: `http://10.0.0.${at + 1}:8080` }))
  const things = Array.from({ length: 2_000 }, (_, at) => `thing${at}`)

  it('are shared out evenly, and the same whoever deals', () => {
    const counts = new Map<string, number>()
    for (const thing of things) {
      const [first] = ranked(thing, nodes)
      expect(ranked(thing, nodes.toReversed())[0]).toBe(first)
      counts.set(first!.address, (counts.get(first!.address) ?? 0) + 1)
    }
    for (const count of counts.values()) expect(Math.abs(count - 400)).toBeLessThan(80)
  })

  it('move only from a node that goes, to whoever was second', () => {
    const [gone, ...left] = nodes
    for (const thing of things) {
      const [first, second] = ranked(thing, nodes)
      expect(ranked(thing, left)[0]).toBe(first === gone ? second : first)
    }
  })
})

describe('the address of a node', () => {
  it('is where it listens, and one of the machine where it listens everywhere', () => {
    expect(ownAddress('http://10.1.2.3:8080')).toBe('http://10.1.2.3:8080')
    expect(ownAddress('https://[::1]:8443')).toBe('https://[::1]:8443')
    expect(ownAddress('http://0.0.0.0:8080')).toMatch(/^http:\/\/(?!0\.)[\d.]+:8080$/)
    expect(isLoopback('http://127.0.0.1:8080') && isLoopback('https://[::1]:1')).toBe(true)
    expect(isLoopback('http://10.0.0.7:8080')).toBe(false)
  })
})
