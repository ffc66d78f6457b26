// A large file through the uploads API. Which parts are there is kept in this browser: the same file, dropped again
// after a failure or in a page that was opened anew, goes on after its last part.
import { ApiError } from './api-error.ts'
import { ask } from './client.ts'
import { sendForm } from './send-form.ts'
import type { FileObject, UploadObject, UploadPart } from './types.ts'

export interface Upload {
  file: File
  purpose: string
  project: string
  /** From 0 to 1. */
  onProgress(share: number): void
}

const partBytes = 16 * 1024 ** 2
const tries = 5
const firstPauseMs = 1_000

interface Begun {
  id: string
  partIds: string[]
  /** Seconds since 1970. */
  expiresAt: number
}

export async function uploadInParts(wanted: Upload): Promise<FileObject> {
  const key = keyOf(wanted)
  const earlier = keptOf(key)
  if (earlier !== undefined) {
    try {
      return await goOn(wanted, key, earlier)
    } catch (error) {
      // It was cancelled, or has expired: there is nothing to go on from.
      if (!isRefused(error)) throw error
    }
  }
  return goOn(wanted, key, await begin(wanted))
}

async function begin({ file, purpose, project }: Upload): Promise<Begun> {
  const body = { purpose, filename: file.name, bytes: file.size, ...(file.type ? { mime_type: file.type } : {}) }
  const { id, expires_at } = await ask<UploadObject>('/v1/uploads', { method: 'POST', body, project })
  return { id, partIds: [], expiresAt: expires_at }
}

async function goOn({ file, project, onProgress }: Upload, key: string, begun: Begun): Promise<FileObject> {
  const path = `/v1/uploads/${begun.id}`
  const { partIds } = begun
  for (let start = partIds.length * partBytes; start < file.size; start = partIds.length * partBytes) {
    const form = new FormData()
    const data = file.slice(start, start + partBytes)
    form.append('data', data)
    const tell = (share: number) => onProgress((start + share * data.size) / file.size)
    const part = await persist(() => sendForm<UploadPart>({ path: `${path}/parts`, form, project, onProgress: tell }))
    partIds.push(part.id)
    localStorage.setItem(key, JSON.stringify(begun))
  }
  const whole = await persist(() =>
    ask<UploadObject>(`${path}/complete`, { method: 'POST', body: { part_ids: partIds }, project }),
  )
  localStorage.removeItem(key)
  if (whole.file === undefined) throw new Error('The server took the upload and named no file.')
  return whole.file
}

/** What may be over in a moment is tried again; what was refused is not. */
async function persist<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (isRefused(error) || attempt === tries) throw error
      const pauseMs = firstPauseMs * 2 ** (attempt - 1)
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
}

const isRefused = (error: unknown): boolean => error instanceof ApiError && error.status < 500 && error.status !== 429

/** The same file, for the same purpose, in the same project. */
const keyOf = ({ file, purpose, project }: Upload): string =>
  `atoll.upload:${JSON.stringify([project, purpose, file.name, file.size, file.lastModified])}`

function keptOf(key: string): Begun | undefined {
  const text = localStorage.getItem(key)
  if (text === null) return undefined
  localStorage.removeItem(key)
  const kept = JSON.parse(text) as Begun
  return kept.expiresAt > Date.now() / 1000 ? kept : undefined
}
