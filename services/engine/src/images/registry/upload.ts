// A blob into a registry: mounted from another repository there, at once, or piece by piece with a way to go on.
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Descriptor, ImageBlobs } from '../image-intake.ts'
import { nonsense, RegistryProblem } from './failure.ts'
import type { RegistrySession } from './session.ts'
import { sliceOf } from './slice.ts'
import type { WireAnswer } from './wire.ts'

/** Up to this size a blob goes in one request: there is little to lose. */
const maxAtOnceBytes = 1024 ** 2
const maxTriesWithoutGain = 5

interface Upload {
  session: RegistrySession
  blobs: Pick<ImageBlobs, 'openBlob'>
  path: string
  blob: Pick<Descriptor, 'digest' | 'size'>
  /** The path of a repository of the same registry that may have the blob. */
  mountFrom?: string | undefined
  signal: AbortSignal
  onProgress(bytes: number): void
  onRetry(delaySeconds: number): void
}

type Uploaded = 'pushed' | 'mounted'

export async function hasBlob({
  session,
  path,
  blob,
  signal,
}: Pick<Upload, 'session' | 'path' | 'blob' | 'signal'>): Promise<boolean> {
  const answer = await session.sendRaw({ method: 'HEAD', to: `/v2/${path}/blobs/${blob.digest}`, signal })
  answer.body.destroy()
  if (answer.status === 404) return false
  if (answer.status >= 400) throw await session.refusalOf(answer)
  return true
}

export async function uploadBlob(upload: Upload): Promise<Uploaded> {
  const { session, signal } = upload
  let place: Place | undefined
  let furthest = 0
  for (let tries = 1; ; tries++) {
    try {
      place = place === undefined ? await begin(upload) : await whereIs(upload, place)
      if (place === undefined) return 'mounted'
      await sendRest(upload, place)
      return 'pushed'
    } catch (problem) {
      signal.throwIfAborted()
      if (!(problem instanceof RegistryProblem)) throw problem
      const isLost = uploadLost.has(problem.code)
      if (isLost) place = undefined
      const length = place?.offset ?? 0
      if (length > furthest) tries = 1
      furthest = Math.max(furthest, length)
      if ((!problem.isPassing && !isLost) || tries >= maxTriesWithoutGain) throw problem
      const delayMs = session.wire.patience.backoffMs * 2 ** (tries - 1)
      upload.onRetry(Math.ceil(delayMs / 1000))
      await sleep(delayMs, undefined, { signal })
    }
  }
}

/** The registry knows no more of an upload: it has to begin anew. */
const uploadLost = new Set(['BLOB_UPLOAD_UNKNOWN', 'BLOB_UPLOAD_INVALID', 'NOT_FOUND'])

/** An upload that is under way. */
interface Place {
  location: URL
  /** What the registry has of it. */
  offset: number
}

/** Undefined: the blob was mounted, and there is nothing to send. */
async function begin({ session, path, blob, mountFrom, signal }: Upload): Promise<Place | undefined> {
  const query = mountFrom === undefined ? '' : `?${new URLSearchParams({ mount: blob.digest, from: mountFrom })}`
  const answer = await session.send({
    method: 'POST',
    to: `/v2/${path}/blobs/uploads/${query}`,
    ...(mountFrom !== undefined && { scopes: [`repository:${mountFrom}:pull`] }),
    signal,
  })
  answer.body.resume()
  return answer.status === 201 ? undefined : { location: locationOf(answer), offset: 0 }
}

async function whereIs({ session, signal }: Upload, place: Place): Promise<Place> {
  const answer = await session.send({ method: 'GET', to: place.location, signal })
  answer.body.resume()
  const end = /^(?:bytes=)?0-(\d+)$/.exec(answer.headers.range ?? '')?.[1]
  // An upload of nothing and one of a single byte look the same; then it begins anew.
  if (end === undefined || end === '0') throw new RegistryProblem('BLOB_UPLOAD_UNKNOWN', 'the upload has to begin anew')
  return { location: locationOf(answer), offset: Number(end) + 1 }
}

async function sendRest(upload: Upload, place: Place): Promise<void> {
  const { blob } = upload
  if (place.offset > blob.size) throw new RegistryProblem('BLOB_UPLOAD_INVALID', 'the registry has more than was sent')
  if (place.offset === 0 && blob.size <= maxAtOnceBytes) return finish(upload, place, blob.size)
  if (place.offset < blob.size) await stream(upload, place)
  await finish(upload, place, 0)
}

/** All the rest in one request. Only what goes on says where: some registries take that for pieces, which they limit. */
async function stream(upload: Upload, place: Place): Promise<void> {
  const { session, blob, signal } = upload
  const { offset } = place
  const length = blob.size - offset
  const answer = await session.send({
    method: 'PATCH',
    to: place.location,
    headers: {
      'content-type': 'application/octet-stream',
      'content-length': String(length),
      ...(offset > 0 && { 'content-range': `${offset}-${blob.size - 1}` }),
    },
    idleMs: session.wire.patience.commitMs,
    body: () => piece(upload, offset, length),
    signal,
  })
  answer.body.resume()
  place.location = locationOf(answer)
  place.offset = blob.size
}

/** Closes the upload; a small blob goes along. */
async function finish(upload: Upload, { location, offset }: Place, length: number): Promise<void> {
  const to = new URL(location)
  to.searchParams.set('digest', upload.blob.digest)
  const answer = await upload.session.send({
    method: 'PUT',
    to,
    headers: { 'content-type': 'application/octet-stream', 'content-length': String(length) },
    idleMs: upload.session.wire.patience.commitMs,
    ...(length > 0 && { body: () => piece(upload, offset, length) }),
    signal: upload.signal,
  })
  answer.body.resume()
  upload.onProgress(upload.blob.size)
}

const piece = ({ blobs, blob, onProgress }: Upload, offset: number, length: number): Readable =>
  sliceOf(
    () => blobs.openBlob(blob.digest),
    offset,
    length,
    (sent) => onProgress(offset + sent),
  )

function locationOf({ headers, url }: WireAnswer): URL {
  const { location } = headers
  if (location !== undefined && URL.canParse(location, url.href)) return new URL(location, url)
  throw nonsense('the registry does not say where the upload goes')
}
