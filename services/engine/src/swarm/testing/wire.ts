// A wire that connects isolated machines: each has an address on it, and can be unplugged.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type IsolatedHost, isolatedHost } from '../../testing/isolated.ts'

export interface Wire {
  plugIn(host: IsolatedHost, number: number): Promise<void>
  link(number: number, isUp: boolean): Promise<void>
  stop(): Promise<void>
}

export const addressOf = (number: number): string => `192.168.77.${number}`

const run = promisify(execFile)
const ip = (host: IsolatedHost, line: string) =>
  run('nsenter', [`--net=/proc/${host.pid}/ns/net`, 'ip', ...line.split(' ')])

export async function newWire(): Promise<Wire> {
  const wire = await isolatedHost()
  await ip(wire, 'link add wire type bridge')
  await ip(wire, 'link set wire up')
  return {
    async plugIn(host, number) {
      await ip(host, `link add eth0 type veth peer name node${number} netns ${wire.pid}`)
      await ip(host, `addr add ${addressOf(number)}/24 dev eth0`)
      await ip(host, 'link set eth0 up')
      await ip(wire, `link set node${number} master wire up`)
    },
    link: async (number, isUp) => void (await ip(wire, `link set node${number} ${isUp ? 'up' : 'down'}`)),
    stop: () => wire.stop(),
  }
}
