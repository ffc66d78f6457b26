// One bucket under one prefix: the requests that the store makes of it, each with what went wrong in our words.
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import type { S3Config } from '../../config/blob-config.ts'
import { withDigest } from './body-digests.ts'
import type { Checksums } from './checksums.ts'
import { createS3Client } from './client.ts'
import { bucketFailure, isAbsent } from './failure.ts'
import { partBytesMark } from './part-digests.ts'

/** The store refuses bytes that have another SHA-256. */
export interface Part extends Checksums {
  bytes: Buffer
}

export interface SentPart {
  PartNumber: number
  ETag: string | undefined
}

export class Bucket {
  readonly client: S3Client
  readonly name: string
  readonly prefix: string
  readonly #encryption: { ServerSideEncryption?: 'AES256' | 'aws:kms'; SSEKMSKeyId?: string }

  constructor(config: S3Config) {
    this.client = createS3Client(config)
    this.name = config.bucket
    this.prefix = config.prefix === '' || config.prefix.endsWith('/') ? config.prefix : `${config.prefix}/`
    this.#encryption = {
      ...(config.encryption !== undefined && { ServerSideEncryption: config.encryption }),
      ...(config.kmsKeyId !== undefined && { SSEKMSKeyId: config.kmsKeyId }),
    }
  }

  at(name: string): { Bucket: string; Key: string } {
    return { Bucket: this.name, Key: this.prefix + name }
  }

  /** Whole in one request; the checksums stay with the object, for its readers. */
  async put(name: string, { bytes, sha256, crc32 }: Part, signal?: AbortSignal): Promise<void> {
    const command = new PutObjectCommand({
      ...this.at(name),
      ...this.#encryption,
      Body: withDigest(bytes, sha256),
      Metadata: { sha256, crc32 },
    })
    await this.#doing('write', () => this.client.send(command, signal && { abortSignal: signal }))
  }

  async beginParts(name: string, partBytes: number): Promise<string> {
    const Metadata = { [partBytesMark]: String(partBytes) }
    const command = new CreateMultipartUploadCommand({ ...this.at(name), ...this.#encryption, Metadata })
    const { UploadId } = await this.#doing('begin a write', () => this.client.send(command))
    if (UploadId === undefined) throw bucketFailure('begin a write', new Error('it gave the upload no id'))
    return UploadId
  }

  async putPart(name: string, UploadId: string, PartNumber: number, { bytes, sha256 }: Part): Promise<SentPart> {
    const command = new UploadPartCommand({ ...this.at(name), UploadId, PartNumber, Body: withDigest(bytes, sha256) })
    const { ETag } = await this.#doing('write a part', () => this.client.send(command))
    return { PartNumber, ETag }
  }

  /** `bytes` are those of all parts together. */
  async joinParts(name: string, UploadId: string, Parts: SentPart[], bytes: number): Promise<void> {
    const command = new CompleteMultipartUploadCommand({ ...this.at(name), UploadId, MultipartUpload: { Parts } })
    try {
      await this.client.send(command)
    } catch (error) {
      // An answer that was lost and asked for again: the first try had done it.
      const found = await this.size(name).catch(() => undefined)
      if (found !== bytes) throw bucketFailure('finish a write', error)
    }
  }

  async dropParts(name: string, UploadId: string): Promise<void> {
    const command = new AbortMultipartUploadCommand({ ...this.at(name), UploadId })
    await this.#unlessAbsent('give up a write', undefined, () => this.client.send(command))
  }

  async remove(name: string): Promise<void> {
    await this.#unlessAbsent('remove', undefined, () => this.client.send(new DeleteObjectCommand(this.at(name))))
  }

  async size(name: string): Promise<number | undefined> {
    const head = await this.#unlessAbsent('look', undefined, () =>
      this.client.send(new HeadObjectCommand(this.at(name))),
    )
    return head?.ContentLength
  }

  /** Errors come as they are: what an absent object or a range beyond its end means is the caller's matter. */
  get(name: string, range: string | undefined, etag?: string) {
    const command = new GetObjectCommand({
      ...this.at(name),
      ...(range !== undefined && { Range: range }),
      ...(etag !== undefined && { IfMatch: etag }),
    })
    return this.client.send(command)
  }

  async #doing<T>(what: string, request: () => Promise<T>): Promise<T> {
    try {
      return await request()
    } catch (error) {
      throw bucketFailure(what, error)
    }
  }

  async #unlessAbsent<T, U>(what: string, value: U, request: () => Promise<T>): Promise<T | U> {
    try {
      return await request()
    } catch (error) {
      if (isAbsent(error)) return value
      throw bucketFailure(what, error)
    }
  }
}
