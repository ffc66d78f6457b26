// Starts the platform.
import { ConfigError } from '@atoll/kernel/config/config-error'
import { listen } from '@atoll/kernel/http/listen'
import type { Listener, ListenOptions } from '@atoll/kernel/http/options'
import type { Kernel } from '@atoll/kernel/kernel'
import { groupPath, maxQuestionBytes } from '@atoll/kernel/nodes/group'
import { ownAddress } from '@atoll/kernel/nodes/own-address'
import { chatRuntime } from '@atoll/models/config'
import { createPlatform, type Platform } from '@atoll/platform/platform'
import type { ServerFacts } from '@atoll/platform/resources/organization/server/service'
import { type AtollConfig, describeAtollConfig } from '../config.ts'
import { consoleUrl } from '../console/address.ts'
import { consoleSite } from '../console/site.ts'
import { homeOf } from './home.ts'
import { listenOptions, type Parts } from './parts.ts'
import { tlsOf } from './tls.ts'

interface StartedPlatform {
  platform: Platform
  listener: Listener
  consoleUrl: string
}

export async function startPlatform(parts: Parts): Promise<StartedPlatform> {
  const { kernel, config, closing } = parts
  const platform = createPlatform(kernel, config.platform, {
    server: factsOf(config),
    neighbours: { connections: parts.neighbours, absent: parts.absent },
  })
  closing.push(() => platform.close())
  await refuseUnservable(platform, config)
  const listener: Listener = await listen(platform.service, {
    address: { host: config.host, port: config.port },
    ...(await tlsOf(config)),
    ...(config.cors ? { cors: { origins: config.cors.origins.includes('*') ? '*' : config.cors.origins } } : {}),
    ...listenOptions(parts, 'platform'),
    site: consoleSite(platform.console.isOwnHost),
    forwarding: platform.console.forwarding,
    ...groupOf(kernel),
    home: homeOf(parts, 'platform', () => listener.url),
  })
  kernel.group?.announce(config.nodes.address ?? ownAddress(listener.url))
  closing.push(() => listener.close(config.shutdown.graceSeconds * 1000))
  return { platform, listener, consoleUrl: consoleUrl(listener.url, config.platform.console.hosts) }
}

const groupOf = ({ group }: Kernel): Pick<ListenOptions, 'group'> =>
  group === undefined
    ? {}
    : { group: { path: groupPath, maxBytes: maxQuestionBytes, receive: (bytes) => group.receive(bytes) } }

const factsOf = (config: AtollConfig): ServerFacts => ({
  settings: () => describeAtollConfig(config).map(({ key: id, ...setting }) => ({ id, ...setting })),
  checks: async () => (await import('../doctor/ask-doctor.ts')).askDoctor(config.data),
})

/** A model file that cannot answer is found now, not by the first caller. */
async function refuseUnservable({ inference }: Platform, { platform }: AtollConfig): Promise<void> {
  const chat = platform.chatModel === undefined ? 'the newest of the models folder' : 'platform.chatModel (--model)'
  const found = await inference.runtimes.check()
  const problems = found.map(({ name, message }) => {
    const setting = name === chatRuntime ? chat : `platform.runtimes.${name}`
    return `${setting}: ${message}`
  })
  if (problems.length > 0) throw new ConfigError(problems)
}
