// Small pieces tests build requests from.
import type { Kernel } from '@atoll/kernel/kernel'

/** What the platform's JSON answers are made of, so that tests read them without ceremony. */
export interface Body {
  id: string
  object: string
  status: string
  bytes: number
  created_at: number
  expires_at: number
  filename: string
  purpose: string
  file: Body
  data: Body[]
  first_id: string | null
  last_id: string | null
  has_more: boolean
  error: ErrorBody
}

export type TestResponse = Omit<Response, 'json'> & { json(): Promise<Body> }

export interface ErrorBody {
  message: string
  type: string
  param: string | null
  code: string | null
}

/** The error of a refused request; all four keys are always there. */
export async function errorOf(response: TestResponse): Promise<ErrorBody> {
  const body = await response.json()
  const keys = Object.keys(body.error ?? {}).sort()
  if (keys.join() !== 'code,message,param,type') throw new Error(`not an error body: ${JSON.stringify(body)}`)
  return body.error
}

export function formOf(
  filename: string,
  content: string | Uint8Array<ArrayBuffer>,
  fields: Record<string, string>,
  fileField = 'file',
): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append(fileField, new Blob([content]), filename)
  return form
}

/** Bytes that differ at every position, so that a misplaced one shows. */
export function patternFile(size: number, seed = 1): Buffer<ArrayBuffer> {
  const bytes = Buffer.alloc(size)
  let state = seed
  for (let at = 0; at < size; at++) {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    bytes[at] = state >>> 16
  }
  return bytes
}

export async function listBlobs(kernel: Pick<Kernel, 'blobs'>): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of kernel.blobs.list()) keys.push(key)
  return keys
}
