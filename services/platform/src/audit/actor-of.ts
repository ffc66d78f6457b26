// From an admin's request to the actor that the audit log names.
import type { RequestHead } from '@atoll/kernel/http/route'
import type { AdminCaller } from '../callers.ts'
import type { Actor, Origin } from '../identity/actor.ts'

const maxUserAgentLength = 512

type Head = Pick<RequestHead, 'address' | 'headers'>

export function actorOf({ caller, address, headers }: Head & { caller: AdminCaller }): Actor {
  const origin = originOf({ address, headers })
  if (caller.sessionId !== undefined) return { type: 'session', userId: caller.userId, ...origin }
  return { type: 'api_key', keyId: caller.keyId, owner: { type: 'user', userId: caller.userId }, ...origin }
}

export const originOf = ({ address, headers }: Head): Origin => ({
  address,
  userAgent: headers['user-agent']?.slice(0, maxUserAgentLength) ?? null,
})
