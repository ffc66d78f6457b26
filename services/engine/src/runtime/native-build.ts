// Builds the native programs with the machine's compiler, once for each state of their sources and of the compiler.
import { createHash, randomUUID } from 'node:crypto'
import { access, mkdir, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { unavailable } from '../errors.ts'
import { type ProgramResult, runProgram } from './run-program.ts'

const sourceFolder = join(import.meta.dirname, '../../native')
const compiler = process.env.CC || 'cc'
const compileSeconds = 120
/** They read what containers say and what images bring: a mistake in them is to end them, not to be of use. */
const hardening = [
  ...['-U_FORTIFY_SOURCE', '-D_FORTIFY_SOURCE=2', '-fstack-protector-strong', '-fPIE'],
  ...['-Wl,-z,relro', '-Wl,-z,now', '-Wl,-z,noexecstack'],
]
/** Further ones, for whoever works on the programs: `-Werror` (the tests), `-fsanitize=address,undefined`. */
const further = (process.env.ATOLL_TEST_NATIVE_FLAGS ?? '').split(' ').filter(Boolean)
const flags = ['-std=c11', '-O2', '-Wall', '-Wextra', ...hardening, '-pthread', ...further]
/** Debian packages that bring the headers of a library. */
const packages: Record<string, string> = { archive: 'libarchive-dev', crypto: 'libssl-dev', z: 'zlib1g-dev' }
/** They need no others: with these alone a program is linked statically. */
const selfContained = new Set(['z'])

const building = new Map<string, Promise<string>>()

/** `NAME.c` and its parts `NAME-….c`; headers count for the hash. */
async function sourcesOf(name: string): Promise<{ files: string[]; headers: string[] }> {
  const own = (await readdir(sourceFolder))
    .filter((file) => new RegExp(`^${name}(-[a-z0-9-]+)?\\.[ch]$`).test(file))
    .sort()
  const files = own.filter((file) => file.endsWith('.c'))
  if (files.length === 0) throw unavailable(`the sources of the native program ${name} are not in ${sourceFolder}`)
  return { files, headers: own.filter((file) => file.endsWith('.h')) }
}

function whatToInstall(libraries: readonly string[]): string {
  const names = ['gcc', 'libc6-dev', ...libraries.map((library) => packages[library] ?? `lib${library}-dev`)]
  return `apt-get install ${[...new Set(names)].join(' ')}`
}

/** Which compiler it is, by its file: to ask it would take longer than all the rest of finding a built program. */
async function compilerIdentity(libraries: readonly string[]): Promise<string> {
  const folders = compiler.includes('/') ? [''] : (process.env.PATH ?? '').split(':').filter((it) => it.startsWith('/'))
  for (const folder of folders) {
    const path = await realpath(join(folder, compiler)).catch(() => undefined)
    const found = path === undefined ? undefined : await stat(path)
    if (found?.isFile()) return `${path} ${found.size} ${found.mtimeMs}`
  }
  throw unavailable(`no C compiler (${compiler}) on this machine; install it: ${whatToInstall(libraries)}`)
}

async function compile(args: readonly string[], libraries: readonly string[], output: string): Promise<ProgramResult> {
  const linked = libraries.map((library) => `-l${library}`)
  // Without a library to load a program starts faster and needs less memory.
  const isStatic = libraries.every((library) => selfContained.has(library))
  const ways = isStatic ? ['-static-pie', '-pie'] : ['-pie']
  let result: ProgramResult = { code: 1, stdout: '', stderr: '' }
  for (const way of ways) {
    result = await runProgram(compiler, [...flags, way, '-o', output, ...args, ...linked], {
      seconds: compileSeconds,
    })
    if (result.code === 0) return result
  }
  return result
}

async function build(name: string, libraries: readonly string[], folder: string): Promise<string> {
  const { files, headers } = await sourcesOf(name)
  const hash = createHash('sha256').update(JSON.stringify([flags, libraries, await compilerIdentity(libraries)]))
  for (const file of [...files, ...headers]) hash.update(file).update(await readFile(join(sourceFolder, file)))
  const program = join(folder, `${name}-${hash.digest('hex').slice(0, 16)}`)
  const isBuilt = await access(program).then(
    () => true,
    () => false,
  )
  if (isBuilt) return program
  await mkdir(folder, { recursive: true })
  const fresh = `${program}.${randomUUID()}`
  const sources = files.map((file) => join(sourceFolder, file))
  const result = await compile(sources, libraries, fresh)
  if (result.code !== 0) {
    await rm(fresh, { force: true })
    throw unavailable(
      `the native program ${name} does not build; headers may be missing (${whatToInstall(libraries)}): ${result.stderr.slice(0, 2000)}`,
    )
  }
  await rename(fresh, program)
  return program
}

/**
 * The path of a native program, built if it is not yet there.
 * @param libraries as in `-lNAME`
 * @param folder where built programs are kept; may be shared by several engines
 */
export function buildNative(name: string, libraries: readonly string[], folder: string): Promise<string> {
  const key = `${folder}\0${name}`
  const running = building.get(key)
  if (running !== undefined) return running
  const promise = build(name, libraries, folder).finally(() => building.delete(key))
  building.set(key, promise)
  return promise
}
