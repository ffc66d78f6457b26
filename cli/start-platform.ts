// Starts the platform.
import { readFile } from 'node:fs/promises'
import { listen } from '@atoll/kernel/http/listen'
import type { Listener } from '@atoll/kernel/http/options'
import { selfSignedCertificate } from '@atoll/kernel/http/self-signed'
import { createPlatform, type Platform } from '@atoll/platform/platform'
import type { AtollConfig } from './config.ts'
import { listenOptions, type Parts } from './parts.ts'

export async function startPlatform(parts: Parts): Promise<{ platform: Platform; listener: Listener }> {
  const { kernel, config, closing } = parts
  const platform = createPlatform(kernel, config.platform)
  closing.push(() => platform.close())
  const tls = await tlsOf(config)
  const listener = await listen(platform.service, {
    address: { host: config.host, port: config.port },
    ...(tls ? { tls } : {}),
    ...(config.cors ? { cors: { origins: config.cors.origins.includes('*') ? '*' : config.cors.origins } } : {}),
    ...listenOptions(parts),
  })
  closing.push(() => listener.close(config.shutdown.graceSeconds * 1000))
  return { platform, listener }
}

async function tlsOf({ tls, data }: AtollConfig): Promise<{ cert: string; key: string } | undefined> {
  if (tls === 'off') return undefined
  if (tls === 'self-signed') return selfSignedCertificate(data)
  return { cert: await readFile(tls.certificate, 'utf8'), key: await readFile(tls.key, 'utf8') }
}
