// Who may come in, as configured now: replaced as a whole when the configuration is read again, so that an old
// secret is gone at once.
import { ConfigError } from '@atoll/kernel/config/config-error'
import { addressList, type IngressConfig } from './config.ts'
import { digestOf, type SenderToken } from './sender-tokens.ts'

export interface Access {
  tokens: readonly SenderToken[]
  adminDigest: Buffer
  mayQuery: boolean
  isTrustedProxy: (address: string) => boolean
}

/** Digests of what was made at the first start; used where nobody gave anything. */
export interface KeptDigests {
  hook?: Buffer | undefined
  admin?: Buffer | undefined
}

type Tokens = Pick<IngressConfig, 'token' | 'tokens'>
type Settings = Tokens & Pick<IngressConfig, 'enabled' | 'adminToken' | 'queryToken' | 'trustedProxies'>

/** `given`: of ATOLL_HOOKS_TOKEN. */
export const hasToken = ({ token, tokens }: Tokens, given: string | undefined): boolean =>
  token !== undefined || given !== undefined || tokens.length > 0

export function accessOf(config: Settings, given: string | undefined, kept: KeptDigests): Access {
  const main = config.token ?? given
  const made = hasToken(config, given) ? undefined : kept.hook
  const digest = main === undefined ? made : digestOf(main)
  const adminDigest = config.adminToken === undefined ? kept.admin : digestOf(config.adminToken)
  if (adminDigest === undefined) throw new ConfigError(['hooks.adminToken: missing; a start without it makes one'])
  if (digest === undefined && config.tokens.length === 0 && config.enabled !== false) {
    throw new ConfigError(['hooks.token: missing; a start without it and without hooks.enabled makes one'])
  }
  return {
    tokens: [...(digest === undefined ? [] : [{ id: 'token', digest }]), ...config.tokens.map(senderToken)],
    adminDigest,
    mayQuery: config.queryToken,
    isTrustedProxy: addressList(config.trustedProxies),
  }
}

const senderToken = ({ id, token, mappings, signature, setsRoute }: IngressConfig['tokens'][number]): SenderToken => ({
  id,
  digest: digestOf(token),
  mappings: mappings === undefined ? undefined : new Set(mappings),
  signature,
  setsRoute,
})
