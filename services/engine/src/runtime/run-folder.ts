// The folder of a shim while its process lives: configuration, sockets, pid, and in the end the exit record.
import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { invalidParameter } from '../errors.ts'
import type { ExitRecord } from './runtime.ts'

const safeName = /^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,127}$/

/** A name that can be part of a path. */
export function checked(id: string): string {
  if (!safeName.test(id)) throw invalidParameter(`invalid id: ${id.slice(0, 200)}`)
  return id
}

export type ShimSetting = [key: string, value: string | number | boolean]

/** `key=value` records, each ended by NUL: a path may hold anything else. */
export function encodeSettings(settings: readonly ShimSetting[]): string {
  return settings.map(([key, value]) => `${key}=${typeof value === 'boolean' ? Number(value) : value}\0`).join('')
}

export async function readSetting(folder: string, key: string): Promise<string | undefined> {
  const text = await readFile(join(folder, 'shim.conf'), 'utf8').catch(() => '')
  const record = text.split('\0').find((each) => each.startsWith(`${key}=`))
  return record?.slice(key.length + 1)
}

export async function readExit(folder: string): Promise<ExitRecord | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, 'exit.json'), 'utf8')) as ExitRecord
  } catch {
    return undefined
  }
}

/** For a process whose shim can no longer write it. */
export async function writeExit(folder: string, exit: ExitRecord): Promise<void> {
  const path = join(folder, 'exit.json')
  const file = await open(`${path}.new`, 'w', 0o600)
  try {
    await file.writeFile(`${JSON.stringify(exit)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.new`, path)
}
