// Who may have a volume of the cluster beside whom, and on which node.
import { describe, expect, it } from 'vitest'
import type { KeptNode, KeptTask, KeptVolume } from '../store/objects.ts'
import { VolumeUses } from './volume-uses.ts'

const nodeIn = (ID: string, zone: string, maxVolumes = 0): KeptNode =>
  ({ ID, csi: [{ plugin: 'csi:latest', nodeId: ID, maxVolumes, topology: { zone } }] }) as unknown as KeptNode
const [here, there] = [nodeIn('here', 'a'), nodeIn('there', 'b')]

const volumeOf = (name: string, access: object = {}, more: object = {}): KeptVolume =>
  ({
    ...{ ID: `id-${name}`, name, driver: 'csi:latest', Info: { VolumeID: name, AccessibleTopology: [] } },
    Spec: { Group: 'g', Availability: 'active', AccessMode: { Scope: 'single', Sharing: 'none', ...access } },
    ...more,
  }) as unknown as KeptVolume

const wanting = (Source: string, ReadOnly = false) =>
  ({
    Spec: { ContainerSpec: { Mounts: [{ Type: 'cluster', Source, Target: '/data', ReadOnly }] } },
  }) as unknown as KeptTask
let last = 0
const user = (
  NodeID: string,
  name: string,
  ReadOnly = false,
  State = 'running',
  DesiredState = 'running',
): KeptTask => ({
  ...wanting(name, ReadOnly),
  ...({ ID: `task${++last}`, NodeID, DesiredState, Status: { State } } as unknown as KeptTask),
  volumes: [{ ID: `id-${name}`, Source: name, Target: '/data' }],
})
const names = (uses: VolumeUses, node: KeptNode, source: string, isReadOnly = false) =>
  uses.on(node, wanting(source, isReadOnly))?.map(({ ID }) => ID)

describe('volumes of a cluster', () => {
  it.each([
    // Shared how, by whom it is used here; may another read here, write here, write elsewhere?
    [{ Sharing: 'none' }, 'nobody', [true, true, true]],
    [{ Sharing: 'none' }, 'reader', [false, false, false]],
    [{ Sharing: 'readonly' }, 'reader', [true, false, false]],
    [{ Sharing: 'onewriter' }, 'reader', [true, true, false]],
    [{ Sharing: 'onewriter' }, 'writer', [true, false, false]],
    [{ Sharing: 'all' }, 'writer', [true, true, false]],
    [{ Scope: 'multi', Sharing: 'none' }, 'writer', [false, false, false]],
    [{ Scope: 'multi', Sharing: 'onewriter' }, 'reader', [true, true, true]],
    [{ Scope: 'multi', Sharing: 'onewriter' }, 'writer', [true, false, false]],
    [{ Scope: 'multi', Sharing: 'all' }, 'writer', [true, true, true]],
  ])('%j used by %s', (access, by, expected) => {
    const users = by === 'nobody' ? [] : [user('here', 'one', by === 'reader')]
    const uses = new VolumeUses([volumeOf('one', access)], users)
    const may = [names(uses, here, 'one', true), names(uses, here, 'one'), names(uses, there, 'one')]
    expect(may.map((each) => each !== undefined)).toEqual(expected)
  })

  it('are had until the container has ended, and elsewhere only when the last node has let go', () => {
    const ending = user('here', 'one', false, 'running', 'shutdown')
    expect(names(new VolumeUses([volumeOf('one')], [ending]), here, 'one')).toBeUndefined()
    const over = user('here', 'one', false, 'shutdown', 'shutdown')
    const left = volumeOf('one', {}, { PublishStatus: [{ NodeID: 'here', State: 'pending-node-unpublish' }] })
    const uses = new VolumeUses([left], [over])
    expect([names(uses, here, 'one'), names(uses, there, 'one')]).toEqual([['id-one'], undefined])
  })

  it('are used where their plugin reaches them, and only when they are there', () => {
    const AccessibleTopology = [{ Segments: { zone: 'b' } }]
    const far = volumeOf('far', {}, { Info: { VolumeID: 'far', AccessibleTopology } })
    const uses = new VolumeUses([far], [])
    expect([names(uses, here, 'far'), names(uses, there, 'far')]).toEqual([undefined, ['id-far']])
    const others: object[] = [{ Info: undefined }, { isRemoving: true }, { driver: 'other:latest' }]
    for (const more of others)
      expect(names(new VolumeUses([volumeOf('one', {}, more)], []), here, 'one')).toBeUndefined()
    const paused = volumeOf('one')
    paused.Spec.Availability = 'pause'
    expect(names(new VolumeUses([paused], []), here, 'one')).toBeUndefined()
  })

  it('of a group stand for one another, as many as a node can have', () => {
    const all = ['two', 'one'].map((name) => volumeOf(name))
    expect(names(new VolumeUses(all, []), here, 'group:g')).toEqual(['id-one'])
    const uses = new VolumeUses(all, [user('full', 'one')])
    expect(names(uses, here, 'group:g')).toEqual(['id-two'])
    expect(names(uses, here, 'group:other')).toBeUndefined()
    expect(names(uses, nodeIn('full', 'a', 1), 'group:g')).toBeUndefined()
    expect(names(uses, nodeIn('full', 'a', 2), 'group:g')).toEqual(['id-two'])
  })
})
