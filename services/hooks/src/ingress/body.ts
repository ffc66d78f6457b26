// Reads the body of a hook: any content type, bounded in size, time and depth.
import type { Readable } from 'node:stream'
import { BodyTooLarge, BodyTooSlow, readBytes } from '@atoll/kernel/http/body-bytes'
import { defaultBounds } from '@atoll/kernel/http/json/bounds'
import { parseJson } from '@atoll/kernel/http/json-body'
import { kernelErrors } from '../errors.ts'

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
export async function parsePayload(bytes: Buffer): Promise<Record<string, unknown>> {
  const value = await parseJson(bytes, defaultBounds, kernelErrors)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {}
  return value as Record<string, unknown>
}
