// Starts the platform.
import { listen } from '@atoll/kernel/http/listen'
import type { Listener } from '@atoll/kernel/http/options'
import { createPlatform, type Platform } from '@atoll/platform/platform'
import { checkModelFiles } from './check-model-files.ts'
import { listenOptions, type Parts } from './parts.ts'
import { tlsOf } from './tls.ts'

export async function startPlatform(parts: Parts): Promise<{ platform: Platform; listener: Listener }> {
  const { kernel, config, closing } = parts
  await checkModelFiles(config)
  const platform = createPlatform(kernel, config.platform)
  closing.push(() => platform.close())
  const listener = await listen(platform.service, {
    address: { host: config.host, port: config.port },
    ...(await tlsOf(config)),
    ...(config.cors ? { cors: { origins: config.cors.origins.includes('*') ? '*' : config.cors.origins } } : {}),
    ...listenOptions(parts, 'platform'),
  })
  closing.push(() => listener.close(config.shutdown.graceSeconds * 1000))
  return { platform, listener }
}
