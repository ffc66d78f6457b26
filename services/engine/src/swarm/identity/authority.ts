// The certificate authority of a swarm: every node trusts what it signed, and tokens name it by its digest.
import {
  createHash,
  createPrivateKey,
  generateKeyPair,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto'
import { promisify } from 'node:util'
import { invalidParameter } from '../../errors.ts'
import { bits, integer, isTrue, octets, oid, sequence, set, tagged, text, time } from './der.ts'

export interface Authority {
  /** PEM. */
  certificate: string
  key: string
}

const generate = promisify(generateKeyPair)
const lifetimeMs = 20 * 365.25 * 24 * 3600 * 1000
const clockSkewMs = 3600 * 1000
const serialBytes = 16
const ids = {
  commonName: '2.5.4.3',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  basicConstraints: '2.5.29.19',
  keyUsage: '2.5.29.15',
  subjectKey: '2.5.29.14',
}
/** keyCertSign and cRLSign. */
const signsCertificates = bits(Buffer.from([0x06]), 1)

export async function newAuthority(nowMs: number): Promise<Authority> {
  const { privateKey, publicKey } = await generate('ec', { namedCurve: 'P-256' })
  const certificate = selfSigned(privateKey, publicKey, nowMs)
  return { certificate: pem(certificate), key: privateKey.export({ type: 'sec1', format: 'pem' }).toString() }
}

function selfSigned(privateKey: KeyObject, publicKey: KeyObject, nowMs: number): Buffer {
  const name = sequence(set(sequence(oid(ids.commonName), text('swarm-ca'))))
  const algorithm = sequence(oid(ids.ecdsaWithSha256))
  const publicBytes = publicKey.export({ type: 'spki', format: 'der' })
  const serial = randomBytes(serialBytes)
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x01
  const extensions = sequence(
    sequence(oid(ids.keyUsage), isTrue, octets(signsCertificates)),
    sequence(oid(ids.basicConstraints), isTrue, octets(sequence(isTrue))),
    sequence(oid(ids.subjectKey), octets(octets(createHash('sha1').update(publicBytes).digest()))),
  )
  const body = sequence(
    tagged(0, integer(Buffer.from([2]))),
    integer(serial),
    algorithm,
    name,
    sequence(time(nowMs - clockSkewMs), time(nowMs + lifetimeMs)),
    name,
    publicBytes,
    tagged(3, extensions),
  )
  return sequence(body, algorithm, bits(sign('sha256', body, privateKey)))
}

const pem = (der: Uint8Array): string => {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

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

/** The name inside a certificate, as it stands there: the sixth part, or the fifth where no version is told. */
function subjectOf(der: Buffer): Buffer {
  const [body = der] = partsOf(inside(der))
  const parts = partsOf(inside(body))
  return parts[(parts[0]?.[0] ?? 0) === 0xa0 ? 5 : 4] ?? Buffer.alloc(0)
}

function sizeAt(der: Buffer): { start: number; size: number } {
  const short = der[1] ?? 0
  if (short < 0x80) return { start: 2, size: short }
  const count = short & 0x7f
  return { start: 2 + count, size: der.readUIntBE(2, count) }
}

function inside(der: Buffer): Buffer {
  const { start, size } = sizeAt(der)
  return der.subarray(start, start + size)
}

function partsOf(content: Buffer): Buffer[] {
  const parts: Buffer[] = []
  for (let rest = content; rest.length > 1; ) {
    const { start, size } = sizeAt(rest)
    parts.push(rest.subarray(0, start + size))
    rest = rest.subarray(start + size)
  }
  return parts
}
