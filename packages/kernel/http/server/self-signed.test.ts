import { X509Certificate } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ManualClock } from '../../clock/clock.ts'
import { asUser, startSample } from '../testing/sample-service.ts'
import { selfSignedCertificate } from './self-signed.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'atoll-tls-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('selfSignedCertificate', () => {
  it('names this machine, is kept readable for its owner alone, and is used again', async () => {
    const first = await selfSignedCertificate(folder)
    const certificate = new X509Certificate(first.cert)
    for (const name of ['localhost', hostname()]) expect(certificate.checkHost(name)).toBe(name)
    for (const ip of ['127.0.0.1', '::1']) expect(certificate.checkIP(ip)).toBe(ip)
    expect((await stat(join(folder, 'self-signed.pem'))).mode & 0o777).toBe(0o600)
    expect(await selfSignedCertificate(folder)).toEqual(first)
  })

  it('is made anew before it expires, and when its file is damaged', async () => {
    const clock = new ManualClock()
    const first = await selfSignedCertificate(join(folder, 'new'), clock)
    clock.advanceSeconds(370 * 24 * 3600)
    const second = await selfSignedCertificate(join(folder, 'new'), clock)
    expect(second.cert).not.toBe(first.cert)
    const path = join(folder, 'new', 'self-signed.pem')
    await writeFile(path, (await readFile(path, 'utf8')).slice(0, 500))
    expect((await selfSignedCertificate(join(folder, 'new'), clock)).cert).not.toBe(second.cert)
  })

  it('serves HTTPS that a client who trusts it accepts', async () => {
    const tls = await selfSignedCertificate(folder)
    const sample = await startSample({ options: { tls } })
    const url = sample.url.replace('127.0.0.1', 'localhost')
    const status = await new Promise((resolve, reject) => {
      const options = { ca: tls.cert, headers: asUser, family: 4 }
      request(`${url}/v1/things/x`, options, (response) => resolve([response.statusCode, response.headers['x-caller']]))
        .on('error', reject)
        .end()
    })
    expect(url).toMatch(/^https:/)
    expect(status).toEqual([200, 'ada'])
    await sample.stop()
  })
})
