import { BackupProblem } from '@atoll/kernel/backup/problem'
import { NotEmpty, UnknownSchema } from '@atoll/kernel/db/snapshot/fill'
import { CommandProblem, telling } from '../command-problem.ts'

/** Errors that name what a person can do about them, as a line. */
export function tellingBackup(work: () => Promise<void>): Promise<void> {
  return telling(async () => {
    try {
      await work()
    } catch (error) {
      throw error instanceof Error && isTold(error) ? new CommandProblem(sentence(error)) : error
    }
  })
}

const told = ['BackupProblem', 'BucketFailure', 'BucketUnusable', 'BucketNotOurs']

const isTold = (error: Error): boolean =>
  told.includes(error.name) ||
  error instanceof NotEmpty ||
  error instanceof UnknownSchema ||
  error instanceof BackupProblem ||
  /^there is no database in|is in use by another Atoll|is damaged:/.test(error.message)

function sentence(error: Error): string {
  if (error instanceof NotEmpty)
    return 'there is an installation already: choose an empty --data, or an empty database.'
  if (error instanceof UnknownSchema)
    return `these rows are of a newer Atoll, which knows ${error.message}: use that one.`
  return error.message
}
