// CLIENT KILL: which clients it means, in the words of the server where it means none.
import type { ListedClient } from './clients.ts'

interface Filter {
  id?: number
  isSubscribed?: boolean
  /** Kinds of clients that an endpoint has none of. */
  isNobody?: boolean
  address?: string
  localAddress?: string
  skipsSelf: boolean
}

interface Killing {
  clients: ListedClient[]
  reply: string
}

const noSuchClient = '-ERR No such client\r\n'
const syntaxError = 'syntax error'
/** All clients of a database are one user. */
const clientUser = 'default'

/** Its arguments, and who asks. */
export function killingOf(words: readonly string[], self: ListedClient, all: readonly ListedClient[]): Killing {
  const [address] = words
  if (words.length === 1) {
    const clients = all.filter((client) => client.address === address)
    return { clients, reply: clients.length === 0 ? noSuchClient : '+OK\r\n' }
  }
  const filter = filterOf(words)
  if (typeof filter === 'string') return { clients: [], reply: `-ERR ${filter}\r\n` }
  const clients = all.filter((client) => matches(filter, client) && !(filter.skipsSelf && client === self))
  return { clients, reply: `:${clients.length}\r\n` }
}

function filterOf(words: readonly string[]): Filter | string {
  const filter: Filter = { skipsSelf: true }
  for (let at = 0; at < words.length; at += 2) {
    const [name = '', value] = [words[at]?.toLowerCase(), words[at + 1]]
    if (value === undefined) return syntaxError
    const problem = parts[name]?.(filter, value) ?? (parts[name] === undefined ? syntaxError : undefined)
    if (problem !== undefined) return problem
  }
  return filter
}

const parts: Record<string, (filter: Filter, value: string) => string | undefined> = {
  id: (filter, value) => {
    filter.id = /^-?\d+$/.test(value) ? Number(value) : 0
    return filter.id > 0 ? undefined : 'client-id should be greater than 0'
  },
  type: (filter, value) => {
    const type = value.toLowerCase()
    if (!['normal', 'pubsub', 'master', 'replica', 'slave'].includes(type)) return `Unknown client type '${value}'`
    filter.isSubscribed = type === 'pubsub'
    filter.isNobody = type !== 'pubsub' && type !== 'normal'
    return undefined
  },
  user: (_, value) => (value === clientUser ? undefined : `No such user '${value}'`),
  addr: (filter, value) => {
    filter.address = value
    return undefined
  },
  laddr: (filter, value) => {
    filter.localAddress = value
    return undefined
  },
  skipme: (filter, value) => {
    filter.skipsSelf = value.toLowerCase() === 'yes'
    return ['yes', 'no'].includes(value.toLowerCase()) ? undefined : syntaxError
  },
}

function matches({ isNobody, ...filter }: Filter, client: ListedClient): boolean {
  if (isNobody) return false
  const wanted = ['id', 'isSubscribed', 'address', 'localAddress'] as const
  return wanted.every((name) => filter[name] === undefined || filter[name] === client[name])
}
