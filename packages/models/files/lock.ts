// One process at a time works on a file. A lock whose owner was killed is taken over.
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { ModelFileProblem } from './problem.ts'

let drafts = 0

export async function withLock<T>(path: string, what: string, work: () => Promise<T>): Promise<T> {
  await acquire(path, what)
  try {
    return await work()
  } finally {
    await rm(path, { force: true })
  }
}

async function acquire(path: string, what: string): Promise<void> {
  const own = `${path}.${process.pid}.${drafts++}`
  await writeFile(own, await ownerMark(process.pid))
  try {
    // A link appears with its content, or not at all.
    while (!(await linked(own, path))) await takeOver(path, own, what)
  } finally {
    await rm(own, { force: true })
  }
}

async function takeOver(path: string, own: string, what: string): Promise<void> {
  const mark = await read(path)
  if (mark === undefined) return
  const pid = Number(mark.split(' ')[0])
  if (mark === (await ownerMark(pid))) {
    throw new ModelFileProblem(`${what} is being pulled by another process (${pid}). Wait for it, or end it first.`)
  }
  const stale = `${own}.stale`
  if (!(await moved(path, stale))) return
  // Somebody may have taken it over between our look and our move: then it goes back.
  if ((await read(stale)) !== mark) await linked(stale, path)
  await rm(stale, { force: true })
}

/** A process id comes again one day; with the time of its start it does not. Never that of a process that is gone. */
async function ownerMark(pid: number): Promise<string> {
  if (!isAlive(pid)) return `${pid} gone`
  const fields = (await read(`/proc/${pid}/stat`))?.replace(/^.*\) /s, '').split(' ')
  const [state] = fields ?? []
  return state === 'Z' ? `${pid} gone` : `${pid} ${fields?.[19] ?? 'alive'}`
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

const read = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined)

const linked = (from: string, to: string): Promise<boolean> => unlessCode('EEXIST', link(from, to))

const moved = (from: string, to: string): Promise<boolean> => unlessCode('ENOENT', rename(from, to))

async function unlessCode(code: string, change: Promise<void>): Promise<boolean> {
  try {
    await change
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === code) return false
    throw error
  }
}
