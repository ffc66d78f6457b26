// Why a container did not start, in the words that clients look for, and the exit code that stands for it.
import { HttpError } from '@atoll/kernel/http/error'
import { invalidParameter, systemError } from '../../errors.ts'
import type { ContainerRecord } from './record.ts'

const notFoundCode = 127
const notAllowedCode = 126
const otherCode = 128

const prefix =
  'failed to create task for container: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process'

interface Pattern {
  pattern: RegExp
  exitCode: number
  reason: string
}

/** Both runtimes' own words. A missing file that is no program (a device, a folder) is another matter. */
const patterns: Pattern[] = [
  {
    pattern: /executable file .*not found in \$PATH|exec(?:utable)?:? .*not found in \$PATH/i,
    exitCode: notFoundCode,
    reason: 'executable file not found in $PATH',
  },
  {
    pattern:
      /(?:open executable|executable file .*|exec:? [^:]*|exec container process [^:]*|stat [^:]*): no such file/i,
    exitCode: notFoundCode,
    reason: 'no such file or directory',
  },
  {
    pattern:
      /(?:open executable|executable.*|exec:? [^:]*|exec container process [^:]*): (?:permission denied|operation not permitted|is a directory)/i,
    exitCode: notAllowedCode,
    reason: 'permission denied',
  },
  { pattern: /exec format error/i, exitCode: notAllowedCode, reason: 'exec format error' },
]

export function describeStartFailure(record: ContainerRecord, error: unknown): { answer: Error; exitCode: number } {
  const words = error instanceof Error ? error.message : String(error)
  const known = patterns.find(({ pattern }) => pattern.test(words))
  if (known === undefined) {
    return { answer: error instanceof HttpError ? error : systemError(words), exitCode: otherCode }
  }
  const { exitCode } = known
  // A program named by its place is not looked for in $PATH.
  const isPlace = exitCode === notFoundCode && record.path.includes('/')
  const reason = isPlace ? `stat ${record.path}: no such file or directory` : known.reason
  const message = `${prefix}: exec: "${record.path}": ${reason}: unknown`
  return { answer: invalidParameter(message), exitCode }
}
