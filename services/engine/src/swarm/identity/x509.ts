// Certificates as bytes: what is signed, who signs it, and what stands in one.
import { createHash, createPrivateKey, type KeyObject, randomBytes, sign } from 'node:crypto'
import { bits, integer, nothing, octets, oid, plain, sequence, set, tagged, text, time } from './der.ts'

export const extensionIds = {
  basicConstraints: '2.5.29.19',
  keyUsage: '2.5.29.15',
  extendedKeyUsage: '2.5.29.37',
  subjectKey: '2.5.29.14',
  authorityKey: '2.5.29.35',
  subjectAltName: '2.5.29.17',
}
const nameIds = { CN: '2.5.4.3', O: '2.5.4.10', OU: '2.5.4.11' }
const ecdsaWithSha256 = sequence(oid('1.2.840.10045.4.3.2'))
const rsaWithSha256 = sequence(oid('1.2.840.113549.1.1.11'), nothing)
const serialBytes = 16
/** `[3]` */
const extensionsTag = 0xa3

export interface CertificateFacts {
  /** DER, both of them. */
  issuer: Uint8Array
  subject: Uint8Array
  publicKey: KeyObject
  fromMs: number
  untilMs: number
  extensions: readonly Uint8Array[]
}

/** `O=…, OU=…, CN=…` */
export const nameOf = (parts: Partial<Record<keyof typeof nameIds, string>>): Buffer =>
  sequence(
    ...(Object.keys(parts) as (keyof typeof nameIds)[]).map((part) =>
      set(sequence(oid(nameIds[part]), text(parts[part] ?? ''))),
    ),
  )

/** PEM. `issuerKey`: PEM of an EC or RSA key. */
export function signCertificate(facts: CertificateFacts, issuerKey: string): string {
  const key = createPrivateKey(issuerKey)
  const algorithm = key.asymmetricKeyType === 'rsa' ? rsaWithSha256 : ecdsaWithSha256
  const serial = randomBytes(serialBytes)
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x01
  const body = sequence(
    tagged(0, integer(Buffer.from([2]))),
    integer(serial),
    algorithm,
    facts.issuer,
    sequence(time(facts.fromMs), time(facts.untilMs)),
    facts.subject,
    facts.publicKey.export({ type: 'spki', format: 'der' }),
    tagged(3, sequence(...facts.extensions)),
  )
  return pem(sequence(body, algorithm, bits(sign('sha256', body, key))))
}

export const subjectKeyExtension = (publicKey: KeyObject): Buffer =>
  keyExtension(
    createHash('sha1')
      .update(publicKey.export({ type: 'spki', format: 'der' }))
      .digest(),
  )

/** By the name of its key that others know already. */
export const keyExtension = (name: Uint8Array): Buffer => sequence(oid(extensionIds.subjectKey), octets(octets(name)))

/** Which of several authorities of one name signed it; nothing where the authority's key has no name. */
export function authorityKeyExtension(authority: Buffer): Buffer[] {
  const name = keyNameOf(authority)
  return name === undefined ? [] : [sequence(oid(extensionIds.authorityKey), octets(sequence(plain(0, name))))]
}

/** What a certificate calls its key. */
export function keyNameOf(der: Buffer): Buffer | undefined {
  const [body = der] = partsOf(inside(der))
  const extensions = partsOf(inside(body)).find((part) => part[0] === extensionsTag)
  if (extensions === undefined) return undefined
  const wanted = oid(extensionIds.subjectKey)
  const found = partsOf(inside(inside(extensions))).find((each) => partsOf(inside(each))[0]?.equals(wanted))
  const value = found && partsOf(inside(found)).at(-1)
  return value && inside(inside(value))
}

const pem = (der: Uint8Array): string => {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

/** The name inside a certificate, as it stands there: the sixth part, or the fifth where no version is told. */
export function subjectOf(der: Buffer): Buffer {
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
