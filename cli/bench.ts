// Runs the benchmarks by name: each is a file in bench/ that exports `bench`.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { nearestName } from '@atoll/kernel/config/nearest-name'
import { benchFolder } from './places.ts'

export async function bench(names: string[]): Promise<void> {
  const known = benchNames()
  if (names.length === 0) return list(known)
  const unknown = names.filter((name) => !known.includes(name))
  for (const name of unknown) console.error(`There is no benchmark ${name}${advice(name, known)}`)
  if (unknown.length > 0) {
    process.exitCode = 1
    return
  }
  for (const name of names) {
    console.log(`\n${name}: ${summaryOf(name)}`)
    const module: { bench(): Promise<void> } = await import(join(benchFolder, `${name}.ts`))
    await module.bench()
  }
}

/** Files that export `bench`; what they share lies in folders below or exports something else. */
function benchNames(): string[] {
  const files = readdirSync(benchFolder).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  return files
    .filter((file) => /^export (?:async function|const) bench\b/m.test(readFileSync(join(benchFolder, file), 'utf8')))
    .map((file) => file.slice(0, -'.ts'.length))
}

function list(known: string[]): void {
  if (known.length === 0) console.log('There are no benchmarks yet.')
  for (const name of known) console.log(`${name.padEnd(12)} ${summaryOf(name)}`)
}

/** The first comment line of its file. */
function summaryOf(name: string): string {
  const text = readFileSync(join(benchFolder, `${name}.ts`), 'utf8')
  return /^\/\/ (.*)$/m.exec(text)?.[1] ?? ''
}

function advice(name: string, known: string[]): string {
  const nearest = nearestName(name, known)
  return nearest ? `; did you mean ${nearest}?` : `. There are: ${known.join(', ')}`
}
