// Who may say what to a manager, over real connections.
import { createPublicKey } from 'node:crypto'
import { once } from 'node:events'
import { connect as connectTls } from 'node:tls'
import type { Log } from '@atoll/kernel/telemetry/log'
import { freePort } from '@atoll/testkit/free-port'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { crossSign, newAuthority } from '../identity/authority.ts'
import { certifyNode, newNodeKey, type Role, renewalTime } from '../identity/node-certificate.ts'
import type { Admission } from '../manager/admission.ts'
import { type Session, SwarmListener } from '../manager/swarm-listener.ts'
import { ask, connect, type Trust } from './connect.ts'
import type { Opening } from './messages.ts'

let port: number
let address: string
const day = 24 * 3600 * 1000
const times = { nowMs: Date.now(), lifetimeMs: day }
const log = { debug() {}, warn() {}, error() {} } as unknown as Log
const description = {
  ...{ Hostname: 'h', Platform: { Architecture: 'x86_64', OS: 'linux' }, Resources: { NanoCPUs: 1, MemoryBytes: 1 } },
  Engine: { EngineVersion: '1', Labels: {}, Plugins: [] },
}
const session: Opening = { ask: 'session', description, address: '', dataPath: '' }

type Authority = Awaited<ReturnType<typeof newAuthority>>
let [authority, stranger]: Authority[] = []
let listener: SwarmListener
let begun: { nodeId: string; role: string }[] = []
let messages: unknown[] = []

async function nodeOf(by: Authority, role: Role, nodeId = 'node1', lifetimeMs = day): Promise<Required<Trust>> {
  const { key, publicKey } = await newNodeKey()
  const name = { nodeId, clusterId: 'swarm1', role }
  const certificate = certifyNode(by, name, createPublicKey(publicKey), { ...times, lifetimeMs })
  return { certificate, key, authority: authority!.certificate }
}

const listenAs = async (credentials: Required<Trust>): Promise<SwarmListener> => {
  const admission = {
    authority: authority!.certificate,
    ownCredentials: async () => credentials,
  } as unknown as Admission
  const made = new SwarmListener({
    ...{ address, admission, log, now: () => Date.now() },
    begin(name, _, channel): Session {
      begun.push(name)
      channel.send({ is: 'beat', periodMs: 1_000, managers: [] })
      return { message: (message) => messages.push(message), closed: () => {} }
    },
  })
  await made.start()
  return made
}

beforeAll(async () => {
  port = await freePort()
  address = `127.0.0.1:${port}`
  ;[authority, stranger] = await Promise.all([newAuthority(times.nowMs), newAuthority(times.nowMs)])
  listener = await listenAs(await nodeOf(authority!, 'manager', 'manager1'))
})
afterAll(() => listener.stop())

describe('a manager', () => {
  it('tells anybody who the authority is', async () => {
    expect((await ask(address, undefined, { ask: 'authority' })).answer).toEqual({ authority: authority!.certificate })
  })

  it('begins sessions with nodes that its authority has certified, and with nobody else', async () => {
    begun = []
    const trust = { authority: authority!.certificate }
    await expect(ask(address, trust, session)).rejects.toThrow('certificate of this swarm is needed')
    const forged = await nodeOf(stranger!, 'worker')
    await expect(ask(address, forged, session)).rejects.toThrow('certificate of this swarm is needed')
    const expired = await nodeOf(authority!, 'worker', 'node2', -1_000)
    await expect(ask(address, expired, session)).rejects.toThrow('certificate of this swarm is needed')
    expect(begun).toEqual([])
    const { answer } = await ask(address, await nodeOf(authority!, 'worker'), session)
    expect(answer).toMatchObject({ is: 'beat' })
    expect(begun).toEqual([{ nodeId: 'node1', clusterId: 'swarm1', role: 'worker' }])
  })

  it('ends connections that say nothing that makes sense, or too much', async () => {
    const lines: [string, Buffer][] = [
      ['no JSON', Buffer.concat([Buffer.from([0, 0, 0, 2]), Buffer.from('{]')])],
      ['too large', Buffer.from([0x7f, 0xff, 0xff, 0xff])],
      ['another protocol', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ]
    for (const [what, bytes] of lines) {
      const socket = await connect(address, undefined)
      const closed = once(socket, 'close')
      socket.resume().on('error', () => {})
      socket.write(bytes)
      await closed
      expect(socket.destroyed, what).toBe(true)
    }
    await expect(ask(address, undefined, { ask: 'all' } as unknown as Opening)).rejects.toThrow('makes no sense')
  })

  it('takes messages in pieces', async () => {
    messages = []
    const socket = await connect(address, await nodeOf(authority!, 'worker'))
    socket.resume()
    const frame = (message: object): Buffer => {
      const text = Buffer.from(JSON.stringify(message))
      return Buffer.concat([Buffer.from([0, 0, text.length >> 8, text.length & 0xff]), text])
    }
    const bytes = Buffer.concat([frame(session), frame({ number: 1 }), frame({ number: 2 }), frame({ number: 3 })])
    for (let at = 0; at < bytes.length; at += 7) {
      socket.write(bytes.subarray(at, at + 7))
      await new Promise(setImmediate)
    }
    await expect.poll(() => messages).toEqual([{ number: 1 }, { number: 2 }, { number: 3 }])
    socket.destroy()
  })

  it('speaks nothing older than TLS 1.3', async () => {
    const old = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false, maxVersion: 'TLSv1.2' })
    await expect(once(old, 'secureConnect')).rejects.toThrow()
  })
})

describe('a node', () => {
  it('takes nobody for a manager whom the authority has not made one', async () => {
    await listener.stop()
    const node = await nodeOf(authority!, 'worker')
    const impostors: [Required<Trust>, RegExp][] = [
      [await nodeOf(authority!, 'worker', 'evil'), /swarm-manager/],
      [await nodeOf(stranger!, 'manager', 'evil'), /certificate/],
    ]
    for (const [credentials, words] of impostors) {
      const impostor = await listenAs(credentials)
      await expect(connect(address, node)).rejects.toThrow(words)
      await impostor.stop()
    }
  })

  it('trusts managers of the next authority, which the one of now has signed, and is trusted by them', async () => {
    const next = await newAuthority(times.nowMs)
    const crossSigned = crossSign(authority!, next.certificate, times.nowMs)
    const ofNext = async (role: Role) => {
      const node = await nodeOf(next, role)
      return { ...node, certificate: node.certificate + crossSigned }
    }
    const manager = await listenAs(await ofNext('manager'))
    for (const node of [await nodeOf(authority!, 'worker'), await ofNext('worker')]) {
      expect((await ask(address, node, session)).answer).toMatchObject({ is: 'beat' })
    }
    // Without it the next one is a stranger.
    await expect(ask(address, await nodeOf(next, 'worker'), session)).rejects.toThrow('certificate of this swarm')
    await manager.stop()
  })

  it('renews its certificate between half and four fifths of its time', async () => {
    const { certificate } = await nodeOf(authority!, 'worker')
    const part = (random: number) => (renewalTime(certificate, random) - times.nowMs) / day
    expect([part(0), part(1)]).toEqual([expect.closeTo(0.5, 2), expect.closeTo(0.8, 2)])
  })
})
