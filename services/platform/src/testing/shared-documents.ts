// Platforms of one test file have their files read by the same processes: to start one takes longer than most tests.
import { createDocuments } from '@atoll/documents/create-documents'
import type { Documents } from '@atoll/documents/documents'
import { problems } from '@atoll/documents/problems'
import { afterFile, oncePerFile } from '@atoll/testkit/after-tests'
import { silentLog } from '@atoll/testkit/silent-log'
import { readersAtOnce } from '../resources/vector-stores/create-vector-stores.ts'

const sharedOnes = oncePerFile(async () => {
  const documents = createDocuments({ log: silentLog, processes: readersAtOnce })
  afterFile(() => documents.close())
  return documents
})

/** For one platform: closing them ends what it reads, and nothing else. */
export async function sharedDocuments(): Promise<Documents> {
  const documents = await sharedOnes()
  const closing = new AbortController()
  return {
    recognizes: documents.recognizes,
    chunks: (source, sizes, options) =>
      documents.chunks(source, sizes, { ...options, signal: AbortSignal.any([options.signal, closing.signal]) }),
    warm: () => documents.warm(),
    async close() {
      closing.abort(problems.closed())
    },
  }
}
