import { fstatSync } from 'node:fs'

/** Whether what is written to the standard output is kept by the system's journal: systemd tells which file that is. */
export function isJournal(stream = process.env.JOURNAL_STREAM): boolean {
  if (!stream) return false
  const { dev, ino } = fstatSync(1)
  return stream === `${dev}:${ino}`
}
