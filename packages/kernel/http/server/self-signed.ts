// A certificate for local use, made once and kept: real-time clients insist on TLS.
import { X509Certificate } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { type Clock, systemClock } from '../../clock/clock.ts'

export interface Certificate {
  /** PEM. */
  cert: string
  key: string
}

const dayMs = 24 * 60 * 60 * 1000
const lifetimeDays = 397
const renewDaysBefore = 30
/** The key is in it too; whoever looks for certificates passes it over. */
export const certificateName = 'self-signed.pem'

/** Names localhost, 127.0.0.1, ::1 and this machine. Kept in `folder`, renewed a month before it expires. */
export async function selfSignedCertificate(folder: string, clock: Clock = systemClock): Promise<Certificate> {
  const path = join(folder, certificateName)
  const kept = await readCertificate(path, clock)
  if (kept !== undefined) return kept
  const made = await makeCertificate(clock)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await keep(path, made)
  return made
}

/** Both in one file, put in place whole: a certificate never meets another one's key. */
async function keep(path: string, { cert, key }: Certificate): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`
  await writeFile(draft, `${key}\n${cert}\n`, { mode: 0o600 })
  await rename(draft, path)
}

async function readCertificate(path: string, clock: Clock): Promise<Certificate | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '')
  const key = /-----BEGIN (?:RSA |EC )?PRIVATE KEY-----[^-]+-----END (?:RSA |EC )?PRIVATE KEY-----/.exec(text)?.[0]
  const cert = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.exec(text)?.[0]
  if (key === undefined || cert === undefined || !isUsable(cert, clock)) return undefined
  return { cert, key }
}

function isUsable(pem: string, clock: Clock): boolean {
  try {
    const certificate = new X509Certificate(pem)
    const renewAt = certificate.validToDate.getTime() - renewDaysBefore * dayMs
    return clock.now() < renewAt && certificate.checkHost(hostname()) !== undefined
  } catch {
    return false
  }
}

async function makeCertificate(clock: Clock): Promise<Certificate> {
  const { generate } = await import('selfsigned') // Loaded only by those who ask for it.
  const names = [...new Set(['localhost', hostname()])]
  const pems = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(clock.now() - dayMs), // Clocks of machines nearby may be behind.
    notAfterDate: new Date(clock.now() + lifetimeDays * dayMs),
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'keyUsage', digitalSignature: true, keyEncipherment: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          ...names.map((value) => ({ type: 2 as const, value })),
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
        ],
      },
    ],
  })
  return { cert: pems.cert.trim(), key: pems.private.trim() }
}
