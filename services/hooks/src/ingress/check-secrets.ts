// Refuses a configuration in which a hook token is missing, or is one of the system's other secrets (HOOK-003, HOOK-016).
import { ConfigError } from '@atoll/kernel/config/config-error'
import type { HooksConfig } from '../config.ts'
import { hasToken, type KeptDigests } from './access.ts'
import { digestOf } from './sender-tokens.ts'
import type { SignatureConfig } from './signatures/schema.ts'

/** Named as the operator knows it. */
export interface NamedSecret {
  name: string
  value: string
}

export interface SecretsAround {
  /** Of ATOLL_HOOKS_TOKEN. */
  given?: string | undefined
  /** Of other services: keys, passwords. */
  others: readonly NamedSecret[]
  kept: KeptDigests
}

type Settings = Pick<HooksConfig, 'enabled' | 'token' | 'tokens' | 'adminToken' | 'mappings'>

export function checkSecrets(config: Settings, { given, others, kept }: SecretsAround): void {
  if (config.enabled && !hasToken(config, given)) throw new ConfigError(['hooks.enabled requires hooks.token'])
  const taken = [...others, ...ownSecrets(config)].map(({ name, value }) => ({ name, digest: digestOf(value) }))
  if (config.adminToken === undefined && kept.admin) taken.push({ name: 'the admin token', digest: kept.admin })
  const problems: string[] = []
  for (const { name, value } of hookTokens(config, given)) {
    const digest = digestOf(value)
    const same = taken.find((secret) => secret.digest.equals(digest))
    if (same) problems.push(`${name}: the same as ${same.name}; a hook token must be a secret of its own`)
    taken.push({ name, digest })
  }
  problems.push(...sameIds(config))
  if (problems.length > 0) throw new ConfigError(problems)
}

function hookTokens({ token, tokens }: Settings, given: string | undefined): NamedSecret[] {
  return [
    ...(token === undefined ? [] : [{ name: 'hooks.token', value: token }]),
    // Whoever writes the same into both means one.
    ...(given === undefined || given === token ? [] : [{ name: 'ATOLL_HOOKS_TOKEN', value: given }]),
    ...tokens.map((each, index) => ({ name: `hooks.tokens[${index}].token`, value: each.token })),
  ]
}

function ownSecrets({ adminToken, tokens, mappings }: Settings): NamedSecret[] {
  return [
    ...(adminToken === undefined ? [] : [{ name: 'hooks.adminToken', value: adminToken }]),
    ...tokens.flatMap(({ signature }, index) => signatureSecrets(`hooks.tokens[${index}]`, signature)),
    ...mappings.flatMap(({ signature }, index) => signatureSecrets(`hooks.mappings[${index}]`, signature)),
  ]
}

const signatureSecrets = (place: string, signature: SignatureConfig | undefined): NamedSecret[] =>
  (signature?.secrets ?? []).map((value) => ({ name: `${place}.signature.secrets`, value }))

/** Deliveries and their keys belong to a token by its id. */
function sameIds({ tokens }: Settings): string[] {
  const seen = new Set(['token', 'replay'])
  return tokens.flatMap(({ id }, index) => {
    const isTaken = seen.has(id)
    seen.add(id)
    return isTaken ? [`hooks.tokens[${index}].id: ${id} is taken; every token has an id of its own`] : []
  })
}
