// Mapped hooks: which mapping a request is for, and what it makes of it (HOOK-070 … HOOK-075).
import type { IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Log } from '@atoll/kernel/telemetry/log'
import * as errors from '../errors.ts'
import type { SignatureConfig } from '../ingress/signatures/schema.ts'
import { hasSignature } from '../ingress/signatures/schemes.ts'
import { type FoundMapping, type HookRequest, MappingProblem, type Mappings, type Resolved } from '../ports.ts'
import type { MappingsConfig } from './config.ts'
import { resolved } from './mapped-action.ts'
import { isPing, type Mapping, type Matched, matches } from './mapping.ts'
import { loadMappings } from './mapping-set.ts'
import type { ActionOverride } from './override.ts'
import { SandboxBusy, SandboxPool } from './transforms/sandbox-pool.ts'
import { callTransform, type Transform } from './transforms/transforms.ts'

const busyRetryMs = 1_000

interface Parts {
  /** Where this node keeps its files. */
  folder: string
  clock: Clock
  log: Log
  /** `hooks.path`: part of the URL that transforms see. */
  hooksPath: string
}

export class ConfiguredMappings implements Mappings {
  readonly #parts: Parts
  readonly #sandbox = new SandboxPool()
  #mappings: readonly Mapping[] = []
  #loading: Promise<unknown> = Promise.resolve()

  private constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Throws a ConfigError that names the key of whatever cannot be used. */
  static async open(parts: Parts, config: MappingsConfig): Promise<ConfiguredMappings> {
    const mappings = new ConfiguredMappings(parts)
    try {
      await mappings.reload(config)
      return mappings
    } catch (error) {
      await mappings.close()
      throw error
    }
  }

  /** All of it is taken on, or nothing. Transforms are read again. */
  reload(config: MappingsConfig): Promise<void> {
    // One after the other: the last one asked for is the one that holds.
    const loaded = this.#loading.then(() => this.#load(config))
    this.#loading = loaded.catch(() => undefined)
    return loaded
  }

  async #load(config: MappingsConfig): Promise<void> {
    const folder = config.transformsDir ?? join(this.#parts.folder, 'hooks', 'transforms')
    this.#mappings = await loadMappings(config, { sandbox: this.#sandbox, folder, log: this.#parts.log })
  }

  get all(): readonly Mapping[] {
    return this.#mappings
  }

  find(request: Matched): FoundMapping | undefined {
    const found = this.#mappings.find((mapping) => matches(mapping, request))
    return found && { id: found.id, signature: found.signature }
  }

  signatures(path: string, headers: IncomingHttpHeaders): SignatureConfig[] {
    const isMeant = (match: Mapping['match']): boolean => match?.path === undefined || match.path === path
    return this.#mappings.flatMap(({ match, signature }) =>
      signature !== undefined && isMeant(match) && hasSignature(headers, signature) ? [signature] : [],
    )
  }

  async resolve(id: string, asked: HookRequest): Promise<Resolved> {
    const mapping = this.#mappings.find((each) => each.id === id)
    if (mapping === undefined) throw new MappingProblem(`there is no mapping ${id} any more`)
    const payload = isPing(mapping, asked.headers) ? null : mapping.read ? mapping.read(asked.payload) : asked.payload
    if (payload === null) return { action: null }
    const request = { ...asked, payload }
    const override = mapping.transform ? await this.#transformed(mapping.transform, request) : {}
    return resolved(mapping, { ...request, now: new Date(this.#parts.clock.now()).toISOString() }, override)
  }

  #transformed(transform: Transform, request: HookRequest): Promise<ActionOverride | null> {
    const asSent = { ...request, pathname: `${this.#parts.hooksPath}/${request.path}` }
    return callTransform(this.#sandbox, transform, asSent).catch(orComeAgain)
  }

  close(): Promise<void> {
    return this.#sandbox.close()
  }
}

/** Too many at once are nobody's fault. */
function orComeAgain(error: unknown): never {
  throw error instanceof SandboxBusy ? errors.queueFull(busyRetryMs) : error
}
