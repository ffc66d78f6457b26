// Where the results of a batch go on this machine.
import { createWriteStream } from 'node:fs'
import { access, constants, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as WebStream } from 'node:stream/web'
import { CommandProblem } from '../command-problem.ts'

export interface ResultPaths {
  output: string
  errors: string
}

export function resultPaths(input: string, given: Partial<ResultPaths>): ResultPaths {
  const stem = input.replace(/\.jsonl$/, '')
  return { output: given.output ?? `${stem}.output.jsonl`, errors: given.errors ?? `${stem}.errors.jsonl` }
}

/** Said before the work begins, not after hours of it. */
export async function checkPaths({ output, errors }: ResultPaths, input?: string): Promise<void> {
  if (resolve(output) === resolve(errors)) {
    throw new CommandProblem(`--output and --errors are both ${output}; they must differ.`)
  }
  for (const path of [output, errors]) {
    if (input !== undefined && resolve(path) === resolve(input)) {
      throw new CommandProblem(`${path} is the input; choose another file for the results.`)
    }
    const there = await stat(path).catch(() => undefined)
    if (there?.isDirectory()) throw new CommandProblem(`${path} is a folder; name a file.`)
    if (there === undefined || there.isFile()) await checkFolder(dirname(path))
  }
}

export async function checkInput(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) throw new CommandProblem(`there is no file ${path}.`)
  if (!found.isFile()) throw new CommandProblem(`${path} is not a file.`)
  await access(path, constants.R_OK).catch(() => {
    throw new CommandProblem(`${path} cannot be read.`)
  })
  return found.size
}

async function checkFolder(folder: string): Promise<void> {
  await access(folder, constants.W_OK).catch(() => {
    throw new CommandProblem(`nothing can be written to ${folder}; choose other files with --output and --errors.`)
  })
}

/** A file is there whole or not at all; a terminal or a pipe is written to as it is. */
export async function saveTo(path: string, content: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<void> {
  const from = Readable.fromWeb(content as WebStream<Uint8Array>)
  const there = await stat(path).catch(() => undefined)
  if (there && !there.isFile()) return pipeline(from, createWriteStream(path), { signal })
  const part = `${path}.part`
  try {
    await pipeline(from, createWriteStream(part), { signal })
    await rename(part, path)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}

/** The name comes from a server: it must not lead out of this folder. */
export function localName(name: string, otherwise: string): string {
  const local = basename(name)
  return local === '' || local === '.' || local === '..' ? otherwise : local
}
