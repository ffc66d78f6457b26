// Certificates of an authority of one's own, for tests: of a server on this machine, and of a client that it knows.
import { generate } from 'selfsigned'
import type { Certificate } from '../server/self-signed.ts'

export interface Certificates {
  authority: Certificate
  server: Certificate
  client: Certificate
}

type Extensions = NonNullable<NonNullable<Parameters<typeof generate>[1]>['extensions']>

async function make(name: string, extensions: Extensions, authority?: Certificate): Promise<Certificate> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: name }], {
    ...{ keyType: 'ec', algorithm: 'sha256', extensions },
    ...(authority === undefined ? {} : { ca: authority }),
  })
  return { cert, key }
}

export async function makeCertificates(): Promise<Certificates> {
  const authority = await make('authority', [
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', keyCertSign: true, cRLSign: true },
  ])
  const addresses = { name: 'subjectAltName' as const, altNames: [{ type: 7 as const, ip: '127.0.0.1' }] }
  return {
    authority,
    server: await make('server', [{ name: 'extKeyUsage', serverAuth: true }, addresses], authority),
    client: await make('client', [{ name: 'extKeyUsage', clientAuth: true }], authority),
  }
}
