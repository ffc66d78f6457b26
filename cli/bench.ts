// Runs the benchmarks by name: each is a file in bench/ that exports `bench`.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { nearestName } from '@atoll/kernel/config/nearest-name'
import { benchFolder } from './places.ts'
import { findProgram } from './programs/search.ts'

export async function bench(names: string[]): Promise<void> {
  const known = benchNames()
  if (names.length === 0) return list(known)
  const unknown = names.filter((name) => !known.includes(name))
  for (const name of unknown) console.error(`There is no benchmark ${name}${advice(name, known)}`)
  if (unknown.length > 0) {
    process.exitCode = 1
    return
  }
  const lacking = names.flatMap((name) => lackingFor(name, needsOf(name)))
  for (const line of lacking) console.error(line)
  if (lacking.length > 0) {
    process.exitCode = 1
    return
  }
  process.on('uncaughtException', giveUp)
  for (const name of names) {
    console.log(`\n${name}: ${summaryOf(name)}`)
    const module: { bench(): Promise<void> } = await import(join(benchFolder, `${name}.ts`))
    await module.bench().catch(giveUp)
  }
}

/** As its file says: `// needs: wrk`. */
const needsOf = (name: string): string[] =>
  /^\/\/ needs: (.*)$/m
    .exec(readFileSync(join(benchFolder, `${name}.ts`), 'utf8'))?.[1]
    ?.split(',')
    .map((need) => need.trim()) ?? []

/** Debian's names, where they are others. */
const packages: Record<string, string> = {
  'redis-benchmark': 'redis-tools',
  cc: 'gcc libc6-dev',
  ip: 'iproute2',
  nft: 'nftables',
  docker: 'docker.io',
  busybox: 'busybox-static',
  etcd: 'etcd-server',
}

function lackingFor(name: string, needs: readonly string[]): string[] {
  if (needs.includes('root') && process.getuid?.() !== 0) return [`${name} needs root: sudo ./atoll bench ${name}`]
  const missing = needs.filter((need) => need !== 'root' && findProgram(need) === undefined)
  if (missing.length === 0) return []
  const install = missing.map((need) => packages[need] ?? need).join(' ')
  return [`${name} needs ${missing.join(', ')}, which this machine lacks: apt-get install ${install}`]
}

/** What a machine lacks is told in a line; a fault of the benchmark with its stack. */
function giveUp(error: unknown): never {
  const { code, syscall = '', path, message, stack } = error as NodeJS.ErrnoException
  const isMissing = code === 'ENOENT' && syscall.startsWith('spawn')
  const isTold = isMissing || /^This benchmark needs/.test(message)
  console.error(isMissing ? `This benchmark needs ${path}, which this machine lacks.` : isTold ? message : stack)
  process.exit(1)
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
