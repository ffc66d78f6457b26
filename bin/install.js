import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { adviceFor } from './advice.js'

// --no-save keeps package-lock.json as it is: plain `npm install` rewrites it where the registry lacks packages of
// other platforms, and `npm ci` refuses to run there.
const flags = [
  '--no-save',
  '--package-lock',
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--no-update-notifier',
  // Without a network people should learn it soon.
  '--fetch-retry-mintimeout=1000',
  '--fetch-retry-maxtimeout=4000',
  '--loglevel=http',
]
const maxKeptOutput = 64 * 1024

export async function install(root, dev) {
  const mark = begin(root)
  const began = Date.now()
  const line = progressLine(dev ? 'installing packages, with those for tests' : 'installing packages')
  let output = ''
  let fetched = 0
  const show = () => line.show(`${fetched} fetched, ${Math.round((Date.now() - began) / 1000)} s`)
  const timer = setInterval(show, 500)
  show()
  try {
    const code = await npm(['install', ...flags, dev ? '--include=dev' : '--omit=dev'], root, (text) => {
      output = (output + text).slice(-maxKeptOutput)
      fetched += text.match(/npm http fetch GET 200 \S+\.tgz/g)?.length ?? 0
    })
    // Killed by a signal, it has put nothing in order.
    if (code !== null) rmSync(mark, { force: true })
    if (code !== 0) throw new Error(adviceFor(output, root))
    line.end(`done in ${Math.round((Date.now() - began) / 1000)} s`)
  } catch (error) {
    line.end('failed')
    throw error
  } finally {
    clearInterval(timer)
  }
}

/** Leaves a mark until npm has ended by itself. */
function begin(root) {
  const mark = join(root, 'node_modules', '.atoll-installing')
  try {
    if (existsSync(mark)) removePackages(root)
    mkdirSync(join(root, 'node_modules'), { recursive: true })
    writeFileSync(mark, '')
    return mark
  } catch (error) {
    throw new Error(adviceFor(error.message, root))
  }
}

const workspaces = (root) =>
  ['packages', 'services']
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(folder, name)))

/** npm takes a package whose files were written by half for a whole one: after it was cut off, all begins anew. */
function removePackages(root) {
  for (const folder of ['.', 'cli', 'bench', 'console', ...workspaces(root)]) {
    rmSync(join(root, folder, 'node_modules'), { recursive: true, force: true })
  }
}

function npm(args, root, onOutput) {
  return new Promise((resolve, reject) => {
    const child = spawn('npm', args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.setEncoding('utf8').on('data', onOutput)
    child.stderr.setEncoding('utf8').on('data', onOutput)
    child.on('close', resolve)
    child.on('error', (error) => {
      const missing = error.code === 'ENOENT'
      reject(
        missing ? new Error('npm is not installed. Install it (Debian: apt-get install npm) and try again.') : error,
      )
    })
  })
}

/** One line that is rewritten on a terminal; elsewhere its beginning and its end. */
function progressLine(what) {
  const terminal = process.stderr.isTTY
  if (!terminal) process.stderr.write(`atoll: ${what} … `)
  return {
    show: (state) => terminal && process.stderr.write(`\r\u001b[Katoll: ${what} … ${state}`),
    end: (state) => process.stderr.write(terminal ? `\r\u001b[Katoll: ${what} … ${state}\n` : `${state}\n`),
  }
}
