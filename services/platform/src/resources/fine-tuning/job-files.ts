// A job's files of examples, in a folder of the job.
import { createWriteStream, existsSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ifNotFound } from '../../errors/if-not-found.ts'
import type { Files } from '../files/service.ts'
import { JobFailure } from './job-failure.ts'
import type { FineTuningJobRow } from './store.ts'

export interface ExampleFiles {
  training: string
  validation: string | undefined
}

/** Throws a JobFailure when one was deleted before it was copied. */
export async function copyExamples(
  files: Files,
  row: FineTuningJobRow,
  folder: string,
  signal: AbortSignal,
): Promise<ExampleFiles> {
  const owner = { organizationId: row.organization_id, projectId: row.project_id }
  const copy = async (id: string, param: string): Promise<string> => {
    const path = join(folder, `${param}.jsonl`)
    // Of an earlier attempt: what is learnt from may have been deleted since.
    if (existsSync(path)) return path
    const content = await files.content(owner, id).catch(ifNotFound)
    if (content === undefined) {
      throw new JobFailure('file_not_found', `The file ${id} was deleted before it could be read.`, param)
    }
    await pipeline(content.read(), createWriteStream(`${path}.new`, { mode: 0o600, flush: true }), { signal })
    await rename(`${path}.new`, path)
    return path
  }
  return {
    training: await copy(row.training_file, 'training_file'),
    validation: row.validation_file === null ? undefined : await copy(row.validation_file, 'validation_file'),
  }
}
