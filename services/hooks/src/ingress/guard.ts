// Keeps who may come in, through every change of the configuration.
import type { Kernel } from '@atoll/kernel/kernel'
import type { HooksConfig } from '../config.ts'
import { type Access, accessOf, type KeptDigests } from './access.ts'
import { checkSecrets, type NamedSecret } from './check-secrets.ts'
import { ensureTokens, type FirstTokens } from './first-start.ts'
import { endedId, tokensChanged } from './replace-token.ts'
import { digestOf } from './sender-tokens.ts'
import { findTokenRow } from './token-store.ts'

export interface GuardNeeds {
  kernel: Pick<Kernel, 'db' | 'clock' | 'ids' | 'events' | 'log'>
  hooks: HooksConfig
  /** Of ATOLL_HOOKS_TOKEN. */
  givenToken?: string | undefined
  /** Secrets of other services, which no hook token may be. */
  otherSecrets?: readonly NamedSecret[] | undefined
}

export class Guard {
  readonly made: FirstTokens['made']
  readonly #needs: GuardNeeds
  readonly #stopListening: () => void
  #hooks: HooksConfig
  #kept: KeptDigests
  access: Access

  /** Throws a ConfigError, before anything is made, when the configuration cannot be. */
  static async open(asked: GuardNeeds): Promise<Guard> {
    const needs = { ...asked, givenToken: await stillValid(asked) }
    check(needs, needs.hooks, {})
    const { kept, made } = await ensureTokens(needs.kernel, needs.hooks, needs.givenToken)
    return new Guard(needs, kept, made)
  }

  private constructor(needs: GuardNeeds, kept: KeptDigests, made: FirstTokens['made']) {
    this.#needs = needs
    this.#hooks = needs.hooks
    this.#kept = kept
    this.made = made
    this.access = this.#accessOf(needs.hooks)
    this.#stopListening = needs.kernel.events.subscribe(tokensChanged, () => {
      this.#readAgain().catch((error: unknown) => needs.kernel.log.error({ err: error }, 'Tokens cannot be read again'))
    })
  }

  /** Old secrets are gone at once; all stays as it is when the new ones cannot be. */
  change(hooks: HooksConfig): void {
    this.access = this.#accessOf(hooks)
    this.#hooks = hooks
  }

  close(): void {
    this.#stopListening()
  }

  /** Somebody replaced one. */
  async #readAgain(): Promise<void> {
    this.#needs.givenToken = await stillValid(this.#needs)
    this.#kept = (await ensureTokens(this.#needs.kernel, this.#hooks, this.#needs.givenToken)).kept
    this.access = this.#accessOf(this.#hooks)
  }

  #accessOf(hooks: HooksConfig): Access {
    check(this.#needs, hooks, this.#kept)
    return accessOf(hooks, this.#needs.givenToken, this.#kept)
  }
}

/** A token that was replaced stays invalid, whatever the environment of a later start says. */
async function stillValid({ kernel, givenToken }: GuardNeeds): Promise<string | undefined> {
  if (givenToken === undefined) return undefined
  const ended = await findTokenRow(kernel.db.queries, endedId(digestOf(givenToken).toString('base64url')))
  if (ended === undefined) return givenToken
  kernel.log.warn({}, 'ATOLL_HOOKS_TOKEN was replaced by ./atoll keys and stays invalid; leave it out')
  return undefined
}

const check = ({ givenToken: given, otherSecrets: others = [] }: GuardNeeds, hooks: HooksConfig, kept: KeptDigests) =>
  checkSecrets(hooks, { given, others, kept })
