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
      writeFileSync(path, String(process.pid), { flag: 'wx' })
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
    const pid = Number(readFileSync(path, 'utf8'))
    // The file is empty for an instant after it is made.
    if (!pid) return true
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
