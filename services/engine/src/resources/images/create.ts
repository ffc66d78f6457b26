// POST /images/create: an image from a registry (`fromImage`), or from a tar of a root file system (`fromSrc`).
import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { Reply } from '@atoll/kernel/http/reply'
import { invalidParameter, notFound } from '../../errors.ts'
import type { ImageRegistry } from '../../images/image-registry.ts'
import { parsePlatform } from '../../images/platform.ts'
import { progressReply } from '../../images/progress.ts'
import { isReference, parseReference } from '../../images/reference.ts'
import { readRegistryAuth } from '../../images/registry/auth-header.ts'
import type { ImagesService } from './service.ts'

interface CreateQuery {
  fromImage: string
  fromSrc: string
  repo: string
  tag: string
  message: string
  platform: string
  changes: readonly string[]
}

interface Request {
  body: Readable
  headers: IncomingHttpHeaders
  signal: AbortSignal
}

const connectSeconds = 30

export async function createOrPull(
  { service, registry }: { service: ImagesService; registry: ImageRegistry },
  query: CreateQuery,
  { body, headers, signal }: Request,
): Promise<Reply> {
  if (query.fromImage !== '') {
    body.resume()
    return pull(registry, query, headers, signal)
  }
  if (query.fromSrc === '') throw invalidParameter('fromImage or fromSrc is missing: where the image comes from')
  const { repo, tag, message, platform, changes } = query
  const isHere = query.fromSrc === '-'
  const input = isHere ? body : await openUrl(query.fromSrc, signal)
  if (!isHere) body.resume()
  const told = message === '' ? `Imported from ${query.fromSrc}` : message
  return progressReply(service.importFrom(input, { repo, tag, message: told, platform, changes, signal }))
}

/** All tags when neither the name nor the query has one: clients that want `latest` say so. */
function pull(registry: ImageRegistry, query: CreateQuery, headers: IncomingHttpHeaders, signal: AbortSignal) {
  const { fromImage, tag, platform } = query
  const { digest, tag: written } = parseReference(fromImage)
  const isAll = tag === '' && digest === undefined && written === undefined
  if (tag !== '' && !isReference(tag.includes(':') ? `x@${tag}` : `x:${tag}`)) {
    throw invalidParameter('invalid reference format')
  }
  const auth = readRegistryAuth(headers, fromImage)
  const messages = registry.pull(fromImage, {
    ...(tag !== '' && { tag }),
    ...(isAll && { isAll }),
    ...(platform !== '' && { platform: parsePlatform(platform) }),
    ...(auth !== undefined && { auth }),
    signal,
  })
  return progressReply(messages, false)
}

async function openUrl(address: string, signal: AbortSignal): Promise<Readable> {
  const url = URL.canParse(address) ? address : `http://${address}`
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw invalidParameter(`fromSrc ${address.slice(0, 200)} is no address`)
  const giveUp = AbortSignal.timeout(connectSeconds * 1_000)
  try {
    const controller = new AbortController()
    const stop = () => controller.abort()
    signal.addEventListener('abort', stop)
    giveUp.addEventListener('abort', stop)
    const response = await fetch(url, { signal: controller.signal })
    giveUp.removeEventListener('abort', stop)
    if (!response.ok || response.body === null) {
      throw notFound(`${url} answered ${response.status} ${response.statusText}`)
    }
    return Readable.fromWeb(response.body as ReadableStream)
  } catch (error) {
    if (!(error instanceof TypeError) && !giveUp.aborted) throw error
    throw invalidParameter(`${url} cannot be fetched: ${error instanceof Error ? error.message : 'no answer'}`)
  }
}
