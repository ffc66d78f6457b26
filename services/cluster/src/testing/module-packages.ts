// Packages of modules as tests make them: right ones, and wrong ones of every kind.
import { createHash } from 'node:crypto'
import { arch } from 'node:os'
import { strToU8, Zip, ZipDeflate, type ZipOptions, zipSync } from 'fflate'

const machines = { x86_64: 62, aarch64: 183, riscv64: 243 }
export type Machine = keyof typeof machines

export const here: Machine = arch() === 'arm64' ? 'aarch64' : 'x86_64'
export const elsewhere: Machine = here === 'x86_64' ? 'aarch64' : 'x86_64'

/** The head of a shared object, and something after it. No server could load it; the cluster does not try to. */
export function sharedObject(machine: Machine = here, bytes = 4_096): Buffer {
  const file = Buffer.alloc(bytes, 7)
  Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0]).copy(file)
  file.writeUInt16LE(3, 16)
  file.writeUInt16LE(machines[machine], 18)
  return file
}

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

export const moduleJson = (file: Uint8Array, change: object = {}): Record<string, unknown> => ({
  module_name: 'tally',
  semantic_version: '1.0.0',
  version: 10_000,
  sha256: sha256(file),
  architecture: here,
  os: 'Linux',
  module_file: 'tally.so',
  min_redis_version: '7.0',
  min_redis_pack_version: '6.0',
  capabilities: ['types', 'failover_migrate', 'persistence_aof', 'persistence_rdb', 'eviction_expiry'],
  command_line_args: 'STEP 1',
  author: 'Atoll',
  display_name: 'Tally',
  ramp_format_version: 1,
  ...change,
})

export interface PackageOptions {
  json?: object
  file?: Buffer
  /** Entries beside or in place of the usual ones; undefined takes one away. */
  entries?: Record<string, Uint8Array | string | undefined>
  zip?: ZipOptions
}

export function modulePackage({ json, file = sharedObject(), entries = {}, zip = {} }: PackageOptions = {}) {
  const all: Record<string, Uint8Array | string | undefined> = {
    'module.json': JSON.stringify(moduleJson(file, json)),
    'tally.so': file,
    ...entries,
  }
  const given = Object.entries(all).flatMap(([name, content]) =>
    content === undefined ? [] : [[name, typeof content === 'string' ? strToU8(content) : content] as const],
  )
  return new Uint8Array(zipSync(Object.fromEntries(given), zip))
}

/** As programs write it that cannot go back: sizes come after the data. In a folder, and with a comment at the end. */
export function streamedPackage(file: Buffer = sharedObject(), json: object = {}) {
  const pieces: Uint8Array[] = []
  const zip = new Zip((_error, piece) => pieces.push(piece))
  const contents = { 'tally/module.json': strToU8(JSON.stringify(moduleJson(file, json))), 'tally/tally.so': file }
  for (const [name, content] of Object.entries(contents)) {
    const entry = new ZipDeflate(name)
    zip.add(entry)
    entry.push(content, true)
  }
  zip.end()
  const comment = Buffer.from('made by hand')
  const whole = Buffer.concat([...pieces, comment])
  whole.writeUInt16LE(comment.length, whole.length - comment.length - 2)
  return new Uint8Array(whole)
}
