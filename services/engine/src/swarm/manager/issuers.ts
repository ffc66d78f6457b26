// Which authority signs for nodes, and which one signed.
import { createPublicKey, type X509Certificate } from 'node:crypto'
import type { Cluster } from '../../resources/swarm/schema.ts'
import type { KeptCluster } from '../store/objects.ts'

type TLSInfo = Cluster['TLSInfo']

/** The next one, while there is one. */
export const issuerNow = ({ TLSInfo, rotation }: KeptCluster): TLSInfo => rotation?.TLSInfo ?? TLSInfo

/** What a node is like that has just got its certificate. */
export const freshTlsInfo = (cluster: KeptCluster): TLSInfo => ({
  ...issuerNow(cluster),
  TrustRoot: cluster.TLSInfo.TrustRoot,
})

export const isOfIssuer = (node: TLSInfo, issuer: TLSInfo): boolean =>
  node.CertIssuerPublicKey === issuer.CertIssuerPublicKey && node.CertIssuerSubject === issuer.CertIssuerSubject

/** `publicKey`: of the authority, DER in base64. */
export const hasSigned = (publicKey: string, certificate: X509Certificate): boolean =>
  certificate.verify(createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' }))

/** Undefined: neither the one of now nor the next. */
export const issuerOf = (cluster: KeptCluster, certificate: X509Certificate): TLSInfo | undefined =>
  [issuerNow(cluster), cluster.TLSInfo].find(({ CertIssuerPublicKey }) => hasSigned(CertIssuerPublicKey, certificate))

/** What nodes are to be told of: another authority to trust, or another one that signs. */
export const isOtherAuthority = (before: KeptCluster | undefined, after: KeptCluster | undefined): boolean =>
  before?.TLSInfo.TrustRoot !== after?.TLSInfo.TrustRoot ||
  before?.rotation?.TLSInfo.TrustRoot !== after?.rotation?.TLSInfo.TrustRoot
