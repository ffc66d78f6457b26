// Asks other name servers what we do not know: the host's, or those a container was given.
import { randomInt } from 'node:crypto'
import { createSocket, type RemoteInfo } from 'node:dgram'
import { connect, isIPv6 } from 'node:net'
import { parseAddress } from '../address.ts'

const attemptMs = 2_000
const rounds = 2
/** Questions on their way; more are refused until some are answered. */
const maxPending = 1_024
const maxServers = 4
const maxMessageBytes = 65_535

export type Transport = 'udp' | 'tcp'

export class Forwarder {
  #pending = 0

  /** The answer of the first server that gives one; undefined when none does. */
  async ask(message: Buffer, servers: readonly string[], transport: Transport): Promise<Buffer | undefined> {
    if (this.#pending >= maxPending) return undefined
    this.#pending++
    try {
      for (let round = 0; round < rounds; round++) {
        for (const server of servers.slice(0, maxServers)) {
          const answer = await (transport === 'udp' ? askByUdp : askByTcp)(message, server)
          if (answer !== undefined) return answer
        }
      }
      return undefined
    } finally {
      this.#pending--
    }
  }
}

/** From a port of its own with an id of its own: an answer cannot be guessed by somebody else. */
function askByUdp(message: Buffer, server: string): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket(isIPv6(server) ? 'udp6' : 'udp4')
    const sent = Buffer.from(message)
    const id = randomInt(65_536)
    sent.writeUInt16BE(id, 0)
    const finish = (answer?: Buffer): void => {
      clearTimeout(timer)
      socket.close()
      resolve(answer)
    }
    const timer = setTimeout(finish, attemptMs)
    socket.once('error', () => finish())
    socket.on('message', (answer: Buffer, from: RemoteInfo) => {
      if (!sameAddress(from.address, server) || from.port !== 53) return
      if (answer.length < 12 || answer.readUInt16BE(0) !== id) return
      finish(withId(answer, message))
    })
    socket.send(sent, 53, server, (problem) => problem && finish())
  })
}

function askByTcp(message: Buffer, server: string): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: server, port: 53 })
    let got = Buffer.alloc(0)
    const finish = (answer?: Buffer): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(answer)
    }
    const timer = setTimeout(finish, attemptMs)
    socket.once('error', () => finish())
    socket.once('close', () => finish())
    socket.on('data', (chunk) => {
      got = Buffer.concat([got, chunk])
      const length = got.length < 2 ? maxMessageBytes : got.readUInt16BE(0)
      if (got.length >= length + 2) finish(withId(got.subarray(2, length + 2), message))
    })
    socket.write(withLength(message))
  })
}

const sameAddress = (a: string, b: string): boolean => parseAddress(a)?.value === parseAddress(b)?.value

function withId(answer: Buffer, question: Buffer): Buffer {
  const copy = Buffer.from(answer)
  question.copy(copy, 0, 0, 2)
  return copy
}

/** TCP carries each message behind its length. */
export function withLength(message: Buffer): Buffer {
  const head = Buffer.alloc(2)
  head.writeUInt16BE(message.length, 0)
  return Buffer.concat([head, message])
}
