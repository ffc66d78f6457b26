// A connection from a node to a manager.
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { readPlace } from '../addresses.ts'
import { type Credentials, managerName } from '../identity/node-certificate.ts'
import { openChannel } from './channel.ts'
import { maxStrangerBytes, type Opening, Refusal } from './messages.ts'
import { Refused } from './refused.ts'

const connectMs = 5_000
const answerMs = 10_000

/** `undefined`: whoever answers is believed nothing but what can be checked. */
export type Trust = Pick<Credentials, 'authority'> & Partial<Credentials>

export function connect(address: string, trust: Trust | undefined): Promise<TLSSocket> {
  const { host, port } = readPlace(address) ?? { host: address, port: 0 }
  return new Promise((resolve, reject) => {
    const socket = connectTls({
      ...{ host, port, servername: managerName, minVersion: 'TLSv1.3' },
      ...(trust === undefined ? { rejectUnauthorized: false } : { ca: trust.authority }),
      ...(trust?.certificate === undefined ? {} : { cert: trust.certificate, key: trust.key }),
    })
    const fail = (error: Error): void => {
      clearTimeout(timer)
      socket.destroy()
      reject(error)
    }
    const timer = setTimeout(() => fail(new Error(`${address} does not answer`)), connectMs)
    socket.once('error', fail)
    socket.once('secureConnect', () => {
      clearTimeout(timer)
      socket.off('error', fail)
      resolve(socket)
    })
  })
}

/** One question, one answer. */
export async function ask(
  address: string,
  trust: Trust | undefined,
  opening: Opening | ((localAddress: string) => Opening),
): Promise<{ answer: unknown; localAddress: string }> {
  const socket = await connect(address, trust)
  const localAddress = (socket.localAddress ?? '').replace(/^::ffff:/, '')
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(), answerMs)
    const channel = openChannel(socket, () => maxStrangerBytes, {
      message(answer) {
        const { success, data } = Refusal.safeParse(answer)
        if (success) reject(new Refused(data.refused, data.isFinal))
        else resolve({ answer, localAddress })
        channel.destroy()
      },
      closed() {
        clearTimeout(timer)
        reject(new Error(`${address} gave no answer`))
      },
    })
    channel.send(typeof opening === 'function' ? opening(localAddress) : opening)
  })
}
