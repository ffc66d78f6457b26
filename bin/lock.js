// One install at a time in one checkout: npm breaks what another npm is writing.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { notWritable } from './advice.js'

const pollMs = 200

export async function withLock(root, work) {
  const folder = join(root, '.atoll')
  const path = join(folder, 'installing')
  try {
    mkdirSync(folder, { recursive: true })
    await acquire(path)
  } catch (error) {
    throw ['EROFS', 'EACCES', 'EPERM'].includes(error.code) ? new Error(notWritable(root)) : error
  }
  try {
    return await work()
  } finally {
    rmSync(path, { force: true })
  }
}

async function acquire(path) {
  let told = false
  for (;;) {
    try {
      writeFileSync(path, `${process.pid} ${startOf(process.pid) ?? ''}`, { flag: 'wx' })
      return
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    if (!holderLives(path)) {
      rmSync(path, { force: true })
      continue
    }
    if (!told) process.stderr.write('atoll: waiting for another start that is installing packages\n')
    told = true
    await new Promise((done) => setTimeout(done, pollMs))
  }
}

function holderLives(path) {
  try {
    const [pid, start] = readFileSync(path, 'utf8').split(' ')
    // The file is empty for an instant after it is made.
    if (!pid) return true
    process.kill(Number(pid), 0)
    // Another process may have its number by now, or in the namespace of this one.
    return !start || startOf(pid) === start
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** When a process began, in ticks since the machine did. Undefined where the system does not tell. */
function startOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}
