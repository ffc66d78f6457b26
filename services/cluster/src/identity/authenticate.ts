// Says who is calling and whether they may: a password or a token makes a user, the user's role a set of permissions.
import type { RequestHead } from '@atoll/kernel/http/route'
import type { Audit } from '../audit/audit.ts'
import type { ClusterCallers, ClusterUser } from '../callers.ts'
import * as errors from '../errors.ts'
import type { Users } from '../resources/users/service.ts'
import type { UserRow } from '../resources/users/user.ts'
import { readCredentials } from './credentials.ts'
import { passwordMark, type Tokens } from './jwt.ts'
import type { LogIn } from './log-in.ts'
import { permissionsOf } from './roles.ts'

interface Parts {
  users: Users
  logIn: LogIn
  tokens: Tokens
  audit: Audit
}

export type Authenticate = (head: RequestHead, needed: keyof ClusterCallers) => Promise<ClusterUser | null>

export function createAuthenticate({ users, logIn, tokens, audit }: Parts): Authenticate {
  async function identify(head: RequestHead): Promise<UserRow> {
    const credentials = readCredentials(head.headers)
    if (credentials.kind === 'password') return logIn.check(credentials, head.address)
    const { sub, pwd } = tokens.read(credentials.token)
    const user = await users.find(Number(sub))
    if (user === undefined || user.status !== 'active') throw errors.badToken('its user is gone')
    if (passwordMark(user.password_hash) !== pwd) throw errors.badToken('the password has changed since')
    return user
  }

  return async (head, needed) => {
    if (needed === 'anyone') return null
    const user = callerOf(await identify(head))
    if (needed === 'any_user' || user.permissions.has(needed)) return user
    const { id: requestId, method, path, address } = head
    if (method !== 'GET' && method !== 'HEAD') {
      const details = { missing_permission: needed }
      await audit.record(undefined, {
        requestId,
        user: user.email,
        role: user.role,
        address,
        method,
        path,
        status: 403,
        details,
      })
    }
    throw errors.forbidden(user.role, needed)
  }
}

const callerOf = ({ uid, name, email, role }: UserRow): ClusterUser => ({
  uid,
  name,
  email,
  role,
  permissions: permissionsOf(role),
})
