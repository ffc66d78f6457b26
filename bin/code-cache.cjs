// Keeps compiled code between starts.
const { accessSync, constants, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } = require('node:fs')
const { homedir } = require('node:os')
const { join } = require('node:path')

const sourceFolders = ['packages', 'services', 'cli']
const rehearsalLimitMs = 20_000

/**
 * Beside the packages; what cannot be written to keeps it in the user's own cache; undefined: nowhere. Files of an
 * installed package all have the same time, and the next version lies in the same place: its build tells them apart.
 */
function cacheFolder(root) {
  const own = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  const { build = '' } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return [join(root, 'node_modules', '.cache', 'atoll', build), join(own, 'atoll', build)].find((folder) => {
    try {
      mkdirSync(folder, { recursive: true })
      accessSync(folder, constants.W_OK)
      return true
    } catch {
      return false
    }
  })
}

/** When code is newer than the last rehearsal: another process starts and ends everything once, to compile it. */
function rehearseIfStale(root, folder) {
  const stamp = join(folder, `rehearsed-${process.version}`)
  if (newestSource(root) <= modified(stamp)) return
  const { spawnSync } = require('node:child_process') // seldom needed
  const env = { ...process.env, NODE_COMPILE_CACHE: folder }
  const options = { env, stdio: 'ignore', timeout: rehearsalLimitMs, killSignal: 'SIGKILL' }
  // With the same flags: compiled code is good for those alone.
  spawnSync(process.execPath, [...process.execArgv, sourceOf(root, 'cli', 'up', 'rehearse')], options)
  // Also after a failure: the start that follows says what is wrong, and later ones do not try again.
  writeFileSync(stamp, '')
}

function newestSource(root) {
  const files = sourceFolders.flatMap((folder) => sourcesBelow(join(root, folder)))
  return Math.max(...[join(root, 'package-lock.json'), ...files].map(modified))
}

function sourcesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    // Not by `join`: for thousands of paths V8 would optimize it, with a compiler that an idle server then carries.
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : sourcesBelow(path)
    return /(?<!\.test)\.[jt]s$/.test(entry.name) ? [path] : []
  })
}

function modified(path) {
  try {
    return statSync(path).mtimeMs
  } catch {
    return 0
  }
}

/** An installed package has JavaScript in place of each source. */
function sourceOf(root, ...names) {
  const path = join(root, ...names)
  return existsSync(`${path}.ts`) ? `${path}.ts` : `${path}.js`
}

module.exports = { cacheFolder, rehearseIfStale, sourceOf }
