// Keeps the nftables table equal to what the engine wants: changes are gathered, and one nft applies them together.
import { addLine, deleteLine, deleteTable, type Element, tableText } from './firewall-rules.ts'
import { runProgram } from './program.ts'

const nft = (text: string): Promise<string> => runProgram('nft', ['-f', '-'], text)
const nameOf = ({ set, key }: Element): string => `${set} ${key}`

const tablePrefix = 'atoll_'
export const tableOf = (instance: string): string => `${tablePrefix}${instance}`

/** Of all engines that are on this host, or were. */
export async function engineTables(): Promise<string[]> {
  const lines = (await runProgram('nft', ['list', 'tables', 'inet'])).split('\n')
  return lines
    .flatMap((line) => /^table inet (\S+)$/.exec(line)?.[1] ?? [])
    .filter((name) => name.startsWith(tablePrefix))
}

export const removeTable = (table: string): Promise<string> => nft(deleteTable(table))

export class Firewall {
  readonly table: string
  /** What shall be in the table. */
  readonly #wanted = new Map<string, Element>()
  #lines: string[] = []
  #next: Promise<void> | undefined
  #running: Promise<void> = Promise.resolve()
  #isThere = false
  #isClosed = false

  constructor(table: string) {
    this.table = table
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** From the next change on: the host passes on nothing but what comes from containers or goes to them. */
  closeHost(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#isThere = false
  }

  /** The table with exactly these elements, whatever was in it before. */
  async reset(elements: readonly Element[]): Promise<void> {
    this.#wanted.clear()
    for (const element of elements) this.#wanted.set(nameOf(element), element)
    this.#lines = []
    this.#isThere = false
    await this.#flush()
  }

  /** Takes effect as one step, together with what others change at the same time. */
  change(added: readonly Element[], removed: readonly Element[]): Promise<void> {
    for (const element of removed) {
      if (this.#wanted.delete(nameOf(element))) this.#lines.push(deleteLine(this.table, element))
    }
    for (const element of added) {
      const known = this.#wanted.get(nameOf(element))
      if (known !== undefined) this.#lines.push(deleteLine(this.table, known))
      this.#wanted.set(nameOf(element), element)
      this.#lines.push(addLine(this.table, element))
    }
    return this.#lines.length === 0 ? Promise.resolve() : this.#flush()
  }

  async remove(): Promise<void> {
    this.#wanted.clear()
    this.#lines = []
    this.#isThere = false
    await removeTable(this.table)
  }

  #flush(): Promise<void> {
    this.#next ??= this.#running.then(async () => {
      this.#next = undefined
      const applying = this.#apply()
      this.#running = applying.catch(() => {})
      await applying
    })
    return this.#next
  }

  /** When somebody threw the table away (`flush ruleset`), it is made anew. */
  async #apply(): Promise<void> {
    const lines = this.#lines
    this.#lines = []
    if (this.#isThere) {
      if (lines.length === 0) return
      try {
        await nft(`${lines.join('\n')}\n`)
        return
      } catch {
        this.#isThere = false
      }
    }
    this.#lines = []
    const elements = [...this.#wanted.values()].map((element) => addLine(this.table, element))
    await nft(`${tableText(this.table, this.#isClosed)}${elements.join('\n')}\n`)
    this.#isThere = true
  }
}
