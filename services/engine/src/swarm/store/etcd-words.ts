// Why an etcd does not start, in words for who wanted it to.
import { statfs } from 'node:fs/promises'

const mebibyte = 1024 * 1024
/** It takes as much for what it is to write before it writes anything: two files of 64 MiB. */
const neededMiB = 128
const maxReason = 300

/** `words`: the last that it wrote. */
export async function whyNotStarted(folder: string, words: string): Promise<string> {
  const { bavail, bsize } = await statfs(folder)
  const freeMiB = Math.floor((bavail * bsize) / mebibyte)
  if (freeMiB < neededMiB) {
    return `no space left on device: ${freeMiB} MiB are free in ${folder}, and it needs ${neededMiB} MiB to begin with`
  }
  return (reasonIn(words) ?? 'it did not answer in time').slice(0, maxReason)
}

/** Its lines are JSON; those that are not are of a crash, and tell its users nothing. */
function reasonIn(words: string): string | undefined {
  for (const line of words.trim().split('\n').toReversed()) {
    const { level, msg, error } = read(line)
    if (msg !== undefined && ['error', 'fatal', 'panic'].includes(level ?? '')) {
      return error === undefined ? msg : `${msg}: ${error}`
    }
  }
  return words.trim().split('\n')[0] || undefined
}

function read(line: string): { level?: string; msg?: string; error?: string } {
  try {
    return JSON.parse(line)
  } catch {
    return {}
  }
}
