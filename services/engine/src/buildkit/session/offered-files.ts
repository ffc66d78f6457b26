// Folders of a client, and archives that it was given on its standard input.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { codes, GrpcFailure } from '../../grpc/status.ts'
import type { BuildWorkspace } from '../../images/build-store.ts'
import { BytesMessage, methods } from '../protocol/session.ts'
import { IncomingFiles } from './incoming-files.ts'
import { type KeptFolders, type KnownEntries, removeStale } from './kept-folders.ts'
import { mayOffer, type Session } from './sessions.ts'

export interface FolderRequest {
  /** The client's name for it: `context`, `dockerfile`, or one of its own. */
  name: string
  /** Patterns of what the client leaves out. */
  excludes?: readonly string[]
  /** What it sends at most, with what links lead to; absent: everything. */
  paths?: readonly string[] | undefined
}

export interface Transfer {
  signal: AbortSignal
  onBytes(bytes: number): void
  /** Where folders are kept from build to build; absent: it is not worth it. */
  kept?: KeptFolders | undefined
}

export interface FetchedFolder {
  folder: string
  /** For the next build, when this one needs it no more. */
  keep(): Promise<void>
}

/** Fetches a folder of the client's; what it sent of it last time is taken from there, where `kept` is given. */
export async function fetchFolder(
  session: Session,
  workspace: BuildWorkspace,
  { name, excludes = [], paths = [] }: FolderRequest,
  { signal, onBytes, kept }: Transfer,
): Promise<FetchedFolder> {
  if (!mayOffer(session, methods.diffCopy)) throw notOffered('files', methods.diffCopy)
  const place = await workspace.folder('files')
  const keeper = session.sharedKey === '' ? undefined : kept
  const key = JSON.stringify([session.sharedKey, name])
  const known = await (keeper?.take(key, place) ?? noneKnown(place))
  const folder = join(place, 'files')
  const metadata = {
    'dir-name': [name],
    ...encoded('exclude-patterns', excludes),
    ...encoded('followpaths', paths),
  }
  const both = AbortSignal.any([signal, session.signal])
  const stream = session.client.open(methods.diffCopy, { metadata, signal: both })
  const incoming = new IncomingFiles(stream, onBytes, known)
  if (known.size > 0) await removeStale(folder, known, (await incoming.list()).entries)
  await workspace.unpack(Readable.from(incoming.tar(), { objectMode: false }), folder)
  const listed = await incoming.list()
  return { folder, keep: async () => keeper?.keep(key, place, known, listed) }
}

async function noneKnown(place: string): Promise<KnownEntries> {
  await mkdir(join(place, 'files'))
  return new Map()
}

/** An archive on the client's standard input, by the path that the client gave it. */
export function pullUpload(session: Session, path: string, { signal, onBytes }: Transfer): Readable {
  if (!mayOffer(session, methods.pull)) throw notOffered('its standard input', methods.pull)
  const both = AbortSignal.any([signal, session.signal])
  const metadata = { urlpath: [path], urlhost: ['buildkit-session'] }
  const stream = session.client.open(methods.pull, { metadata, signal: both })
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for await (const bytes of stream.read()) {
      const { data } = BytesMessage.decode(bytes)
      onBytes(data.length)
      yield Buffer.from(data)
    }
  }
  return Readable.from(pieces(), { objectMode: false })
}

export const notOffered = (what: string, method: string): GrpcFailure =>
  new GrpcFailure(codes.failedPrecondition, `the client does not offer ${what} (${method})`)

/** Where a value has other letters than headers take, all of the key are escaped, and that is said. */
function encoded(key: string, values: readonly string[]): Record<string, string[]> {
  if (values.length === 0) return {}
  if (values.every((value) => /^[ -~]*$/.test(value) && value.trim() === value)) return { [key]: [...values] }
  return { [key]: values.map(encodeURIComponent), [`${key}-encoded`]: ['1'] }
}
