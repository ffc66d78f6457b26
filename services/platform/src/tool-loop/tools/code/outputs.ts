// What code has printed, shown and written, made into a step's outputs and into files.
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { BlobStore, StoredBlob } from '@atoll/kernel/blobs/blobs'
import type { Tx } from '@atoll/kernel/db/database'
import type { SandboxOutput, SandboxResult } from '@atoll/sandbox/sandbox'
import type { ProjectCaller } from '../../../callers.ts'
import type { FileId, Files } from '../../../resources/files/service.ts'
import type { CodeOutput } from '../../../resources/threads/runs/steps/schema.ts'
import type { WrittenFile } from '../hosted-tool.ts'
import { shortened } from './shortened.ts'

const kibibyte = 1024
const maxStepLetters = 64 * kibibyte
const maxFiles = 20
const maxBytes = 256 * kibibyte * kibibyte
const imageName = /\.(?:png|jpe?g|gif|webp)$/i

interface Parts {
  blobs: BlobStore
  files: Pick<Files, 'newId' | 'keepWritten'>
}

interface Kept {
  id: FileId
  filename: string
  blob: StoredBlob
}

export interface CodeRun extends SandboxResult {
  /** Files that could not be given to the code, in words. */
  problems: string[]
  folder: string
}

/** Of one call. */
export class CodeOutputs {
  readonly #parts: Parts
  readonly #kept: Kept[] = []
  /** An image that was both shown and written is one file. */
  readonly #byDigest = new Map<string, WrittenFile>()
  readonly outputs: CodeOutput[] = []
  readonly files: WrittenFile[] = []
  #bytes = 0
  #leftOut = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async add({ outputs, files, stopped, problems, folder }: CodeRun): Promise<void> {
    for (const problem of problems) this.addLogs(`${problem}\n`)
    const room = roomForEach(outputs)
    for (const output of outputs) {
      if (output.type === 'logs') this.addLogs(shortened(output.logs, room))
      else await this.#addFile(output, undefined, true)
    }
    for (const file of files) await this.#addFile(file, `${folder}/${file.name}`, imageName.test(file.name))
    if (this.#leftOut > 0) {
      this.addLogs(
        `${this.#leftOut} more files were not kept: at most ${maxFiles} files and ${maxBytes} bytes a call.\n`,
      )
    }
    // Why it was stopped stands in the logs already.
    if (stopped !== undefined) this.addLogs('Files that were uploaded will be there again.\n')
  }

  addLogs(text: string): void {
    if (text === '') return
    const last = this.outputs.at(-1)
    if (last?.type === 'logs') last.logs += text
    else this.outputs.push({ type: 'logs', logs: text })
  }

  async #addFile(file: { name: string; bytes: Uint8Array }, path: string | undefined, isImage: boolean): Promise<void> {
    const digest = `${isImage} ${createHash('sha256').update(file.bytes).digest('hex')}`
    const known = isImage ? this.#byDigest.get(digest) : undefined
    if (known !== undefined) {
      known.path ??= path
      return
    }
    if (this.#kept.length >= maxFiles || this.#bytes + file.bytes.length > maxBytes) {
      this.#leftOut++
      return
    }
    this.#bytes += file.bytes.length
    const written = { fileId: await this.#store(file), path, isImage }
    this.files.push(written)
    this.#byDigest.set(digest, written)
    if (isImage) this.outputs.push({ type: 'image', image: { file_id: written.fileId } })
  }

  async #store({ name, bytes }: { name: string; bytes: Uint8Array }): Promise<string> {
    const blob = await this.#parts.blobs.write(Readable.from([bytes]), { maxBytes })
    const id = this.#parts.files.newId()
    this.#kept.push({ id, filename: name.split('/').at(-1) ?? name, blob })
    return id.id
  }

  async keepIn(tx: Tx, caller: ProjectCaller): Promise<void> {
    for (const { id, filename, blob } of this.#kept) {
      await this.#parts.files.keepWritten(tx, caller, id, filename, blob)
    }
  }
}

/** What is printed last often tells most: all pieces are shortened alike. */
function roomForEach(outputs: readonly SandboxOutput[]): number {
  const letters = outputs.flatMap((output) => (output.type === 'logs' ? [output.logs.length] : []))
  const isTooMuch = letters.reduce((sum, count) => sum + count, 0) > maxStepLetters
  return isTooMuch ? Math.floor(maxStepLetters / letters.length) : maxStepLetters
}
