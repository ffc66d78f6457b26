// Calls of a CSI plugin: gRPC over its socket, on a connection for each call. Every call has a time limit, every answer
// a limit of bytes.
import { systemError, unavailable } from '../../errors.ts'
import { GrpcClient } from '../../grpc/client.ts'
import type { Message } from '../../grpc/message.ts'
import { codes, GrpcFailure } from '../../grpc/status.ts'
import type { PluginProcess } from '../plugin-process.ts'
import type { PluginRecord } from '../plugin-record.ts'
import { Capabilities, Nothing } from './csi-messages.ts'

const maxAnswerBytes = 1024 * 1024
const maxWords = 1_000

export interface CsiParts {
  plugin(): PluginRecord
  process: PluginProcess
  /** Whoever asks has no say any more: what is asked of it is broken off. */
  signal?: AbortSignal | undefined
}

/** Of these nobody can tell whether it did, or still does, what it was asked for. */
const openCodes: readonly number[] = [codes.cancelled, codes.deadlineExceeded, codes.aborted, codes.unavailable]

/** The plugin answered, and has not done it. */
export const isNo = ({ cause }: Error): boolean => cause instanceof GrpcFailure && !openCodes.includes(cause.code)

export class CsiCalls {
  readonly #parts: CsiParts

  constructor(parts: CsiParts) {
    this.#parts = parts
  }

  get name(): string {
    return this.#parts.plugin().name
  }

  /** `call('Node/NodeGetInfo', …)`. Of failures that gRPC tells of, those in `forgiven` count as nothing to do. */
  async call<Q, A>(
    method: string,
    [request, asked]: [Message<Q>, Partial<Q>],
    answer: Message<A>,
    forgiven: readonly number[] = [],
  ): Promise<A | undefined> {
    const { name, timeoutMs } = this.#parts.plugin()
    const { signal: given } = this.#parts
    given?.throwIfAborted()
    const late = AbortSignal.timeout(timeoutMs)
    const signal = given === undefined ? late : AbortSignal.any([late, given])
    try {
      const socket = await this.#parts.process.socket()
      const client = new GrpcClient(await socket.connect(signal), maxAnswerBytes)
      try {
        return await client.unary(`/csi.v1.${method}`, request, asked, answer, { signal })
      } finally {
        client.close()
      }
    } catch (error) {
      if (given?.aborted === true) throw unavailable(`${method} of plugin ${name} was broken off`)
      if (late.aborted) throw unavailable(`plugin ${name} did not answer ${method} within ${timeoutMs / 1000} s`)
      if (!(error instanceof GrpcFailure)) throw error
      if (forgiven.includes(error.code)) return undefined
      throw Object.assign(systemError(`${method}: plugin ${name}: ${error.message.slice(0, maxWords)}`), {
        cause: error,
      })
    }
  }

  /** `can('Node/NodeGetCapabilities', capabilities.node.stageUnstage)` */
  async can(method: string, wanted: number): Promise<boolean> {
    const told = await this.call(method, [Nothing, {}], Capabilities)
    return told?.capabilities.some(({ typed }) => typed?.type === wanted) === true
  }
}
