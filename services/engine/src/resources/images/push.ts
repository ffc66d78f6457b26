// POST /images/:name/push: one tag of an image, or all of them, to the registry in its name.
import type { IncomingHttpHeaders } from 'node:http'
import type { Reply } from '@atoll/kernel/http/reply'
import { z } from 'zod'
import { invalidParameter } from '../../errors.ts'
import type { ImageRegistry } from '../../images/image-registry.ts'
import type { Platform } from '../../images/images.ts'
import { progressReply } from '../../images/progress.ts'
import { parseReference } from '../../images/reference.ts'
import { readRegistryAuth } from '../../images/registry/auth-header.ts'

const PlatformForm = z.object({ os: z.string(), architecture: z.string(), variant: z.string().optional() })

interface PushRequest {
  tag: string
  /** JSON. */
  platform: string
  headers: IncomingHttpHeaders
  signal: AbortSignal
}

export async function pushReply(
  registry: ImageRegistry,
  name: string,
  { tag, platform, headers, signal }: PushRequest,
): Promise<Reply> {
  parseReference(name)
  const auth = readRegistryAuth(headers, name)
  const messages = registry.push(name, {
    ...(tag !== '' && { tag }),
    ...(platform !== '' && { platform: readPlatform(platform) }),
    ...(auth !== undefined && { auth }),
    signal,
  })
  return progressReply(messages, false)
}

function readPlatform(text: string): Platform {
  try {
    const { os, architecture, variant } = PlatformForm.parse(JSON.parse(text))
    return { os, architecture, ...(variant && { variant }) }
  } catch {
    throw invalidParameter('platform must be a JSON object with os and architecture')
  }
}
