// The walls behind the wall: what JavaScript in a Python process could do, if Python found a way to it.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { findIsolation, type Isolation } from './isolation.ts'
import { PythonProcess } from './python-process.ts'

const entry = fileURLToPath(new URL('./testing/intruder-child.ts', import.meta.url))
const code = fileURLToPath(new URL('.', import.meta.url))

async function intrude(isolation: Isolation): Promise<Record<string, string>> {
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const intruder = new PythonProcess({
    isolation,
    resources: { dataBytes: 2 ** 31, cpuSeconds: 60, openFiles: 64, stackKilobytes: 8_192 },
    memoryMegabytes: 64,
    readable: [code],
    entry,
    settings: (listener.address() as AddressInfo).port as never,
    snapshot: undefined,
    maxReplyBytes: 100_000,
  })
  const { promise, resolve } = Promise.withResolvers<string>()
  intruder.listen(({ bytes }) => resolve(Buffer.from(bytes).toString()))
  void intruder.ended.then(() => resolve(JSON.stringify({ died: intruder.complaint })))
  const found = JSON.parse(await promise)
  await intruder.ended
  listener.close()
  return found
}

const nothingToBeHad = {
  eval: 'EvalError',
  Function: 'EvalError',
  import: 'Error',
  fetch: 'undefined',
  WebSocket: 'undefined',
  globals: 'versions,stdin,exitCode,umask,getuid',
  read: 'ERR_ACCESS_DENIED',
  list: 'ERR_ACCESS_DENIED',
  write: 'ERR_ACCESS_DENIED',
  spawn: 'ERR_ACCESS_DENIED',
  Worker: 'ERR_ACCESS_DENIED',
  addon: expect.stringMatching(/^ERR_/),
  binding: 'ERR_ACCESS_DENIED',
  // The shell that sets the limits adds PWD.
  environment: 'PWD,TZ',
}

describe('an intruder in a Python process', () => {
  it('finds nothing to be had in Node, even without the help of the system', async () => {
    expect(await intrude({ prefix: [], forks: false, missing: [] })).toMatchObject(nothingToBeHad)
  })

  it('finds no network, no other process and no rights where the system helps', async (context) => {
    const isolation = await findIsolation([entry])
    if (isolation.missing.length > 0) context.skip(`this machine cannot give ${isolation.missing.join(', ')}`)
    const found = await intrude(isolation)
    expect(found).toMatchObject({ ...nothingToBeHad, connect: 'ENETUNREACH', parent: '0' })
    expect(found.user).toBe('65534')
  })

  it('is held as well as the machine allows, and it is said what is missing', async () => {
    expect(await findIsolation(['/no/such/file'])).toMatchObject({
      prefix: [],
      missing: expect.arrayContaining(['its own network']),
    })
    expect((await findIsolation([entry], false)).missing).not.toContain('its own network')
  })
})
