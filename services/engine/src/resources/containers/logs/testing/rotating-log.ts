// Writes a numbered log and rotates it as the shim does, name by name, without a rest. Runs as a thread of its own.
import { existsSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { gzipSync } from 'node:zlib'

export interface RotatingLog {
  path: string
  rotations: number
  maxFiles: number
  linesPerFile: number
  /** Set to the number of the last line that was read: the writer stays less than `maxFiles` files ahead. */
  read: Int32Array<SharedArrayBuffer>
}

const log = workerData as RotatingLog
let lines = 0

function ifThere(action: () => void): void {
  try {
    action()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

const nameOf = (age: number): string => (age === 0 ? log.path : `${log.path}.${age}`)

function shiftFiles(): void {
  const oldest = log.maxFiles - 1
  ifThere(() => unlinkSync(nameOf(oldest)))
  ifThere(() => unlinkSync(`${nameOf(oldest)}.gz`))
  for (let age = oldest - 1; age >= 0; age--) {
    ifThere(() => renameSync(nameOf(age), nameOf(age + 1)))
    if (age > 0) ifThere(() => renameSync(`${nameOf(age)}.gz`, `${nameOf(age + 1)}.gz`))
  }
}

function compressOldest(): void {
  for (let age = log.maxFiles - 1; age > 0; age--) {
    if (!existsSync(nameOf(age))) continue
    writeFileSync(`${log.path}.new`, gzipSync(readFileSync(nameOf(age))))
    renameSync(`${log.path}.new`, `${nameOf(age)}.gz`)
    unlinkSync(nameOf(age))
    return
  }
}

function writeLines(): void {
  const text = Array.from({ length: log.linesPerFile }, () => `${lines++}\n`)
  writeFileSync(log.path, text.join(''))
}

function waitForReader(): void {
  const furthest = lines - (log.maxFiles - 3) * log.linesPerFile
  for (let read = Atomics.load(log.read, 0); read < furthest; read = Atomics.load(log.read, 0)) {
    Atomics.wait(log.read, 0, read, 1_000)
  }
}

for (let rotation = 0; rotation < log.rotations; rotation++) {
  writeLines()
  waitForReader()
  shiftFiles()
  // The thread that compresses comes after the one that writes, now and then by some files.
  if (rotation % 5 !== 0) compressOldest()
  if (rotation % 11 === 0) compressOldest()
}
writeLines()
parentPort?.postMessage('written')
