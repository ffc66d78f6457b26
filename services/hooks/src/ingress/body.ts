// Reads the body of a hook: any content type, bounded in size, time and depth.
import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import { BodyTooLarge, BodyTooSlow, readBytes } from '@atoll/kernel/http/body-bytes'
import { isDeeperThan } from '@atoll/kernel/http/json-body'
import { kernelErrors } from '../errors.ts'

const maxDepth = 64

export interface BodyLimits {
  maxBodyBytes: number
  /** For the whole of it: a body that comes byte by byte is given up too. */
  bodySeconds: number
}

export async function readHookBody(source: Readable, { maxBodyBytes, bodySeconds }: BodyLimits): Promise<Buffer> {
  const limitMs = bodySeconds * 1000
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new BodyTooSlow()), limitMs)
  })
  const reading = readBytes(source, maxBodyBytes, limitMs)
  reading.catch(() => undefined)
  try {
    return await Promise.race([reading, late])
  } catch (error) {
    throw error instanceof BodyTooLarge ? kernelErrors.bodyTooLarge(maxBodyBytes) : error
  } finally {
    clearTimeout(timer)
  }
}

/** Nothing, and JSON that is no object, is an empty one. Throws what is wrong with the rest. */
export function parsePayload(bytes: Buffer): Record<string, unknown> {
  if (!isUtf8(bytes)) throw kernelErrors.invalidJson()
  const text = bytes.toString('utf8')
  if (text.trim() === '') return {}
  const value = parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {}
  if (isDeeperThan(value, maxDepth)) throw kernelErrors.jsonTooDeep(maxDepth)
  return value as Record<string, unknown>
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw kernelErrors.invalidJson()
  }
}
