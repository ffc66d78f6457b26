// How the platform's console reaches a service that asks others for credentials: by a listener inside this process.
import { listenInside } from '@atoll/kernel/http/listen'
import type { HttpService } from '@atoll/kernel/http/service'
import { listenOptions, type Parts } from './parts.ts'

export async function listenForConsole<Callers>(
  parts: Parts,
  name: 'hooks' | 'cluster',
  service: HttpService<Callers>,
): Promise<void> {
  const { config, closing, neighbours } = parts
  if (!config.services.includes('platform')) return
  const listener = await listenInside(service, { ...listenOptions(parts), from: 'console' })
  neighbours.set(name, () => listener.connect())
  closing.push(async () => {
    neighbours.delete(name)
    await listener.close()
  })
}
