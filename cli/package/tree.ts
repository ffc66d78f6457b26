// A folder with all that an installed Atoll is made of, except the packages it depends on.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '../places.ts'
import { version } from '../version.ts'
import { lockedDependencies, ownDependencies } from './lock.ts'
import { plainJavaScript } from './plain-javascript.ts'

const folders = ['bin', 'cli', 'packages', 'services', 'weights']
const singleFiles = ['atoll', 'LICENSE', 'README.md', 'CHANGELOG.md']

/** Tests, what only they use, and what prepares a checkout. */
const leftOut = [
  /(^|\/)(node_modules|testing|__pycache__)$/,
  /\.test\.ts$/,
  /^packages\/(testkit|clients-2024)$/,
  /^cli\/(test|readme|crash|engine|nodes|console\/(flows|browser\.ts)|bench\.ts|run-atoll\.ts)$/,
  /^cli\/(chaos|package)\/(?!commands\.ts)/,
  /^bin\/(launcher|install|installed|lock|advice|console-bundle)\.js$/,
]

export function makeTree(folder: string): void {
  for (const path of [...folders.flatMap(filesBelow), ...singleFiles]) {
    const source = join(root, path)
    const target = join(folder, path.replace(/\.ts$/, '.js'))
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, contentOf(source, path), { mode: (statSync(source).mode & 0o111) === 0 ? 0o644 : 0o755 })
  }
  buildConsole(folder)
  writeManifests(folder)
}

function filesBelow(path: string): string[] {
  if (leftOut.some((pattern) => pattern.test(path))) return []
  if (!statSync(join(root, path)).isDirectory()) return [path]
  return readdirSync(join(root, path)).flatMap((name) => filesBelow(`${path}/${name}`))
}

function contentOf(source: string, path: string): string | Buffer {
  // Only says to Node what its modules are.
  if (path.endsWith('/package.json')) return '{ "type": "module" }\n'
  const content = readFileSync(source)
  return /\.(ts|js|cjs)$/.test(path) ? plainJavaScript(content.toString(), path) : content
}

/** Where `cli/console` looks for one that needs no building. */
function buildConsole(folder: string): void {
  const built = join(folder, 'console', 'built')
  execFileSync(process.execPath, [join(root, 'bin', 'console-bundle.js'), root, built], { stdio: 'inherit' })
  const manifest = join(built, 'manifest.json')
  writeFileSync(manifest, JSON.stringify({ ...JSON.parse(readFileSync(manifest, 'utf8')), sources: [] }))
}

function writeManifests(folder: string): void {
  const { description, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const manifest = {
    ...{ name: 'atoll', version: version(), description, license, type: 'module' },
    bin: { atoll: 'atoll' },
    os: ['linux'],
    cpu: ['x64', 'arm64'],
    // To install it. What runs is the Node among its packages, or one that is as new.
    engines: { node: '>=20' },
    ...ownDependencies(),
  }
  const build = digestOf(folder)
  write(folder, 'package.json', { ...manifest, build })
  const { name, description: _, type: __, ...self } = manifest
  const packages = { '': { name, ...self }, ...lockedDependencies() }
  write(folder, 'npm-shrinkwrap.json', { name, version: self.version, lockfileVersion: 3, requires: true, packages })
}

const write = (folder: string, name: string, content: object): void =>
  writeFileSync(join(folder, name), `${JSON.stringify(content, null, 2)}\n`)

/** Tells one build from another: npm gives the files of all packages the same time. */
function digestOf(folder: string): string {
  const hash = createHash('sha256')
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (statSync(join(folder, path)).isFile()) hash.update(`${path}\n`).update(readFileSync(join(folder, path)))
  }
  return hash.digest('hex').slice(0, 16)
}
