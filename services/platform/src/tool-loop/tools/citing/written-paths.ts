// Finds the paths of written files in a text that is still coming.
import type { WrittenFile } from '../hosted-tool.ts'

export type PathFound = { text: string; fileId: string } | 'undecided' | undefined

const goesOn = /^(?:[\p{L}\p{N}_-]|\.[\p{L}\p{N}])/u

export class WrittenPaths {
  /** Longest first, so that `sandbox:/mnt/data/a.csv` is not taken for `/mnt/data/a.csv`. */
  readonly #paths: readonly (readonly [text: string, fileId: string])[]

  constructor(files: readonly WrittenFile[]) {
    // A file that was written again is the newer one.
    const paths = new Map<string, string>()
    for (const { path, fileId } of files) {
      if (path === undefined) continue
      for (const text of [path, encodeURI(path)]) {
        paths.set(text, fileId)
        paths.set(`sandbox:${text}`, fileId)
      }
    }
    this.#paths = [...paths].sort(([a], [b]) => b.length - a.length)
  }

  /** Whether a path may begin with this letter. */
  mayBeginWith(letter: string): boolean {
    return this.#paths.length > 0 && (letter === 's' || letter === '/')
  }

  /** `text` is what has come of the answer, from the place in question on. */
  at(text: string, isEnd: boolean): PathFound {
    if (!isEnd && this.#paths.some(([path]) => path.startsWith(text))) return 'undecided'
    for (const [path, fileId] of this.#paths) {
      if (!text.startsWith(path)) continue
      const rest = text.slice(path.length, path.length + 2)
      if (!isEnd && rest === '.') return 'undecided'
      if (!goesOn.test(rest)) return { text: path, fileId }
    }
    return undefined
  }
}
