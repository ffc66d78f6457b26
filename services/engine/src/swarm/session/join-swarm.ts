// How a machine becomes a node: the token tells which authority is the right one, and a manager tells the rest.
import { HttpError } from '@atoll/kernel/http/error'
import { invalidParameter, unavailable } from '../../errors.ts'
import { readPlace, written } from '../addresses.ts'
import { type Credentials, newNodeKey } from '../identity/node-certificate.ts'
import { digestOf, readJoinToken } from '../identity/tokens.ts'
import { ask } from './connect.ts'
import { AuthorityAnswer, JoinAnswer, type Opening } from './messages.ts'
import { Refused } from './refused.ts'

export interface JoinWish {
  /** Managers, one of which is to answer. */
  addresses: readonly string[]
  token: string
  availability: string
  description: Extract<Opening, { ask: 'join' }>['description']
  /** It knows an etcd outside, where swarms may be kept that managers have no members of. */
  knowsOutside?: boolean
  /** Where others are to reach it, when it reaches a manager from this address. */
  advertise(localAddress: string): string
}

export interface Joined extends Omit<JoinAnswer, 'certificate'> {
  credentials: Credentials
  /** Where others reach it. */
  advertiseAddress: string
}

export async function joinSwarm(wish: JoinWish): Promise<Joined> {
  const { addresses, token } = wish
  const read = readJoinToken(token)
  if (read === undefined) throw invalidParameter('invalid join token')
  if (addresses.length === 0) throw invalidParameter('at least 1 RemoteAddr is required to join')
  const problems: string[] = []
  for (const text of addresses) {
    const place = readPlace(text)
    if (place === undefined) throw invalidParameter(`invalid RemoteAddrs: "${text}" is no address with a port`)
    try {
      return await joinAt(written(place), read, wish)
    } catch (error) {
      if (error instanceof HttpError) throw error
      if (error instanceof Refused) throw invalidParameter(error.message)
      problems.push(`${text}: ${(error as Error).message}`)
    }
  }
  throw unavailable(`No manager could be reached to join the swarm: ${problems.join('; ')}`)
}

async function joinAt(
  address: string,
  { digest, secret }: { digest: string; secret: string },
  { availability, description, advertise, knowsOutside = false }: JoinWish,
): Promise<Joined> {
  const { authority } = AuthorityAnswer.parse((await ask(address, undefined, { ask: 'authority' })).answer)
  if (digestOf(authority) !== digest) {
    throw invalidParameter(`remote CA does not match fingerprint. Expected: ${digest}`)
  }
  const { key, publicKey, proof } = await newNodeKey()
  const { answer, localAddress } = await ask(address, { authority }, (local) => ({
    ...{ ask: 'join' as const, secret, key: { publicKey, proof }, availability, description, knowsOutside },
    advertise: advertise(local),
  }))
  const { certificate, managers, ...node } = JoinAnswer.parse(answer)
  return {
    ...node,
    credentials: { certificate, key, authority },
    // The one that answered is known to be reached from here.
    managers: [...new Set([address, ...managers])],
    advertiseAddress: advertise(localAddress),
  }
}
