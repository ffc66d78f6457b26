// The certificate that all listeners of this configuration share.
import { readFile } from 'node:fs/promises'
import { selfSignedCertificate } from '@atoll/kernel/http/server/self-signed'
import type { AtollConfig } from '../config.ts'

export async function tlsOf({ tls, data }: AtollConfig): Promise<{ tls?: { cert: string; key: string } }> {
  if (tls === 'off') return {}
  if (tls === 'self-signed') return { tls: await selfSignedCertificate(data) }
  return { tls: { cert: await readFile(tls.certificate, 'utf8'), key: await readFile(tls.key, 'utf8') } }
}
