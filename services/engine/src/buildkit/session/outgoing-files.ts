// What a build made, sent to the client: a folder of which it takes what it wants, or an archive.
import { createReadStream } from 'node:fs'
import { lstat, readdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { GrpcStream } from '../../grpc/client.ts'
import { codes, GrpcFailure } from '../../grpc/status.ts'
import { goMode } from '../../images/go-mode.ts'
import { BytesMessage, methods, Packet, packetTypes, type Stat } from '../protocol/session.ts'
import { notOffered } from './offered-files.ts'
import { mayOffer, type Session } from './sessions.ts'

const pieceBytes = 32 * 1024

function openSending(session: Session, exporter: number, signal: AbortSignal): GrpcStream {
  if (!mayOffer(session, methods.sendFiles)) throw notOffered('to take files', methods.sendFiles)
  const metadata = { 'buildkit-attachable-exporter-id': [String(exporter)] }
  const both = AbortSignal.any([signal, session.signal])
  return session.client.open(methods.sendFiles, { metadata, signal: both })
}

export async function sendArchive(
  session: Session,
  archive: Readable,
  exporter: number,
  signal: AbortSignal,
): Promise<void> {
  const stream = openSending(session, exporter, signal)
  const heard = readToEnd(stream)
  heard.catch(() => archive.destroy())
  for await (const chunk of archive as AsyncIterable<Buffer>) {
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      await stream.write(BytesMessage.encode({ data: chunk.subarray(at, at + pieceBytes) }))
    }
  }
  stream.end()
  await heard
}

async function readToEnd(stream: GrpcStream): Promise<void> {
  for await (const _ of stream.read()) {
    // Nothing is said before the end.
  }
}

/** The folder is nobody else's: nothing in it changes while it is read. */
export async function sendFolder(
  session: Session,
  folder: string,
  exporter: number,
  signal: AbortSignal,
): Promise<void> {
  const stream = openSending(session, exporter, signal)
  const paths: string[] = []
  const listing = list(folder, paths, stream)
  listing.catch(() => stream.cancel())
  try {
    for await (const bytes of stream.read()) {
      const { type, id, data } = Packet.decode(bytes)
      if (type === packetTypes.request) await sendFile(stream, id, join(folder, paths[id] ?? nothingAsked(id)))
      else if (type === packetTypes.finish) {
        await stream.write(Packet.encode({ type: packetTypes.finish }))
        stream.end()
      } else if (type === packetTypes.error) throw new GrpcFailure(codes.unknown, Buffer.from(data).toString('utf8'))
    }
  } finally {
    await listing
  }
}

function nothingAsked(id: number): never {
  throw new GrpcFailure(codes.invalidArgument, `file ${id} was asked for, and there is none`)
}

async function sendFile(stream: GrpcStream, id: number, path: string): Promise<void> {
  for await (const data of createReadStream(path, { highWaterMark: pieceBytes })) {
    await stream.write(Packet.encode({ type: packetTypes.data, id, data }))
  }
  await stream.write(Packet.encode({ type: packetTypes.data, id }))
}

/** Parents first, names in the order of their bytes: receivers insist on it. */
async function list(folder: string, paths: string[], stream: GrpcStream): Promise<void> {
  const links = new Map<string, string>()
  const walk = async (inside: string): Promise<void> => {
    const names = await readdir(join(folder, inside), { encoding: 'buffer' })
    for (const bytes of names.toSorted(Buffer.compare)) {
      const path = inside === '' ? bytes.toString('utf8') : `${inside}/${bytes.toString('utf8')}`
      const stat = await statOf(folder, path, links)
      paths.push(path)
      await stream.write(Packet.encode({ type: packetTypes.stat, stat }))
      if (stat.isFolder) await walk(path)
    }
  }
  await walk('')
  await stream.write(Packet.encode({ type: packetTypes.stat }))
}

async function statOf(
  folder: string,
  path: string,
  links: Map<string, string>,
): Promise<Partial<Stat> & { isFolder: boolean }> {
  const found = await lstat(join(folder, path), { bigint: true })
  const isFolder = found.isDirectory()
  const inode = `${found.dev}:${found.ino}`
  const first = found.isFile() && found.nlink > 1n ? links.get(inode) : undefined
  if (found.isFile() && found.nlink > 1n && first === undefined) links.set(inode, path)
  return {
    ...{ path, isFolder, mode: goMode(Number(found.mode)), uid: Number(found.uid), gid: Number(found.gid) },
    ...{ size: found.isFile() ? found.size : 0n, modTime: found.mtimeNs },
    linkname: found.isSymbolicLink() ? await readlink(join(folder, path)) : (first ?? ''),
  }
}
