// Tokens for users: made from a password, renewed from a token that still holds.

import type { Database } from '@atoll/kernel/db/database'
import type { RequestHead } from '@atoll/kernel/http/route'
import type { ClusterUser } from '../../callers.ts'
import * as errors from '../../errors.ts'
import { type PasswordLogin, readCredentials } from '../../identity/credentials.ts'
import type { Tokens } from '../../identity/jwt.ts'
import type { LogIn } from '../../identity/log-in.ts'
import { findUser } from './store.ts'

export interface Asked {
  username?: string | undefined
  password?: string | undefined
  ttl: number
}

export class Sessions {
  readonly #parts: { db: Database; logIn: LogIn; tokens: Tokens }

  constructor(parts: { db: Database; logIn: LogIn; tokens: Tokens }) {
    this.#parts = parts
  }

  async authorize(head: RequestHead, asked: Asked): Promise<{ access_token: string }> {
    const { uid, password_hash: passwordHash } = await this.#parts.logIn.check(loginOf(head, asked), head.address)
    return { access_token: this.#parts.tokens.issue({ uid, passwordHash }, asked.ttl) }
  }

  async refresh(head: RequestHead, caller: ClusterUser, ttl: number): Promise<{ access_token: string }> {
    if (readCredentials(head.headers).kind !== 'token') throw errors.tokenNeeded()
    const user = await findUser(this.#parts.db.queries, caller.uid)
    if (user === undefined) throw errors.badToken('its user is gone')
    return { access_token: this.#parts.tokens.issue({ uid: user.uid, passwordHash: user.password_hash }, ttl) }
  }
}

function loginOf(head: RequestHead, { username, password }: Asked): PasswordLogin {
  if (username !== undefined && password !== undefined) return { email: username, password }
  const credentials = readCredentials(head.headers)
  if (credentials.kind !== 'password') throw errors.noCredentials()
  return credentials
}
