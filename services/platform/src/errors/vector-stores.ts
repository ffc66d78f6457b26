// Errors of vector stores, their files and file batches.
import { platformError } from './errors.ts'

export const vectorStoreErrors = {
  noSuchStore: (id: string) => platformError(404, { message: `No vector store found with id '${id}'.` }),
  noSuchFile: (id: string, param: string | null = null) =>
    platformError(404, { message: `No file found with id '${id}'.`, param }),
  noSuchBatch: (id: string) => platformError(404, { message: `No file batch found with id '${id}'.` }),
  expired: (id: string) =>
    platformError(400, {
      message: `The vector store '${id}' has expired and its contents were removed. Create a new one and add the files again.`,
      code: 'vector_store_expired',
    }),
  wrongPurpose: (id: string, purpose: string, param: string) =>
    platformError(400, {
      message: `The file '${id}' has the purpose '${purpose}'. Upload files for vector stores with the purpose 'assistants'.`,
      param,
      code: 'invalid_purpose',
    }),
  repeatedFile: (id: string, param: string, first: string) =>
    platformError(400, {
      message: `The file '${id}' has other attributes or another chunking_strategy in ${first}. Name it once, with what it is to have.`,
      param,
      code: 'repeated_file',
    }),
  tooManyFiles: (id: string, maxFiles: number, param: string) =>
    platformError(400, {
      message: `The vector store '${id}' may have at most ${maxFiles} files.`,
      param,
      code: 'too_many_files',
    }),
  cannotCancel: (id: string, status: string) =>
    platformError(400, {
      message: `Cannot cancel the file batch '${id}': its status is '${status}'.`,
      code: 'file_batch_not_cancellable',
    }),
}
