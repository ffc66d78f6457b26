// The certificate authority of a swarm: every node trusts what it signed, and tokens name it by its digest.
import { createPrivateKey, generateKeyPair, type KeyObject, X509Certificate } from 'node:crypto'
import { promisify } from 'node:util'
import { invalidParameter } from '../../errors.ts'
import { bits, isTrue, octets, oid, sequence } from './der.ts'
import {
  authorityKeyExtension,
  extensionIds,
  keyExtension,
  keyNameOf,
  nameOf,
  signCertificate,
  subjectKeyExtension,
  subjectOf,
} from './x509.ts'

export interface Authority {
  /** PEM. */
  certificate: string
  key: string
}

const generate = promisify(generateKeyPair)
const lifetimeMs = 20 * 365.25 * 24 * 3600 * 1000
export const clockSkewMs = 3600 * 1000
/** keyCertSign and cRLSign. */
const signsCertificates = bits(Buffer.from([0x06]), 1)

const isAuthority = [
  sequence(oid(extensionIds.keyUsage), isTrue, octets(signsCertificates)),
  sequence(oid(extensionIds.basicConstraints), isTrue, octets(sequence(isTrue))),
]

export async function newAuthority(nowMs: number): Promise<Authority> {
  const { privateKey, publicKey } = await generate('ec', { namedCurve: 'P-256' })
  const key = privateKey.export({ type: 'sec1', format: 'pem' }).toString()
  const name = nameOf({ CN: 'swarm-ca' })
  const facts = {
    ...{ issuer: name, subject: name, publicKey, fromMs: nowMs - clockSkewMs, untilMs: nowMs + lifetimeMs },
    extensions: [...isAuthority, subjectKeyExtension(publicKey)],
  }
  return { certificate: signCertificate(facts, key), key }
}

/** PEM: whoever trusts `authority` trusts `next` by it. */
export function crossSign(authority: Authority, next: string, nowMs: number): string {
  const [trusted, read] = [new X509Certificate(authority.certificate), new X509Certificate(next)]
  const { publicKey } = read
  const name = keyNameOf(read.raw)
  const facts = {
    ...{ issuer: subjectOf(trusted.raw), subject: subjectOf(read.raw), publicKey },
    ...{ fromMs: nowMs - clockSkewMs, untilMs: trusted.validToDate.getTime() },
    extensions: [
      ...isAuthority,
      name === undefined ? subjectKeyExtension(publicKey) : keyExtension(name),
      ...authorityKeyExtension(trusted.raw),
    ],
  }
  return signCertificate(facts, authority.key)
}

const signingKeys = ['ec', 'rsa']

/** One that a caller brings along (ENG-626, ENG-627). */
export function readAuthority(certificate: string, key: string): Authority {
  let read: X509Certificate
  let privateKey: KeyObject
  try {
    read = new X509Certificate(certificate)
    privateKey = createPrivateKey(key)
  } catch {
    throw invalidParameter('invalid CA certificate or key: both are needed, in PEM')
  }
  if (!read.checkPrivateKey(privateKey)) throw invalidParameter('invalid CA key: it is not the key of the certificate')
  if (!read.ca) throw invalidParameter('invalid CA certificate: it is not the certificate of an authority')
  if (!signingKeys.includes(privateKey.asymmetricKeyType ?? '')) {
    throw invalidParameter('invalid CA key: nodes are certified with EC or RSA keys')
  }
  return { certificate: read.toString(), key }
}

/** What nodes and clients are told of it. */
export function describeAuthority(certificate: string) {
  const read = new X509Certificate(certificate)
  return {
    TrustRoot: certificate,
    CertIssuerSubject: subjectOf(read.raw).toString('base64'),
    CertIssuerPublicKey: read.publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
  }
}
