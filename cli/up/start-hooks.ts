// Starts the webhook gateway.

import { forConsole } from '@atoll/hooks/admin/for-console'
import { createHooks, type Hooks } from '@atoll/hooks/hooks'
import type { NamedSecret } from '@atoll/hooks/ingress/check-secrets'
import { ConfigError } from '@atoll/kernel/config/config-error'
import { fetchInside } from '@atoll/kernel/http/forward/fetch-inside'
import { listen, listenInside } from '@atoll/kernel/http/listen'
import type { Listener } from '@atoll/kernel/http/options'
import type { Platform } from '@atoll/platform/platform'
import type { AtollConfig } from '../config.ts'
import { homeOf } from './home.ts'
import { hooksPlatformKey } from './hooks-platform-key.ts'
import { listenForConsole } from './listen-for-console.ts'
import { listenOptions, type Parts } from './parts.ts'
import { portOf } from './ports.ts'
import { tlsOf } from './tls.ts'

/** Of the same process; absent where it runs elsewhere. */
export interface LocalPlatform {
  platform: Platform
  url: string
}

export interface StartedHooks {
  listener: Listener
  made: Hooks['made']
}

export async function startHooks(parts: Parts, local: LocalPlatform | undefined): Promise<StartedHooks> {
  const { kernel, config, closing, reloading } = parts
  const graceMs = config.shutdown.graceSeconds * 1000
  const hooks = await createHooks({
    kernel,
    config,
    platform: await platformAddress(parts, local),
    givenToken: config.adopt.hooksToken,
    otherSecrets: otherSecrets(config),
  })
  closing.push(() => hooks.close(graceMs))
  const listener: Listener = await listen(hooks.service, {
    address: { host: config.host, port: portOf(config, 'hooks') },
    ...(await tlsOf(config)),
    ...listenOptions(parts, 'hooks'),
    home: homeOf(parts, 'hooks', () => listener.url),
  })
  closing.push(() => listener.close(graceMs))
  await listenForConsole(parts, 'hooks', forConsole(hooks.service))
  // First: what is wrong with it is found before anybody has taken anything on.
  reloading.unshift((next) => hooks.reload(next.hooks))
  await hooks.start()
  return { listener, made: hooks.made }
}

/** A configured platform beats the one beside it. */
async function platformAddress(parts: Parts, local: LocalPlatform | undefined) {
  const { kernel, config } = parts
  const { url, apiKeyEnv } = config.agents.platform
  if (url === undefined) {
    if (local === undefined) throw new ConfigError([noPlatform])
    const apiKey = await hooksPlatformKey(kernel, local.platform.identity)
    return { url: local.url, apiKey, fetch: await wayPastTls(parts, local) }
  }
  const apiKey = apiKeyEnv === undefined ? undefined : process.env[apiKeyEnv]
  if (apiKey) return { url, apiKey }
  const problem = apiKeyEnv === undefined ? 'missing; it names the variable that holds' : `${apiKeyEnv} is not set to`
  throw new ConfigError([`agents.platform.apiKeyEnv: ${problem} the key for ${url}`])
}

/** Nobody but clients outside need trust the certificate, and it need not name the address that we would call. */
async function wayPastTls(parts: Parts, { platform }: LocalPlatform): Promise<typeof fetch | undefined> {
  if (parts.config.tls === 'off') return undefined
  const listener = await listenInside(platform.service, { ...listenOptions(parts), from: 'hooks' })
  parts.closing.push(() => listener.close())
  return fetchInside(() => listener.connect())
}

const noPlatform =
  'agents.platform.url: missing; hooks run agents on a platform. Start one beside it (--only platform,hooks), or name one'

/** What no hook token may be (HOOK-016). */
function otherSecrets({ adopt, agents }: AtollConfig): NamedSecret[] {
  const { apiKey, adminKey, clusterAdmin } = adopt
  const { apiKeyEnv } = agents.platform
  const named = {
    ATOLL_API_KEY: apiKey,
    ATOLL_ADMIN_KEY: adminKey,
    'the password in ATOLL_CLUSTER_ADMIN': clusterAdmin?.slice(clusterAdmin.indexOf(':') + 1),
    ...(apiKeyEnv === undefined ? {} : { [apiKeyEnv]: process.env[apiKeyEnv] }),
  }
  return Object.entries(named).flatMap(([name, value]) => (value ? [{ name, value }] : []))
}
