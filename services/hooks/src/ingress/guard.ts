// Keeps who may come in, through every change of the configuration.
import type { Kernel } from '@atoll/kernel/kernel'
import type { HooksConfig } from '../config.ts'
import { type Access, accessOf, type KeptDigests } from './access.ts'
import { checkSecrets, type NamedSecret } from './check-secrets.ts'
import { ensureTokens, type FirstTokens } from './first-start.ts'

export interface GuardNeeds {
  kernel: Pick<Kernel, 'db' | 'clock' | 'ids'>
  hooks: HooksConfig
  /** Of ATOLL_HOOKS_TOKEN. */
  givenToken?: string | undefined
  /** Secrets of other services, which no hook token may be. */
  otherSecrets?: readonly NamedSecret[] | undefined
}

export class Guard {
  readonly made: FirstTokens['made']
  readonly #needs: GuardNeeds
  readonly #kept: KeptDigests
  access: Access

  /** Throws a ConfigError, before anything is made, when the configuration cannot be. */
  static async open(needs: GuardNeeds): Promise<Guard> {
    check(needs, needs.hooks, {})
    const { kept, made } = await ensureTokens(needs.kernel, needs.hooks, needs.givenToken)
    return new Guard(needs, kept, made)
  }

  private constructor(needs: GuardNeeds, kept: KeptDigests, made: FirstTokens['made']) {
    this.#needs = needs
    this.#kept = kept
    this.made = made
    this.access = this.#accessOf(needs.hooks)
  }

  /** Old secrets are gone at once; all stays as it is when the new ones cannot be. */
  change(hooks: HooksConfig): void {
    this.access = this.#accessOf(hooks)
  }

  #accessOf(hooks: HooksConfig): Access {
    check(this.#needs, hooks, this.#kept)
    return accessOf(hooks, this.#needs.givenToken, this.#kept)
  }
}

const check = ({ givenToken: given, otherSecrets: others = [] }: GuardNeeds, hooks: HooksConfig, kept: KeptDigests) =>
  checkSecrets(hooks, { given, others, kept })
