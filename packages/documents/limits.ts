// What reading one file may cost.
const megabyte = 1024 ** 2

export interface DocumentLimits {
  /** Files that are read at the same time; each has a process of its own. */
  processes: number
  /** Of what was read of one file, on disk until it is taken; beyond it the reading waits. */
  aheadBytes: number
  /** A process without work ends after this; the last one later, since the next file would have to wait for another. */
  idleMs: number
  lastIdleMs: number
  /** Of a process's heap, and of everything it allocates. */
  heapMegabytes: number
  memoryMegabytes: number
  /** The longest a process may work without a sign of life, and on one file altogether. Waiting does not count. */
  silenceMs: number
  workMs: number
  /** Of one file: its size, its pages or slides, and the text that comes out of it in UTF-16 units. */
  fileBytes: number
  pages: number
  textLength: number
  /** Of one file's text, in tokens of the cl100k_base tokenizer. */
  textTokens: number
  /** Of a file that is a ZIP archive inside: its entries, what they unpack to, and how many times larger that may be. */
  zipEntries: number
  unpackedBytes: number
  unpackedRatio: number
}

export const defaultLimits: DocumentLimits = {
  processes: 2,
  aheadBytes: 64 * megabyte,
  idleMs: 60_000,
  lastIdleMs: 30 * 60_000,
  heapMegabytes: 512,
  memoryMegabytes: 2_048,
  silenceMs: 60_000,
  workMs: 15 * 60_000,
  fileBytes: 512 * megabyte,
  pages: 20_000,
  textLength: 512 * megabyte,
  textTokens: 2_000_000,
  zipEntries: 10_000,
  unpackedBytes: 1_024 * megabyte,
  unpackedRatio: 200,
}
