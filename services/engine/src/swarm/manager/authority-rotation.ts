// The swarm gets another authority without a moment at which nodes do not trust one another. The next one is signed by the
// one of now, so whoever trusts that one trusts both: nodes get certificates of the next one one by one, wherever they
// are. When all have them, the next one alone is trusted.
import { X509Certificate } from 'node:crypto'
import type { Log } from '@atoll/kernel/telemetry/log'
import { type Authority, crossSign, describeAuthority } from '../identity/authority.ts'
import { newTokenSecret } from '../identity/tokens.ts'
import { clusterOf, type Membership, places } from '../membership.ts'
import { changeObject } from '../store/change-object.ts'
import type { LedStore } from '../store/led-store.ts'
import type { KeptCluster } from '../store/objects.ts'
import { Retries } from '../store/retries.ts'
import { isOfIssuer } from './issuers.ts'

type Rotation = Pick<KeptCluster, 'rotation' | 'RootRotationInProgress'>

/** As the swarm is to keep it; the authority of now, where it is brought along again, ends a rotation. */
export function beginRotation(membership: Membership, next: Authority, nowMs: number): Rotation {
  const { TLSInfo, authorityKey } = clusterOf(membership)
  const { sealing } = membership
  if (isSame(TLSInfo.TrustRoot, next.certificate)) return { rotation: undefined, RootRotationInProgress: false }
  const now = { certificate: TLSInfo.TrustRoot, key: sealing.open(authorityKey, places.authorityKey).toString() }
  return {
    RootRotationInProgress: true,
    rotation: {
      TLSInfo: describeAuthority(next.certificate),
      authorityKey: sealing.seal(Buffer.from(next.key), places.authorityKey),
      crossSigned: crossSign(now, next.certificate, nowMs),
    },
  }
}

const isSame = (one: string, other: string): boolean =>
  new X509Certificate(one).fingerprint256 === new X509Certificate(other).fingerprint256

/** Of the leader: ends a rotation when all nodes are ready for it. Returns how to stop. */
export function followRotation(membership: Membership, store: LedStore, log: Log): () => void {
  const { identity } = membership
  const writes = new Retries(log)
  const look = (): void => {
    const { rotation } = clusterOf(membership)
    if (rotation === undefined || !isReady(membership, rotation)) return
    // Stores are started again in the midst of a rotation; and another one may have begun instead by then.
    void writes.run('the end of the rotation', () =>
      changeObject(store, 'cluster', identity.clusterId, (cluster) => ended(membership, cluster)),
    )
  }
  const stopListening = store.listen(({ kind }) => {
    if (kind === 'node' || kind === 'cluster') look()
  })
  look()
  return () => {
    stopListening()
    void writes.stop()
  }
}

const isReady = ({ store }: Membership, { TLSInfo }: NonNullable<KeptCluster['rotation']>): boolean =>
  store.all('node').every(({ Description }) => isOfIssuer(Description.TLSInfo, TLSInfo))

/** Tokens name the authority: those of before are of no use, and their secrets end with them. */
function ended(membership: Membership, { rotation, ...cluster }: KeptCluster): KeptCluster | undefined {
  if (rotation === undefined || !isReady(membership, rotation)) return undefined
  const token = (role: 'worker' | 'manager') =>
    membership.sealing.seal(Buffer.from(newTokenSecret()), places.token(role))
  return {
    ...{ ...cluster, ...rotation, RootRotationInProgress: false },
    tokens: { worker: token('worker'), manager: token('manager') },
  }
}
