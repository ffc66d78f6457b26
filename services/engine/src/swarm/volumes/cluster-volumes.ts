// Volumes of a cluster as callers see them: described and removed here; the manager that leads has their plugin make
// them, and bring them to nodes whose tasks need them.
import type { Ids } from '@atoll/kernel/ids/ids'
import { conflict, invalidParameter, notImplemented } from '../../errors.ts'
import { canonicalName, familiarName, isReference, parseReference } from '../../images/reference.ts'
import { isVolumeName, volumeNameProblem } from '../../mounts/bind-syntax.ts'
import type { ClusterSpec } from '../../resources/volumes/cluster/schema.ts'
import { noCluster } from '../../resources/volumes/no-cluster.ts'
import type { ClusterVolumes, CreateVolume, VolumeObject } from '../../resources/volumes/schema.ts'
import { findObject } from '../find-object.ts'
import { swarmId } from '../identity/tokens.ts'
import type { Membership } from '../membership.ts'
import type { KeptVolume } from '../store/objects.ts'
import type { Swarm } from '../swarm.ts'
import { outOfSequence } from '../versioned.ts'
import { findSecret } from './volume-secrets.ts'
import { nodesUsing } from './volume-uses.ts'

const maxVolumes = 10_000

export class SwarmVolumes implements ClusterVolumes {
  readonly #swarm: Pick<Swarm, 'membership' | 'state' | 'work'>
  readonly #ids: Pick<Ids, 'hex'>

  constructor(swarm: Pick<Swarm, 'membership' | 'state' | 'work'>, ids: Pick<Ids, 'hex'>) {
    this.#swarm = swarm
    this.#ids = ids
  }

  get #isManager(): boolean {
    return this.#swarm.state === 'active/manager'
  }

  /** Throws on a machine that manages no swarm (ENG-476). */
  get #membership(): Membership {
    if (this.#isManager) return this.#swarm.membership
    throw noCluster()
  }

  list(): VolumeObject[] {
    return this.#isManager ? this.#membership.store.all('volume').map(view) : []
  }

  /** By its id, its name, or the beginning of its id. */
  inspect(asked: string): VolumeObject {
    return view(this.#find(asked))
  }

  async create({ Name, Driver, DriverOpts, Labels, ClusterVolumeSpec }: CreateVolume): Promise<VolumeObject> {
    const { store } = this.#membership
    const Spec = checked(ClusterVolumeSpec)
    const ID = swarmId(this.#ids.hex())
    const name = Name || ID
    if (!isVolumeName(name)) throw invalidParameter(`create ${name}: ${volumeNameProblem(name)}`)
    if (!Driver || !isReference(Driver) || Driver === 'local') {
      throw invalidParameter('a volume of a cluster needs a driver: the name of a CSI plugin')
    }
    for (const { Secret } of Spec.Secrets ?? []) findSecret(this.#membership, Secret)
    if (store.all('volume').length >= maxVolumes) throw conflict(`there are ${maxVolumes} volumes already`)
    const fresh = { ID, Version: { Index: 0 }, CreatedAt: '', UpdatedAt: '' }
    const object: KeptVolume = {
      ...fresh,
      name,
      driver: driverName(Driver),
      options: DriverOpts ?? {},
      labels: Labels ?? {},
      Spec,
    }
    if (!(await store.commit([{ kind: 'volume', object, index: 0 }]))) {
      throw conflict(`name conflicts with an existing object: volume ${name} already exists`)
    }
    return view(store.get('volume', ID) ?? object)
  }

  /** ENG-478. Of a volume that is there only who may use it can change. */
  async update(asked: string, version: number, spec: ClusterSpec | undefined): Promise<void> {
    const { store } = this.#membership
    const found = this.#find(asked)
    if (spec === undefined) throw invalidParameter('Spec: the description of the volume is needed')
    const { Availability, ...others } = checked(spec)
    const { Availability: _, ...kept } = found.Spec
    if (JSON.stringify(others) !== JSON.stringify(kept)) {
      throw invalidParameter('only updates to Availability are allowed')
    }
    if (found.Version.Index !== version) throw outOfSequence()
    const object = { ...found, Spec: { ...found.Spec, Availability } }
    if (!(await store.commit([{ kind: 'volume', object, index: version }]))) throw outOfSequence()
  }

  /** The plugin removes it later. By force it is forgotten, whatever the plugin has of it. */
  async remove(asked: string, isForced: boolean): Promise<void> {
    const { store } = this.#membership
    const found = this.#find(asked)
    if (isForced) {
      await store.commit([], [{ kind: 'volume', id: found.ID }])
      return
    }
    if (found.isRemoving) return
    const nodes = nodesUsing(store, found)
    if (nodes.length > 0) throw conflict(`remove ${asked}: volume is in use on ${nodes.join(', ')}`)
    const object = { ...found, isRemoving: true as const }
    if (!(await store.commit([{ kind: 'volume', object, index: found.Version.Index }]))) {
      throw conflict(`remove ${asked}: the volume was changed meanwhile: try again`)
    }
  }

  /** Names of those that a plugin of this machine is needed for. */
  ofDriver(driver: string): string[] {
    if (!this.#isManager)
      return (this.#swarm.work?.volumes.all ?? []).filter((each) => each.driver === driver).map(({ name }) => name)
    const all = this.#membership.store.all('volume')
    return all.filter((volume) => volume.driver === driver).map(({ name }) => name)
  }

  #find(asked: string): KeptVolume {
    return findObject('volume', this.#membership.store.all('volume'), asked, ({ name }) => name)
  }
}

/** Machines know plugins by their whole names: `csi` is `csi:latest`. */
const driverName = (asked: string): string => familiarName(canonicalName(parseReference(asked)))

const noOptions = { FsType: undefined, MountFlags: undefined }

function checked(spec: ClusterSpec | undefined): ClusterSpec {
  if (spec === undefined) throw invalidParameter('ClusterVolumeSpec: the description of the volume is needed')
  const { AccessMode, CapacityRange } = spec
  if (AccessMode.BlockVolume !== undefined) {
    throw notImplemented('volumes of a cluster that are block devices are not supported: use "--type mount"')
  }
  const { RequiredBytes = 0, LimitBytes = 0 } = CapacityRange ?? {}
  if (LimitBytes > 0 && LimitBytes < RequiredBytes) {
    throw invalidParameter(`the limit of ${LimitBytes} bytes is less than the ${RequiredBytes} bytes that are required`)
  }
  // Of what is not said, what it is.
  return { ...spec, AccessMode: { ...AccessMode, MountVolume: AccessMode.MountVolume ?? noOptions } }
}

const view = ({ ID, Version, CreatedAt, UpdatedAt, Spec, Info, PublishStatus, ...kept }: KeptVolume): VolumeObject => ({
  ...{ Name: kept.name, Driver: kept.driver, Labels: kept.labels, Options: kept.options, Mountpoint: '', CreatedAt },
  Scope: 'global',
  ...(kept.problem === undefined ? {} : { Status: { Problem: kept.problem } }),
  ClusterVolume: {
    ...{ ID, Version, CreatedAt, UpdatedAt, Spec },
    ...(Info === undefined ? {} : { Info }),
    ...((PublishStatus ?? []).length === 0 ? {} : { PublishStatus }),
  },
})
