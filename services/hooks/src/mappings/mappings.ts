// Mapped hooks: which mapping a request is for, and what it makes of it (HOOK-070 … HOOK-075).
import type { IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Log } from '@atoll/kernel/telemetry/log'
import type { Action } from '../actions.ts'
import * as errors from '../errors.ts'
import { hasSignature } from '../ingress/signatures/schemes.ts'
import { type FoundMapping, type HookRequest, MappingProblem, type Mappings } from '../ports.ts'
import type { MappingsConfig } from './config.ts'
import { mappedAction } from './mapped-action.ts'
import { type Mapping, matches } from './mapping.ts'
import { loadMappings } from './mapping-set.ts'
import { SandboxBusy, SandboxPool } from './transforms/sandbox-pool.ts'
import { callTransform } from './transforms/transforms.ts'

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

  find(path: string, payload: Record<string, unknown>): FoundMapping | undefined {
    const found = this.#mappings.find((mapping) => matches(mapping, path, payload))
    return found && { id: found.id, signature: found.signature }
  }

  isSigned(path: string, headers: IncomingHttpHeaders): boolean {
    return this.#mappings.some(
      ({ match, signature }) =>
        signature !== undefined &&
        (match?.path === undefined || match.path === path) &&
        hasSignature(headers, signature),
    )
  }

  async resolve(id: string, request: HookRequest): Promise<Action | null> {
    const mapping = this.#mappings.find((each) => each.id === id)
    if (mapping === undefined) throw new MappingProblem(`there is no mapping ${id} any more`)
    const { hooksPath, clock } = this.#parts
    const asSent = { ...request, pathname: `${hooksPath}/${request.path}` }
    const override = mapping.transform
      ? await callTransform(this.#sandbox, mapping.transform, asSent).catch(orComeAgain)
      : {}
    if (override === null) return null
    return mappedAction(mapping, { ...request, now: new Date(clock.now()).toISOString() }, override)
  }

  close(): Promise<void> {
    return this.#sandbox.close()
  }
}

/** Too many at once are nobody's fault. */
function orComeAgain(error: unknown): never {
  throw error instanceof SandboxBusy ? errors.queueFull(busyRetryMs) : error
}
