// For tests: what was typed at an installed package and what came back, written to the reports at the end.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '../../places.ts'

export class PackageTranscript {
  readonly #name: string
  readonly #lines: string[] = []

  constructor(name: string) {
    this.#name = name
  }

  title(text: string): void {
    this.#lines.push(`\n# ${text}`)
  }

  /** A command and all that it said; its exit code where it is not 0. */
  ran(command: readonly string[], said: string, code: number | null = 0): void {
    this.#lines.push(`$ ${command.map(quoted).join(' ')}`, said.trimEnd(), code === 0 ? '' : `(exit code ${code})`)
  }

  write(): void {
    const path = join(process.env.ATOLL_TEST_REPORTS ?? join(root, 'reports'), this.#name)
    const lines = this.#lines.filter((line) => line !== '')
    // Nothing ran where the machine lacks what it takes.
    if (lines.length === 0) return
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `${lines.join('\n').replaceAll('\r', '').trim()}\n`)
  }
}

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)
