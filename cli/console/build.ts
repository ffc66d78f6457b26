// Finds the console as it was built, and has it built anew where a source is newer.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { root } from '../places.ts'

export interface BuiltConsole {
  folder: string
  /** Names of files. */
  index: string
  assets: string[]
}

interface Manifest extends Omit<BuiltConsole, 'folder'> {
  /** Sources with the times they were changed. */
  sources: [path: string, modified: number][]
}

const buildLimitMs = 60_000
const keptLetters = 2_000

export async function freshBuild(): Promise<BuiltConsole | { problem: string }> {
  // An installed package brings it.
  const brought = await readFresh(join(root, 'console', 'built'))
  if (brought !== undefined) return brought
  const folder = buildFolder()
  if (folder === undefined) return { problem: nowhere }
  const known = await readFresh(folder)
  if (known !== undefined) return known
  if (!existsSync(join(root, 'node_modules', 'rolldown', 'package.json'))) return { problem: noBundler }
  const failure = await build(folder)
  return (await readFresh(folder)) ?? { problem: `The console could not be built. ${failure}`.trim() }
}

const noBundler =
  'The console is not built, and the program that builds it (rolldown) is not installed: npm leaves it out where it has none for this kind of machine, or with --omit=optional. Run npm install in the folder of Atoll without that option, and open this page again. Everything else works without it.'
const nowhere =
  'The console cannot be built: neither the folder of Atoll nor ~/.cache can be written to. Set XDG_CACHE_HOME to a folder that can, and start Atoll again.'

/** Beside the compiled code; a cache of the user may serve several checkouts. */
function buildFolder(): string | undefined {
  const { cacheFolder } = createRequire(import.meta.url)(join(root, 'bin', 'code-cache.cjs')) as {
    cacheFolder(root: string): string | undefined
  }
  const cache = cacheFolder(root)
  return cache && join(cache, `console-${Buffer.from(root).toString('base64url').slice(-40)}`)
}

async function readFresh(folder: string): Promise<BuiltConsole | undefined> {
  try {
    const { sources, ...built } = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as Manifest
    const isSame = async ([path, modified]: [string, number]) => (await stat(path)).mtimeMs === modified
    return (await Promise.all(sources.map(isSame))).every(Boolean) ? { folder, ...built } : undefined
  } catch {
    return undefined
  }
}

/** In a process of its own: a bundler takes memory that the server does not want to keep. Resolves to what went wrong. */
function build(folder: string): Promise<string> {
  const child = spawn(process.execPath, [join(root, 'bin', 'console-bundle.js'), root, folder], {
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: buildLimitMs,
    killSignal: 'SIGKILL',
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(0, keptLetters)
  })
  return new Promise((resolve) => {
    child.on('error', (error) => resolve(error.message))
    child.on('close', () => resolve(said))
  })
}
