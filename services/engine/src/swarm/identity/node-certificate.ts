// Certificates of nodes: which node it is, of which swarm, and what it may do. The role stands in its name (OU), and as a
// host name, so that whoever connects to a manager asks for `swarm-manager` and TLS itself refuses everybody else.
import { createPublicKey, generateKeyPair, type KeyObject, sign, verify, X509Certificate } from 'node:crypto'
import { promisify } from 'node:util'
import { parseAddress } from '../../network/address.ts'
import type { Node } from '../../resources/nodes/schema.ts'
import { type Authority, clockSkewMs } from './authority.ts'
import { bits, isTrue, octets, oid, plain, sequence } from './der.ts'
import { authorityKeyExtension, extensionIds, nameOf, signCertificate, subjectKeyExtension, subjectOf } from './x509.ts'

export type Role = Node['Spec']['Role']

export interface NodeName {
  nodeId: string
  clusterId: string
  role: Role
}

/** What a node shows, and what it trusts. PEM, all of them. */
export interface Credentials {
  /** Behind it those by which others trust its authority. */
  certificate: string
  key: string
  authority: string
}

export const managerName = 'swarm-manager'
const roleNames: Record<Role, string> = { manager: managerName, worker: 'swarm-worker' }
const generate = promisify(generateKeyPair)
const digitalSignature = bits(Buffer.from([0x80]), 7)
const [serverAuth, clientAuth] = [oid('1.3.6.1.5.5.7.3.1'), oid('1.3.6.1.5.5.7.3.2')]
/** Of the proof that a caller has the key that it wants certified. */
const proofWords = 'certify this key of a node'

export async function newNodeKey(): Promise<{ key: string; publicKey: string; proof: string }> {
  const { privateKey, publicKey } = await generate('ec', { namedCurve: 'P-256' })
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    proof: sign('sha256', Buffer.from(proofWords), privateKey).toString('base64'),
  }
}

/** Undefined: it is no key of the kind that nodes have, or the caller does not have its other half. */
export function readNodeKey(publicKey: string, proof: string): KeyObject | undefined {
  try {
    const key = createPublicKey(publicKey)
    if (key.asymmetricKeyType !== 'ec') return undefined
    return verify('sha256', Buffer.from(proofWords), key, Buffer.from(proof, 'base64')) ? key : undefined
  } catch {
    return undefined
  }
}

export function certifyNode(
  authority: Authority,
  { nodeId, clusterId, role }: NodeName,
  publicKey: KeyObject,
  { nowMs, lifetimeMs, addresses = [] }: { nowMs: number; lifetimeMs: number; addresses?: readonly string[] },
): string {
  const hostNames = [
    ...[roleNames[role], nodeId].map((name) => plain(2, Buffer.from(name))),
    ...addresses.map((address) => plain(7, bytesOf(address))),
  ]
  const { raw: issuer } = new X509Certificate(authority.certificate)
  const facts = {
    issuer: subjectOf(issuer),
    subject: nameOf({ O: clusterId, OU: roleNames[role], CN: nodeId }),
    ...{ publicKey, fromMs: nowMs - clockSkewMs, untilMs: nowMs + lifetimeMs },
    extensions: [
      sequence(oid(extensionIds.keyUsage), isTrue, octets(digitalSignature)),
      sequence(oid(extensionIds.extendedKeyUsage), octets(sequence(serverAuth, clientAuth))),
      sequence(oid(extensionIds.basicConstraints), isTrue, octets(sequence())),
      subjectKeyExtension(publicKey),
      ...authorityKeyExtension(issuer),
      sequence(oid(extensionIds.subjectAltName), octets(sequence(...hostNames))),
    ],
  }
  return signCertificate(facts, authority.key)
}

/** Of an IP address. */
function bytesOf(text: string): Buffer {
  const address = parseAddress(text)
  if (address === undefined) throw new Error(`${text} is no IP address`)
  const size = address.family === 4 ? 8 : 32
  return Buffer.from(address.value.toString(16).padStart(size, '0'), 'hex')
}

/** From the name in a certificate that TLS has found to be the authority's; undefined where it is no node's. */
export function readNodeName(subject: { O?: unknown; OU?: unknown; CN?: unknown }): NodeName | undefined {
  const { O: clusterId, OU, CN: nodeId } = subject
  const role = (Object.keys(roleNames) as Role[]).find((each) => roleNames[each] === OU)
  if (role === undefined || typeof clusterId !== 'string' || typeof nodeId !== 'string') return undefined
  return { nodeId, clusterId, role }
}

/** When a certificate is to be replaced: before it ends, and not by all nodes at once. */
export function renewalTime(certificate: string, random: number): number {
  const { validFromDate, validToDate } = new X509Certificate(certificate)
  const [from, until] = [validFromDate.getTime() + clockSkewMs, validToDate.getTime()]
  return from + (until - from) * (0.5 + 0.3 * random)
}
