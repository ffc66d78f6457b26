// What crun and runc say when something does not start, in the words that clients know and look for.
import { readFile } from 'node:fs/promises'
import type { HttpError } from '@atoll/kernel/http/error'
import { invalidParameter, systemError } from '../errors.ts'

const maxWords = 2000

/** The caller named a program that is not there, or may not be run: its request is wrong, not the engine. */
const notFound = /executable file not found|no such file or directory/
const notAllowed = /permission denied|not a directory|is a directory/

function familiar(words: string): string {
  return words
    .replace(/executable file `([^`]*)` not found in \$PATH.*/, 'exec: "$1": executable file not found in $$PATH')
    .replace(/No such file or directory/g, 'no such file or directory')
    .replace(/Permission denied/g, 'permission denied')
    .replace(/Not a directory/g, 'not a directory')
    .replace(/Is a directory/g, 'is a directory')
}

/** Of a log in JSON lines, what the last error says. */
function lastMessage(log: string): string | undefined {
  for (const line of log.trimEnd().split('\n').reverse()) {
    try {
      const { msg, level } = JSON.parse(line) as { msg?: unknown; level?: unknown }
      if (typeof msg === 'string' && level !== 'warning' && level !== 'info' && level !== 'debug') return msg
    } catch {
      // Half a line, or none: the one before may say it.
    }
  }
  return undefined
}

/** The error for a failed call, from the runtime's log or else from what the shim said. */
export async function startFailure(action: string, logPath: string, otherwise: string): Promise<HttpError> {
  const log = await readFile(logPath, 'utf8').catch(() => '')
  const words = familiar(lastMessage(log) ?? otherwise).slice(0, maxWords)
  const message = `${action}: ${words}: unknown`
  return notFound.test(words) || notAllowed.test(words) ? invalidParameter(message) : systemError(message)
}

/** The exit code a shell would give for such a failure; clients show it as the container's own. */
export function exitCodeOfFailure(message: string): number {
  if (notFound.test(message)) return 127
  return notAllowed.test(message) ? 126 : 128
}
