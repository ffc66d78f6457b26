// What rounds of faults came to, as a table for people: written after every round, so that one that fails leaves the
// others to be read. It lies in `reports`, or where ATOLL_TEST_REPORTS says.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export interface FaultRow {
  kind: string
  /** Of which node, and how. */
  what: string
  /** As long as it lasted, and until everything was whole again from its beginning on. */
  lastsMs: number
  wholeMs: number | undefined
  problem?: string
}

const columns = ['round', 'fault', 'of', 'lasted (s)', 'whole again after (s)', 'lost, doubled, stale']
const seconds = (ms: number | undefined): string => (ms === undefined ? '' : (ms / 1000).toFixed(1))
const maxWords = 200

export class FaultTable {
  readonly #rows: FaultRow[] = []
  readonly #title: string
  readonly #path: string

  constructor(name: string, title: string) {
    this.#title = title
    this.#path = join(resolve(process.env.ATOLL_TEST_REPORTS ?? 'reports'), name)
  }

  add(row: FaultRow): void {
    this.#rows.push(row)
    mkdirSync(join(this.#path, '..'), { recursive: true })
    writeFileSync(this.#path, this.#text())
  }

  #text(): string {
    const lines = this.#rows.map(({ kind, what, lastsMs, wholeMs, problem }, round) => {
      const words = problem?.replace(/\s+/g, ' ').replaceAll('|', '/').slice(0, maxWords) ?? 'none'
      return [String(round), kind, what, seconds(lastsMs), seconds(wholeMs), words]
    })
    const rows = [columns, columns.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`)
    const left = this.#rows.filter(({ problem }) => problem !== undefined).length
    return [`# ${this.#title}`, '', ...rows, '', `${this.#rows.length} rounds, ${left} with a problem.`, ''].join('\n')
  }
}
