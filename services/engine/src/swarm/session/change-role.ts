// What a node asks managers for when it becomes one, or is none any more.
import { setTimeout as pause } from 'node:timers/promises'
import { unavailable } from '../../errors.ts'
import { type Credentials, newNodeKey } from '../identity/node-certificate.ts'
import { ask } from './connect.ts'
import { CertifyAnswer, MemberAnswer, type Opening } from './messages.ts'
import { Refused } from './refused.ts'

const askMs = 60_000
const betweenTriesMs = 300

export interface Asker {
  /** Where managers are. */
  managers: readonly string[]
  credentials: Credentials
  /** Where others reach this node. */
  advertiseAddress: string
}

/** Of what the node is to be now: only a manager gets `manager`. */
export async function certifyAgain({ managers, credentials, advertiseAddress }: Asker) {
  const { key, publicKey, proof } = await newNodeKey()
  const opening = { ask: 'certify' as const, key: { publicKey, proof }, advertise: advertiseAddress }
  const { certificate, ...rest } = CertifyAnswer.parse(await askAny(managers, credentials, opening))
  return { ...rest, credentials: { ...credentials, certificate, key } }
}

/** Members of the store, which this node may join from now on: with nothing of its own. */
export async function becomeMember({
  managers,
  credentials,
  advertiseAddress,
}: Asker): Promise<MemberAnswer['members']> {
  const opening = { ask: 'member' as const, advertise: advertiseAddress }
  return MemberAnswer.parse(await askAny(managers, credentials, opening)).members
}

async function askAny(managers: readonly string[], credentials: Credentials, opening: Opening): Promise<unknown> {
  const deadline = Date.now() + askMs
  for (let turn = 0; ; turn++) {
    try {
      return (await ask(managers[turn % managers.length] ?? '', credentials, opening)).answer
    } catch (error) {
      const { message } = error as Error
      if (error instanceof Refused && error.isFinal) throw error
      if (Date.now() > deadline) throw unavailable(`No manager does what this node needs: ${message}`)
      await pause(betweenTriesMs)
    }
  }
}
