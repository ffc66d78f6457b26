// Checks passwords. Each check is slow on purpose, so that a right one is remembered for a while, and wrong ones
// are limited: by user and address together (nobody can lock another out), and by address over all users.
import { createHmac, randomBytes } from 'node:crypto'
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Limits, Take } from '@atoll/kernel/limits/limits'
import * as errors from '../errors.ts'
import type { EventLog } from '../resources/logs/service.ts'
import type { Users } from '../resources/users/service.ts'
import type { UserRow } from '../resources/users/user.ts'
import type { PasswordLogin } from './credentials.ts'
import { hashPassword, isPassword, type PasswordCost } from './passwords.ts'

const failuresOfUser = { capacity: 5, periodMs: 5 * 60_000 }
const failuresOfAddress = { capacity: 30, periodMs: 5 * 60_000 }
const rememberedMs = 60_000
const maxRemembered = 1_000

interface Parts {
  users: Users
  clock: Clock
  limits: Limits
  passwordCost?: PasswordCost | undefined
  events: EventLog
}

export class LogIn {
  readonly #parts: Parts
  /** Of this process: what is remembered is worth nothing elsewhere. */
  readonly #key = randomBytes(32)
  /** When they were checked. A mark stands for a user, the password kept and the password given. */
  readonly #right = new Map<string, number>()
  readonly #checking = new Map<string, Promise<boolean>>()
  /** Compared with for users that do not exist: they take as long as those that do. */
  readonly #nobody: Promise<string>

  constructor(parts: Parts) {
    this.#parts = parts
    this.#nobody = hashPassword(randomBytes(16).toString('hex'), parts.passwordCost)
  }

  async check({ email, password }: PasswordLogin, address: string): Promise<UserRow> {
    const user = await this.#parts.users.findByEmail(email)
    const kept = user?.password_hash ?? (await this.#nobody)
    const mark = createHmac('sha256', this.#key)
      .update(JSON.stringify([email, kept, password]))
      .digest('base64')
    if (!this.#isRemembered(mark)) {
      const isRight = await this.#checkOnce(mark, { email, password, kept, address })
      if (isRight && user !== undefined) this.#remember(mark)
      else throw errors.badCredentials()
    }
    if (user === undefined || user.status !== 'active') throw errors.badCredentials()
    return user
  }

  /** Many requests of one client at once are one check. */
  #checkOnce(mark: string, attempt: PasswordLogin & { kept: string; address: string }): Promise<boolean> {
    const running = this.#checking.get(mark)
    if (running !== undefined) return running
    const check = this.#checkSlowly(attempt).finally(() => this.#checking.delete(mark))
    this.#checking.set(mark, check)
    return check
  }

  /** Counted before it is checked, or many guesses at once would all be let through. */
  async #checkSlowly({ email, password, kept, address }: PasswordLogin & { kept: string; address: string }) {
    const { limits } = this.#parts
    const takes = takesOf(email, address)
    const { granted, refused } = await limits.take(takes)
    if (!granted) {
      await this.#tell(address)
      throw errors.tooManyAttempts(refused?.retryAfterMs ?? failuresOfUser.periodMs)
    }
    const isRight = await isPassword(password, kept)
    if (isRight) await limits.giveBack(takes)
    return isRight
  }

  /** Once for an address, however long the guessing goes on. */
  async #tell(address: string): Promise<void> {
    const { limits, events } = this.#parts
    const bucket = { key: `cluster-login-told:${address}`, capacity: 1, periodMs: failuresOfAddress.periodMs }
    if (!(await limits.take([{ bucket, amount: 1 }])).granted) return
    const message = `too many failed log-ins from ${address}`
    await events.add(undefined, { severity: 'WARNING', type: 'login_limited', originator: 'cluster', message })
  }

  #isRemembered(mark: string): boolean {
    const at = this.#right.get(mark)
    return at !== undefined && Math.abs(this.#parts.clock.now() - at) < rememberedMs
  }

  #remember(mark: string): void {
    this.#right.delete(mark)
    this.#right.set(mark, this.#parts.clock.now())
    if (this.#right.size <= maxRemembered) return
    const [oldest] = this.#right.keys()
    if (oldest !== undefined) this.#right.delete(oldest)
  }
}

const takesOf = (email: string, address: string): Take[] => [
  { bucket: { key: `cluster-login:${address}:${email.toLowerCase().slice(0, 254)}`, ...failuresOfUser }, amount: 1 },
  { bucket: { key: `cluster-login:${address}`, ...failuresOfAddress }, amount: 1 },
]
