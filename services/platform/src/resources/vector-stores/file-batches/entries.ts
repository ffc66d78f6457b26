// The files of a batch, each with what it is given.
import { isDeepStrictEqual } from 'node:util'
import { vectorStoreErrors } from '../../../errors/vector-stores.ts'
import type { AttachEntry } from '../files/attachments.ts'
import type { CreateVectorStoreFile } from '../files/schema.ts'
import type { CreateFileBatch } from './schema.ts'

/** Throws when a file is to have different options at once. */
export function entriesOf(body: CreateFileBatch): AttachEntry[] {
  const { file_ids = [], files, attributes, chunking_strategy: chunking } = body
  if (files === undefined) return file_ids.map((fileId) => ({ fileId, attributes, chunking }))
  checkRepeated(files)
  return files.map((file, at) => ({
    fileId: file.file_id,
    attributes: file.attributes,
    chunking: file.chunking_strategy,
    param: paramOf(at),
  }))
}

function checkRepeated(files: readonly CreateVectorStoreFile[]): void {
  const places = new Map<string, number>()
  for (const [at, file] of files.entries()) {
    const first = places.get(file.file_id)
    if (first === undefined) places.set(file.file_id, at)
    else if (!isDeepStrictEqual(optionsOf(file), optionsOf(files[first]))) {
      throw vectorStoreErrors.repeatedFile(file.file_id, paramOf(at), `files[${first}]`)
    }
  }
}

const paramOf = (at: number): string => `files[${at}].file_id`

const optionsOf = (file: CreateVectorStoreFile | undefined) => [file?.attributes ?? null, file?.chunking_strategy]
