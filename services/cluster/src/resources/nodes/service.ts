// The nodes of the cluster: this machine, number 1.
import { readFile } from 'node:fs/promises'
import { arch, availableParallelism, cpus, freemem, hostname, totalmem, uptime } from 'node:os'
import * as errors from '../../errors.ts'
import { type Architecture, architectureOf } from '../modules/package/elf.ts'
import type { NodeObject } from './schema.ts'

export const thisNode = 1

interface NodeParts {
  release: string
  /** Where its databases listen. */
  host: string
  shardCount(): number
  engines(): readonly { name: string; version: string }[]
}

export class Nodes {
  readonly #parts: NodeParts
  readonly #os = readOs()

  constructor(parts: NodeParts) {
    this.#parts = parts
  }

  async list(): Promise<NodeObject[]> {
    return [await this.get(thisNode)]
  }

  async get(uid: number): Promise<NodeObject> {
    if (uid !== thisNode) throw errors.noSuchNode(uid)
    const { release, host, shardCount, engines } = this.#parts
    return {
      uid,
      addr: host,
      hostname: hostname(),
      architecture: thisArchitecture() ?? arch(),
      cores: availableParallelism(),
      cpu_model: cpus()[0]?.model ?? '',
      total_memory: totalmem(),
      free_memory: freemem(),
      os_name: (await this.#os).name,
      os_version: (await this.#os).version,
      software_version: release,
      status: 'active',
      shard_count: shardCount(),
      supported_database_versions: engines().map(({ name, version }) => ({ db_type: name, version })),
      uptime: Math.floor(uptime()),
    }
  }
}

export const thisArchitecture = (): Architecture | undefined => architectureOf(arch())

async function readOs(): Promise<{ name: string; version: string }> {
  const text = await readFile('/etc/os-release', 'utf8').catch(() => '')
  const read = (name: string): string => new RegExp(`^${name}="?([^"\\n]*)"?$`, 'm').exec(text)?.[1] ?? ''
  return { name: read('ID') || 'linux', version: read('VERSION_ID') }
}
