// The code of `up`, and of most other commands with it, in a few files, as long as they are what its modules are.
const { existsSync, readdirSync, readFileSync, rmSync, statSync } = require('node:fs')
const { join } = require('node:path')

const buildLimitMs = 60_000
/** A server that runs may still need files of the code it was started with. */
const keptMs = 90 * 24 * 3_600_000

/**
 * The path of the first of them, all made anew by an `up` when a module changed; other commands take them only as they
 * are. Undefined: there is no bundler, or it failed.
 */
function bundleOf(root, cacheFolder, args) {
  const name = isEngineAlone(args) ? 'engine' : 'up'
  // A cache of the user may serve several checkouts.
  const folder = join(cacheFolder, `${name}-${Buffer.from(root).toString('base64url').slice(-40)}`)
  const mayBuild = args[0] === 'up'
  const entry = freshEntry(folder) ?? (mayBuild && build(root, folder, name) ? freshEntry(folder) : undefined)
  return entry === undefined ? undefined : join(folder, entry)
}

const isEngineAlone = ([command, ...args]) =>
  command === 'up' &&
  !args.some((word) => /^--(with|all)\b/.test(word)) &&
  args.some((word, at) => word === '--only=engine' || (word === '--only' && args[at + 1] === 'engine'))

function freshEntry(folder) {
  try {
    const { entry, modules } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
    return modules.every(([path, modified]) => statSync(path).mtimeMs === modified) ? entry : undefined
  } catch {
    return undefined
  }
}

function build(root, folder, name) {
  if (!existsSync(join(root, 'node_modules', 'rolldown', 'package.json'))) return false
  removeOld(folder)
  const { spawnSync } = require('node:child_process') // seldom needed
  const options = { stdio: 'ignore', timeout: buildLimitMs, killSignal: 'SIGKILL' }
  return spawnSync(process.execPath, [join(root, 'bin', 'bundle.js'), root, folder, name], options).status === 0
}

function removeOld(folder) {
  if (!existsSync(folder)) return
  for (const path of readdirSync(folder).map((name) => join(folder, name))) {
    // Another start may be at work on the same files.
    const modified = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
    if (Date.now() - modified > keptMs) rmSync(path, { force: true })
  }
}

module.exports = { bundleOf, isEngineAlone, removeOld }
