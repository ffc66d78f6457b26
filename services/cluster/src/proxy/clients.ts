// The clients of an endpoint as the server would list them. To the shard they are connections of the endpoint: some are
// many on one, and others are not clients at all.
import { isError } from './resp/replies.ts'

/** What is known of one client. */
export interface ListedClient {
  /** The endpoint's own: it stays when the shard changes. */
  readonly id: number
  /** Its address, and that at which it arrived. */
  readonly address: string
  readonly localAddress: string
  readonly ageSeconds: number
  readonly isSubscribed: boolean
  /** The shard's number of its own connection, or of the one it shares. */
  readonly ownShardId: number | undefined
  readonly sharedShardId: number | undefined
  close(): void
}

export interface ClientDirectory {
  readonly port: number
  readonly maxClients: number
  all(): readonly ListedClient[]
}

/** The reply to CLIENT LIST or CLIENT INFO, about the endpoint's clients instead of its connections. */
export function clientLines(
  reply: Buffer,
  clients: readonly ListedClient[],
  isShown = (_: ListedClient) => true,
): Buffer {
  return mapText(reply, (text) => {
    const lines = new Map(text.split('\n').flatMap((line) => (/^id=\d+ /.test(line) ? [[idOf(line), line]] : [])))
    const shown = clients.filter(isShown).flatMap((client) => {
      const line = lines.get(client.ownShardId ?? -1) ?? lines.get(client.sharedShardId ?? -1)
      return line === undefined ? [] : [lineOf(client, line)]
    })
    return shown.map((line) => `${line}\n`).join('')
  })
}

const idOf = (line: string): number => Number(/^id=(\d+)/.exec(line)?.[1])

const lineOf = ({ id, address, localAddress, ageSeconds }: ListedClient, line: string): string =>
  line
    .replace(/^id=\d+ addr=\S* /, `id=${id} addr=${address} `)
    .replace(/ laddr=\S* /, ` laddr=${localAddress} `)
    .replace(/ age=\d+ /, ` age=${Math.floor(ageSeconds)} `)
    .replace(/ flags=(\w+) /, (_, flags: string) => ` flags=${flags.replace('U', '') || 'N'} `) // no Unix socket

/** The reply to INFO: it counts the endpoint's clients, and tells its port. */
export function infoFor({ port, maxClients, all }: ClientDirectory, reply: Buffer): Buffer {
  const values: Record<string, string> = {
    connected_clients: String(all().length),
    maxclients: String(maxClients),
    tcp_port: String(port),
    config_file: '',
  }
  return mapText(reply, (text) =>
    text.replace(/^(\w+):.*?(\r?)$/gm, (line, name: string, end: string) =>
      values[name] === undefined ? line : `${name}:${values[name]}${end}`,
    ),
  )
}

/** Of a bulk string, or a verbatim one. */
function mapText(reply: Buffer, change: (text: string) => string): Buffer {
  const [, type = '', prefix = ''] = /^([$=])\d+\r\n((?:txt:)?)/.exec(reply.toString('latin1', 0, 40)) ?? []
  if (isError(reply) || type === '') return reply
  const begin = reply.indexOf('\n') + 1 + prefix.length
  const text = Buffer.from(prefix + change(reply.toString('latin1', begin, reply.length - 2)), 'latin1')
  return Buffer.concat([Buffer.from(`${type}${text.length}\r\n`), text, Buffer.from('\r\n')])
}
