// Model files from the command line: list, pull, rm.
import { ConfigError } from '@atoll/kernel/config/config-error'
import { redact } from '@atoll/kernel/telemetry/redaction'
import { ModelFolder } from '@atoll/models/files/folder'
import { ModelFileProblem } from '@atoll/models/files/problem'
import { pull } from '@atoll/models/files/pull'
import { type FolderFlags, loadModelsConfig } from './config.ts'
import { modelListJson, modelListText } from './list.ts'
import { megabytes, ProgressBar } from './progress.ts'

interface PullFlags extends FolderFlags {
  name?: string
  sha256?: string
  connections?: string
}

const interruptedCode = 130

export const listModels = (flags: FolderFlags & { json?: boolean }): Promise<void> =>
  telling(async () => {
    const folder = new ModelFolder((await loadModelsConfig(flags)).folder)
    process.stdout.write(await (flags.json ? modelListJson(folder) : modelListText(folder)))
  })

export const removeModels = (names: string[], flags: FolderFlags): Promise<void> =>
  telling(async () => {
    const folder = new ModelFolder((await loadModelsConfig(flags)).folder)
    for (const name of names) {
      const { file, freedBytes } = await folder.remove(name)
      console.log(`Removed ${file}: ${megabytes(freedBytes)} are free again.`)
    }
  })

export const pullModel = (what: string, flags: PullFlags): Promise<void> =>
  telling(async () => {
    const { folder, hub } = await loadModelsConfig(flags)
    const { name, sha256, connections } = flags
    const progress = new ProgressBar(process.stderr)
    const stop = new AbortController()
    for (const event of ['SIGINT', 'SIGTERM'] as const) process.once(event, () => stop.abort())
    try {
      const given = connections === undefined ? {} : { connections: Number(connections) }
      const token = process.env.HF_TOKEN || undefined
      const options = { folder, hub, token, env: process.env, name, sha256, progress, signal: stop.signal, ...given }
      const { path, bytes, present } = await pull(what, options)
      console.log(present ? `${path} is here already (${megabytes(bytes)}).` : `Ready: ${path} (${megabytes(bytes)}).`)
    } catch (error) {
      progress.close()
      if (!stop.signal.aborted) throw error
      process.stderr.write('Stopped. The same command goes on from here.\n')
      process.exitCode = interruptedCode
    }
  })

/** What a person can change is told in a line; anything else is a fault of the program. */
async function telling(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    process.stderr.write(`${redact(reason(error))}\n`)
    process.exitCode = 1
  }
}

function reason(error: unknown): string {
  if (error instanceof ConfigError) return `The configuration is wrong.\n  ${error.problems.join('\n  ')}`
  if (error instanceof ModelFileProblem) return `atoll: ${error.message}`
  const { code, path, syscall } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC') return 'atoll: the disk is full.'
  if (code && syscall && path) return `atoll: ${path}: ${code} (${syscall}). Choose another folder with --data.`
  return `atoll: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`
}
