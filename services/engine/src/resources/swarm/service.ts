// A swarm as callers see it: shown, changed, unlocked, left.
import { newAuthority, readAuthority } from '../../swarm/identity/authority.ts'
import { newUnlockKey } from '../../swarm/identity/sealing.ts'
import { joinToken, newTokenSecret } from '../../swarm/identity/tokens.ts'
import { beginRotation } from '../../swarm/manager/authority-rotation.ts'
import { clusterOf, type Membership, places } from '../../swarm/membership.ts'
import type { KeptCluster } from '../../swarm/store/objects.ts'
import { expectUsualRaft } from '../../swarm/store/raft-values.ts'
import type { Swarm } from '../../swarm/swarm.ts'
import { fillSpec } from '../../swarm/swarm-spec.ts'
import { outOfSequence } from '../../swarm/versioned.ts'
import type { Cluster, InitSwarm, JoinSwarm, SwarmSpec } from './schema.ts'

export interface Rotations {
  rotateWorkerToken: boolean
  rotateManagerToken: boolean
  rotateManagerUnlockKey: boolean
}

export class SwarmService {
  readonly #swarm: Swarm
  readonly #now: () => number
  readonly #begun: () => Promise<void>

  /** @param begun makes what every swarm has from its beginning on */
  constructor(swarm: Swarm, now: () => number, begun: () => Promise<void>) {
    this.#swarm = swarm
    this.#now = now
    this.#begun = begun
  }

  inspect(): Cluster & { JoinTokens: { Worker: string; Manager: string } } {
    const { membership } = this.#swarm
    const cluster = clusterOf(membership)
    const token = (role: 'worker' | 'manager') =>
      joinToken(cluster.TLSInfo.TrustRoot, membership.sealing.open(cluster.tokens[role], places.token(role)).toString())
    return { ...clusterView(cluster), JoinTokens: { Worker: token('worker'), Manager: token('manager') } }
  }

  async init(asked: InitSwarm): Promise<string> {
    const nodeId = await this.#swarm.init(asked)
    await this.#begun()
    return nodeId
  }

  join(asked: JoinSwarm): Promise<void> {
    return this.#swarm.join(asked)
  }

  leave(isForced: boolean): Promise<void> {
    return this.#swarm.leave(isForced)
  }

  async update(version: number, asked: SwarmSpec, rotations: Rotations): Promise<void> {
    const { membership } = this.#swarm
    const cluster = clusterOf(membership)
    if (cluster.Version.Index !== version) throw outOfSequence()
    const Spec = fillSpec(asked, cluster.Spec)
    if (membership.identity.isOutside === true) expectUsualRaft(Spec, cluster.Spec)
    const isLocking = Spec.EncryptionConfig?.AutoLockManagers === true
    const changed = {
      ...cluster,
      Spec,
      ...(await this.#authority(membership, cluster, asked)),
      tokens: this.#tokens(membership, cluster, rotations),
      ...this.#lock(membership, cluster, { isLocking, isRotating: rotations.rotateManagerUnlockKey }),
    }
    if (!(await membership.store.commit([{ kind: 'cluster', object: changed, index: version }]))) throw outOfSequence()
    await this.#swarm.saved()
  }

  /** Managers follow it: each locks itself with the newest key. */
  #lock(
    { sealing }: Membership,
    { Spec, unlockKey }: KeptCluster,
    { isLocking, isRotating }: { isLocking: boolean; isRotating: boolean },
  ): Pick<KeptCluster, 'unlockKey'> {
    const wasLocking = Spec.EncryptionConfig?.AutoLockManagers === true
    if (!isLocking) return { unlockKey: undefined }
    if (wasLocking && !isRotating) return { unlockKey }
    return { unlockKey: sealing.seal(Buffer.from(newUnlockKey()), places.unlockKey) }
  }

  /** Empty where managers do not lock themselves. */
  unlockKey(): string {
    return this.#swarm.membership.identity.unlockKey ?? ''
  }

  unlock(key: string): Promise<void> {
    return this.#swarm.unlock(key)
  }

  #tokens({ sealing }: Membership, { tokens }: KeptCluster, rotations: Rotations): KeptCluster['tokens'] {
    const next = (role: 'worker' | 'manager') => sealing.seal(Buffer.from(newTokenSecret()), places.token(role))
    return {
      worker: rotations.rotateWorkerToken ? next('worker') : tokens.worker,
      manager: rotations.rotateManagerToken ? next('manager') : tokens.manager,
    }
  }

  /** ENG-626 to ENG-628: another one where the caller brings it along or asks for a new one. Nodes follow one by one. */
  async #authority(membership: Membership, { Spec }: KeptCluster, { CAConfig }: SwarmSpec) {
    const { SigningCACert: certificate, SigningCAKey: key } = CAConfig ?? {}
    const isForced = CAConfig?.ForceRotate !== undefined && CAConfig.ForceRotate !== (Spec.CAConfig?.ForceRotate ?? 0)
    if (!certificate && !key && !isForced) return {}
    const next = certificate || key ? readAuthority(certificate ?? '', key ?? '') : await newAuthority(this.#now())
    return beginRotation(membership, next, this.#now())
  }
}

export const clusterView = ({
  tokens: _,
  authorityKey: __,
  unlockKey: ___,
  hasNetworks: ____,
  rotation: _____,
  crossSigned: ______,
  ...cluster
}: KeptCluster): Cluster => cluster
