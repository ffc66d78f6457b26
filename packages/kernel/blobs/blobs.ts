// The blobs port: bytes under keys, in a folder (local-disk.ts) or in a bucket (s3/).
import type { Readable } from 'node:stream'

export interface StoredBlob {
  key: string
  bytes: number
}

export interface ByteRange {
  /** First byte, counted from 0. */
  start: number
  /** Last byte, inclusive. */
  end: number
}

export interface WriteOptions {
  maxBytes: number
  /** Nobody else keeps the source's chunks: their memory is given back once they are written, without waiting for a GC. */
  ownsChunks?: boolean
  signal?: AbortSignal
  /** Of a blob that another store holds: a copy keeps its key. Absent: a new one. */
  key?: string
}

/** What the store is to say of the bytes. */
export interface LinkedAnswer {
  contentType: string
  contentDisposition: string
  cacheControl?: string
}

export interface BlobStore {
  /**
   * Streams `source` into a new blob, durable when the promise resolves.
   * Rejects with BlobTooLarge beyond `maxBytes`; after any rejection nothing is left behind.
   * The source is never destroyed here: after a rejection it stands paused, for the caller to drain or destroy,
   * so that a request refused half-way can still be answered.
   */
  write(source: Readable, options: WriteOptions): Promise<StoredBlob>
  /** Rejects with BlobMissing when there is none. The caller consumes the stream or destroys it. */
  read(key: string, range?: ByteRange): Promise<Readable>
  /** Where whoever has the address reads the blob from the store itself, for a short while. Absent: nowhere. */
  link?(key: string, answer: LinkedAnswer): Promise<string>
  /** Bytes of a finished blob; undefined when there is none. */
  size(key: string): Promise<number | undefined>
  /** Removing what is not there is no error. */
  remove(key: string): Promise<void>
  /** Every blob, finished or abandoned half-way, with the time its writing began. */
  list(): AsyncIterable<{ key: string; startedAt: number }>
  /** Free bytes; Infinity where the store knows no limit. */
  freeBytes(): Promise<number>
}

export class BlobTooLarge extends Error {
  readonly maxBytes: number

  constructor(maxBytes: number) {
    super(`The blob is larger than ${maxBytes} bytes.`)
    this.name = 'BlobTooLarge'
    this.maxBytes = maxBytes
  }
}

export class BlobMissing extends Error {
  readonly key: string

  constructor(key: string) {
    super(`There is no blob ${key}.`)
    this.name = 'BlobMissing'
    this.key = key
  }
}
